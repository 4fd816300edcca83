"""What the training is measured by while it runs: sets whose texts it does not have (tests/quality/quality.py measures
the file)."""

import sys

import numpy
import torch

import batches
import model
import text
import wordpiece
from sentences import typos

sys.path.append(str(text.QUALITY)) # after this folder, which has a corpus.py too
import measures # noqa: E402
import retrieval # noqa: E402

AT_ONCE = 60000 # pieces


class Dev:
    def __init__(self, sets, words, one_in=1):
        """sets: those that lists.py wrote. one_in: of so many triples."""
        self.words = words
        self.pairs = {"STS-B": sets["STS-B"], "SICK": sets["SICK"]}
        self.pairs["typed"] = [(typos.typed(a), typos.typed(b), score) for a, b, score in sets["STS-B"]]
        self.order, self.ranked = text.read_table(text.ORDER)[::one_in], text.read_table(text.RANKED)[::one_in]
        self.documents, self.queries, self.answers = (sets.get(n, []) for n in ("documents", "queries", "answers"))
        short = {s for pairs in self.pairs.values() for p in pairs for s in p[:2]}
        short |= {s for t in self.order + self.ranked for s in t[1:]}
        self.short, self.long = self.batched(sorted(short)), self.batched(self.documents + self.queries)
        cases = [(self.words(a), self.words(b), self.words.ids[w]) for a, b, w in sets.get("masked", [])]
        parts = [part for part in (cases[i::8] for i in range(8)) if part]
        self.masked = [batches.padded([numpy.array(a + [wordpiece.MASK] + b, numpy.int16)[:200] for a, b, _ in part],
                                    wordpiece.CLS, wordpiece.SEP) for part in parts]
        self.wanted = [numpy.array([w for *_, w in part]) for part in parts]

    def batched(self, texts):
        """(texts, padded rows, and where each text's is)."""
        if not texts:
            return texts, [], []
        ids = [numpy.array(self.words(t)[:510] or [wordpiece.UNK], numpy.int16) for t in texts]
        order = numpy.argsort([len(i) for i in ids], kind="stable")
        parts = numpy.array_split(order, 1 + sum(map(len, ids)) // AT_ONCE)
        rows = [batches.padded([ids[i] for i in part], wordpiece.CLS, wordpiece.SEP) for part in parts]
        return texts, rows, order

    def vectors(self, bert, batched):
        texts, rows, order = batched
        with torch.no_grad():
            found = [self.pooled(bert, r) for r in rows]
        out = numpy.zeros((len(texts), found[0].shape[1]))
        out[order] = torch.cat(found).cpu().double().numpy()
        return out

    @staticmethod
    def pooled(bert, rows):
        ids = torch.from_numpy(rows).to(model.DEVICE).long()
        return bert.pooled(ids, ids != 0)

    def right(self, bert):
        """The share of masked words that are guessed first."""
        right = 0
        with torch.no_grad():
            for rows, wanted in zip(self.masked, self.wanted):
                ids = torch.from_numpy(rows).to(model.DEVICE).long()
                at = (ids.reshape(-1) == wordpiece.MASK).nonzero()[:, 0]
                guess = bert.logits(bert.hidden(ids, ids != 0)[at]).argmax(1).cpu().numpy()
                right += int((guess == wanted).sum()) if len(guess) == len(wanted) else 0
        return right / sum(map(len, self.wanted))

    def figures(self, bert, sentences=True):
        out = {"masked": self.right(bert)} if self.masked else {}
        if sentences:
            vectors = self.vectors(bert, self.short)
            place = {t: i for i, t in enumerate(self.short[0])}

            def cosines(pairs):
                a, b = ([place[p[k]] for p in pairs] for k in (0, 1))
                return (vectors[a] * vectors[b]).sum(1)
            out.update({n: measures.spearman(cosines(p), [x[2] for x in p]) for n, p in self.pairs.items()})
            out.update(measures.order(self.order, cosines))
            for kind in dict.fromkeys(t[0] for t in self.ranked):
                rows = [t[1:] for t in self.ranked if t[0] == kind]
                out["ranked " + kind] = (cosines(rows) > cosines([r[::2] for r in rows])).mean()
        if sentences and self.documents:
            long = self.vectors(bert, self.long)
            n = len(self.documents)
            out["Cranfield"] = retrieval.gain(long[n:] @ long[:n].T, [{d for d in a if d < n} for a in self.answers])
        return {name: round(float(value), 3) for name, value in out.items()}
