"""The texts of pack.py, unpacked: sentences, passages, and texts made of them, as spans of numbers of words; and the
pieces of these for two vocabularies."""

import json
import lzma
import zlib
from pathlib import Path

import numpy

import text
import wordpiece
from sentences.variants import Variants

SHORTEST, LONGEST = 3, 60 # pieces of a short text
PASSAGE = (60, 250)
RUNNING = {"packages": 1, "wikinews": 1, "speeches": 1, "masc": 1, "terms": 1, "novels": 0.4}
# How likely a text of a source is drawn, beside one of novels.
WEIGHT = {"novels": 1, "wikinews": 2, "speeches": 1, "masc": 3, "reviews": 2, "tatoeba": 4, "captions": 6, "clinc": 3,
          "banking": 2, "snips": 1, "packages": 1, "wordnet": 2, "terms": 1.2, "made": 2, "lists": 1}
CHANGED = ("captions", "tatoeba", "wikinews", "wordnet", "masc", "clinc", "speeches", "reviews")
REPLACED, LISTS = 150000, 80000


def read_xz(path):
    with lzma.open(path) as file:
        return dict(numpy.load(file))


class Words:
    """All words, as a tokenizer of whole words."""

    def __init__(self, words):
        self.pieces = list(words)
        self.ids = {w: i for i, w in enumerate(self.pieces)}

    def add(self, word):
        if word not in self.ids:
            self.ids[word] = len(self.pieces)
            self.pieces.append(word)
        return self.ids[word]


class Pieces:
    """Of each word its pieces, and of a text of words."""

    def __init__(self, tokenizer, words):
        split = [tokenizer(w) for w in words]
        self.lengths = numpy.array([len(s) for s in split], numpy.int32)
        self.begins = numpy.cumsum(self.lengths, dtype=numpy.int64) - self.lengths
        self.flat = numpy.array([i for s in split for i in s], numpy.int32)

    def of(self, words):
        """The flat pieces, and the place of each word's first one (and of the end)."""
        lengths = self.lengths[words]
        places = numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)])
        at = numpy.repeat(self.begins[words] - places[:-1], lengths) + numpy.arange(places[-1])
        return self.flat[at].astype(numpy.int16), places


class Pool:
    def __init__(self, folder, sample=1):
        """sample: one of so many documents, to try it."""
        folder = Path(folder)
        a = read_xz(folder / "texts.npz.xz")
        self.lists = json.loads(lzma.open(folder / "words.json.xz").read())
        self.measured = set(numpy.load(folder / "measured.npy").tolist())
        self.words = Words(a["words"].tobytes().decode().split("\n"))
        flat = a["flat"].astype(numpy.int32)
        flat[flat == 65535] = a["rare"]
        self.names = [str(s) for s in a["sources"]]
        self.source, self.document, self.ends = a["source"], a["document"], a["ends"].astype(numpy.int64)
        if sample > 1:
            keep, lengths = self.document % sample == 0, numpy.diff(self.ends, prepend=0)
            flat, self.source, self.document = flat[numpy.repeat(keep, lengths)], self.source[keep], self.document[keep]
            self.ends = numpy.cumsum(lengths[keep])
        self.begins = numpy.concatenate([[0], self.ends[:-1]])
        self.flat, self.rng = flat, numpy.random.default_rng(7)
        self.student = wordpiece.WordPiece.read(folder / "vocab.txt")
        self.spans = {"begins": [], "ends": [], "mates": [], "long": [], "weight": []}
        self.count, self.made = 0, []
        for lemma in self.lists["lemmas"]:
            for word in wordpiece.words(lemma):
                self.words.add(word)
        pieces = Pieces(self.student, self.words.pieces)
        self.sentences(pieces)
        self.passages()
        self.replaced(REPLACED // sample)
        self.word_lists(LISTS // sample)
        self.flat = numpy.concatenate([self.flat, *self.made])
        self.begin, self.end, self.mates, self.long, self.weight = (
            numpy.concatenate(self.spans[k]) for k in ("begins", "ends", "mates", "long", "weight"))
        self.pieces, self.places = pieces.of(self.flat)

    def add(self, begins, ends, mates, long, weight):
        n = len(begins)
        for key, value in zip(self.spans, (begins, ends, mates, numpy.full(n, long), numpy.broadcast_to(weight, n))):
            self.spans[key].append(numpy.asarray(value))
        self.count += n

    def sentences(self, pieces):
        lengths = pieces.lengths[self.flat]
        before = numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)])
        self.from_piece, self.to_piece = before[self.begins], before[self.ends]
        long = self.to_piece - self.from_piece
        chosen = numpy.nonzero((long >= SHORTEST) & (long <= LONGEST))[0]
        self.text_of = numpy.full(len(self.ends), -1)
        self.text_of[chosen] = numpy.arange(len(chosen))
        self.sentence_of = chosen
        mates, place = numpy.full(len(chosen), -1), self.names.index("captions")
        same = numpy.nonzero((self.source[chosen][:-1] == place)
                             & (self.document[chosen][:-1] == self.document[chosen][1:]))[0]
        mates[same] = same + 1
        mates[same + 1] = numpy.where(mates[same + 1] < 0, same, mates[same + 1])
        weight = numpy.array([WEIGHT[n] for n in self.names])[self.source[chosen]]
        self.add(self.begins[chosen], self.ends[chosen], mates, False, weight)

    def passages(self):
        """Runs of sentences of a document, whose mate is the one that begins them: a title, a word explained."""
        _, firsts = numpy.unique(self.document, return_index=True)
        stops = numpy.append(firsts[1:], len(self.document))
        share = numpy.array([RUNNING.get(n, 0) for n in self.names])[self.source[firsts]]
        keep = (self.rng.random(len(firsts)) < share) & (stops - firsts > 1)
        keep &= self.to_piece[stops - 1] - self.from_piece[firsts] >= 40
        spans = []
        for first, stop in zip(firsts[keep].tolist(), stops[keep].tolist()):
            at = first
            while at < stop:
                most = self.from_piece[at] + int(self.rng.integers(*PASSAGE))
                end = min(stop, int(numpy.searchsorted(self.to_piece[at:stop], most, "right")) + at)
                if end - at > 1 and self.to_piece[end - 1] - self.from_piece[at] >= 40:
                    spans.append((at, end, self.text_of[at]))
                    if at == first and self.to_piece[end - 1] - self.from_piece[at + 1] >= 30:
                        spans.append((at + 1, end, self.text_of[at]))
                at = max(end, at + 1)
        spans = numpy.array(spans, numpy.int64).reshape(-1, 3)
        self.add(self.begins[spans[:, 0]], self.ends[spans[:, 1] - 1], spans[:, 2], True, 1)

    def words_of(self, sentence):
        return self.flat[self.begins[sentence]:self.ends[sentence]]

    def may_show(self, words):
        key = text.key("".join(words))
        sum_ = zlib.crc32(key.encode())
        return sum_ not in self.measured and sum_ % text.HELD_OUT_ONE_IN != 0

    def append(self, rows, mates, weight):
        lengths = numpy.array([len(r) for r in rows])
        first = len(self.flat) + sum(map(len, self.made))
        self.made.append(numpy.array([w for r in rows for w in r], numpy.int32))
        ends = first + numpy.cumsum(lengths)
        self.add(ends - lengths, ends, mates, False, weight)

    def replaced(self, n):
        """Sentences with another word: the teacher says how much that is."""
        ids, rng, variants = self.words.ids, self.rng, Variants(self.words)
        synonyms = {ids[w]: [ids[o] for o in others if o in ids]
                    for w, others in self.lists["synonyms"].items() if w in ids}
        synonyms = {w: others for w, others in synonyms.items() if others}
        fit = numpy.isin(self.source, [self.names.index(s) for s in CHANGED]) & (self.text_of >= 0)
        fit = numpy.nonzero(fit & (self.ends - self.begins >= 4) & (self.ends - self.begins <= 24))[0]
        rows, mates = [], []
        weight = numpy.cumsum(numpy.array([WEIGHT[s] for s in self.names])[self.source[fit]])
        for a, b in fit[numpy.searchsorted(weight, rng.random((n, 2)) * weight[-1])]:
            words = self.words_of(a)
            row = (variants.replaced(words, self.words_of(b), rng) if rng.random() < 0.75
                   else variants.exchanged_word(words, synonyms, rng))
            if row is not None and self.may_show([self.words.pieces[w] for w in row]):
                rows.append(row)
                mates.append(self.text_of[a])
        self.append(rows, mates, WEIGHT["made"])

    def word_lists(self, n):
        """Words, and a few beside each other."""
        single = [w for w in self.words.pieces[:40000] if w.isalpha()]
        lemmas = [wordpiece.words(w) for w in self.lists["lemmas"]]
        rows = [[self.words.ids[w]] for w in single[:max(100, n // 2)]]
        for _ in range(n):
            some = self.rng.integers(len(lemmas), size=self.rng.integers(1, 6))
            rows.append([self.words.ids[w] for i in some for w in lemmas[i]][:24])
        rows = [r for r in rows if r]
        self.append(rows, numpy.full(len(rows), -1), WEIGHT["lists"])
