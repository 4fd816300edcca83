"""Starts encode-serve for tests, and calls it with Python's standard library."""
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time

PROGRAMS = os.environ["PROGRAMS"]
FOLDER = os.environ["FOLDER"]


def program(name, *arguments):
    """Returns what a program prints."""
    run = subprocess.run([f"{PROGRAMS}/{name}", *arguments], check=True, capture_output=True)
    return run.stdout


def make_models():
    """Makes the weight files of the tests: plain, labels, cross (a cross-encoder), next."""
    frame = ["--add-token", "[CLS]", "--add-token", "[SEP]", "--token-types", "2",
             "--template-single", "[CLS]:0 A:0 [SEP]:0", "--template-pair", "[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1"]
    kinds = {"plain": [], "next": ["--seed", "2"], "labels": ["--labels", "bad,good,none"],
             "cross": ["--head", "sequence", "--labels", "1", "--scores", "sigmoid"]}
    for name, options in kinds.items():
        program("encode-new", "-o", f"{FOLDER}/{name}.weights", "--width", "32", "--max-tokens", "64", *frame, *options)


class Server:
    """A running server; `with` ends it by SIGTERM and checks its exit code."""

    def __init__(self, *arguments, models=("plain",)):
        files = [word for name in models for word in ("-m", f"{FOLDER}/{name}.weights")]
        self.process = subprocess.Popen([f"{PROGRAMS}/encode-serve", "--listen", "127.0.0.1:0", *files, *arguments],
                                        stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        found = re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)
        assert found, line + self.process.stderr.read().decode()
        self.port = int(found[1])
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, code=0):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == code, (self.process.returncode, self.lines[-20:])
        self.reader.join()
        self.process.stderr.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def call(self, path, body=None, connection=None, headers=None, method=None):
        """Returns the status, the headers and the answer of a call; body: bytes, or what becomes JSON."""
        own = connection or self.connect()
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        own.request(method or ("GET" if body is None else "POST"), path, body, headers or {})
        answer = own.getresponse()
        data = answer.read()
        if not connection:
            own.close()
        is_json = answer.headers["Content-Type"] == "application/json"
        return answer.status, answer.headers, json.loads(data) if is_json and data else data

    def good(self, path, body=None, **options):
        status, _, answer = self.call(path, body, **options)
        assert status == 200, (path, body, status, answer)
        return answer


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run_all(n, function):
    """Runs a function in n threads; the first exception of one is raised."""
    failures = []

    def run(i):
        try:
            function(i)
        except BaseException as failure:  # pylint: disable=broad-except
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def await_true(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the condition did not come true")
