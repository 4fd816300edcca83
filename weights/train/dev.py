"""What the training is measured by while it runs: sets whose texts it does not have (tests/quality/quality.py measures
the file)."""

import sys
from pathlib import Path

import numpy
import torch

import batches
import text
from sentences import typos

sys.path.append(str(text.QUALITY)) # after this folder, which has a corpus.py too
import measures # noqa: E402

MOST = 300 # pairs of a set: a part is enough to see where it goes


class Dev:
    def __init__(self, folder, words):
        self.words = words
        self.pairs = {"STS-B": text.stsb(folder, "dev"), "SICK": text.sick(folder, "TRIAL")}
        self.pairs["typed"] = [(typos.typed(a), typos.typed(b), score) for a, b, score in self.pairs["STS-B"]]
        self.pairs = {name: pairs[::1 + len(pairs) // MOST] for name, pairs in self.pairs.items()}
        self.order, self.ranked = text.read_table(text.ORDER)[::4], text.read_table(text.RANKED)

    def vectors(self, bert, texts):
        unique = sorted(set(texts), key=len)
        ids = [self.words(t)[:510] for t in unique]
        lengths = numpy.array([len(i) for i in ids])
        order, out = numpy.argsort(lengths, kind="stable"), torch.zeros(len(ids), bert.shape["width"])
        with torch.no_grad():
            for part in numpy.array_split(order, 1 + len(order) // 64):
                flat = torch.from_numpy(numpy.concatenate([ids[i] for i in part]).astype(numpy.int64))
                some = lengths[part]
                out[torch.from_numpy(part)] = bert.pooled(*batches.rows(flat, numpy.cumsum(some) - some, some)).cpu()
        place = {t: i for i, t in enumerate(unique)}
        return out[[place[t] for t in texts]].numpy().astype(numpy.float64)

    def cosines(self, bert, pairs):
        rows = self.vectors(bert, [s for pair in pairs for s in pair[:2]])
        return (rows[::2] * rows[1::2]).sum(1)

    def figures(self, bert):
        out = {n: measures.spearman(self.cosines(bert, p), [x[2] for x in p]) for n, p in self.pairs.items()}
        out.update(measures.order(self.order, lambda pairs: self.cosines(bert, pairs)))
        for kind in dict.fromkeys(t[0] for t in self.ranked):
            rows = [t[1:] for t in self.ranked if t[0] == kind]
            out["ranked " + kind] = (self.cosines(bert, rows) > self.cosines(bert, [r[::2] for r in rows])).mean()
        return {name: round(float(value), 3) for name, value in out.items()}
