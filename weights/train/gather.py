"""Texts of which stage 2 learns what its teacher says, and the ranked ones that it learns without one.

    gather.py --text ../shared/text --more DIR --cache DIR

writes DIR/texts.npz. A text is a span of tokens: of the corpus, or of the texts made here, which follow the corpus.
begins, lengths; mate: another text that belongs to it, or -1; long: whether it is a passage; ranked: triples of texts,
of which the first and the second say the same, the third does not; loose: whether they do so more or less. A second
one that is -1 is the nearest that the teacher knows (distill.py)."""

import argparse
from pathlib import Path

import numpy

import text
import wordpiece
from corpus import REPEAT, Corpus
from sentences import roles, wordnet
from sentences.relations import Relations
from sentences.variants import Variants

SHORTEST, LONGEST, PASSAGE = 3, 60, 250 # tokens
NOVELS = 0.45 # the share of their sentences
TRIPLES = {"roles": 40000, "relations": 200000, "negations": 180000, "opposites": 330000, "others": 50000}
REPLACED, LISTS = 300000, 60000
CHANGED = ("captions", "tatoeba", "wikinews", "wordnet", "masc", "clinc", "speeches")


def irregular(folder):
    """Past and participle of verbs that have their own, and doubled letters, of WordNet's list of exceptions."""
    forms = {}
    for line in (Path(folder) / "verb.exc").read_text(encoding="utf-8").splitlines():
        form, base = line.split()[:2]
        if form.isalpha() and not form.endswith("ing") and not form.endswith("s"):
            forms.setdefault(base, []).append(form)
    return forms


def inflected(pairs, folder):
    """Pairs of verbs in all their forms."""
    own = irregular(folder)

    def forms(base):
        past = own.get(base, [roles.past(base)])
        return base, roles.third(base), roles.going_on(base), past[0], past[-1]
    return [both for a, b in pairs if min(len(a), len(b)) > 1 for both in zip(forms(a), forms(b))]


def verbs(folder, counts, measured):
    """(base, past, participle) of what people do to each other, but for those in the sentences that measure."""
    known, out = irregular(folder), []
    for base in wordnet.verbs_of_people(folder, counts, 4):
        own = known.get(base, [roles.past(base)])
        last = [f for f in own if f.endswith(("n", "ne", "ung", "unk", "um"))] if len(own) > 1 else own
        before = [f for f in own if f not in last] or own
        if last and len(own) <= 2 and before[0] not in measured and last[0] not in measured:
            if before[0].endswith(base[-1] * 2 + "ed") and base not in roles.DOUBLED:
                roles.DOUBLED.append(base)
            out.append((base, before[0], last[0]))
    return out


def measured_words():
    return set(" ".join(" ".join(row[1:]) for row in text.measured_tables()).lower().split())


class Gatherer:
    def __init__(self, options):
        self.words = wordpiece.WordPiece.read(Path(options.cache) / "vocab.txt")
        self.corpus = Corpus(Path(options.cache))
        self.variants = Variants(self.words)
        self.measured = text.evaluation_keys(options.text)
        self.begins, self.lengths, self.mates, self.long = [], [], [], []
        self.made, self.end, self.count = [], len(self.corpus.flat), 0
        self.rng = numpy.random.default_rng(7)
        self.at = {} # the text of a sentence of the corpus

    def spans(self, begins, lengths, long=False):
        """Adds spans of the corpus; returns the first one's number."""
        first = self.count
        self.begins.append(begins)
        self.lengths.append(lengths)
        self.long.append(numpy.full(len(begins), long))
        self.mates.append(numpy.full(len(begins), -1))
        self.count += len(begins)
        return first

    def add(self, ids, mate=-1):
        """Adds a made text; returns its number, or None where it must not be shown."""
        if ids is None or len(ids) < 1 or not text.may_show("".join(self.words.pieces[i] for i in ids), self.measured):
            return None
        self.made.append(numpy.asarray(ids[:LONGEST], numpy.uint16))
        length = len(self.made[-1])
        self.begins.append(numpy.array([self.end]))
        self.lengths.append(numpy.array([length]))
        self.long.append(numpy.zeros(1, bool))
        self.mates.append(numpy.array([mate]))
        self.end += length
        self.count += 1
        return self.count - 1

    def sentences(self):
        corpus = self.corpus
        fit = (corpus.lengths >= SHORTEST) & (corpus.lengths <= LONGEST)
        novel = corpus.source == corpus.names.index("novels")
        chosen = numpy.nonzero(fit & (~novel | (self.rng.random(len(fit)) < NOVELS)))[0]
        self.of(chosen)

    def of(self, chosen):
        """Adds these sentences of the corpus."""
        corpus = self.corpus
        first = self.spans(corpus.begins[chosen], corpus.lengths[chosen])
        self.at = {int(s): first + k for k, s in enumerate(chosen)}
        # Two captions of one image are mates.
        mates = self.mates[0]
        captions = corpus.source[chosen] == corpus.names.index("captions")
        same = numpy.nonzero(captions[:-1] & (corpus.document[chosen][:-1] == corpus.document[chosen][1:]))[0]
        mates[same] = first + same + 1
        mates[same + 1] = numpy.where(mates[same + 1] < 0, first + same, mates[same + 1])
        self.captions = numpy.nonzero(captions)[0]

    def passages(self):
        """Runs of sentences of one document, and the one that begins it as its mate: a headline, a question."""
        corpus = self.corpus
        _, firsts = numpy.unique(corpus.document, return_index=True)
        name = numpy.array(corpus.names)[corpus.source[firsts]]
        running = numpy.isin(name, ("packages", "wikinews", "speeches", "masc", "novels"))
        keep = running & ((name != "novels") | (self.rng.random(len(firsts)) < 0.15))
        self.runs(firsts[keep])

    def runs(self, firsts):
        """Adds the passages of the documents that begin with these sentences."""
        corpus = self.corpus
        for document in firsts:
            begin, stop = int(corpus.begins[document]), int(corpus.document_ends[document])
            head = int(corpus.ends[document])
            while stop - begin >= 40:
                most = min(begin + int(self.rng.integers(60, PASSAGE)), stop)
                end = int(corpus.ends[numpy.searchsorted(corpus.ends, most, "right") - 1])
                end = end if end > begin + 20 else most
                self.spans(numpy.array([begin]), numpy.array([end - begin]), long=True)
                self.mates[-1][0] = self.at.get(int(numpy.searchsorted(corpus.ends, begin, "right")), -1)
                if end - head > 30 and begin < head:
                    self.spans(numpy.array([head]), numpy.array([end - head]), long=True)
                    self.mates[-1][0] = self.at.get(int(document), -1)
                begin = end

    def changeable(self):
        of = [self.corpus.names.index(n) for n in CHANGED]
        fit = numpy.isin(self.corpus.source, of) & (self.corpus.lengths >= 4) & (self.corpus.lengths <= 28)
        chosen = numpy.nonzero(fit)[0]
        weight = numpy.array([REPEAT[n] for n in self.corpus.names])[self.corpus.source[chosen]]
        return chosen, numpy.cumsum(weight) / weight.sum()

    def replaced(self, n):
        """Sentences with another word: the teacher says how much that is."""
        chosen, likely = self.changeable()
        picks = chosen[numpy.searchsorted(likely, self.rng.random((n, 2)))]
        for a, b in picks:
            kind = self.rng.random()
            ids = self.corpus.sentence(a)
            if kind < 0.7:
                other = self.variants.replaced(ids, self.corpus.sentence(b), self.rng)
            else:
                other = self.variants.exchanged_word(ids, self.synonyms if kind < 0.9 else self.opposites, self.rng)
            if other is not None:
                self.add(other, self.at.get(int(a), -1))

    def lists(self, lemmas):
        """Single words, and a few beside each other."""
        for piece, number in self.words.ids.items():
            if piece.isalpha():
                self.add([number])
        for _ in range(LISTS):
            words = [lemmas[i] for i in self.rng.integers(len(lemmas), size=self.rng.integers(1, 6))]
            self.add(self.words(" ".join(words)))

    def ids_of(self, pairs):
        """A dict from ids of single pieces to those of their partners."""
        out = {}
        for a, b in pairs:
            if a in self.words.ids and b in self.words.ids:
                out.setdefault(self.words.ids[a], []).append(self.words.ids[b])
        return out

    def words_of_wordnet(self, folder):
        opposites = wordnet.opposites(folder)
        opposites["verb"] = inflected(opposites["verb"], folder)
        synonyms = wordnet.synonyms(folder, wordnet.frequent(folder))
        self.opposites = self.ids_of(pair for pairs in opposites.values() for pair in pairs)
        self.synonyms = self.ids_of([(w, o) for (_, w), others in synonyms.items() for o in others])

    def of_templates(self, make, n):
        triples = []
        while len(triples) < n:
            ids = [self.words(t) for t in make(self.rng)]
            if all(text.may_show("".join(self.words.pieces[i] for i in t), self.measured) for t in ids):
                triples.append([self.add(t) for t in ids])
        return triples

    def of_sentences(self, change, n):
        """Triples of a sentence, another one that says it, and the sentence changed."""
        chosen, likely = self.changeable()
        triples = []
        for s in chosen[numpy.searchsorted(likely, self.rng.random(n))]:
            ids, here = self.corpus.sentence(s), self.at.get(int(s), -1)
            other = change(ids)
            if other is None or here < 0 or numpy.array_equal(other, ids):
                continue
            mate, kind = -1, self.rng.random()
            if kind < 0.5 and self.mates[0][here] >= 0:
                mate = int(self.mates[0][here])
            elif kind < 0.75:
                again = self.variants.exchanged_word(ids, self.synonyms, self.rng)
                again = self.variants.restated(ids if again is None else again, self.rng)
                mate = self.add(again, here)
            far = self.add(other)
            if far is not None and mate is not None and mate != here:
                triples.append([here, mate, far])
        return triples

    def ranked(self, options, counts):
        folder = Path(options.more) / "wordnet"
        measured = measured_words()
        people = [w for w in wordnet.nouns_of(folder, counts, wordnet.PERSON, 3) if w not in measured]
        animals = [w for w in wordnet.nouns_of(folder, counts, wordnet.ANIMAL, 1) if w not in measured]
        compared = [p for p in wordnet.opposites(folder)["adj"]
                    if measured.isdisjoint(p) and min(counts[w, 3] + counts[w, 5] for w in p) > 4]
        relations = Relations(people, animals, verbs(folder, counts, measured), compared)
        print(len(compared), "pairs of adjectives")
        print(len(people), "people,", len(animals), "animals,", len(relations.verbs), "verbs", flush=True)
        v, rng, sentence = self.variants, self.rng, self.corpus.sentence
        chosen, _ = self.changeable()

        def other(ids):
            if rng.random() < 0.5:
                return v.reordered(ids, rng)
            return v.replaced(ids, sentence(chosen[rng.integers(len(chosen))]), rng)
        exact = (self.of_templates(roles.triple, TRIPLES["roles"])
                 + self.of_templates(relations.triple, TRIPLES["relations"]))
        loose = (self.of_sentences(lambda ids: v.negated(ids, rng), TRIPLES["negations"])
                 + self.of_sentences(lambda ids: v.exchanged_word(ids, self.opposites, rng), TRIPLES["opposites"])
                 + self.of_sentences(other, TRIPLES["others"]))
        return numpy.array(exact + loose, numpy.int32), numpy.arange(len(exact) + len(loose)) >= len(exact)

    def write(self, cache, ranked, loose):
        part = Path(cache) / "texts.part.npz"
        numpy.savez(part, made=numpy.concatenate(self.made), begins=numpy.concatenate(self.begins).astype(numpy.int32),
                    lengths=numpy.concatenate(self.lengths).astype(numpy.int16), long=numpy.concatenate(self.long),
                    mates=numpy.concatenate(self.mates).astype(numpy.int32), ranked=ranked, loose=loose)
        part.replace(Path(cache) / "texts.npz")


def arguments():
    """The options of this script and of opposites.py."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True, help="the folder of the texts")
    parser.add_argument("--more", required=True, help="the folder of what fetch.sh brings")
    parser.add_argument("--cache", required=True)
    return parser.parse_args()


def main():
    options = arguments()
    folder = Path(options.more) / "wordnet"
    counts = wordnet.frequent(folder)
    g = Gatherer(options)
    g.words_of_wordnet(folder)
    lemmas = sorted({w for part in wordnet.PARTS for _, _, ws, *_ in wordnet.synsets(folder, part) for w in ws})
    g.sentences()
    print(g.count, "sentences", len(g.opposites), "words with opposites", flush=True)
    ranked, loose = g.ranked(options, counts)
    print(len(ranked), "ranked", flush=True)
    g.replaced(REPLACED)
    g.lists(lemmas)
    print(g.count, "with made ones", flush=True)
    g.passages()
    g.write(options.cache, ranked, loose)
    print(g.count, "texts")


if __name__ == "__main__":
    main()
