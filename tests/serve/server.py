"""Starts encode-serve for tests, and calls it with Python's standard library."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

PROGRAMS = os.environ["PROGRAMS"]
FOLDER = os.environ["FOLDER"]
PATIENCE = 600  # seconds: machines that run tests are busy, and some are slow


def program(name, *arguments):
    """Returns what a program prints."""
    run = subprocess.run([f"{PROGRAMS}/{name}", *arguments], check=True, capture_output=True)
    return run.stdout


def make_models():
    """Makes the weight files of the tests: plain, next, labels, pairs and cross (cross-encoders), dot."""
    frame = ["--add-token", "[CLS]", "--add-token", "[SEP]", "--token-types", "2",
             "--template-single", "[CLS]:0 A:0 [SEP]:0", "--template-pair", "[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1"]
    prompt = ["--metadata", "prompt.ask=the dog ", "--metadata", "default_prompt=ask"]
    kinds = {"plain": [], "next": ["--seed", "2"], "labels": ["--labels", "bad,good,none"],
             "nli": ["--labels", "contradiction,neutral,Entailment"],
             "pairs": ["--labels", "no,yes", "--scores", "none", "--metadata", "cross_encoder=yes", *prompt],
             "dot": ["--normalize", "no", "--metadata", "similarity=dot", "--metadata", "prompt.query=the dog ",
                     "--metadata", "prompt.passage=the cat "],
             "filled": ["--pooling", "none", "--set", "token_vectors=8", "--set", "query_tokens=6", "--vocabulary", "107",
                        "--set", "query_filler=3", "--set", "query_filler_seen=no", "--metadata", "prompt.query="],
             "queries": ["--pooling", "none", "--head", "mask", "--set", "sparse=mask", "--set", "query_weights=yes",
                         "--metadata", "prompt.query="],
             "cross": ["--head", "sequence", "--labels", "1", "--scores", "sigmoid"]}
    for name, options in kinds.items():
        program("encode-new", "-o", f"{FOLDER}/{name}.weights", "--width", "32", "--max-tokens", "64", *frame, *options)


class Server:
    """A running server; `with` ends it by SIGTERM and checks its exit code."""

    def __init__(self, *arguments, models=("plain",), is_read=True, address="127.0.0.1:0", **options):
        files = [word for name in models for word in ("-m", f"{FOLDER}/{name}.weights")]
        self.process = subprocess.Popen([f"{PROGRAMS}/encode-serve", "--listen", address, *files, *arguments],
                                        stderr=subprocess.PIPE, **options)
        self.lines, found = [], None
        while not found:
            self.lines.append(self.process.stderr.readline())
            assert self.lines[-1], self.lines
            found = re.search(rb"listening on (http://.*:(\d+)|unix:)", self.lines[-1])
        self.port = int(found[2] or 0)
        del self.lines[-1]
        self.reader = threading.Thread(target=lambda: is_read and self.lines.extend(self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, code=0):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == code, (self.process.returncode, self.lines[-20:])
        self.reader.join()
        self.process.stderr.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def send(self, data, source="127.0.0.1", n_buffer=0):
        """Returns a connection over which bytes were sent; n_buffer: of what comes back and is not read yet."""
        connection = socket.socket()
        if n_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, n_buffer)
        connection.bind((source, 0))
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(data)
        return connection

    def status_file(self, name):
        """Returns a number of /proc/PID/status."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.M)[1])

    def cpu_seconds(self):
        """Of all threads, also those that have ended."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")

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


def request(path, body, *headers, method="POST", host="localhost"):
    """Returns the bytes of a request; body: what becomes JSON."""
    data = json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(data)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + data


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


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
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "the condition did not come true"
        time.sleep(0.01)
