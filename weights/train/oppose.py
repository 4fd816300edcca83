"""Stage 3: opposites and negations are pushed away, farther than the teacher does, from what they oppose; stage 2 goes
on beside.

    oppose.py --cache DIR --from CHECKPOINT --out DIR --steps N"""

import argparse
from pathlib import Path

import numpy
import torch

import distill
import losses
import model
import trainer
from pretrain import inputs

NEGATED, OPPOSITE = 0.6, 0.42 # the cosine that is near enough; more in sentences of more than SHORT tokens
MORE_PER_TOKEN, SHORT = 0.015, 7
NEGATIONS = 4 # triples, of which one is a negation


class Texts(distill.Texts):
    """With the texts of opposites.npz behind those of texts.npz."""

    def __init__(self, cache, tokens, stop, block):
        super().__init__(cache, tokens, stop, block)
        n, end = len(self.begins), len(self.tokens)
        self.ranked = self.ranked[~self.loose.cpu().numpy()] # opposites.npz has better ones
        self.loose = torch.zeros(len(self.ranked), dtype=torch.bool, device=model.DEVICE)
        more = numpy.load(Path(cache) / "opposites.npz")
        self.tokens = torch.cat([self.tokens, torch.from_numpy(more["made"].astype(numpy.int32)).to(model.DEVICE)])
        ends = more["ends"]
        self.begins = numpy.concatenate([self.begins, end + ends[:-1]])
        self.lengths = numpy.concatenate([self.lengths, numpy.diff(ends)])
        triples = more["triples"][~more["kept"]]
        mates = triples[:, 1]
        self.same = mates >= 0
        mates = numpy.where(mates < -1, -2 - mates, numpy.where(mates == -1, triples[:, 0] + n, mates + n))
        self.opposed = numpy.stack([triples[:, 0] + n, mates, triples[:, 2] + n], 1)
        negation = more["kinds"][~more["kept"]] < 2
        self.levels = numpy.where(negation, NEGATED, OPPOSITE)
        self.levels = self.levels + MORE_PER_TOKEN * numpy.maximum(0, self.lengths[self.opposed[:, 0]] - SHORT)
        self.negations, self.opposites = numpy.nonzero(negation)[0], numpy.nonzero(~negation)[0]

    def draw_opposed(self, n, rng):
        of_negations = self.negations[rng.integers(len(self.negations), size=n // NEGATIONS)]
        return numpy.concatenate([of_negations, self.opposites[rng.integers(len(self.opposites), size=n - n // NEGATIONS)]])


class Opposition(distill.Distillation):
    names = ("mlm", "cosine", "order", "square", "apart", "ranked", "opposed", "right")
    texts_of = Texts

    def opposed(self, bert, rng):
        texts = self.texts
        drawn = texts.draw_opposed(self.settings["opposed"], rng)
        vectors = texts.vectors(bert, texts.opposed[drawn].T.reshape(-1), rng, 2)
        level, same = (torch.from_numpy(of[drawn]).float().to(model.DEVICE) for of in (texts.levels, texts.same))
        return losses.opposed(*vectors.chunk(3), level, same)

    def __call__(self, bert, step):
        s = self.settings
        mlm, _ = self.masked(bert, step)
        (s["mlm_weight"] * mlm).backward()
        rng = numpy.random.default_rng([s["seed"], 2000, step * self.workers + self.rank])
        bert.cast()
        cosine, order, square, apart = self.taught(bert, step, rng)
        (s["cosine_weight"] * cosine + s["order_weight"] * order + s["square_weight"] * square
         + s["apart_weight"] * apart).backward()
        bert.cast()
        ranked, _ = self.ranked(bert, rng)
        (s["ranked_weight"] * ranked).backward()
        bert.cast()
        opposed, right, _ = self.opposed(bert, rng)
        (s["opposed_weight"] * opposed).backward()
        return mlm, cosine, order, square, apart, ranked, opposed, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--from", dest="start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--texts", type=int, default=112, help="taught per worker and step")
    parser.add_argument("--ranked", type=int, default=24, help="triples of roles per worker and step")
    parser.add_argument("--opposed", type=int, default=56, help="triples of opposites per worker and step")
    parser.add_argument("--tokens", type=int, default=768, help="of running text, per worker and step")
    parser.add_argument("--parts", type=int, default=3, help="into which a step's texts are sorted")
    parser.add_argument("--block", type=int, default=8000, help="texts among which neighbours are looked for")
    parser.add_argument("--long-every", type=int, default=2, help="steps, of which one has passages")
    parser.add_argument("--mlm-weight", type=float, default=0.1)
    parser.add_argument("--cosine-weight", type=float, default=1.0)
    parser.add_argument("--order-weight", type=float, default=0.5)
    parser.add_argument("--square-weight", type=float, default=10.0)
    parser.add_argument("--apart-weight", type=float, default=1.0)
    parser.add_argument("--ranked-weight", type=float, default=0.8)
    parser.add_argument("--margin", type=float, default=0.04)
    parser.add_argument("--opposed-weight", type=float, default=1.5)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--warm-up", type=int, default=40)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--workers", type=int, default=trainer.WORKERS)
    parser.add_argument("--save-every", type=int, default=60, help="seconds")
    options = parser.parse_args()
    settings = {k: v for k, v in vars(options).items() if k not in ("out", "workers", "start")}
    parameters, settings["shape"] = trainer.load(options.start)
    settings["inputs"] = trainer.checksum(options.start, *inputs(options.cache), Path(options.cache, "texts.npz"),
                                          Path(options.cache, "opposites.npz"))
    trainer.run(options.out, Opposition, settings, parameters, options.workers)


if __name__ == "__main__":
    main()
