"""BERT's lower-cased tokenization in Python, and the training of its vocabulary."""

import heapq
import re
import unicodedata
from collections import Counter, defaultdict

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = range(5)
CONTROL, PLAIN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]"), re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


def is_punctuation(c):
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c)[0] == "P"


def is_chinese(c):
    return 0x4E00 <= ord(c) <= 0x9FFF or 0x3400 <= ord(c) <= 0x4DBF or 0xF900 <= ord(c) <= 0xFAFF


def words(text):
    """Words and punctuation marks after BERT's normalisation: no control characters, no accents,
    lower case."""
    if text.isascii() and not CONTROL.search(text): # the same, faster
        return PLAIN.findall(text.lower())
    out = []
    for c in unicodedata.normalize("NFD", text):
        category = unicodedata.category(c)
        if c.isspace():
            out.append(" ")
        elif category == "Mn" or category[0] == "C":
            continue
        elif is_punctuation(c) or is_chinese(c):
            out.append(" " + c + " ")
        else:
            out.append(c)
    return "".join(out).lower().split()


class WordPiece:
    def __init__(self, vocabulary):
        self.pieces = list(vocabulary)
        self.ids = {piece: i for i, piece in enumerate(self.pieces)}
        self.longest = max(len(piece) for piece in self.pieces)
        self.known = {}

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls([line.rstrip("\n") for line in file])

    def split(self, word):
        if len(word) > 100:
            return [UNK]
        ids, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                found = self.ids.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return [UNK]
            ids.append(found)
            start = end
        return ids

    def __call__(self, text):
        ids = []
        for word in words(text):
            if word not in self.known:
                self.known[word] = self.split(word)
            ids += self.known[word]
        return ids


def train(counts, size, alphabet_size=160):
    """A vocabulary of single characters and of the pairs of pieces that are most frequent, one merge
    after the other, in the words of a dict of counts."""
    characters = Counter()
    for word, n in counts.items():
        for c in set(word):
            characters[c] += n
    alphabet = {c for c, _ in characters.most_common(alphabet_size)}
    alphabet |= set("abcdefghijklmnopqrstuvwxyz0123456789")
    words_, numbers = [], []
    for word, n in sorted(counts.items()):
        if set(word) <= alphabet:
            words_.append([word[0]] + ["##" + c for c in word[1:]])
            numbers.append(n)

    pieces = SPECIAL + sorted(alphabet | {c for c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"})
    pieces += sorted({p for w in words_ for p in w} - set(pieces))
    have = set(pieces)
    pairs, where = Counter(), defaultdict(set)
    for i, word in enumerate(words_):
        for pair in zip(word, word[1:]):
            pairs[pair] += numbers[i]
            where[pair].add(i)
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    while len(pieces) < size and heap:
        n, pair = heapq.heappop(heap)
        if pairs.get(pair, 0) != -n:
            if pairs.get(pair, 0) > 0:
                heapq.heappush(heap, (-pairs[pair], pair))
            continue
        merged = pair[0] + pair[1][2:]
        if merged not in have:
            have.add(merged)
            pieces.append(merged)
        changed = set()
        for i in where.pop(pair):
            word = words_[i]
            for old in zip(word, word[1:]):
                pairs[old] -= numbers[i]
                changed.add(old)
            k, new = 0, []
            while k < len(word):
                if k + 1 < len(word) and (word[k], word[k + 1]) == pair:
                    new.append(merged)
                    k += 2
                else:
                    new.append(word[k])
                    k += 1
            words_[i] = new
            for now in zip(new, new[1:]):
                pairs[now] += numbers[i]
                where[now].add(i)
                changed.add(now)
        for p in changed:
            if pairs[p] > 0:
                heapq.heappush(heap, (-pairs[p], p))
    return pieces
