"""Sets to search in that no training has seen: questions and abstracts (Cranfield), paraphrases, manual pages."""

import gzip
import re
import subprocess
import tempfile
from pathlib import Path

import text

PACKAGES = "manpages", "manpages-dev", "coreutils"
LEAST_SCORE = 4     # of STS-B's pairs that answer; the gain of a document is 1 for it, and 2 for a score of 5
MOST_WORDS = 150    # of a page's description


def paraphrases(folder):
    """Of STS-B's pairs (train and dev) the first sentences, where the second says the same, find it among all second
    ones. A document that a query repeats to the letter is left out: who searches has it."""
    pairs = text.stsb(folder, "train") + text.stsb(folder, "dev")
    answered = [(a, b, score) for a, b, score in pairs if score >= LEAST_SCORE]
    asked = {text.key(a) for a, _, _ in answered}
    documents = {text.key(b): b for _, b, _ in pairs if text.key(b) not in asked}
    places = {key: i for i, key in enumerate(documents)}
    queries, gains = {}, {}
    for a, b, score in answered:
        if text.key(b) in places:
            of_query = gains.setdefault(queries.setdefault(text.key(a), a), {})
            of_query[places[text.key(b)]] = max(score - LEAST_SCORE + 1, of_query.get(places[text.key(b)], 0))
    return list(documents.values()), list(gains), list(gains.values())


def page_files(folder):
    """The pages of the packages: those installed, else from Debian's archive by apt-get, unpacked in the folder."""
    for package in PACKAGES:
        names = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True).stdout.split()
        files = [f for f in map(Path, names) if re.search(r"/share/man/man\d/", str(f)) and f.is_file()]
        if not files:
            subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True)
            for archive in Path(folder).glob(package + "_*.deb"):
                subprocess.run(["dpkg-deb", "-x", archive, Path(folder, package)])
            files = Path(folder, package).glob("usr/share/man/man?/*.gz")
        yield from (f for f in sorted(files) if not f.is_symlink()) # a link is another name of a page


def plain(lines):
    """Words of lines in troff's language, without its requests and comments but with the words that they set."""
    words = []
    for line in lines:
        line = re.sub(r"^\.(?:[BIR]{1,2}|SM|SB)\s+", "", line)
        if not line.startswith((".", "'")):
            line = re.sub(r"\\[\"#].*", "", line)
            line = re.sub(r"\\\*?\(..|\\f(?:\(..|.)|\\[&/,|^%]|\\s[-+]?\d", "", line).replace("\\-", "-")
            words += line.replace("\\", "").replace('"', "").split()
    return " ".join(words)


def manual_pages():
    """Of each page the line that says what it is for, without its name, finds the start of its description."""
    documents, queries = [], []
    with tempfile.TemporaryDirectory() as folder:
        for file in page_files(folder):
            page = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
            sections = {m[1].strip().strip('"'): m[2].split("\n")
                        for m in re.finditer(r"^\.SH (.*)\n((?:(?!\.SH ).*\n)*)", page, re.M)}
            says = plain(sections.get("NAME", [])).partition(" - ")[2]
            description = plain(sections.get("DESCRIPTION", [])).split()[:MOST_WORDS]
            if len(says.split()) >= 3 and len(description) >= 20:
                queries.append(says)
                documents.append(" ".join(description))
    same = {}
    for i, query in enumerate(queries):
        same.setdefault(query, set()).add(i)
    return documents, list(same), list(same.values())


def sets(folder):
    yield "Cranfield", text.cranfield(folder)
    yield "STS-B, paraphrases", paraphrases(folder)
    yield "manual pages", manual_pages()
