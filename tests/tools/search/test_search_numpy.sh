#!/usr/bin/env bash
# encode-search against NumPy: arrays of each type that NumPy itself wrote, the best rows by NumPy's own arithmetic in
# float64, and archives as np.savez and scipy write them.
#
# Guarantee: encode-search finds what NumPy finds, in arrays that NumPy wrote.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo 'skipped: NumPy is not here'
    exit 77
fi
cd "$folder" || exit 1
export ENCODE_MODEL=$tree/weights/default.weights
queries=('a man rides a bike' 'stocks fell today' 'the dog')
printf '%s\n' "${queries[@]}" >queries
"$programs/encode" -p model -f npy -o queries.npy <queries 2>err

cat >make.py <<'END'
import numpy as np
rng = np.random.default_rng(3)
n, width = 2000, np.load("queries.npy").shape[1]
rows = rng.standard_normal((n, width)).astype(np.float32)
rows[100:200] += 2 * np.load("queries.npy")[rng.integers(0, 3, 100)]
rows[7] = 0
rows[12] = rows[11]                                     # ties
scale = np.abs(rows).max(axis=1) / np.float32(127)
int8 = np.zeros(n, dtype=[("scale", "<f4"), ("values", "i1", (width,))])
int8["scale"] = scale
int8["values"] = np.rint(rows / np.where(scale > 0, scale, 1)[:, None])
signs = np.where(rows > 0, 1, -1) / np.sqrt(width)
kinds = {
    "f32": (rows, rows),
    "f16": (rows.astype(np.float16), rows.astype(np.float16)),
    "int8": (int8, int8["scale"][:, None] * int8["values"].astype(np.float64)),
    "binary": (np.packbits(rows > 0, axis=1), signs),
}
for name, (array, values) in kinds.items():
    np.save(name + ".npy", array)
    np.save(name + ".values", values.astype(np.float64))
with open("version2.npy", "wb") as file:
    np.lib.format.write_array(file, rows, version=(2, 0))
np.save("version2.values", rows.astype(np.float64))
with open("loose.npy", "wb") as file:                   # as others may write the header
    header = b"{'shape': (2000,%d),'descr':\"<f2\" ,  'fortran_order':False}" % width
    file.write(b"\x93NUMPY\1\0\x76\0" + header.ljust(117) + b"\n" + rows.astype(np.float16).tobytes())
np.save("loose.values", rows.astype(np.float16).astype(np.float64))
np.save("fortran.npy", np.asfortranarray(rows))
np.save("double.npy", rows.astype(np.float64))
np.save("flat.npy", rows.ravel())
END
cat >compare.py <<'END'
import sys
import numpy as np
name, metric = sys.argv[1:]
values, queries = np.load(name + ".values.npy"), np.load("queries.npy").astype(np.float64)
scores = queries @ values.T
if metric == "cosine":
    norms = np.linalg.norm(values, axis=1)
    scores /= np.linalg.norm(queries, axis=1)[:, None] * np.where(norms > 0, norms, 1)
tolerance = 1e-6 * (1 if metric == "cosine" else np.abs(scores).max())
n = 0
for line in open("out"):
    query, _, row, rank, score, _ = line.split()
    query, row, rank = int(query) - 1, int(row) - 1, int(rank)
    best = np.sort(scores[query])[::-1]
    assert abs(scores[query, row] - float(score)) <= tolerance, line
    assert abs(best[rank - 1] - float(score)) <= tolerance, (line, best[rank - 1])
    n += 1
assert n == 3 * 25, n
END
run "$python" make.py
check 'NumPy writes the arrays' [ "$code" = 0 ]
for kind in f32 f16 int8 binary version2 loose; do
    for metric in cosine dot; do
        run "$programs/encode-search" -k 25 -f trec --metric $metric $kind.npy <queries
        check "$kind, $metric" [ "$code" = 0 ]
        check "$kind, $metric: as NumPy has it" "$python" compare.py $kind $metric 2>err
    done
done
run "$programs/encode-search" fortran.npy --query x
ends 'an array of columns' 1 'is in Fortran order'
run "$programs/encode-search" double.npy --query x
ends 'float64' 1 'holds "<f8"'
run "$programs/encode-search" flat.npy --query x
ends 'one dimension' 1 'is an array of 1 dimension'

# Sparse rows: some are empty, and in some ids are not sorted or are there twice, as in matrices of SciPy; more rows than
# are indexed at a time; weights below 0; the same rows at both ends.
export LC_ALL=C
"$programs/encode-new" -o lexical.weights --layers 0 --width 8 --heads 2 --set sparse=linear --set token_vectors=3 \
    --words "$(echo w{1..400})" 2>err
awk 'BEGIN { srand(2); for (q = 0; q < 14; q++) { line = "w7"
    for (i = 0; i < 20; i++) line = line " w" 1 + int(rand() * 400); print line } }' >asked
"$programs/encode" -m lexical.weights -p sparse -f npz -o asked.npz <asked 2>err
cat >sparse.py <<'END'
import sys
import numpy as np

def dense(path):
    m = np.load(path)
    rows = np.zeros(m["shape"])
    np.add.at(rows, (np.repeat(np.arange(len(rows)), np.diff(m["indptr"])), m["indices"]), m["data"].astype(np.float64))
    return rows

if sys.argv[1] == "make":
    rng, n, width = np.random.default_rng(4), 20000, np.load("asked.npz")["shape"][1]
    counts = rng.integers(0, 12, n)
    counts[-50:] = counts[:50]
    indptr = np.append(0, np.cumsum(counts))
    ids, data = rng.integers(0, width, indptr[-1]).astype(np.int32), rng.normal(0.5, 1, indptr[-1]).astype(np.float32)
    ids[-indptr[50]:], data[-indptr[50]:] = ids[:indptr[50]], data[:indptr[50]]
    parts = dict(data=data, indices=ids, indptr=indptr, shape=np.array([n, width]), format=np.array(b"csr"))
    np.savez("corpus.npz", **parts)
    for name, value in ("high", width), ("low", -1):
        np.savez(name + ".npz", **{**parts, "indices": np.where(np.arange(len(ids)) == 5, value, ids).astype(np.int32)})
    np.savez("columns.npz", **{**parts, "format": np.array(b"csc")})
    np.savez("long.npz", **{**parts, "indices": ids.astype(np.int64)})
    np.savez("infinite.npz", **{**parts, "data": np.where(np.arange(len(data)) == 5, np.inf, data).astype(np.float32)})
else:
    scores = (dense("asked.npz") @ dense("corpus.npz").T).astype(np.float32)
    hits = np.array([line.split() for line in open("out")], object).reshape(len(scores), -1, 6)
    found = hits[:, :, 2].astype(int) - 1
    ranked = np.take_along_axis(scores, found, 1)
    assert np.abs(ranked - hits[:, :, 4].astype(float)).max() <= 1e-6
    # All rows, in falling order; equal scores, such as those of the rows at both ends, in the order of rows.
    assert (np.sort(found, axis=1) == np.arange(scores.shape[1])).all() and scores.min() < 0
    assert ((np.diff(ranked) < 0) | ((np.diff(ranked) == 0) & (np.diff(found) > 0))).all()
END
run "$python" sparse.py make
check 'NumPy writes a sparse matrix' [ "$code" = 0 ]
for threads in 1 3; do
    run "$programs/encode-search" -m lexical.weights --threads $threads -k 20000 -f trec corpus.npz <asked
    check "sparse rows, $threads threads: as NumPy has it" "$python" sparse.py compare
done
run "$programs/encode-search" -m lexical.weights high.npz --query w1
ends 'an id above the columns' 1 'has ids that are not among its 401 columns'
run "$programs/encode-search" -m lexical.weights low.npz --query w1
ends 'an id below 0' 1 'has ids that are not among its 401 columns'
run "$programs/encode-search" -m lexical.weights infinite.npz --query w1
ends 'an infinite weight' 1 "data.npy in 'infinite.npz' has NaN or an infinity"
run "$programs/encode-search" -m lexical.weights columns.npz --query w1
ends 'a matrix by columns' 1 'is not a CSR matrix'
run "$programs/encode-search" -m lexical.weights long.npz --query w1
ends 'ids of 64 bits' 1 "indices.npy in 'long.npz' is \"<i8\" in 1 dimensions, expected \"<i4\""

# A matrix as scipy.sparse.save_npz writes it, and rows of tokens as encode -p colbert has them, by NumPy itself.
cat >archive.py <<'END'
import numpy as np
csr = dict(data=np.ones(3, np.float32), indices=np.array([1, 2, 1], np.int32), indptr=np.array([0, 2, 3]),
           shape=np.array([2, 6]), format=np.array(b"csr"))
np.savez("sparse.npz", **csr)
np.savez_compressed("compressed.npz", **csr)
np.save("tokens.npy", np.ones((5, 3), np.float32))
np.save("half.npy", np.ones((5, 3), np.float16))
END
run "$python" archive.py
run "$programs/encode-new" -o tokens.weights --layers 0 --width 8 --heads 2 --set token_vectors=3 --words x
printf '{"row": %d, "line": %d, "token": %d}\n' 0 1 0 1 1 1 2 3 0 3 3 1 4 3 2 >tokens.npy.rows.jsonl
cp tokens.npy.rows.jsonl half.npy.rows.jsonl
run "$programs/encode-search" -m tokens.weights -f json tokens.npy --query x
check 'vectors of tokens by np.save' [ "$code" = 0 ]
check 'their texts, by the first row of each' grep -q '"row": 0, "line": 1}.*"row": 2, "line": 3}]' out
run "$programs/encode-search" -m tokens.weights -f json half.npy --query x
check 'vectors of tokens in f16' [ "$code" = 0 ]
check 'their texts, by the first row of each' grep -q '"row": 0, "line": 1}.*"row": 2, "line": 3}]' out
run "$programs/encode-search" -m tokens.weights tokens.npy half.npy --query x
ends 'f32 beside f16' 1 'has rows of f16 vectors of tokens, 3 wide'

# Vectors of tokens of each type: MaxSim by NumPy of the numbers that the rows stand for.
cat >tokens.py <<'END'
import sys
import numpy as np
rows = np.load("typed.npy")
if rows.dtype.names:
    rows = rows["scale"][:, None] * rows["values"].astype(np.float64)
elif rows.dtype == np.uint8:
    width = np.load("asked.npy").shape[1]
    rows = np.where(np.unpackbits(rows, axis=1)[:, :width], 1, -1) / np.sqrt(width)
texts = np.cumsum([", \"token\": 0}" in line for line in open("typed.npy.rows.jsonl")]) - 1
best = np.full((len(np.load("asked.npy")), texts[-1] + 1), -np.inf)
np.maximum.at(best.T, texts, rows.astype(np.float64) @ np.load("asked.npy").T.astype(np.float64))
scores = best.sum(axis=0)
hits = [line.split("\t") for line in open("out")]
order = [int(hit[2]) - 1 for hit in hits]
assert sorted(order) == list(range(len(scores))) and len(scores) == 200
assert np.abs(scores[order] - [float(hit[3]) for hit in hits]).max() <= 2e-5
assert np.all(np.diff(scores[order]) <= 2e-5)
END
awk 'BEGIN { srand(8); for (t = 0; t < 200; t++) { line = "w1"; for (i = rand() * 60; i > 0; i--)
    line = line " w" 1 + int(rand() * 400); print line } }' >texts
"$programs/encode" -m lexical.weights -p colbert -f npy -o asked.npy "$(head -1 asked)" 2>err
for type in f32 f16 int8 binary; do
    "$programs/encode" -m lexical.weights -p colbert -f npy --type $type -o typed.npy <texts 2>err
    run "$programs/encode-search" -m lexical.weights -f tsv -k 200 typed.npy --query "$(head -1 asked)"
    check "MaxSim of $type: as NumPy has it" "$python" tokens.py
done
cat half.npy.rows.jsonl >>tokens.npy.rows.jsonl
run "$programs/encode-search" -m tokens.weights tokens.npy --query x
ends 'a rows file twice over' 1 'has 5 rows of f32, and its rows file has 10 tokens'
sed '2,3d' half.npy.rows.jsonl >tokens.npy.rows.jsonl
run "$programs/encode-search" -m tokens.weights tokens.npy --query x
ends 'fewer tokens than rows' 1 'has 5 rows of f32, and its rows file has 3 tokens'
run "$programs/encode-search" sparse.npz --query x
ends 'an archive of np.savez' 1 'the model has no sparse weights'
run "$programs/encode-search" compressed.npz --query x
ends 'a compressed archive' 1 'is compressed'
finish
