"""What the lesson page must show: numbers of the engine, by `encode` and `encode-plot steps`, for what is chosen there."""

import base64
import gzip
import json
import math
import re
import struct
import subprocess

RATIOS = [(1, 10), (1, 2), (1, 1), (2, 1), (10, 1)]
BASES = [10, 100, 10000]


def columns(matrix, begin, n):
    return [row[begin : begin + n] for row in matrix]


def minus(a, b):
    return [[x - y for x, y in zip(p, q)] for p, q in zip(a, b)]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)


class Engine:
    """A weight file and what the programs print of it; the same question is asked once."""

    def __init__(self, programs, path):
        self.programs, self.path, self.answers = programs, path, {}

    def ask(self, program, *arguments):
        command = [f"{self.programs}/{program}", *map(str, arguments)]
        return subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)

    def tables(self, *arguments):
        """Title -> matrix, as encode-plot -f data prints them."""
        if arguments not in self.answers:
            printed = self.ask("encode-plot", *arguments[:1], "-m", self.path, "-f", "data", *arguments[1:])
            found, title = {}, ""
            for line in printed.splitlines():
                if line.startswith("# table "):
                    title = line.partition(": ")[2]
                elif line and not line.startswith(("# ", "name\t")):
                    found.setdefault(title, []).append([float(x) for x in line.split("\t")[1:]])
            self.answers[arguments] = found
        return self.answers[arguments]

    def vectors(self, options, *texts):
        key = ("vectors", *options, *texts)
        if key not in self.answers:
            lines = self.ask("encode", "-m", self.path, "-f", "json", *options, "-p", "model", *texts)
            self.answers[key] = [json.loads(line)["vector"] for line in lines.splitlines()]
        return self.answers[key]

    def tokens(self, text):
        return json.loads(self.ask("encode", "-m", self.path, "-f", "json", "--tokens", text))["tokens"]

    def inspected(self):
        return json.loads(self.ask("encode-inspect", "-f", "json", self.path))

    def tensor(self, name):
        """The rows of a tensor in f32; of a vector its numbers."""
        found = next(tensor for tensor in self.inspected()["tensors"] if tensor["name"] == name)
        shape = found["shape"]
        with open(self.path, "rb") as file:
            numbers = struct.unpack_from(f"<{math.prod(shape)}f", file.read(), found["offset"])
        width = shape[1] if len(shape) > 1 else 1
        rows = [list(numbers[i : i + width]) for i in range(0, len(numbers), width)]
        return rows if len(shape) > 1 else list(numbers)


def toy_of_page(page, folder):
    """The toy's weight file, as the page holds it."""
    packed = re.search(r'<script type="text/plain" id="toy">(.*?)</script>', page, re.S).group(1)
    path = f"{folder}/toy.weights"
    with open(path, "wb") as file:
        file.write(gzip.decompress(base64.b64decode(packed)))
    return path


class Toy:
    """The toy's tables by the names that the page gives them."""

    def __init__(self, engine):
        self.engine = engine

    def options(self, state):
        w1, w2 = RATIOS[2 if state["position"] == "none" else state["ratio"]]
        options = ["--position", state["position"], "--embedding-scale", w1]
        options += ["--mask", "causal" if state["mask"] == "causal" else "full"]
        if state["position"] != "none":
            options += ["--position-scale", w2]
        if state["position"] in ("sinusoidal", "exponential"):
            options += ["--position-base", BASES[state["base"]]]
        return tuple(options), w1

    def ids(self, state, order):
        known = list(dict.fromkeys(word for words in state["sentences"] for word in words))
        return [known.index(state["sentences"][state["sentence"]][word]) for word in order]

    def steps(self, state, order):
        text = " ".join(f"w{i + 1}" for i in self.ids(state, order))
        return self.engine.tables("steps", *self.options(state)[0], text)

    def tables(self, state):
        ids, (options, w1) = self.ids(state, state["order"]), self.options(state)
        steps, T = self.steps(state, state["order"]), len(ids)
        layer, head = state["layer"] + 1, state["head"]
        inside = {title.split(": ", 1)[1]: rows for title, rows in steps.items() if title.startswith(f"layer {layer}: ")}
        x = steps["embedding"] if layer == 1 else steps[f"layer {layer - 1}: output"]
        table, D, K = self.engine.tensor("embedding.token.weight"), len(x[0]), len(x[0]) // 2
        q, k, v = (columns(inside["queries, keys, values"], part * D + head * K, K) for part in range(3))
        weights = inside[f"attention, head {head + 1}"]
        scores = [[sum(a * b for a, b in zip(p, r)) / math.sqrt(K) if sees(state, i, j) else -math.inf
                   for j, r in enumerate(k)] for i, p in enumerate(q)]
        places = [[0] * D] * T
        if state["position"] != "none":
            drawn = self.engine.tables("position", "-n", T, *options[:2], *options[6:])
            places = list(drawn.values())[0]
        first, last = self.steps(state, range(T))["layer 2: output"], steps["layer 2: output"]
        mean = [sum(column) / T for column in zip(*last)]
        moments = [row + [self.moved(state, state["order"], word)] for row, word in zip(last, state["order"])]
        row = state["order"].index(state["query"])
        padded = [*scores[row], *[-math.inf] * (state["mask"] == "padding")]
        name = f"layers.{layer - 1}."
        return {
            "ids": [[i] for i in ids],
            "toy.table": table[: len({w for words in state["sentences"] for w in words})],
            "rows": [table[i] for i in ids],
            "token": [[w1 * value for value in table[i]] for i in ids],
            "place": places,
            "embedded": steps["embedding"],
            "x": x,
            "wq": self.engine.tensor(name + "attention.qkv.weight")[head * K : (head + 1) * K],
            "q": q,
            "k": k,
            "v": v,
            "masked": pad(state, scores, -math.inf),
            "weights": pad(state, weights, 0),
            "share": [[s, math.exp(s), w] for s, w in zip(padded, pad(state, weights, 0)[row])],
            "heads": inside["heads"],
            "head": columns(inside["heads"], head * K, K),
            "wo": self.engine.tensor(name + "attention.output.weight"),
            "output": minus(inside["attention + residual"], x),
            "sum": inside["attention + residual"],
            "normed": inside["norm of attention"],
            "middle": inside["middle of feed-forward"],
            "fed": minus(inside["feed-forward + residual"], inside["norm of attention"]),
            "sum2": inside["feed-forward + residual"],
            "out": inside["output"],
            "first": steps["layer 1: output"],
            "last": last,
            "before": first,
            "moments": moments,
            "pools": [mean, steps["vectors of the texts: mean"][0]],
        }

    def moved(self, state, order, word):
        now, first = (self.steps(state, which)["layer 2: output"] for which in (order, sorted(order)))
        return max(abs(a - b) for a, b in zip(now[list(order).index(word)], first[word]))


def sees(state, query, key):
    return state["mask"] != "causal" or key <= query


def pad(state, matrix, value):
    if state["mask"] != "padding":
        return matrix
    return [row + [value] for row in matrix] + [[value] * (len(matrix) + 1)]


class Model:
    """Tables of the trained model."""

    def __init__(self, engine):
        inspected = engine.inspected()
        self.engine, self.layers = engine, int(inspected["config"].get("layers", 0))
        self.is_int8 = any(tensor["type"].startswith("int8") for tensor in inspected["tensors"])

    def options(self, state, position=None):
        position = position or ("none" if state["position"] == "none" else "model")
        return ("--position", position, "--mask", "causal" if state["mask"] == "causal" else "full")

    def text(self, state, order):
        return " ".join(state["sentences"][state["sentence"]][word] for word in order)

    def steps(self, state, order):
        return self.engine.tables("steps", *self.options(state), self.text(state, order))

    def map(self, state, order):
        return self.steps(state, order)[f"layer {state['modelLayer'] + 1}: attention, head {state['modelHead'] + 1}"]

    def tables(self, state, orders):
        steps, text = self.steps(state, state["order"]), self.text(state, state["order"])
        states = [steps["embedding"], *(steps[f"layer {i + 1}: output"] for i in range(self.layers))]
        texts = [self.text(state, order) for order in orders]
        by_position = [self.engine.vectors(self.options(state, name), *texts) for name in ("model", "none")]
        own = self.engine.vectors(self.options(state), *(" ".join(words) for words in state["sentences"]))
        return {
            "model.ids": [[token["id"]] for token in self.engine.tokens(text)],
            "model.norms": [[math.hypot(*row) for row in rows] for rows in states],
            "model.moved": [[math.dist(p, q) for p, q in zip(a, b)] for a, b in zip(states[1:], states)],
            "model.orders": [[cosine(v, vectors[0]) for v, vectors in zip(pair, by_position)] for pair in zip(*by_position)],
            "model.likeness": [[cosine(a, b) for b in own] for a in own],
        }
