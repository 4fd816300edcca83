"""Stage 3: opposites and negations are pushed away, farther than the teacher does, from what they oppose; stage 2 goes
on beside.

    oppose.py --cache DIR --from CHECKPOINT --out DIR --steps N"""

from pathlib import Path

import numpy
import torch

import distill
import losses
import model

NEGATED, OPPOSITE = 0.6, 0.42 # the cosine that is near enough; more in sentences of more than SHORT tokens
MORE_PER_TOKEN, SHORT = 0.015, 7
NEGATIONS = 4 # triples, of which one is a negation


class Texts(distill.Texts):
    """Appends the texts of opposites.npz to the texts of texts.npz."""

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
        of_opposites = self.opposites[rng.integers(len(self.opposites), size=n - n // NEGATIONS)]
        return numpy.concatenate([of_negations, of_opposites])


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
        opposed, right = self.opposed(bert, rng)
        (s["opposed_weight"] * opposed).backward()
        return mlm, cosine, order, square, apart, ranked, opposed, right


def main():
    parser = distill.arguments()
    parser.add_argument("--opposed", type=int, default=56, help="triples of opposites per worker and step")
    parser.add_argument("--opposed-weight", type=float, default=1.5)
    parser.add_argument("--apart-weight", type=float, default=1.0)
    parser.set_defaults(texts=112, ranked=24, tokens=768, parts=3, block=8000, long_every=2, ranked_weight=0.8,
                        margin=0.04, rate=4e-4, warm_up=40, seed=3, save_every=60)
    distill.train(parser.parse_args(), Opposition, "texts.npz", "opposites.npz")


if __name__ == "__main__":
    main()
