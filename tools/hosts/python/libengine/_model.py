"""An opened weight file, and a pool of its sessions: one for each call that is being made."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_void_p

from ._library import (FOLDER, PROCESS, WeightsError, engine_error, engine_info, engine_session_options, engine_shape,
                       exception_of, library, number, options, run_interruptible, string)

_LONG_CALL = 16384  # bytes of text, some 10 ms of work: beyond, the 0.1 ms of a thread are little


def threads_of(threads: int) -> int:
    """Returns the number of threads for the library (0: all). In a child of fork() it is 1, as engine.h requires."""
    return 1 if os.getpid() != PROCESS else threads


class Weights:
    """An opened weight file. Closed with the last reference; sessions have one."""

    def __init__(self, path):
        self.handle, error = c_void_p(), engine_error()
        if path is None and not os.environ.get("ENCODE_MODEL"):
            path = FOLDER / "default.weights"
        name = None if path is None else string("path", os.fsencode(path))
        if path is not None and os.path.isdir(path):
            raise WeightsError(f"{path} is a directory, not a weight file: Encoder.from_pretrained({os.fspath(path)!r}) reads "
                               "a checkpoint")
        status = library.engine_model_open(name, None, byref(self.handle), byref(error))
        if status:
            failure = exception_of(error, status)
            if path is not None and not os.path.exists(path):
                failure.args = (f"{failure}; Encoder.from_pretrained({os.fspath(path)!r}) looks for what encode-fetch or hf "
                                "download fetched",)
            raise failure

    def __del__(self, close=library.engine_model_close):
        close(self.handle)


class Session:
    """A session. Freed with the last reference, before its weights may be closed."""

    def __init__(self, weights: Weights, threads: int, **members):
        self.weights, self.handle, self.process, error = weights, c_void_p(), os.getpid(), engine_error()
        settings = options(engine_session_options, n_threads=threads_of(threads), **members)
        status = library.engine_session_new(weights.handle, byref(settings), byref(self.handle), byref(error))
        if status:
            raise exception_of(error, status)

    def __del__(self, free=library.engine_session_free):
        free(self.handle)


class Model:
    """An opened weight file, and its sessions that no call uses now."""

    def __init__(self, path, threads: int | None):
        self.threads = number("threads", threads)
        self.weights, self.free_sessions = Weights(path), []
        self.handle, self.info = self.weights.handle, options(engine_info)
        library.engine_model_info(self.handle, byref(self.info), None)

    def session(self) -> Session:
        """Returns a free session of this process, or a new one."""
        while self.free_sessions:
            try:
                session = self.free_sessions.pop()
            except IndexError:  # another thread took the last one
                break
            if session.process == os.getpid():
                return session
        return Session(self.weights, self.threads)

    def call(self, function, *arguments, n_bytes: int = 0, first: int = 0, name: str = "sentences",
             accept: int = 0, session: Session | None = None) -> int:
        """Calls function(session, *arguments) and returns its status, which is ENGINE_OK or accept; raises an exception
        for any other. Arguments own the memory that they point to (byref, ndarray.ctypes). n_bytes: how much text it
        reads; first, name: what its inputs are in the caller's argument."""
        pooled = None if session else self.session()
        session = session or pooled

        def call():
            status = function(session.handle, *arguments)
            failure = None
            if status not in (0, accept):
                failure = exception_of(engine_error.from_address(library.engine_session_error(session.handle)), status,
                                       first, name)
            if pooled:
                self.free_sessions.append(pooled)
            if failure:
                raise failure
            return status

        # A session of the caller's has a callback, in which ctypes ignores what handlers of signals raise.
        return run_interruptible(call, lambda: library.engine_session_interrupt(session.handle),
                                 is_long=not pooled or n_bytes >= _LONG_CALL)

    def shape(self, settings):
        """Returns the engine_shape of these engine_encode_options. Raises EngineError if the model has no such answer."""
        shape, error = options(engine_shape), engine_error()
        status = library.engine_shape_of(self.handle, byref(settings), byref(shape), byref(error))
        if status:
            raise exception_of(error, status)
        return shape

    def token_text(self, token: int) -> str:
        text, length = c_void_p(), ctypes.c_size_t()
        if library.engine_token_text(self.handle, token, byref(text), byref(length)):
            return ""
        return ctypes.string_at(text, length.value).decode("utf-8", "replace")
