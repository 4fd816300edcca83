#!/usr/bin/env python3
"""cores.py BUILD: what more cores give. Texts a second of one short text, many texts and a search, by threads; and the
time of one text by its tokens and threads, to see from where on threads that share a text are worth it.

Times are the least of all rounds, in which the numbers of threads take turns, so other programs disturb all alike; but
run it on a quiet machine. A cell with * is over 5 % slower than one thread: there must be none, as the number of
threads is by default that of the CPUs. Numbers of threads above the CPUs of this process are left out.

    tests/machine/cores.py build --threads 1,2,4,8,16 --rounds 5
    tests/machine/cores.py build --quick                             # a look: one round, one type, few rows
"""
import argparse
import array
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
WIDTH, HITS = 384, 10
KINDS = {"f32": ["--type", "f32"], "int8": ["--type", "int8"], "fast": ["--type", "int8", "--precision", "fast"]}


def bench(arguments, kind, threads, *options):
    """Least milliseconds and texts of each workload."""
    done = subprocess.run([os.path.join(arguments.build, "encode-bench"), "--shape", arguments.shape, *KINDS[kind],
                           "-t", str(threads), "--seconds", str(arguments.seconds), "-f", "json", *options],
                          stdout=subprocess.PIPE, check=True)
    return {line["workload"]: (line["min_ms"], line["texts"]) for line in map(json.loads, done.stdout.splitlines())}


def least(arguments, measure):
    """Of each number of threads and name, the least time of the rounds; measure(threads): {name: (ms, texts)}."""
    best = {}
    for _ in range(arguments.rounds):
        for threads in arguments.threads:
            for name, (ms, texts) in measure(threads).items():
                best.setdefault(name, {}).setdefault(threads, []).append(ms / texts)
    return {name: {threads: min(times) for threads, times in of_name.items()} for name, of_name in best.items()}


# ---- Search ----

class Vectors(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_void_p), ("n", ctypes.c_size_t), ("width", ctypes.c_size_t), ("type", ctypes.c_int)]


class Options(ctypes.Structure):
    """Of engine_search_options what is used here; struct_bytes counts what follows, too: zeros."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("metric", ctypes.c_int), ("n_threads", ctypes.c_size_t),
                ("rest", ctypes.c_char * 256)]


def options_bytes():
    with open(os.path.join(ROOT, "tools", "hosts", "api", "engine.json"), encoding="utf-8") as file:
        structs = json.load(file)["structs"]
    return next(struct["bytes"] for struct in structs if struct["name"] == "engine_search_options")


def searches(arguments):
    """measure(threads) of one query and of 64 in rows of f32, a thousand repeated."""
    engine, chance = ctypes.CDLL(os.path.join(arguments.build, "libengine.so")), random.Random(1)
    some = array.array("f", (chance.uniform(-1, 1) for _ in range(1000 * WIDTH)))
    rows = some * (arguments.rows // 1000)

    def measure(threads):
        found, address = {}, rows.buffer_info()[0]
        vectors = Vectors(address, len(rows) // WIDTH, WIDTH, 0)
        for n_queries in (1, 64):
            hits, options = ctypes.create_string_buffer(16 * HITS * n_queries), Options(options_bytes(), 1, threads)
            times, end = [], time.perf_counter() + arguments.seconds
            while len(times) < 3 or time.perf_counter() < end:
                start = time.perf_counter()
                status = engine.engine_search(ctypes.byref(vectors), ctypes.c_void_p(address),
                                              ctypes.c_size_t(n_queries), ctypes.c_size_t(HITS), ctypes.byref(options),
                                              hits, None)
                times.append(1e3 * (time.perf_counter() - start))
                assert status == 0, status
            found[f"search {n_queries}"] = (min(times), n_queries)
        return found
    return measure


# ---- Tables ----

def print_rows(arguments, title, rows, cell):
    print(f"\n{title:24}" + "".join(f"{threads:>12}" for threads in arguments.threads))
    n_slower = 0
    for name, times in rows:
        cells = [cell(times[threads]) + ("*" if times[threads] > 1.05 * times[1] else " ")
                 for threads in arguments.threads]
        n_slower += sum(text.endswith("*") for text in cells)
        print(f"{name:24}" + "".join(f"{text:>12}" for text in cells), flush=True)
    return n_slower


def one_text(arguments, kind, folder):
    """Times of one text by its tokens."""
    files = []
    for n in arguments.tokens:
        path = os.path.join(folder, f"{n}.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write(" ".join(str(5 + i) for i in range(n)) + "\n")
        files += ["--ids", path]
    found = least(arguments, lambda threads: bench(arguments, kind, threads, *files))
    return [(f"{n} tokens", found[str(n)]) for n in arguments.tokens]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--shape", default="6/384/12/1536", help="as that of encode-bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rows", type=int, default=100000, help="of the search, in thousands")
    parser.add_argument("--quick", action="store_true")
    for name, kind, default in (("threads", int, "1,2,4,8,16"), ("tokens", int, "2,4,8,16,32,64,128,256,512"),
                                ("kinds", str, ",".join(KINDS))):
        parser.add_argument("--" + name, type=lambda text, kind=kind: [kind(part) for part in text.split(",")],
                            default=default, help=f"default: {default}")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.seconds, arguments.rows = 1, 0.01, 1000
        arguments.kinds, arguments.tokens = ["int8"], [2, 16]
    cpus = len(os.sched_getaffinity(0))
    arguments.threads = sorted({1} | {threads for threads in arguments.threads if threads <= cpus})
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    print(f"{name}, {cpus} CPUs; random numbers of shape {arguments.shape}")
    n_slower = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kinds:
            found = least(arguments, lambda threads, kind=kind: bench(
                arguments, kind, threads, "--workloads", "lat16,thr,thr128"))
            n_slower += print_rows(arguments, f"{kind}: texts/s by threads", list(found.items()),
                                   lambda ms: f"{1e3 / ms:,.0f}")
            n_slower += print_rows(arguments, f"{kind}: ms of one text", one_text(arguments, kind, folder),
                                   lambda ms: f"{ms:.3f}")
        found = least(arguments, searches(arguments))
        n_slower += print_rows(arguments, "queries/s by threads", list(found.items()), lambda ms: f"{1e3 / ms:,.0f}")
    print(f"\n{n_slower} cells are over 5 % slower than one thread")
    return 0


if __name__ == "__main__":
    sys.exit(main())
