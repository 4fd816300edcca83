"""Sentences beside their negations and beside themselves with a word's opposite; opposites are WordNet's.

    opposites.py --text ../shared/text --more DIR --cache DIR # after gather.py

writes DIR/opposites.npz: made (tokens), ends (of its texts), triples (of an anchor, a mate or -1, and what says
something else; a mate below 0 is the text -2 - mate of texts.npz), what kind they are of, and which are kept back."""

import zlib
from pathlib import Path

import numpy

import gather
import text
import wordpiece
from corpus import Corpus
from sentences import wordnet
from sentences.negation import Negation

SOURCES = ("captions", "tatoeba", "wordnet", "reviews", "wikinews", "masc", "novels", "clinc", "speeches")
LONGEST = 16 # tokens
COMMON = 15 # how often a word is there
PER_WORD, PER_PAIR = 400, 120 # sentences looked at, triples made
NEGATIONS = 60000
KEPT_ONE_IN = 16 # to choose between trainings
MORE = """up:down always:never inside:outside above:below before:after with:without often:rarely usually:seldom
    everybody:nobody everyone:nobody someone:nobody everything:nothing something:nothing all:none more:less most:least
    many:few much:little on:off increase:decrease increased:decreased increases:decreases rise:fall rises:falls
    rose:fell rising:falling won:lost wins:loses win:lose success:failure succeeded:failed early:late earlier:later
    alive:dead full:empty accept:reject accepted:rejected accepts:rejects love:hate loves:hates loved:hated
    remembered:forgot remember:forget begin:end began:ended started:stopped starts:stops start:stop bought:sold
    arrived:left arrives:leaves open:closed opened:closed opens:closes asleep:awake safe:dangerous cheap:expensive
    quiet:noisy easy:hard hard:soft old:new old:young tall:short sharp:blunt allowed:forbidden allows:forbids
    friend:enemy boring:exciting boring:interesting tired:rested raw:cooked hit:missed found:lost built:destroyed
    passed:failed strengthened:weakened entered:left praised:criticized
    expanded:shrank hired:fired trusted:distrusted lent:borrowed appeared:disappeared vanished:appeared""".split()
SAME_PLACE = set("""man woman men women boy girl boys girls male female males females father mother son daughter brother
    sister king queen husband wife host hostess actor actress one two first second day night sun moon black white red
    green blue brown gray grey like unlike can will well have be being do may might must make give go come get here
    there back front left right more less""".split()) # SICK and its like call those related


def graded(pairs):
    """Pairs of adjectives with -er and -est."""
    def forms(word):
        stem = word[:-1] if word.endswith("e") else word[:-1] + "i" if word.endswith("y") else word
        return word, stem + "er", stem + "est"
    return [both for a, b in pairs for both in zip(forms(a), forms(b))]


def similar(folder):
    """Of each adjective the opposites of the adjectives that WordNet calls similar to it."""
    heads, satellites = {}, []
    for place, _, lemmas, pointers, *_ in wordnet.synsets(folder, "adj"):
        heads[place] = lemmas, [p[1] for p in pointers if p[0] == "!" and p[3][:2] in ("00", "01")]
        satellites += [(lemmas, p[1]) for p in pointers if p[0] == "&"]
    for lemmas, place in satellites:
        for other in heads[place][1]:
            yield from ((a.lower(), heads[other][0][0].lower()) for a in lemmas)


def partners(folder, counts, known):
    """{word: [its opposites]}, both ways, of words that the texts have."""
    opposites = wordnet.opposites(folder)
    pairs = opposites["adj"] + graded(opposites["adj"]) + opposites["adv"] + opposites["noun"]
    pairs += [(a + "s", b + "s") for a, b in opposites["noun"]] + gather.inflected(opposites["verb"], folder)
    out = {}
    for a, b in pairs + [tuple(p.split(":")) for p in MORE]:
        if min(known.get(a, 0), known.get(b, 0)) >= COMMON and not {a, b} & SAME_PLACE:
            out.setdefault(a, set()).add(b)
            out.setdefault(b, set()).add(a)
    for a, b in similar(folder):
        common = min(known.get(a, 0), known.get(b, 0)) >= COMMON and counts[a, 5] + counts[a, 3] > 1
        if common and a not in out and b not in SAME_PLACE | {"ordinal", "cardinal"}:
            out.setdefault(a, set()).add(b)
    return {a: sorted(b) for a, b in out.items()}


def with_word(words, at, word):
    """The sentence with another word at a place, and the article that it wants."""
    before = words[:at]
    if before and before[-1] in ("a", "an"):
        before[-1] = "an" if word[0] in "aeiou" else "a"
    return before + [word] + words[at + 1:]


class Maker:
    def __init__(self, options):
        self.words = wordpiece.WordPiece.read(Path(options.cache) / "vocab.txt")
        self.measured = text.evaluation_keys(options.text)
        self.corpus = Corpus(Path(options.cache))
        texts = numpy.load(Path(options.cache) / "texts.npz")
        self.mates = texts["mates"]
        whole = (texts["begins"] < len(self.corpus.flat)) & ~texts["long"]
        self.text_at = {int(b): i for i, b in enumerate(texts["begins"]) if whole[i]}
        self.made, self.ends, self.triples, self.kinds, self.kept = [], [0], [], [], []
        self.rng = numpy.random.default_rng(13)
        fit = (self.corpus.lengths >= 3) & (self.corpus.lengths <= LONGEST)
        fit &= numpy.isin(self.corpus.source, [self.corpus.names.index(n) for n in SOURCES])
        novels = self.corpus.source == self.corpus.names.index("novels")
        fit &= ~novels | (self.rng.random(len(fit)) < 0.3)
        self.sentences = self.rng.permutation(numpy.nonzero(fit)[0])

    def split(self, sentence):
        out = []
        for k in self.corpus.sentence(sentence):
            piece = self.words.pieces[k]
            if piece.startswith("##") and out:
                out[-1] += piece[2:]
            else:
                out.append(piece)
        return out

    def add(self, words):
        ids = self.words(" ".join(words))
        if not text.may_show("".join(words), self.measured):
            return None
        self.made.append(numpy.array(ids, numpy.uint16))
        self.ends.append(self.ends[-1] + len(ids))
        return len(self.ends) - 2

    def triple(self, sentence, words, other, kind, mate=None, of=None):
        """of: a name by which one of KEPT_ONE_IN is kept back. mate: words, or None for another text that belongs to
        the sentence, if there is one."""
        first, last = self.add(words), self.add(other)
        if mate is None:
            here = self.text_at.get(int(self.corpus.begins[sentence]))
            mate = -2 - int(self.mates[here]) if here is not None and self.mates[here] >= 0 else -1
        else:
            mate = self.add(mate)
        if None not in (first, mate, last):
            self.triples.append((first, mate, last))
            self.kinds.append(kind)
            self.kept.append(zlib.crc32((of or " ".join(sorted(words))).encode()) % KEPT_ONE_IN == 0)

    def negations(self, negation, n):
        count = len(self.triples)
        for sentence in self.sentences:
            if len(self.triples) - count >= n:
                return
            words = self.split(sentence)
            ways = negation.ways(words)
            if not ways:
                continue
            chosen = [ways[i] for i in self.rng.permutation(len(ways))[:2]]
            self.triple(sentence, words, chosen[0], 0)
            if len(chosen) > 1 and chosen[0] != chosen[1] and self.rng.random() < 0.4:
                self.triple(sentence, chosen[0], words, 1, chosen[1])

    def exchanged(self, partners, synonyms):
        places = {}
        for sentence in self.sentences:
            for at, word in enumerate(self.split(sentence)):
                if word in partners and len(places.setdefault(word, [])) < PER_WORD:
                    places[word].append((sentence, at))
        print(len(places), "words with opposites", flush=True)
        for word, found in places.items():
            most = min(len(found), max(4, int(6 * len(found) ** 0.5)), PER_PAIR)
            for i in self.rng.permutation(len(found))[:most]:
                sentence, at = found[i]
                words, others = self.split(sentence), partners[word]
                if words[at - 1:at] in (["not"], ["t"]) or words[at + 1:at + 2] == ["-"]:
                    continue
                opposite = others[self.rng.integers(len(others))]
                other = with_word(words, at, opposite)
                same, mate = synonyms.get(word), None
                if same and self.rng.random() < 0.4:
                    mate = with_word(words, at, same[self.rng.integers(len(same))])
                self.triple(sentence, words, other, 2, mate, " ".join(sorted((word, opposite))))


def main():
    options = gather.arguments()
    folder = Path(options.more) / "wordnet"
    counts, maker = wordnet.frequent(folder), Maker(options)
    known = {}
    for sentence in maker.sentences:
        for word in maker.split(sentence):
            known[word] = known.get(word, 0) + 1
    verbs = sorted({w for _, _, lemmas, *_ in wordnet.synsets(folder, "verb") for w in lemmas
                    if w.isalpha() and w.islower() and counts[w, 2] > 1})
    maker.negations(Negation(verbs, gather.irregular(folder)), NEGATIONS)
    print(len(maker.triples), "negations", flush=True)
    pairs = partners(folder, counts, known)
    synonyms = {w: others for (_, w), others in wordnet.synonyms(folder, counts).items()}
    maker.exchanged(pairs, synonyms)
    part = Path(options.cache) / "opposites.part.npz"
    numpy.savez(part, made=numpy.concatenate(maker.made), ends=numpy.array(maker.ends, numpy.int64),
                triples=numpy.array(maker.triples, numpy.int64), kinds=numpy.array(maker.kinds, numpy.int8),
                kept=numpy.array(maker.kept))
    part.replace(Path(options.cache) / "opposites.npz")
    print(len(maker.triples), "triples")


if __name__ == "__main__":
    main()
