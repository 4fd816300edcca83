"""Threads, children of fork(), signals, and another OpenMP in the process."""

import copy
import gc
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np

import libengine
from libengine import _library

TEXTS = [f"text {i} rides a bike through the rain" for i in range(2000)]
DEFAULT = pathlib.Path(os.environ["TREE"], "weights/default.weights")


def in_child(call):
    """Returns what call() returns in a child of fork(), which must end within ten minutes."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(600)
            os.write(write, call())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"status {status} of the child"
    return answer


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.encoder = libengine.Encoder(DEFAULT)
        cls.expected = cls.encoder.encode(TEXTS)

    def test_threads(self):
        with ThreadPoolExecutor(4) as pool:
            parts = list(pool.map(self.encoder.encode, [TEXTS[i:i + 100] for i in range(0, 2000, 100)]))
        self.assertEqual(np.concatenate(parts).tobytes(), self.expected.tobytes())
        self.assertLessEqual(len(self.encoder._model.free_sessions), 5)

    def test_gil_is_free(self):
        """While a thread encodes, this one runs."""
        thread, n = threading.Thread(target=self.encoder.encode, args=(TEXTS * 4,)), 0
        thread.start()
        while thread.is_alive():
            time.sleep(0.001)
            n += 1
        self.assertGreater(n, 20)

    def test_fork(self):
        self.assertEqual(in_child(lambda: self.encoder.encode(TEXTS[:300]).tobytes()), self.expected[:300].tobytes())
        new = in_child(lambda: libengine.Encoder(DEFAULT, threads=2).encode(TEXTS[:300]).tobytes())
        self.assertEqual(new, self.expected[:300].tobytes())
        self.assertEqual(self.encoder.encode(TEXTS[:9]).tobytes(), self.expected[:9].tobytes())

    def test_fork_while_a_thread_encodes(self):
        thread = threading.Thread(target=self.encoder.encode, args=(TEXTS * 3,))
        thread.start()
        time.sleep(0.05)
        answer = in_child(lambda: self.encoder.encode(TEXTS[:9]).tobytes())
        thread.join()
        self.assertEqual(answer, self.expected[:9].tobytes())

    def test_multiprocessing(self):
        import multiprocessing
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                parts = pool.map(encode_part, [TEXTS[:50], TEXTS[50:100]])
            self.assertEqual(b"".join(parts), self.expected[:100].tobytes(), method)

    def interrupted(self, call, part):
        """Returns the CPU time that call() takes after SIGINT until KeyboardInterrupt, in calls of part()."""
        sent, begin = [], time.process_time()
        part()
        of_part = time.process_time() - begin

        def interrupt():
            time.sleep(0.3)
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                call()
            return (time.process_time() - sent[0]) / of_part
        finally:
            thread.join()
            signal.signal(signal.SIGINT, previous)

    def test_interrupt(self):
        texts = TEXTS * 100  # some 10 s
        self.assertLess(self.interrupted(lambda: self.encoder.encode(texts, batch_size=len(texts)),
                                         lambda: self.encoder.encode(TEXTS)), 20)
        self.assertEqual(self.encoder.encode(TEXTS[:9]).tobytes(), self.expected[:9].tobytes())
        rows = np.random.default_rng(1).normal(size=(20000, 256)).astype(np.float32)
        index = libengine.Index(rows)
        self.assertLess(self.interrupted(lambda: [index.search(rows, 10) for _ in range(100)],
                                         lambda: index.search(rows[:2000], 10)), 5)
        self.assertEqual(index.search(rows[5], 1)[0]["corpus_id"], 5)
        few = libengine.Index(rows[:300])
        for call, n in ((lambda: self.encoder.encode("a"), 10 ** 6), (lambda: self.encoder.hidden_states("a"), 10 ** 4),
                        (lambda: few.search(rows[0], 1), 10 ** 5)):  # a short search: one of the main thread
            self.assertLess(self.interrupted(lambda: [call() for _ in range(n)], lambda: [call() for _ in range(n // 100)]), 20)

    def test_second_interrupt(self):
        """A call that a second signal abandons keeps its memory until it ends."""
        begun, end = threading.Event(), threading.Event()

        def engine_search(*_):
            begun.set()
            return 0 * end.wait(60)

        def interrupt():
            begun.wait(60)
            time.sleep(0.1)
            while len(signals) < 2:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

        def handle(*_):
            if len(signals) < 2:
                signals.append(1)
                raise KeyboardInterrupt

        rows, signals = np.ones((20000, 256), np.float32), []
        kept, thread = weakref.ref(rows), threading.Thread(target=interrupt)
        index, queries = libengine.Index(rows), rows[:9].copy()
        del rows
        previous = signal.signal(signal.SIGINT, handle)
        with mock.patch.object(_library.library, "engine_search", engine_search):
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                index.search(queries)
            thread.join()
        signal.signal(signal.SIGINT, previous)
        del index
        gc.collect()
        self.assertIsNotNone(kept())
        end.set()
        for other in threading.enumerate():
            if other.name == "libengine":
                other.join()
        self.assertIsNone(kept())

    def test_calls_own_their_memory(self):
        """No argument is an address, whose memory would end with the caller's frame."""
        given = []

        def function(_, *arguments):
            given.extend(arguments)
            return 0

        names = ["engine_encode", "engine_rank", "engine_tokenize"]
        with mock.patch.multiple(_library.library, **dict.fromkeys(names, function)):
            self.encoder.encode(["dog"])
            self.encoder.rank("dog", ["dog"])
            self.encoder.tokenize("dog")
        self.assertGreater(len(given), 15)
        self.assertEqual([value for value in given if isinstance(value, int) and value > 1 << 30], [])

    def test_pickled(self):
        for other in (pickle.loads(pickle.dumps(self.encoder)), copy.deepcopy(self.encoder)):
            self.assertEqual(other.encode(TEXTS[:9]).tobytes(), self.expected[:9].tobytes())
            self.assertIsNot(other._model, self.encoder._model)

    def test_last_call_of_a_process(self):
        """At the interpreter's end there are no more threads, so a long call runs on the main one."""
        script = (f"import atexit, libengine\nencoder = libengine.Encoder({str(DEFAULT)!r})\n"
                  "atexit.register(lambda: print(len(encoder.encode(['dog ' * 9] * 1000))))")
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=600, check=True)
        self.assertEqual(done.stdout, b"1000\n")

    def test_second_openmp(self):
        """The same bits, and no hang, beside another libgomp that has run regions, loaded before or after."""
        path = subprocess.run([*os.environ.get("CC", "cc").split(), "-print-file-name=libgomp.so.1"], text=True,
                              stdout=subprocess.PIPE).stdout.strip()
        if not os.path.exists(path) or not shutil.which("patchelf"):
            self.skipTest("a second libgomp needs gcc and patchelf (sh tools/setup.sh hosts)")
        with tempfile.TemporaryDirectory() as folder:
            other, host = f"{folder}/libgomp-other.so.1", f"{folder}/host.so"
            shutil.copy(path, other)
            subprocess.run(["patchelf", "--set-soname", "libgomp-other.so.1", other], check=True)
            pathlib.Path(folder, "host.c").write_text(
                "int sum(int n) { int s = 0;\n#pragma omp parallel for reduction(+ : s)\n"
                "for (int i = 0; i < n; i++) s += i & 1; return s; }\n")
            subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-fopenmp", f"{folder}/host.c",
                            "-o", host], check=True)
            subprocess.run(["patchelf", "--replace-needed", "libgomp.so.1", "libgomp-other.so.1", host], check=True)
            subprocess.run(["patchelf", "--set-rpath", folder, host], check=True)
            for order in ("before", "after"):
                script = (f"import ctypes, sys\nhost = ctypes.CDLL({host!r}) if {order == 'before'} else None\n"
                          "if host: host.sum(1000000)\nimport libengine\n"
                          f"encoder = libengine.Encoder({str(DEFAULT)!r})\n"
                          f"host = host or ctypes.CDLL({host!r})\nassert host.sum(1000000) == 500000\n"
                          "texts = [f'text {i} rides a bike through the rain' for i in range(300)]\n"
                          "first = encoder.encode(texts).tobytes()\nhost.sum(1000000)\n"
                          "assert open('/proc/self/maps').read().count('libgomp-other') > 0\n"
                          "assert first == encoder.encode(texts).tobytes()\nsys.stdout.buffer.write(first)")
                done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=600, check=True)
                self.assertEqual(done.stdout, self.expected[:300].tobytes(), order)

    def test_threads_of_children_are_one(self):
        """engine.h requires it: GCC's OpenMP would wait for threads that a child does not have."""
        from libengine._model import threads_of
        self.assertEqual((threads_of(0), threads_of(3)), (0, 3))
        self.assertEqual(in_child(lambda: b"%d" % threads_of(3)), b"1")
        self.assertEqual(_library.PROCESS, os.getpid())


def encode_part(texts):
    return libengine.Encoder(DEFAULT).encode(texts).tobytes()
