"""Texts per second of Encoder.encode in batches of 1,000 against the command, of two threads against one, and seconds to
the first vector of a new process. Not in make test: it needs the machine for itself.

    LIBENGINE_FOLDER=build PYTHONPATH=tools/python python3 tests/hosts/speed.py [TEXTS [ROUNDS]]
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import libengine

N, ROUNDS = [*map(int, sys.argv[1:]), *[40000, 5][len(sys.argv) - 1:]]
FOLDER = pathlib.Path(os.environ["LIBENGINE_FOLDER"])
WORDS = "I ride bike you house red big a the dog man bites rain over hills and reads books about old trains".split()
TEXTS = [" ".join(WORDS[(i * k + k * k) % len(WORDS)] for k in range(1, 5 + i % 17)) for i in range(N)]


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def command(threads, texts):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([FOLDER / "encode", "-p", "model", "--threads", str(threads), "-f", "npy", "-o",
                        f"{folder}/x.npy"], input="\n".join(texts).encode(), check=True, stderr=subprocess.DEVNULL)


def package(encoder):
    for begin in range(0, N, 1000):
        encoder.encode(TEXTS[begin:begin + 1000])


rates = {}
encoders = {threads: libengine.Encoder(threads=threads) for threads in (1, 2)}
for _ in range(ROUNDS):  # in turns, as other programs use the machine too
    for threads, encoder in encoders.items():
        start = seconds(lambda: command(threads, TEXTS[:1]))
        rates.setdefault(("command", threads), []).append(N / (seconds(lambda: command(threads, TEXTS)) - start))
        rates.setdefault(("Python", threads), []).append(N / seconds(lambda: package(encoder)))
for (name, threads), values in rates.items():
    print(f"{name:8} {threads} threads: {statistics.median(values):8,.0f} texts/s")
for threads in (1, 2):
    ratios = [a / b for a, b in zip(rates["Python", threads], rates["command", threads])]
    print(f"Python against the command, {threads} threads: {statistics.median(ratios):.3f}")
ratios = [a / b for a, b in zip(rates["Python", 2], rates["Python", 1])]
print(f"Python, two threads against one: {statistics.median(ratios):.2f}")
start = [seconds(lambda: subprocess.run([sys.executable, "-c", "import libengine; libengine.Encoder().encode('a')"],
                                        check=True)) for _ in range(ROUNDS)]
print(f"a new process to its first vector: {statistics.median(start):.2f} s")
