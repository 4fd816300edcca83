"""Texts, pairs and token ids of Python as an array of engine_input."""

from __future__ import annotations

import numpy as np

from ._library import engine_input, engine_result

_DTYPE = np.dtype([(name, np.uintp) for name, _ in engine_input._fields_])  # pointers and counts


class Inputs:
    """An array of engine_input, as an argument of the library, and the memory that it points to."""

    def __init__(self, n: int):
        self.array = np.zeros(n, _DTYPE)
        self.results = np.empty(n, np.dtype(engine_result))
        self.n_bytes = 0  # of all texts: how much work they are
        self.kept = []

    def __len__(self):
        return len(self.array)

    @property
    def _as_parameter_(self):
        return self.array.ctypes

    def __getitem__(self, rows: slice) -> Inputs:
        """Returns some of the inputs, which share this memory."""
        result = Inputs(0)
        result.array, result.results, result.kept = self.array[rows], self.results[rows], self.kept
        result.n_bytes = int(result.array["text_len"].sum())
        return result

    def set_texts(self, column: str, rows, texts: list) -> None:
        """Points `column` ("text" or "pair") of these rows to the UTF-8 of texts."""
        whole = "".join(texts)
        if whole.isascii():
            lengths, data = map(len, texts), whole.encode() + b"\0"
        else:
            parts = list(map(utf8, texts))
            lengths, data = map(len, parts), b"".join(parts) + b"\0"
        lengths = np.fromiter(lengths, np.uintp, len(texts))
        ends = np.cumsum(lengths, dtype=np.uintp)
        memory = np.frombuffer(data, np.uint8)
        self.array[column][rows] = memory.ctypes.data + (ends - lengths)
        self.array[column + "_len"][rows] = lengths
        self.n_bytes += len(data)
        self.kept.append(memory)

    def set_ids(self, row: int, item: dict, where: str) -> None:
        """Points ids, types and mask of one row to arrays of the item's."""
        n_ids = len(item["ids"])
        for key, kind in (("ids", np.int32), ("types", np.int32), ("mask", np.bool_)):
            if item.get(key) is None:
                continue
            given = np.asarray(item[key])
            values = np.ascontiguousarray(given.astype(kind))
            if values.shape != (n_ids,) or (values != given).any():
                raise ValueError(f"{where}: {key!r} must be {n_ids} integers, one for each id")
            self.array[key][row] = values.ctypes.data
            self.kept.append(values)
        self.array["n_ids"][row] = n_ids
        self.n_bytes += 4 * n_ids


def utf8(text: str) -> bytes:
    """Returns the bytes of a text. Those of lone surrogates are invalid UTF-8, which the library reads as U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def dict_of(item, where: str) -> dict:
    """Returns a text, a pair of texts or token ids as a dict."""
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, (list, tuple)) and len(item) == 2:
        return {"text": item[0], "pair": item[1]}
    if not isinstance(item, dict):
        raise TypeError(f"{where} is of type {type(item).__name__}: give a str, a pair of them or a dict")
    return {key: value for key, value in item.items() if value is not None}


def inputs_of(items: list, first: int = 0, name: str = "sentences") -> Inputs:
    """Returns the inputs of items: texts, or dicts as in lines of encode --input jsonl, {"text": ..., "pair": ...} or
    {"ids": ..., "types": ..., "mask": ...}. Errors count items from first."""
    inputs = Inputs(len(items))
    if set(map(type, items)) <= {str, np.str_}:
        inputs.set_texts("text", slice(None), items)
        return inputs
    texts = {"text": {}, "pair": {}}
    for row, item in enumerate(items):
        where = f"{name}[{first + row}]"
        item = dict_of(item, where)
        allowed = {"ids", "types", "mask"} if "ids" in item else {"text", "pair"}
        if not set(item) <= allowed or not set(item) & {"ids", "text"}:
            raise ValueError(f"{where} has the keys {list(item)}: give 'text' and 'pair', or 'ids', 'types' and 'mask'")
        if "ids" in item:
            inputs.set_ids(row, item, where)
        for column in set(item) & set(texts):
            if not isinstance(item[column], str):
                raise TypeError(f"{where}[{column!r}] is of type {type(item[column]).__name__}: give a str")
            texts[column][row] = item[column]
    for column, values in texts.items():
        if values:
            inputs.set_texts(column, list(values), list(values.values()))
    return inputs


def character_offsets(text: str, data: bytes) -> np.ndarray:
    """Returns, for each byte offset of data (text in UTF-8), the index of its character in text, [bytes + 1]."""
    if len(text) == len(data):
        return np.arange(len(data) + 1)
    starts = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    return np.concatenate(([0], np.cumsum(starts)))
