#!/usr/bin/env python3
"""bench_search.py BUILD: engine_search beside faiss' IndexFlatIP and NumPy, on the same rows.

Random rows of length 1, dot products, the best 10: each of the programs in turns, several rounds
long, so that what disturbs the machine disturbs all of them; the table has medians and the least
of each, in milliseconds, how many times as fast as our f32 it is, and ours for rows of f16, int8
and bits, too. --data takes rows from an array [n, width] of encode -f npy, the first of them as
queries, and repeats them with noise if --rows is more than it has. --isa avx2 holds all of them to
AVX2; --before BUILD measures another build, too, and compares its hits and bits with ours. Needs
numpy, and faiss-cpu for faiss (pip install faiss-cpu numpy); says so where they are missing.

    bench_search.py build --rows 1000000 --queries 1000 --threads 2 --isa avx2
"""
import argparse
import ctypes
import json
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
    """Of engine_search_options what is used here; struct_bytes counts what follows, too: zeros."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("metric", ctypes.c_int),
                ("n_threads", ctypes.c_size_t), ("rest", ctypes.c_char * 256)]


def options_bytes():
    """Other hosts read engine.json, too; its numbers are the compiler's."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hosts/api/engine.json")
    with open(path, encoding="utf-8") as file:
        return next(struct["bytes"] for struct in json.load(file)["structs"]
                    if struct["name"] == "engine_search_options")


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    for name, number in (("rows", 100000), ("width", 384), ("queries", 1), ("threads", 1), ("rounds", 5)):
        parser.add_argument("--" + name, type=int, default=number)
    parser.add_argument("--isa", default="")
    parser.add_argument("--data", help="an array of rows, as encode -f npy writes it")
    parser.add_argument("--before", metavar="BUILD", help="another build, measured in turns")
    parser.add_argument("--types", default=",".join(TYPES), help="of ours: f32,f16,int8,binary")
    parser.add_argument("--skip-numpy", action="store_true")
    parser.add_argument("--skip-faiss", action="store_true")
    return parser.parse_args()


def hold_peers(args):
    """Before they are loaded: how many threads OpenBLAS has, and for which processor it works."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    if args.isa:
        os.environ["ENGINE_ISA"] = args.isa
    if args.isa == "avx2":
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
        os.environ["FAISS_OPT_LEVEL"] = "avx2"


def of_length_1(numpy, rows):
    rows /= numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def random_rows(numpy, seed, n, width):
    return of_length_1(numpy, numpy.random.default_rng(seed).random((n, width), dtype=numpy.float32) - 0.5)


def data_rows(numpy, path, n_rows, n_queries):
    """Rows of the array after the queries; each copy of them with other noise, a tenth as long."""
    data = of_length_1(numpy, numpy.load(path).astype(numpy.float32))
    queries, rest = data[:n_queries], data[n_queries:]
    rows = numpy.resize(rest, (n_rows, data.shape[1]))
    for first in range(len(rest), n_rows, len(rest)):
        part = rows[first:first + len(rest)]
        part += random_rows(numpy, first, *part.shape) / 10
    return of_length_1(numpy, rows), queries


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
    settings = Options(options_bytes(), 1, threads)

    def search():
        status = engine.engine_search(ctypes.byref(vectors), ctypes.c_void_p(queries.ctypes.data),
                                      ctypes.c_size_t(len(queries)), ctypes.c_size_t(K),
                                      ctypes.byref(settings), ctypes.c_void_p(hits.ctypes.data),
                                      None)
        assert status == 0 and len(made) > 0
        return hits
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


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")


def peers(args, numpy, rows, queries):
    searches = {}
    if not args.skip_faiss:
        try:
            import faiss
            faiss.omp_set_num_threads(args.threads)
            index = faiss.IndexFlatIP(rows.shape[1])
            index.add(rows)
            searches["faiss f32"] = lambda: index.search(queries, K)[1]
        except ImportError as missing:
            print(f"bench_search: no faiss: {missing} (pip install faiss-cpu)", file=sys.stderr)
    if not args.skip_numpy:
        searches["NumPy f32"] = by_numpy(numpy, rows, queries)
    return searches


def show(args, numpy, times, found):
    """How many of the best K of our f32 each found; of another build, whether all bits are ours."""
    exact = found["engine f32"]["row"].astype(numpy.int64) if "engine f32" in found else None
    base = statistics.median(times["engine f32"]) if exact is not None else float("nan")
    for name, values in times.items():
        hits, like = found[name], found.get(name.replace("before", "engine"))
        note = ""
        if name.startswith("before"):
            same = all((hits[field] == like[field]).all() for field in ("row", "score"))
            note = "the same bits" if same else "OTHER BITS"
        elif exact is not None:
            hits = hits["row"].astype(numpy.int64) if name.startswith("engine") else hits
            note = "%.4f" % numpy.mean([len(set(a) & set(b)) / K
                                        for a, b in zip(hits.tolist(), exact.tolist())])
        median = statistics.median(values)
        print(f"  {name:14} {median:10.1f} {min(values):10.1f} {base / median:8.2f}   {note}")


def main():
    args = options()
    hold_peers(args)
    try:
        import numpy
    except ImportError as missing:
        print(f"bench_search: skipped: {missing} (pip install faiss-cpu numpy)", file=sys.stderr)
        return
    if args.data:
        rows, queries = data_rows(numpy, args.data, args.rows, args.queries)
    else:
        rows, queries = (random_rows(numpy, seed, n, args.width)
                         for seed, n in ((1, args.rows), (2, args.queries)))
    searches = peers(args, numpy, rows, queries)
    for build, label in ((args.build, "engine"), (args.before, "before")):
        for kind in args.types.split(",") if build else ():
            engine = ctypes.CDLL(os.path.abspath(os.path.join(build, "libengine.so")))
            searches[f"{label} {kind}"] = ours(engine, numpy, rows, queries, kind, args.threads)
    times, found = measure(searches, args.rounds)
    print(f"{len(rows)} x {rows.shape[1]}, {len(queries)} queries, {args.threads} threads, "
          f"{args.isa or 'best isa'}, {processor()}:\n"
          f"median and least ms, times as fast as our f32, share of its best {K} found")
    show(args, numpy, times, found)


main()
