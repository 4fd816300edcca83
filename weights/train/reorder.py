"""Sentences that hold the same words in another order, as token ids."""

import numpy

DETERMINERS = "a an the this that my your his her its our their some two three another".split()
FUNCTION_WORDS = DETERMINERS + """i you he she it we they me him them us who what which there here is are was
    were be been am do does did has have had will would can could should may might must not no and or but if of
    in on at to for from with by as into onto over under near up down out off about than then so too very s t d ll
    re ve m""".split()


class Reorder:
    def __init__(self, tokenizer):
        self.continues = [p.startswith("##") for p in tokenizer.pieces]
        self.letters = [p.lstrip("#").isalnum() for p in tokenizer.pieces]
        self.determiners = {tokenizer.ids[w] for w in DETERMINERS if w in tokenizer.ids}
        self.function_words = {tokenizer.ids[w] for w in FUNCTION_WORDS if w in tokenizer.ids}

    def words(self, ids):
        out = []
        for i in ids:
            if self.continues[i] and out:
                out[-1].append(int(i))
            else:
                out.append([int(i)])
        return out

    def content(self, word):
        return self.letters[word[0]] and word[0] not in self.function_words

    def swap(self, words, places, rng):
        """Exchanges two different words; None where there are none."""
        for _ in range(4):
            a, b = rng.choice(len(places), 2, replace=False)
            a, b = places[a], places[b]
            if words[a] != words[b]:
                words = list(words)
                words[a], words[b] = words[b], words[a]
                return words
        return None

    def __call__(self, ids, rng):
        """Roles exchanged (two nouns, by their determiners), else two content words, sometimes one word
        moved elsewhere or two neighbours exchanged. None where nothing changes."""
        words = self.words(ids)
        nouns = [i for i in range(1, len(words)) if words[i - 1][0] in self.determiners and self.content(words[i])]
        content = [i for i, w in enumerate(words) if self.content(w)]
        kind = rng.random()
        out = None
        if kind < 0.55 and len(nouns) >= 2:
            out = self.swap(words, nouns, rng)
        if out is None and kind < 0.8 and len(content) >= 2:
            out = self.swap(words, content, rng)
        if out is None:
            places = [i for i, w in enumerate(words) if self.letters[w[0]]]
            if len(places) < 3:
                return None
            if kind < 0.9:
                word = places[rng.integers(len(places))]
                rest = words[:word] + words[word + 1:]
                to = places[rng.integers(len(places))]
                out = rest[:to] + [words[word]] + rest[to:]
            else:
                at = rng.integers(len(places) - 1)
                out = self.swap(words, [places[at], places[at + 1]], rng)
        if out is None or out == words:
            return None
        return numpy.array([i for w in out for i in w], numpy.int64)
