"""Prints how fast encode-serve is beside the library in the same run: tokens per second of 64 clients of one text each
(by wrk), and milliseconds of one short text. Needs wrk and NumPy, and the machine for itself.

    python3 tests/serve/speed.py BUILD MODEL [ROUNDS]
"""

import json
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
build, model, rounds = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
os.environ["LIBENGINE_FOLDER"] = str(build)
sys.path.insert(0, str(TREE / "tools/hosts/python"))
import libengine  # noqa: E402

WORDS = "I ride bike you house red big a the dog man bites rain street old city do not one two".split()
LUA = """
local bodies, i = {}, 0
for line in io.lines("%s") do bodies[#bodies + 1] = line end
wrk.method, wrk.headers["Content-Type"] = "POST", "application/json"
function request()
    i = i %% #bodies + 1
    return wrk.format(nil, "/v1/embeddings", nil, bodies[i])
end
"""
SECONDS, SHORT = 2, "I ride bike"


def body_of(text):
    return json.dumps({"input": text, "encoding_format": "base64"})


def load(address, script):
    """Requests per second of 64 clients."""
    printed = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{SECONDS}s", "-s", script, address], check=True, capture_output=True, text=True
    ).stdout
    if "Non-2xx" in printed or "Socket errors" in printed:
        sys.exit(printed)
    return float(re.search(r"Requests/sec: +([0-9.]+)", printed)[1])


def encode_for_seconds(encoder, texts):
    n, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        encoder.encode(texts)
        n += len(texts)
    return n / passed


def milliseconds(call, n=200):
    times = []
    for _ in range(n):
        began = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def call_server(connection, request):
    """One call, without the time that a client's library takes."""
    connection.sendall(request)
    received = b""
    while not (found := re.search(rb"(?i)content-length: (\d+)(?s:.*?)\r\n\r\n", received)) or len(
        received
    ) < found.end() + int(found[1]):
        received += connection.recv(1 << 16)
    if not received.startswith(b"HTTP/1.1 200"):
        sys.exit(received.decode())


def measure(address, folder):
    texts = [" ".join(random.choices(WORDS, k=random.randint(4, 20))) for _ in range(1024)]
    encoder = libengine.Encoder(model)
    n_tokens = sum(len(tokens) for tokens in encoder.tokenize(texts)) / len(texts)
    (folder / "bodies").write_text("".join(body_of(text) + "\n" for text in texts))
    (folder / "wrk.lua").write_text(LUA % (folder / "bodies"))
    host, port = address.split(":")
    connection = socket.create_connection((host, int(port)))
    body = body_of(SHORT)
    request = f"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    rates, delays = [], []
    for _ in range(rounds):
        rates.append((load(f"http://{address}", folder / "wrk.lua"), encode_for_seconds(encoder, texts)))
        delays.append(
            (milliseconds(lambda: call_server(connection, request)), milliseconds(lambda: encoder.encode(SHORT)))
        )
    served, direct = (statistics.median(column) for column in zip(*rates))
    ratio = statistics.median(a / b for a, b in rates)
    print(
        f"64 clients: {served * n_tokens:.0f} tokens/s ({served:.0f} texts of {n_tokens:.1f} tokens), "
        f"the library: {direct * n_tokens:.0f}; share {ratio:.2f}"
    )
    served, direct = (statistics.median(column) for column in zip(*delays))
    print(f"one short text: {served:.3f} ms, by the library {direct:.3f} ms; {served - direct:.3f} ms more")


random.seed(1)
with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
    [build / "encode-serve", "--listen", "127.0.0.1:0", "-m", model, "--log", "none"], stderr=subprocess.PIPE, text=True
) as server:
    try:
        measure(server.stderr.readline().split("//")[1].strip(), pathlib.Path(folder))
    finally:
        server.terminate()
