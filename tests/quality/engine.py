"""Vectors and filled masks from the program `encode`."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy


class Engine:
    def __init__(self, program, weights, *options):
        self.command = [program, "-m", weights, *options]

    def run(self, texts, *options):
        lines = "".join(" ".join(t.split()) + "\n" for t in texts)
        done = subprocess.run(self.command + list(options), input=lines.encode(), stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit("failed with exit code %d: %s" % (done.returncode, " ".join(self.command + list(options))))
        return done.stdout

    def file(self, texts, *options):
        """The array of the texts' vectors as the program writes it."""
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "vectors.npy")
            self.run(texts, "-p", "model", "--normalize", "--on-long", "truncate", "-f", "npy", "-o", path, *options)
            return numpy.load(path)

    def vectors(self, texts):
        """Of length 1; every text is encoded once."""
        unique = sorted(set(texts))
        place = {t: i for i, t in enumerate(unique)}
        return self.file(unique)[[place[t] for t in texts]].astype(numpy.float64)

    def rows(self, texts, type):
        """What a file with rows of this type says of the vectors, of length 1; and the bytes of a row."""
        file = self.file(texts, "--type", type)
        n_bytes = file.nbytes // len(file)
        if type == "int8":
            file = file["scale"][:, None] * file["values"]
        elif type == "binary":
            file = numpy.unpackbits(file, axis=1, count=self.file(texts[:1]).shape[1]) * 2.0 - 1
        rows = file.astype(numpy.float64)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True), n_bytes

    def found(self, documents, queries, *options):
        """The places of the ten documents that encode-search finds for each query, best first."""
        search = [str(Path(self.command[0]).with_name("encode-search")), *self.command[1:]]
        with tempfile.TemporaryDirectory() as folder:
            texts, vectors = Path(folder, "texts"), str(Path(folder, "vectors.npy"))
            texts.write_text("".join(" ".join(t.split()) + "\n" for t in documents))
            self.run(documents, "-p", "model", "--on-long", "truncate", "-f", "npy", "-o", vectors)
            lines = "".join(" ".join(q.split()) + "\n" for q in queries)
            out = subprocess.run([*search, *options, "--on-long", "truncate", "-f", "tsv", vectors, texts],
                                 input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
        places = [[] for _ in queries]
        for fields in (line.split("\t") for line in out.splitlines()):
            places[int(fields[0]) - 1].append(int(fields[2]) - 1)
        return places

    def cosines(self, pairs):
        a, b = self.vectors([p[0] for p in pairs]), self.vectors([p[1] for p in pairs])
        return (a * b).sum(1)

    def pieces(self, words):
        """Of how many pieces each word is."""
        out = self.run(words, "--tokens", "--no-special", "-f", "ids").decode().split("\n")
        return [len(re.findall(r"\d+", line)) for line in out[:len(words)]]

    def filled(self, texts, top=5):
        out = self.run(texts, "--fill", "--top", str(top), "-f", "json").decode().splitlines()
        return [[c["text"] for c in json.loads(line)["masks"][0]["candidates"]] for line in out]
