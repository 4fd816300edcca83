"""What the teacher, all-MiniLM-L6-v2, says of texts: a vector of each.

    teacher.py --cache DIR --teacher DIR --rows        DIR/embedding.npy: first rows of the word table
    teacher.py --cache DIR --teacher DIR [--encode F]  DIR/teacher.npy: a vector of each text of DIR/texts.npz

On a GPU it runs here, else in the engine (--encode, --importer), which is the faster one on CPUs; interrupted, that
goes on where it stopped."""

import argparse
import json
import multiprocessing
import struct
import subprocess
from pathlib import Path

import numpy
import torch

import model
import wordpiece

MOST = 254 # tokens of a text that it was made for, without the special ones
AT_ONCE = 100000 # tokens
PORTION = 50000 # texts


def read_safetensors(path):
    kinds = {"F32": numpy.float32, "F16": numpy.float16, "I64": numpy.int64}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start, out = file.tell(), {}
        for name, entry in header.items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                file.seek(start + begin)
                out[name] = numpy.frombuffer(file.read(end - begin), kinds[entry["dtype"]]).reshape(entry["shape"])
    return out


class Texts:
    """The texts as lines that the teacher's tokenizer takes apart as it would the ones they were made of."""

    def __init__(self, cache):
        self.pieces = (Path(cache) / "vocab.txt").read_text(encoding="utf-8").splitlines()
        spans = numpy.load(Path(cache) / "texts.npz")
        corpus = numpy.load(Path(cache) / "tokens.npz")["tokens"]
        self.flat = numpy.concatenate([corpus, spans["made"]])
        self.begins, self.lengths = spans["begins"].astype(numpy.int64), spans["lengths"].astype(numpy.int64)

    def words(self, i):
        out = []
        for k in self.flat[self.begins[i]:self.begins[i] + self.lengths[i]]:
            piece = self.pieces[k]
            if piece.startswith("##") and out:
                out[-1] += piece[2:]
            else:
                out.append(piece)
        return out


def tokenize(portion):
    """The teacher's ids of some texts; in a process of its own."""
    out = []
    for i in range(*portion):
        ids = []
        for word in tokenize.texts.words(i):
            known = tokenize.known.get(word)
            if known is None:
                known = tokenize.known[word] = tokenize.words(word)
            ids += known
        out.append(numpy.array(ids[:MOST], numpy.int32))
    return out


def of_gpu(folder, texts):
    """The vectors, f16 on the GPU."""
    config = json.loads((folder / "config.json").read_text())
    shape = {"width": config["hidden_size"], "layers": config["num_hidden_layers"],
             "heads": config["num_attention_heads"], "positions": config["max_position_embeddings"]}
    read = read_safetensors(folder / "model.safetensors")
    bert = model.Bert({"bert." + n: torch.from_numpy(t.astype(numpy.float32)).to(model.DEVICE)
                       for n, t in read.items() if t.dtype != numpy.int64}, shape)
    tokenize.words, tokenize.texts, tokenize.known = wordpiece.WordPiece.read(folder / "vocab.txt"), texts, {}
    n = len(texts.begins)
    with multiprocessing.get_context("fork").Pool() as pool:
        portions = [(i, min(i + 5000, n)) for i in range(0, n, 5000)]
        ids = [row for some in pool.imap(tokenize, portions) for row in some]
    lengths = numpy.array([len(row) for row in ids])
    order = numpy.argsort(lengths, kind="stable")
    out = torch.zeros(n, shape["width"], dtype=torch.float16, device=model.DEVICE)
    with torch.no_grad():
        at = 0
        while at < n:
            rows = order[at:at + max(1, AT_ONCE // (int(lengths[order[min(at + 4000, n - 1)]]) + 2))]
            padded = numpy.zeros((len(rows), lengths[rows[-1]] + 2), numpy.int64)
            padded[:, 0] = tokenize.words.ids["[CLS]"]
            for row, i in zip(padded, rows):
                row[1:lengths[i] + 1] = ids[i]
                row[lengths[i] + 1] = tokenize.words.ids["[SEP]"]
            padded = torch.from_numpy(padded).to(model.DEVICE)
            out[torch.from_numpy(rows).to(model.DEVICE)] = bert.pooled(padded, padded != 0).half()
            at += len(rows)
    return out


def of_engine(options, lines, path):
    """The vectors of an iterable of lines, f16, in the file, portion after portion."""
    weights = Path(options.cache) / "teacher.weights"
    if not weights.exists():
        subprocess.run([options.importer, options.teacher, "-o", weights, "--weights", "int8"], check=True)
    portions, part = [], []
    for k, line in enumerate(lines):
        part.append(line)
        if len(part) == PORTION:
            portions.append(encode(options, weights, part, path.with_name("%s.%d.npy" % (path.stem, len(portions)))))
            part = []
    if part:
        portions.append(encode(options, weights, part, path.with_name("%s.%d.npy" % (path.stem, len(portions)))))
    return numpy.concatenate(portions)


def encode(options, weights, lines, path):
    if not path.exists():
        whole = path.with_suffix(".part.npy")
        command = [options.encode, "-m", weights, "-p", "model", "-f", "npy", "--on-long", "truncate", "--resume"]
        subprocess.run([*command, "-o", whole], input="".join(line + "\n" for line in lines).encode(), check=True)
        numpy.save(path, numpy.load(whole).astype(numpy.float16))
        whole.unlink()
    return numpy.load(path)


def first_rows(vectors, width):
    """The largest directions of the pieces' own vectors, turned at random: as they come, a few columns would hold
    most of the norm."""
    rows = vectors.astype(numpy.float64) - vectors.mean(0, dtype=numpy.float64)
    _, _, directions = numpy.linalg.svd(rows, full_matrices=False)
    turn = numpy.linalg.qr(numpy.random.default_rng(1).standard_normal((width, width)))[0]
    rows = rows @ directions[:width].T @ turn
    rows *= 0.05 / rows.std()
    special = len(wordpiece.SPECIAL)
    rows[:special] = numpy.random.default_rng(2).standard_normal((special, width)) * 0.05
    return rows.astype(numpy.float32)


def save(path, array):
    part = path.with_suffix(".part.npy") # run.sh takes a file that is there for a whole one
    numpy.save(part, array)
    part.replace(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--teacher", required=True, help="a HuggingFace directory")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--encode", help="the program, where there is no GPU")
    parser.add_argument("--importer", help="encode-import, likewise")
    options = parser.parse_args()
    cache = Path(options.cache)
    if options.rows:
        pieces = (cache / "vocab.txt").read_text(encoding="utf-8").splitlines()
        vectors = of_engine(options, [p[2:] if p.startswith("##") else p for p in pieces], cache / "pieces.npy")
        save(cache / "embedding.npy", first_rows(vectors, model.SHAPE["width"]))
        return
    texts = Texts(cache)
    if model.DEVICE.type == "cuda":
        save(cache / "teacher.npy", of_gpu(Path(options.teacher), texts).cpu().numpy())
    else:
        lines = (" ".join(texts.words(i)) for i in range(len(texts.begins)))
        save(cache / "teacher.npy", of_engine(options, lines, cache / "teacher.npy"))


if __name__ == "__main__":
    main()
