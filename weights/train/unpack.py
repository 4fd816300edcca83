"""A weight file that export.py and encode-import made, as the checkpoint that it came from, to train on.

    unpack.py --weights FILE --inspect PROGRAM --cache DIR     DIR/vocab.txt, DIR/start.pt

Numbers are those of the file: int8 times its factors. The place of the row decides what belongs to a type or a place,
so the gains of the positions are the nearest ones."""

import argparse
import json
import struct
import subprocess
from pathlib import Path

import numpy
import torch

import model

LAYER = {"attention.output": "attention.output.dense", "attention.norm": "attention.output.LayerNorm",
         "feed_forward.in": "intermediate.dense", "feed_forward.out": "output.dense",
         "feed_forward.norm": "output.LayerNorm"}
OTHER = {"embedding.token.weight": "bert.embeddings.word_embeddings.weight",
         "embedding.norm": "bert.embeddings.LayerNorm", "head.dense": "cls.predictions.transform.dense",
         "head.norm": "cls.predictions.transform.LayerNorm", "head.output.bias": "cls.predictions.bias",
         "projection.0.weight": model.DENSE}


def read_tensor(data, entry):
    """Of rows or panels, f32, f16 or one of the int8 types (weights/FORMAT.md)."""
    shape, begin = entry["shape"], entry["offset"]
    if entry["type"] == "f32" and entry["layout"] == "rows":
        return numpy.frombuffer(data, "<f4", int(numpy.prod(shape)), begin).reshape(shape)
    if entry["type"] == "f16" and entry["layout"] == "rows":
        return numpy.frombuffer(data, "<f2", int(numpy.prod(shape)), begin).reshape(shape).astype(numpy.float32)
    rows, columns = shape
    if entry["layout"] == "rows":
        held, wide = rows, columns
        elements = numpy.frombuffer(data, numpy.int8, rows * columns, begin).reshape(shape)
    else:
        held, wide = -(-rows // 16) * 16, -(-columns // 4) * 4
        elements = numpy.frombuffer(data, numpy.int8, held * wide, begin)
        elements = elements.reshape(held // 16, wide // 4, 16, 4).transpose(0, 2, 1, 3).reshape(held, wide)
    at = begin + -(-held * wide // 64) * 64
    matrix = elements.astype(numpy.float32) * numpy.frombuffer(data, "<f4", held, at)[:, None]
    if entry["type"] in ("int8a8", "int8a7", "int8k"):
        matrix[:, :columns] *= numpy.frombuffer(data, "<f4", columns, at + 8 * held)
    if entry["type"] == "int8k": # four columns are kept
        at += 8 * held + 4 * -(-columns // 16) * 16
        kept = numpy.frombuffer(data, "<f4", 4 * held, at + 64).reshape(held // 16, 4, 16).transpose(0, 2, 1)
        matrix[:, numpy.frombuffer(data, "<u4", 4, at)] = kept.reshape(held, 4)
    elif entry["type"] not in ("int8", "int8a7", "int8a8"):
        raise SystemExit("%s has the type %s: expected f32, f16 or one of int8" % (entry["name"], entry["type"]))
    return matrix[:rows, :columns]


def vocabulary(data, sections):
    begin = next(s["offset"] for s in sections if s["tag"] == "VOCB")
    n, slots, length, _ = struct.unpack_from("<4I", data, begin)
    begin += 16 + 4 * slots
    starts = numpy.frombuffer(data, "<u4", n + 1, begin)
    strings = data[begin + 4 * (n + 1):begin + 4 * (n + 1) + length]
    return [strings[a:b].decode() for a, b in zip(starts, starts[1:])]


def parameters(tensors):
    """Under the names that model.py has."""
    table = model.sinusoid(*tensors["embedding.position.weight"].shape).numpy()
    rows = tensors["embedding.position.weight"] + tensors["embedding.type.weight"][0]
    out = {model.GAIN: (table * rows).sum(0) / (table ** 2).sum(0)}
    for name, array in tensors.items():
        stem, _, last = name.rpartition(".")
        if name.startswith("layers."):
            _, layer, part = stem.split(".", 2)
            at = "bert.encoder.layer.%s." % layer
            if part == "attention.qkv":
                for of, third in zip(("query", "key", "value"), numpy.split(array, 3)):
                    out["%sattention.self.%s.%s" % (at, of, last)] = third
            else:
                out["%s%s.%s" % (at, LAYER[part], last)] = array
        elif name in OTHER:
            out[OTHER[name]] = array
        elif stem in OTHER:
            out["%s.%s" % (OTHER[stem], last)] = array
    return {name: torch.from_numpy(numpy.array(a, numpy.float32)) for name, a in out.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--inspect", required=True, help="the program encode-inspect")
    parser.add_argument("--cache", required=True)
    options = parser.parse_args()
    cache, data = Path(options.cache), Path(options.weights).read_bytes()
    about = json.loads(subprocess.check_output([options.inspect, "-f", "json", options.weights]))
    cache.mkdir(parents=True, exist_ok=True)
    pieces = vocabulary(data, about["sections"])
    (cache / "vocab.txt").write_text("".join(p + "\n" for p in pieces), encoding="utf-8")
    found = parameters({t["name"]: read_tensor(data, t) for t in about["tensors"]})
    config = {k: int(about["config"][k]) for k in ("vocabulary", "width", "layers", "heads", "feed_forward")}
    shape = dict(config, positions=int(about["config"]["max_tokens"]))
    torch.save({"flat": torch.cat([t.reshape(-1) for t in found.values()]), "state": {"settings": {"shape": shape}},
                "shapes": [(name, list(t.shape)) for name, t in found.items()]}, cache / "start.pt")
    print("%d pieces, %d tensors" % (len(pieces), len(found)))


if __name__ == "__main__":
    main()
