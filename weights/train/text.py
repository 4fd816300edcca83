"""The training texts as cleaned English sentences, and which of them must not be trained on."""

import csv
import gzip
import lzma
import re
import tarfile
import zlib
from pathlib import Path

from sentences import wordnet

HELD_OUT_ONE_IN = 400
QUALITY = Path(__file__).resolve().parents[2] / "tests" / "quality"
ROLES, RANKED, ORDER = QUALITY / "roles.tsv", QUALITY / "ranked.tsv", QUALITY / "order.tsv"

ABBREVIATION = re.compile(
    r"(?:^|[\s\"'(])(?:Mr|Mrs|Ms|Dr|St|Capt|Col|Gen|Lt|Rev|Esq|Hon|Prof|Sen|Rep|Gov|Jr|Sr|No|vs|[A-Z])\.$")
SENTENCE_END = re.compile(r"([.!?]+['\"”’)]*)\s+(?=['\"“‘(]*[A-Z0-9])")
CONTRACTION = re.compile(r" (n't|'(?:s|re|ve|ll|d|m))\b", re.I)


def read_lines(path):
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        return [line.strip("\r\n\ufeff ") for line in lines]


def tidy(text):
    """Undoes tokenized spacing ("do n't", " ,") and runs of blanks."""
    text = text.replace("``", '"').replace("''", '"').replace("-LRB-", "(").replace("-RRB-", ")")
    text = CONTRACTION.sub(r"\1", " ".join(text.split()))
    return re.sub(r" ([,.;:!?)])", r"\1", text)


def split_sentences(paragraph):
    sentences, start = [], 0
    for end in SENTENCE_END.finditer(paragraph):
        piece = paragraph[start:end.end(1)]
        if ABBREVIATION.search(piece):
            continue
        sentences.append(piece.strip())
        start = end.end()
    sentences.append(paragraph[start:].strip())
    return [s for s in sentences if s]


def join_wrapped(lines):
    """Paragraphs of a hard-wrapped text. Some texts have no blank lines: there a short line with a
    full stop ends a paragraph."""
    lengths = sorted(len(line) for line in lines if line)
    if lengths and lengths[len(lengths) // 2] > 100:
        return [line for line in lines if line]
    paragraphs, current = [], []
    for line in lines:
        if line:
            current.append(line)
        if current and (not line or (len(line) < 50 and re.search(r"[.!?]['\"”’]?$", line))):
            paragraphs.append(" ".join(current))
            current = []
    return paragraphs + [" ".join(current)] if current else paragraphs


def novels(folder):
    with tarfile.open(folder / "novels" / "novels.tar.xz") as tar:
        for member in sorted(tar.getmembers(), key=lambda m: m.name):
            if not member.isfile():
                continue
            text = tar.extractfile(member).read().decode("utf-8", "replace").lstrip("\ufeff")
            lines = [line.strip() for line in text.replace("\r", "").split("\n")]
            for paragraph in join_wrapped(lines):
                if paragraph != paragraph.upper():
                    yield split_sentences(tidy(paragraph))


def speeches(folder):
    for name in ("inaugural", "state_union"):
        for line in read_lines(folder / "nltk-text" / (name + ".txt.xz")):
            yield split_sentences(tidy(line))


def one_per_line(path):
    return [tidy(line) for line in read_lines(path) if line]


def labelled(path):
    """Lines of intent TAB utterance."""
    return [(label, tidy(text)) for label, text in
            (line.split("\t", 1) for line in read_lines(path) if "\t" in line)]


def runs(lines, length=16):
    """Consecutive lines of one text, cut into documents."""
    return [lines[i:i + length] for i in range(0, len(lines), length)]


def packages(path):
    """Descriptions of Debian's packages: a line of what it is, then sentences that no package before it has."""
    seen, paragraphs = set(), []
    for line in read_lines(path) + ["Package:"]:
        if line.startswith("Package:"):
            sentences = [s for p in paragraphs for s in split_sentences(tidy(p)) if key(s) and key(s) not in seen]
            seen.update(map(key, sentences))
            if sentences:
                yield sentences
            paragraphs = []
        elif line.startswith("Description-en:"):
            paragraphs = [line.split(":", 1)[1], ""]
        elif line == "." or line.startswith(("*", "-", "o ")):
            paragraphs.append(line.lstrip("*-.o "))
        elif paragraphs and not re.match(r"[A-Z][A-Za-z0-9-]+: ?\S*$", line):
            paragraphs[-1] += " " + line


def dictionary(path):
    """Of each entry of a file of dictd what its word means, without quotations and old words."""
    word, body = "", []
    for line in gzip.open(path, "rt", encoding="utf-8", errors="replace").read().split("\n") + ["end"]:
        if not line[:1].strip():
            if not line.startswith(" " * 7):
                body.append(line.strip())
            continue
        meaning = re.sub(r"<[^>]*>|\([^()]*\)", " ", " ".join(body)) if "[Obs" not in " ".join(body) else ""
        meaning = re.sub(r"\[[^\]]*\]|--[A-Z][\w. ]*|[{}_]", " ", meaning)
        sentences = [s for s in split_sentences(tidy(re.sub(r"(?<!\S)(?:\d+|\(?[a-z])[.)] ", " ", meaning)))
                     if 3 < len(s.split()) < 60]
        if word[:1].isalpha() and sentences:
            yield [word + ": " + sentences[0]] + sentences[1:8]
        word, body = line.split("\\")[0].split("[")[0].strip(" ,"), []


def documents(folder, more=None):
    """Pairs of a source's name and a list of sentences that follow each other. more: the folder of what fetch.sh
    brings, or None."""
    if more:
        for paragraph in packages(Path(more) / "packages.txt"):
            yield "packages", paragraph
        for gloss in wordnet.glosses(Path(more) / "wordnet"):
            yield "wordnet", [tidy(s) for s in gloss]
        for path in sorted(Path(more, "dictionaries").glob("*.dict.dz")):
            for meaning in dictionary(path):
                yield "terms", meaning
    folder = Path(folder) / "training"
    for paragraph in novels(folder):
        yield "novels", paragraph
    for run in runs(one_per_line(folder / "wikinews" / "sentences-filtered.txt.xz")):
        yield "wikinews", run
    for paragraph in speeches(folder):
        yield "speeches", paragraph
    for run in runs(one_per_line(folder / "nltk-text" / "masc_tagged.txt.xz")):
        yield "masc", run
    for line in one_per_line(folder / "nltk-text" / "pros_cons.txt.xz"):
        yield "reviews", [line]
    for line in one_per_line(folder / "tatoeba-eng" / "sentences.txt.xz"):
        yield "tatoeba", [line]
    for name in ("testall", "dev"):
        for image in runs(one_per_line(folder / "coco-captions" / (name + "_caps.txt.xz")), 5):
            yield "captions", image
    for name, file in (("clinc", "clinc150/train.tsv"), ("banking", "banking77/train.tsv"),
                       ("snips", "snips/snips.train.tsv")):
        intents = {}
        for label, utterance in labelled(folder / file):
            intents.setdefault(label, []).append(utterance)
        for label in sorted(intents):
            yield name, intents[label]


def key(sentence):
    """What two writings of one sentence have in common: its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", sentence.lower())


def held_out(sentence):
    letters = key(sentence)
    return letters != "" and zlib.crc32(letters.encode()) % HELD_OUT_ONE_IN == 0


def may_show(sentence, measured):
    """Whether a model may be trained on it: measured has the keys of the evaluation sets."""
    return key(sentence) not in measured and not held_out(sentence)


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def stsb(folder, split):
    return [(row[6], row[7], float(row[5]))
            for row in read_table(Path(folder) / "evaluation" / "stsb" / (split + ".tsv"))[1:]]


def sick(folder, split):
    rows = read_table(Path(folder) / "evaluation" / "sick" / "train-trial.tsv")
    return [(row[1], row[2], float(row[4])) for row in rows[1:] if row[11].strip() == split]


def hans(folder):
    return [line.split("\t") for line in read_lines(Path(folder) / "evaluation/hans/hans.tsv.xz") if line]


def blimp(folder):
    return [line.split("\t") for line in read_lines(Path(folder) / "evaluation/blimp/blimp.tsv.xz") if line]


def cranfield(folder):
    """Texts of documents, of queries, and for each query the places of the documents that answer it."""
    folder = Path(folder) / "evaluation" / "cranfield"
    documents, queries = read_table(folder / "documents.tsv"), read_table(folder / "queries.tsv")
    place = {row[0]: i for i, row in enumerate(documents)}
    answers = {row[0]: set() for row in queries}
    for query, document in read_table(folder / "relevant.tsv"):
        answers[query].add(place[document])
    return [row[2] for row in documents], [row[1] for row in queries], list(answers.values())


def measured_tables():
    """Rows of a kind and sentences, written to measure with."""
    return read_table(ROLES) + read_table(RANKED)


def evaluation_keys(folder):
    folder = Path(folder)
    sentences = []
    for split in ("train", "dev"):
        sentences += [s for row in stsb(folder, split) for s in row[:2]]
    for row in read_table(folder / "evaluation" / "sick" / "train-trial.tsv")[1:]:
        sentences += [row[1], row[2], row[7], row[8]]
    sentences += [s for row in hans(folder) for s in row[:2]]
    sentences += [s for row in blimp(folder) for s in row[3:5]]
    for split in ("train", "dev"):
        sentences += [line.split("\t")[0] for line in read_lines(folder / "evaluation/cola" / (split + ".tsv"))]
    sentences += [s for row in measured_tables() + read_table(ORDER) for s in row[1:]]
    keys = {key(s) for s in sentences}
    keys.discard("")
    return keys
