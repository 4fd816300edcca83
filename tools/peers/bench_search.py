#!/usr/bin/env python3
"""bench_search.py BUILD: engine_search beside faiss' IndexFlatIP and NumPy, on the same rows.

Random rows of length 1, dot products, the best 10: each of the programs in turns, several rounds
long, so that what disturbs the machine disturbs all of them; the table has medians and the least
of each, in milliseconds, and ours for rows of f16, int8 and bits, too. --isa avx2 holds all of them
to AVX2. Needs faiss-cpu and numpy (pip install faiss-cpu numpy); says so where they are missing.

    bench_search.py build --rows 1000000 --queries 1000 --threads 2 --isa avx2
"""
import argparse
import ctypes
import os
import statistics
import sys
import time

TYPES = {"f32": 0, "f16": 1, "int8": 2, "binary": 3}
K, NUMPY_ROWS = 10, 100000


class Vectors(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_void_p), ("n", ctypes.c_size_t), ("width", ctypes.c_size_t),
                ("type", ctypes.c_int)]


class Options(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("metric", ctypes.c_int),
                ("n_threads", ctypes.c_size_t)]


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    for name, number in (("rows", 100000), ("width", 384), ("queries", 1), ("threads", 1), ("rounds", 5)):
        parser.add_argument("--" + name, type=int, default=number)
    parser.add_argument("--isa", default="")
    parser.add_argument("--types", default=",".join(TYPES), help="of ours: f32,f16,int8,binary")
    parser.add_argument("--skip-numpy", action="store_true")
    return parser.parse_args()


def hold_peers(args):
    """Before they are loaded: how many threads OpenBLAS has, and for which processor it works."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    if args.isa:
        os.environ["ENGINE_ISA"] = args.isa
    if args.isa == "avx2":
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
        os.environ["FAISS_OPT_LEVEL"] = "avx2"


def unit_rows(numpy, seed, n, width):
    rows = numpy.random.default_rng(seed).random((n, width), dtype=numpy.float32) - 0.5
    rows /= numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def ours(engine, numpy, rows, queries, kind, threads):
    """A function that searches, and returns the rows found."""
    engine.engine_row_bytes.restype = ctypes.c_size_t
    n, width = rows.shape
    row_bytes = engine.engine_row_bytes(TYPES[kind], ctypes.c_size_t(width))
    made = rows
    if kind != "f32":
        made = numpy.empty(n * row_bytes, dtype=numpy.uint8)
        engine.engine_rows_from_f32(ctypes.c_void_p(rows.ctypes.data), ctypes.c_size_t(n),
                                    ctypes.c_size_t(width), TYPES[kind],
                                    ctypes.c_void_p(made.ctypes.data))
    hits = numpy.empty((len(queries), K), dtype=[("row", "<u8"), ("score", "<f4"), ("gap", "<u4")])
    vectors = Vectors(made.ctypes.data, n, width, TYPES[kind])
    settings = Options(ctypes.sizeof(Options), 1, threads)

    def search():
        status = engine.engine_search(ctypes.byref(vectors), ctypes.c_void_p(queries.ctypes.data),
                                      ctypes.c_size_t(len(queries)), ctypes.c_size_t(K),
                                      ctypes.byref(settings), ctypes.c_void_p(hits.ctypes.data),
                                      None)
        assert status == 0 and len(made) > 0
        return hits["row"].astype(numpy.int64)
    return search


def by_numpy(numpy, rows, queries):
    """A block of rows at a time, as all scores of many queries take gigabytes."""
    def search():
        scores, found = [], []
        for first in range(0, len(rows), NUMPY_ROWS):
            block = queries @ rows[first:first + NUMPY_ROWS].T
            best = numpy.argpartition(block, -K, axis=1)[:, -K:]
            scores.append(numpy.take_along_axis(block, best, axis=1))
            found.append(best + first)
        scores, found = numpy.hstack(scores), numpy.hstack(found)
        return numpy.take_along_axis(found, numpy.argsort(-scores, axis=1)[:, :K], axis=1)
    return search


def measure(searches, rounds):
    times, found = {name: [] for name in searches}, {}
    for _ in range(rounds):
        for name, search in searches.items():
            time.sleep(0.03)  # threads of the one before leave off spinning
            begin = time.perf_counter()
            found[name] = search()
            times[name].append((time.perf_counter() - begin) * 1e3)
    return times, found


def main():
    args = options()
    hold_peers(args)
    try:
        import faiss
        import numpy
    except ImportError as missing:
        print(f"bench_search: skipped: {missing} (pip install faiss-cpu numpy)", file=sys.stderr)
        return
    engine = ctypes.CDLL(os.path.join(args.build, "libengine.so"))
    rows, queries = (unit_rows(numpy, seed, n, args.width)
                     for seed, n in ((1, args.rows), (2, args.queries)))
    faiss.omp_set_num_threads(args.threads)
    index = faiss.IndexFlatIP(args.width)
    index.add(rows)
    searches = {"faiss f32": lambda: index.search(queries, K)[1]}
    if not args.skip_numpy:
        searches["NumPy f32"] = by_numpy(numpy, rows, queries)
    for kind in args.types.split(","):
        searches["engine " + kind] = ours(engine, numpy, rows, queries, kind, args.threads)
    times, found = measure(searches, args.rounds)
    print(f"{args.rows} x {args.width}, {args.queries} queries, {args.threads} threads "
          f"{args.isa or 'best isa'}: median and least ms, of faiss' best {K} found")
    for name, values in times.items():
        same = numpy.mean([len(set(a) & set(b)) / K
                           for a, b in zip(found[name].tolist(), found["faiss f32"].tolist())])
        print(f"  {name:14} {statistics.median(values):10.1f} {min(values):10.1f}   {same:.4f}")


main()
