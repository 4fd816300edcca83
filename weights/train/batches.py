"""Running text as batches of sequences of one length: nothing is padded, nothing hidden."""

import numpy

from wordpiece import CLS, MASK, SEP, SPECIAL

LONGEST = 64
# How often an epoch goes through a source.
REPEAT = {"novels": 1, "wikinews": 1.5, "speeches": 1, "masc": 2, "reviews": 1.5, "tatoeba": 3,
          "captions": 4, "clinc": 2, "banking": 1.5, "snips": 1}
SINGLE = ("reviews", "tatoeba", "captions", "clinc", "banking", "snips")
MASKED = 0.15
MASKED_MARKS = 0.05


class Corpus:
    def __init__(self, cache, pieces):
        data = numpy.load(cache / "tokens.npz")
        self.tokens, self.document = data["tokens"], data["document"]
        self.ends = data["ends"]
        self.begins = numpy.concatenate([[0], self.ends[:-1]])
        self.lengths = self.ends - self.begins
        self.names = [str(s) for s in data["sources"]]
        self.source = data["source"]
        self.continues = numpy.array([p.startswith("##") for p in pieces])
        self.rate = numpy.array([MASKED if any(c.isalnum() for c in p) else MASKED_MARKS for p in pieces])
        self.rate[:len(SPECIAL)] = 0

    def sentence(self, i):
        return self.tokens[self.begins[i]:self.ends[i]]

    def chunks(self, rng):
        """Spans of tokens of one epoch: whole sentences that follow each other, up to a length drawn
        for each; a longer sentence is cut."""
        repeat = numpy.array([REPEAT[n] for n in self.names])[self.source]
        single = numpy.array([n in SINGLE for n in self.names])[self.source]
        times = numpy.floor(repeat + rng.random(len(repeat))).astype(int)
        times[~single] = 0
        one = numpy.repeat(numpy.nonzero(single)[0], times[single])
        begins, ends = [self.begins[one]], [self.ends[one]]
        running = numpy.nonzero(~single)[0]
        for extra in (0, 1):
            b, e = [], []
            limit = rng.choice([16, 32, 48, LONGEST - 2], len(running))
            keep = rng.random(int(self.document.max()) + 1)
            document, start, stop, chosen = -1, 0, 0, 0
            for k, i in enumerate(running):
                first, last = self.begins[i], self.ends[i]
                if self.document[i] != document or last - start > limit[chosen]:
                    if document >= 0:
                        b.append(start)
                        e.append(stop)
                    document, start, chosen = self.document[i], first, k
                    if keep[document] >= repeat[i] - extra:
                        document = -1
                        continue
                stop = last
            if document >= 0:
                b.append(start)
                e.append(stop)
            begins.append(numpy.array(b, numpy.int64))
            ends.append(numpy.array(e, numpy.int64))
        begins, ends = numpy.concatenate(begins), numpy.concatenate(ends)
        ends = numpy.minimum(ends, begins + LONGEST - 2)
        return begins[ends > begins + 1], ends[ends > begins + 1]

    def epoch(self, rng, budget):
        """A list of (begins, length) of batches with about so many tokens each."""
        begins, ends = self.chunks(rng)
        order = rng.permutation(len(begins))
        begins, lengths = begins[order], (ends - begins)[order]
        batches = []
        for length in numpy.unique(lengths):
            of_length = begins[lengths == length]
            rows = max(1, budget // (int(length) + 2))
            batches += [(of_length[i:i + rows], int(length)) for i in range(0, len(of_length), rows)
                        if len(of_length) - i >= rows // 2]
        return [batches[i] for i in rng.permutation(len(batches))]

    def ids(self, begins, length):
        ids = numpy.empty((len(begins), length + 2), numpy.int64)
        ids[:, 0], ids[:, -1] = CLS, SEP
        ids[:, 1:-1] = self.tokens[begins[:, None] + numpy.arange(length)]
        return ids

    def mask(self, ids, rng):
        """Whole words are masked: 80 % by the mask, 10 % by any piece, 10 % stay. Returns the input,
        the flat places that are asked for, and what stood there."""
        word = numpy.cumsum(~self.continues[ids].ravel()) - 1
        chosen = rng.random(word[-1] + 1)[word] < self.rate[ids].ravel()
        at = numpy.nonzero(chosen)[0]
        targets = ids.ravel()[at]
        shown = ids.ravel().copy()
        draw = rng.random(len(at))
        shown[at[draw < 0.8]] = MASK
        other = at[draw >= 0.9]
        shown[other] = rng.integers(len(SPECIAL), len(self.rate), len(other))
        return shown.reshape(ids.shape), at, targets
