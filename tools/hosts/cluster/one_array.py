#!/usr/bin/env python3
"""Makes one array of the shards of a corpus, for programs that read one file (NumPy, faiss):

    tools/hosts/cluster/one_array.py vectors.npy vectors-*.npy

Rows are those of the shards in the order in which they are named. vectors.npy.rows.jsonl is written where a shard has
such a file. encode-search needs none of this: it reads the shards.
"""
import json
import os
import re
import sys

import numpy as np

if len(sys.argv) < 3:
    sys.exit(__doc__)
out, paths = sys.argv[1], sys.argv[2:]
if os.path.realpath(out) in map(os.path.realpath, paths):
    sys.exit(f"{out}: one of the shards: name another output")
shards = [np.load(path, mmap_mode="r") for path in paths]
for path, shard in zip(paths, shards):
    if shard.dtype != shards[0].dtype or shard.shape[1:] != shards[0].shape[1:]:
        sys.exit(f"{path}: its rows differ in type or width from those of {paths[0]}")
n_rows = sum(map(len, shards))
whole = np.lib.format.open_memmap(out + ".part", "w+", shards[0].dtype, (n_rows, *shards[0].shape[1:]))
row = 0
for shard in shards:
    whole[row:row + len(shard)] = shard
    row += len(shard)
whole.flush()

has_rows = any(os.path.exists(path + ".rows.jsonl") for path in paths)
if has_rows:
    row = line = 0
    with open(out + ".rows.jsonl.part", "w", encoding="utf-8") as rows:
        for path, shard in zip(paths, shards):
            with open(path + ".origin.json", encoding="utf-8") as file:
                origin = json.load(file)
            n_lines = origin["texts" if origin["options"].get("input") in ("csv", "tsv") else "input_lines"]
            its = ('{"row": %d, "line": %d}\n' % (k, k + 1) for k in range(len(shard)))
            if os.path.exists(path + ".rows.jsonl"):
                its = open(path + ".rows.jsonl", encoding="utf-8")
            for text in its:
                rows.write(re.sub('^{"row": ([0-9]+), "line": ([0-9]+)', lambda at: '{"row": %d, "line": %d' % (
                    row + int(at[1]), line + int(at[2])), text))
            row += len(shard)
            line += n_lines
    os.replace(out + ".rows.jsonl.part", out + ".rows.jsonl")
elif os.path.exists(out + ".rows.jsonl"):  # of an earlier output
    os.remove(out + ".rows.jsonl")
os.replace(out + ".part", out)
