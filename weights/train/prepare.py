"""Texts to cached sentences, vocabulary and tokens.

    prepare.py --text ../shared/text --cache DIR

writes DIR/vocab.txt, DIR/tokens.npz (all sentences as token ids, their source and document) and
DIR/heldout.txt (sentences that no stage trains on)."""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

import numpy

import text
import wordpiece

# How often a source counts in the vocabulary: without this it would be that of old novels.
VOCABULARY_WEIGHT = {"novels": 1, "wikinews": 2, "speeches": 2, "masc": 4, "reviews": 4, "tatoeba": 8,
                     "captions": 12, "clinc": 6, "banking": 4, "snips": 4, "packages": 1, "wordnet": 4, "terms": 1}
VOCABULARY_SIZE = 16000


def collect(folder, more=None):
    """Documents without texts that must not be trained on, the texts held out, and counts of what was excluded."""
    excluded = text.evaluation_keys(folder)
    kept, held, count = [], [], Counter()
    seen_held = set()
    for source, sentences in text.documents(folder, more):
        train = []
        for sentence in sentences:
            key = text.key(sentence)
            if not key:
                continue
            if key in excluded:
                count["in evaluation sets: " + source] += 1
            elif text.held_out(sentence):
                if key not in seen_held:
                    held.append((source, sentence))
                    seen_held.add(key)
            else:
                train.append(sentence)
                count["sentences: " + source] += 1
                count["words: " + source] += len(sentence.split())
        if train:
            kept.append((source, train))
    return kept, held, count


def word_counts(documents):
    counts = Counter()
    for source, sentences in documents:
        weight = VOCABULARY_WEIGHT[source]
        for sentence in sentences:
            for word in wordpiece.words(sentence):
                counts[word] += weight
    return {word: n for word, n in counts.items() if n >= 8}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--more", help="the folder of what fetch.sh brings")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--vocabulary", action="store_true", help="DIR/vocab.txt is there, and stays")
    options = parser.parse_args()
    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    start = time.time()

    documents, held, count = collect(options.text, options.more)
    print("%.0f s: texts read" % (time.time() - start), flush=True)
    if options.vocabulary:
        pieces = wordpiece.WordPiece.read(cache / "vocab.txt").pieces
    else:
        pieces = wordpiece.train(word_counts(documents), VOCABULARY_SIZE)
        (cache / "vocab.txt").write_text("".join(p + "\n" for p in pieces), encoding="utf-8")
    print("%.0f s: %d pieces" % (time.time() - start, len(pieces)), flush=True)

    tokenizer = wordpiece.WordPiece(pieces)
    sources = sorted(VOCABULARY_WEIGHT)
    flat, ends, source_of, document_of = [], [], [], []
    total = 0
    for number, (source, sentences) in enumerate(documents):
        for sentence in sentences:
            ids = tokenizer(sentence)
            flat.append(numpy.array(ids, numpy.uint16))
            total += len(ids)
            ends.append(total)
            source_of.append(sources.index(source))
            document_of.append(number)
    numpy.savez(cache / "tokens.npz", tokens=numpy.concatenate(flat), ends=numpy.array(ends, numpy.int64),
                source=numpy.array(source_of, numpy.uint8), document=numpy.array(document_of, numpy.int32),
                sources=numpy.array(sources))
    (cache / "heldout.txt").write_text("".join(s + "\t" + t + "\n" for s, t in held), encoding="utf-8")
    count["tokens"] = total
    count["unknown tokens"] = int((numpy.concatenate(flat) == wordpiece.UNK).sum())
    count["held out"] = len(held)
    (cache / "prepare.json").write_text(json.dumps(dict(sorted(count.items())), indent=1))
    print(json.dumps(dict(sorted(count.items())), indent=1))
    print("%.0f s: done" % (time.time() - start))


if __name__ == "__main__":
    main()
