#!/usr/bin/env python3
"""exactness.py ENCODE ENCODE_IMPORT CHECKPOINTS [OPTION ...] [FAMILY ...]: rounding errors beside torch's.

Guarantee: at published shapes rounding errors are at most those of torch (rms); by hand.

Makes a random checkpoint of each family at its published shape (CHECKPOINTS: the folder of shared/checkpoints), encodes
the same token ids with encode and with the classes of transformers in float32 and in float64, and prints how far the
last hidden states of both are from float64. Bars: our rms is at most torch's, our largest error at most 1.2 of torch's.
Fails if one is not reached. One checkpoint's largest error is one number of some hundred thousand and varies much, so
N checkpoints are made of each family (default 3, seeds 1 to N), and every number that is printed or compared with a
bar, a ratio too, is the median over them. Each text is a batch of its own. Vocabularies are small (1,024 or fewer):
rows of a table are copied, not summed. --longest N omits texts of more than N tokens; --keep DIR keeps checkpoints and
the states of torch, which the next run reads. Needs numpy, torch and transformers 5, 13 GB of memory and an hour.

In float64 the casts to float32 in the code of transformers are raised, and rotary angles are computed in float64. Of
models with rotary positions a second line compares with torch in float32 by such angles, which nobody runs: it shows
what the products alone lose. Jina v2 is no class of transformers; `Jina` below is its formulas in torch.

With --seeds 1 it printed these errors of last hidden states, and in parentheses how many times those of torch (Jina v2:
medians of 3 seeds, ratios of the largest 0.89 to 1.30; Qwen3: to 64 tokens; torch 2.15, transformers 5.23, EPYC, AVX2):

| family | rms | largest | family | rms | largest |
|---|---|---|---|---|---|
| BERT 6/384 | 4.7e-7 (0.82) | 3.5e-6 (0.92) | BERT 12/768 | 4.7e-7 (0.82) | 3.8e-6 (0.72) |
| DistilBERT 6/768 | 4.8e-7 (0.83) | 3.9e-6 (0.59) | ELECTRA 12/256 | 4.7e-7 (0.91) | 3.2e-6 (1.03) |
| RoBERTa, XLM-R 12/768 | 4.8e-7 (0.83) | 4.2e-6 (0.83) | MPNet 12/768 | 4.5e-7 (0.83) | 3.9e-6 (0.80) |
| ALBERT 12/768 | 3.5e-7 (0.86) | 2.3e-6 (0.66) | Nomic 12/768 | 1.7e-6 (0.74) | 2.3e-5 (0.85) |
| Jina v2 12/768 | 1.6e-6 (0.81) | 2.5e-5 (0.99) | ModernBERT 22/768 | 2.5e-6 (0.67) | 1.8e-5 (0.62) |
| EmbeddingGemma 24/768 | 9.1e-7 (0.69) | 6.5e-6 (0.58) | Qwen3 28/1024 | 2.5e-6 (0.86) | 1.6e-5 (0.84) |
"""
import argparse
import contextlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import types
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # all is made here
import numpy as np
import torch
import transformers

LENGTHS = (2, 7, 16, 63, 128, 256)
FEW = 8  # torch multiplies up to so many rows by other, shorter sums
BARS = {"rms": 1.0, "largest": 1.2}

GEMMA = {"kv_heads": 1, "head_dim": 256, "scalar": 256, "window": 512, "every": 6}
QWEN = {"kv_heads": 8, "head_dim": 128}
# family: architecture of checkpoints.py or decoders.py, layers, width, heads, feed-forward width, what else
FAMILIES = {
    "bert-6": ("bert", 6, 384, 12, 1536, {}),
    "bert-12": ("bert", 12, 768, 12, 3072, {}),
    "distilbert": ("distilbert", 6, 768, 12, 3072, {}),
    "electra": ("electra", 12, 256, 4, 1024, {}),
    "albert": ("albert", 12, 768, 12, 3072, {}),
    "roberta": ("roberta", 12, 768, 12, 3072, {}),
    "xlm-roberta": ("xlm-roberta", 12, 768, 12, 3072, {}),
    "mpnet": ("mpnet", 12, 768, 12, 3072, {}),
    "nomic-bert": ("nomic-bert", 12, 768, 12, 3072, {}),
    "jina-v2": ("jina-v2", 12, 768, 12, 3072, {}),
    "modernbert": ("modernbert", 22, 768, 12, 1152, {"local_attention": 128}),
    "embeddinggemma": ("embeddinggemma", 24, 768, 3, 1152, GEMMA),
    "qwen3-embedding": ("qwen3-embedding", 28, 1024, 16, 3072, QWEN),
    "gemma-4": ("embeddinggemma", 4, 256, 4, 768, {"head_dim": 64, "scalar": 64, "window": 64}),
    "qwen3-4": ("qwen3-embedding", 4, 256, 4, 768, {"head_dim": 64}),
}


# ------------------------------------------------------------------ checkpoints

def make_decoder(arch, sizes, more, seed, folder):
    import decoders
    s = types.SimpleNamespace(**sizes, **{"kv_heads": 2, "positions": 512, "vocab": 1024, "every": 3, "window": 16,
                                          "base": 1000000, "local_base": 10000, "scalar": 9, "new_keys": False, **more})
    s.is_gemma = arch == "embeddinggemma"
    rng = np.random.default_rng(seed)
    decoders.save(str(folder / "model.safetensors"), decoders.draw(s, rng), "F32")
    decoders.write_json(decoders.config_of(s), str(folder), "config.json")


def make_encoder(arch, sizes, more, seed, folder):
    import checkpoints
    import layouts
    import tensors
    options = types.SimpleNamespace(arch=arch, seed=seed, dtype="f32", positions=None, pooling=None, normalise=None,
                                    tokenizer=None, vocab=None, **sizes)
    config, arrays = layouts.build(arch, checkpoints.model_shape(options))
    checkpoints.write_json({**config, **more}, str(folder), "config.json")
    tensors.save_sharded(str(folder), arrays, "F32", 1)


def make(family, seed, folder):
    arch, layers, width, heads, ffn, more = FAMILIES[family]
    sizes = {"layers": layers, "width": width, "heads": heads, "ffn": ffn}
    folder.mkdir(parents=True, exist_ok=True)
    (make_decoder if "head_dim" in more else make_encoder)(arch, sizes, more, seed, folder)


# ------------------------------------------------------------------------ torch

class Jina(torch.nn.Module):
    """JinaBERT v2: BERT with ALiBi for positions and gelu(first half) * second half."""

    def __init__(self, config, tensors):
        super().__init__()
        self.config, self.tensors = types.SimpleNamespace(**config), tensors

    def linear(self, name, x):
        return torch.nn.functional.linear(x, self.tensors[name + ".weight"], self.tensors.get(name + ".bias"))

    def norm(self, name, x):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.tensors[name + ".weight"],
                                              self.tensors[name + ".bias"], self.config.layer_norm_eps)

    def bias(self, n, dtype):
        heads = self.config.num_attention_heads
        lower = 2 ** int(math.log2(heads))
        slopes = [[2.0 ** (-8 * (i + 1) / k) for i in range(k)] for k in (lower, 2 * lower)]
        slopes = torch.tensor(slopes[0] + slopes[1][0::2][:heads - lower], dtype=dtype)
        place = torch.arange(n, dtype=dtype)
        return -slopes[:, None, None] * (place[:, None] - place).abs()

    def heads(self, x):
        return x.reshape(len(x), self.config.num_attention_heads, -1).transpose(0, 1)

    def forward(self, input_ids):
        table = "embeddings.%s_embeddings.weight"
        x = self.norm("embeddings.LayerNorm", self.tensors[table % "word"][input_ids[0]] +
                      self.tensors[table % "token_type"][0])
        bias = self.bias(len(x), x.dtype)
        for i in range(self.config.num_hidden_layers):
            at = f"encoder.layer.{i}."
            q, k, v = (self.heads(self.linear(at + "attention.self." + n, x)) for n in ("query", "key", "value"))
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            y = self.linear(at + "attention.output.dense", y.transpose(0, 1).reshape(x.shape))
            x = self.norm(at + "attention.output.LayerNorm", x + y)
            a, b = self.linear(at + "mlp.gated_layers", x).chunk(2, -1)
            x = self.norm(at + "mlp.layernorm", x + self.linear(at + "mlp.wo", torch.nn.functional.gelu(a) * b))
        return types.SimpleNamespace(last_hidden_state=x[None])


def load(family, folder, dtype):
    config = json.loads((folder / "config.json").read_text())
    if family == "jina-v2":
        from safetensors.torch import load_file
        return Jina(config, {n: t.to(dtype) for n, t in load_file(folder / "model.safetensors").items()})
    given = {}
    if family == "nomic-bert":  # the published file has the keys of its own code
        given["config"] = transformers.NomicBertConfig(
            vocab_size=config["vocab_size"], hidden_size=config["n_embd"], num_hidden_layers=config["n_layer"],
            num_attention_heads=config["n_head"], intermediate_size=config["n_inner"],
            max_position_embeddings=config["n_positions"], layer_norm_eps=config["layer_norm_epsilon"],
            rope_parameters={"rope_type": "default", "rope_theta": config["rotary_emb_base"]})
    model, info = transformers.AutoModel.from_pretrained(folder, dtype=dtype, output_loading_info=True, **given)
    missing = [n for n in info["missing_keys"] if "pooler" not in n]
    if missing:
        sys.exit(f"{family}: transformers does not find {missing[:3]}")
    return model.eval()


def turn_exactly(model):
    """Rotary angles in float64. Returns whether there are any."""
    modules = [m for m in model.modules() if type(m).__name__.endswith("RotaryEmbedding")]
    for module in modules:
        def forward(x, position_ids, layer_type=None, module=module):
            settings = module.config.rope_parameters
            base = (settings[layer_type] if layer_type else settings)["rope_theta"]
            n = getattr(module, f"{layer_type}_inv_freq" if layer_type else "inv_freq").numel()
            turns = position_ids[..., None].double() * base ** -(torch.arange(n, dtype=torch.float64) / n)
            turns = torch.cat((turns, turns), -1)
            return turns.cos().to(dtype=x.dtype), turns.sin().to(dtype=x.dtype)
        module.forward = forward
    return bool(modules)


@contextlib.contextmanager
def raised():
    """What is cast to float32 becomes float64."""
    to, to_float = torch.Tensor.to, torch.Tensor.float

    def raise_type(value):
        return torch.float64 if value is torch.float32 else value
    torch.Tensor.float = torch.Tensor.double
    torch.Tensor.to = lambda self, *a, **k: to(self, *map(raise_type, a), **{n: raise_type(v) for n, v in k.items()})
    try:
        yield
    finally:
        torch.Tensor.to, torch.Tensor.float = to, to_float


def states(model, texts):
    with torch.no_grad():
        return np.concatenate([model(input_ids=torch.tensor([ids])).last_hidden_state[0].double().numpy()
                               for ids in texts])


def judge(family, folder, texts):
    """Last hidden states [all tokens, D]: exact, float32, and float32 by exact angles or None."""
    model = load(family, folder, torch.float32)
    single = states(model, texts)
    turned = states(model, texts) if turn_exactly(model) else None
    del model
    with raised():
        model = load(family, folder, torch.float64)
        turn_exactly(model)
        return states(model, texts), single, turned


# ------------------------------------------------------------------------- ours

def ours(programs, folder, texts, work):
    weights, rows = work / "model.weights", work / "rows.npy"
    subprocess.run([programs.encode_import, folder, "-o", weights], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    lines = "".join(json.dumps({"ids": ids}) + "\n" for ids in texts)
    subprocess.run([programs.encode, "-m", weights, "--input", "jsonl", "-p", "none", "-f", "npy", "-o", rows],
                   input=lines.encode(), check=True)
    weights.unlink()
    return np.load(rows).astype(np.float64)


def errors(values, exact):
    return {"rms": math.sqrt(((values - exact) ** 2).mean()), "largest": np.abs(values - exact).max()}


def compare(title, mine, theirs):
    """Prints a line of medians over the seeds. Returns whether both bars are reached."""
    line, reached = "%-34s" % title, True
    for key, bar in BARS.items():
        ratio = statistics.median(m[key] / t[key] for m, t in zip(mine, theirs))
        reached = reached and ratio <= bar
        line += "%11.2e%10.2e%7.2f" % (*(statistics.median(e[key] for e in all) for all in (mine, theirs)), ratio)
    print(line, " yes" if reached else " NO", flush=True)
    return reached


def measure(family, seed, options, work):
    """Errors of ours, of torch and, where angles turn, of torch by exact angles; then of texts of few tokens."""
    folder = work / f"{family}-{seed}"
    rng = np.random.default_rng(seed)
    texts = [rng.integers(5, 900, n).tolist() for n in LENGTHS if n <= options.longest]
    judged = folder / f"judged-{options.longest}.npz"
    if not judged.exists():
        make(family, seed, folder)
        exact, single, turned = judge(family, folder, texts)
        np.savez(judged, exact=exact, single=single, **({} if turned is None else {"turned": turned}))
    kept = np.load(judged)
    rows = [ours(options, folder, texts, work)] + [kept[name] for name in ("single", "turned") if name in kept]
    if not options.keep:
        shutil.rmtree(folder)
    n_few = sum(len(ids) for ids in texts if len(ids) <= FEW)  # the first
    return [[errors(values[:n], kept["exact"][:n]) for values in rows] for n in (None, n_few)]


def check(family, options, work):
    of_all, of_few = zip(*(measure(family, seed, options, work) for seed in range(1, options.seeds + 1)))
    mine, single, *turned = zip(*of_all)
    _, layers, width, *_ = FAMILIES[family]
    reached = compare(f"{family} {layers}/{width}", mine, single)
    if turned:
        compare("  torch by exact angles", mine, turned[0])
    compare(f"  texts of at most {FEW} tokens", *list(zip(*of_few))[:2])
    return reached


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encode", type=Path)
    parser.add_argument("encode_import", type=Path)
    parser.add_argument("checkpoints", type=Path)
    parser.add_argument("family", nargs="*", choices=[[], *FAMILIES])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    options.encode, options.encode_import = options.encode.resolve(), options.encode_import.resolve()
    sys.path[:0] = [str(options.checkpoints), str(Path(__file__).parents[1] / "tools" / "families")]
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print("%-34s%11s%10s%7s%11s%10s%7s  reached" % ("", "rms: ours", "torch", "ratio", "most: ours", "torch", "ratio"))
    with tempfile.TemporaryDirectory() as folder:
        work = (options.keep or Path(folder)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        missed = [f for f in options.family or FAMILIES if not check(f, options, work)]
    sys.exit(f"not reached: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
