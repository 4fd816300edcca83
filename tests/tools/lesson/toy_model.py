"""The toy model of the lesson once more, in plain loops and double precision: its numbers from the weight file, places
by their formulas, and a pass through its layers. Nothing here is shared with what makes the page."""
import json
import math
import struct
import subprocess


def tensors(encode_inspect, path):
    """Name -> list of rows, of a file whose tensors are float32 rows."""
    found = {}
    data = open(path, "rb").read()
    for tensor in json.loads(subprocess.check_output([encode_inspect, "-f", "json", path]))["tensors"]:
        shape = tensor["shape"]
        numbers = struct.unpack_from(f"<{math.prod(shape)}f", data, tensor["offset"])
        width = shape[1] if len(shape) > 1 else 1
        rows = [list(numbers[i:i + width]) for i in range(0, len(numbers), width)]
        found[tensor["name"]] = rows if len(shape) > 1 else [row[0] for row in rows]
    return found


def place(scheme, base, p, width, n_tokens, period, table):
    """Row p of what is added, before W2."""
    def column(i):
        if scheme == "sinusoidal":
            angle = p / base ** (i // 2 * 2 / width)
            return math.cos(angle) if i % 2 else math.sin(angle)
        if scheme == "fourier":
            angle = 2 * math.pi * (i // 2 + 1) * p / period
            return math.cos(angle) if i % 2 else math.sin(angle)
        return {"none": lambda: 0.0, "learned": lambda: table[p][i], "index": lambda: p / n_tokens,
                "binary": lambda: float(p >> i & 1), "exponential": lambda: math.exp(-p / base ** (i / width))}[scheme]()
    return [column(i) for i in range(width)]


def product(rows, weight, bias):
    """x·Wᵀ + b"""
    return [[sum(a * b for a, b in zip(x, w)) + c for w, c in zip(weight, bias)] for x in rows]


def plus(a, b):
    return [[x + y for x, y in zip(p, q)] for p, q in zip(a, b)]


def norm(rows, gamma, beta, eps):
    out = []
    for x in rows:
        mean = sum(x) / len(x)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + eps)
        out.append([(v - mean) / deviation * g + b for v, g, b in zip(x, gamma, beta)])
    return out


def attend(q, k, v, is_causal):
    """Weights [T][T], and their sums of the values."""
    weights = []
    for i, query in enumerate(q):
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in k]
        seen = scores[:i + 1] if is_causal else scores
        exps = [math.exp(s - max(seen)) for s in seen] + [0.0] * (len(scores) - len(seen))
        weights.append([e / sum(exps) for e in exps])
    return weights, [[sum(w * value[c] for w, value in zip(row, v)) for c in range(len(v[0]))] for row in weights]


def pool(rows):
    mean = [sum(column) / len(rows) for column in zip(*rows)]
    length = math.sqrt(sum(v * v for v in mean))
    return [v / length for v in mean]


def run(t, x, n_heads, is_causal, eps=1e-5):
    """States and maps as in toy.grid, and for each layer the steps as in toy.steps."""
    states, maps, steps = [x], [], []
    width, k = len(x[0]), len(x[0]) // n_heads
    n_layers = sum(name.endswith("attention.qkv.weight") for name in t)
    for layer in range(n_layers):
        def of(part, name=f"layers.{layer}."):
            return t[name + part]
        qkv = product(x, of("attention.qkv.weight"), of("attention.qkv.bias"))
        heads = [[] for _ in x]
        for h in range(n_heads):
            q, key, v = ([row[part * width + h * k:part * width + (h + 1) * k] for row in qkv] for part in range(3))
            weights, out = attend(q, key, v, is_causal)
            maps.append(weights)
            heads = [row + more for row, more in zip(heads, out)]
        total = plus(x, product(heads, of("attention.output.weight"), of("attention.output.bias")))
        normed = norm(total, of("attention.norm.weight"), of("attention.norm.bias"), eps)
        middle = [[max(v, 0.0) for v in row]
                  for row in product(normed, of("feed_forward.in.weight"), of("feed_forward.in.bias"))]
        total2 = plus(normed, product(middle, of("feed_forward.out.weight"), of("feed_forward.out.bias")))
        x = norm(total2, of("feed_forward.norm.weight"), of("feed_forward.norm.bias"), eps)
        states.append(x)
        steps.append([qkv, heads, total, normed, middle, total2])
    return states, maps, steps
