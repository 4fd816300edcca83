#!/usr/bin/python3
"""Random checkpoints of BERT's relatives, with the numbers that they must give, in float64.

    kin.py make KIND OUT_DIR [options]

ernie adds the row of a task to each token; megatron and roberta-xl have norms before the halves of a layer; roformer
turns neighbouring columns, and siglip is a text tower whose texts are padded (--composite: in a model of pictures, too).
nomic-moe has experts in every second layer, dense parts without a gate in the others: softmax over all experts, of which
each token takes the two largest with the shares that it gave them, and one bias for their sum (what its own code
computes: nomic-ai/nomic-bert-2048, modeling_hf_nomic_bert.py). jina-code is jina-embeddings-v2-base-code: norms of all
columns of q and of k, one norm more of the first sum (as backends/candle/src/models/jina_code.rs in
huggingface/text-embeddings-inference computes it). Of the others the library was compared with transformers
5.24 in float64: within 6.5e-6 where torch's float32 is within 5e-6; RoFormer at 1,536 tokens 5.4e-5 and 5e-5.
OUT_DIR/expected is as decoders.py makes it. Needs numpy.
"""
import argparse
import math
import os
import types

import numpy as np

from decoders import DTYPES, encode, gelu, gelu_tanh, save, write_json
from encoders import expectations

CLASSES = {"ernie": ("Ernie", "ernie", "ernie."), "megatron": ("MegatronBert", "megatron-bert", "bert."),
           "roberta-xl": ("XLMRobertaXL", "xlm-roberta-xl", "roberta."), "roformer": ("RoFormer", "roformer", "roformer."),
           "siglip": ("SiglipText", "siglip_text_model", "text_model."), "nomic-moe": ("NomicBert", "nomic_bert", ""),
           "jina-code": ("JinaBert", "bert", "")}
HEADS = {None: "Model", "mask": "ForMaskedLM", "sequence": "ForSequenceClassification", "token": "ForTokenClassification"}
BERT = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "out": "attention.output.dense",
        "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
NAMES = {"ernie": BERT, "roformer": BERT, "megatron": {**BERT, "norm1": "attention.ln", "norm2": "ln"},
         "roberta-xl": {**BERT, "norm1": "attention.self_attn_layer_norm", "norm2": "LayerNorm"},
         "jina-code": {**BERT, "qnorm": "attention.self.layer_norm_q", "knorm": "attention.self.layer_norm_k",
                       "sum": "attention.output.LayerNorm", "norm1": "layer_norm_1", "up": "mlp.up_gated_layer",
                       "down": "mlp.down_layer", "norm2": "layer_norm_2"},
         "siglip": {**{c: f"self_attn.{c}_proj" for c in "qkv"}, "out": "self_attn.out_proj", "norm1": "layer_norm1",
                    "norm2": "layer_norm2", "up": "mlp.fc1", "down": "mlp.fc2"},
         "nomic-moe": {**{c: "attn.Wqkv" for c in "qkv"}, "out": "attn.out_proj", "norm1": "norm1", "norm2": "norm2",
                       "up": "mlp.fc1", "down": "mlp.fc2", "router": "mlp.router.layer", "first": "mlp.experts.mlp.w1",
                       "second": "mlp.experts.mlp.w2", "shared": "mlp.experts"}}
FINAL = {"megatron": "encoder.ln", "roberta-xl": "encoder.LayerNorm", "siglip": "final_layer_norm", "nomic-moe": "emb_ln"}
LABELS, MASK, PAD, EPS = 3, 4, 1, 1e-5


def has_experts(s, layer):
    return s.kind == "nomic-moe" and layer % 2 == 1


def draw(s, rng):
    """Tensors by the names that Model uses."""
    def linear(name, rows, cols, gain=1.2, bias=True):
        out[name + ".weight"] = rng.standard_normal((rows, cols)) * gain / math.sqrt(cols)
        if bias:
            out[name + ".bias"] = 0.2 * rng.standard_normal(rows)

    def norm(name, width):
        out[name + ".weight"] = 1 + 0.5 * np.tanh(rng.standard_normal(width))
        out[name + ".bias"] = 0.2 * rng.standard_normal(width)

    out = {"words.weight": rng.standard_normal((s.vocab, s.narrow)) * 0.4}
    for name, rows in (("types", s.n_types), ("positions", s.rows), ("tasks", 3 if s.tasks else 0)):
        if rows:
            out[name + ".weight"] = rng.standard_normal((rows, s.narrow)) * 0.4
    norm("norm", s.narrow)
    if s.narrow != s.width:
        linear("projection", s.width, s.narrow)
    for layer in range(s.layers):
        at = f"layers.{layer}."
        for part in "qkv":
            linear(at + part, s.width, s.width, 1.5 if part != "v" else 1)
        linear(at + "out", s.width, s.width)
        norm(at + "norm1", s.width)
        for part in ("qnorm", "knorm", "sum") if s.is_code else ():
            norm(at + part, s.width)
        if has_experts(s, layer):
            linear(at + "router", s.experts, s.width, 2, False)
            out[at + "first"] = rng.standard_normal((s.experts * s.ffn, s.width)) * 1.2 / math.sqrt(s.width)
            out[at + "second"] = rng.standard_normal((s.experts * s.ffn, s.width)) * 2 / math.sqrt(s.ffn)
            out[at + "shared.bias"] = 0.2 * rng.standard_normal(s.width)
        else:
            linear(at + "up", s.ffn * (1 + s.is_code), s.width, bias=not s.is_code)
            linear(at + "down", s.width, s.ffn)
        norm(at + "norm2", s.width)
    if s.kind == "siglip":
        linear("head", 32, s.width)
    if s.head in ("sequence", "mask"):
        linear("head.dense", s.narrow if s.head == "mask" else s.width, s.width)
    if s.head == "mask":
        norm("head.norm", s.narrow)
        out["head.bias"] = rng.standard_normal(s.vocab)
    if s.head in ("sequence", "token"):
        linear("scores", LABELS, s.width)
    return out


def published(s, tensors):
    """The tensors by the names of the files."""
    prefix, is_nomic, is_siglip = CLASSES[s.kind][2], s.kind == "nomic-moe", s.kind == "siglip"
    words = "embeddings.token_embedding" if is_siglip else "embeddings.word_embeddings"
    outer = {"words": words, "types": "embeddings.token_type_embeddings", "tasks": "embeddings.task_type_embeddings",
             "positions": "embeddings.position_embedding" + ("" if is_siglip else "s"),
             "norm": FINAL.get(s.kind, "embeddings.LayerNorm"), "projection": "embeddings_project", "head": "head"}
    if s.kind in ("roberta-xl", "roformer"):
        heads = {"head.dense": "classifier.dense", "scores": "classifier.out_proj"}
    else:
        heads = {"head.dense": prefix + "pooler.dense", "scores": "classifier"}
    if s.head == "token":
        heads["scores"] = "classifier"
    if s.head == "mask" and s.kind == "roberta-xl":
        heads = {"head.dense": "lm_head.dense", "head.norm": "lm_head.layer_norm", "head": "lm_head"}
    elif s.head == "mask":
        at = "cls.predictions."
        heads = {"head.dense": at + "transform.dense", "head": at[:-1],
                 "head.norm": at + ("transform.layer_norm" if is_nomic else "transform.LayerNorm")}
    out = {}
    for name, value in tensors.items():
        if not name.startswith("layers."):
            stem, end = name.rsplit(".", 1)
            out[(heads[stem] if stem in heads else prefix + outer[stem]) + "." + end] = value
            continue
        _, layer, part, *end = name.split(".")
        key = ".".join([f"{prefix}encoder.layer{'s' if is_nomic or is_siglip else ''}.{layer}", NAMES[s.kind][part], *end])
        out[key] = np.concatenate([out[key], value]) if key in out else value
    if s.kind == "roformer":
        out[prefix + "encoder.embed_positions.weight"] = np.ones((s.positions, s.width // s.heads))
    return out


def config_of(s):
    name, model_type, _ = CLASSES[s.kind]
    config = {"architectures": [name + HEADS[s.head]], "model_type": model_type, "num_hidden_layers": s.layers,
              "hidden_size": s.width, "num_attention_heads": s.heads, "intermediate_size": s.ffn, "vocab_size": s.vocab,
              "max_position_embeddings": s.rows or s.positions, "hidden_act": "gelu", "layer_norm_eps": EPS,
              "type_vocab_size": s.n_types, "pad_token_id": PAD, "id2label": {str(i): f"L{i}" for i in range(LABELS)}}
    if s.kind == "ernie":
        config.update(task_type_vocab_size=3, use_task_id=s.tasks)
    elif s.is_code:
        config.update(position_embedding_type="alibi", feed_forward_type="geglu", emb_pooler="mean",
                      _name_or_path="jinaai/jina-bert-v2-qk-post-norm")
    elif s.kind == "roformer":
        config.update(embedding_size=s.narrow, rotary_value=False)
    elif s.kind == "siglip":
        config.update(hidden_act="gelu_pytorch_tanh", projection_size=32)
        if s.composite:
            config = {"architectures": ["SiglipModel"], "model_type": "siglip", "vision_config": {"hidden_size": 8},
                      "text_config": {k: v for k, v in config.items() if k != "architectures"}}
    elif s.kind == "nomic-moe":
        config = {"architectures": config["architectures"], "model_type": model_type, "n_layer": s.layers, "n_embd": s.width,
                  "n_head": s.heads, "n_inner": s.ffn, "n_positions": s.positions, "vocab_size": s.vocab,
                  "type_vocab_size": s.n_types, "layer_norm_epsilon": EPS, "activation_function": "gelu",
                  "rotary_emb_fraction": 1.0, "rotary_emb_base": 10000, "rotary_emb_interleaved": False,
                  "rotary_emb_scale_base": None, "rotary_scaling_factor": None, "max_trained_positions": 2048,
                  "qkv_proj_bias": True, "mlp_fc1_bias": True, "mlp_fc2_bias": True, "num_experts": s.experts, "moe_top_k": s.used,
                  "moe_every_n_layers": 2, "moe_normalize_expert_weights": False, "num_shared_experts": 0,
                  "expert_choice_router": False, "moe_impl": "megablocks", "moe_resid_pdrop": 0.0, "router_aux_loss_coef": 0.1,
                  "prenorm": False, "causal": False, "parallel_block": False, "use_rms_norm": None, "pad_token_id": PAD,
                  "id2label": config["id2label"]}
    return config


class Model:
    def __init__(self, s, weights):
        self.s, self.weights = s, weights
        self.act = gelu_tanh if s.kind == "siglip" else gelu

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def rotate(self, x):
        """x [H, T, K]: columns 2i and 2i + 1 together, or i and i + K/2."""
        half = x.shape[-1] // 2
        angles = np.arange(x.shape[1])[:, None] * 10000.0 ** (-np.arange(half) / half)
        cos, sin, is_near = np.cos(angles), np.sin(angles), self.s.kind == "roformer"
        a, b = (x[..., ::2], x[..., 1::2]) if is_near else (x[..., :half], x[..., half:])
        turned = [a * cos - b * sin, b * cos + a * sin]
        return np.stack(turned, -1).reshape(x.shape) if is_near else np.concatenate(turned, -1)

    def attention(self, at, x):
        q, k, v = (self.linear(at + part, x) for part in "qkv")
        if self.s.is_code:
            q, k = self.norm(at + "qnorm", q), self.norm(at + "knorm", k)
        q, k, v = (part.reshape(len(x), self.s.heads, -1).transpose(1, 0, 2) for part in (q, k, v))
        if self.s.kind in ("roformer", "nomic-moe"):
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        if self.s.is_code:  # ALiBi, of heads that are a power of two
            away = np.abs(np.subtract.outer(np.arange(len(x)), np.arange(len(x))))
            scores = scores - 2.0 ** (-8 / self.s.heads * np.arange(1, self.s.heads + 1))[:, None, None] * away
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        out = weights / weights.sum(-1, keepdims=True) @ v
        return self.linear(at + "out", out.transpose(1, 0, 2).reshape(len(x), -1))

    def feed_forward(self, at, x):
        if self.s.is_code:
            plain, gate = np.split(self.linear(at + "up", x), 2, -1)
            return self.linear(at + "down", plain * self.act(gate))
        if at + "up.weight" in self.weights:
            return self.linear(at + "down", self.act(self.linear(at + "up", x)))
        shares = np.exp(self.linear(at + "router", x))
        shares /= shares.sum(-1, keepdims=True)
        first, second = (self.weights[at + name].reshape(self.s.experts, -1, self.s.width) for name in ("first", "second"))
        out = np.zeros_like(x) + self.weights[at + "shared.bias"]
        for t, row in enumerate(x):
            for expert in np.argsort(-shares[t])[:self.s.used]:
                out[t] += shares[t, expert] * (gelu(first[expert] @ row) @ second[expert])
        return out

    def states(self, ids):
        s = self.s
        x = self.weights["words.weight"][ids]
        for name in ("types", "tasks"):
            if name + ".weight" in self.weights:
                x = x + self.weights[name + ".weight"][0]
        if s.rows:
            first = s.rows - s.positions
            x = x + self.weights["positions.weight"][first:first + len(ids)]
        if not s.is_early:
            x = self.norm("norm", x)
        if s.narrow != s.width:
            x = self.linear("projection", x)
        out = [x]
        for layer in range(s.layers):
            at = f"layers.{layer}."
            if s.is_early:
                x = x + self.attention(at, self.norm(at + "norm1", x))
                x = x + self.feed_forward(at, self.norm(at + "norm2", x))
            else:
                out_of = self.attention(at, x)
                out_of = self.norm(at + "sum", x + out_of) if s.is_code else out_of
                x = self.norm(at + "norm1", x + out_of)
                x = self.norm(at + "norm2", x + self.feed_forward(at, x))
            out.append(x)
        return out + [self.norm("norm", x)] if s.is_early else out

    def logits(self, x):
        if self.s.head == "token":
            return self.linear("scores", x)
        act = gelu if self.s.kind == "roformer" else np.tanh
        return self.linear("scores", act(self.linear("head.dense", x[0])))

    def words(self, x):
        y = self.norm("head.norm", gelu(self.linear("head.dense", x)))
        return y @ self.weights["words.weight"].T + self.weights["head.bias"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["make"])
    parser.add_argument("kind", choices=list(CLASSES))
    parser.add_argument("out_dir")
    for name, value in (("layers", 4), ("width", 64), ("narrow", 0), ("heads", 4), ("ffn", 96), ("vocab", 1024),
                        ("positions", 426), ("n-types", 2), ("experts", 8), ("used", 2), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    for name in ("tasks", "composite"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--head", choices=["mask", "sequence", "token"])
    s = types.SimpleNamespace(**vars(parser.parse_args()))
    s.is_early = s.kind in ("megatron", "roberta-xl", "siglip")
    s.is_code, s.narrow = s.kind == "jina-code", s.narrow or s.width
    if s.kind == "siglip":
        s.positions, s.n_types = 64, 0
    s.rows = 0 if s.kind in ("roformer", "nomic-moe", "jina-code") else s.positions + (PAD + 1 if s.kind == "roberta-xl" else 0)
    rng = np.random.default_rng(s.seed)
    os.makedirs(os.path.join(s.out_dir, "expected"), exist_ok=True)
    tensors = draw(s, rng)
    stored = published(s, tensors)
    if s.composite:
        stored = {**stored, "vision_model.head.weight": np.ones((2, 2)), "logit_scale": np.ones(1), "logit_bias": np.ones(1)}
    save(os.path.join(s.out_dir, "model.safetensors"), stored, DTYPES[s.dtype])
    write_json(config_of(s), s.out_dir, "config.json")
    write_json({"tokenizer_class": "BertTokenizer", "pad_token": "[PAD]"}, s.out_dir, "tokenizer_config.json")
    write_json({"mask_token_id": MASK}, s.out_dir, "expected", "index.json")
    weights = {name: encode(value, DTYPES[s.dtype])[1] for name, value in tensors.items()}
    save(os.path.join(s.out_dir, "expected", "cases.safetensors"), expectations(
        s, Model(s, weights), rng, (1, 2, 7, 16, 63, s.positions), MASK, "head"), "F32")


if __name__ == "__main__":
    main()
