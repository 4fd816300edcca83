#!/usr/bin/python3
"""Random checkpoints of DeBERTa 1 to 3, with the numbers that they must give, in float64.

    deberta.py make SHAPE OUT_DIR [options]

v3 has the keys of config.json as microsoft/deberta-v3-base has them; v2 is all that the class DebertaV2Model has beside
them: learned positions, types, layers of their own for positions, no buckets. v1 is DebertaModel, whose config.json is
that of microsoft/deberta-base: one tensor of each head's queries, keys and values, no biases of keys. The forward pass is written from the
class's code; tests/README.md says with what it was compared. OUT_DIR/expected is as decoders.py makes it. Needs numpy.
"""
import argparse
import math
import os
import types

import numpy as np

from decoders import DTYPES, encode, save, write_json
import encoders
from encoders import HEADS, LABELS, drawing, expectations, gelu

ATTENTION = {"q": "attention.self.query_proj", "k": "attention.self.key_proj", "v": "attention.self.value_proj",
             "pk": "attention.self.pos_key_proj", "pq": "attention.self.pos_query_proj", "out": "attention.output.dense",
             "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
OUTER = {"words": "embeddings.word_embeddings", "types": "embeddings.token_type_embeddings", "norm": "embeddings.LayerNorm",
         "positions": "embeddings.position_embeddings", "distances": "encoder.rel_embeddings", "distances_norm": "encoder.LayerNorm"}


def draw(s, rng):
    out = {"words.weight": rng.standard_normal((s.vocab, s.width)) * 0.5}
    linear, norm = drawing(s, rng, out, 1.0)
    if s.n_types:
        out["types.weight"] = rng.standard_normal((s.n_types, s.width)) * 0.5
    if s.learned:
        out["positions.weight"] = rng.standard_normal((s.positions, s.width)) * 0.5
    norm("norm")
    if not s.absolute:
        out["distances.weight"] = rng.standard_normal((2 * s.span, s.width)) * 0.5
        if s.norm:
            norm("distances_norm")
    own = [] if s.shared or s.absolute else [part for part, term in (("pk", "c2p"), ("pq", "p2c")) if term in s.terms]
    for layer in range(s.layers):
        at = f"layers.{layer}."
        for part in ["q", "k", "v", "out", *own]:
            linear(at + part, s.width, s.width)
        norm(at + "norm1")
        linear(at + "up", s.ffn, s.width)
        linear(at + "down", s.width, s.ffn)
        norm(at + "norm2")
        for part in ("k", "pk") if s.kind == "v1" else ():
            out.pop(at + part + ".bias", None)
    if s.head in ("sequence", "mask"):
        linear("head.dense", s.width, s.width)
    if s.head in ("sequence", "token"):
        linear("classifier", LABELS, s.width)
    if s.head == "mask":
        norm("head.norm")
        out["head.bias"] = rng.standard_normal(s.vocab)
    return out


def published(s, tensors):
    """The tensors by the names of the files; of the published body, also those that are not read."""
    mask = {"head.dense": "cls.predictions.transform.dense", "head.norm": "cls.predictions.transform.LayerNorm",
            "head": "cls.predictions"} if s.legacy else {"head.dense": "lm_predictions.lm_head.dense",
                                                         "head.norm": "lm_predictions.lm_head.LayerNorm", "head": "lm_predictions.lm_head"}
    out = {}
    for layer in range(s.layers if s.kind == "v1" else 0):
        at, into = f"layers.{layer}.", f"deberta.encoder.layer.{layer}.attention.self."
        heads = [tensors[at + part + ".weight"].reshape(s.heads, -1, s.width) for part in "qkv"]
        out[into + "in_proj.weight"] = np.concatenate(heads, 1).reshape(-1, s.width)
        for part, name in (("q.bias", "q_bias"), ("v.bias", "v_bias"), ("pk.weight", "pos_proj.weight"),
                           ("pq.weight", "pos_q_proj.weight"), ("pq.bias", "pos_q_proj.bias")):
            if at + part in tensors:
                out[into + name] = tensors[at + part]
    for name, value in tensors.items():
        stem, end = name.rsplit(".", 1)
        if s.kind == "v1" and stem.split(".")[-1] in ("q", "k", "v", "pk", "pq"):
            continue
        if name.startswith("layers."):
            _, layer, part = stem.split(".")
            out[f"deberta.encoder.layer.{layer}.{ATTENTION[part]}.{end}"] = value
        elif stem in OUTER:
            out[f"deberta.{OUTER[stem]}.{end}"] = value
        else:
            out[(mask[stem] if s.head == "mask" else stem.replace("head.", "pooler.")) + "." + end] = value
    if s.head is None:
        out["mask_predictions.classifier.weight"] = np.ones((1, s.width))
        out["lm_predictions.lm_head.bias"] = np.ones(s.vocab)
    if s.head == "mask" and s.legacy:
        out["cls.predictions.decoder.weight"] = out["deberta.embeddings.word_embeddings.weight"]
        out["cls.predictions.decoder.bias"] = out["cls.predictions.bias"]
    return out


def config_of(s):
    config = {"model_type": "deberta-v2", "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
              "hidden_size": s.width, "initializer_range": 0.02, "intermediate_size": s.ffn, "max_position_embeddings": s.positions,
              "relative_attention": not s.absolute, "position_buckets": s.buckets or -1, "norm_rel_ebd": "layer_norm" if s.norm else "none",
              "share_att_key": s.shared, "pos_att_type": list(s.terms) if s.kind == "v2" else "|".join(reversed(s.terms)),
              "layer_norm_eps": 1e-7, "max_relative_positions": s.reach or -1, "position_biased_input": s.learned,
              "num_attention_heads": s.heads, "num_hidden_layers": s.layers, "type_vocab_size": s.n_types, "vocab_size": s.vocab}
    if s.kind == "v1":
        config.update(model_type="deberta", padding_idx=0)
        for key in ("position_buckets", "norm_rel_ebd", "share_att_key"):
            del config[key]
    if s.head is not None:
        config.update(architectures=[("Deberta" if s.kind == "v1" else "DebertaV2") + HEADS[s.head]], id2label={str(i): f"L{i}" for i in range(LABELS)},
                      pooler_hidden_size=s.width, pooler_hidden_act=s.pooler, pooler_dropout=0, legacy=s.legacy, pad_token_id=0)
    return config


class Model(encoders.Model):
    eps = 1e-7

    def buckets(self, n):
        """The row of the table for query i and key j; logarithms in float32, as published."""
        distance, middle = np.arange(n)[:, None] - np.arange(n), self.s.buckets // 2
        rows = distance
        if self.s.buckets:
            far = np.maximum(np.abs(distance), middle).astype(np.float32)
            share = np.log(far / np.float32(middle)) / np.log(np.float32((self.s.reach or self.s.positions) - 1) / np.float32(middle))
            far = (np.ceil(share * np.float32(middle - 1)) + middle).astype(np.int64)
            rows = np.where(np.abs(distance) <= middle, distance, np.sign(distance) * far)
        return np.clip(rows + self.s.span, 0, 2 * self.s.span - 1)

    def attention(self, at, x):
        q, k, v = (self.heads(self.linear(at + part, x)) for part in "qkv")
        scores = q @ k.transpose(0, 2, 1)
        if not self.s.absolute and self.s.terms:
            table, rows = self.weights["distances.weight"], self.buckets(len(x))
            table = self.norm("distances_norm", table) if self.s.norm else table
            queries, keys = np.arange(len(x))[:, None], np.arange(len(x))
            if "c2p" in self.s.terms:
                pk = self.heads(self.linear(at + ("k" if self.s.shared else "pk"), table))
                scores = scores + (q @ pk.transpose(0, 2, 1))[:, queries, rows]
            if "p2c" in self.s.terms:
                pq = self.heads(self.linear(at + ("q" if self.s.shared else "pq"), table))
                scores = scores + (k @ pq.transpose(0, 2, 1))[:, keys, rows]
        return self.mix(at, scores / math.sqrt(q.shape[-1] * (1 + len(self.s.terms))), v)

    def states(self, ids):
        x = self.weights["words.weight"][ids]
        if self.s.n_types:
            x = x + self.weights["types.weight"][0]
        if self.s.learned:
            x = x + self.weights["positions.weight"][:len(ids)]
        x = self.norm("norm", x)
        out = [x]
        for layer in range(self.s.layers):
            at = f"layers.{layer}."
            x = self.norm(at + "norm1", x + self.attention(at, x))
            x = self.norm(at + "norm2", x + self.linear(at + "down", gelu(self.linear(at + "up", x))))
            out.append(x)
        return out

    def logits(self, x):
        act = {"gelu": gelu, "tanh": np.tanh, "relu": lambda y: np.maximum(y, 0)}[self.s.pooler]
        return self.linear("classifier", x if self.s.head == "token" else act(self.linear("head.dense", x[0])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["make"])
    parser.add_argument("kind", choices=["v3", "v2", "v1"])
    parser.add_argument("out_dir")
    for name, value in (("layers", 4), ("width", 64), ("heads", 4), ("ffn", 128), ("vocab", 1024), ("positions", 512), ("seed", 1),
                        ("n-types", 0), ("buckets", 256), ("reach", 0), ("longest", 512)):
        parser.add_argument("--" + name, type=int, default=value)
    for name in ("own", "no-norm", "learned", "absolute", "not-legacy"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--terms", default="c2p|p2c")
    parser.add_argument("--pooler", default="gelu")
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--head", choices=["mask", "sequence", "token"])
    s = types.SimpleNamespace(**vars(parser.parse_args()))
    s.shared, s.norm, s.legacy = not s.own, not s.no_norm, not s.not_legacy
    if s.kind == "v1":
        s.shared, s.norm, s.buckets = False, False, 0
    s.terms = [term for term in s.terms.split("|") if term]
    s.span = s.buckets or s.reach or s.positions
    rng = np.random.default_rng(s.seed)
    os.makedirs(os.path.join(s.out_dir, "expected"), exist_ok=True)
    tensors = draw(s, rng)
    save(os.path.join(s.out_dir, "model.safetensors"), published(s, tensors), DTYPES[s.dtype])
    write_json(config_of(s), s.out_dir, "config.json")
    write_json({"mask_token_id": 4}, s.out_dir, "expected", "index.json")
    lengths = [n for n in (1, 5, 7, 128, 129, 400, 512, 1024) if n <= s.longest]
    model = Model(s, {name: encode(value, DTYPES[s.dtype])[1] for name, value in tensors.items()})
    save(os.path.join(s.out_dir, "expected", "cases.safetensors"), expectations(s, model, rng, lengths), "F32")


if __name__ == "__main__":
    main()
