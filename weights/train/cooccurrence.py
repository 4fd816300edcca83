"""First embeddings: the largest directions of which pieces stand near which in the texts.

    cooccurrence.py --cache DIR

Positive pointwise mutual information within five tokens, factored; a masked-language model learns
from there in hours what takes it days from random rows."""

import argparse
from pathlib import Path

import numpy
import torch

import model
import wordpiece

WINDOW = 5


def count(tokens, document, size):
    counts = numpy.zeros(size * size)
    for distance in range(1, WINDOW + 1):
        near = document[distance:] == document[:-distance]
        left, right = tokens[:-distance][near], tokens[distance:][near]
        counts += numpy.bincount(left * size + right, minlength=size * size) / distance
    counts = torch.from_numpy(counts.reshape(size, size)).float()
    return counts + counts.T


def information(counts):
    """Contexts are smoothed by the power 0.75, as usual."""
    total = counts.sum()
    row = counts.sum(1, keepdim=True) / total
    column = counts.sum(0, keepdim=True) ** 0.75
    column = column / column.sum()
    pmi = torch.log(counts / total / (row * column + 1e-20) + 1e-12)
    return pmi.clamp_(min=0)


def factor(matrix, width, rounds=6):
    g = torch.Generator().manual_seed(1)
    basis = torch.randn(len(matrix), width + 32, generator=g)
    for _ in range(rounds):
        basis, _ = torch.linalg.qr(matrix @ (matrix.T @ basis))
    left, values, _ = torch.linalg.svd(basis.T @ matrix, full_matrices=False)
    return (basis @ left)[:, :width] * values[:width] ** 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    options = parser.parse_args()
    cache = Path(options.cache)
    data = numpy.load(cache / "tokens.npz")
    ends, tokens = data["ends"], data["tokens"].astype(numpy.int64)
    document = numpy.repeat(data["document"], numpy.diff(ends, prepend=0))
    size = len((cache / "vocab.txt").read_text(encoding="utf-8").splitlines())
    width = model.SHAPE["width"]
    unseen = numpy.bincount(tokens, minlength=size) == 0
    unseen[:len(wordpiece.SPECIAL)] = True
    rows = factor(information(count(tokens, document, size)), width).numpy()
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True) + 1e-6
    rows -= rows.mean(0)
    # The directions are turned at random: as they come, a few columns would hold most of the norm.
    turn = numpy.linalg.qr(numpy.random.default_rng(1).standard_normal((width, width)))[0]
    rows = rows @ turn
    rows *= 0.05 / rows.std()
    rows[unseen] = numpy.random.default_rng(2).standard_normal((unseen.sum(), width)) * 0.05
    part = cache / "embedding.part.npy" # run.sh takes a file that is there for a whole one
    numpy.save(part, rows.astype(numpy.float32))
    part.replace(cache / "embedding.npy")
    tokenizer = wordpiece.WordPiece.read(cache / "vocab.txt")
    unit = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
    for word in ("dog", "bike", "king", "eat", "seven", "paris", "angry"):
        ids = tokenizer(word)
        if len(ids) == 1:
            near = numpy.argsort(-unit @ unit[ids[0]])[1:8]
            print(word + ":", " ".join(tokenizer.pieces[i] for i in near))


if __name__ == "__main__":
    main()
