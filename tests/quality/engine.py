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

    def vectors(self, texts):
        """Of length 1; every text is encoded once."""
        unique = sorted(set(texts))
        place = {t: i for i, t in enumerate(unique)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vectors.npy"
            self.run(unique, "-p", "model", "--normalize", "--on-long", "truncate", "-f", "npy", "-o", str(path))
            rows = numpy.load(path)
        return rows[[place[t] for t in texts]].astype(numpy.float64)

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
