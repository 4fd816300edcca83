"""The C library by ctypes: structs, constants and functions as engine/engine.h declares them, and errors.

Structs and constants have the names of engine.h, so that a test compares every offset, size and value with the
compiler's.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from ctypes import c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint, c_uint8, c_uint32, c_uint64
from ctypes import c_void_p

# libengine.so.1, default.weights, encode and encode-import: beside this file in an installed package. In a tree, name
# its build folder.
FOLDER = pathlib.Path(os.environ.get("LIBENGINE_FOLDER") or pathlib.Path(__file__).parent / "bundled")
PROCESS = os.getpid()  # another one is a child of fork(), in which parallel regions must have one thread

# ---- Constants ----

ENGINE_OK = 0
ENGINE_ERROR_ARGUMENT, ENGINE_ERROR_MEMORY, ENGINE_ERROR_IO, ENGINE_ERROR_FORMAT, ENGINE_ERROR_VERSION = 1, 2, 3, 4, 5
ENGINE_ERROR_BUFFER, ENGINE_ERROR_LENGTH, ENGINE_ERROR_TEXT, ENGINE_ERROR_INTERRUPTED = 7, 8, 9, 12
ENGINE_QUERY_INPUT = c_size_t(-2).value
ENGINE_POOLING_MODEL, ENGINE_POOLING_NONE, ENGINE_POOLING_MEAN, ENGINE_POOLING_SPARSE = 0, 1, 2, 9
ENGINE_POOLING_COLBERT = 10
ENGINE_HEAD_TOKEN = 3
ENGINE_ON_LONG_MODEL, ENGINE_ON_LONG_TRUNCATE, ENGINE_ON_LONG_ERROR = 0, 1, 2
ENGINE_ROLE_TEXT, ENGINE_ROLE_QUERY, ENGINE_ROLE_DOCUMENT = 0, 1, 2
ENGINE_F32, ENGINE_F16, ENGINE_INT8, ENGINE_BINARY = 0, 1, 2, 3
ENGINE_METRIC_COSINE, ENGINE_METRIC_DOT = 0, 1
ENGINE_TRACE_HIDDEN, ENGINE_TRACE_ATTENTION = 1, 2

# ---- Structs ----


def _struct(name: str, /, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


engine_error = _struct("engine_error", status=c_int, reason=c_int, input=c_size_t, name_len=c_size_t,
                       message=c_char * 256)
engine_info = _struct(
    "engine_info", struct_bytes=c_size_t, name=c_char_p, n_layers=c_size_t, width=c_size_t, n_heads=c_size_t,
    feed_forward=c_size_t, n_vocabulary=c_size_t, n_types=c_size_t, max_tokens=c_size_t, tokenizer=c_char_p,
    position=c_char_p, norm=c_char_p, norm_place=c_char_p, activation=c_char_p, gate=c_char_p, mask=c_char_p,
    pooling=c_char_p, normalize=c_int, n_parameters=c_uint64, file_bytes=c_uint64, isa=c_char_p,
    output_width=c_size_t, head=c_int, n_labels=c_size_t, scores=c_char_p, mask_token=c_int32,
    max_text_tokens=c_size_t, has_model=c_int, path=c_char_p, token_vectors=c_size_t, sparse=c_char_p,
    kernels=c_char_p, checksum=c_uint32)
engine_session_options = _struct(
    "engine_session_options", struct_bytes=c_size_t, n_threads=c_size_t, max_tokens=c_size_t, position=c_int,
    mask=c_int, trace=c_uint, trace_callback=c_void_p, trace_user=c_void_p, progress=c_void_p,
    progress_user=c_void_p, profile=c_int, position_base=c_double, frequencies=c_void_p, n_frequencies=c_size_t,
    embedding_scale=c_void_p, position_scale=c_void_p)
engine_token = _struct("engine_token", id=c_int32, type=c_int32, begin=c_size_t, end=c_size_t, special=c_uint8,
                       in_pair=c_uint8, in_prompt=c_uint8)
engine_input = _struct(
    "engine_input", text=c_void_p, text_len=c_size_t, pair=c_void_p, pair_len=c_size_t, ids=c_void_p, types=c_void_p,
    mask=c_void_p, n_ids=c_size_t, tokens=c_void_p, n_tokens=c_size_t)
engine_encode_options = _struct(
    "engine_encode_options", struct_bytes=c_size_t, pooling=c_int, normalize=c_int, no_special=c_int,
    max_tokens=c_size_t, on_long=c_int, truncation=c_int, truncate_left=c_int, raw_scores=c_int, prompt=c_char_p,
    prompt_text=c_char_p, prompt_len=c_size_t, role=c_int, query_prompt=c_char_p, stride=c_size_t, whole_words=c_int,
    dimensions=c_size_t)
engine_result = _struct("engine_result", n_tokens=c_size_t, row=c_size_t, n_dropped=c_size_t)
engine_entity = _struct("engine_entity", label=c_size_t, score=c_float, begin=c_size_t, end=c_size_t, in_pair=c_uint8)
engine_candidate = _struct("engine_candidate", token=c_size_t, id=c_int32, score=c_float)
engine_vectors = _struct("engine_vectors", rows=c_void_p, n=c_size_t, width=c_size_t, type=c_int)
engine_hit = _struct("engine_hit", row=c_uint64, score=c_float)
engine_search_options = _struct("engine_search_options", struct_bytes=c_size_t, metric=c_int, n_threads=c_size_t,
                                n_skipped=c_void_p, progress=c_void_p, progress_user=c_void_p,
                                sparse=c_void_p)
engine_trace_view = _struct("engine_trace_view", kind=c_int, input=c_size_t, index=c_size_t, n_tokens=c_size_t,
                            n_heads=c_size_t, width=c_size_t, values=ctypes.POINTER(c_float))
TRACE_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(engine_trace_view), c_void_p)
PROGRESS_CALLBACK = ctypes.CFUNCTYPE(c_int, c_size_t, c_size_t, c_void_p)


def options(struct, **members):
    """Returns a struct that begins with struct_bytes, with these members and the defaults of the others."""
    return struct(struct_bytes=ctypes.sizeof(struct), **members)


def number(name: str, value: int | None) -> int:
    """Returns value, 0 for None, as an argument of C, of which ctypes would take the last bits."""
    if value is not None and not 0 <= value < 1 << 31:
        raise ValueError(f"{name}={value}: give a number from 0 to {(1 << 31) - 1}")
    return value or 0


def string(name: str, value: bytes) -> bytes:
    """Returns value as an argument of C, which reads to the first NUL."""
    if b"\0" in value:
        raise ValueError(f"{name}={value!r} has a NUL character")
    return value


class Memory:
    """An array as a function's argument: its address, and what must live as long as the call."""

    def __init__(self, array, *owners):
        self._as_parameter_, self.owners = array.ctypes.data, (array, *owners)


# ---- Functions: arguments are pointers (p), counts (n), numbers (i), references to structs (r) ----

_CODES = {"p": c_void_p, "n": c_size_t, "i": c_int, "s": c_char_p}
_FUNCTIONS = {
    "version": ("", c_char_p), "model_open": ("sppp", c_int), "model_close": ("p", None),
    "model_info": ("ppp", c_int), "token_text": ("pipp", c_int), "session_new": ("pppp", c_int),
    "session_free": ("p", None), "session_interrupt": ("p", None),
    "session_error": ("p", ctypes.POINTER(engine_error)), "tokenize": ("ppppnpp", c_int),
    "encode": ("ppnppnpp", c_int), "classify": ("ppnppnpp", c_int), "entities": ("ppppnpp", c_int),
    "fill": ("ppnppnpp", c_int), "rank": ("pppnpp", c_int), "label": ("pn", c_char_p),
    "row_bytes": ("in", c_size_t), "rows_from_f32": ("pnnip", None), "search": ("ppnnppp", c_int),
}


def _load():
    path = FOLDER / "libengine.so.1"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"{error}: install the package (pip install tools/python), or set LIBENGINE_FOLDER to the "
                          "folder of libengine.so.1") from error
    for name, (codes, result) in _FUNCTIONS.items():
        function = getattr(library, "engine_" + name)
        function.argtypes, function.restype = [_CODES[code] for code in codes], result
    return library


library = _load()

# ---- Errors ----


class EngineError(Exception):
    """An error of the library, with its words.

    status: a number of engine_status; name of the status: see engine.h. index: index of the text (or of the query in
    Index.search) that caused it, or None.
    """

    status = 0
    index = None


class InputError(EngineError, ValueError):
    """A text, an option or token ids are wrong, or a text is too long."""


class WeightsError(EngineError, OSError):
    """The weight file cannot be read, or is not one that this library supports."""


class OutOfMemory(EngineError, MemoryError):
    """An allocation failed."""


_CLASSES = {
    ENGINE_ERROR_ARGUMENT: InputError, ENGINE_ERROR_LENGTH: InputError, ENGINE_ERROR_TEXT: InputError,
    ENGINE_ERROR_IO: WeightsError, ENGINE_ERROR_FORMAT: WeightsError, ENGINE_ERROR_VERSION: WeightsError,
    ENGINE_ERROR_MEMORY: OutOfMemory,
}


def exception_of(error, status: int, first: int = 0, name: str = "sentences") -> EngineError:
    """Returns the exception of an engine_error. Its input counts from `first` in the argument `name`."""
    words, index = error.message, first + error.input if error.input < ENGINE_QUERY_INPUT else None
    if index is not None and error.name_len:
        words = f"{name}[{index}]".encode() + words[error.name_len:]
    result = _CLASSES.get(status, EngineError)(words.decode("utf-8", "replace"))
    result.status, result.index = status, index
    return result


# ---- Long calls ----


def run_interruptible(call, interrupt):
    """Returns call(). A thread runs it, so that the main thread, which alone gets signals, can handle them; if a
    handler raises (KeyboardInterrupt), interrupt() is called until the call has ended, or a handler raises again. So
    call itself must own the memory that it uses."""
    outcome, ended = [], threading.Lock()
    ended.acquire()

    def run():
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            ended.release()

    thread = threading.Thread(target=run, name="libengine")
    try:
        thread.start()
        ended.acquire()
    except BaseException as error:
        if thread.ident is None and isinstance(error, RuntimeError):  # no more threads, or the interpreter ends
            return call()
        while thread.ident is not None and not outcome and not ended.acquire(timeout=0.02):
            interrupt()  # again, as an interrupt before the call starts is lost
        raise
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
