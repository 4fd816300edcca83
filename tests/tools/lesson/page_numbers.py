"""What the lesson page must show, by a second reading of the packed numbers in its JSON."""

import base64
import math


def unpack(text, per_one):
    raw = base64.b64decode(text)
    return [
        (int.from_bytes(raw[i : i + 3], "big") - 8388608) / per_one for i in range(0, len(raw), 3)
    ]


def rows(numbers, n_rows, n_columns):
    """Takes a matrix off the front of a list."""
    return [[numbers.pop(0) for _ in range(n_columns)] for _ in range(n_rows)]


def columns(matrix, begin, n):
    return [row[begin : begin + n] for row in matrix]


def has_base(position):
    return position in ("sinusoidal", "exponential")


class Numbers:
    """The numbers of one state of the page's controls."""

    def __init__(self, data):
        self.toy, self.model = data["toy"], data["default"]
        self.unpacked = {}

    def _part(self, group, key, at, n):
        name = (id(group), key)
        if name not in self.unpacked:
            self.unpacked[name] = unpack(group["runs"][key], group["per_one"])
        return self.unpacked[name][at : at + n]

    def key(self, state):
        mask = "full" if state["mask"] == "padding" else state["mask"]
        if state["position"] == "none":
            return f"none/-/{self.toy['default']['ratio']}/{mask}"
        base = self.toy["bases"][state["base"]] if has_base(state["position"]) else "-"
        return f"{state['position']}/{base}/{state['ratio']}/{mask}"

    def toy_tables(self, state):
        """Matrices by the names that the page gives them."""
        toy, key = self.toy, self.key(state)
        D, L, H = toy["width"], toy["layers"], toy["heads"]
        F, K, T = toy["feed_forward"], toy["head_width"], 3
        run = state["sentence"] * 6 + state["order"]
        n = (L + 1) * T * D + L * H * T * T + D
        numbers = self._part(toy["grid"], key, run * n, n)
        states = [rows(numbers, T, D) for _ in range(L + 1)]
        maps = [[rows(numbers, T, T) for _ in range(H)] for _ in range(L)]
        pooled = numbers
        n = T * (7 * D + F)
        steps = self._part(toy["steps"], key, (run * L + state["layer"]) * n, n)
        qkv = rows(steps, T, 3 * D)
        q, k, v = (columns(qkv, part * D + state["head"] * K, K) for part in range(3))
        scaled = [[sum(a * b for a, b in zip(x, y)) / math.sqrt(K) for y in k] for x in q]
        tables = {
            "embedded": states[0],
            "x": states[state["layer"]],
            "out": states[state["layer"] + 1],
            "first": states[1],
            "last": states[L],
            "q": q,
            "k": k,
            "v": v,
            "scaled": scaled,
            "heads": rows(steps, T, D),
            "sum": rows(steps, T, D),
            "normed": rows(steps, T, D),
            "middle": rows(steps, T, F),
            "sum2": rows(steps, T, D),
        }
        tables["head"] = columns(tables["heads"], state["head"] * K, K)
        tables["pools"] = [[sum(column) / T for column in zip(*states[L])], pooled]
        tables["token"], tables["place"] = self._summands(state)
        tables["weights"] = self._padded(state, maps[state["layer"]][state["head"]], 0)
        tables["masked"] = self._padded(
            state,
            [
                [score if self.sees(state, i, j) else -math.inf for j, score in enumerate(row)]
                for i, row in enumerate(scaled)
            ],
            -math.inf,
        )
        return tables

    @staticmethod
    def sees(state, query, key):
        return state["mask"] != "causal" or key <= query

    @staticmethod
    def _padded(state, matrix, value):
        if state["mask"] != "padding":
            return matrix
        return [row + [value] for row in matrix] + [[value] * 4]

    def _summands(self, state):
        toy, position = self.toy, state["position"]
        ratio = toy["ratios"][toy["default"]["ratio"] if position == "none" else state["ratio"]]
        sentence = toy["sentences"][state["sentence"]]
        words = [sentence["words"][word] for word in sentence["orders"][state["order"]]]
        token = [
            [ratio["w1"] * value for value in toy["table"][toy["words"].index(word)]]
            for word in words
        ]
        if position == "none":
            return token, [[0] * toy["width"]] * 3
        name = f"{position}/{toy['bases'][state['base']]}" if has_base(position) else position
        return token, [
            [ratio["w2"] * value for value in row] for row in toy["place_rows"][name][:3]
        ]

    def largest_difference(self, state, order):
        begin = (state["sentence"] * 6 + order) * 3
        return max(self.toy["differences"][self.key(state)][begin : begin + 3])

    def map_of_trained(self, state, order):
        """Attention of the chosen layer and head of the trained model."""
        model, sentence = self.model, state["sentence"]
        lengths = [len(other["tokens"][0]) for other in model["sentences"]]
        n_maps = model["layers_shown"] * model["heads"]
        at = sum(6 * n_maps * length**2 for length in lengths[:sentence])
        T = lengths[sentence]
        at += (order * n_maps + state["modelLayer"] * model["heads"] + state["modelHead"]) * T * T
        mask = "causal" if state["mask"] == "causal" else "full"
        key = f"{'none' if state['position'] == 'none' else 'model'}/{mask}"
        return rows(self._part(model["attention"], key, at, T * T), T, T)
