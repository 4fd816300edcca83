"""What together.py starts from: random numbers, or a weight file, whose vocabulary and layers may be other ones."""

import json
from pathlib import Path

import numpy
import torch

import model
import unpack
import wordpiece

TABLE, BIAS = "bert.embeddings.word_embeddings.weight", "cls.predictions.bias"


def pieces_of(piece, old):
    """Of a piece those of another vocabulary."""
    if piece in old.ids:
        return [old.ids[piece]]
    ids, letters = [], piece.removeprefix("##")
    while letters:
        before = "##" if ids or piece.startswith("##") else ""
        end = next((e for e in range(len(letters), 0, -1) if before + letters[:e] in old.ids), None)
        if end is None:
            return [wordpiece.UNK]
        ids.append(old.ids[before + letters[:end]])
        letters = letters[end:]
    return ids


def mapped(found, old, pieces):
    """The table for other pieces: of one that it does not have, the mean of those that it is made of."""
    rows = [pieces_of(p, old) for p in pieces]
    out = dict(found)
    out[TABLE] = torch.stack([found[TABLE][r].mean(0) * len(r) ** 0.25 for r in rows])
    out[BIAS] = torch.stack([found[BIAS][r].min() - 0.5 * (len(r) - 1) for r in rows])
    return out


def parameters(shape, pieces, of_teacher, weights=None, about=None):
    """about: a file with what encode-inspect says of the weight file."""
    out = {n: t.detach() for n, t in model.new_parameters(shape, 1).items()}
    g = torch.Generator().manual_seed(1)
    width = shape["width"]
    out[model.DENSE] = torch.eye(width)
    out[model.PROJECTION] = torch.randn(width, of_teacher, generator=g) * width ** -0.5
    if weights:
        data, about = Path(weights).read_bytes(), json.loads(Path(about).read_text())
        old = wordpiece.WordPiece(unpack.vocabulary(data, about["sections"]))
        found = unpack.parameters({t["name"]: unpack.read_tensor(data, t) for t in about["tensors"]})
        found = mapped(found, old, pieces)
        layers = int(about["config"]["layers"])
        for layer in range(layers, shape["layers"]): # one more begins as one that adds nothing
            here, before = ("bert.encoder.layer.%d." % k for k in (layer, layers - 1))
            for name in [n for n in found if n.startswith(before)]:
                if "LayerNorm" in name:
                    found[here + name[len(before):]] = found[name].clone()
                elif "output.dense" in name:
                    found[here + name[len(before):]] = torch.zeros_like(found[name])
        out.update(found)
    return {n: t.float().contiguous() for n, t in out.items()}
