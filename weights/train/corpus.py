"""The texts of prepare.py: sentences as spans of token ids, and where each comes from."""

import numpy

LONGEST = 62 # tokens of a sequence of running text, without its special ones
LIMITS = (14, 30, 46, LONGEST)
# How often a source is drawn, for each of its tokens.
REPEAT = {"novels": 1, "wikinews": 1.5, "speeches": 1, "masc": 2, "reviews": 1.5, "tatoeba": 3,
          "captions": 4, "clinc": 2, "banking": 1.5, "snips": 1, "packages": 1, "wordnet": 1.5,
          "terms": 1}


class Corpus:
    def __init__(self, cache):
        data = numpy.load(cache / "tokens.npz")
        self.document, self.ends = data["document"], data["ends"]
        self.flat = data["tokens"]
        self.begins = numpy.concatenate([[0], self.ends[:-1]])
        self.lengths = self.ends - self.begins
        self.names = [str(s) for s in data["sources"]]
        self.source = data["source"]
        # The end of each sentence's document, and how likely a sequence begins with the sentence.
        last = numpy.searchsorted(self.document, self.document, "right") - 1
        self.document_ends = self.ends[last]
        weight = numpy.array([REPEAT[n] for n in self.names])[self.source] * self.lengths
        self.likely = numpy.cumsum(weight) / weight.sum()

    def sentence(self, i):
        return self.flat[self.begins[i]:self.ends[i]]

    def sequences(self, rng, budget):
        """(begins, lengths) of about so many tokens: whole sentences that follow each other, up to a length drawn for
        all; a longer sentence is cut."""
        limit = LIMITS[rng.integers(len(LIMITS))]
        first = numpy.searchsorted(self.likely, rng.random(max(1, budget // (limit + 2))))
        begins = self.begins[first]
        most = numpy.minimum(begins + limit, self.document_ends[first])
        at = numpy.searchsorted(self.ends, most, "right")
        whole = numpy.where(at > 0, self.ends[at - 1], 0) # the last sentence's end that fits
        return begins, numpy.where(whole > begins, whole, most) - begins
