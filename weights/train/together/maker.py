"""The batches of together.py, made by processes beside it: a function of the seed and the step alone."""

import random
import zlib

import numpy

import batches
import wordpiece
from opposites import KEPT_ONE_IN, with_word
from sentences import order, roles, typos
from sentences.negation import Negation
from sentences.variants import FUNCTION_WORDS

TYPED, LONG_TYPED = 0.5, 0.25 # the share of texts with errors, one or two
STOP_TOGGLED = 0.3
NEGATED, OPPOSITE = 0.6, 0.42 # the cosine that is near enough; more in sentences of more than SHORT pieces
MORE_PER_PIECE, SHORT = 0.015, 7
SOURCES = ("captions", "tatoeba", "wordnet", "reviews", "wikinews", "masc", "novels", "clinc", "speeches")


class Draw(random.Random):
    """What the sentences' makers call, faster than numpy's for single draws."""

    def integers(self, low, high=None):
        return self.randrange(low) if high is None else self.randrange(low, high)

    def random_(self, n):
        return [random.Random.random(self) for _ in range(n)]

    def choice(self, of, n=None, replace=True, p=None):
        of = range(of) if isinstance(of, int) else of
        if p is not None:
            return self.choices(of, p)[0]
        return of[self.randrange(len(of))] if n is None else self.sample(of, n)

    def permutation(self, of):
        return self.sample(list(range(of)) if isinstance(of, int) else list(of), of if isinstance(of, int) else len(of))


class Stops(Draw):
    def random(self, n=None):
        return random.Random.random(self) if n is None else numpy.array(self.random_(n))


class Maker:
    def __init__(self, pool, teacher, near, settings):
        """teacher: its tokenizer; near: of each text its neighbours."""
        self.pool, self.teacher, self.near, self.settings = pool, teacher, near, settings
        lists = pool.lists
        roles.DOUBLED[:] = lists["doubled"]
        self.order = order.Order(lists["people"], lists["animals"], lists["verbs"], lists["adjectives"],
                                 things=lists["things"])
        self.negation = Negation(lists["bases"], lists["irregular"])
        self.short, self.long = (numpy.nonzero(pool.long == k)[0] for k in (False, True))
        self.long = self.long[pool.mates[self.long] >= 0]
        self.likely = numpy.cumsum(pool.weight[self.short])
        self.index(lists["partners"])
        self.special = wordpiece.CLS, wordpiece.SEP
        self.teachers = teacher.ids["[CLS]"], teacher.ids["[SEP]"]
        self.stop = pool.student.ids["."]

    def index(self, partners):
        """Of each word with opposites the sentences that have it."""
        pool, ids = self.pool, self.pool.words.ids
        partners = {w: [o for o in others if (w in FUNCTION_WORDS) <= (o in FUNCTION_WORDS)]
                    for w, others in partners.items()}
        partners = {w: others for w, others in partners.items() if others} # not "outgoing" for "in"
        fit = numpy.isin(pool.source, [pool.names.index(s) for s in SOURCES])
        self.plain = numpy.nonzero(fit & (pool.ends - pool.begins >= 3) & (pool.ends - pool.begins <= 15))[0]
        known = numpy.zeros(len(ids), bool)
        known[[ids[w] for w in partners if w in ids]] = True
        lengths = (pool.ends - pool.begins)[self.plain]
        of = numpy.repeat(self.plain, lengths)
        at = numpy.arange(len(of)) - numpy.repeat(numpy.cumsum(lengths) - lengths, lengths)
        word = pool.flat[pool.begins[of] + at]
        keep = known[word]
        of, at, word = of[keep], at[keep], word[keep]
        by = numpy.argsort(word, kind="stable")
        self.of, self.at, word = of[by], at[by], word[by]
        self.words_with, self.first, counts = numpy.unique(word, return_index=True, return_counts=True)
        self.counts, self.partners = counts, partners
        self.often = numpy.cumsum(numpy.minimum(counts, 4000) ** 0.5)

    def strings(self, numbers):
        return [self.pool.words.pieces[w] for w in numbers]

    def ids(self, words):
        return numpy.array(self.pool.student(" ".join(words)) or [wordpiece.UNK], numpy.int16)

    def rows(self, chosen, rng, draw, typed):
        """Of texts the pieces, some with errors, some with a full stop more or less."""
        pool, out = self.pool, []
        begin, end = pool.places[pool.begin[chosen]], pool.places[pool.end[chosen]]
        with_errors, toggled = rng.random(len(chosen)) < typed, rng.random(len(chosen)) < STOP_TOGGLED
        for k, text in enumerate(chosen):
            row = pool.pieces[begin[k]:end[k]]
            if with_errors[k]:
                words = self.strings(pool.flat[pool.begin[text]:pool.end[text]])
                errors = 1 + (draw.random() < 0.4) + len(words) // 40
                row = self.ids(typos.with_errors(words, errors, draw))
            if toggled[k] and len(row) > 1:
                row = row[:-1] if row[-1] == self.stop else numpy.append(row, numpy.int16(self.stop))
            out.append(row[:254])
        return out

    def in_parts(self, chosen, rows, parts):
        lengths = numpy.array([len(r) for r in rows])
        by = numpy.argsort(lengths, kind="stable")
        return chosen[by], [batches.padded([rows[i] for i in part], *self.special) for part in numpy.array_split(by, parts)]

    def taught(self, step, rng, draw):
        s, pool = self.settings, self.pool
        if step % s["long_every"] == s["long_every"] - 1 and len(self.long):
            passages = self.long[rng.integers(len(self.long), size=s["passages"])]
            chosen = numpy.unique(numpy.concatenate([passages, pool.mates[passages]]))
            return self.in_parts(chosen, self.rows(chosen, rng, draw, LONG_TYPED), s["parts"])
        seeds = self.short[numpy.searchsorted(self.likely, rng.random(2 * s["texts"] // 5) * self.likely[-1])]
        near = self.near[seeds[:, None], rng.integers(self.near.shape[1], size=(len(seeds), 2))].reshape(-1)
        chosen = numpy.unique(numpy.concatenate([seeds, pool.mates[seeds], near]))
        chosen = chosen[chosen >= 0]
        return self.in_parts(chosen, self.rows(chosen, rng, draw, TYPED), s["parts"])

    def ranked(self, n, draw):
        """Triples by templates."""
        out = []
        while len(out) < n:
            kind = draw.random()
            triple = (roles.triple(draw) if kind < 0.04 else self.order.relations.triple(draw) if kind < 0.14
                      else self.order.triple(draw))
            if kind >= 0.14 and draw.random() < 0.3:
                triple = [t if t[-1] in ".?" else t + "." for t in triple]
            if all(self.pool.may_show(t) for t in triple):
                out.append(triple)
        return out

    def negated(self, draw):
        """(words, mate or None, negation); see opposites.py."""
        while True:
            sentence = self.plain[draw.randrange(len(self.plain))]
            words = self.strings(self.pool.words_of(sentence))
            if zlib.crc32(" ".join(sorted(words)).encode()) % KEPT_ONE_IN == 0:
                continue
            ways = self.negation.ways(words)
            if not ways:
                continue
            one, other = draw.choice(ways), draw.choice(ways)
            if one != other and draw.random() < 0.3:
                return one, other, words, True, sentence
            return words, None, one, False, sentence

    def opposite(self, draw):
        while True:
            k = int(numpy.searchsorted(self.often, draw.random() * self.often[-1]))
            i = self.first[k] + draw.randrange(self.counts[k])
            sentence, at = self.of[i], self.at[i]
            words = self.strings(self.pool.words_of(sentence))
            word = words[at]
            other = draw.choice(self.partners[word])
            if (zlib.crc32(" ".join(sorted((word, other))).encode()) % KEPT_ONE_IN == 0
                    or words[at - 1:at] in (["not"], ["t"]) or words[at + 1:at + 2] == ["-"]):
                continue
            same = self.pool.lists["synonyms"].get(word)
            mate = with_word(words, at, draw.choice(same)) if same and draw.random() < 0.4 else None
            return words, mate, with_word(words, at, other), mate is not None, sentence

    def opposed(self, n, draw):
        """Rows of three texts, the cosine that is near enough, and which of them surely say the same."""
        rows, levels, sames, pool = ([], [], []), [], [], self.pool
        while len(levels) < n:
            negation = len(levels) < 2 * n // 5
            words, mate, far, same, sentence = self.negated(draw) if negation else self.opposite(draw)
            if not (pool.may_show(words) and pool.may_show(far) and (mate is None or pool.may_show(mate))):
                continue
            if mate is None: # another text that belongs to it, or itself
                text = pool.text_of[sentence]
                other = pool.mates[text] if text >= 0 and not same else -1
                mate = self.strings(pool.flat[pool.begin[other]:pool.end[other]]) if other >= 0 else words
            for row, of in zip(rows, (words, mate, far)):
                row.append(self.ids(of)[:62])
            levels.append((NEGATED if negation else OPPOSITE)
                          + MORE_PER_PIECE * max(0, len(rows[0][-1]) - SHORT))
            sames.append(same)
        return rows, numpy.array(levels, numpy.float32), numpy.array(sames, numpy.float32)

    def __call__(self, step):
        s = self.settings
        rng, draw = numpy.random.default_rng([s["seed"], 2000, step]), Stops(s["seed"] * 1000003 + step)
        chosen, parts = self.taught(step, rng, draw)
        triples = self.ranked(s["ranked"], draw)
        rows = [numpy.array(self.pool.student(t[k]), numpy.int16) for k in range(3) for t in triples]
        said = [numpy.array(self.teacher(t[k]), numpy.int16) for k in range(2) for t in triples]
        opposed, levels, same = self.opposed(s["opposed"], draw)
        rows += opposed[0] + opposed[1] + opposed[2]
        by, apart = self.in_parts(numpy.arange(len(rows)), rows, s["parts"])
        return {"chosen": chosen.astype(numpy.int64), "parts": parts, "apart": apart, "back": numpy.argsort(by),
                "said": batches.padded(said, *self.teachers), "levels": levels, "same": same}
