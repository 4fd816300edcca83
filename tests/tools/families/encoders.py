#!/usr/bin/python3
"""Random checkpoints of BERT with rotary positions, with the numbers that they must give, in float64.

    encoders.py make KIND OUT_DIR [options]

new is NewModel of GTE's own code (queries, keys and values in one tensor, or in three with --separate), gte the same in
transformers (--published: with NewModel's names); jina3 is Jina's third model in transformers (--published: with the
names of jinaai/xlm-roberta-flash-implementation), flash the same by that code, of the class XLMRobertaModel (--absolute:
positions as RoBERTa has them). clip is CLIP's text part (--composite: in a model that has a vision part, too). The forward pass is written from the classes' code; tests/README.md says with what it
was compared. OUT_DIR/expected is as decoders.py makes it. Needs numpy.
"""
import argparse
import math
import os
import types

import numpy as np

from decoders import DTYPES, encode, gelu, save, write_json

CLASSES = {"clip": ("CLIPText", "clip_text_model", "text_model."), "new": ("New", "new", "new."), "gte": ("Gte", "gte", "gte."),
           "jina3": ("JinaEmbeddingsV3", "jina_embeddings_v3", "roberta."), "flash": ("XLMRoberta", "xlm-roberta", "roberta.")}
HEADS = {None: "Model", "mask": "ForMaskedLM", "sequence": "ForSequenceClassification", "token": "ForTokenClassification"}
LABELS, RANK, ALPHA, EPS = 3, 4, 6, 1e-6
# The names of a layer's tensors: query, key and value, then the others.
TRANSFORMERS = (["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
                {"out": "self_attn.o_proj", "norm1": "post_attention_layernorm", "norm2": "post_mlp_layernorm"})
NEW = (["attention.q_proj", "attention.k_proj", "attention.v_proj"],
       {"out": "attention.o_proj", "norm1": "attn_ln", "norm2": "mlp_ln", "up_gate": "mlp.up_gate_proj", "down": "mlp.down_proj"})
CLIP = (["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
        {"out": "self_attn.out_proj", "norm1": "layer_norm1", "norm2": "layer_norm2", "up": "mlp.fc1", "down": "mlp.fc2"})
FLASH = (["mixer.Wqkv"], {"out": "mixer.out_proj", "norm1": "norm1", "norm2": "norm2", "up": "mlp.fc1", "down": "mlp.fc2"})


def drawing(s, rng, out, usual_gain):
    """Two functions, which add a linear layer and a norm to out."""
    def linear(name, rows, cols, gain=usual_gain, bias=True):
        out[name + ".weight"] = rng.standard_normal((rows, cols)) * gain / math.sqrt(cols)
        if bias:
            out[name + ".bias"] = 0.2 * rng.standard_normal(rows)

    def norm(name):
        out[name + ".weight"] = 1 + 0.5 * np.tanh(rng.standard_normal(s.width))
        out[name + ".bias"] = 0.2 * rng.standard_normal(s.width)

    return linear, norm


def draw(s, rng):
    """Tensors by the names that Model uses."""
    out = {"words.weight": rng.standard_normal((s.vocab, s.width)) * 0.2}
    linear, norm = drawing(s, rng, out, 1.2)
    if s.n_types:
        out["types.weight"] = rng.standard_normal((s.n_types, s.width)) * 0.2
    if s.absolute:
        out["positions.weight"] = rng.standard_normal((s.positions, s.width)) * 0.2
    norm("norm")
    if s.kind == "clip":
        linear("text_projection", 32, s.width, 1, False)
    for layer in range(s.layers):
        at = f"layers.{layer}."
        for part in "qkv":
            linear(at + part, s.width, s.width, 1.5 if part != "v" else 1)
        linear(at + "out", s.width, s.width)
        norm(at + "norm1")
        linear(at + "up", s.ffn, s.width, bias=not s.is_gated)
        if s.is_gated:
            linear(at + "gate", s.ffn, s.width, bias=False)
        linear(at + "down", s.width, s.ffn)
        norm(at + "norm2")
    is_dense = s.kind in ("jina3", "flash") and s.head == "sequence"
    if s.head == "sequence":
        linear("head.dense", s.width, s.width)
        linear("classifier.out_proj" if is_dense else "classifier", LABELS, s.width)
    elif s.head == "token":
        linear("classifier", LABELS, s.width)
    elif s.head == "mask":
        linear("head.dense", s.width, s.width)
        norm("head.norm")
        out["head.bias"] = rng.standard_normal(s.vocab)
    return out


def published(s, tensors):
    """The tensors by the names of the files."""
    is_flash, is_new = s.kind == "flash" or (s.kind == "jina3" and s.published), s.kind == "new" or (s.kind == "gte" and s.published)
    prefix = "new." if is_new else CLASSES[s.kind][2]
    is_clip = s.kind == "clip"
    qkv, names = CLIP if is_clip else FLASH if is_flash else NEW if is_new else TRANSFORMERS
    is_dense = s.kind in ("jina3", "flash")
    outer = {"words": "embeddings.word_embeddings", "types": "embeddings.token_type_embeddings",
             "positions": "embeddings.position_embeddings", "norm": "emb_ln" if is_flash else "embeddings.LayerNorm"}
    if is_clip:
        outer = {"words": "embeddings.token_embedding", "positions": "embeddings.position_embedding", "norm": "final_layer_norm"}
    dense = {"mask": "lm_head.dense", "sequence": "classifier.dense" if is_dense else prefix + "pooler.dense"}
    heads = {"head.dense": dense.get(s.head), "head.norm": "lm_head.norm" if s.kind == "new" else "lm_head.layer_norm",
             "head": "lm_head.decoder" if s.kind in ("new", "gte") else "lm_head"}
    at = prefix + ("encoder.layers" if is_flash or is_clip else "encoder.layer" if is_new else "layers")
    out = {}
    for name, value in tensors.items():
        stem, end = name.rsplit(".", 1)
        if not name.startswith("layers."):
            out[(prefix + outer[stem] if stem in outer else heads.get(stem, stem)) + "." + end] = value
            continue
        _, layer, part = stem.split(".")
        own = names if is_new or is_flash or is_clip else {**names, "gate": "mlp.gate_proj", "down": "mlp.down_proj" if s.is_gated else "mlp.fc2",
                                                "up": "mlp.up_proj" if s.is_gated else "mlp.fc1"}
        if part in "qkv" and (is_flash or (is_new and not s.separate)):
            part = "mixer.Wqkv" if is_flash else "attention.qkv_proj"
            key = f"{at}.{layer}.{part}.{end}"
            out[key] = np.concatenate([out[key], value]) if key in out else value
        elif part in "qkv":
            out[f"{at}.{layer}.{qkv['qkv'.index(part)]}.{end}"] = value
        elif part in ("up", "gate") and is_new:
            key = f"{at}.{layer}.{names['up_gate']}.{end}"
            out[key] = np.concatenate([out[key], value]) if key in out else value
        else:
            out[f"{at}.{layer}.{own[part]}.{end}"] = value
    return out


def config_of(s):
    name, model_type, _ = CLASSES[s.kind]
    config = {"architectures": [name + HEADS[s.head]], "model_type": model_type, "num_hidden_layers": s.layers,
              "hidden_size": s.width, "num_attention_heads": s.heads, "intermediate_size": s.ffn, "vocab_size": s.vocab,
              "max_position_embeddings": s.positions, "hidden_act": "gelu", "layer_norm_eps": EPS,
              "type_vocab_size": s.n_types, "pad_token_id": 1, "id2label": {str(i): f"L{i}" for i in range(LABELS)}}
    if s.kind == "clip":
        config.update(hidden_act=s.activation, projection_dim=32, eos_token_id=2)
        config.update(architectures=["CLIPTextModelWithProjection"])
        if s.composite:
            config = {"architectures": ["CLIPModel"], "model_type": "clip", "projection_dim": 32, "text_config_dict": None,
                      "text_config": {k: v for k, v in config.items() if k != "architectures"}, "vision_config": {"hidden_size": 8}}
    elif s.kind == "flash":
        config.update(position_embedding_type="absolute" if s.absolute else "rotary", use_flash_attn=True, emb_pooler=None)
        if not s.absolute:
            config["rotary_emb_base"] = s.base
        if s.lora:
            config.update(lora_adaptations=["first", "second"], lora_alpha=ALPHA, lora_rank=RANK)
    elif s.kind == "new":
        config.update(position_embedding_type="rope", layer_norm_type="layer_norm", logn_attention_scale=False,
                      logn_attention_clip1=False, pack_qkv=not s.separate, unpad_inputs=False,
                      use_memory_efficient_attention=False, rope_theta=s.base,
                      rope_scaling={"type": "ntk", "factor": s.ntk} if s.ntk > 1 else None)
    else:
        config["rope_parameters"] = {"rope_type": "default", "rope_theta": s.base}
    return config


def draw_changes(s, tensors, rng):
    """A and B of each matrix of the layers, and of the words with tasks; one A where matrices become one tensor."""
    a, b = {}, {}
    for name, value in tensors.items():
        if value.ndim != 2 or not (name.startswith("layers.") or (s.lora == "tasks" and name == "words.weight")):
            continue
        shared = name.replace(".k.", ".q.").replace(".v.", ".q.") if s.kind == "flash" else name
        a[name] = a[shared] if shared in a else 0.5 * rng.standard_normal((RANK, value.shape[1])) / math.sqrt(RANK)
        b[name] = 0.5 * rng.standard_normal((value.shape[0], RANK)) / math.sqrt(RANK * s.width)
    return a, b


def write_changes(s, stored, a, b):
    """As peft writes them, in a folder; or into the tensors of the model, which are returned."""
    of_b, of_a = published(s, b), {name: value[:RANK] for name, value in published(s, a).items()}
    if s.lora == "peft":
        place = os.path.join(s.out_dir, "adapter")
        config = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "use_rslora": s.rslora, "bias": "none", "fan_in_fan_out": False,
                  "modules_to_save": None, "base_model_name_or_path": "a/b", "task_type": "FEATURE_EXTRACTION",
                  "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "gate_proj", "down_proj"]}
        write_json(config, place, "adapter_config.json")
        bare = CLASSES[s.kind][2] if s.bare else ""
        save(os.path.join(place, "adapter_model.safetensors"),
             {f"base_model.model.{name.removeprefix(bare).removesuffix('.weight')}.lora_{kind}.weight": value
              for kind, of in (("A", of_a), ("B", of_b)) for name, value in of.items()}, "F32")
        return stored
    out = {}
    for name, value in stored.items():
        if name not in of_a:
            out[name] = value
            continue
        at = name.removesuffix(".weight") + ".parametrizations.weight."
        first, second = (of_b[name], of_a[name]) if "embeddings" in name else (of_a[name], of_b[name])
        out.update({at + "original": value, at + "0.lora_A": np.stack([first * 7, first]),
                    at + "0.lora_B": np.stack([second * 7, second])})
    return out


class Model:
    """Of all encoders: linear layers, norms, the end of attention, words for masks. The rest is this file's."""

    eps = EPS

    def __init__(self, s, weights):
        self.s, self.weights = s, weights

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def heads(self, x):
        return x.reshape(len(x), self.s.heads, -1).transpose(1, 0, 2)

    def mix(self, at, scores, v):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        out = weights / weights.sum(-1, keepdims=True) @ v
        return self.linear(at + "out", out.transpose(1, 0, 2).reshape(out.shape[1], -1))

    def rotate(self, x):
        """x [H, T, K]"""
        half, width = x.shape[-1] // 2, x.shape[-1]
        inverse = (self.s.base * self.s.ntk) ** (-2 * np.arange(half) / width) / self.s.ntk ** (2 / width)
        angles = np.arange(x.shape[1])[:, None] * inverse
        a, b, cos, sin = x[..., :half], x[..., half:], np.cos(angles), np.sin(angles)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def attention(self, at, x):
        q, k, v = (self.heads(self.linear(at + part, x)) for part in "qkv")
        if not self.s.absolute:
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        if self.s.kind == "clip":
            scores = np.where(np.tri(len(x)), scores, -np.inf)
        return self.mix(at, scores, v)

    def states(self, ids):
        x = self.weights["words.weight"][ids]
        if self.s.n_types:
            x = x + self.weights["types.weight"][0]
        if self.s.absolute:
            first = 0 if self.s.kind == "clip" else 2
            x = x + self.weights["positions.weight"][first:first + len(ids)]
        if self.s.kind == "clip":
            return self.clip_states(x)
        x = self.norm("norm", x)
        out = [x]
        for layer in range(self.s.layers):
            at = f"layers.{layer}."
            x = self.norm(at + "norm1", x + self.attention(at, x))
            y = self.linear(at + "up", x)
            y = gelu(self.linear(at + "gate", x)) * y if self.s.is_gated else gelu(y)
            x = self.norm(at + "norm2", x + self.linear(at + "down", y))
            out.append(x)
        return out

    def clip_states(self, x):
        """Norms before each part, and a last one, which the last state does not have."""
        out = [x]
        act = gelu if self.s.activation == "gelu" else lambda x: x / (1 + np.exp(-1.702 * x))
        for layer in range(self.s.layers):
            at = f"layers.{layer}."
            x = x + self.attention(at, self.norm(at + "norm1", x))
            x = x + self.linear(at + "down", act(self.linear(at + "up", self.norm(at + "norm2", x))))
            out.append(x)
        return out + [self.norm("norm", x)]

    def logits(self, x):
        if self.s.head == "token":
            return self.linear("classifier", x)
        name = "classifier.out_proj" if self.s.kind in ("jina3", "flash") else "classifier"
        return self.linear(name, np.tanh(self.linear("head.dense", x[0])))

    def words(self, x):
        y = self.norm("head.norm", gelu(self.linear("head.dense", x)))
        return y @ self.weights["words.weight"].T + self.weights["head.bias"]


def expectations(s, model, rng, lengths, mask=4, projection="text_projection"):
    out = {}
    for name, n in [(f"len{n}", n) for n in lengths]:
        ids = rng.integers(5, s.vocab, n)
        ids[n // 2] = mask if s.head == "mask" else ids[n // 2]
        states = model.states(ids)
        x = states[-1]
        out.update({name + ".input_ids": ids[None], name + ".attention_mask": ids[None] * 0 + 1,
                    name + ".token_type_ids": ids[None] * 0, name + ".last_hidden_state": x[None],
                    name + ".pooled.mean": x.mean(0)[None], name + ".pooled.cls": x[None, 0]})
        if name == "len7":
            out["len7.hidden_states"] = np.stack(states[:s.layers + 1])[:, None]
        if s.kind in ("clip", "siglip"):
            out[name + ".embedding"] = model.linear(projection, x[-1])[None]
        if s.head in ("sequence", "token"):
            out[name + ".logits"] = model.logits(x)[None]
        if s.head == "mask":
            out[name + ".mask_positions"] = np.array([[0, n // 2]])
            out[name + ".mask_logits"] = model.words(x[n // 2])[None]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["make"])
    parser.add_argument("kind", choices=list(CLASSES))
    parser.add_argument("out_dir")
    for name, value in (("layers", 4), ("width", 64), ("heads", 4), ("ffn", 96), ("vocab", 1024), ("positions", 8194),
                        ("n-types", 1), ("longest", 426), ("seed", 1), ("base", 20000), ("ntk", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    for name in ("separate", "published", "absolute", "composite"):
        parser.add_argument("--" + name, action="store_true")
    for name in ("rslora", "bare"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--lora", choices=["peft", "tasks"])
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--activation", choices=["quick_gelu", "gelu"], default="quick_gelu")
    parser.add_argument("--head", choices=["mask", "sequence", "token"])
    s = types.SimpleNamespace(**vars(parser.parse_args()))
    if s.kind == "clip":
        s.absolute, s.n_types, s.positions, s.longest = True, 0, 77, 77
    s.is_gated = s.kind in ("new", "gte")
    rng = np.random.default_rng(s.seed)
    os.makedirs(os.path.join(s.out_dir, "expected"), exist_ok=True)
    tensors = draw(s, rng)
    stored, a, b = published(s, tensors), {}, {}
    if s.lora:
        a, b = draw_changes(s, tensors, rng)
        stored = write_changes(s, stored, a, b)
        write_json([s.out_dir + "/adapter" if s.lora == "peft" else "second"], s.out_dir, "expected", "adapter.json")
    if s.composite:
        stored = {**stored, "vision_model.x.weight": np.ones((2, 2)), "logit_scale": np.ones(1), "visual_projection.weight": np.ones((2, 2))}
    save(os.path.join(s.out_dir, "model.safetensors"), stored, DTYPES[s.dtype])
    write_json(config_of(s), s.out_dir, "config.json")
    write_json({"mask_token_id": 4}, s.out_dir, "expected", "index.json")
    weights = {name: encode(value, DTYPES[s.dtype])[1] for name, value in tensors.items()}
    scale = ALPHA / (math.sqrt(RANK) if s.rslora else RANK)
    for name in a:
        kind = "F32" if s.lora == "peft" else DTYPES[s.dtype]
        weights[name] = weights[name] + scale * encode(b[name], kind)[1] @ encode(a[name], kind)[1]
    model = Model(s, weights)
    save(os.path.join(s.out_dir, "expected", "cases.safetensors"), expectations(s, model, rng, (1, 2, 7, 16, 63, s.longest)), "F32")


if __name__ == "__main__":
    main()
