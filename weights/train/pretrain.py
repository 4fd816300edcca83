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
from corpus import Corpus


def inputs(cache):
    return [Path(cache, name) for name in ("vocab.txt", "tokens.npz")]


class MaskedLanguage:
    """The step's batches are a function of seed and step alone, so that training resumes exactly."""

    names = ("mlm", "accuracy")

    def __init__(self, settings, rank, workers):
        cache = Path(settings["cache"])
        self.pieces = wordpiece.WordPiece.read(cache / "vocab.txt").pieces
        self.corpus, self.mask = Corpus(cache), batches.Masker(self.pieces)
        self.tokens = torch.from_numpy(self.corpus.flat.astype(numpy.int32)).to(model.DEVICE)
        self.settings, self.rank, self.workers = settings, rank, workers

    def masked(self, bert, step):
        """The masked-language loss of the step, and the share of right first guesses."""
        at = step * self.workers + self.rank
        rng = numpy.random.default_rng([self.settings["seed"], 1000, at])
        ids, real = batches.rows(self.tokens, *self.corpus.sequences(rng, self.settings["tokens"]))
        shown, at, targets = self.mask(ids, batches.generator(self.settings["seed"], 1001, at))
        logits = bert.logits(bert.hidden(shown, real)[at])
        return losses.cross_entropy(logits, targets), (logits.detach().argmax(1) == targets).float().mean()

    def __call__(self, bert, step):
        loss, accuracy = self.masked(bert, step)
        loss.backward()
        return loss, accuracy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--tokens", type=int, default=4096, help="per worker and step")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--warm-up", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=trainer.WORKERS)
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
