"""Index: the nearest rows of many vectors, exactly, and with the words of their texts."""

from __future__ import annotations

import ctypes
import math
from ctypes import addressof, byref
from typing import Iterable, Iterator, Sequence

import numpy as np

from . import _library as c
from ._inputs import utf8
from ._model import threads_of

_LONG_SEARCH = 1 << 24  # numbers that are multiplied, some ms of work


class _Words:
    """An index of the words of texts."""

    def __init__(self, texts):
        self.index, self._builder, self.blank = c.engine_index(), c.library.engine_index_new(), set()
        if not self._builder:
            raise MemoryError
        for i, text in enumerate(_strings(texts)):
            if not text.strip():
                self.blank.add(i)
            data = utf8(text)
            _check(c.library.engine_index_add_text, self._builder, data, len(data))
        data, n = ctypes.c_void_p(), ctypes.c_size_t()
        _check(c.library.engine_index_bytes, self._builder, 0, byref(data), byref(n))
        self.index.bytes, self.index.len = data.value, n.value
        _check(c.library.engine_index_open, byref(self.index))

    def __del__(self, free=c.library.engine_index_free):
        free(self._builder)

    def queries(self, texts: list[str]):
        """Returns the words of queries as engine_sparse_queries, which keep what they point to."""
        texts = list(map(utf8, texts))
        weights = np.zeros(sum(len(text) // 2 + 1 for text in texts), np.dtype(c.engine_weight))
        starts = np.zeros(len(texts) + 1, np.uintp)
        for i, text in enumerate(texts):
            n = c.library.engine_index_query(byref(self.index), 1, 0, text, len(text), weights[starts[i]:].ctypes.data)
            starts[i + 1] = starts[i] + n
        found = c.engine_sparse_queries(addressof(self.index), weights.ctypes.data, starts.ctypes.data)
        found.kept = self, weights, starts
        return found


def _strings(texts: str | Iterable[str]) -> Iterator[str]:
    """Yields one text, or many, if they are str."""
    for i, text in enumerate([texts] if isinstance(texts, str) else texts):
        if not isinstance(text, str):
            raise TypeError(f"texts[{i}] is of type {type(text).__name__}: give a str")
        yield text


def _check(function, *arguments, name: str = "texts") -> None:
    error = c.engine_error()
    status = function(*arguments, byref(error))
    if status:
        raise c.exception_of(error, status, name=name)


class Index:
    """Rows of vectors, in memory or in a file that is mapped.

    vectors: a path of an .npy file, an array as Encoder.encode and encode --type make it, or lists of numbers: float32
        or float16 [n, width], int8 (scale and values), or binary (uint8).
    threads: of a search; None: OMP_NUM_THREADS, else all CPUs of this process.
    texts: of the rows, for searches that count words, too.
    encoder: the Encoder that made the rows. With it, or with texts, rows of empty texts are no hits.
    """

    def __init__(self, vectors, threads: int | None = None, texts: Iterable[str] | None = None, encoder=None):
        if isinstance(vectors, (list, tuple)):
            vectors = np.asarray(vectors, np.float32)
        try:
            rows = vectors if isinstance(vectors, np.ndarray) else np.load(vectors, mmap_mode="r", allow_pickle=False)
        except ValueError:
            raise ValueError(f"{vectors} is no array of NumPy, or is cut off: give a file of encode -f npy") from None
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
        self._rows, self._threads = np.ascontiguousarray(rows), c.number("threads", threads)
        self._words = None if texts is None else _Words(texts)
        if self._words and self._words.index.n_rows != len(self):
            raise ValueError(f"there are {self._words.index.n_rows} texts, but {len(self)} rows")
        self._blank = set(self._words.blank if self._words else ())
        if encoder is not None and len(self):
            self._add_empty(encoder)

    def _add_empty(self, encoder) -> None:
        """Adds rows that are those of an empty text. Bits of other texts may be equal, so binary rows are not compared."""
        precisions = {c.ENGINE_F32: "float32", c.ENGINE_F16: "float16", c.ENGINE_INT8: "int8"}
        bytes_of_row = np.dtype((np.void, self._rows.nbytes // len(self)))
        for role in ("text", "document") if self._type in precisions else ():
            row = encoder.encode([""], role=role, precision=precisions[self._type], truncate_dim=self.width)
            self._blank.update(np.flatnonzero(self._rows.view(bytes_of_row) == row.view(bytes_of_row)).tolist())

    def __len__(self) -> int:
        return len(self._rows)

    def search(self, queries, top_k: int | None = 10, metric: str = "cosine", texts: str | Sequence[str] | None = None,
               word_weight: float = 1.0) -> list:
        """Returns, for each query of [n, width], a list of the top_k best rows (None: all), best first, as dicts of
        corpus_id and score; for one query [width] its list. metric: "cosine", "dot", "euclidean" or "manhattan" (minus
        the distance), as Encoder.similarity_fn_name. texts: of the queries, for scores as of encode-search --hybrid: z-scores of
        vectors plus word_weight times those of words, by BM25. An empty text has no hits. Rows of empty texts, all alike,
        may be hits unless the index has texts or an encoder."""
        if metric not in c.METRICS:
            raise ValueError(f"metric={metric!r}: choose {', '.join(map(repr, c.METRICS))}")
        if isinstance(queries if isinstance(queries, str) else next(iter(queries), None), str):
            raise TypeError("queries are texts: give their vectors, index.search(encoder.encode_query(...))")
        given = np.ascontiguousarray(queries, np.float32)
        rows = np.atleast_2d(given)
        is_binary = self._type == c.ENGINE_BINARY
        if rows.ndim != 2 or (-(-rows.shape[1] // 8) if is_binary else rows.shape[1]) != self.width:
            raise ValueError(f"queries are {list(given.shape)}, but rows have {self.width} "
                             f"{'bytes' if is_binary else 'columns'}")
        asked = list(_strings(() if texts is None else texts))
        if texts is not None and (self._words is None or len(asked) != len(rows)):
            raise ValueError("this Index has no texts" if self._words is None else
                             f"there are {len(asked)} texts of {len(rows)} queries")
        if not 0 <= word_weight < math.inf:
            raise ValueError(f"word_weight={word_weight}: give a number from 0")
        top_k = len(self) if top_k is None else min(c.number("top_k", top_k), len(self))
        if top_k < 1:
            return [] if given.ndim == 1 else [[] for _ in rows]
        is_long = len(rows) * len(self) * rows.shape[1] > _LONG_SEARCH
        k = min(top_k + len(self._blank), len(self))
        hits, stopped = np.empty((len(rows), k), np.dtype(c.engine_hit)), [0]

        def call():  # has all that the library uses, see run_interruptible
            # If it is called on the main thread ctypes ignores what handlers of signals raise.
            progress = c.PROGRESS_CALLBACK(lambda done, n, user: stopped[0]) if is_long else None
            settings = c.options(c.engine_search_options, metric=c.METRICS.index(metric), n_threads=threads_of(self._threads),
                                 progress=ctypes.cast(progress, ctypes.c_void_p))
            vectors = c.engine_vectors(self._rows.ctypes.data, len(self), rows.shape[1], self._type)
            given = byref(vectors), rows.ctypes.data, len(rows)
            if texts is not None:
                words = self._words.queries(asked)
                settings.sparse = addressof(words)
                sums = np.zeros((2, len(rows)), np.dtype(c.engine_moments))
                _check(c.library.engine_search_moments, *given, byref(settings), *(s.ctypes.data for s in sums),
                       name="queries")
                fusions = [c.library.engine_fuse(c.engine_moments(*a), c.engine_moments(*b), word_weight)
                           for a, b in zip(*sums.tolist())]
                fusions = (c.engine_fusion * len(rows))(*fusions)
                words.fusions = addressof(fusions)
            _check(c.library.engine_search, *given, k, byref(settings), hits.ctypes.data, name="queries")

        c.run_interruptible(call, lambda: stopped.__setitem__(0, 1), is_long)
        found = [[{"corpus_id": row, "score": score} for row, score in zip(*lists)]
                 for lists in zip(hits["row"].tolist(), hits["score"].tolist())]
        for i, text in enumerate(asked):
            found[i] = found[i] if text.strip() else []
        if self._blank:
            found = [[hit for hit in hits if hit["corpus_id"] not in self._blank][:top_k] for hits in found]
        return found[0] if given.ndim == 1 else found
