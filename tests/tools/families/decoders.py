#!/usr/bin/python3
"""Random checkpoints of decoders that became encoders, with the numbers that they must give, in float64.

    decoders.py make KIND OUT_DIR [options]

EmbeddingGemma is Gemma 3 with a full mask, two Dense modules and Normalize; embeddinggemma-2 has wider heads where a
layer sees all tokens, norms of values, and a third part of each layer that reads the embedding; Qwen3-Embedding is Qwen 3, whose last token
is the text's vector; llama, mistral (a window), qwen2 (biases) and eurobert (a full mask) have no norms of queries and
keys; t5 is T5's encoder with a Dense module, beside it parts of a decoder. The directories are those of huggingface/transformers and sentence-transformers; the forward pass is written from
their modeling_*.py, and was compared with them (tests/README.md). OUT_DIR/expected has the files that tests/tools/families/oracle.c reads: CASE.KEY, float32. Needs numpy.
"""
import argparse
import json
import math
import os
import struct
import types

import numpy as np

HEADS = {"mask": "ForMaskedLM", "sequence": "ForSequenceClassification", "token": "ForTokenClassification"}
LABELS, MASK = 3, 4
CLASSES = {"qwen3-embedding": "Qwen3ForCausalLM", "qwen2": "Qwen2Model", "llama": "LlamaModel",
           "mistral": "MistralForCausalLM", "eurobert": "EuroBertForMaskedLM",
           "t5": "T5ForConditionalGeneration"}
T5_NAMES = {"embed_tokens": "shared", "norm": "encoder.final_layer_norm"}
T5_PARTS = {"input_layernorm": "0.layer_norm", "post_attention_layernorm": "1.layer_norm",
            "mlp.gate_proj": "1.DenseReluDense.wi_0", "mlp.up_proj": "1.DenseReluDense.wi_1",
            "mlp.down_proj": "1.DenseReluDense.wo", **{f"self_attn.{c}_proj": f"0.SelfAttention.{c}" for c in "qkvo"}}
T5_BIAS = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
DTYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}


# ---------------------------------------------------------------- safetensors

def encode(values, dtype):
    """The bytes of an array, and the values that they hold."""
    if dtype == "F16":
        stored = values.astype(np.float16)
        return stored.tobytes(), stored.astype(np.float64)
    if dtype == "BF16":
        bits = (values.astype(np.float32).view(np.uint32) + 0x8000 >> 16).astype(np.uint16)
        return bits.tobytes(), (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float32).tobytes(), values.astype(np.float32).astype(np.float64)


def save(path, arrays, dtype):
    """Writes {name: array}; returns it as it was stored, in float64."""
    header, parts, kept, at = {}, [], {}, 0
    for name, values in arrays.items():
        is_whole = values.dtype == np.int64
        data, kept[name] = (values.tobytes(), values) if is_whole else encode(values, dtype)
        header[name] = {"dtype": "I64" if is_whole else dtype, "shape": list(values.shape),
                        "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
    return kept


def write_json(value, *path):
    os.makedirs(os.path.join(*path[:-1]), exist_ok=True)
    with open(os.path.join(*path), "w") as file:
        json.dump(value, file, indent=1)


# --------------------------------------------------------------- the checkpoint

def draw(s, rng):
    """Names and shapes of all: they differ in the norms of a layer, and in biases."""
    def linear(n_out, n_in, gain=1.2):
        return rng.standard_normal((n_out, n_in)) * gain / math.sqrt(n_in)

    def norm(n):
        return 0.6 * np.tanh(rng.standard_normal(n)) + (0 if s.adds_one else 1)

    names = {"input_layernorm", "post_attention_layernorm"}
    if s.is_gemma:
        names |= {"pre_feedforward_layernorm", "post_feedforward_layernorm"}
    out = {"embed_tokens.weight": rng.standard_normal((s.vocab, s.width)) * 0.05, "norm.weight": norm(s.width)}
    sharpness = 1.2 if s.has_head_norms else 0.4 if s.is_t5 else 0.8  # of attention, by which float32 itself is off
    if s.is_gemma2:
        out["ple.per_layer_model_projection.weight"] = linear(s.layers * s.own, s.width)
        out["ple.per_layer_projection_norm.weight"] = norm(s.own)
        out["embedding_projection.weight"] = linear(s.width + 8, s.width)
    for layer in range(s.layers):
        head = s.head_dim * (2 if s.is_gemma2 and (layer + 1) % s.every == 0 else 1)
        kv = head * (s.kv_heads if head == s.head_dim else 1)
        if s.is_gemma2:
            at = f"layers.{layer}."
            out[at + "layer_scalar"] = rng.uniform(0.6, 1.2, 1)
            out[at + "ple_block.per_layer_input_gate.weight"] = linear(s.own, s.width)
            out[at + "ple_block.per_layer_projection.weight"] = linear(s.width, s.own)
            out[at + "ple_block.post_per_layer_input_norm.weight"] = norm(s.width)
        sharp = 1 / math.sqrt(head) if s.is_gemma2 else 1.4
        part = {"self_attn.q_proj": linear(s.heads * head, s.width, sharpness),
                "self_attn.k_proj": linear(kv, s.width, sharpness),
                "self_attn.v_proj": linear(kv, s.width), "self_attn.o_proj": linear(s.width, s.heads * head, 0.6),
                **({"self_attn.q_norm": sharp * norm(head), "self_attn.k_norm": norm(head)} if s.has_head_norms else {}),
                "mlp.gate_proj": linear(s.ffn, s.width), "mlp.up_proj": linear(s.ffn, s.width),
                "mlp.down_proj": linear(s.width, s.ffn, 0.6), **{name: norm(s.width) for name in sorted(names)}}
        out.update({f"layers.{layer}.{name}.weight": value for name, value in part.items()})
        out.update({f"layers.{layer}.{name}.bias": 0.3 * rng.standard_normal(len(value)) for name, value in part.items()
                    if s.bias and "_proj" in name and not (s.kind == "qwen2" and name[-6:-5] not in "qkv")})
    return out


def draw_head(s, rng):
    """A decoder's scores are of the last token; EuroBERT has a dense layer, and names of BERT."""
    names = {None: [], "mask": ["lm_head"], "token": ["classifier" if s.kind in ("eurobert", "t5") else "score"],
             "sequence": ["dense", "classifier"] if s.kind == "eurobert" else ["score"]}[s.head]
    out = {}
    for name in names:
        rows = s.width if name == "dense" else s.vocab if name == "lm_head" else LABELS
        out[name + ".weight"] = rng.standard_normal((rows, s.width)) / math.sqrt(s.width)
        if s.bias if name == "lm_head" else s.kind == "eurobert" or s.head == "token":
            out[name + ".bias"] = 0.3 * rng.standard_normal(rows)
    return out


def t5_name(s, name):
    """The name in T5's files of a tensor of draw()."""
    stem, weight = name.rsplit(".", 1)
    if stem in T5_NAMES:
        return f"{T5_NAMES[stem]}.{weight}"
    _, layer, part = stem.split(".", 2)
    part = T5_PARTS[part] if s.is_gated else T5_PARTS[part].replace("wi_0", "wi")
    return f"encoder.block.{layer}.layer.{part}.{weight}"


def draw_t5(s, rng):
    """As T5's encoder has it, and parts of a decoder."""
    out = {t5_name(s, name): value for name, value in draw(s, rng).items() if s.is_gated or ".up_proj." not in name}
    out[T5_BIAS] = 2 * rng.standard_normal((32, s.heads))
    out["decoder.final_layer_norm.weight"] = out["lm_head.weight"] = np.ones((1, 1))
    return out


def t5_buckets(n):
    """The bucket of each distance of n tokens; the logarithm in float32, as published."""
    distance = np.arange(n) - np.arange(n)[:, None]
    far = np.maximum(np.abs(distance), 1).astype(np.float32)
    ranges = 8 + (np.log(far / 8) / np.float32(math.log(16)) * 8).astype(np.int64)
    return np.where(np.abs(distance) < 8, np.abs(distance), np.minimum(ranges, 15)) + 16 * (distance > 0)


def config_of_t5(s):
    config = {"architectures": [CLASSES["t5"]], "model_type": "t5", "num_layers": s.layers, "d_model": s.width,
              "num_heads": s.heads, "d_kv": s.head_dim, "d_ff": s.ffn, "vocab_size": s.vocab, "n_positions": s.positions,
              "layer_norm_epsilon": 1e-6, "is_encoder_decoder": True, "relative_attention_num_buckets": 32,
              "num_decoder_layers": s.layers, "feed_forward_proj": s.feed_forward}
    if s.new_keys:
        config.update(dense_act_fn=s.activation, is_gated_act=s.is_gated, relative_attention_max_distance=128)
    return config


def config_of(s):
    config = config_of_t5(s) if s.is_t5 else config_of_decoder(s)
    if s.head:
        name = config["architectures"][0]
        config["architectures"] = [name[:max(name.find("For"), name.find("Model"))] + HEADS[s.head]]
        config.update(id2label={str(i): f"L{i}" for i in range(LABELS)}, pad_token_id=0)
        if s.kind == "eurobert":
            config.update(tie_word_embeddings=False, classifier_pooling=s.pooling)
    return config


def config_of_decoder(s):
    config = {"num_hidden_layers": s.layers, "hidden_size": s.width, "num_attention_heads": s.heads,
              "num_key_value_heads": s.kv_heads, "head_dim": s.head_dim, "intermediate_size": s.ffn,
              "vocab_size": s.vocab, "max_position_embeddings": s.positions, "rms_norm_eps": 1e-6,
              "attention_bias": s.bias and s.kind != "qwen2", "mlp_bias": s.bias, "rope_scaling": None}
    kinds = ["full_attention" if (i + 1) % s.every == 0 else "sliding_attention" for i in range(s.layers)]
    if s.is_gemma2:
        del config["rope_scaling"], config["mlp_bias"]
        config.update(architectures=["EmbeddingGemma2TextModel"], model_type="embedding_gemma2_text",
                      hidden_activation="gelu_pytorch_tanh", sliding_window=s.window, embedding_dim=s.width + 8,
                      hidden_size_per_layer_input=s.own, layer_types=kinds,
                      rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": s.base},
                                       "sliding_attention": {"rope_type": "default", "rope_theta": s.local_base}},
                      per_layer_config={str(i): {"head_dim": 2 * s.head_dim, "num_key_value_heads": 1}
                                        for i, kind in enumerate(kinds) if kind == "full_attention"})
        if s.new_keys:  # beside pictures and sounds, which are left out
            config = {"architectures": ["EmbeddingGemma2Model"], "model_type": "embedding_gemma2",
                      "text_config": config, "vision_config": {"hidden_size": 4}, "audio_config": None}
    elif s.is_gemma:
        config.update(architectures=["Gemma3TextModel"], model_type="gemma3_text", layer_types=kinds,
                      hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=s.scalar, sliding_window=s.window,
                      use_bidirectional_attention=not s.is_causal, attn_logit_softcapping=None)
        if s.new_keys:
            config["rope_parameters"] = {"full_attention": {"rope_type": "default", "rope_theta": s.base},
                                         "sliding_attention": {"rope_type": "default", "rope_theta": s.local_base}}
        else:
            config.update(rope_theta=s.base, rope_local_base_freq=s.local_base)
    else:
        config.update(architectures=[CLASSES[s.kind]], model_type=s.kind.split("-")[0], hidden_act="silu",
                      use_sliding_window=False, sliding_window=s.window if s.kind == "mistral" else None,
                      tie_word_embeddings=True)
        if s.kind != "eurobert" and not s.is_causal:
            config["use_bidirectional_attention"] = True
        if s.new_keys:
            config["rope_parameters"] = {"rope_type": "default", "rope_theta": s.base}
        else:
            config["rope_theta"] = s.base
    return config


def write_modules(s, folder, rng):
    """modules.json and what it points to. Returns the matrices of the Dense modules as they were stored."""
    dense = [] if s.is_gemma2 else [(s.width, 3 * s.width), (3 * s.width, s.width)] if s.is_gemma else \
        [(s.width, 32)] if s.is_t5 else []
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling")]
    kinds += [(f"{i + 2}_Dense", "Dense") for i in range(len(dense))] + [("9_Normalize", "Normalize")]
    write_json([{"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind}
                for i, (path, kind) in enumerate(kinds)], folder, "modules.json")
    write_json({"word_embedding_dimension": s.width + 8 * s.is_gemma2, "pooling_mode_mean_tokens": s.is_gemma or s.is_t5,
                "pooling_mode_lasttoken": not (s.is_gemma or s.is_t5), "include_prompt": True}, folder, "1_Pooling", "config.json")
    stored = []
    for i, (n_in, n_out) in enumerate(dense):
        place = os.path.join(folder, f"{i + 2}_Dense")
        write_json({"in_features": n_in, "out_features": n_out, "bias": False,
                    "activation_function": "torch.nn.modules.linear.Identity"}, place, "config.json")
        weight = rng.standard_normal((n_out, n_in)) / math.sqrt(n_in)
        stored.append(save(os.path.join(place, "model.safetensors"), {"linear.weight": weight}, "F32")["linear.weight"])
    return stored


# ------------------------------------------------------------------ the formulas

def rms_norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight


def rotate(x, base):
    """x [H, T, K]: column i is turned with column i + K/2."""
    half = x.shape[-1] // 2
    angles = np.arange(x.shape[1])[:, None] * base ** (-np.arange(half) / half)
    a, b, cos, sin = x[..., :half], x[..., half:], np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def silu(x):
    return x / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


ACTIVATIONS = {"gelu_new": gelu_tanh, "silu": silu, "relu": relu}


class Model:
    def __init__(self, s, weights, dense):
        self.s, self.weights, self.dense = s, weights, dense

    def norm(self, name, x):
        return rms_norm(x, self.weights[name + ".weight"] + (1 if self.s.adds_one else 0))

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def heads(self, at, name, x, width):
        return self.linear(at + name, x).reshape(len(x), -1, width).transpose(1, 0, 2)

    def attention(self, layer, x):
        s, at, distance = self.s, f"layers.{layer}.self_attn.", np.arange(len(x))[:, None] - np.arange(len(x))
        is_full = s.kind != "mistral" and (not s.is_gemma or (layer + 1) % s.every == 0)
        base = s.base if is_full or not s.is_gemma else s.local_base
        width = s.head_dim * (2 if s.is_gemma2 and is_full else 1)
        q, k, v = (self.heads(at, name, x, width) for name in ("q_proj", "k_proj", "v_proj"))
        if s.has_head_norms:
            q, k = self.norm(at + "q_norm", q), self.norm(at + "k_norm", k)
        if not s.is_t5:
            q, k = rotate(q, base), rotate(k, base)
        if s.is_gemma2:
            v = rms_norm(v, 1)
        k, v = (np.repeat(part, s.heads // len(part), 0) for part in (k, v))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(1 if s.is_t5 or s.is_gemma2 else s.scalar if s.is_gemma else s.head_dim)
        if s.is_t5:
            scores += self.weights[T5_BIAS][t5_buckets(len(x))].transpose(2, 0, 1)
        most = len(x) if is_full else s.window + 1 if s.is_gemma2 else s.window if s.is_causal else s.window // 2 + 1
        sees = (np.abs(distance) < most) & ((distance >= 0) | (not s.is_causal))
        weights = np.where(sees, np.exp(np.where(sees, scores, -np.inf) - scores.max(-1, keepdims=True)), 0)
        weights /= weights.sum(-1, keepdims=True)
        return self.linear(at + "o_proj", (weights @ v).transpose(1, 0, 2).reshape(len(x), -1))

    def feed_forward(self, layer, x):
        at = f"layers.{layer}.mlp."
        y = ACTIVATIONS[self.s.activation](self.linear(at + "gate_proj", x))
        return self.linear(at + "down_proj", y * self.linear(at + "up_proj", x) if self.s.is_gated else y)

    def take_from_embedding(self, layer, embedding, x):
        at, own = f"layers.{layer}.", slice(layer * self.s.own, (layer + 1) * self.s.own)
        taken = embedding @ self.weights["ple.per_layer_model_projection.weight"][own].T / math.sqrt(self.s.width)
        y = gelu_tanh(self.linear(at + "ple_block.per_layer_input_gate", x))
        y = self.linear(at + "ple_block.per_layer_projection", y * self.norm("ple.per_layer_projection_norm", taken))
        return (x + self.norm(at + "ple_block.post_per_layer_input_norm", y)) * self.weights[at + "layer_scalar"]

    def states(self, ids):
        """After the embedding and after each layer; then the last, normalised."""
        s = self.s
        x = self.weights["embed_tokens.weight"][ids] * (math.sqrt(self.s.width) if self.s.is_gemma else 1)
        out = [x]
        for layer in range(self.s.layers):
            at = f"layers.{layer}."
            y = self.attention(layer, self.norm(at + "input_layernorm", x))
            if self.s.is_gemma:
                x = x + self.norm(at + "post_attention_layernorm", y)
                y = self.feed_forward(layer, self.norm(at + "pre_feedforward_layernorm", x))
                x = x + self.norm(at + "post_feedforward_layernorm", y)
                x = self.take_from_embedding(layer, out[0], x) if s.is_gemma2 else x
            else:
                x = x + y
                x = x + self.feed_forward(layer, self.norm(at + "post_attention_layernorm", x))
            out.append(x)
        return out, self.norm("norm", x)

    def logits(self, x):
        if self.s.kind == "eurobert" and self.s.head == "sequence":
            if self.s.pooling == "late":
                return self.linear("classifier", gelu(self.linear("dense", x))).mean(0)
            x = gelu(self.linear("dense", x[0] if self.s.pooling == "bos" else x.mean(0)))
        elif self.s.head == "sequence":
            x = x[-1]
        return self.linear(next(name for name in ("score", "classifier") if name + ".weight" in self.weights), x)

    def embedding(self, x):
        y = x.mean(0) if self.s.is_gemma or self.s.is_t5 else x[-1]
        for weight in self.dense:
            y = weight @ y
        return y / np.linalg.norm(y)


# ------------------------------------------------------------------------- cases

def expectations(s, model, rng):
    out = {}
    for name, lengths in [(f"len{n}", [n]) for n in (1, 2, 7, 16, 63, s.longest)] + [("batch", [16, 3, 31, 9])]:
        most = max(lengths)
        ids, mask = np.zeros((len(lengths), most), np.int64), np.zeros((len(lengths), most), np.int64)
        last, means, embeddings, logits = np.zeros((len(lengths), most, s.width)), [], [], []
        for row, n in enumerate(lengths):
            ids[row, :n], mask[row, :n] = rng.integers(5, s.vocab, n), 1
            ids[row, 0] = MASK if s.head == "mask" else ids[row, 0]
            states, x = model.states(ids[row, :n])
            last[row, :n] = x
            means.append(x.mean(0))
            embeddings.append(model.embedding(x))
            if s.head in ("sequence", "token"):
                logits.append(model.logits(x))
            if name == "len7":
                out["len7.hidden_states"] = np.stack(states)[:, None]
        if s.head == "mask":
            out[name + ".mask_positions"] = np.array([[row, 0] for row in range(len(lengths))])
            out[name + ".mask_logits"] = np.stack([model.linear("lm_head", model.states(ids[row, :n])[1][0])
                                                   for row, n in enumerate(lengths)])
        if logits and (s.head == "sequence" or len(lengths) == 1):
            out[name + ".logits"] = np.stack(logits)
        if not s.head:
            out[name + ".embedding"] = np.stack(embeddings)
        out.update({name + ".input_ids": ids, name + ".attention_mask": mask, name + ".token_type_ids": ids * 0,
                    name + ".last_hidden_state": last, name + ".pooled.mean": np.stack(means)})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["make"])
    parser.add_argument("kind", choices=["embeddinggemma", "embeddinggemma-2", *CLASSES])
    parser.add_argument("out_dir")
    for name, value in (("layers", 4), ("width", 48), ("heads", 4), ("kv-heads", 2), ("head-dim", 16), ("ffn", 80),
                        ("vocab", 1024), ("positions", 512), ("longest", 128), ("seed", 1), ("scalar", 9),
                        ("window", 16), ("every", 3), ("own", 24), ("base", 1000000), ("local-base", 10000)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--new-keys", action="store_true")
    parser.add_argument("--bias", action="store_true")
    parser.add_argument("--feed-forward", choices=["relu", "gated-gelu", "gated-silu"], default="gated-gelu")
    parser.add_argument("--mask", choices=["full", "causal"])
    parser.add_argument("--head", choices=list(HEADS))
    parser.add_argument("--pooling", choices=["bos", "mean", "late"], default="bos")
    s = types.SimpleNamespace(**vars(parser.parse_args()))
    s.is_gemma, s.is_t5 = s.kind.startswith("embeddinggemma"), s.kind == "t5"
    s.is_gemma2, s.adds_one = s.kind == "embeddinggemma-2", s.kind == "embeddinggemma"
    s.is_gated = not s.is_t5 or s.feed_forward.startswith("gated-")
    s.activation = s.feed_forward.split("-")[-1].replace("gelu", "gelu_new") if s.is_gemma or s.is_t5 else "silu"
    s.kv_heads = s.heads if s.is_t5 else s.kv_heads
    s.has_head_norms = s.is_gemma or s.kind == "qwen3-embedding"
    s.bias = s.bias or s.kind == "qwen2"
    s.is_causal = s.mask == "causal" or (s.mask is None and not s.is_gemma and s.kind not in ("eurobert", "t5"))
    rng = np.random.default_rng(s.seed)
    os.makedirs(os.path.join(s.out_dir, "expected"), exist_ok=True)
    drawn = {**(draw_t5 if s.is_t5 else draw)(s, rng), **draw_head(s, rng)}
    if s.is_gemma2 and s.new_keys:
        drawn = {"language_model." + name: value for name, value in drawn.items()}
        drawn["vision_tower.weight"] = np.ones((2, 2))
    weights = save(os.path.join(s.out_dir, "model.safetensors"), drawn, DTYPES[s.dtype])
    weights = {name.removeprefix("language_model."): value for name, value in weights.items()}
    if s.is_t5:
        weights.update({name: weights.get(t5_name(s, name)) for name in draw(s, np.random.default_rng(0))})
    write_json(config_of(s), s.out_dir, "config.json")
    write_json({"mask_token_id": MASK}, s.out_dir, "expected", "index.json")
    dense = [] if s.head else write_modules(s, s.out_dir, rng)
    model = Model(s, weights, [weights["embedding_projection.weight"]] if s.is_gemma2 else dense)
    save(os.path.join(s.out_dir, "expected", "cases.safetensors"), expectations(s, model, rng), "F32")


if __name__ == "__main__":
    main()
