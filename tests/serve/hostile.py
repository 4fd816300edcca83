"""Sends a server what no client would send, and prints a line for each case that is not answered as it must be: with an
error in the caller's dialect, while others get their answers.

    python3 hostile.py HOST:PORT PID
"""

import contextlib
import http.client
import json
import os
import re
import resource
import socket
import sys
import time

address, pid = sys.argv[1].rsplit(":", 1), int(sys.argv[2])
HOST, PORT = address[0], int(address[1])
DIALECTS = {"/v1/embeddings": "input", "/api/embed": "input", "/embed": "inputs", "/v2/embed": "texts"}
passed = failed = 0


def check(what, condition, received=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f"FAILED: {what}: {str(received)[:300]}")


def post(path, body, **headers):
    connection = http.client.HTTPConnection(HOST, PORT, timeout=600)
    with contextlib.closing(connection):
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, response.read()


def message(path, body):
    """The text of an error in the dialect of a path, or None."""
    try:
        answer = json.loads(body)
    except ValueError:
        return None
    error = answer.get("message") if path.startswith("/v2/") else answer.get("error")
    if path.startswith("/v1/") and isinstance(error, dict) and {"message", "type", "code"} <= set(error):
        error = error["message"]
    return error if isinstance(error, str) and len(error) > 5 else None


def send(data, shut=False, seconds=600):
    """What comes back for these bytes until the server closes, or is silent after an answer."""
    received = b""
    with socket.create_connection((HOST, PORT), timeout=seconds) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            if shut:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                received += part
                connection.settimeout(0.5)
    return received


def status(received):
    """The status of the first answer; 0 if the server has closed without one."""
    return int(received.split(b" ", 2)[1]) if received.startswith(b"HTTP/1.") else 0


GOOD = json.dumps({"model": "default", "input": "I ride bike"})


def good():
    return post("/v1/embeddings", GOOD)[1]


expected = good()


def check_others(after):
    check(f"others have their answers after {after}", good() == expected)


def request(path, body, *headers, version="HTTP/1.1"):
    lines = [f"POST {path} {version}", f"Host: {HOST}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def try_bodies():
    texts = {  # as a value of the field of texts
        "a number": "1.5",
        "null": "null",
        "an object": '{"a": 1}',
        "nested texts": '[["a"], [["b"]]]',
        "true": "true",
        "a list of nothing": "[null]",
        "texts and ids": '["a", 1]',
        "negative ids": "[-1, 2]",
        "an id too large": "[99999999]",
        "an id of 64 bits": "[9223372036854775807]",
        "an id that is no integer": "[1.5]",
        "an id beyond 64 bits": "[1e400]",
        "too many texts": json.dumps(["a"] * 5000),
        "half a surrogate": '"\\ud800"',
    }
    bodies = {
        "nothing": b"",
        "no JSON": b"I ride bike",
        "half of it": b'{"FIELD": "I ri',
        "two of it": b'{"FIELD": "a"}{}',
        "a list": b"[]",
        "a text": b'"FIELD"',
        "another field": b'{"other": "a"}',
        "invalid UTF-8": b'{"FIELD": "\xff\xfe"}',
        "half a character": b'{"FIELD": "\xe6\x9d"}',
        "an overlong character": b'{"FIELD": "\xc0\xaf"}',
        "NUL": b'{"FIELD": "a\0b"}',
        "NULs": b"\0" * 100,
        "deep lists": b"[" * 500000,
        "deep texts": b'{"FIELD":' + b"[" * 100000,
        "deep objects": b'{"FIELD":' * 100000,
        "a long number": b'{"FIELD": ' + b"9" * 100000 + b"}",
        **{what: b'{"FIELD": %s}' % value.encode() for what, value in texts.items()},
    }
    for path, field in DIALECTS.items():
        for what, body in bodies.items():
            code, answer = post(path, body.replace(b"FIELD", field.encode()))
            check(f"{path}: {what}", 400 <= code < 500 and code != 404 and message(path, answer), (code, answer))
            check(f"{path}: {what}, and why", not (message(path, answer) or "").endswith(": "), answer)
        code, answer = post(path, json.dumps({"model": "default", field: "a\0b"}))
        check(f"{path}: an escaped NUL", code == 200 or message(path, answer), (code, answer))
        check(f"{path}: no NUL or control character comes back", not re.search(rb"[\0-\x09\x0b-\x1f]", answer), answer)
    check_others("bodies")


def try_requests():
    body = GOOD.encode()
    cases = {  # bytes, and the statuses that are right; 0: closed without an answer
        "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01" * 10 + b"\r\n\r\n", {0, 400, 405, 501, 505}),
        "an empty line alone": (b"\r\n\r\n\r\n\r\n", {0, 400}),
        "a version of its own": (request("/v1/embeddings", body, version="HTTP/9.9"), {0, 400, 505}),
        "a negative length": (b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", {0, 400, 413}),
        "a length beyond 64 bits": (
            b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % 10**30,
            {0, 400, 413},
        ),
        "no number as length": (b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", {0, 400}),
        "a chunk without a length": (
            b"POST /embed HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            {0, 400},
        ),
        "a chunk beyond 64 bits": (
            b"POST /embed HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            {0, 400, 413},
        ),
        "a long path": (request("/" + "a" * 100000, body), {0, 400, 404, 414, 431}),
        "a long header": (request("/v1/embeddings", body, "X-A: " + "a" * 2000000), {0, 400, 431}),
        "many headers": (request("/v1/embeddings", body, *(f"X-{i}: {i}" for i in range(50000))), {0, 400, 431}),
        "NUL in the path": (request("/v1/\0embeddings", body), {0, 400, 404}),
        "control characters in the path": (request("/\x1b[31m\x07", body), {0, 400, 404}),
        "another method": (request("/v1/embeddings", body).replace(b"POST", b"DELETE"), {405}),
        "a method of its own": (request("/v1/embeddings", body).replace(b"POST", b"X" * 5000), {0, 400, 405, 431, 501}),
        "a path above the root": (request("/../../etc/passwd", body), {0, 400, 404}),
    }
    for what, (data, right) in cases.items():
        received = send(data)
        check(f"{what}: status {status(received)}, expected {right}", status(received) in right, received)
    received = send(request("/v1/embeddings", body, "Connection: close") * 3)
    check("nothing is read after the last request", received.count(b"HTTP/1.") == 1, received)
    received = send(request("/v1/embeddings", body) * 19 + request("/v1/embeddings", body, "Connection: close"))
    check("20 requests in a row have 20 answers", received.count(b"HTTP/1.1 200") == 20, received)
    received = send(request("/v1/embeddings", body).replace(b"Length: %d" % len(body), b"Length: %d" % (len(body) - 9)))
    check(
        "a length too small: 400, and no second answer", status(received) == 400 and b" 200 " not in received, received
    )
    received = send(
        request("/v1/embeddings", body).replace(b"Length: %d" % len(body), b"Length: %d" % (len(body) + 9)), shut=True
    )
    check("a length too large: no answer from half a body", b" 200 " not in received, received)
    check_others("requests")


def try_large_bodies():
    for path in DIALECTS:
        n_bytes = 100_000_000 if path == "/embed" else 3_000_000
        with contextlib.suppress(ConnectionError):
            code, answer = post(path, b" " * n_bytes)
            check(f"{path}: {n_bytes} bytes", code == 413 and message(path, answer), (code, answer))
    head = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    received = send(head + (b"100000\r\n" + b" " * (1 << 20) + b"\r\n") * 20 + b"0\r\n\r\n")
    check("20 MB in chunks", status(received) in (0, 413), received)
    check_others("large bodies")


def try_silence(n):
    """Opens n connections that say nothing, or half a request, and then asks for an answer beside them."""
    opened = []
    for i in range(n):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex((HOST, PORT))
        opened.append(connection)
        if i % 2:
            with contextlib.suppress(OSError):
                connection.send(request("/v1/embeddings", GOOD.encode())[: 20 + i % 180])
    check_others(f"{n} silent connections")
    for connection in opened:
        connection.close()
    check_others(f"{n} closed connections")


def try_hanging_up(n):
    body = json.dumps({"model": "default", "input": ["I ride bike " * 30] * 50}).encode()
    for i in range(n):
        with socket.create_connection((HOST, PORT)) as connection:
            connection.sendall(request("/v1/embeddings", body)[: None if i % 2 else -i])
    check_others(f"{n} calls that nobody waits for")


def memory():
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def descriptors():
    return len(os.listdir(f"/proc/{pid}/fd"))


limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
before, n_before = memory(), descriptors()
for case in (try_bodies, try_requests, try_large_bodies):
    case()
try_hanging_up(100)
try_silence(min(10000, limit - 100))
for _ in range(6000):  # closed connections are noticed a little later
    if descriptors() <= n_before + 2:
        break
    time.sleep(0.1)
check("no connection stays open", descriptors() <= n_before + 2, f"{n_before} descriptors, then {descriptors()}")
growth = (memory() - before) / 1024
print(f"memory grew by {growth:.0f} MB")
check("memory grew by less than 150 MB", growth < 150, growth)
print(f"{passed} passed, {failed} failed")
