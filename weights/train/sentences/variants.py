"""Of a sentence, as token ids: the same said a little differently, its words in another order, one other word,
its negation."""

import numpy

DETERMINERS = "a an the this that my your his her its our their some two three another".split()
FUNCTION_WORDS = DETERMINERS + """i you he she it we they me him them us who what which there here is are was
    were be been am do does did has have had will would can could should may might must not no and or but if of
    in on at to for from with by as into onto over under near up down out off about than then so too very s t d ll
    re ve m""".split()
AUXILIARIES = "is are was were can could will would should may might must has have had do does did".split()


class Variants:
    def __init__(self, tokenizer):
        self.continues = [p.startswith("##") for p in tokenizer.pieces]
        self.letters = [p.lstrip("#").isalnum() for p in tokenizer.pieces]
        self.ing = [p.endswith("ing") for p in tokenizer.pieces]
        self.vowel = [p[0] in "aeiou" for p in tokenizer.pieces]
        self.plural = [p.endswith("s") for p in tokenizer.pieces]
        self.determiners = {tokenizer.ids[w] for w in DETERMINERS if w in tokenizer.ids}
        self.conjunctions = {tokenizer.ids[w] for w in ("and", "or", ",")}
        self.relatives = {tokenizer.ids[w] for w in ("that", "who", "which", "whose")}
        self.questions = {tokenizer.ids[w] for w in "what who when where why how which whose".split()}
        self.question_mark = tokenizer.ids["?"]
        self.contracted = [tokenizer.ids["'"], tokenizer.ids["t"]]
        self.negations = {tokenizer.ids[w] for w in "no not t never nothing nobody none without".split()}
        self.articles = [tokenizer.ids[w] for w in ("a", "the")]
        self.auxiliaries = {tokenizer.ids[w] for w in AUXILIARIES}
        self.negation, self.none = tokenizer.ids["not"], tokenizer.ids["no"]
        self.there, self.nobody = tokenizer.ids["there"], tokenizer.ids["nobody"]
        self.somebody = [tokenizer.ids[w] for w in ("somebody", "someone")]
        self.stop = tokenizer.ids["."]
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

    def heads(self, words):
        """Indexes of nouns that are alone after their determiner."""
        return [i for i in range(1, len(words)) if words[i - 1][0] in self.determiners and self.content(words[i])
                and not (i + 1 < len(words) and self.content(words[i + 1]))]

    def doings(self, words):
        """Where something is going on: words in -ing."""
        return [i for i, word in enumerate(words) if self.ing[word[-1]] and self.content(word)]

    def replaced(self, ids, other, rng):
        """One noun or one word in -ing in place of that of another sentence. None where nothing changes."""
        words, others = self.words(ids), self.words(other)
        slots = (self.heads, self.doings) if rng.random() < 0.5 else (self.doings, self.heads)
        for slot in slots:
            here, there = slot(words), slot(others)
            if here and there:
                at, word = here[rng.integers(len(here))], others[there[rng.integers(len(there))]]
                if word not in words:
                    return numpy.array([i for w in words[:at] + [word] + words[at + 1:] for i in w], numpy.int64)
        return None

    def exchanged_word(self, ids, partners, rng):
        """One word in place of which partners, a dict, has others. None without such a word."""
        here = [i for i, k in enumerate(ids) if int(k) in partners and k not in self.function_words
                and not (i + 1 < len(ids) and self.continues[ids[i + 1]])]
        if not here:
            return None
        at = here[rng.integers(len(here))]
        others = partners[int(ids[at])]
        out = numpy.array(ids, numpy.int64)
        out[at] = others[rng.integers(len(others))]
        return out

    def swap(self, words, places, rng):
        """Exchanges two different words, but not "a" and "b" in "a and b"; None without such words."""
        for _ in range(4):
            a, b = sorted(rng.choice(len(places), 2, replace=False))
            a, b = places[a], places[b]
            between = {w[0] for w in words[a + 1:b]}
            joined = between & self.conjunctions and between <= self.conjunctions | self.determiners
            if words[a] != words[b] and not joined:
                words = list(words)
                words[a], words[b] = words[b], words[a]
                return words
        return None

    def exchanged(self, words, rng):
        """Some of its articles exchanged, where "a" is possible."""
        out = [list(word) for word in words]
        for word, after in zip(out, words[1:]):
            if len(word) == 1 and word[0] in self.articles and rng.random() < 0.3:
                if word[0] == self.articles[0] or not (self.vowel[after[0]] or self.plural[after[-1]]):
                    word[0] = self.articles[1 - self.articles.index(word[0])]
        return out

    def restated(self, ids, rng):
        """The same with some articles exchanged, with or without its full stop, without a word here and there."""
        words = self.exchanged(self.words(ids), rng)
        if rng.random() < 0.5:
            words = words[:-1] if words[-1] == [self.stop] else words + [[self.stop]]
        if len(words) > 5:
            words = [w for w in words if rng.random() >= 0.05 or w[0] in self.negations]
        return numpy.array([i for w in words for i in w] or ids, numpy.int64)

    def negated(self, ids, rng):
        """With "not" after the first auxiliary, or without an existing "not"; or with "no" for an article
        at the beginning ("no man sings", "there is no man singing"), "nobody" for "somebody". None for questions,
        for other negations, and where there is nothing of these."""
        words = self.words(ids)
        first = [word[0] if len(word) == 1 else None for word in words]
        at = next((k for k, i in enumerate(first) if i in self.auxiliaries), None)
        if at == 0 or first[0] in self.questions or first[-1] == self.question_mark:
            return None
        behind = None if at is None else words[at + 1:]
        if at is not None and first[at + 1:at + 2] == [self.negation]:
            negated = words[:at + 1] + behind[1:]
        elif at is not None and first[at + 1:at + 3] == self.contracted:
            negated = words[:at + 1] + behind[2:]
        elif self.negations & set(first):
            return None
        elif first[0] in self.somebody and rng.random() < 0.5:
            negated = [[self.nobody]] + words[1:]
        elif at is None:
            if first[0] not in self.articles:
                return None
            negated = [[self.none]] + words[1:]
        elif first[:at] == [self.there]:
            if first[at + 1:at + 2] != self.articles[:1]:
                return None
            negated = words[:at + 1] + [[self.none]] + behind[1:]
        elif (first[0] in self.articles and behind and self.ing[behind[0][-1]]
              and not self.relatives & set(first[:at]) and rng.random() < 0.5):
            noun = words[1:at]
            negated = ([[self.there], words[at], [self.none]] + noun + behind if rng.random() < 0.6
                       else [[self.none]] + noun + words[at:])
        else:
            negated = words[:at + 1] + [[self.negation]] + behind
        return numpy.array([i for word in negated for i in word], numpy.int64)

    def reordered(self, ids, rng):
        """Roles exchanged (two nouns), else two content words, sometimes one word moved elsewhere or two neighbours
        exchanged. None where nothing changes."""
        words = self.words(ids)
        nouns = self.heads(words)
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
