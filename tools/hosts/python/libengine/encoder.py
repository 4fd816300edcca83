"""Encoder: a model from texts to vectors, tokens, labels and words."""

from __future__ import annotations

import ctypes
import sys
import time
import warnings
from ctypes import byref
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np

from . import _library as c
from ._inputs import Inputs, character_offsets, dict_of, inputs_of, utf8
from ._model import Model, Session

_ELEMENTS = {"float32": c.ENGINE_F32, "float16": c.ENGINE_F16, "int8": c.ENGINE_INT8, "binary": c.ENGINE_BINARY}
_ON_LONG = {"model": c.ENGINE_ON_LONG_MODEL, "truncate": c.ENGINE_ON_LONG_TRUNCATE, "error": c.ENGINE_ON_LONG_ERROR}
_OUTPUTS = {"sentence_embedding": c.ENGINE_POOLING_TEXT, "token_embeddings": c.ENGINE_POOLING_NONE,
            "colbert": c.ENGINE_POOLING_COLBERT}
_STRATEGIES = {"simple": c.ENGINE_STRATEGY_SIMPLE, "first": c.ENGINE_STRATEGY_FIRST, "none": c.ENGINE_STRATEGY_NONE,
               "average": c.ENGINE_STRATEGY_AVERAGE, "max": c.ENGINE_STRATEGY_MAX}
_ROLES = {"text": c.ENGINE_ROLE_TEXT, "query": c.ENGINE_ROLE_QUERY, "document": c.ENGINE_ROLE_DOCUMENT}


class Token(NamedTuple):
    """A token: characters [begin, end) of the text, or of the pair's second text if in_pair."""

    text: str
    id: int
    begin: int
    end: int
    special: bool
    in_pair: bool


class Entity(NamedTuple):
    """A run of tokens with one label: characters [begin, end) of the text."""

    text: str
    label: str
    score: float
    begin: int
    end: int


class Candidate(NamedTuple):
    """A word for a mask token, and its probability."""

    text: str
    id: int
    score: float


class Encoder:
    """A model, opened from a weight file. Any number of threads may use it at the same time.

    path: a weight file; None: the file named by the environment's ENCODE_MODEL, else the default weights.
    threads: of each call; None: OMP_NUM_THREADS, else all CPUs of this process. Children of fork() use one.
    """

    def __init__(self, path=None, threads: int | None = None):
        self._model: Model | None = Model(path, threads)
        info = self._model.info
        self.path, self.name = info.path.decode("utf-8", "replace"), info.name.decode("utf-8", "replace")
        self.checksum, self.vocabulary_size = info.checksum, info.n_vocabulary
        self.max_seq_length = info.max_text_tokens  # ids may have info.max_tokens
        self.n_layers, self.n_heads, self.width = info.n_layers, info.n_heads, info.output_width
        shape = c.options(c.engine_shape)  # cosine if the model makes no vectors
        c.library.engine_shape_of(self._model.handle, byref(_options(prompt_name="")), byref(shape), None)
        self.similarity_fn_name = c.METRICS[shape.metric]
        names = [c.library.engine_label(self._model.handle, i) for i in range(info.n_labels)]
        self.labels = [f"LABEL_{i}" if name is None else name.decode() for i, name in enumerate(names)]

    @classmethod
    def from_pretrained(cls, directory, weights: str | None = None, threads: int | None = None) -> Encoder:
        """Imports a HuggingFace or sentence-transformers directory, once, into a cache, and opens it.

        weights: "f32", "f16", "bf16" or "int8"; None: the directory's own type.
        """
        from .pretrained import import_directory
        return cls(import_directory(directory, weights), threads)

    def close(self) -> None:
        """Closes the model when the calls of other threads have ended. Later calls raise ValueError."""
        self._model = None

    def __repr__(self) -> str:
        what = f"{self.n_layers} layers, width {self.width}" if self._model else "closed"
        return f"<libengine.Encoder {self.name or self.path!r}: {what}>"

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __reduce__(self):
        """Pickles and copies open the same file again."""
        return type(self), (self.path, self._open().threads)

    def _open(self) -> Model:
        model = self._model
        if model is None:
            raise ValueError("the encoder is closed: make another one")
        return model

    def get_sentence_embedding_dimension(self) -> int:
        """Returns the width of vectors."""
        return self.width

    get_embedding_dimension = get_sentence_embedding_dimension

    # ---- Vectors ----

    def encode(self, sentences: str | dict | Sequence, prompt_name: str | None = None, prompt: str | None = None,
               batch_size: int = 1024, show_progress_bar: bool = False, output_value: str = "sentence_embedding",
               precision: str = "float32", normalize_embeddings: bool = False, truncate_dim: int | None = None, *,
               role: str = "text", on_long: str = "model", convert_to_numpy: bool = True,
               convert_to_tensor: bool = False, device=None) -> Any:
        """Returns the vectors of sentences, float32 [n, width]; of one text [width].

        sentences: a text or a sequence of texts; a pair of texts is a list or tuple of two, or a dict
            {"text": ..., "pair": ...}; {"ids": [...]} are token ids, with "types" and "mask" if they are not 0 and 1.
        prompt_name, prompt: a prompt of the model ("": none), or a text, before each text; both None: the model's.
        batch_size: texts of one call of the library; vectors do not depend on it.
        output_value: "sentence_embedding"; "token_embeddings": a list of arrays [tokens, width]; "colbert": a list of
            arrays [vectors, columns], from models that have them.
        precision: "float16": [n, width]; "int8": rows of a float32 `scale` and int8 `values` [width]; "binary": uint8
            [n, ceil(width / 8)], bits in the order of numpy.packbits: all as encode --type writes them.
        normalize_embeddings: scale vectors to length 1. truncate_dim: only this many first columns.
        role: "query" or "document" chooses the model's prompt for it. on_long: "error" or "truncate" texts that are
            longer than the model takes; "model": as the model's file says, with a UserWarning if texts are cut. Another
            UserWarning is about a text whose words the model hardly knows, of the first texts of a call.
        convert_to_tensor: return tensors of torch, which share the memory. convert_to_numpy, device: as in snippets of
            sentence-transformers, whose False and whose GPUs do not exist here.
        """
        if not convert_to_numpy and not convert_to_tensor:
            raise ValueError("convert_to_numpy=False: vectors are arrays of NumPy; convert_to_tensor=True makes tensors")
        check_device(device)
        if convert_to_tensor:
            from torch import from_numpy
        element, pooling = _choice(_ELEMENTS, "precision", precision), _choice(_OUTPUTS, "output_value", output_value)
        items, is_one = _items(sentences)
        if truncate_dim is not None and truncate_dim < 1:
            raise ValueError(f"truncate_dim={truncate_dim}: give 1 or more")
        settings = _options(role, on_long, prompt_name, prompt, pooling=pooling, normalize=bool(normalize_embeddings),
                            dimensions=c.number("truncate_dim", truncate_dim))
        batches = _batches(items, batch_size, show_progress_bar)
        if pooling != c.ENGINE_POOLING_TEXT and element != c.ENGINE_F32:
            raise ValueError(f"precision={precision!r} requires output_value='sentence_embedding'")
        if convert_to_tensor and element == c.ENGINE_INT8:
            raise ValueError("convert_to_tensor requires another precision: rows of int8 have a scale each")
        vectors = self._rows_of(len(items), batches, settings)
        vectors = vectors if element == c.ENGINE_F32 else rows_from_f32(vectors, element)
        if convert_to_tensor:
            vectors = list(map(from_numpy, vectors)) if isinstance(vectors, list) else from_numpy(vectors)
        return vectors[0] if is_one else vectors

    def encode_query(self, sentences, **options) -> Any:
        """Returns encode(sentences, role="query", **options): with the model's prompt for queries."""
        return self.encode(sentences, role="query", **options)

    def encode_document(self, sentences, **options) -> Any:
        """Returns encode(sentences, role="document", **options): with the model's prompt for documents."""
        return self.encode(sentences, role="document", **options)

    def encode_spans(self, text: str, spans: Sequence[tuple[int, int]], prompt_name: str | None = None,
                     prompt: str | None = None, normalize_embeddings: bool = False, *, role: str = "text",
                     on_long: str = "model") -> np.ndarray:
        """Returns a vector for each (begin, end) in characters of one text, float32 [n, width], from one pass over all of
        it (late chunking): the model's pooling, which must be a mean or max, of the tokens of the span. A span without
        tokens has zeros. Other parameters: encode."""
        if not isinstance(text, str):
            raise TypeError(f"text is of type {type(text).__name__}: give a str")
        settings = _options(role, on_long, prompt_name, prompt, pooling=c.ENGINE_POOLING_TEXT,
                            normalize=bool(normalize_embeddings))
        ends = np.array([[c.number("spans", end) for end in (begin, end)] for begin, end in spans], np.int64).reshape(-1, 2)
        for i, (begin, end) in enumerate(ends):
            if not 0 <= begin <= end <= len(text):
                raise ValueError(f"spans[{i}] is ({begin}, {end}): give (begin, end) of the text's {len(text)} characters")
        starts = np.cumsum([0] + [len(utf8(character)) for character in text])
        inputs, places = inputs_of([text]), starts[ends].astype(np.uintp)
        out = np.empty((len(ends), self.width), np.float32)
        self._open().call(c.library.engine_encode_spans, inputs, places.ctypes, len(ends), byref(settings), out.ctypes,
                          out.size, None, inputs.results.ctypes, n_bytes=inputs.n_bytes, name="text")
        if on_long == "model" and inputs.results["n_dropped"].any():
            self._warn_of_cut()
        return out

    def explain(self, first: str, second: str,
                prompt_name: str | None = None) -> tuple[list[str], list[str], np.ndarray]:
        """Returns the tokens of two texts, and the share of each pair of tokens in their similarity, float64
        [tokens of first, tokens of second], whose sum it is: of models that pool by a mean and compare by cosine or dot;
        EngineError says why another's is no such sum. Biases of projections are the last token, "(biases)"."""
        names, parts = [], []
        for text in (first, second):
            if not isinstance(text, str):
                raise TypeError(f"a text is of type {type(text).__name__}: give a str")
            names.append([token.text for token in self.tokenize(text, prompt_name)])
            inputs, rows = inputs_of([text]), np.empty((len(names[-1]) + 1, self.width), np.float32)
            settings = _options("text", "error", prompt_name, pooling=c.ENGINE_POOLING_TEXT)
            self._open().call(c.library.engine_encode_parts, inputs, byref(settings), rows.ctypes, rows.size, None, None,
                              n_bytes=inputs.n_bytes, name="text")
            names[-1] += ["(biases)"] if rows[-1].any() else []
            parts.append(rows[:len(names[-1])].astype(np.float64))
        if self.similarity_fn_name not in ("cosine", "dot"):
            raise ValueError(f"{self.similarity_fn_name} is no sum over pairs of tokens: cosine and dot are")
        shares = parts[0] @ parts[1].T
        if self.similarity_fn_name == "cosine":
            lengths = np.prod([np.linalg.norm(rows.sum(axis=0)) for rows in parts])
            shares = shares / lengths if lengths else np.zeros_like(shares)
        return names[0], names[1], shares

    def encode_arrow(self, array, **options):
        """Returns a pyarrow FixedSizeListArray [n] of vectors [width], from a pyarrow array of strings (or what
        pyarrow.array makes one of), whose texts are not copied; null for a null. options: of encode."""
        from .arrow import encode_arrow
        return encode_arrow(self, array, **options)

    def encode_sparse(self, sentences, batch_size: int = 64, role: str = "text", on_long: str = "model"):
        """Returns a scipy.sparse CSR matrix [n, vocabulary_size]: a weight for each token id, by SPLADE or bge-m3."""
        try:
            from scipy.sparse import csr_matrix, vstack
        except ImportError:
            raise ImportError("encode_sparse returns a matrix of scipy: pip install scipy") from None
        settings = _options(role, on_long, pooling=c.ENGINE_POOLING_SPARSE)
        blocks = [csr_matrix((0, self.vocabulary_size), dtype=np.float32)]
        for first, inputs in _batches(_items(sentences)[0], batch_size):
            out = np.empty((len(inputs), self.vocabulary_size), np.float32)
            self._call(inputs, settings, out, first)
            blocks.append(csr_matrix(out))
        return vstack(blocks, format="csr")

    def _rows_of(self, n: int, batches, settings) -> Any:
        """Returns a row for each of n texts, [n, columns], or a list of arrays [rows, columns] if tokens have rows."""
        shape, found = self._open().shape(settings), []
        out = np.empty((0 if shape.per_token else n, shape.width), np.float32)
        for first, inputs in batches:
            if not shape.per_token:
                self._call(inputs, settings, out[first:first + len(inputs)], first)
                if first == 0 and settings.pooling == c.ENGINE_POOLING_TEXT:
                    self._warn_of_words(inputs, settings)
                continue
            needed = self._call(inputs, settings, np.empty(0, np.float32), first)
            rows = np.empty((needed // shape.width, shape.width), np.float32)
            self._call(inputs, settings, rows, first)
            found += np.split(rows, inputs.results["row"][1:])
        return found if shape.per_token else out

    def _call(self, inputs: Inputs, settings, out: np.ndarray, first: int = 0) -> int:
        """Fills out by engine_encode. If out is empty, only counts. Returns the numbers needed.
        first: the index of the first input in the caller's argument."""
        needed = ctypes.c_size_t()
        self._open().call(c.library.engine_encode, inputs, len(inputs), byref(settings), out.ctypes, out.size,
                          byref(needed), inputs.results.ctypes, n_bytes=inputs.n_bytes, first=first,
                          accept=0 if out.size else c.ENGINE_ERROR_BUFFER)
        if settings.on_long == c.ENGINE_ON_LONG_MODEL and out.size and inputs.results["n_dropped"][:len(inputs)].any():
            self._warn_of_cut(1)
        return needed.value

    def _warn_of_cut(self, deeper: int = 0) -> None:
        warnings.warn(f"texts are cut to the {self.max_seq_length} tokens of the model, as its file says: "
                      "on_long='truncate' accepts that, 'error' refuses them", stacklevel=3 + 2 * deeper)

    def _warn_of_words(self, inputs: Inputs, settings) -> None:
        """Warns of the first text of which the model knows less than half of the words, as the command does. Only some
        texts are looked at, as each is tokenized once more."""
        counts, needed, out = c.engine_word_counts(), ctypes.c_size_t(), (c.engine_token * 512)()
        for i in range(min(len(inputs), 8)):
            one = inputs[i:i + 1]
            if one.n_bytes > 1000 or one.array["ids"][0]:
                continue
            if self._open().call(c.library.engine_tokenize, one, byref(settings), out, len(out), byref(needed), None,
                                 accept=c.ENGINE_ERROR_BUFFER):
                continue
            c.library.engine_count_words(self._open().handle, one, out, needed.value, byref(counts))
            if 2 * counts.n_unknown > counts.n:
                warnings.warn(f"sentences[{i}]: the model knows {counts.n - counts.n_unknown} of its {counts.n} words; "
                              "texts of unknown words get nearly the same vector", stacklevel=4)
                return

    # ---- Comparing ----

    def similarity(self, a, b=None) -> np.ndarray:
        """Returns the scores [n, m], float32, of vectors a [n, width] and b [m, width] (None: a), or of texts, by
        similarity_fn_name: cosines, "dot" products, or minus the "euclidean" or "manhattan" distances."""
        left = self._rows(a)
        right = left if b is None else self._rows(b)
        if self.similarity_fn_name == "cosine":
            left, right = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300) for x in (left, right))
        if self.similarity_fn_name in ("cosine", "dot"):
            return (left @ right.T).astype(np.float32)
        order = 2 if self.similarity_fn_name == "euclidean" else 1
        scores = [0 - np.linalg.norm(right - row, order, axis=1) for row in left]
        return np.array(scores, np.float32).reshape(len(left), len(right))

    def _rows(self, given) -> np.ndarray:
        given = given if hasattr(given, "dtype") else _items(given)[0]
        rows = np.atleast_2d(self.encode(given) if isinstance(next(iter(given), ""), (str, dict)) else given)
        if rows.ndim != 2 or rows.dtype.kind not in "fi":
            raise TypeError(f"vectors are {rows.dtype} {list(rows.shape)}: give numbers [n, width], or texts")
        return rows.astype(np.float64)

    def rank(self, query: str, documents: Sequence[str], top_k: int | None = None, return_documents: bool = False,
             *, on_long: str = "model") -> list[dict]:
        """Returns a dict of corpus_id and score (and text) for the top_k best documents, best first: by cross-encoder,
        sparse weights, vectors of tokens or similarity_fn_name, as the model does it. Empty documents come last: a
        cosine is -1."""
        texts = _items(documents)[0]
        inputs, asked = inputs_of(texts, name="documents"), inputs_of([query], name="query")
        scores, n_cut = np.empty(len(texts), np.float32), ctypes.c_size_t()
        self._open().call(c.library.engine_rank, asked, inputs, len(inputs),
                          byref(_options("text", on_long, n_cut=ctypes.addressof(n_cut))), scores.ctypes,
                          n_bytes=inputs.n_bytes, name="documents")
        if on_long == "model" and n_cut.value:
            self._warn_of_cut()
        best = np.argsort(-scores, kind="stable")[:None if top_k is None else c.number("top_k", top_k)].tolist()
        hits = [{"corpus_id": i, "score": float(scores[i])} for i in best]
        return [{**hit, "text": texts[hit["corpus_id"]]} for hit in hits] if return_documents else hits

    # ---- Tokens, labels, words ----

    def tokenize(self, sentences, prompt_name: str = "") -> Any:
        """Returns a list of Token for each text, uncut; for one text its list. prompt_name: of encode."""
        def tokens(model, item, index):
            found = self._list(c.library.engine_tokenize, item, index, c.engine_token, prompt_name=prompt_name)
            spans = _spans(item)
            return [Token(model.token_text(t.id), t.id, *spans(t)[:2], bool(t.special), bool(t.in_pair))
                    for t in found]
        return self._each(tokens, sentences)

    def entities(self, sentences, *, on_long: str = "model", strategy: str = "simple") -> Any:
        """Returns a list of Entity for each text; for one text its list. The model's head must label tokens. strategy:
        "simple", "first", "average", "max" or "none", as aggregation_strategy of transformers' pipeline."""
        def entities(_, item, index):
            found = self._list(c.library.engine_entities, item, index, c.engine_entity, on_long=on_long,
                               strategy=_choice(_STRATEGIES, "strategy", strategy))
            spans = _spans(item)
            names = self.labels if strategy == "none" else [name.split("-", 1)[-1] for name in self.labels]
            return [Entity(text, names[e.label], e.score, begin, end)
                    for e in found for begin, end, text in [spans(e)]]
        return self._each(entities, sentences)

    def fill(self, sentences, top_k: int = 5) -> Any:
        """Returns for each text (for one text only its list) a list of the top_k most likely words, best first, for
        each of its mask tokens: lists of Candidate."""
        def words(model, item, index):
            found = self._list(c.library.engine_fill, item, index, c.engine_candidate,
                               c.number("top_k", top_k))
            words = [Candidate(model.token_text(w.id), w.id, w.score) for w in found]
            return [words[begin:begin + top_k] for begin in range(0, len(words), top_k)]
        return self._each(words, sentences)

    def classify(self, sentences, labels: Sequence[str] | None = None, batch_size: int = 1024, *, on_long: str = "model",
                 template: str = "This example is {}.", multi_label: bool = False) -> Any:
        """Returns the scores of Encoder.labels, float32 [n, labels], of one text [labels]; if the model's head labels
        tokens, a list of arrays [tokens, labels]. With labels those of these labels, by a model of entailment (NLI), as
        transformers' zero-shot pipeline; multi_label: each alone."""
        items, is_one = _items(sentences)
        if labels is not None:
            scores = self._zero_shot(items, labels, batch_size, on_long, template, multi_label)
            return scores[0] if is_one else scores
        settings = _options("text", on_long, pooling=c.ENGINE_POOLING_LABELS)
        scores = self._rows_of(len(items), _batches(items, batch_size), settings)
        return scores[0] if is_one else scores

    def _zero_shot(self, items, labels, batch_size: int, on_long: str, template: str, multi_label: bool) -> np.ndarray:
        """Returns the scores [items, labels]; the text of a label follows each text as its hypothesis."""
        if isinstance(labels, (str, int)) or not labels or any(not isinstance(item, str) for item in items):
            raise TypeError("classify(texts, labels): give a list of str for labels, and texts")
        error, hypotheses = c.engine_error(), []

        def check(status):
            if status:
                raise c.exception_of(error, status)
        model = self._open()
        check(c.library.engine_zero_shot(model.handle, None, 0, 0, None, byref(error)))
        form = c.string("template", utf8(template))
        for label in (c.string("labels", utf8(label)) for label in labels):
            out = ctypes.create_string_buffer(len(form) + len(label) + 1)
            check(c.library.engine_hypothesis(form, label, out, len(out), None, byref(error)))
            hypotheses.append(out.value.decode())
        settings = _options("text", "truncate" if on_long == "model" else on_long, pooling=c.ENGINE_POOLING_LABELS,
                            raw_scores=1, truncation=c.ENGINE_TRUNCATE_ONLY_FIRST)
        pairs = [{"text": text, "pair": hypothesis} for text in items for hypothesis in hypotheses]
        logits = self._rows_of(len(pairs), _batches(pairs, batch_size), settings)
        scores = np.empty((len(items), len(labels)), np.float32)
        for row, out in zip(np.ascontiguousarray(logits).reshape(len(items), len(labels) * model.info.n_labels), scores):
            check(c.library.engine_zero_shot(model.handle, row.ctypes, len(labels), multi_label, out.ctypes,
                                             byref(error)))
        return scores

    def predict(self, sentences, batch_size: int = 32, show_progress_bar: bool = False, **options) -> Any:
        """Returns classify(sentences), of a model with one label (a cross-encoder) float32 [n], as CrossEncoder does."""
        del show_progress_bar
        scores = self.classify(sentences, batch_size=batch_size, **options)
        return scores[..., 0] if isinstance(scores, np.ndarray) and len(self.labels) == 1 else scores

    def _each(self, function, sentences) -> Any:
        """Returns function(model, item, index) for each item; for one text its result."""
        (items, is_one), model = _items(sentences), self._open()
        found = [function(model, item, index) for index, item in enumerate(items)]
        return found[0] if is_one else found

    def _list(self, function, item, index: int, struct, *arguments, on_long="model", prompt_name=None,
              **members) -> list:
        """Returns the structs that engine_tokenize, engine_entities or engine_fill writes for one item."""
        inputs, needed, status = inputs_of([item], index), ctypes.c_size_t(64), 1
        settings = _options("text", on_long, prompt_name, **members)
        while status:
            out = (struct * needed.value)()
            status = self._open().call(
                function, inputs, *arguments, byref(settings), out, len(out), byref(needed),
                inputs.results.ctypes, n_bytes=inputs.n_bytes, first=index, accept=c.ENGINE_ERROR_BUFFER)
        return list(out[:needed.value])

    # ---- What happens inside ----

    def hidden_states(self, text: str | dict) -> np.ndarray:
        """Returns the hidden states [layers + 1, tokens, width] of a text: after the embedding and each layer."""
        return self._trace(text, c.ENGINE_TRACE_HIDDEN, lambda view: (view.n_tokens, view.width))

    def attention(self, text: str | dict) -> np.ndarray:
        """Returns the attention weights [layers, heads, tokens, tokens] of a text: row = query, column = key."""
        return self._trace(text, c.ENGINE_TRACE_ATTENTION, lambda view: (view.n_heads, view.n_tokens, view.n_tokens))

    def _trace(self, text, kind: int, shape) -> np.ndarray:
        """Returns what the library reports of this kind for a text, [reports, ...]."""
        found = []

        def copy(address, _):
            view = c.engine_trace_view.from_address(address)
            found.append(np.ctypeslib.as_array(ctypes.cast(view.values, c.FLOATS), shape(view)).copy())

        model, callback = self._open(), c.TRACE_CALLBACK(copy)
        session = Session(model.weights, model.threads, trace=kind,
                          trace_callback=ctypes.cast(callback, ctypes.c_void_p))
        session.callback = callback  # which so lives as long
        inputs, out = inputs_of([text]), np.empty(model.info.width, np.float32)
        model.call(c.library.engine_encode, inputs, 1, byref(_options(pooling=c.ENGINE_POOLING_MEAN)),
                   out.ctypes, out.size, None, inputs.results.ctypes, session=session)
        return np.stack(found)


def check_device(device) -> None:
    if device is not None and str(device) != "cpu":
        raise ValueError(f"device={str(device)!r}: the CPU is the only device; Encoder(threads=N) sets its threads")


def rows_from_f32(vectors: np.ndarray, element: int) -> np.ndarray:
    """Returns vectors [n, width] as rows of another type, as encode --type writes them."""
    n, width = vectors.shape
    dtype, columns = {c.ENGINE_F16: ("<f2", (width,)), c.ENGINE_BINARY: ("u1", (-(-width // 8),)),
                      c.ENGINE_INT8: ([("scale", "<f4"), ("values", "i1", (width,))], ())}[element]
    out = np.empty((n, *columns), dtype)
    c.library.engine_rows_from_f32(vectors.ctypes.data, n, width, element, out.ctypes.data)
    return out


def _choice(choices: dict, name: str, value: str) -> int:
    if value not in choices:
        raise ValueError(f"{name}={value!r}: choose {', '.join(map(repr, choices))}")
    return choices[value]


def _options(role: str = "text", on_long: str = "model", prompt_name: str | None = None, prompt: str | None = None,
             **members):
    """Returns an engine_encode_options."""
    settings = c.options(c.engine_encode_options, role=_choice(_ROLES, "role", role),
                         on_long=_choice(_ON_LONG, "on_long", on_long), **members)
    for name, value in (("prompt", prompt), ("prompt_name", prompt_name)):
        if not isinstance(value, (str, type(None))):
            raise TypeError(f"{name} is of type {type(value).__name__}: give a str")
    if prompt is not None:
        settings.prompt_text = utf8(prompt)
        settings.prompt_len = len(utf8(prompt))
    if prompt_name is not None:
        settings.prompt = c.string("prompt_name", utf8(prompt_name))
    return settings


def _items(sentences) -> tuple[Any, bool]:
    """Returns the items of an argument as a list (or Inputs), and whether it is one text."""
    if isinstance(sentences, (str, dict)):
        return [sentences], True
    if isinstance(sentences, np.ndarray):
        return (sentences.tolist(), False) if sentences.ndim else ([sentences.item()], True)
    if isinstance(sentences, Inputs):
        return sentences, False
    if not hasattr(sentences, "__iter__"):
        raise TypeError(f"sentences are of type {type(sentences).__name__}: give a str, or a list of them")
    if isinstance(sentences, (bytes, bytearray, set, frozenset)) or hasattr(sentences, "columns"):  # in no order; names
        raise TypeError(f"sentences are of type {type(sentences).__name__}: give str, or a list or column of them")
    return list(sentences), False


def _batches(items, batch_size: int, show: bool = False) -> Iterator[tuple[int, Inputs]]:
    """Yields the inputs of each batch of items after the index of the first. show: prints how many are done."""
    if batch_size < 1:
        raise ValueError(f"batch_size={batch_size}: give 1 or more")
    begin = time.monotonic()
    for first in range(0, len(items), batch_size):
        part = items[first:first + batch_size]
        yield first, part if isinstance(part, Inputs) else inputs_of(part, first)
        if show:
            done, rate = first + len(part), (first + len(part)) / max(time.monotonic() - begin, 1e-9)
            print(f"\r{done:,} of {len(items):,} texts, {rate:,.0f} texts/s, {(len(items) - done) / rate:.0f} s left ",
                  end="", file=sys.stderr, flush=True)
    if show:
        print(file=sys.stderr)


def _spans(item):
    """Returns a function from a token or entity of this item to begin and end, in characters, and its text."""
    given = dict_of(item, "")
    texts = given.get("text", ""), given.get("pair", "")
    offsets = [character_offsets(text, utf8(text)) for text in texts]

    def span(record):
        begin, end = offsets[record.in_pair][[record.begin, record.end]].tolist()
        return begin, end, texts[record.in_pair][begin:end]
    return span
