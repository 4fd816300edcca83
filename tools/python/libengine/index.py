"""Index: the nearest rows of many vectors, exactly."""

from __future__ import annotations

import ctypes

import numpy as np

from . import _library as c
from ._model import threads_of

_METRICS = {"cosine": c.ENGINE_METRIC_COSINE, "dot": c.ENGINE_METRIC_DOT}
_LONG_SEARCH = 1 << 24  # numbers that are multiplied, some ms of work


class Index:
    """Rows of vectors, in memory or in a file that is mapped.

    vectors: a path of an .npy file, or an array, as Encoder.encode and encode --type make them: float32 or float16
        [n, width], int8 (scale and values), or binary (uint8).
    threads: of a search; None: OMP_NUM_THREADS, else all CPUs of this process.
    """

    def __init__(self, vectors, threads: int | None = None):
        rows = vectors if isinstance(vectors, np.ndarray) else np.load(vectors, mmap_mode="r", allow_pickle=False)
        if not isinstance(rows, np.ndarray):
            rows.close()
            raise TypeError(f"{vectors} has several arrays: give an .npy file, as numpy.save makes it of one")
        kinds = {"<f4": c.ENGINE_F32, "<f2": c.ENGINE_F16, "|u1": c.ENGINE_BINARY}
        width = rows.dtype["values"].shape if rows.dtype.names == ("scale", "values") else ()
        if rows.dtype == np.dtype([("scale", "<f4"), ("values", "i1", width)]) and len(width) == rows.ndim == 1:
            self._type, self.width = c.ENGINE_INT8, width[0]
        elif rows.dtype.str in kinds and rows.ndim == 2:
            self._type, self.width = kinds[rows.dtype.str], rows.shape[1]
        else:
            raise TypeError(f"vectors are {rows.dtype} {list(rows.shape)}: give float32 or float16 [n, width], or rows "
                            "of int8 or binary as Encoder.encode makes them")
        self._rows, self._threads = np.ascontiguousarray(rows), threads

    def __len__(self) -> int:
        return len(self._rows)

    def search(self, queries, top_k: int = 10, metric: str = "cosine") -> list:
        """Returns, for each query of [n, width], a list of the top_k best rows, best first, as dicts of corpus_id and
        score; for one query [width] its list. metric: "cosine" or "dot"."""
        if metric not in _METRICS:
            raise ValueError(f"metric={metric!r}: choose {', '.join(map(repr, _METRICS))}")
        given = np.ascontiguousarray(queries, np.float32)
        rows = np.atleast_2d(given)
        is_binary = self._type == c.ENGINE_BINARY
        if rows.ndim != 2 or (-(-rows.shape[1] // 8) if is_binary else rows.shape[1]) != self.width:
            raise ValueError(f"queries are {list(given.shape)}, but rows have {self.width} "
                             f"{'bytes' if is_binary else 'columns'}")
        top_k = min(c.number("top_k", top_k), len(self))
        if top_k < 1:
            return [] if given.ndim == 1 else [[] for _ in rows]
        is_long = len(rows) * len(self) * rows.shape[1] > _LONG_SEARCH
        hits, error, stopped = np.empty((len(rows), top_k), np.dtype(c.engine_hit)), c.engine_error(), [0]

        def call():  # has all that the library uses, see run_interruptible
            # If it is called on the main thread ctypes ignores what handlers of signals raise.
            progress = c.PROGRESS_CALLBACK(lambda done, n, user: stopped[0]) if is_long else None
            settings = c.options(c.engine_search_options, metric=_METRICS[metric], n_threads=threads_of(self._threads),
                                 progress=ctypes.cast(progress, ctypes.c_void_p))
            vectors = c.engine_vectors(self._rows.ctypes.data, len(self), rows.shape[1], self._type)
            status = c.library.engine_search(ctypes.byref(vectors), rows.ctypes.data, len(rows), top_k,
                                             ctypes.byref(settings), hits.ctypes.data, ctypes.byref(error))
            if status:
                raise c.exception_of(error, status, name="queries")

        c.run_interruptible(call, lambda: stopped.__setitem__(0, 1), is_long)
        found = [[{"corpus_id": row, "score": score} for row, score in zip(*lists)]
                 for lists in zip(hits["row"].tolist(), hits["score"].tolist())]
        return found[0] if given.ndim == 1 else found
