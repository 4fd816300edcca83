"""Sends a server changed requests of every route for some time: bytes of HTTP and JSON are flipped, cut, repeated,
swapped, and replaced by what parsers stumble over. Ends with 1 if the server ends, or stops answering.

    python3 fuzz.py HOST:PORT SECONDS [SEED]     run it beside a server with AddressSanitizer
"""

import http.client
import json
import random
import socket
import sys
import time

HOST, PORT = sys.argv[1].rsplit(":", 1)
SECONDS, SEED = float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
BODIES = {
    "/v1/embeddings": {"model": "default", "input": ["I ride bike", "a"], "encoding_format": "base64", "dimensions": 8},
    "/api/embed": {
        "model": "default:latest",
        "input": ["I ride bike"],
        "truncate": True,
        "keep_alive": "5m",
        "options": {},
    },
    "/api/embeddings": {"model": "default", "prompt": "I ride bike"},
    "/api/show": {"model": "default"},
    "/": {"inputs": {"source_sentence": "I ride", "sentences": ["bike", "a"]}},
    "/embed": {"inputs": ["I ride bike"], "normalize": True, "truncate": True, "truncation_direction": "Left"},
    "/embed_all": {"inputs": "I ride bike", "prompt_name": None},
    "/embed_sparse": {"inputs": "I ride bike"},
    "/predict": {"inputs": [["I ride"], ["a", "b"]], "raw_scores": False},
    "/rerank": {"query": "who rides", "texts": ["I ride bike", "a"], "return_text": True, "raw_scores": True},
    "/similarity": {"inputs": {"source_sentence": "I ride", "sentences": ["bike", "a"]}, "parameters": {}},
    "/tokenize": {"inputs": ["I ride bike"], "add_special_tokens": False},
    "/decode": {"ids": [[2, 51, 4315, 4286, 3]], "skip_special_tokens": True},
    "/steps": {"inputs": "I ride bike", "position": "none", "mask": "causal"},
    "/v1/rerank": {
        "model": "default",
        "query": "who",
        "documents": [{"text": "I ride"}, "a"],
        "top_n": 1,
        "return_documents": True,
    },
    "/v2/rerank": {
        "model": "default",
        "query": "who",
        "documents": ["I ride", "a"],
        "top_n": 2,
        "max_tokens_per_doc": 9,
    },
    "/v2/embed": {
        "model": "default",
        "texts": ["I ride"],
        "input_type": "search_query",
        "embedding_types": ["float", "int8", "ubinary", "base64"],
    },
}
GETS = [
    "/",
    "/health",
    "/ping",
    "/info",
    "/metrics",
    "/v1/models",
    "/v1/models/default",
    "/api/tags",
    "/api/version",
    "/api/ps",
]
VALUES = [
    None,
    True,
    -1,
    0,
    1e400,
    2**31,
    2**63,
    2**64,
    1.5,
    "",
    "\0",
    "\ud800",
    "a" * 5000,
    [],
    {},
    [[]],
    [None],
    ["a"] * 3000,
    [51] * 3000,
    [[51], "a"],
    {"text": "a"},
    "default",
    "none",
    "Left",
    "float",
    "base64",
]
PIECES = [
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"{",
    b"[" * 3000,
    b'"',
    b"\\u0000",
    b"\\ud800",
    b"1e999999",
    b"-",
    b"%00",
    b"%",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 5\r\n",
    b"Expect: 100-continue\r\n",
    b"Connection: close\r\n",
    b"ffffffffffffffff\r\n",
    b"0\r\n\r\n",
    b"HTTP/1.0",
    b"GET ",
    b"HEAD ",
    b"?a=b&",
    b"99999999999999999999",
]
random.seed(SEED)


def change_json(value):
    """A value with one part replaced, removed or repeated."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        value, key = dict(value), random.choice(list(value))
        if random.random() < 0.15:
            del value[key]
        elif random.random() < 0.15:
            value[random.choice(["x", "input", "inputs", "texts", "model"])] = value[key]
        else:
            value[key] = change_json(value[key])
        return value
    if isinstance(value, list) and value and random.random() < 0.6:
        at = random.randrange(len(value))
        return value[:at] + [change_json(value[at])] * random.choice([0, 1, 1, 1, 2, 40]) + value[at + 1 :]
    return random.choice(VALUES)


def change_bytes(data):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        at = random.randrange(len(data) + 1)
        until = min(len(data), at + random.choice([1, 1, 2, 8, 64]))
        kind = random.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at:until] = b""
        elif kind == 2:
            data[at:at] = random.choice(PIECES)
        elif kind == 3:
            data[at:at] = data[at:until] * random.choice([1, 2, 50])
        elif kind == 4:
            data[at:until] = random.randbytes(until - at)
        else:
            del data[at + 1 :][random.choice([0, 1000]) :]
    return bytes(data)


def make_request():
    if random.random() < 0.15:
        return f"GET {random.choice(GETS)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    path, body = random.choice(list(BODIES.items()))
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        body = change_json(body)
    text = json.dumps(body, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    if random.random() < 0.3:
        text = change_bytes(text)
    length = len(text) if random.random() < 0.95 else random.choice([0, len(text) - 1, len(text) + 1, 10**9])
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    if random.random() < 0.1:
        return head.replace(
            f"Content-Length: {length}", "Transfer-Encoding: chunked"
        ).encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text)
    return head.encode() + text


def send(data):
    """Sends it, in one part or several, and reads some of what comes back, or none of it."""
    with socket.create_connection((HOST, int(PORT)), timeout=20) as connection:
        try:
            at = random.randrange(len(data) + 1) if random.random() < 0.2 else 0
            connection.sendall(data[:at])
            connection.sendall(data[at:])
            if random.random() < 0.8:
                connection.settimeout(random.choice([0.02, 0.05, 0.5]))
                return connection.recv(1 << 16)[9:12].decode("latin-1")
        except OSError:
            pass
        return "none"


def is_well():
    connection = http.client.HTTPConnection(HOST, int(PORT), timeout=120)
    connection.request("POST", "/v1/embeddings", json.dumps({"model": "default", "input": "I ride bike"}))
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    return response.status == 200 and answer


expected, until, counts, n = is_well(), time.time() + SECONDS, {}, 0
while time.time() < until:
    data = make_request() * random.choice([1, 1, 1, 2])
    if random.random() < 0.4:
        data = change_bytes(data)
    try:
        status = send(data)
        counts[status] = counts.get(status, 0) + 1
        n += 1
        well = n % 500 or is_well() == expected
    except OSError as error:
        well = print(error)
    if not well:
        print(f"FAILED after {n} requests of seed {SEED}; the last was {data[:2000]!r}")
        sys.exit(1)
print(f"{n} requests, seed {SEED}; answers by status:", dict(sorted(counts.items(), key=lambda item: -item[1])))
sys.exit(is_well() != expected)
