"""Figures of a checkpoint in a few seconds, while it trains. Those that count are the engine's: quality.py.

    measure.py --text DIR --cache DIR CHECKPOINT ..."""

import argparse
from pathlib import Path

import numpy
import torch

import model
import text
import trainer
import wordpiece
from contrast import padded


def ranks(values):
    """From 0, with the mean of their places for equal values."""
    _, inverse, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - (counts + 1) / 2)[inverse]


def spearman(a, b):
    return float(numpy.corrcoef(ranks(a), ranks(b))[0, 1])


def vectors(bert, tokenizer, sentences, positions=True):
    ids = [numpy.array(tokenizer(s), numpy.int64) for s in sentences]
    out = numpy.empty((len(ids), bert.shape["width"]), numpy.float32)
    order = numpy.argsort([len(s) for s in ids], kind="stable")
    for i in range(0, len(order), 256):
        chosen = order[i:i + 256]
        batch, real = padded([ids[k] for k in chosen])
        out[chosen] = bert.pooled(batch, real, positions=positions).numpy()
    return out


def cosines(bert, tokenizer, pairs, positions=True):
    a = vectors(bert, tokenizer, [p[0] for p in pairs], positions)
    b = vectors(bert, tokenizer, [p[1] for p in pairs], positions)
    return (a * b).sum(1)


def masked(bert, tokenizer, lines):
    """How often the right piece is the first guess, one word masked in each text."""
    rng, right = numpy.random.default_rng(7), 0
    rows = []
    for line in lines:
        ids = [wordpiece.CLS] + tokenizer(line)[:60] + [wordpiece.SEP]
        words = [i for i in range(1, len(ids) - 1) if tokenizer.pieces[ids[i]].isalpha()
                 and not tokenizer.pieces[ids[i + 1]].startswith("##")]
        if len(ids) > 7 and words:
            at = int(rng.choice(words))
            rows.append((ids, at, ids[at]))
    for ids, at, target in rows:
        ids = list(ids)
        ids[at] = wordpiece.MASK
        h = bert.hidden(torch.tensor([ids]))
        right += int(bert.logits(h[at:at + 1]).argmax()) == target
    return right / len(rows), len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("checkpoint", nargs="+")
    options = parser.parse_args()
    tokenizer = wordpiece.WordPiece.read(Path(options.cache) / "vocab.txt")
    lines = (Path(options.cache) / "heldout.txt").read_text(encoding="utf-8").splitlines()
    lines = [line.split("\t")[1] for line in lines][::5]
    swapped = [r[:2] for r in text.hans(options.text) if sorted(text.key(w) for w in r[0].split())
               == sorted(text.key(w) for w in r[1].split()) and r[0] != r[1]][::4]
    torch.set_grad_enabled(False)
    for checkpoint in options.checkpoint:
        bert = model.Bert(*trainer.load(checkpoint))
        for name, pairs in (("STS-B dev", text.stsb(options.text, "dev")), ("SICK trial", text.sick(options.text, "TRIAL"))):
            print("%s: Spearman %.4f" % (name, spearman(cosines(bert, tokenizer, pairs), [p[2] for p in pairs])))
        c = cosines(bert, tokenizer, swapped)
        print("HANS, %d reordered: cosine %.4f mean, %.4f at most" % (len(c), c.mean(), c.max()))
        pair = ["dog bites man", "man bites dog", "man is bitten by dog"]
        v = vectors(bert, tokenizer, pair)
        print("dog bites man: reversed %.4f, passive %.4f" % (v[0] @ v[1], v[0] @ v[2]))
        print("masked words: %.4f right of %d" % masked(bert, tokenizer, lines), flush=True)
        for line in ("the dog [MASK] at the man", "a man is riding a [MASK] .", "she [MASK] the door and went out .",
                     "the capital of france is [MASK] ."):
            left, right = line.split("[MASK]")
            ids = [wordpiece.CLS] + tokenizer(left) + [wordpiece.MASK] + tokenizer(right) + [wordpiece.SEP]
            at = ids.index(wordpiece.MASK)
            best = bert.logits(bert.hidden(torch.tensor([ids]))[at:at + 1])[0].topk(6).indices
            print(line, "->", " ".join(tokenizer.pieces[i] for i in best))


if __name__ == "__main__":
    main()
