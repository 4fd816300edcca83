"""What is measured: agreement with people, masked words, word order."""

import math
import random
import re
from collections import Counter, defaultdict

import numpy


def ranks(values):
    """From 0, with the mean of their places for equal values."""
    _, inverse, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - (counts + 1) / 2)[inverse]


def spearman(a, b):
    return float(numpy.corrcoef(ranks(a), ranks(b))[0, 1])


class MeanOfWords:
    """The line to beat: the mean of a text's word vectors."""

    def __init__(self, path):
        self.rows = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                word, *values = line.split(" ")
                self.rows[word] = numpy.array(values, float)

    def vector(self, text):
        rows = [self.rows[w] for w in re.findall(r"[a-z0-9]+", text.lower()) if w in self.rows]
        mean = numpy.mean(rows, axis=0) if rows else numpy.zeros(50)
        return mean / (numpy.linalg.norm(mean) + 1e-12)

    def cosines(self, pairs):
        return numpy.array([self.vector(a) @ self.vector(b) for a, b, *_ in pairs])


def terms(text):
    return re.findall(r"[a-z0-9]+", text.lower())


class TermWeights:
    """What words alone say: cosines of TF-IDF, and BM25. Made for texts, whose words it counts."""

    def __init__(self, texts):
        self.counts = [Counter(terms(t)) for t in texts]
        self.having = defaultdict(list) # of each term the places of the texts that have it
        for i, counts in enumerate(self.counts):
            for term in counts:
                self.having[term].append(i)
        self.mean_length = sum(map(len, map(terms, texts))) / len(texts)

    def vector(self, text):
        rarity = {t: math.log(1 + len(self.counts) / (1 + len(self.having.get(t, ())))) for t in terms(text)}
        weights = {t: n * rarity[t] for t, n in Counter(terms(text)).items()}
        length = math.sqrt(sum(w * w for w in weights.values())) or 1
        return {t: w / length for t, w in weights.items()}

    def cosine(self, a, b):
        a, b = self.vector(a), self.vector(b)
        return sum(w * b.get(t, 0) for t, w in a.items())

    def bm25(self, query, k=1.2, b=0.75):
        """Of each of the texts its score."""
        scores = numpy.zeros(len(self.counts))
        for term in terms(query):
            found = self.having.get(term, ())
            rarity = math.log(1 + (len(self.counts) - len(found) + 0.5) / (len(found) + 0.5))
            for i in found:
                n, length = self.counts[i][term], sum(self.counts[i].values()) / self.mean_length
                scores[i] += rarity * n * (k + 1) / (n + k * (1 - b + b * length))
        return scores


class WordsAlone:
    """Cosines of TF-IDF, by the words of the pairs that are asked for."""

    def cosines(self, pairs):
        weights = TermWeights([s for pair in pairs for s in pair[:2]])
        return numpy.array([weights.cosine(*pair[:2]) for pair in pairs])


def bag(text):
    return sorted(re.findall(r"\w+|[^\w\s]", text.lower()))


def reordered(pairs):
    """Those pairs that hold the same words in another order."""
    return [(a, b) for a, b in pairs if bag(a) == bag(b) and a.lower() != b.lower()]


def mask_words(engine, lines):
    """Of lines (kind, text): (kind, text with one word masked, that word), of 6 to 40 words, where the word, drawn by
    a fixed seed, is one piece."""
    draw, chosen = random.Random(1), []
    for kind, line in lines:
        words = list(re.finditer(r"(?<![\w'’-])[A-Za-z]+(?![\w'’-])", line))
        if 6 <= len(words) <= 40:
            word = draw.choice(words)
            chosen.append((kind, line[:word.start()] + "[MASK]" + line[word.end():], word.group().lower()))
    return [c for c, n in zip(chosen, engine.pieces([word for *_, word in chosen])) if n == 1]


def masked(engine, cases):
    """Of each case whether the word is the first guess, and whether it is among the first five."""
    guesses = engine.filled([text for _, text, _ in cases])
    return numpy.array([(g[0] == word, word in g) for g, (*_, word) in zip(guesses, cases)], float)


def order(triples, cosines):
    """Of each kind the share of triples in which what says the same is nearer; "AUC": how often any pair that says the
    same is nearer than any pair that does not."""
    same, other = (numpy.array(cosines([(t[1], t[k]) for t in triples])) for k in (2, 3))
    out = {kind: float((same > other)[[t[0] == kind for t in triples]].mean())
           for kind in dict.fromkeys(t[0] for t in triples)}
    out["AUC"] = float((ranks(numpy.concatenate([same, other]))[:len(same)].mean() - (len(same) - 1) / 2) / len(other))
    return out


# What the default weights shall have (quality.py says by what), and how much worse others may be in one.
GOALS = {"STS-B dev": 0.845, "STS-B dev with a typed error": 0.77, "SICK trial": 0.79, "worst kind of order": 0.5,
         "AUC of order": 0.7, "negations": 0.88, "opposites": 0.6, "Cranfield": 0.42, "Cranfield --hybrid": 0.53,
         "masked words": 0.42}
WORSE = 0.01


def replaces(former, candidate):
    """Why the candidate may not replace the former file: it must be better in all goals but one, and worse by more than
    0.01 in none and in no kind of order. Figures by their names; no reason, it may."""
    same = [name for name in GOALS if candidate[name] <= former[name]]
    worse = [name for name in former if former[name] - candidate[name] > WORSE + 1e-9]
    return (["not better in " + ", ".join(same)] if len(same) > 1 else []) + (
        ["worse in " + ", ".join(worse)] if worse else [])
