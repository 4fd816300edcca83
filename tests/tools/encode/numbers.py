"""The numbers that encode writes: JSON and CSV have the bits of .npy, each --type has what it should of the float32 rows,
NumPy reads the arrays, and archives are as SciPy reads them. tests/cli/ has what the programs print."""
import csv
import io
import json
import math
import os
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from programs import Skipped, run, run_tests  # noqa: E402

TEXTS = "'I ride bike' dog 'the cat'"
WIDTHS = (8, 1, 3, 7)  # columns of the toy model: as many as fill bytes, one, and others


def array(data, descr, shape):
    """What follows the header of an array of NumPy's, which names this type and shape."""
    words = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape}), }}"
    assert data[:128] == b"\x93NUMPY\x01\x00\x76\x00" + f"{words:<117}\n".encode(), data[:128]
    return data[128:]


def floats(text, n_rows, width):
    data = array(run(f"encode -p none -f npy {text}").stdout, "'<f4'", f"{n_rows}, {width}")
    return list(struct.iter_unpack(f"<{width}f", data))


def typed(kind, width, descr, shape):
    """The float32 rows of TEXTS, cut to `width` columns, and the bytes that --type writes for them."""
    cut = f"-p mean --dimensions {width} {TEXTS}"
    return floats(cut, 3, width), array(run(f"encode -p none -f npy --type {kind} {cut}").stdout, descr, shape)


def f32(number):
    return struct.unpack("<f", struct.pack("<f", float(number)))[0]


def test_json_numbers_are_the_same_bits():
    lines = [json.loads(line) for line in run("encode -f json 'I ride bike' dog").stdout.decode().splitlines()]
    found = [tuple(map(f32, row)) for line in lines for row in line["vectors"]]
    assert found == floats("'I ride bike' dog", 8, 8)


def test_csv_numbers_are_the_same_bits():
    text = run("encode -p max -f csv 'I ride bike' dog").stdout.decode()
    assert text.startswith("index,text,pair,v0,v1,v2,v3,v4,v5,v6,v7\r\n0,I ride bike,,") and text.count("\r\n") == 3
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [tuple(map(f32, row[3:])) for row in rows] == floats("-p max 'I ride bike' dog", 2, 8)


def nearest_half(value):
    """The nearest number of 10 bits after the point, or the nearest multiple of 2^-24."""
    exponent = math.frexp(value)[1]
    unit = math.ldexp(1, -24 if exponent < -13 else exponent - 11)
    return round(value / unit) * unit


def test_f16_is_the_nearest():
    for width in WIDTHS:
        rows, data = typed("f16", width, "'<f2'", f"3, {width}")
        assert list(struct.iter_unpack(f"<{width}e", data)) == [tuple(map(nearest_half, row)) for row in rows]


def test_int8_has_a_scale_for_each_row():
    for width in WIDTHS:
        rows, data = typed("int8", width, f"[('scale', '<f4'), ('values', '|i1', ({width},))]", "3,")
        for row, (scale, *values) in zip(rows, struct.iter_unpack(f"<f{width}b", data), strict=True):
            assert scale == f32(max(map(abs, row)) / 127)
            assert all(abs(x - scale * q) <= 0.5001 * scale for x, q in zip(row, values))  # half a step, and roundings


def test_binary_has_signs():
    for width in WIDTHS:
        n = (width + 7) // 8
        rows, data = typed("binary", width, "'|u1'", f"3, {n}")
        for i, row in enumerate(rows):
            bits = "".join(f"{byte:08b}" for byte in data[i * n:(i + 1) * n])
            assert bits == "".join("01"[x > 0] for x in row).ljust(8 * n, "0")


NUMPY = """
import numpy as np
for d in 8, 1, 3, 7:
    f32, f16, int8, bits = (np.load(f'{d}.{t}.npy') for t in ('f32', 'f16', 'int8', 'binary'))
    assert f32.shape == (4, d) and f16.dtype == np.float16
    assert np.array_equal(f16, f32.astype(np.float16))
    assert np.array_equal(bits, np.packbits(f32 > 0, axis=-1))
    assert int8.dtype == [('scale', '<f4'), ('values', 'i1', (d,))]
    scale = (abs(f32).max(axis=1) / np.float32(127)).astype(np.float32)
    assert np.array_equal(int8['scale'], scale)
    exact = f32.astype(float) / np.where(scale == 0, 1, scale)[:, None]
    assert (abs(int8['values'] - exact) < 0.5001).all()
assert np.load('tokens.npy')['values'].shape == (3, 6, 8)
"""


def test_numpy_agrees():
    """Its own reading and rounding; Debian's Python has Debian's NumPy."""
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode:
        raise Skipped("numpy is not here")
    for width in WIDTHS:
        for kind in ("f32", "f16", "int8", "binary"):
            run(f"encode -p mean -f npy --type {kind} --dimensions {width} -o {width}.{kind}.npy {TEXTS} ''")
    run(f"encode --type int8 --pad-to 6 -f npy -o tokens.npy {TEXTS}")
    subprocess.run([python, "-c", NUMPY], check=True)


def test_weights_as_a_csr_matrix():
    """The arrays that scipy.sparse.load_npz reads: weights of each text in the order of ids; sizes have 64 bits."""
    archive = run("encode -m lexical.emb -p sparse -f npz 'cat dog' bad dog").stdout
    expected = {"data": ("'<f4'", "3,", struct.pack("<3f", 2, 0.5, 2)), "indices": ("'<i4'", "3,", struct.pack("<3i", 4, 5, 4)),
                "indptr": ("'<i8'", "4,", struct.pack("<4q", 0, 2, 2, 3)), "shape": ("'<i8'", "2,", struct.pack("<2q", 3, 14)),
                "format": ("'|S3'", "", b"csr")}
    with zipfile.ZipFile(io.BytesIO(archive)) as file:  # which checks checksums and the directory
        assert sorted(file.namelist()) == sorted(f"{name}.npy" for name in expected) and file.testzip() is None
        for name, (descr, shape, data) in expected.items():
            entry = file.getinfo(f"{name}.npy")
            assert array(file.read(entry), descr, shape) == data, name
            extra = archive[entry.header_offset + 30 + len(entry.filename):]
            assert struct.unpack("<HHQQ", extra[:20]) == (1, 16, entry.file_size, entry.file_size)
    end, whole = archive[-22:], struct.unpack("<Q", archive[-34:-26])[0]
    assert end[:4] == b"PK\x05\x06" and struct.unpack("<H", end[10:12]) == (5,)
    assert archive[whole:whole + 4] == b"PK\x06\x06" and struct.unpack("<Q", archive[whole + 32:whole + 40]) == (5,)


run_tests(globals())
