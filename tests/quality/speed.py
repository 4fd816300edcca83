#!/usr/bin/python3
"""How many sentences of ten tokens the engine encodes per second, from lines of text to a file of vectors.

    tests/quality/speed.py [--encode build/encode] [--weights weights/default.weights] [--threads 2] [--text ../shared/text]

20,000 sentences of Tatoeba and COCO's captions, of ten tokens and the two special ones; encode -p mean, the program's
start and the reading and writing of files included; the median of three runs."""

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path

from quality import need, run

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "weights" / "train"))
SENTENCES, TOKENS, RUNS = 20000, 10, 3
FILES = ("tatoeba-eng/sentences.txt.xz", "coco-captions/testall_caps.txt.xz", "coco-captions/dev_caps.txt.xz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encode", default=str(root / "build" / "encode"))
    parser.add_argument("--weights", default=str(root / "weights" / "default.weights"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--text", default=str(root.parent / "shared" / "text"))
    options = parser.parse_args()
    need(options.text, ("training",), (options.encode, options.weights))
    import text
    from engine import Engine

    engine = Engine(options.encode, options.weights, "-t", str(options.threads))
    texts = [s for file in FILES for s in text.one_per_line(Path(options.text, "training", file))]
    texts = [s for s, n in zip(texts, engine.pieces(texts)) if n == TOKENS]
    texts = list(itertools.islice(itertools.cycle(texts), SENTENCES))
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS):
            begin = time.perf_counter()
            engine.run(texts, "-p", "mean", "-f", "npy", "-o", str(Path(folder) / "vectors.npy"))
            seconds.append(time.perf_counter() - begin)
    print("%d sentences of %d + 2 tokens, %d threads: %s s, median %.0f sentences per second" % (
        len(texts), TOKENS, options.threads, " ".join("%.2f" % s for s in seconds),
        len(texts) / statistics.median(seconds)))


if __name__ == "__main__":
    run(main)
