"""A checkpoint as a HuggingFace and sentence-transformers directory, which encode-import reads.

    export.py --cache DIR --checkpoint FILE --out DIR [--mix FILE SHARE]... [--own SHARE]

--mix: each number is SHARE of that checkpoint's number, and the rest of the first one's. --own: the share of our own
space in the products of vectors."""

import argparse
import json
import shutil
import struct
from pathlib import Path

import numpy
import torch

import model
import trainer
from model import PROJECTION
from wordpiece import SPECIAL

OWN = 0.3 # where there is no trained matrix


def write_safetensors(path, tensors):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + 4 * array.size]}
        at += 4 * array.size
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for array in tensors.values():
            file.write(numpy.ascontiguousarray(array, "<f4").tobytes())


def tensors(parameters, shape):
    """Parameters as BERT has them: a table of positions, and two types of which only one was trained."""
    parameters = {n: p.detach().cpu() for n, p in parameters.items()}
    out = {n: p.numpy() for n, p in parameters.items() if n not in (model.GAIN, model.DENSE, PROJECTION)}
    table = model.sinusoid(shape["positions"], shape["width"]) * parameters[model.GAIN]
    out["bert.embeddings.position_embeddings.weight"] = table.numpy()
    out["bert.embeddings.token_type_embeddings.weight"] = numpy.zeros((2, shape["width"]), numpy.float32)
    return out


def config(shape):
    return {"architectures": ["BertForMaskedLM"], "model_type": "bert", "vocab_size": shape["vocabulary"],
            "hidden_size": shape["width"], "num_hidden_layers": shape["layers"],
            "num_attention_heads": shape["heads"], "intermediate_size": shape["feed_forward"],
            "hidden_act": "gelu", "max_position_embeddings": shape["positions"], "type_vocab_size": 2,
            "layer_norm_eps": model.EPSILON, "position_embedding_type": "absolute", "pad_token_id": 0,
            "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02,
            "tie_word_embeddings": True, "torch_dtype": "float32"}


def tokenizer(pieces):
    special = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                "special": True} for i, t in enumerate(SPECIAL)]

    def token(name):
        return {"SpecialToken": {"id": name, "type_id": 0}}

    text = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    separator_b = {"SpecialToken": {"id": "[SEP]", "type_id": 1}}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                           "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing", "single": [token("[CLS]"), text[0], token("[SEP]")],
                               "pair": [token("[CLS]"), text[0], token("[SEP]"), text[1], separator_b],
                               "special_tokens": {t: {"id": t, "ids": [SPECIAL.index(t)], "tokens": [t]}
                                                  for t in ("[CLS]", "[SEP]")}},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": {p: i for i, p in enumerate(pieces)}}}


def tokenizer_config(shape):
    return {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "strip_accents": None,
            "tokenize_chinese_chars": True, "model_max_length": shape["positions"], "unk_token": "[UNK]",
            "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}


def modules():
    kinds = (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense"), ("3_Normalize", "Normalize"))
    return [{"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind}
            for i, (path, kind) in enumerate(kinds)]


def pooling(shape):
    return {"word_embedding_dimension": shape["width"], "pooling_mode_cls_token": False,
            "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False}


def dense_config(shape):
    return {"in_features": shape["width"], "out_features": shape["width"], "bias": False,
            "activation_function": "torch.nn.modules.linear.Identity"}


def dense(parameters, own):
    """The matrix after the pooling. In the teacher's space, which stage 2 learned to project to, likeness is better, and
    the order of words and rare words are felt less than in our own; products of vectors times this matrix are a mixture
    of the two. Stage 4 trained the matrix itself."""
    trained = model.DENSE in parameters
    p = parameters[model.DENSE if trained else PROJECTION].detach().cpu().double().numpy()
    products = p.T @ p if trained else p @ p.T
    values = numpy.linalg.eigvalsh(products)
    products /= values.mean() if trained else numpy.sqrt(values).mean() ** 2
    own = own if own is not None else 0 if trained else OWN
    squares, directions = numpy.linalg.eigh(own * numpy.eye(len(products)) + (1 - own) * products)
    return (directions * numpy.sqrt(squares.clip(0))) @ directions.T


def load(path):
    """The parameters of a checkpoint (.pt) or of what together.py wrote (.npz), and their shape."""
    if str(path).endswith(".pt"):
        return trainer.load(path)
    with numpy.load(path) as arrays:
        names = [n for n in arrays.files if n != "shape" and not n.endswith(" scale")]
        found = {n: arrays[n].astype(numpy.float32) for n in names}
        for name in arrays.files:
            if name.endswith(" scale"):
                found[name.removesuffix(" scale")] *= arrays[name]
        return {n: torch.from_numpy(a) for n, a in found.items()}, json.loads(str(arrays["shape"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--mix", nargs=2, metavar=("FILE", "SHARE"), action="append", default=[])
    parser.add_argument("--own", type=float)
    options = parser.parse_args()
    whole = Path(options.out)
    if whole.exists() and not (whole / "config.json").exists():
        raise SystemExit("'%s' is there and no model: name another --out" % whole)
    out = whole.with_name(whole.name + ".part")
    parameters, shape = load(options.checkpoint)
    first = parameters
    for file, share in options.mix:
        others = load(file)[0]
        parameters = {n: p + float(share) * (others[n] - first[n]) for n, p in parameters.items() if n in others}
    pieces = (Path(options.cache) / "vocab.txt").read_text(encoding="utf-8").splitlines()
    for folder in ("1_Pooling", "2_Dense"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    write_safetensors(out / "model.safetensors", tensors(parameters, shape))
    write_safetensors(out / "2_Dense" / "model.safetensors", {"linear.weight": dense(parameters, options.own)})
    (out / "vocab.txt").write_text("".join(p + "\n" for p in pieces), encoding="utf-8")
    for name, value in (("config.json", config(shape)), ("tokenizer.json", tokenizer(pieces)),
                        ("tokenizer_config.json", tokenizer_config(shape)), ("modules.json", modules()),
                        ("1_Pooling/config.json", pooling(shape)), ("2_Dense/config.json", dense_config(shape)),
                        ("sentence_bert_config.json", {"max_seq_length": shape["positions"], "do_lower_case": False})):
        (out / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.rmtree(whole, ignore_errors=True)
    out.rename(whole)


if __name__ == "__main__":
    main()
