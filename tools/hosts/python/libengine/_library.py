"""The C library by ctypes: structs, constants and functions as engine.h declares them, and errors.

engine.json, which is made of engine.h, is read, and its names are names of this module. A test compares every offset, size
and value with the compiler's.
"""

from __future__ import annotations

import ctypes
import json
import operator
import os
import pathlib
import threading
from ctypes import c_char_p, c_int, c_size_t, c_void_p

# libengine.so.1, engine.json, default.weights, encode and encode-import: beside this file in an installed package, in
# the folder above it in a build folder, which has a link to this one. In a tree engine.json is in tools/hosts/api/.
HERE = pathlib.Path(__file__).parent
BUNDLED = HERE / "bundled"
FOLDER = pathlib.Path(os.environ.get("LIBENGINE_FOLDER") or (BUNDLED if BUNDLED.exists() else HERE.parent))
PROCESS = os.getpid()  # another one is a child of fork(), in which parallel regions must have one thread

# ---- Declarations ----

_TYPES = {"void": None, "unsigned": ctypes.c_uint, "size_t": c_size_t} | {
    name: getattr(ctypes, "c_" + name.replace("_t", ""))
    for name in ("char", "int", "int32_t", "uint8_t", "uint32_t", "uint64_t", "float", "double")}


def _type(declared: str, count: int = 1):
    """Returns the type of a member, an argument or a result. One that is not in _TYPES is an enum."""
    base, *stars = declared.removeprefix("const ").split()
    kind = _TYPES.get(base, c_int)
    if stars or base.endswith("_callback"):
        kind = c_char_p if (base, stars) == ("char", ["*"]) else c_void_p
    return kind * count if count > 1 else kind


def _read_api() -> dict:
    """Returns the constants and structs of engine.json, and declares the functions of the library."""
    places = FOLDER, BUNDLED, HERE / "../../api"
    path = next((folder / "engine.json" for folder in places if (folder / "engine.json").exists()), None)
    if not path:
        raise ImportError(f"no engine.json in {FOLDER}: install the package (pip install tools/hosts/python), or put it beside "
                          "libengine.so.1")
    api = json.loads(path.read_text(encoding="utf-8"))
    found = {value["name"]: value["value"] for enum in api["enums"] for value in enum["values"]}
    for struct in api["structs"]:
        fields = [(member["name"], _type(member["type"], member["count"])) for member in struct["members"]]
        _TYPES[struct["name"]] = found[struct["name"]] = type(struct["name"], (ctypes.Structure,), {"_fields_": fields})
    for declared in api["functions"]:
        function = getattr(library, declared["name"])
        function.restype = _type(declared["result"])
        function.argtypes = [_type(argument["type"]) for argument in declared["arguments"]]
    return found


def _load():
    path = FOLDER / "libengine.so.1"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"{error}: install the package (pip install tools/hosts/python), or set LIBENGINE_FOLDER to the "
                          "folder of libengine.so.1") from error


library = _load()
globals().update(_read_api())
ENGINE_QUERY_INPUT = c_size_t(-2).value
METRICS = "cosine", "dot", "euclidean", "manhattan"  # by the numbers of engine_metric
FLOATS = ctypes.POINTER(ctypes.c_float)
TRACE_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
PROGRESS_CALLBACK = ctypes.CFUNCTYPE(c_int, c_size_t, c_size_t, c_void_p)


def options(struct, **members):
    """Returns a struct that begins with struct_bytes, with these members and the defaults of the others."""
    return struct(struct_bytes=ctypes.sizeof(struct), **members)


def number(name: str, value: int | None) -> int:
    """Returns value, 0 for None, as an argument of C, of which ctypes would take the last bits."""
    if not 0 <= operator.index(value or 0) < 1 << 31:
        raise ValueError(f"{name}={value}: give a number from 0 to {(1 << 31) - 1}")
    return operator.index(value or 0)


def string(name: str, value: bytes) -> bytes:
    """Returns value as an argument of C, which reads to the first NUL."""
    if b"\0" in value:
        raise ValueError(f"{name}={value!r} has a NUL character")
    return value


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


def run_interruptible(call, interrupt, is_long: bool):
    """Returns call(). If it is long, a thread runs it, so that the main thread, which alone gets signals, can handle
    them; if a handler raises (KeyboardInterrupt), interrupt() is called until the call has ended, or a handler raises
    again. So call itself must own the memory that it uses."""
    if not is_long or threading.current_thread() is not threading.main_thread():
        return call()
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
