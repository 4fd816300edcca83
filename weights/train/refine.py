"""Stage 4, from a weight file: typed errors, and the order of words in many forms; opposites and negations go on. All
losses see the vectors as the file gives them, after its matrix. There are two teachers: texts learn the big model's
vectors; triples keep the cosines that the file gives them, but for those that the triple is about.

    refine.py --cache DIR --from DIR/start.pt --out DIR --steps N"""

import random
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

import batches
import dev
import distill
import losses
import model
import oppose
import text
import trainer
import wordpiece
from sentences import typos

TYPED = 0.5 # the share of the texts with errors, one or two
FITTED = 4000 # texts that the projection to the teacher's space begins with


class Texts(oppose.Texts):
    """Appends the texts of order.npz, whose triples are the ranked ones."""

    def __init__(self, cache, tokens, stop, block):
        super().__init__(cache, tokens, stop, block)
        self.words = wordpiece.WordPiece.read(Path(cache) / "vocab.txt")
        more = numpy.load(Path(cache) / "order.npz")
        n, end = len(self.begins), len(self.tokens)
        self.tokens = torch.cat([self.tokens, torch.from_numpy(more["made"].astype(numpy.int32)).to(model.DEVICE)])
        self.begins = numpy.concatenate([self.begins, end + more["ends"][:-1]])
        self.lengths = numpy.concatenate([self.lengths, numpy.diff(more["ends"])])
        self.ranked = more["triples"] + n
        self.flat, self.typed = self.tokens.cpu().numpy(), 0.0

    def mistyped(self, ids, rng):
        """The ids of the text with errors."""
        text = []
        for piece in (self.words.pieces[i] for i in ids):
            if piece.startswith("##") and text:
                text[-1] += piece[2:]
            else:
                text.append(piece)
        draw = random.Random(int(rng.integers(1 << 30)))
        return numpy.array(self.words(" ".join(typos.with_errors(text, 1 + (draw.random() < 0.4), draw))), numpy.int32)

    def rows(self, chosen, rng):
        spans = [self.flat[b:b + n] for b, n in zip(self.begins[chosen], self.lengths[chosen])]
        spans = [self.mistyped(s, rng) if rng.random() < self.typed else s for s in spans]
        lengths = numpy.array([len(s) for s in spans])
        toggled, stops = rng.random(len(spans)) < distill.STOP_TOGGLED, numpy.array([s[-1] == self.stop for s in spans])
        begins = numpy.cumsum(lengths) - lengths
        more = torch.from_numpy(numpy.where(toggled & ~stops, self.stop, 0)).to(model.DEVICE)
        flat = torch.from_numpy(numpy.concatenate(spans)).to(model.DEVICE)
        return batches.rows(flat, begins, lengths - (toggled & stops & (lengths > 1)), more)


class Refinement(oppose.Opposition):
    texts_of = Texts

    def __init__(self, settings, rank, workers):
        super().__init__(settings, rank, workers)
        sets = {"STS-B": text.stsb(settings["text"], "dev")[::6], "SICK": text.sick(settings["text"], "TRIAL")[::2]}
        self.dev = dev.Dev(sets, self.texts.words, 4) # a part is enough to see where it goes
        parameters, shape = trainer.load(Path(settings["cache"]) / "start.pt")
        self.file = model.Bert({n: p.detach() for n, p in parameters.items()}, shape)

    def measured(self, bert):
        return self.dev.figures(bert)

    def __call__(self, bert, step):
        if step == 0: # by least squares
            chosen = numpy.random.default_rng(5).choice(self.texts.short, FITTED, replace=False)
            with torch.no_grad():
                ours = self.texts.vectors(bert, chosen, numpy.random.default_rng(6), 16)
                said = self.texts.teacher[torch.from_numpy(chosen).to(model.DEVICE)].float()
                bert.p[distill.PROJECTION].copy_(torch.linalg.lstsq(ours, said).solution)
        return super().__call__(bert, step)

    def taught(self, bert, step, rng):
        self.texts.typed = TYPED
        out = super().taught(bert, step, rng)
        self.texts.typed = 0.0
        return out

    def kept(self, bert, triples, rng, parts):
        """The vectors of triples, and how far they are from what the file says of them: by the cosines of texts of
        different triples, and by those of each pair that says the same, where it is farther now."""
        chosen, seed = triples.T.reshape(-1), int(rng.integers(1 << 30))
        ours = self.texts.vectors(bert, chosen, numpy.random.default_rng(seed), parts)
        with torch.no_grad():
            files = self.texts.vectors(self.file, chosen, numpy.random.default_rng(seed), parts)
        of = torch.arange(len(triples), device=model.DEVICE).repeat(3)
        other = of[:, None] != of
        square = ((ours @ ours.T - files @ files.T) * other).pow(2).sum() / other.sum()
        (a, b, c), (d, e, _) = ours.chunk(3), files.chunk(3)
        nearer = F.relu((d * e).sum(1) - (a * b).sum(1)).mean()
        return (a, b, c), self.settings["square_weight"] * square + nearer

    def ranked(self, bert, rng):
        texts, s = self.texts, self.settings
        drawn = texts.ranked[rng.integers(len(texts.ranked), size=s["ranked"])]
        (a, b, c), kept = self.kept(bert, drawn, rng, 3)
        near, first, second = (a * b).sum(1), (a * c).sum(1), (b * c).sum(1)
        order = F.relu(torch.maximum(first, second) - near + s["margin"]).mean()
        return order + s["kept_weight"] * kept, (near > first).float().mean()

    def opposed(self, bert, rng):
        texts, s = self.texts, self.settings
        drawn = texts.draw_opposed(s["opposed"], rng)
        vectors, kept = self.kept(bert, texts.opposed[drawn], rng, 2)
        level, same = (torch.from_numpy(of[drawn]).float().to(model.DEVICE) for of in (texts.levels, texts.same))
        loss, right = losses.opposed(*vectors, level, same)
        return loss + s["kept_weight"] * kept, right


def main():
    parser = distill.arguments()
    parser.add_argument("--text", required=True, help="the folder of the texts, to measure with")
    parser.add_argument("--opposed", type=int, default=36, help="triples of opposites per worker and step")
    parser.add_argument("--opposed-weight", type=float, default=1.0)
    parser.add_argument("--apart-weight", type=float, default=1.0)
    parser.add_argument("--kept-weight", type=float, default=0.5, help="of what triples keep from the file")
    parser.add_argument("--average", type=float, default=0.995, help="of the weights, per step")
    parser.add_argument("--measure-every", type=int, default=100, help="steps")
    parser.set_defaults(texts=256, ranked=48, tokens=768, parts=5, block=8000, long_every=2, ranked_weight=0.8,
                        margin=0.05, rate=3e-4, warm_up=50, seed=4, save_every=60, workers=1)
    distill.train(parser.parse_args(), Refinement, "texts.npz", "opposites.npz", "order.npz")


if __name__ == "__main__":
    main()
