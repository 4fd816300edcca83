"""Compares what clients received with what the command prints, number by number: both are float32.

python check.py EXPECTED <LINES     EXPECTED: a file of JSON, of values by kind; LINES: of uses.mjs and uses.py
"""

import base64
import json
import pathlib
import struct
import sys


def floats(value):
    """The value with each number as the bytes of a float32: clients widen to 64 bits what base64 holds in 32."""
    if isinstance(value, list):
        return [floats(item) for item in value]
    return struct.pack("<f", value) if isinstance(value, (int, float)) else value


def agrees(kind, value, expected):
    if kind.startswith("error"):  # the client's own, with the status where the client shows it
        return (
            isinstance(value, list)
            and len(value) == 2
            and isinstance(value[1], str)
            and len(value[1]) > 10
            and value[0] in (int(kind.split()[1]), None)
            and "JSON" not in value[1]
        )
    if kind == "text":
        return isinstance(value, str) and value != ""
    if kind == "base64":
        return value == [base64.b64encode(b"".join(row)).decode() for row in floats(expected["all"])]
    if kind == "ubinary":
        bits = ["".join("01"[number > 0] for number in row) for row in expected["all"]]
        return value == [[int(row[i : i + 8], 2) for i in range(0, len(row), 8)] for row in bits]
    return kind in expected and floats(value) == floats(expected[kind])


expected = json.loads(pathlib.Path(sys.argv[1]).read_text())
n_passed = n_failed = 0
absent = []
for line in sys.stdin:
    result = json.loads(line)
    if result["kind"] == "absent":
        absent.append(result["name"])
    elif agrees(result["kind"], result.get("value"), expected):
        n_passed += 1
    else:
        n_failed += 1
        print(f"FAILED: {result['name']}: {result['kind']}: received {str(result.get('value'))[:300]}")
        print(f"  expected {str(expected.get(result['kind'], ''))[:200]}")
if absent:
    print(f"skipped: {', '.join(absent)} (sh tools/setup.sh serve)")
print(f"{n_passed} passed, {n_failed} failed, {len(absent)} skipped")
sys.exit(n_failed != 0)
