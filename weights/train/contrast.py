"""Stage 2: sentence vectors, with the masked-language loss kept.

    contrast.py --text ../shared/text --cache DIR --from CHECKPOINT --out DIR --steps N"""

import argparse

import numpy
import torch

import losses
import model
import text
import trainer
from pairs import LONGEST, Pairs
from pretrain import MaskedLanguage, inputs
from wordpiece import CLS, PAD, SEP, WordPiece

NEGATED_MOST, OTHERWISE_MOST = 0.72, 0.8 # cosines


def padded(sentences):
    sentences = [s[:LONGEST] for s in sentences]
    ids = numpy.full((len(sentences), max(map(len, sentences)) + 2), PAD, numpy.int64)
    ids[:, 0] = CLS
    for row, s in zip(ids, sentences):
        row[1:len(s) + 1] = s
        row[len(s) + 1] = SEP
    ids = torch.from_numpy(ids)
    return ids, ids != PAD


class Contrastive(MaskedLanguage):
    names = ("mlm", "accuracy", "contrast", "apart")

    def __init__(self, settings, rank, workers):
        super().__init__(settings, rank, workers)
        self.pairs = Pairs(self.corpus, WordPiece(self.pieces), text.evaluation_keys(settings["text"]))

    def changed(self, sentences, rng, negate):
        """Every second sentence with its words in another order, or a word of another one, or, if negate says so,
        negated: which these are, and how near they may be."""
        variants, at, others, most = self.pairs.variants, [], [], []
        for i in range(rng.integers(2), len(sentences), 2):
            kind, other, nearest = rng.random(), None, OTHERWISE_MOST
            if kind < 0.3 and negate:
                other, nearest = variants.negated(sentences[i], rng), NEGATED_MOST
            elif kind < 0.55:
                other = variants.replaced(sentences[i], sentences[rng.integers(len(sentences))], rng)
            if other is None:
                other, nearest = variants.reordered(sentences[i], rng), OTHERWISE_MOST
            if other is not None and self.pairs.may_show(other):
                at.append(i)
                others.append(other)
                most.append(nearest)
        return at, others, torch.tensor(most)

    def contrast(self, bert, rng, dropout):
        s = self.settings
        kind, triples = self.pairs.batch(s["pairs"], rng)
        first, second = [t[0] for t in triples], [t[1] for t in triples]
        negatives = [t[2] for t in triples if t[2] is not None]
        # Utterances of intents are questions, and what they ask is the same with a "not".
        at, others, most = ([], [], None) if negatives else self.changed(first, rng, negate=kind != "intents")
        ids, real = padded(first + second + negatives + others)
        v = bert.pooled(ids, real, dropout)
        n = len(triples)
        negative = v[2 * n:3 * n] if negatives else None
        near = losses.contrast(v[:n], v[n:2 * n], negative)
        apart = losses.apart(v[:n][at], v[2 * n:], most) if others else torch.zeros(())
        return near, apart

    def __call__(self, bert, step):
        s = self.settings
        shown, at, targets = (torch.from_numpy(t) for t in self.batch(step))
        logits = bert.logits(bert.hidden(shown)[at])
        mlm = losses.cross_entropy(logits, targets)
        (s["mlm_weight"] * mlm).backward()
        bert.cast()
        rng = numpy.random.default_rng([s["seed"], 2000, step * self.workers + self.rank])
        dropout = model.Dropout(s["dropout"], rng)
        near, apart = self.contrast(bert, rng, dropout)
        (near + s["apart_weight"] * apart).backward()
        accuracy = (logits.detach().argmax(1) == targets).float().mean()
        return [float(x) for x in (mlm, accuracy, near, apart)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--from", dest="start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--pairs", type=int, default=96, help="per worker and step")
    parser.add_argument("--tokens", type=int, default=1536, help="of running text, per worker and step")
    parser.add_argument("--mlm-weight", type=float, default=0.3)
    parser.add_argument("--apart-weight", type=float, default=4.0)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save-every", type=int, default=180, help="seconds")
    options = parser.parse_args()
    settings = {k: v for k, v in vars(options).items() if k not in ("out", "workers", "start")}
    parameters, settings["shape"] = trainer.load(options.start)
    settings["inputs"] = trainer.checksum(options.start, *inputs(options.cache))
    trainer.run(options.out, Contrastive, settings, parameters, options.workers)


if __name__ == "__main__":
    main()
