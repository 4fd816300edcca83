"""hub.py - serves a small model on loopback in the form of the Hugging Face Hub, for test_fetch.sh.

    hub.py make DIR        writes a BERT of random numbers with modules.json, in two files of tensors
    hub.py serve DIR LOG   prints its port; serves DIR as org/model, and appends the requests to LOG

As at the Hub, small files have a checksum of git and are answered at once, at a relative redirect if a file `moved`
is in the folder of LOG; tensors have a SHA-256 and a redirect to another host. Files in the folder of LOG change what
is served: `stall` (half of a file, then nothing), `token` (only to who has this token), `flip` (a wrong last byte).
"""
import hashlib
import http.server
import json
import os
import random
import struct
import sys
import time

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def tensors_file(path, shapes, numbers):
    header, at, data = {}, 0, []
    for name, shape in shapes.items():
        n = 1
        for size in shape:
            n *= size
        data.append(struct.pack(f"<{n}f", *(numbers.uniform(-0.5, 0.5) for _ in range(n))))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * n]}
        at += 4 * n
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def make(folder, width=32, inner=64, words=3000):
    os.makedirs(f"{folder}/1_Pooling")
    table = {"embeddings.word_embeddings.weight": [words, width]}
    rest = {"embeddings.position_embeddings.weight": [64, width], "embeddings.token_type_embeddings.weight": [2, width],
            "embeddings.LayerNorm.weight": [width], "embeddings.LayerNorm.bias": [width]}
    for part, sizes in {"attention.self.query": (width, width), "attention.self.key": (width, width),
                        "attention.self.value": (width, width), "attention.output.dense": (width, width),
                        "intermediate.dense": (inner, width), "output.dense": (width, inner)}.items():
        rest[f"encoder.layer.0.{part}.weight"] = list(sizes)
        rest[f"encoder.layer.0.{part}.bias"] = [sizes[0]]
    for part in ("attention.output.LayerNorm", "output.LayerNorm"):
        rest[f"encoder.layer.0.{part}.weight"] = rest[f"encoder.layer.0.{part}.bias"] = [width]
    numbers = random.Random(39)
    files = {"model-00001-of-00002.safetensors": table, "model-00002-of-00002.safetensors": rest}
    for name, shapes in files.items():
        tensors_file(f"{folder}/{name}", shapes, numbers)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "ride", "bike"]
    vocabulary += [f"word{i}" for i in range(words - len(vocabulary))]
    texts = {
        "config.json": {"model_type": "bert", "architectures": ["BertModel"], "vocab_size": words, "hidden_size": width,
                        "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": inner,
                        "hidden_act": "gelu", "max_position_embeddings": 64, "type_vocab_size": 2,
                        "layer_norm_eps": 1e-12, "pad_token_id": 0},
        "model.safetensors.index.json": {"metadata": {}, "weight_map": {t: f for f, s in files.items() for t in s}},
        "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "do_lower_case": True},
        "modules.json": [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                         {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}],
        "1_Pooling/config.json": {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True},
    }
    for name, value in texts.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2)
    with open(f"{folder}/vocab.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(vocabulary) + "\n")
    with open(f"{folder}/README.md", "w", encoding="utf-8") as file:
        file.write("no file of a model\n")


class Hub(http.server.BaseHTTPRequestHandler):
    folder, log = "", ""

    def log_message(self, *_):
        pass

    def option(self, name):
        path = f"{os.path.dirname(self.log)}/{name}"
        return open(path, encoding="utf-8").read() if os.path.exists(path) else None

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, has_body):
        host, seen = self.headers.get("Host", "").split(":")[0], self.headers.get("Authorization", "-")
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{self.command} {host} {self.path} {self.headers.get('Range', '-')} {seen}\n")
        part = self.path.split("/", 5)  # "", org, model, resolve, revision, path
        token = self.option("token")
        if part[1:3] == ["cdn", "x"]:
            return self.send_bytes(part[-1], has_body, {})
        if part[1:4] == ["cache", "model", "resolve"]:
            return self.send_bytes(part[-1], has_body, self.names(part[-1]))
        if token and seen != f"Bearer {token}":
            return self.send_status(401, {"X-Error-Code": "GatedRepo"})
        if part[1:4] != ["org", "model", "resolve"]:
            return self.send_status(404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"})
        if part[4] not in ("main", COMMIT, "refs%2Fpr%2F1"):
            return self.send_status(404, {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"})
        if not os.path.isfile(f"{self.folder}/{part[5]}"):
            return self.send_status(404, {"X-Error-Code": "EntryNotFound"})
        if part[5].endswith(".safetensors"):
            port = self.server.server_address[1]
            return self.send_status(302, {**self.names(part[5]), "Location": f"http://localhost:{port}/cdn/x/x/x/{part[5]}"})
        if self.option("moved") is not None:
            return self.send_status(307, {"X-Repo-Commit": COMMIT, "Location": f"/cache/model/resolve/{COMMIT}/{part[5]}"})
        return self.send_bytes(part[5], has_body, self.names(part[5]))

    def names(self, path):
        data = open(f"{self.folder}/{path}", "rb").read()
        if path.endswith(".safetensors"):
            return {"X-Repo-Commit": COMMIT, "X-Linked-ETag": f'"{hashlib.sha256(data).hexdigest()}"', "ETag": '"other"'}
        git = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        return {"X-Repo-Commit": COMMIT, "ETag": f'W/"{git}"'}

    def send_status(self, status, headers, length=0):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_bytes(self, path, has_body, headers):
        data = open(f"{self.folder}/{path}", "rb").read()
        if self.option("flip") is not None and path.endswith(".safetensors"):
            data = data[:-1] + bytes([data[-1] ^ 1])
        start = int(self.headers.get("Range", "bytes=0-").split("=")[1].rstrip("-"))
        if start and start >= len(data):
            return self.send_status(416, {"Content-Range": f"bytes */{len(data)}"})
        if start:
            headers = {**headers, "Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"}
        self.send_status(206 if start else 200, headers, len(data) - start)
        if not has_body:
            return
        if self.option("stall") is not None and path.endswith(".safetensors"):
            self.wfile.write(data[start : len(data) // 2])
            self.wfile.flush()
            time.sleep(3600)
        self.wfile.write(data[start:])


def main():
    if sys.argv[1] == "make":
        return make(sys.argv[2])
    Hub.folder, Hub.log = sys.argv[2:4]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
