"""Pairs of sentences that belong together, as token ids."""

import numpy

import roles
import text
from variants import Variants

SHORTEST, LONGEST = 4, 40
KINDS = {"captions": 0.38, "adjacent": 0.17, "intents": 0.13, "twins": 0.18, "roles": 0.14}
TWINS = ("tatoeba", "wikinews", "captions", "masc", "reviews")
ADJACENT = ("novels", "wikinews", "speeches")


class Pairs:
    def __init__(self, corpus, tokenizer, measured):
        """measured: the keys of the sentences that the model is measured with."""
        self.corpus, self.tokenizer, self.variants, self.measured = corpus, tokenizer, Variants(tokenizer), measured
        fit = (corpus.lengths >= SHORTEST) & (corpus.lengths <= LONGEST)
        of = {name: corpus.source == k for k, name in enumerate(corpus.names)}
        self.twin = numpy.nonzero(fit & sum(of[n] for n in TWINS).astype(bool))[0]
        follows = fit[:-1] & fit[1:] & (corpus.document[:-1] == corpus.document[1:])
        # Novels are most of the text but far from how people write now: a third of their pairs.
        some = ~of["novels"][:-1] | (numpy.arange(len(follows)) % 3 == 0)
        self.first = numpy.nonzero(follows & some & sum(of[n] for n in ADJACENT).astype(bool)[:-1])[0]
        self.images = self.groups(fit & of["captions"])
        self.intents = self.groups(fit & (of["clinc"] | of["banking"]))

    def may_show(self, made):
        """The texts are without the sentences that measure; one that is made here must not be one of them either."""
        return text.may_show("".join(self.tokenizer.pieces[i] for i in made), self.measured)

    def groups(self, chosen):
        at = numpy.nonzero(chosen)[0]
        return [g for g in numpy.split(at, numpy.nonzero(numpy.diff(self.corpus.document[at]))[0] + 1) if len(g) > 1]

    def two_of_each(self, groups, n, rng):
        """One pair of a group: two of one group must not be each other's negatives."""
        chosen = rng.choice(len(groups), min(n, len(groups)), replace=False)
        pairs = [rng.choice(groups[g], 2, replace=False) for g in chosen]
        return [(self.corpus.sentence(a), self.corpus.sentence(b), None) for a, b in pairs]

    def draw(self, kind, n, rng):
        """n triples or a few less (sentence, one that belongs to it, one that says the reverse or None)."""
        sentence = self.corpus.sentence
        if kind == "captions":
            return self.two_of_each(self.images, n, rng)
        if kind == "intents":
            return self.two_of_each(self.intents, n, rng)
        if kind == "adjacent":
            return [(sentence(i), sentence(i + 1), None) for i in rng.choice(self.first, n, replace=False)]
        if kind == "twins":
            pairs = [(sentence(i), self.variants.restated(sentence(i), rng), None)
                     for i in rng.choice(self.twin, n, replace=False)]
            return [pair for pair in pairs if self.may_show(pair[1])]
        triples = []
        while len(triples) < n:
            triple = [numpy.array(self.tokenizer(t), numpy.int64) for t in roles.triple(rng)]
            if all(map(self.may_show, triple)):
                triples.append(tuple(triple))
        return triples

    def batch(self, n, rng):
        """A batch of one kind, of sentences of about one length: less padding, harder negatives."""
        kind = list(KINDS)[rng.choice(len(KINDS), p=list(KINDS.values()))]
        triples = self.draw(kind, 3 * n if kind not in ("intents", "roles") else n, rng)
        if len(triples) > n:
            triples.sort(key=lambda t: len(t[0]) + len(t[1]))
            start = rng.integers(0, len(triples) - n + 1)
            triples = triples[start:start + n]
        return kind, triples
