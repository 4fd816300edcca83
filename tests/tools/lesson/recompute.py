"""Every number of the lesson's data is computed again, by another way than the one that made it.

    python3 recompute.py LESSON.html PROGRAMS TREE [WEIGHTS]

Prints what differs, and at the end how many checks passed and failed.
"""
import base64
import html.parser
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import toy_model

HALF_STEP = 0.5e-4  # of packed numbers
n_passed = n_failed = 0


def check(what, is_right):
    global n_passed, n_failed
    if is_right:
        n_passed += 1
    else:
        n_failed += 1
        print(f"FAILED: {what}")


def near(what, got, expected, tolerance):
    """Lists of the same shape, whose numbers differ by at most so much; NaN is not near."""
    got, expected = list(flat(got)), list(flat(expected))
    worst = max((abs(a - b) if math.isfinite(a - b) else math.inf for a, b in zip(got, expected)), default=0)
    check(f"{what}: {len(got)} numbers, expected {len(expected)}; {worst:.3g} apart, at most {tolerance:.3g}",
          len(got) == len(expected) > 0 and worst <= tolerance)


def flat(value):
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from flat(part)
    else:
        yield value


def unpack(text, per_one):
    data = base64.b64decode(text, validate=True)
    return [(int.from_bytes(data[i:i + 3], "big") - (1 << 23)) / per_one for i in range(0, len(data), 3)]


class Reader:
    """Takes lists of numbers from the front of a packed string."""

    def __init__(self, packed, per_one):
        self.numbers, self.at = unpack(packed, per_one), 0

    def take(self, *shape):
        if not shape:
            self.at += 1
            return self.numbers[self.at - 1]
        return [self.take(*shape[1:]) for _ in range(shape[0])]

    def is_empty(self):
        return self.at == len(self.numbers)


def ask(*command):
    return subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)


# ---- The toy model ----

def order_rows(toy):
    """(sentence, order, words) as they follow one another in every run."""
    for s, sentence in enumerate(toy["sentences"]):
        for o, order in enumerate(sentence["orders"]):
            yield s, o, [sentence["words"][i] for i in order]


def embedding(toy, t, key, words):
    scheme, base, ratio, _ = key.split("/")
    ratio = toy["ratios"][int(ratio)]
    rows = []
    for p, word in enumerate(words):
        place = toy_model.place(scheme, float(base.replace("-", "0")), p, toy["width"], len(words),
                                toy["max_tokens"], t["embedding.position.weight"])
        token = t["embedding.token.weight"][toy["words"].index(word)]
        rows.append([ratio["w1"] * a + ratio["w2"] * b for a, b in zip(token, place)])
    return rows


def check_run(toy, t, key):
    T, D, L, H, F = 3, toy["width"], toy["layers"], toy["heads"], toy["feed_forward"]
    grid = Reader(toy["grid"]["runs"][key], toy["grid"]["per_one"])
    inside = Reader(toy["steps"]["runs"][key], toy["steps"]["per_one"])
    differences = iter(toy["differences"][key])
    last = {}
    # Scores of ten times the numbers are a hundred times as large, and so is what float32 makes of them.
    tolerance = HALF_STEP + (2e-6 if key.split("/")[2] == "2" else 1e-4)
    for s, o, words in order_rows(toy):
        what = f"{key}, {' '.join(words)}"
        states, maps, steps = toy_model.run(t, embedding(toy, t, key, words), H, key.endswith("causal"))
        near(f"{what}: states", grid.take(L + 1, T, D), states, tolerance)
        weights = grid.take(L, H, T, T)
        near(f"{what}: attention", weights, maps, tolerance)
        near(f"{what}: rows of attention", [sum(row) for layer in weights for head in layer for row in head],
             [1] * (L * H * T), T * HALF_STEP)
        near(f"{what}: pooled", grid.take(D), toy_model.pool(states[-1]), tolerance)
        for layer in range(L):
            shapes = [3 * D, D, D, D, F, D]
            near(f"{what}: inside layer {layer + 1}", [inside.take(T, n) for n in shapes], steps[layer], tolerance)
        vectors = dict(zip(words, states[-1]))
        last.setdefault(s, vectors)
        for word in toy["sentences"][s]["words"]:
            expected = max(abs(a - b) for a, b in zip(vectors[word], last[s][word]))
            got = next(differences)
            near(f"{what}: difference of {word}", got, expected, 2e-6 + 0.006 * expected + 2 * (tolerance - HALF_STEP))
            if key.startswith("none/") and key.endswith("full"):
                check(f"{what}: without positions the order makes no difference, not {got}", got < 1e-6)
    check(f"{key}: nothing more", grid.is_empty() and inside.is_empty() and next(differences, None) is None)


def check_toy(toy, t, programs, folder):
    keys = {f"{p}/{b if p in ('sinusoidal', 'exponential') else '-'}/{r}/{m}"
            for p in toy["positions"] for b in toy["bases"] for r in range(len(toy["ratios"])) for m in toy["masks"]
            if p != "none" or r == toy["default"]["ratio"]}
    for member in ("grid", "steps"):
        check(f"toy.{member}: a run for every setting", set(toy[member]["runs"]) == keys)
    near("toy.table", toy["table"], t["embedding.token.weight"], 1e-5)
    for layer, parameters in enumerate(toy["parameters"]):
        qkv, bias = t[f"layers.{layer}.attention.qkv.weight"], t[f"layers.{layer}.attention.qkv.bias"]
        D = toy["width"]
        near(f"wq of layer {layer + 1}", parameters["wq"], qkv[:D], 1e-5)
        near(f"bq of layer {layer + 1}", parameters["bq"], bias[:D], 1e-5)
        for name, tensor in (("wo", "attention.output.weight"), ("w1", "feed_forward.in.weight"),
                             ("b1", "feed_forward.in.bias"), ("gamma", "attention.norm.weight"),
                             ("beta", "attention.norm.bias")):
            near(f"{name} of layer {layer + 1}", parameters[name], t[f"layers.{layer}.{tensor}"], 1e-5)
    for key, rows in toy["place_rows"].items():
        scheme, _, base = key.partition("/")
        near(f"toy.place_rows of {key}", rows, [toy_model.place(
            scheme, float(base or 0), p, toy["width"], 3, toy["max_tokens"], t["embedding.position.weight"])
            for p in range(3)], 6e-6)
    for key in toy["grid"]["runs"]:
        check_run(toy, t, key)
    check_padding(toy, programs, folder)


def check_padding(toy, programs, folder):
    """Padding changes no bit of what is not padding, and is zeros: the page draws it so."""
    for position in toy["positions"]:
        def rows(*options):
            lines = ask(f"{programs}/encode", "-m", f"{folder}/toy.weights", "--position", position, "-f", "csv",
                        *options, "I ride bike").splitlines()[1:]
            return [line.split(",")[8:] for line in lines]
        padded = rows("--pad-to", "5")
        check(f"{position}: padding", padded[:3] == rows() and all(float(v) == 0 for row in padded[3:] for v in row)
              and len(padded) == 5)


# ---- The page without JavaScript ----

class Tables(html.parser.HTMLParser):
    """Numbers of tables, by their data-matrix, and places of one value, by their data-value; as written in the file."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.values, self.matrix, self.place, self.is_cell = {}, {}, None, None, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table" and "data-matrix" in attributes:
            self.matrix = []
            self.tables.setdefault(attributes["data-matrix"], []).append(self.matrix)
        elif tag == "tr" and self.matrix is not None:
            self.matrix.append([])
        self.is_cell = tag == "td"
        self.place = attributes.get("data-value")

    def handle_data(self, text):
        if self.place:
            self.values[self.place] = text.strip("()").replace("−", "-")
        elif self.is_cell and self.matrix:
            self.matrix[-1].append(text.replace("−", "-"))

    def handle_endtag(self, tag):
        self.is_cell, self.place = False, None
        if tag == "table":
            self.matrix = None

    def near(self, name, matrix, tolerance):
        """Wherever the page has it."""
        for table in self.tables[name]:
            near(f"without a script: {name}", [[float(cell) for cell in row] for row in table], matrix, tolerance)


def check_static(text, data, t):
    """"I ride bike" as the file has it, and sums of the numbers that the page shows there."""
    toy, shown = data["toy"], Tables(text)
    words = toy["sentences"][0]["words"]
    states, maps, steps = toy_model.run(t, embedding(toy, t, "sinusoidal/10000/2/full", words), toy["heads"], False)
    D, K, at = toy["width"], toy["head_width"], 0.005 + 1e-4
    qkv, heads, summed, normed, middle, sum2 = steps[0]
    q, k, v = ([row[part * D:part * D + K] for row in qkv] for part in range(3))
    scores = [[sum(a * b for a, b in zip(x, y)) for y in k] for x in q]
    mean = [sum(column) / len(words) for column in zip(*states[-1])]
    expected = {
        "embedded": states[0], "x": states[0], "out": states[1], "first": states[1], "last": states[-1],
        "before": states[-1], "moments": states[-1], "q": q, "k": k, "v": v, "scores": scores, "heads": heads,
        "scaled": [[score / math.sqrt(K) for score in row] for row in scores], "weights": maps[0],
        "head": [row[:K] for row in heads], "sum": summed, "normed": normed, "middle": middle, "sum2": sum2,
        "output": [[a - b for a, b in zip(*rows)] for rows in zip(summed, states[0])],
        "fed": [[a - b for a, b in zip(*rows)] for rows in zip(sum2, normed)],
        "wq": t["layers.0.attention.qkv.weight"][:K], "wo": t["layers.0.attention.output.weight"],
        "toy.table": t["embedding.token.weight"], "ids": [[toy["words"].index(word)] for word in words],
        "pools": [mean, toy_model.pool(states[-1])],
        "share": [[s, math.exp(s), w] for s, w in zip([s / math.sqrt(K) for s in scores[1]], maps[0][1])],
    }
    for name, matrix in expected.items():
        shown.near(name, matrix, at)
    single = {
        "mean.{query}": sum(summed[1]) / D, "length": math.hypot(*mean), "mean_vector.0": mean[0],
        "variance.{query}": sum((x - sum(summed[1]) / D) ** 2 for x in summed[1]) / D,
        "shareSum": sum(math.exp(s / math.sqrt(K)) for s in scores[1]), "differences.none": 0,
    }
    for name, number in single.items():
        near(f"without a script: {name}", float(shown.values[name]), number, at)
    check_static_weights(shown, data["default"])


def check_static_weights(shown, weights):
    T, L, H, S = (len(weights["sentences"][0]["tokens"][0]), weights["layers"], weights["heads"], weights["layers_shown"])
    def read(name):
        return Reader(weights[name]["runs"]["model/full"], weights[name]["per_one"])
    maps = read("attention").take(6, S, H, T, T)
    shown.near("model.first_map", maps[0][0][0], 0.0051)
    shown.near("model.back_map", maps[5][0][0], 0.0051)
    shown.near("model.norms", read("norms").take(L + 1, T), 0.051)
    shown.near("model.moved", read("moves").take(L, T), 0.051)
    shown.near("model.orders", list(zip(*(weights["cosines"][f"{name}/full"][:6] for name in ("model", "none")))), 0.00051)


def check_schemes(schemes, model, programs):
    rows, columns = schemes["rows"], schemes["columns"]
    for key, packed in schemes["tables"].items():
        scheme, _, base = key.partition("/")
        table = None
        if scheme == "learned":
            lines = ask(f"{programs}/encode-plot", "position", "-m", model, "-n", str(rows), "-f", "data").splitlines()
            table = [[float(v) for v in line.split("\t")[1:]] for line in lines if line[:1] != "#"][1:]
        expected = [toy_model.place(scheme, float(base or 0), p, columns, rows, rows, table) for p in range(rows)]
        near(f"schemes of {key}", unpack(packed, schemes["per_one"]), expected, HALF_STEP + 1e-6)


# ---- The weights ----

def check_weights(weights, model, programs):
    L, H, shown = weights["layers"], weights["heads"], weights["layers_shown"]
    check("heads of all layers are shown, or of so many that the page stays small", shown == L or shown * H <= 40)
    readers = {name: {key: Reader(packed, weights[name]["per_one"]) for key, packed in weights[name]["runs"].items()}
               for name in ("attention", "norms", "moves")}
    for key in readers["attention"]:
        position, mask = key.split("/")
        options = ["-m", model, "--position", position, "--mask", mask]
        cosines = iter(weights["cosines"][key])
        for sentence in weights["sentences"]:
            texts = [" ".join(sentence["words"][i] for i in order) for order in sentence["orders"]]
            for o, text in enumerate(texts):
                tokens = sentence["tokens"][o]
                check_text(f"{key}, {text}", options, tokens, text, [readers[name][key] for name in readers], (L, H, shown),
                           programs, is_sample=o in (0, 4))
                near(f"{key}, {text}: cosine", next(cosines), cosine(options, texts[0], text, programs), 2e-5)
        check(f"{key}: nothing more", all(readers[name][key].is_empty() for name in readers))


def check_text(what, options, tokens, text, readers, counts, programs, is_sample):
    attention, norms, moves = readers
    (L, H, shown), T = counts, len(tokens)
    maps = attention.take(shown, H, T, T)
    near(f"{what}: rows of attention", [sum(row) for layer in maps for head in layer for row in head],
         [1] * (shown * H * T), T * HALF_STEP)
    if "causal" in options:
        check(f"{what}: nothing looks ahead", all(row[j] == 0 for layer in maps for head in layer
                                                  for i, row in enumerate(head) for j in range(i + 1, T)))
    lengths, distances = norms.take(L + 1, T), moves.take(L, T)
    if not is_sample:
        return
    drawn = ask(f"{programs}/encode-plot", "attention", *options, "--layer", str(shown), "--head", str(H), "-f", "data", text)
    rows = [line.split("\t")[1:] for line in drawn.splitlines() if line and line[:2] != "# "][1:]
    near(f"{what}: the last map", maps[-1][-1], [[float(v) for v in row] for row in rows], HALF_STEP + 1e-6)
    vectors = json.loads(ask(f"{programs}/encode", *options, "-p", "none", "-f", "json", text))["vectors"]
    near(f"{what}: norms", lengths[-1], [math.hypot(*vector) for vector in vectors], HALF_STEP + 1e-5)
    drawn = ask(f"{programs}/encode-plot", "layers", *options, "-f", "data", text)
    rows = [line.split("\t")[1:] for line in drawn.splitlines() if line and line[:2] != "# "][1:]
    near(f"{what}: moves", distances, [[float(v) for v in row] for row in rows], HALF_STEP + 1e-5)


def cosine(options, a, b, programs):
    answer = json.loads(ask(f"{programs}/encode-compare", "similarity", *options, "-f", "json", a, b))
    return answer["similarity"][0][1]


# ---- Words in the plane ----

def gram_of(rows):
    """Products of all pairs of rows around their mean."""
    centre = [sum(column) / len(rows) for column in zip(*rows)]
    rows = [[v - c for v, c in zip(row, centre)] for row in rows]
    return [[sum(a * b for a, b in zip(p, q)) for q in rows] for p in rows]


def times(gram, x):
    return [sum(g * v for g, v in zip(row, x)) for row in gram]


def largest_value(gram):
    """By power iteration, which never comes to more than it is."""
    u = [math.sin(1 + i) for i in range(len(gram))]
    for _ in range(300):
        u = times(gram, u)
        length = math.hypot(*u)
        u = [v / length for v in u]
    return length


def check_components(what, points, gram):
    """The points' x, and then their y, are the coordinates on the widest axis that is left: G·x = |x|²·x."""
    for axis in "xy":
        x = [point[axis] for point in points]
        value = sum(v * v for v in x)
        near(f"{what}, {axis}", times(gram, x), [value * v for v in x], 1e-3 * value * max(map(abs, x)))
        check(f"{what}: {axis} is the widest axis", largest_value(gram) <= value * 1.001)
        gram = [[g - a * b for g, b in zip(row, x)] for row, a in zip(gram, x)]


def check_plane(plane, weights, model, programs):
    own = "model" if weights["position"] != "none" else "sinusoidal"
    options = {"without positions": ["--position", "none"], "1 : 1": ["--position", own],
               "1 : 10": ["--position", own, "--position-scale", "10"],
               "10 : 1": ["--position", own, "--embedding-scale", "10"]}
    check("planes", [picture["label"] for picture in plane] == list(options))
    for picture in plane:
        drawn = ask(f"{programs}/encode-plot", "steps", "-m", model, "-f", "data", *options[picture["label"]],
                    *picture["texts"])
        rows = [line.split("\t") for table in drawn.split("# table ")[1:] if table.splitlines()[0].endswith(": embedding")
                for line in [line for line in table.splitlines()[1:] if line and line[:2] != "# "][1:]]
        rows = [row for row in rows if row[0] not in ("[CLS]", "[SEP]")]
        points = picture["points"][0] + picture["points"][1]
        what = f"plane {picture['label']}"
        check(f"{what}: words", [p["word"] for p in points] == [row[0] for row in rows])
        check_components(what, points, gram_of([[float(v) for v in row[1:]] for row in rows]))


# ---- All steps ----

def check_sources(sources, tree):
    for key, source in sources.items():
        path, line = source["at"].rsplit(":", 1)
        lines = open(os.path.join(tree, path), encoding="utf-8").read().splitlines()
        following = " ".join(text.strip() for text in lines[int(line) - 1:][:5]) + " "
        check(f"source of {key}: {source['at']}", following.startswith(source["text"] + " "))


def main(page, programs, tree, model=None):
    text = open(page, encoding="utf-8").read()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    model = model or os.path.join(tree, "weights", "default.weights")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        subprocess.run(["bash", "-c", data["toy"]["command"]], cwd=folder, env=environment, check=True,
                       stderr=subprocess.DEVNULL)
        t = toy_model.tensors(f"{programs}/encode-inspect", f"{folder}/toy.weights")
        check_toy(data["toy"], t, programs, folder)
        check_static(text, data, t)
    check_schemes(data["schemes"], model, programs)
    check_weights(data["default"], model, programs)
    check_plane(data["plane"], data["default"], model, programs)
    check_sources(data["sources"], tree)
    print(f"{n_passed} passed, {n_failed} failed")
    return n_failed > 0


sys.exit(main(*sys.argv[1:]))
