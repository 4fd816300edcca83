"""A pytorch_model.bin of a model.safetensors, without torch: torch_file.py IN OUT [--transpose] [--parameters]

Python's own pickle and zipfile write what torch.save writes (torch/serialization.py of pytorch/pytorch), for
tests/tools/torch/test_torch_file.c. --transpose: matrices stored column by column; --parameters: each tensor is wrapped
by _rebuild_parameter, as in state_dict(keep_vars=True).
"""
import argparse
import collections
import io
import json
import pickle
import struct
import sys
import types
import zipfile

STORAGES = {"F32": "FloatStorage", "F16": "HalfStorage", "BF16": "BFloat16Storage", "I64": "LongStorage"}
BYTES = {"F32": 4, "F16": 2, "BF16": 2, "I64": 8}


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    for key, value in members.items():
        value.__module__, value.__qualname__, value.__name__ = name, key, key
        setattr(sys.modules[name], key, value)


class Storage:
    def __init__(self, key, dtype, data):
        self.key, self.dtype, self.data = key, dtype, data


class Call:
    """Is pickled as the call of a function of torch."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        n = len(value.data) // BYTES[value.dtype]
        return "storage", getattr(sys.modules["torch"], STORAGES[value.dtype]), value.key, "cpu", n


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])]) for name, t in header.items()}


def transposed(data, rows, cols, n_bytes):
    at = [data[i:i + n_bytes] for i in range(0, len(data), n_bytes)]
    return b"".join(at[r * cols + c] for c in range(cols) for r in range(rows))


def describe(key, dtype, shape, data, options):
    strides = [1] * len(shape)
    for i in range(len(shape) - 1, 0, -1):
        strides[i - 1] = strides[i] * shape[i]
    if options.transpose and len(shape) == 2:
        strides, data = [1, shape[0]], transposed(data, *shape, BYTES[dtype])
    storage = Storage(str(key), dtype, data)
    tensor = Call(sys.modules["torch._utils"]._rebuild_tensor_v2, storage, 0, tuple(shape), tuple(strides), False,
                  collections.OrderedDict())
    if options.parameters:
        tensor = Call(sys.modules["torch._utils"]._rebuild_parameter, tensor, True, collections.OrderedDict())
    return storage, tensor


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--transpose", action="store_true")
    parser.add_argument("--parameters", action="store_true")
    options = parser.parse_args()
    module("torch", **{name: type(name, (), {}) for name in STORAGES.values()})
    module("torch._utils", _rebuild_tensor_v2=lambda *_: None, _rebuild_parameter=lambda *_: None)
    storages, state = [], collections.OrderedDict()
    for key, (name, tensor) in enumerate(read_safetensors(options.input).items()):
        storage, state[name] = describe(key, *tensor, options)
        storages.append(storage)
    state._metadata = collections.OrderedDict([("", {"version": 1})])
    text = io.BytesIO()
    Pickler(text, protocol=2).dump(state)
    with zipfile.ZipFile(options.output, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", text.getvalue())
        archive.writestr("archive/byteorder", "little")
        for storage in storages:
            archive.writestr("archive/data/" + storage.key, storage.data)
        archive.writestr("archive/version", "3\n")


if __name__ == "__main__":
    main()
