"""The texts, small enough to travel, for together.py: sentences as numbers of words, and the vocabulary.

    pack.py --text ../shared/text --more DIR --out DIR

writes DIR/vocab.txt (WordPiece of our texts), DIR/texts.npz.xz (words: all words, the most frequent first; flat: their
numbers, sentence after sentence, where 65535 stands for the next number of rare; ends of the sentences; source and
document of each; sources) and DIR/heldout.txt (sentences that no training shows)."""

import argparse
import lzma
import sys
import time
from collections import Counter
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parents[1]))
import prepare # noqa: E402
import wordpiece # noqa: E402

VOCABULARY_SIZE = 28000
NOVELS = 0.25 # the share of their paragraphs
LIMIT = 65535
OF_16_BITS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 1, "pb": 1}] # a twelfth less than without


def chosen(documents):
    rng = numpy.random.default_rng(3)
    return [(source, sentences) for source, sentences in documents if source != "novels" or rng.random() < NOVELS]


def numbered(documents, sources):
    """The arrays of texts.npz."""
    split = [[wordpiece.words(s) for s in sentences] for _, sentences in documents]
    counts = Counter(w for sentences in split for words in sentences for w in words)
    words = [w for w, _ in counts.most_common()]
    number = {w: i for i, w in enumerate(words)}
    ids = numpy.array([number[w] for sentences in split for words in sentences for w in words], numpy.int32)
    lengths = [len(words) for sentences in split for words in sentences]
    rare = ids >= LIMIT
    return {"words": numpy.frombuffer("\n".join(words).encode(), numpy.uint8),
            "flat": numpy.where(rare, LIMIT, ids).astype(numpy.uint16), "rare": ids[rare],
            "ends": numpy.cumsum(lengths).astype(numpy.int32),
            "source": numpy.array([sources.index(s) for s, ss in documents for _ in ss], numpy.uint8),
            "document": numpy.repeat(numpy.arange(len(split), dtype=numpy.int32), [len(s) for s in split]),
            "sources": numpy.array(sources)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--more", required=True, help="the folder of what fetch.sh brings")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    out, start = Path(options.out), time.time()
    out.mkdir(parents=True, exist_ok=True)
    documents, held, _ = prepare.collect(options.text, options.more)
    documents = chosen(documents)
    print("%.0f s: texts read" % (time.time() - start), flush=True)
    (out / "heldout.txt").write_text("".join(s + "\t" + t + "\n" for s, t in held), encoding="utf-8")
    arrays = numbered(documents, sorted(prepare.VOCABULARY_WEIGHT))
    print("%.0f s: %d words, %d different" % (time.time() - start, len(arrays["flat"]),
                                              (arrays["words"] == 10).sum() + 1), flush=True)
    with lzma.open(out / "texts.part", "wb", filters=OF_16_BITS) as file:
        numpy.savez(file, **arrays)
    (out / "texts.part").rename(out / "texts.npz.xz")
    print("%.0f s: packed" % (time.time() - start), flush=True)
    pieces = wordpiece.train(prepare.word_counts(documents), VOCABULARY_SIZE)
    (out / "vocab.txt").write_text("".join(p + "\n" for p in pieces), encoding="utf-8")
    print("%.0f s: %d pieces" % (time.time() - start, len(pieces)))


if __name__ == "__main__":
    main()
