#!/usr/bin/python3
"""What a corpus of short lines takes: memory, order, speed beside the library's, and what is lost by kills (nothing).

Guarantee: a corpus has the vectors that the library gives its lines, in memory that does not grow with them, at 97 %
of the library's rate, and the same sha256 after 20 kills; by hand.

    tests/quality/corpus.py [--encode build/encode] [--weights weights/default.weights] [--lines 1000000] [--kills 20]
                            [--rounds 5] [--only memory|library|kills|hybrid]

memory   most memory of encode for a hundredth, a tenth and all of the lines
library  a twentieth of the lines: each row is the vector that the library gives that line, and how fast both are, in
         turns, medians
hybrid   1,000 queries of encode-search with and without --hybrid, in turns, for a tenth and all of the lines, in f16:
         time, and memory without mapped files; the index is made before
kills    encode --resume, killed at random places so many times, makes the file of a run that nobody disturbs
Times mean something on a quiet machine alone. Needs numpy.
"""

import argparse
import ctypes
import hashlib
import os
import random
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

root = Path(__file__).resolve().parents[2]
LIBRARY_TEXTS = 2048 # in one call, as encode has them
QUERIES = 1000

# engine_input of engine/engine.h: a text and its length, and eight members that are zero.
INPUT = numpy.dtype([("text", "u8"), ("text_len", "u8"), ("others", "u8", 8)])


def write_corpus(path, n):
    """n different lines: sentences of ranked.tsv, each with a number."""
    rows = (root / "tests/quality/ranked.tsv").read_text().splitlines()
    sentences = [s for row in rows for s in row.split("\t")[1:] if not row.startswith("#")]
    path.write_text("".join("%s %d\n" % (sentences[i % len(sentences)], i) for i in range(n)))


def start(options, path, out, n=None, *more):
    """encode with the first n lines, or with all, as its input."""
    command = [options.encode, "-m", options.weights, "-p", "model", "-f", "npy", "-o", str(out), *more]
    with open(path, "rb") as lines:
        head = subprocess.Popen(["head", "-n", str(n)], stdin=lines, stdout=subprocess.PIPE) if n else None
        return subprocess.Popen(command, stdin=head.stdout if head else lines, stderr=subprocess.DEVNULL)


def run(*arguments):
    """The seconds that it takes."""
    begin = time.monotonic()
    assert start(*arguments).wait() == 0, "encode failed"
    return time.monotonic() - begin


def most_memory(process, which="VmHWM"):
    """In MB, as Linux tells it while the program runs. (What wait4 tells begins with the memory of this process.)"""
    most = 0
    while process.poll() is None:
        told = re.search(which + r":\s*(\d+)", Path("/proc/%d/status" % process.pid).read_text())
        most = max(most, int(told[1]) / 1024 if told else 0)
        time.sleep(0.01)
    return most


def memory(options, path, out):
    for n in (options.lines // 100, options.lines // 10, options.lines):
        print("%9d lines: at most %.1f MB" % (n, most_memory(start(options, path, out, n))), flush=True)


def library_vectors(options, lines, width, out):
    """By engine_encode, of texts in memory, to a file; and the seconds that it took."""
    engine = ctypes.CDLL(str(Path(options.encode).parent / "libengine.so"))
    model, session, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(512)
    assert engine.engine_model_open(options.weights.encode(), None, ctypes.byref(model), error) == 0, error.raw
    assert engine.engine_session_new(model, None, ctypes.byref(session), error) == 0, error.raw
    texts = ctypes.create_string_buffer(b"".join(lines))
    inputs = numpy.zeros(len(lines), INPUT)
    inputs["text_len"] = [len(line) for line in lines]
    inputs["text"] = ctypes.addressof(texts) + numpy.cumsum(inputs["text_len"]) - inputs["text_len"]
    vectors = numpy.empty((len(lines), width), numpy.float32)
    begin = time.monotonic()
    with open(out, "wb") as file:
        for i in range(0, len(lines), LIBRARY_TEXTS):
            some, rows = inputs[i:i + LIBRARY_TEXTS], vectors[i:i + LIBRARY_TEXTS]
            assert engine.engine_encode(session, ctypes.c_void_p(some.ctypes.data), ctypes.c_size_t(len(some)), None,
                                        ctypes.c_void_p(rows.ctypes.data), ctypes.c_size_t(rows.size), None, None) == 0
            file.write(rows.data)
    return vectors, time.monotonic() - begin


def library(options, path, out):
    n, of_encode, of_library = options.lines // 20, [], []
    with open(path, "rb") as file:
        lines = [next(file).rstrip(b"\n") for _ in range(n)]
    for _ in range(options.rounds):
        of_encode.append(run(options, path, out, n))
        rows = numpy.load(out)
        vectors, seconds = library_vectors(options, lines, rows.shape[1], out)
        assert rows.tobytes() == vectors.tobytes(), "a row is not the vector that the library gives its line"
        of_library.append(seconds)
    print("%9d lines: every row is the vector that the library gives that line" % n)
    shares = sorted(100 * one / other for one, other in zip(of_library, of_encode))
    print("%9d lines: encode %.0f texts/s, the library %.0f: %.1f %% (%.1f to %.1f in %d rounds in turns)"
          % (n, n / statistics.median(of_encode), n / statistics.median(of_library), statistics.median(shares),
             shares[0], shares[-1], options.rounds))


def hybrid(options, path, out):
    sentences = [line.rsplit(" ", 1)[0] for line in path.read_text().splitlines()[:QUERIES]]
    queries, some = out.with_name("queries.txt"), out.with_name("some.txt")
    queries.write_text("\n".join(sentences))
    for n in (options.lines // 10, options.lines):
        subprocess.run(["head", "-n", str(n), str(path)], stdout=some.open("wb"), check=True)
        assert start(options, some, out, None, "--type", "f16", "--words").wait() == 0, "encode failed"
        seconds, megabytes = {False: [], True: []}, {}
        for words in [False, True] * options.rounds:
            command = [options.encode + "-search", "-m", options.weights, *["--hybrid"] * words, "-f", "tsv", out, some]
            begin = time.monotonic()
            search = subprocess.Popen(command, stdin=queries.open(), stdout=subprocess.DEVNULL)
            megabytes[words] = most_memory(search, "RssAnon")
            assert search.returncode == 0, "encode-search failed"
            seconds[words].append(time.monotonic() - begin)
        times = [statistics.median(seconds[words]) for words in (False, True)]
        print("%9d lines, %d queries: %.2f s, with --hybrid %.2f: %.2f times; %.1f MB, %.1f MB"
              % (n, QUERIES, *times, times[1] / times[0], megabytes[False], megabytes[True]), flush=True)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def kills(options, path, out):
    seconds = run(options, path, out)
    whole = digest(out)
    out.unlink()
    places = sorted(random.uniform(0, seconds) for _ in range(options.kills))
    n_killed = 0
    for pause in numpy.diff([0, *places]):
        encode = start(options, path, out, None, "--resume")
        time.sleep(pause + 0.05)
        n_killed += encode.poll() is None
        encode.kill()
        encode.wait()
    run(options, path, out, None, "--resume")
    print("%9d lines: sha256 %s..., after %d kills %s..." % (options.lines, whole[:16], n_killed, digest(out)[:16]))
    assert digest(out) == whole, "the file is another one"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encode", default=str(root / "build" / "encode"))
    parser.add_argument("--weights", default=str(root / "weights" / "default.weights"))
    parser.add_argument("--lines", type=int, default=1000000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("memory", "library", "kills", "hybrid"))
    options = parser.parse_args()
    os.environ["OMP_WAIT_POLICY"] = "passive" # as encode has it
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "corpus.txt", Path(folder) / "vectors.npy"
        write_corpus(path, options.lines)
        for measure in (memory, library, kills, hybrid):
            if options.only in (None, measure.__name__):
                measure(options, path, out)


if __name__ == "__main__":
    main()
