"""Stage 2: sentence vectors that are near where the teacher's are, and ranked where the teacher ranks wrongly; the
masked-language loss goes on.

    distill.py --cache DIR --from CHECKPOINT --out DIR --steps N"""

import argparse
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

import batches
import losses
import model
import trainer
from model import PROJECTION
from pretrain import MaskedLanguage, inputs

NEIGHBORS, LEAST_NEIGHBOR = 6, 0.55
LEAST_MATE = 0.6
STOP_TOGGLED = 0.3
NEAR = 0.65 # the cosine from which pairs are called near
RANKED_LEAST = 0.25 # the cosine under which what says the reverse is not pushed


class Texts:
    def __init__(self, cache, tokens, stop, block):
        spans = numpy.load(Path(cache) / "texts.npz")
        made = torch.from_numpy(spans["made"].astype(numpy.int32)).to(model.DEVICE)
        self.tokens = torch.cat([tokens, made])
        self.begins, self.lengths = spans["begins"].astype(numpy.int64), spans["lengths"].astype(numpy.int64)
        self.mates, self.stop = spans["mates"], stop
        self.teacher = numpy.load(Path(cache) / "teacher.npy", mmap_mode="c")
        self.teacher = torch.from_numpy(self.teacher).to(model.DEVICE)
        self.short, self.long = (numpy.nonzero(spans["long"] == k)[0] for k in (False, True))
        self.long = self.long[self.mates[self.long] >= 0]
        ranked = spans["ranked"].astype(numpy.int64)
        self.near, cosines = self.neighbors(block)
        # A triple without a mate takes the nearest text that the teacher knows, where that is near; a mate that the
        # teacher calls far says something else.
        at = ranked[:, 1] < 0
        ranked[at, 1] = self.near[ranked[at, 0], 0]
        sure = numpy.where(at, cosines[ranked[:, 0], 0], self.cosines(ranked[:, 0], ranked[:, 1])) >= LEAST_MATE
        sure |= ~spans["loose"] # made to say the same
        self.ranked, self.loose = ranked[sure], torch.from_numpy(spans["loose"][sure]).to(model.DEVICE)

    def cosines(self, a, b):
        a, b = (torch.from_numpy(x).to(model.DEVICE) for x in (a, b))
        parts = [(self.teacher[x].float() * self.teacher[y].float()).sum(1)
                 for x, y in zip(a.split(65536), b.split(65536))]
        return torch.cat(parts).cpu().numpy()

    def neighbors(self, block):
        """Of each short text those of its block of texts, drawn at random, that the teacher calls the nearest."""
        near = numpy.full((len(self.begins), NEIGHBORS), -1)
        cosines = numpy.full((len(self.begins), NEIGHBORS), -1.0)
        order = numpy.random.default_rng(11).permutation(self.short)
        half = self.teacher.dtype if model.DEVICE.type == "cuda" else torch.float32
        for start in range(0, len(order), block):
            members = order[start:start + block]
            rows = self.teacher[torch.from_numpy(members).to(model.DEVICE)].to(half)
            for i in range(0, len(members), 4096):
                scores = rows[i:i + 4096] @ rows.T
                scores[scores > 0.995] = -1 # itself, and copies
                best = scores.topk(min(NEIGHBORS, len(members)), 1)
                here = members[i:i + 4096]
                near[here, :best.indices.shape[1]] = members[best.indices.cpu().numpy()]
                cosines[here, :best.indices.shape[1]] = best.values.float().cpu().numpy()
        near[cosines < LEAST_NEIGHBOR] = -1
        return near, cosines

    def draw(self, n, rng):
        """Numbers of about n texts: some, their mates, and neighbours of them."""
        seeds = self.short[rng.integers(len(self.short), size=2 * n // 5)]
        near = self.near[seeds, rng.integers(NEIGHBORS, size=len(seeds))]
        far = self.near[seeds, rng.integers(NEIGHBORS, size=len(seeds))]
        chosen = numpy.unique(numpy.concatenate([seeds, self.mates[seeds], near, far]))
        return chosen[chosen >= 0]

    def draw_long(self, n, rng):
        passages = self.long[rng.integers(len(self.long), size=n // 2)]
        return numpy.unique(numpy.concatenate([passages, self.mates[passages]]))

    def rows(self, chosen, rng):
        """Ids of the texts, some with a full stop more or less."""
        begins, lengths = self.begins[chosen], self.lengths[chosen].copy()
        ends = self.tokens[torch.from_numpy(begins + lengths - 1).to(model.DEVICE)].cpu().numpy()
        toggled = rng.random(len(chosen)) < STOP_TOGGLED
        lengths -= toggled & (ends == self.stop) & (lengths > 1)
        more = torch.from_numpy(numpy.where(toggled & (ends != self.stop), self.stop, 0)).to(model.DEVICE)
        return batches.rows(self.tokens, begins, lengths, more)

    def vectors(self, bert, chosen, rng, parts):
        """Vectors of texts, encoded in parts of about one length: less padding."""
        order = numpy.argsort(self.lengths[chosen], kind="stable")
        out = [bert.pooled(*self.rows(chosen[part], rng)) for part in numpy.array_split(order, parts) if len(part)]
        back = torch.from_numpy(numpy.argsort(order, kind="stable")).to(model.DEVICE)
        return torch.cat(out)[back]


class Distillation(MaskedLanguage):
    names = ("mlm", "accuracy", "cosine", "order", "square", "ranked", "right")
    texts_of = Texts

    def __init__(self, settings, rank, workers):
        super().__init__(settings, rank, workers)
        self.texts = self.texts_of(settings["cache"], self.tokens, self.pieces.index("."), settings["block"])
        print("%d texts, %d ranked" % (len(self.texts.begins), len(self.texts.ranked)), flush=True)

    def taught(self, bert, step, rng):
        s, texts = self.settings, self.texts
        long = step % s["long_every"] == s["long_every"] - 1
        chosen = texts.draw_long(s["texts"] // 4, rng) if long else texts.draw(s["texts"], rng)
        vectors = texts.vectors(bert, chosen, rng, s["parts"])
        said = texts.teacher[torch.from_numpy(chosen).to(model.DEVICE)].float()
        cosine = 1 - (F.normalize(vectors @ bert.p[PROJECTION], dim=1) * said).sum(1).mean()
        return (cosine, *losses.relations(vectors, said), losses.apart(vectors, said, NEAR))

    def ranked(self, bert, rng):
        s, texts = self.settings, self.texts
        drawn = rng.integers(len(texts.ranked), size=s["ranked"])
        vectors = texts.vectors(bert, texts.ranked[drawn].T.reshape(-1), rng, max(1, s["parts"] // 2))
        loose = texts.loose[torch.from_numpy(drawn).to(model.DEVICE)]
        return losses.ranked(*vectors.chunk(3), loose, s["margin"], RANKED_LEAST)

    def __call__(self, bert, step):
        s = self.settings
        mlm, accuracy = self.masked(bert, step)
        (s["mlm_weight"] * mlm).backward()
        bert.cast()
        rng = numpy.random.default_rng([s["seed"], 2000, step * self.workers + self.rank])
        cosine, order, square, _ = self.taught(bert, step, rng)
        (s["cosine_weight"] * cosine + s["order_weight"] * order + s["square_weight"] * square).backward()
        bert.cast()
        ranked, right = self.ranked(bert, rng)
        (s["ranked_weight"] * ranked).backward()
        return mlm, accuracy, cosine, order, square, ranked, right


def arguments():
    """The options of the stages with a teacher."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--from", dest="start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--texts", type=int, default=256, help="taught per worker and step")
    parser.add_argument("--ranked", type=int, default=48, help="triples per worker and step")
    parser.add_argument("--tokens", type=int, default=1536, help="of running text, per worker and step")
    parser.add_argument("--parts", type=int, default=4, help="into which a step's texts are sorted")
    parser.add_argument("--block", type=int, default=20000, help="texts among which neighbours are looked for")
    parser.add_argument("--long-every", type=int, default=3, help="steps, of which one has passages")
    parser.add_argument("--mlm-weight", type=float, default=0.1)
    parser.add_argument("--cosine-weight", type=float, default=1.0)
    parser.add_argument("--order-weight", type=float, default=0.5)
    parser.add_argument("--square-weight", type=float, default=10.0)
    parser.add_argument("--ranked-weight", type=float, default=2.0)
    parser.add_argument("--margin", type=float, default=0.06)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--workers", type=int, default=trainer.WORKERS)
    parser.add_argument("--save-every", type=int, default=180, help="seconds")
    return parser


def train(options, task, *read):
    """Trains what --from left, with these files of the cache. A checkpoint of stage 1 has no projection yet."""
    settings = {k: v for k, v in vars(options).items() if k not in ("out", "workers", "start")}
    parameters, settings["shape"] = trainer.load(options.start)
    settings["inputs"] = trainer.checksum(options.start, *inputs(options.cache),
                                          *(Path(options.cache, name) for name in read))
    width, of_teacher = model.SHAPE["width"], numpy.load(Path(options.cache) / "teacher.npy", mmap_mode="r").shape[1]
    if PROJECTION not in parameters:
        g = torch.Generator().manual_seed(options.seed)
        parameters[PROJECTION] = torch.randn(width, of_teacher, generator=g) * width ** -0.5
    trainer.run(options.out, task, settings, parameters, options.workers)


if __name__ == "__main__":
    train(arguments().parse_args(), Distillation, "texts.npz")
