"""What together.py needs beside the texts, small enough to travel.

    lists.py --text ../shared/text --more DIR --out DIR [--weights FILE --inspect PROGRAM]

writes DIR/words.json.xz (WordNet's people, animals, things, verbs, opposites and synonyms), DIR/measured.npy (checksums
of the sentences that measure), DIR/dev.json.xz (what is measured while it trains), DIR/teacher.npz.xz (the teacher's
matrices as int8 with a factor per row), and DIR/start.json: what encode-inspect says of the file to start from."""

import argparse
import json
import lzma
import random
import re
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parents[1]))
import gather # noqa: E402
import opposites # noqa: E402
import teacher # noqa: E402
import text # noqa: E402
import wordpiece # noqa: E402
from sentences import wordnet # noqa: E402

ARTIFACT, FOOD, PLANT = 6, 13, 20
PARTS = ("captions", "tatoeba", "masc", "wikinews", "reviews", "clinc", "banking", "snips", "novels", "speeches")


def counts_of(out):
    with lzma.open(out / "texts.npz.xz") as file:
        arrays = numpy.load(file)
        words = arrays["words"].tobytes().decode().split("\n")
        flat, rare = arrays["flat"].astype(numpy.int32), arrays["rare"]
    flat[flat == 65535] = rare
    return dict(zip(words, numpy.bincount(flat, minlength=len(words)).tolist()))


def words(folder, known):
    counts, measured = wordnet.frequent(folder), gather.measured_words()

    def nouns(file, least):
        return [w for w in wordnet.nouns_of(folder, counts, file, least) if w not in measured]
    adjectives = [p for p in wordnet.opposites(folder)["adj"]
                  if measured.isdisjoint(p) and min(counts[w, 3] + counts[w, 5] for w in p) > 4]
    bases = sorted({w for _, _, lemmas, *_ in wordnet.synsets(folder, "verb") for w in lemmas
                    if w.isalpha() and w.islower() and counts[w, 2] > 1})
    synonyms = {w: others for (_, w), others in wordnet.synonyms(folder, counts).items()}
    verbs = gather.verbs(folder, counts, measured)
    return {"people": nouns(wordnet.PERSON, 0), "animals": nouns(wordnet.ANIMAL, 0), # few would be learned by heart
            "things": nouns(ARTIFACT, 1) + nouns(FOOD, 1) + nouns(PLANT, 1), "verbs": verbs, "adjectives": adjectives,
            "bases": bases, "irregular": gather.irregular(folder), "doubled": gather.roles.DOUBLED,
            "partners": opposites.partners(folder, counts, known), "synonyms": synonyms,
            "lemmas": sorted({w for part in wordnet.PARTS for _, _, ws, *_ in wordnet.synsets(folder, part)
                              for w in ws})}


def masked_cases(out):
    """As tests/quality does: of held-out sentences one word that is one piece."""
    pieces, draw, cases = set((out / "vocab.txt").read_text().splitlines()), random.Random(1), []
    for line in (out / "heldout.txt").read_text().splitlines():
        source, line = line.split("\t", 1)
        found = list(re.finditer(r"(?<![\w'’-])[A-Za-z]+(?![\w'’-])", line)) if source in PARTS else []
        if 6 <= len(found) <= 40:
            word = draw.choice(found)
            if word.group().lower() in pieces:
                cases.append((line[:word.start()], line[word.end():], word.group().lower()))
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--more", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--weights")
    parser.add_argument("--inspect")
    options = parser.parse_args()
    out, more = Path(options.out), Path(options.more)
    with lzma.open(out / "words.json.xz", "wt") as file:
        json.dump(words(more / "wordnet", counts_of(out)), file)
    keys = sorted({zlib.crc32(k.encode()) for k in text.evaluation_keys(options.text)})
    numpy.save(out / "measured.npy", numpy.array(keys, numpy.uint32))
    documents, queries, answers = text.cranfield(options.text)
    dev = {"STS-B": text.stsb(options.text, "dev"), "SICK": text.sick(options.text, "TRIAL"),
           "masked": masked_cases(out), "documents": documents, "queries": queries,
           "answers": [sorted(a) for a in answers]}
    print(len(dev["masked"]), "masked words")
    with lzma.open(out / "dev.json.xz", "wt") as file:
        json.dump(dev, file)
    arrays = {}
    for name, array in teacher.read_safetensors(more / "teacher" / "model.safetensors").items():
        if array.dtype == numpy.int64:
            continue
        if array.ndim < 2:
            arrays[name] = array.astype(numpy.float32)
            continue
        scale = numpy.abs(array).max(1, keepdims=True) / 127 + 1e-12
        arrays[name] = numpy.rint(array / scale).astype(numpy.int8)
        arrays[name + " scale"] = scale.astype(numpy.float32)
    for name in ("config.json", "vocab.txt"):
        arrays[name] = numpy.frombuffer((more / "teacher" / name).read_bytes(), numpy.uint8)
    if options.weights:
        (out / "start.json").write_bytes(subprocess.check_output([options.inspect, "-f", "json", options.weights]))
    with lzma.open(out / "teacher.part", "wb", preset=1) as file: # the last one: all is there when it is
        numpy.savez(file, **arrays)
    (out / "teacher.part").rename(out / "teacher.npz.xz")


if __name__ == "__main__":
    main()
