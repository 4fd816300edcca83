"""Princeton's WordNet, as Debian's package wordnet-base has it: what words mean, their synonyms and opposites."""

import re
from collections import defaultdict
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
PERSON, ANIMAL = 18, 5 # numbers of WordNet's files of nouns
SOMEBODY_SOMEBODY = 9 # the verb's frame "Somebody ----s somebody"


def synsets(folder, part):
    """(place, number of the file of the kind, lemmas, pointers, frames, gloss) of each line of data.PART."""
    with open(Path(folder) / ("data." + part), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            head, gloss = line.rstrip().split(" | ", 1)
            fields = head.split()
            count = int(fields[3], 16)
            lemmas = [re.sub(r"\(\w+\)$", "", w).replace("_", " ") for w in fields[4:4 + 2 * count:2]]
            at = 4 + 2 * count
            pointers = [fields[i:i + 4] for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)]
            frames = [f for f in fields[at + 1 + 4 * len(pointers):] if f != "+"][1::2]
            yield fields[0], int(fields[1]), lemmas, pointers, list(map(int, frames)), gloss.strip()


def glosses(folder):
    """Of each meaning what it is ("boundary layer: the layer of ..."), and its examples."""
    for part in PARTS:
        for _, _, lemmas, _, _, gloss in synsets(folder, part):
            examples = [e for e in re.findall(r'"([^"]+)"', gloss) if " " in e.strip()]
            meaning = re.sub(r'[;,: -]*"[^"]*"', "", gloss).strip(" ;:")
            yield [", ".join(lemmas[:4]) + ": " + meaning] + examples


def frequent(folder):
    """How often a lemma of a kind of word occurs in WordNet's counted texts: {(lemma, kind 1 to 5): n}."""
    counts = defaultdict(int)
    with open(Path(folder) / "cntlist.rev", encoding="utf-8") as lines:
        for line in lines:
            sense, _, n = line.split()
            lemma, rest = sense.split("%")
            counts[lemma.replace("_", " "), int(rest[0])] += int(n)
    return counts


def opposites(folder):
    """Pairs of words that WordNet calls antonyms, of one word each, by kind of word."""
    found = {}
    for part in PARTS:
        lemmas_at = {place: lemmas for place, _, lemmas, *_ in synsets(folder, part)}
        pairs = set()
        for _, _, lemmas, pointers, _, _ in synsets(folder, part):
            for symbol, place, _, which in pointers:
                if symbol == "!":
                    a, b = lemmas[int(which[:2], 16) - 1].lower(), lemmas_at[place][int(which[2:], 16) - 1].lower()
                    if a.isalpha() and b.isalpha():
                        pairs.add((a, b))
        found[part] = sorted(pairs)
    return found


def synonyms(folder, counts):
    """Words that share their most counted meaning: {(kind, word): [words]}, both of one word and counted."""
    found = defaultdict(set)
    for kind, part in ((1, "noun"), (2, "verb"), (3, "adj")):
        for _, _, lemmas, *_ in synsets(folder, part):
            known = [w.lower() for w in lemmas if w.isalpha() and counts[w.lower(), kind] > 0]
            for word in known:
                found[part, word] |= set(known) - {word}
    return {k: sorted(v) for k, v in found.items() if v}


def insults(folder):
    """Words that WordNet calls offensive in one of their meanings."""
    rude = re.compile(r"offensive|disparag|slur\b|obscen|vulgar|derogat|taboo|sexual|prostitut|idiot")
    return {w.lower() for part in PARTS for _, _, lemmas, _, _, gloss in synsets(folder, part) if rude.search(gloss)
            for w in lemmas}


def nouns_of(folder, counts, file, least):
    """Single nouns of one of WordNet's files whose first meaning it is and which are counted so often."""
    first, left_out = {}, insults(folder)
    for _, number, lemmas, *_ in synsets(folder, "noun"):
        for word in set(lemmas) - left_out:
            if word.isalpha() and word.islower():
                first.setdefault(word, []).append(number)
    return sorted(w for w, n in first.items() if n.count(file) * 2 > len(n) and counts[w, 1] >= least)


def verbs_of_people(folder, counts, least):
    """Verbs of what somebody does to somebody, counted so often."""
    found = set()
    for _, _, lemmas, _, frames, _ in synsets(folder, "verb"):
        if SOMEBODY_SOMEBODY in frames:
            found |= {w for w in lemmas if w.isalpha() and counts[w, 2] >= least}
    return sorted(found - insults(folder))
