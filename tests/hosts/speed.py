"""Texts per second of Encoder.encode in batches of 1,000 against the command, of two threads against one, and seconds
to the first vector of a new process. Not in make test: it needs the machine for itself. On a busy machine look at the
seconds of CPU, which OMP_WAIT_POLICY=passive frees of waiting.

    LIBENGINE_FOLDER=build PYTHONPATH=tools/hosts/python python3 tests/hosts/speed.py [TEXTS [ROUNDS]]
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
    """Returns the seconds that call() takes, on the clock and of all CPUs."""
    begin, cpu = time.perf_counter(), os.times()
    call()
    return time.perf_counter() - begin, sum(os.times()[:4]) - sum(cpu[:4])


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
        start, whole = seconds(lambda: command(threads, TEXTS[:1])), seconds(lambda: command(threads, TEXTS))
        rates.setdefault(("command", threads), []).append([N / (b - a) for a, b in zip(start, whole)])
        rates.setdefault(("Python", threads), []).append([N / b for b in seconds(lambda: package(encoder))])


def compare(a, b):
    """Prints the medians of the ratios of a to b, by the clock and by seconds of CPU."""
    ratios = [[x / y for x, y in zip(*values)] for values in zip(rates[a], rates[b])]
    clock, cpu = map(statistics.median, zip(*ratios))
    print(f"{a[0]}, {a[1]} threads, against {b[0]}, {b[1]}: {clock:.3f} of the texts/s, {cpu:.3f} a second of CPU")


for (name, threads), values in rates.items():
    clock, cpu = map(statistics.median, zip(*values))
    print(f"{name:8} {threads} threads: {clock:8,.0f} texts/s, {cpu:8,.0f} a second of CPU")
for threads in (1, 2):
    compare(("Python", threads), ("command", threads))
compare(("Python", 2), ("Python", 1))
first = [sys.executable, "-c", "import libengine; libengine.Encoder().encode('a')"]
start = [seconds(lambda: subprocess.run(first, check=True))[0] for _ in range(ROUNDS)]
print(f"a new process to its first vector: {statistics.median(start):.2f} s")
