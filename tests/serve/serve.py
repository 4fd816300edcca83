"""Tests of encode-serve: see test_serve.sh."""
import base64
import glob
import json
import math
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

from server import FOLDER, PATIENCE, PROGRAMS, Server, await_true, make_models, program, run_all, write

sys.path.append("tests/tools/lesson")
from page_numbers import Engine  # noqa: E402

TEXTS = ["I ride bike", "man bites dog", "a", "", "the dog and the cat see the house " * 7, "zzz é"]
OPENAI = "/v1/embeddings"


def vectors(texts, *options, model="plain"):
    """Returns the vectors of encode, each number as it prints it."""
    rows = [program("encode", "-m", f"{FOLDER}/{model}.weights", "-p", "model", "-f", "json", *options, "--", text)
            for text in texts]
    return [json.loads(row)["vector"] for row in rows]


def scores(query, texts, model):
    options = ["-f", "json", "--rank", query, "--in-order"]
    rows = program("encode", "-m", f"{FOLDER}/{model}.weights", *options, "--", *texts)
    return [json.loads(row)["score"] for row in rows.splitlines()]


class Routes(unittest.TestCase):
    """Every route gives the numbers of the command."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--log", "none", models=("plain", "labels", "cross"))
        cls.expected = vectors(TEXTS)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def test_openai(self):
        answer = self.server.good(OPENAI, {"model": "plain", "input": TEXTS})
        self.assertEqual([entry["embedding"] for entry in answer["data"]], self.expected)
        self.assertEqual([entry["index"] for entry in answer["data"]], list(range(len(TEXTS))))
        self.assertEqual((answer["object"], answer["data"][0]["object"]), ("list", "embedding"))
        self.assertEqual(answer["model"], "plain")
        single = self.server.good(OPENAI, {"input": TEXTS[0]})
        self.assertEqual([entry["embedding"] for entry in single["data"]], self.expected[:1])
        tokens = self.server.good("/tokenize", {"inputs": TEXTS})
        n_tokens = sum(map(len, tokens))
        self.assertEqual(answer["usage"], {"prompt_tokens": n_tokens, "total_tokens": n_tokens})

    def test_openai_base64(self):
        answer = self.server.good(OPENAI, {"input": TEXTS, "encoding_format": "base64", "user": "u", "other": None})
        for entry, expected in zip(answer["data"], self.expected):
            data = base64.b64decode(entry["embedding"], validate=True)
            self.assertEqual(data, struct.pack(f"<{len(expected)}f", *expected))
        for n in (1, 2, 3, 4, 5):  # every length of the last group
            answer = self.server.good(OPENAI, {"input": "a", "encoding_format": "base64", "dimensions": n})
            floats = self.server.good(OPENAI, {"input": "a", "dimensions": n})
            data = base64.b64decode(answer["data"][0]["embedding"], validate=True)
            self.assertEqual(data, struct.pack(f"<{n}f", *floats["data"][0]["embedding"]))
            self.assertEqual(floats["data"][0]["embedding"], vectors(["a"], "--dimensions", str(n))[0])

    def test_openai_ids(self):
        tokens = self.server.good("/tokenize", {"inputs": TEXTS})
        ids = [[token["id"] for token in text] for text in tokens]
        answer = self.server.good(OPENAI, {"input": ids})
        self.assertEqual([entry["embedding"] for entry in answer["data"]], self.expected)
        self.assertEqual(self.server.good(OPENAI, {"input": ids[0]})["data"][0]["embedding"], self.expected[0])

    def test_openai_models(self):
        names = [model["id"] for model in self.server.good("/v1/models")["data"]]
        self.assertEqual(names, ["plain", "labels", "cross"])
        self.assertEqual(self.server.good("/v1/models/cross")["id"], "cross")
        status, _, answer = self.server.call("/v1/models/none")
        self.assertEqual((status, answer["error"]["code"]), (404, "model_not_found"))

    def test_ollama(self):
        answer = self.server.good("/api/embed", {"model": "plain:latest", "input": TEXTS, "keep_alive": "5m"})
        self.assertEqual(answer["embeddings"], self.expected)
        self.assertGreater(answer["prompt_eval_count"], 0)
        self.assertIsInstance(answer["total_duration"], int)
        self.assertEqual(self.server.good("/api/embed", {"input": "a"})["embeddings"], vectors(["a"]))
        answer = self.server.good("/api/embeddings", {"model": "plain", "prompt": TEXTS[0]})
        self.assertEqual(answer, {"embedding": self.expected[0]})
        for path in ("/api/tags", "/api/ps"):
            names = [model["name"] for model in self.server.good(path)["models"]]
            self.assertEqual(names, ["plain", "labels", "cross"])
        shown = self.server.good("/api/show", {"model": "cross"})
        self.assertEqual((shown["name"], shown["model_info"]["encoder.context_length"]), ("cross", 64))
        self.assertIn("version", self.server.good("/api/version"))

    def test_tei_vectors(self):
        normalized = vectors(TEXTS, "--normalize")
        for path in ("/embed", "/", "/invocations"):
            self.assertEqual(self.server.good(path, {"inputs": TEXTS}), normalized)
            self.assertEqual(self.server.good(path, {"inputs": TEXTS[0]}), normalized[:1])
        rows = program("encode", "-m", f"{FOLDER}/plain.weights", "-p", "none", "-f", "json", TEXTS[0])
        self.assertEqual(self.server.good("/embed_all", {"inputs": [TEXTS[0], "a"]})[0], json.loads(rows)["vectors"])

    def test_tei_raw(self):
        """`normalize` false: the pooling alone."""
        raw = [json.loads(program("encode", "-m", f"{FOLDER}/plain.weights", "-p", "mean", "-f", "json", "--", text))
               for text in TEXTS]
        self.assertEqual(self.server.good("/embed", {"inputs": TEXTS, "normalize": False}),
                         [row["vector"] for row in raw])

    def test_tei_decode(self):
        tokens = self.server.good("/tokenize", {"inputs": ["I ride bike", "the dog"]})
        ids = [[token["id"] for token in text] for text in tokens]
        self.assertEqual(self.server.good("/decode", {"ids": ids}), ["I ride bike", "the dog"])
        self.assertEqual(self.server.good("/decode", {"ids": ids[0], "skip_special_tokens": False}),
                         ["[CLS] I ride bike [SEP]"])
        self.assertEqual(self.server.good("/decode", {"ids": ids[0] * 100}), [" ".join(["I ride bike"] * 100)])
        for wrong in ("x", ["x"], [-1], [10**9], [[1], [-1]], [1.5], [], {}, None):
            self.assertEqual(self.server.call("/decode", {"ids": wrong})[0], 422, wrong)

    def test_steps(self):
        """What the page shows of a text is what encode-plot and encode print."""
        text, engine = "I ride bike", Engine(PROGRAMS, f"{FOLDER}/plain.weights")
        for position, mask in (("model", "model"), ("none", "causal"), ("binary", "full")):
            options = ("--position", position, "--mask", mask)
            printed = engine.tables("steps", *options, text)
            answer = self.server.good("/steps", {"inputs": text, "position": position, "mask": mask})
            maps = [row for title, rows in printed.items() if ": attention, head " in title for row in rows]
            states = [rows for title, rows in printed.items() if title == "embedding" or title.endswith(": output")]
            moved = [[math.dist(p, q) for p, q in zip(a, b)] for a, b in zip(states, states[1:])]
            expected = {"attention": maps, "norms": [[math.hypot(*row) for row in rows] for rows in states], "moved": moved}
            self.assertEqual((len(maps[0]), len(moved[0])), (5, 5))
            for name, rows in expected.items():
                self.assertEqual([len(row) for row in answer[name]], [len(row) for row in rows], name)
                for left, right in zip(sum(answer[name], []), sum(rows, [])):
                    self.assertAlmostEqual(left, right, delta=1e-4, msg=name)
            self.assertEqual([answer["vector"]], vectors([text], *options))
            self.assertEqual(answer["tokens"], self.server.good("/tokenize", {"inputs": text})[0])
            self.assertEqual(answer["position"], "sinusoidal")
        self.assertIsNone(self.server.good("/steps", {"model": "labels", "inputs": text})["vector"])
        for wrong in ({"inputs": ["a", "b"]}, {"inputs": "dog " * 100}, {"inputs": text, "mask": "none"}, {"inputs": text, "position": 1}):
            self.assertIn(self.server.call("/steps", wrong)[0], (413, 422))

    def test_tei_labels(self):
        rows = program("encode", "-m", f"{FOLDER}/labels.weights", "--labels", "--all", "-f", "json", "--", *TEXTS)
        expected = [json.loads(row)["labels"] for row in rows.splitlines()]
        answer = self.server.good("/predict", {"inputs": [[text] for text in TEXTS]})
        self.assertEqual(answer, expected)
        self.assertEqual(self.server.good("/predict", {"inputs": TEXTS[0]}), answer[0])
        pair = self.server.good("/predict", {"inputs": ["a", "the dog"], "raw_scores": True})
        self.assertEqual(len(pair), 3)
        self.assertEqual(self.server.call("/predict", {"inputs": "a", "candidate_labels": ["x"]})[0], 424)

    def test_labels_of_the_call(self):
        texts = [text for text in TEXTS if text]
        with Server("--log", "none", models=("nli",)) as server:
            for multi, template in ((False, None), (True, "is {}")):
                options = (["--multi"] if multi else []) + (["--template", template] if template else [])
                rows = program("encode", "-m", f"{FOLDER}/nli.weights", "--labels-of", "dog,I ride,a", "--all", "-f",
                               "json", *options, "--", *texts)
                expected = [json.loads(row)["labels"] for row in rows.splitlines()]
                fields = {"candidate_labels": ["dog", "I ride", "a"], "multi_label": multi, "hypothesis_template": template}
                self.assertEqual(server.good("/predict", {"inputs": texts, **fields}), expected)
                self.assertEqual(server.good("/predict", {"inputs": texts[1], "parameters": fields}), expected[1])
            for wrong in ({"candidate_labels": []}, {"candidate_labels": [1]}, {"candidate_labels": ["a"], "hypothesis_template": "x"},
                          {"candidate_labels": ["a"], "inputs": [["a", "b"]]}, {"candidate_labels": ["a"] * 1025, "inputs": ["a", "b"]},
                          {"candidate_labels": ["a"] * 3000}):
                self.assertIn(server.call("/predict", {"inputs": "a", **wrong})[0], (413, 422), wrong)
            for nul in ({"candidate_labels": ["a", "b\0"]}, {"candidate_labels": ["a"], "hypothesis_template": "is {}\0"}):
                status, _, answer = server.call("/predict", {"inputs": "a", **nul})
                self.assertEqual(status, 422)
                self.assertIn("a string without NUL characters", answer["error"])

    def test_ranks(self):
        texts = [text for text in TEXTS if text] + [" "]
        for model in ("cross", "plain"):
            expected = scores("who rides?", texts, model)
            order = sorted(range(len(texts)), key=lambda i: -expected[i])
            asked = {"model": model, "query": "who rides?", "documents": texts, "top_n": 3}
            answer = self.server.good("/v2/rerank", asked)
            self.assertEqual([(hit["index"], hit["relevance_score"]) for hit in answer["results"]],
                             [(i, expected[i]) for i in order[:3]])
            documents = [{"text": text} for text in texts]
            answer = self.server.good("/v1/rerank", {"model": model, "query": "who rides?", "documents": documents,
                                                     "return_documents": True})
            self.assertEqual([hit["document"]["text"] for hit in answer["results"]], [texts[i] for i in order])
            body = {"model": model, "query": "who rides?", "texts": texts, "return_text": True}
            for path in ("/rerank", "/"):
                answer = self.server.good(path, body)
                self.assertEqual(answer, [{"index": i, "score": expected[i], "text": texts[i]} for i in order])
        self.assertEqual(answer[-1]["score"], -1)
        texts, expected = texts[:-1], expected[:-1]
        cosines = self.server.good("/similarity", {"inputs": {"source_sentence": "who rides?", "sentences": texts}})
        self.assertEqual(cosines, expected)
        self.assertEqual(self.server.good("/", {"inputs": {"source_sentence": "who rides?", "sentences": texts},
                                                "parameters": {}}), expected)

    def test_lengths_of_vectors(self):
        """Of length 1 where the API promises it, with fewer dimensions too; raw where not."""
        with Server("--log", "none", models=("dot",)) as server:
            unit, raw = vectors(TEXTS[:2], "--normalize", model="dot"), vectors(TEXTS[:2], model="dot")
            answer = server.good(OPENAI, {"input": TEXTS[:2]})
            self.assertEqual([entry["embedding"] for entry in answer["data"]], unit)
            self.assertEqual(server.good("/api/embed", {"input": TEXTS[:2]})["embeddings"], unit)
            self.assertEqual(server.good("/api/embeddings", {"prompt": TEXTS[0]})["embedding"], raw[0])
            self.assertEqual(server.good("/v1/embed", {"texts": TEXTS[:2]})["embeddings"], raw)
            self.assertEqual(server.good("/embed", {"inputs": TEXTS[:2], "normalize": False}), raw)
            short = vectors(TEXTS[:2], "--normalize", "--dimensions", "5", model="dot")
            answer = server.good(OPENAI, {"input": TEXTS[:2], "dimensions": 5})
            self.assertEqual([entry["embedding"] for entry in answer["data"]], short)
            self.assertEqual(server.good("/api/embed", {"input": TEXTS[:2], "dimensions": 5})["embeddings"], short)
            for vector in short:
                self.assertAlmostEqual(math.fsum(x * x for x in vector), 1, places=6)

    def test_ranks_as_the_file_says(self):
        """By the dot product, with the prompts of roles; by two labels, with the default prompt before the query."""
        texts = [text for text in TEXTS if text]
        for model in ("dot", "pairs"):
            with Server("--log", "none", models=(model,)) as server:
                expected = scores("who rides?", texts, model)
                answer = server.good("/rerank", {"query": "who rides?", "texts": texts})
                self.assertEqual(sorted((hit["index"], hit["score"]) for hit in answer), list(enumerate(expected)))
                body = {"query": "who rides?", "texts": texts, "raw_scores": True}
                raw = {hit["index"]: hit["score"] for hit in server.good("/rerank", body)}
                for i in range(len(texts) if model == "pairs" else 0):
                    self.assertAlmostEqual(expected[i], 1 / (1 + math.exp(-raw[i])), places=6)
        rows = program("encode", "-m", f"{FOLDER}/pairs.weights", "--labels", "--all", "-f", "json", "--pair", "dog", "a")
        with Server("--log", "none", models=("pairs",)) as server:
            self.assertEqual(server.good("/predict", {"inputs": ["a", "dog"]}), json.loads(rows)["labels"])

    def test_cohere(self):
        answer = self.server.good("/v2/embed", {"model": "plain", "texts": TEXTS, "input_type": "search_document",
                                                "embedding_types": ["float"]})
        self.assertEqual((answer["embeddings"], answer["texts"]), ({"float": self.expected}, TEXTS))
        self.assertEqual(self.server.good("/v1/embed", {"texts": TEXTS})["embeddings"], self.expected)
        answer = self.server.good("/v2/embed", {"texts": ["a"], "embedding_types": ["base64"]})
        self.assertEqual(base64.b64decode(answer["embeddings"]["base64"][0]), struct.pack("<32f", *vectors(["a"])[0]))

    def test_cohere_types(self):
        types = ["int8", "uint8", "binary", "ubinary", "float"]
        for path in ("/v1/embed", "/v2/embed"):
            answer = self.server.good(path, {"texts": TEXTS, "embedding_types": types})
            self.assertEqual((answer["response_type"], sorted(answer["embeddings"])),
                             ("embeddings_by_type", sorted(types)))
            for row, vector in enumerate(self.expected):
                of = {name: rows[row] for name, rows in answer["embeddings"].items()}
                length = math.sqrt(sum(value * value for value in vector))
                scaled = [round(value / length * 127 / 8 * math.sqrt(len(vector))) for value in vector]
                self.assertEqual((of["float"], of["int8"]), (vector, scaled))
                self.assertEqual(of["uint8"], [value + 128 for value in scaled])
                bits = "".join("01"[value > 0] for value in vector)
                self.assertEqual(of["ubinary"], [int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)])
                self.assertEqual(of["binary"], [value - 128 for value in of["ubinary"]])
        answer = self.server.good("/v2/embed", {"texts": ["a"], "embedding_types": ["ubinary"], "output_dimension": 9})
        bits = "".join("01"[value > 0] for value in self.expected[TEXTS.index("a")][:9])
        self.assertEqual(answer["embeddings"]["ubinary"], [[int(bits[:8], 2), int(bits[8]) * 128]])
        self.assertEqual(self.server.good("/v2/embed", {"texts": ["a"]})["response_type"], "embeddings_by_type")
        self.assertEqual(self.server.call("/v2/embed", {"texts": ["a"], "embedding_types": ["int4"]})[0], 400)

    def test_tei_tokens(self):
        tokens = self.server.good("/tokenize", {"inputs": "I ride zé"})[0]
        self.assertEqual([(token["text"], token["start"], token["stop"]) for token in tokens if not token["special"]],
                         [("I", 0, 1), ("ride", 2, 6), ("zé", 7, 9)])
        self.assertEqual([token["text"] for token in tokens if token["special"]], ["[CLS]", "[SEP]"])
        plain = self.server.good("/tokenize", {"inputs": ["I", "ride"], "add_special_tokens": False})
        self.assertEqual([len(text) for text in plain], [1, 1])
        long = "é1 " * 60
        tokens = self.server.good("/tokenize", {"inputs": long, "add_special_tokens": False})[0]
        self.assertTrue(all(long[token["start"]:token["stop"]] == token["text"] for token in tokens))

    def test_state(self):
        info = self.server.good("/info")
        self.assertEqual((info["model_id"], info["max_input_length"], info["auto_truncate"]), ("plain", 64, False))
        for path in ("/health", "/ping"):
            self.assertEqual(self.server.call(path)[0], 200)
        scripts = [*sorted(glob.glob("tools/common/page/*.js")), "tools/hosts/serve/page.js"]
        for path, files in {"/": ["tools/hosts/serve/page.html"], "/page.css": ["tools/common/page/page.css"], "/page.js": scripts}.items():
            self.assertEqual(self.server.good(path), b"".join(pathlib.Path(file).read_bytes() for file in files))
        self.assertEqual(self.server.call("/health", method="HEAD")[0], 200)
        _, headers, metrics = self.server.call("/metrics")
        self.assertTrue(headers["Content-Type"].startswith("text/plain"))
        metrics = metrics.decode()
        self.assertIn('encode_requests_total{path="/health",code="200"}', metrics)
        counts = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if line[0] != "#")
        self.assertEqual(counts['encode_batch_texts_bucket{le="+Inf"}'], counts["encode_batch_texts_count"])
        self.assertEqual(float(counts["encode_queue_tokens"]), 0)


class Errors(unittest.TestCase):
    """Wrong calls get a status and a message in their client's form, and harm no other call."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--log", "none", models=("plain", "labels"))

    @classmethod
    def tearDownClass(cls):
        cls.server.good(OPENAI, {"input": "a"})
        cls.server.end()

    def refused(self, path, body, status, words="", method=None):
        code, headers, answer = self.server.call(path, body, method=method)
        self.assertEqual(code, status, (path, answer))
        error = answer["error"] if "error" in answer else answer["message"]
        message = error["message"] if isinstance(error, dict) else error
        self.assertIn(words, message)
        return headers, answer

    def test_forms(self):
        _, answer = self.refused(OPENAI, {}, 400, "`input` is missing")
        self.assertEqual(set(answer["error"]), {"message", "type", "param", "code"})
        _, answer = self.refused("/api/embed", {}, 400, "`input` is missing")
        self.assertEqual(set(answer), {"error"})
        _, answer = self.refused("/embed", {}, 422, "`inputs` is missing")
        self.assertEqual(answer["error_type"], "Validation")
        _, answer = self.refused("/v2/embed", {}, 400, "`texts` is missing")
        self.assertEqual(set(answer), {"message", "detail"})

    def test_paths(self):
        for path in ("/none", "/v1/none", "/v2/none", "/api/none", "/" + "x" * 3000, '/"\\'):
            self.refused(path, {}, 404)
        for path, method, allowed in ((OPENAI, "GET", "POST"), ("/health", "POST", "GET, HEAD"),
                                      ("/", "DELETE", "GET, HEAD, POST")):
            headers, _ = self.refused(path, None if method == "GET" else {}, 405, f"takes {allowed}", method)
            self.assertEqual(headers["Allow"], allowed)
        self.refused("/embed", {}, 405, method="DELETE")
        for path in (OPENAI, "/api/embed", "/embed", "/v2/embed"):
            self.refused(path, {"model": "none"}, 404, "model 'none' not found: GET /v1/models lists them")

    def test_one_model(self):
        """One model alone answers to its own name, unless --any-model makes it answer to any."""
        asked = {"model": "text-embedding-3-small", "input": "a"}
        with Server("--log", "none") as server:
            status, _, answer = server.call(OPENAI, asked)
            self.assertEqual((status, answer["error"]["code"]), (404, "model_not_found"))
            self.assertIn("not found: 'plain' is served here (--any-model", answer["error"]["message"])
            for good in ({"input": "a"}, {"model": "plain", "input": "a"}, {"model": "plain:latest", "input": "a"}):
                self.assertEqual(server.call(OPENAI, good)[0], 200)
        with Server("--log", "none", "--any-model") as server:
            self.assertEqual(server.call(OPENAI, asked)[2]["model"], "plain")
        with Server("--log", "none", "--any-model", models=("plain", "labels")) as server:
            self.assertEqual(server.call(OPENAI, asked)[0], 404)

    def test_empty_body(self):
        connection = self.server.connect()
        connection.request("POST", OPENAI, b"")
        response = connection.getresponse()
        self.assertEqual(response.status, 400)
        self.assertIn("the body is empty; expected a JSON object", response.read().decode())
        connection.close()

    def test_aliases(self):
        whole = self.server.good(OPENAI, {"model": "plain", "input": TEXTS, "dimensions": 4})
        for path in ("/embeddings", "/embedding"):
            self.assertEqual(self.server.good(path, {"model": "plain", "input": TEXTS, "dimensions": 4}), whole)
        vectors = [row["embedding"] for row in whole["data"]]
        for path in ("/embeddings", "/embedding"):  # as llama.cpp's server takes and gives them
            found = self.server.good(path, {"model": "plain", "content": TEXTS, "dimensions": 4})
            self.assertEqual(found, [{"index": i, "embedding": [vector]} for i, vector in enumerate(vectors)])
            found = self.server.good(path, {"model": "plain", "content": TEXTS[0], "embd_normalize": 2})
            self.assertEqual((len(found), len(found[0]["embedding"])), (1, 1))
            self.refused(path, {"model": "plain", "content": "a", "embd_normalize": 1}, 400, "`embd_normalize` must be 2")
            self.refused(path, {"model": "plain"}, 400, "`input` is missing")
        lines = self.server.good("/metrics").decode().splitlines()
        series = [line.rsplit(" ", 1)[0] for line in lines if line[:1] != "#"]
        self.assertEqual(len(set(series)), len(series))

    def test_labels_are_no_vectors(self):
        for model, labels in (("labels", "'bad', 'good', 'none'"), ("pairs", "'no', 'yes'")):
            with Server("--log", "none", models=(model,)) as server:
                inputs = {"source_sentence": "a", "sentences": ["b"]}
                bodies = {"/embed": {"inputs": "a"}, "/embed_all": {"inputs": "a"}, "/similarity": {"inputs": inputs},
                          OPENAI: {"input": "a"}, "/api/embed": {"input": "a"}, "/api/embeddings": {"prompt": "a"},
                          "/v2/embed": {"texts": ["a"]}}
                if model == "labels":
                    bodies["/rerank"] = {"query": "a", "texts": ["b"]}
                    bodies["/v2/rerank"] = {"query": "a", "documents": ["b"]}
                for path, body in bodies.items():
                    status, _, answer = server.call(path, body)
                    self.assertEqual(status, 424 if path.count("/") == 1 else 400, path)
                    self.assertIn(labels, json.dumps(answer), path)

    def test_what_to_do(self):
        """Messages name what is asked for, what is there, and what helps."""
        for path, needs in (("/predict", "labels of texts"), ("/embed_sparse", "weights of words")):
            self.refused(path, {"model": "plain", "inputs": "a"}, 424,
                         f"{path} requires a model with {needs}, and 'plain' has none: serve such a model (-m)")
        _, _, answer = self.server.call("/embed", {"inputs": "a"}, headers={"Host": "other.example"})
        self.assertIn("names another machine than this one: call the server as localhost, or start it with --allow-host",
                      answer["error"])
        command = [f"{os.environ['PROGRAMS']}/encode-serve", "--listen", "127.0.0.1:0"]
        file = f"{FOLDER}/plain.weights"
        for models, words in ((["-m", file, "-m", file], "the name 'plain' is that of two models: give the model another one by -m NAME=FILE"),
                              (["-m", f'a"b={file}'], "the name 'a\"b' has a quotation mark, a backslash or a control")):
            run = subprocess.run([*command, *models], capture_output=True, check=False, timeout=PATIENCE)
            self.assertEqual((run.returncode, words in run.stderr.decode()), (1, True), run.stderr)

    def test_bodies(self):
        for body in (b"", b"{", b"[]", b'"a"', b"{} x", b'{"input": "\xff"}', b'{"input": "\\ud800"}', b"\0",
                     b'{"input": ' + b"[" * 100000, b'{"input": "a"', b'{"input": {}}', b'{"input": "a", "input": "b"}'):
            self.refused(OPENAI, body, 400)
        for value in (None, 1, True, {}, [None], [1.5], [[]], [["a"]], [["a", 1]], [-1], [10**9], [[1, -1]], [1, "a"],
                      ["a", 1], {"text": 1}, [[2**40]], []):
            self.refused(OPENAI, {"input": value}, 400)
        self.assertEqual(self.server.call(OPENAI, {"input": "a\0b"})[0], 200)

    def test_fields(self):
        self.refused(OPENAI, {"input": "a", "embedding_types": ["int8", "float"]}, 400, "one type")
        self.refused("/v2/embed", {"texts": ["a"], "embedding_types": ["int4"]}, 400, "float int8 uint8 binary")
        for field, value in (("dimensions", 0), ("dimensions", 33), ("dimensions", "8"), ("encoding_format", "x"),
                             ("encoding_format", 1), ("raw_scores", 1), ("truncate", 1), ("truncate", "MIDDLE"),
                             ("top_n", -1), ("prompt_name", "none"), ("prompt_name", 1), ("model", 1), ("model", ["plain"])):
            status = self.server.call("/embed", {"inputs": "a", field: value})[0]
            self.assertIn(status, (422, 424), (field, value))
        self.refused("/predict", {"inputs": ["a", "b", "c"]}, 422)
        self.refused("/rerank", {"query": 1, "texts": ["a"]}, 422)
        self.refused("/v1/rerank", {"query": "a", "documents": [{"text": "a", "title": "b"}], "rank_fields": ["title"]},
                     400, "`rank_fields` is unknown; expected one of: text")
        self.refused("/rerank", {"query": "a", "texts": "a"}, 422)
        self.refused("/similarity", {"inputs": "a"}, 422)
        _, answer = self.refused("/embed_sparse", {"inputs": "a"}, 424)
        self.assertEqual(answer["error_type"], "Backend")
        self.refused(OPENAI, {"model": "labels", "input": [["a"]]}, 400)

    def test_weights_of_queries(self):
        """The prompt query makes a text a query, whose weights are those of its own ids."""
        with Server("--log", "none", models=("queries",)) as server:
            ask = [{"inputs": "dog"}, {"inputs": "dog", "prompt_name": "query"}, {"inputs": "dog", "input_type": "search_query"}]
            text, query, other = (server.call("/embed_sparse", body)[-1][0] for body in ask)
        self.assertGreater(len(text), len(query))
        self.assertEqual([len(query), query], [1, other])

    def test_steps_of_a_query(self):
        """Of a query that is filled up, no token sees the fillers, as when its vectors are made."""
        with Server("--log", "none", models=("filled",)) as server:
            steps = server.call("/steps", {"inputs": "dog cat", "prompt_name": "query"})[-1]
        self.assertEqual([len(row) for row in steps["attention"]], [6] * len(steps["attention"]))
        self.assertEqual([sum(row[4:]) for row in steps["attention"]], [0] * len(steps["attention"]))

    def test_lengths(self):
        long = "dog " * 100
        _, answer = self.refused(OPENAI, {"input": ["a", long]}, 400, "input 1 has 102 tokens; at most 64 are taken")
        self.assertEqual(answer["error"]["code"], "context_length_exceeded")
        self.refused("/embed", {"inputs": long}, 413, "102 tokens")
        self.refused("/api/embed", {"input": long, "truncate": False}, 400)
        self.refused("/api/embeddings", {"prompt": long}, 400)
        self.refused("/v2/embed", {"texts": [long], "truncate": "NONE"}, 400)
        self.refused("/rerank", {"query": long, "texts": ["a"]}, 413, "query has 102 tokens")
        self.refused("/rerank", {"query": "a", "texts": ["a", long]}, 413, "input 1 has 102 tokens")
        self.refused(OPENAI, {"input": [5] * 65}, 400, "65 ids")
        cut = vectors([long], "--on-long", "truncate")
        self.assertEqual(self.server.good("/api/embed", {"input": long, "truncate": True})["embeddings"], cut)
        answer = self.server.good("/v2/embed", {"texts": [long], "truncate": "END"})
        self.assertEqual(answer["embeddings"]["float"], cut)
        _, headers, answer = self.server.call("/api/embed", {"input": ["a", long, long]})
        self.assertEqual((answer["embeddings"][1:], headers["X-Truncated-Texts"]), (cut * 2, "2"))
        self.assertEqual(answer["prompt_eval_count"], 128 + len(self.server.good("/tokenize", {"inputs": "a"})[0]))
        for path in ("/v1/embed", "/v2/embed"):
            answer = self.server.good(path, {"texts": [long, "a"]})
            self.assertEqual(answer["meta"]["warnings"], ["texts that were too long and were cut: 1"])
        self.assertNotIn("warnings", self.server.good("/v2/embed", {"texts": ["a"]})["meta"])
        self.assertIsNone(self.server.call("/api/embed", {"input": "a"})[1]["X-Truncated-Texts"])
        left = self.server.good("/embed", {"inputs": "cat " + long, "truncate": True, "truncation_direction": "Left"})
        self.assertEqual(left, vectors(["dog " * 62], "--normalize"))
        ranked = self.server.good("/v2/rerank", {"model": "plain", "query": "a", "documents": [long],
                                                 "max_tokens_per_doc": 10})
        self.assertEqual(ranked["results"][0]["relevance_score"], scores("a", ["dog " * 8], "plain")[0])
        for path in ("/v1/embed", "/v2/embed"):
            answer = self.server.good(path, {"texts": [long], "max_tokens": 10})
            self.assertEqual(answer["meta"]["warnings"], ["texts that were too long and were cut: 1"])
            self.assertEqual(answer["embeddings"]["float"] if path == "/v2/embed" else answer["embeddings"],
                             vectors(["dog " * 8]))
            self.refused(path, {"texts": ["a"], "max_tokens": 0}, 400, "`max_tokens` must be a whole number")
        query = "dog " * 12
        ranked = self.server.good("/v2/rerank", {"model": "plain", "query": query, "documents": [long],
                                                 "max_tokens_per_doc": 10})
        self.assertEqual(ranked["results"][0]["relevance_score"], scores(query, ["dog " * 8], "plain")[0])
        self.assertEqual(ranked["meta"]["warnings"], ["texts that were too long and were cut: 1"])

    def test_limits(self):
        self.assertEqual(len(self.server.good(OPENAI, {"input": ["a"] * 2048})["data"]), 2048)
        self.refused(OPENAI, {"input": ["a"] * 2049}, 400, "2049 texts")
        self.refused("/embed", {"inputs": ["a"] * 2049}, 413)
        self.refused("/embed", {"inputs": "a" * (2 << 20)}, 413, "bytes")
        self.refused("/embed", {"inputs": "a" * (64 << 20)}, 413, "bytes")

    def test_chunked_body(self):
        connection = self.server.connect()
        parts = [b'{"inp', b'ut": "I ride', b' bike"}']
        connection.request("POST", OPENAI, iter(parts), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        answer = json.loads(connection.getresponse().read())
        self.assertEqual(answer["data"][0]["embedding"], vectors(TEXTS[:1])[0])
        connection.close()

    def test_breaking_off(self):
        """Clients that stop in the middle, or lie about lengths, cost the others nothing."""
        for data in (b"", b"POST", b"POST /embed HTTP/1.1\r\n", b"\0\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
                     b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{",
                     b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n{}garbage"):
            with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
                connection.sendall(data)
        self.server.good("/health")


class Serving(unittest.TestCase):
    """Load, keys, signals and time."""

    def test_load(self):
        """64 clients get the bytes that one client gets."""
        with Server("--log", "none", "--batch", "64") as server:
            bodies = [{"input": text} for text in TEXTS] + [{"input": TEXTS * 9, "dimensions": 8}]
            alone = [server.good(OPENAI, body) for body in bodies]
            wrong = []

            def client(first):
                connection = server.connect()
                for i in range(first, first + 2 * len(bodies)):
                    if server.good(OPENAI, bodies[i % len(bodies)], connection=connection) != alone[i % len(bodies)]:
                        wrong.append(i)
                connection.close()

            run_all(64, client)
            self.assertEqual(wrong, [])

    def test_hang_up(self):
        """Calls of clients that have gone are not computed."""
        with Server("--log", "json", "--batch", "1") as server:
            body = json.dumps({"input": [TEXTS[4]] * 1000}).encode()
            head = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
            for _ in range(8):
                with socket.create_connection(("127.0.0.1", server.port)) as connection:
                    connection.sendall(head + body)
            server.good(OPENAI, {"input": "a"})
        lines = [json.loads(line) for line in server.lines]
        self.assertIn(499, [line["status"] for line in lines])

    def test_busy(self):
        """More than --queue tokens are refused while others wait."""
        with Server("--log", "none", "--queue", "3000", "--batch", "16") as server:
            found = []

            def client(_):
                status, headers, _ = server.call(OPENAI, {"input": [TEXTS[4]] * 50})
                found.append((status, headers["Retry-After"]))

            run_all(16, client)
            self.assertLessEqual(set(found), {(200, None), (429, "1")})
            self.assertIn((429, "1"), found)
            self.assertIn((200, None), found)

    def test_memory(self):
        """Bodies that are not complete have a common limit; then calls are refused, and served when they end."""
        with Server("--log", "none") as server:
            head = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
            held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(150)]
            for connection in held:
                connection.sendall(head + b" " * 1900000)
            await_true(lambda: server.call("/embed", {"inputs": "a" * 10000})[0] == 429)
            for connection in held:
                connection.close()
            await_true(lambda: server.call("/embed", {"inputs": "a"})[0] == 200)

    def test_keys(self):
        path = f"{FOLDER}/keys"
        write(path, "first\nsecond key\n")
        with Server("--log", "none", "--api-key-file", path) as server:
            for header in (None, "Bearer", "Bearer ", "Bearer firs", "Bearer firstt", "Basic first", "first"):
                status, headers, _ = server.call("/v1/models", headers={"Authorization": header} if header else {})
                self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"), header)
            for key in ("first", "second key"):
                server.good("/v1/models", headers={"Authorization": f"Bearer {key}"})
            server.good("/health")
            write(path, "third\n")
            server.process.send_signal(signal.SIGHUP)
            await_true(lambda: server.call("/v1/models", headers={"Authorization": "Bearer third"})[0] == 200)
            self.assertEqual(server.call("/v1/models", headers={"Authorization": "Bearer first"})[0], 401)

    def test_reload(self):
        """SIGHUP under load: every answer is that of the old or of the new file, and none is lost."""
        target = f"{FOLDER}/swapped.weights"
        os.link(f"{FOLDER}/plain.weights", target)
        old, new = vectors(TEXTS[:1])[0], vectors(TEXTS[:1], model="next")[0]
        with Server("--log", "none", models=("swapped",)) as server:
            seen = []

            def client(_):
                connection = server.connect()
                while new not in seen[-20:]:
                    answer = server.good(OPENAI, {"input": TEXTS[0]}, connection=connection)
                    seen.append(answer["data"][0]["embedding"])
                connection.close()

            def swap():
                await_true(lambda: len(seen) > 20)
                os.link(f"{FOLDER}/next.weights", target + ".new")
                os.rename(target + ".new", target)
                server.process.send_signal(signal.SIGHUP)

            swapper = threading.Thread(target=swap)
            swapper.start()
            run_all(8, client)
            swapper.join()
            self.assertTrue(all(vector in (old, new) for vector in seen))
            os.remove(target)  # a file that is gone: the old one stays
            server.process.send_signal(signal.SIGHUP)
            await_true(lambda: any(b"old weight files stay; keys: read again" in line for line in server.lines))
            self.assertEqual(server.good(OPENAI, {"input": TEXTS[0]})["data"][0]["embedding"], new)

    def test_drain(self):
        """SIGTERM while clients call: every call that was accepted is answered, and the exit code is 0."""
        for delay in (0, 0.01, 0.05, 0.1):
            server = Server("--log", "none", "--batch", "64")
            bad = []

            def client(_):
                try:
                    connection = server.connect()
                    while True:
                        answer = server.call(OPENAI, {"input": [TEXTS[4]] * 20}, connection=connection)
                        if answer[0] not in (200, 503):
                            bad.append(answer)
                        if answer[1]["Connection"] == "close":
                            return
                except OSError:  # before or between calls
                    return

            threads = [threading.Thread(target=client, args=(i,)) for i in range(16)]
            for thread in threads:
                thread.start()
            time.sleep(delay)
            server.end()
            for thread in threads:
                thread.join()
            self.assertEqual(bad, [])

    def test_slow_clients(self):
        """Silent and slow connections are closed; a server full of them serves newcomers at once."""
        with Server("--log", "none", "--timeout", "1") as server:
            for data in (b"", b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"):
                with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
                    connection.sendall(data)
                    self.assertEqual(connection.recv(1), b"")
        with Server("--log", "none", "--timeout", "1", models=("labels",)) as server:
            body = json.dumps({"inputs": [["a"]] * 2000}).encode()  # an answer that no buffer of the kernel holds
            head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
            with socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall((head + body) * 20)
                began = time.monotonic()
                with self.assertRaises(OSError):  # it reads a little, and never all
                    while time.monotonic() - began < PATIENCE:
                        time.sleep(0.2)
                        server.good("/health")
                        if not connection.recv(100):
                            raise ConnectionResetError
        with Server("--log", "none") as server:
            silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1200)]
            server.good("/health")
            for connection in silent:
                connection.close()

    def test_paths(self):
        """A socket at a path, also one that a killed server left."""
        path = f"{FOLDER}/socket"
        for _ in range(2):
            process = subprocess.Popen([f"{os.environ['PROGRAMS']}/encode-serve", "--listen", f"unix:{path}", "-m",
                                        f"{FOLDER}/plain.weights", "--log", "none"], stderr=subprocess.PIPE)
            self.assertIn(b"listening on unix:", process.stderr.readline())
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertTrue(connection.recv(1000).startswith(b"HTTP/1.1 200"))
            process.kill()
            process.wait()
            process.stderr.close()


if __name__ == "__main__":
    make_models()
    result = unittest.main(exit=False, verbosity=1).result
    n_failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - n_failed} passed, {n_failed} failed")
    raise SystemExit(n_failed != 0)
