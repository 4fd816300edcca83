"""Calls a server from 16 threads until a file exists; prints how many calls there were, how many failed, and the
number of different answers (each thread sends the same text). STOP.calls has a byte for each call answered.

    python3 load.py URL STOP
"""

import http.client
import json
import os
import sys
import threading
import urllib.parse

address, stop = urllib.parse.urlsplit(sys.argv[1]).netloc, sys.argv[2]
BODY = json.dumps({"model": "default", "input": "I ride bike", "encoding_format": "base64"})
lock = threading.Lock()
failed, answers = [], set()
n_calls = 0


def call_on(connection):
    connection.request("POST", "/v1/embeddings", BODY, {"Content-Type": "application/json"})
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise ValueError(f"status {response.status}: {body[:200]!r}")
    return json.loads(body)["data"][0]["embedding"], response.will_close


def work(log):
    global n_calls
    connection = http.client.HTTPConnection(address, timeout=600)
    while not os.path.exists(stop):
        try:
            answer, will_close = call_on(connection)
        except (OSError, ValueError, http.client.HTTPException) as error:
            answer, will_close = repr(error), True
            failed.append(answer)
        with lock:
            n_calls += 1
            answers.add(answer)
            log.write(b".")
            log.flush()
        if will_close:
            connection.close()


with open(f"{stop}.calls", "wb") as log:
    threads = [threading.Thread(target=work, args=(log,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(*failed[:5], sep="\n")
print(f"{n_calls} calls, {len(failed)} failed, {len(answers)} answer{'s' * (len(answers) != 1)}")
