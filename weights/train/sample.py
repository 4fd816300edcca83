"""The texts of stage 4: fewer than those of stages 2 and 3, and triples of order.

    sample.py --text ../shared/text --more DIR --cache DIR
    sample.py --order DIR     tests/quality/order.tsv, of the words in DIR/wordnet: what measures the order

The first writes DIR/texts.npz as gather.py does, without ranked ones, and DIR/order.npz: made (tokens), ends (of its
texts), triples (of a sentence, another that says the same, and one that does not)."""

import sys
from pathlib import Path

import numpy

import gather
import text
from sentences import order, roles, wordnet

# The share of each source's sentences.
RATES = {"captions": 1, "tatoeba": 0.3, "wikinews": 0.1, "wordnet": 0.12, "packages": 0.08, "terms": 0.1, "masc": 0.2,
         "clinc": 0.5, "banking": 0.5, "snips": 0.25, "reviews": 0.1, "speeches": 0.1, "novels": 0.008}
PASSAGES = {"packages": 0.04, "wikinews": 0.15, "terms": 0.06, "masc": 0.1}
REPLACED = 12000
MEASURED = 60 # of each kind
TRIPLES = {"roles": 3000, "relations": 5000, "order": 60000}


class Sampler(gather.Gatherer):
    def sentences(self):
        corpus = self.corpus
        rate = numpy.array([RATES[n] for n in corpus.names])
        fit = (corpus.lengths >= gather.SHORTEST) & (corpus.lengths <= gather.LONGEST)
        chosen = numpy.nonzero(fit & (self.rng.random(len(fit)) < rate[corpus.source]))[0]
        self.of(chosen)

    def passages(self):
        corpus = self.corpus
        _, firsts = numpy.unique(corpus.document, return_index=True)
        rate = numpy.array([PASSAGES.get(n, 0) for n in corpus.names])
        self.runs(firsts[self.rng.random(len(firsts)) < rate[corpus.source[firsts]]])


def of_wordnet(folder, measured):
    """Triples of words that WordNet counts and the tables of sentences that measure do not have."""
    counts = wordnet.frequent(folder)
    known = gather.measured_words()
    people = [w for w in wordnet.nouns_of(folder, counts, wordnet.PERSON, 3) if w not in known]
    animals = [w for w in wordnet.nouns_of(folder, counts, wordnet.ANIMAL, 1) if w not in known]
    adjectives = [p for p in wordnet.opposites(folder)["adj"]
                  if known.isdisjoint(p) and min(counts[w, 3] + counts[w, 5] for w in p) > 4]
    return order.Order(people, animals, gather.verbs(folder, counts, known), adjectives, measured)


def measured_order(folder, path):
    """Writes the triples to measure with."""
    known, rng = of_wordnet(folder, True), numpy.random.default_rng(17)
    with open(path, "w", encoding="utf-8") as out:
        for kind in order.FORMS:
            rows = set()
            while len(rows) < MEASURED:
                rows.add("\t".join((kind, *known.triple(rng, kind))) + "\n")
            out.write("".join(sorted(rows)))


def triples(words, folder, rng):
    """Of templates, as rows of texts."""
    known = of_wordnet(folder, False)
    made = [roles.triple] * TRIPLES["roles"] + [known.relations.triple] * TRIPLES["relations"] + [
        known.triple] * TRIPLES["order"]
    return [make(rng) for make in made]


def main():
    if sys.argv[1] == "--order":
        return measured_order(Path(sys.argv[2]) / "wordnet", text.ORDER)
    options = gather.arguments()
    folder = Path(options.more) / "wordnet"
    g = Sampler(options)
    g.words_of_wordnet(folder)
    g.sentences()
    print(g.count, "sentences", flush=True)
    g.replaced(REPLACED)
    g.passages()
    print(g.count, "texts", flush=True)
    g.write(options.cache, numpy.zeros((0, 3), numpy.int32), numpy.zeros(0, bool))

    rows = [t for t in triples(g.words, folder, g.rng) if all(text.may_show(s, g.measured) for s in t)]
    ids = [g.words(s) for t in rows for s in t]
    part = Path(options.cache) / "order.part.npz"
    numpy.savez(part, made=numpy.concatenate(ids).astype(numpy.uint16), ends=numpy.cumsum([0] + [len(i) for i in ids]),
                triples=numpy.arange(len(ids)).reshape(-1, 3))
    part.replace(Path(options.cache) / "order.npz")
    print(len(rows), "triples")


if __name__ == "__main__":
    main()
