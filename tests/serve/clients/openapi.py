"""Compares the answers of a server with the OpenAPI document of text-embeddings-inference: each status that the server
gives must be in it, with its schema.

    python openapi.py DOCUMENT EMBEDDING-URL LABELS-URL RANKER-URL SPARSE-URL     a server for each kind of model
"""

import json
import sys
import urllib.error
import urllib.request

import jsonschema

TEXT, LONG = "I ride bike", "word " * 2000
EMBEDDING, LABELS, RANKER, SPARSE = range(4)
POSTS = [  # the server, path, body and status
    (EMBEDDING, "/embed", {"inputs": TEXT}, 200),
    (EMBEDDING, "/embed", {"inputs": [TEXT, "a"], "normalize": True}, 200),
    (EMBEDDING, "/embed", {"inputs": LONG, "truncate": True, "truncation_direction": "Left"}, 200),
    (EMBEDDING, "/embed", {"inputs": [[2, 51, 3]]}, 200),
    (EMBEDDING, "/embed", {"inputs": LONG}, 413),
    (EMBEDDING, "/embed", {"inputs": LONG, "truncate": True}, 200),
    (EMBEDDING, "/embed", {"inputs": 1.5}, 422),
    (EMBEDDING, "/embed_all", {"inputs": [TEXT, "a"]}, 200),
    (SPARSE, "/embed_sparse", {"inputs": [TEXT, "a"]}, 200),
    (EMBEDDING, "/embed_sparse", {"inputs": TEXT}, 424),
    (LABELS, "/predict", {"inputs": TEXT}, 200),
    (LABELS, "/predict", {"inputs": [[TEXT], ["a"]], "raw_scores": True}, 200),
    (EMBEDDING, "/predict", {"inputs": TEXT}, 424),
    (RANKER, "/rerank", {"query": TEXT, "texts": ["a", "bike"]}, 200),
    (RANKER, "/rerank", {"query": TEXT, "texts": ["a", "bike"], "return_text": True, "raw_scores": True}, 200),
    (RANKER, "/rerank", {"query": TEXT}, 422),
    (EMBEDDING, "/similarity", {"inputs": {"source_sentence": TEXT, "sentences": ["a", "bike"]}}, 200),
    (EMBEDDING, "/similarity", {"inputs": TEXT}, 422),
    (EMBEDDING, "/tokenize", {"inputs": TEXT}, 200),
    (EMBEDDING, "/tokenize", {"inputs": [TEXT, "a"], "add_special_tokens": False}, 200),
    (EMBEDDING, "/decode", {"ids": [[2, 51, 3], [51]], "skip_special_tokens": True}, 200),
    (EMBEDDING, "/decode", {"ids": "x"}, 422),
    (EMBEDDING, "/v1/embeddings", {"input": [TEXT, "a"]}, 200),
    (EMBEDDING, "/v1/embeddings", {"input": TEXT, "encoding_format": "base64"}, 200),
]
GETS = [(server, "/info", None, 200) for server in range(4)] + [(0, "/health", None, 200), (0, "/metrics", None, 200)]


def as_json_schema(value):
    """What OpenAPI 3.0 calls nullable, as JSON Schema has it."""
    if isinstance(value, list):
        return [as_json_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: as_json_schema(item) for key, item in value.items()}
    return {**value, "type": [value["type"], "null"]} if value.pop("nullable", False) else value


def answer(url, body):
    try:
        request = urllib.request.Request(url, json.dumps(body).encode() if body else None)
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers.get_content_type(), response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get_content_type(), error.read()


def check(url, path, body, expected):
    """The reason why the answer is not what the document says, or None."""
    status, kind, received = answer(url + path, body)
    if status != expected:
        return f"status {status}, expected {expected}: {received[:200]}"
    described = document["paths"][path]["post" if body else "get"]["responses"].get(str(status))
    if described is None:
        return f"the document has no status {status}"
    if "content" not in described:
        return None
    if kind not in described["content"]:
        return f"it is {kind}, expected {list(described['content'])}"
    if kind == "application/json":
        schema = {**described["content"][kind]["schema"], "components": document["components"]}
        try:
            jsonschema.validate(json.loads(received), schema)
        except (jsonschema.ValidationError, ValueError) as error:
            return f"{str(error)[:300]} in {received[:200]}"


with open(sys.argv[1]) as file:
    document = as_json_schema(json.load(file))
failures = [
    f"FAILED: {path} {str(body)[:80]}: {reason}"
    for server, path, body, status in POSTS + GETS
    if (reason := check(sys.argv[2 + server], path, body, status))
]
print(*failures, sep="\n")
print(f"{len(POSTS + GETS) - len(failures)} passed, {len(failures)} failed")
