"""Stage 1: masked-language modelling on all texts.

    pretrain.py --cache DIR --out DIR --steps N"""

import argparse
from pathlib import Path

import numpy
import torch

import batches
import losses
import model
import trainer
import wordpiece


def inputs(cache):
    return [Path(cache, name) for name in ("vocab.txt", "tokens.npz")]


class MaskedLanguage:
    """The step's batches are a function of seed, epoch and step alone, so that training resumes exactly."""

    names = ("mlm", "accuracy")

    def __init__(self, settings, rank, workers):
        cache = Path(settings["cache"])
        self.pieces = wordpiece.WordPiece.read(cache / "vocab.txt").pieces
        self.corpus = batches.Corpus(cache, self.pieces)
        self.settings, self.rank, self.workers = settings, rank, workers
        self.epoch, self.plan, self.before = -1, [], 0

    def batch(self, step):
        at = step * self.workers + self.rank
        while at >= self.before + len(self.plan):
            self.before += len(self.plan)
            self.epoch += 1
            rng = numpy.random.default_rng([self.settings["seed"], self.epoch])
            self.plan = self.corpus.epoch(rng, self.settings["tokens"])
        begins, length = self.plan[at - self.before]
        rng = numpy.random.default_rng([self.settings["seed"], 1000, at])
        return self.corpus.mask(self.corpus.ids(begins, length), rng)

    def __call__(self, bert, step):
        shown, at, targets = (torch.from_numpy(t) for t in self.batch(step))
        logits = bert.logits(bert.hidden(shown)[at])
        loss = losses.cross_entropy(logits, targets)
        loss.backward()
        return float(loss), float((logits.detach().argmax(1) == targets).float().mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--tokens", type=int, default=4096, help="per worker and step")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--warm-up", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save-every", type=int, default=180, help="seconds")
    options = parser.parse_args()
    embedding = numpy.load(Path(options.cache) / "embedding.npy")
    settings = {k: v for k, v in vars(options).items() if k not in ("out", "workers")}
    read = [Path(options.cache, "embedding.npy")] + inputs(options.cache)
    settings.update(shape=model.SHAPE, inputs=trainer.checksum(*read))
    parameters = model.new_parameters(model.SHAPE, options.seed, embedding)
    trainer.run(options.out, MaskedLanguage, settings, parameters, options.workers)


if __name__ == "__main__":
    main()
