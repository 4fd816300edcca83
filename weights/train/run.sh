#!/bin/sh
# Trains the default weights: texts, vocabulary, two stages, HuggingFace directory, weight file.
#
#     weights/train/run.sh WORK_DIR
#
# Variables: TEXT, the folder of the texts (../shared/text); HOURS, about how long on two free cores (1);
# ENCODE_IMPORT (build/encode-import). Started again with the same values it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:?usage: weights/train/run.sh WORK_DIR}
text=${TEXT:-$root/../shared/text}
hours=${HOURS:-1}
import=${ENCODE_IMPORT:-$root/build/encode-import}
python=${PYTHON:-/usr/bin/python3}
cache=$work/cache
mkdir -p "$work"

# Of two free cores' time; the seconds per step were measured on a Xeon with AMX.
steps() { awk "BEGIN { print int($hours * 3600 * $1 / $2) }"; }
mlm=$(steps 0.6522 0.37)
pairs=$(steps 0.3478 0.80)

# Big blocks stay in the process: giving them back and taking them anew costs a tenth of the time.
export MALLOC_MMAP_THRESHOLD_=8000000000 MALLOC_TRIM_THRESHOLD_=8000000000

cd "$here"
[ -f "$cache/prepare.json" ] || "$python" prepare.py --text "$text" --cache "$cache"
[ -f "$cache/embedding.npy" ] || "$python" cooccurrence.py --cache "$cache"
"$python" pretrain.py --cache "$cache" --out "$work/mlm-$mlm" --steps "$mlm"
"$python" contrast.py --cache "$cache" --from "$work/mlm-$mlm/checkpoint.pt" \
    --out "$work/pairs-$pairs" --steps "$pairs"
"$python" export.py --cache "$cache" --checkpoint "$work/pairs-$pairs/checkpoint.pt" --out "$work/default weights"
"$import" "$work/default weights" -o "$work/default.weights" --weights int8
"$import" "$work/default weights" -o "$work/default-f32.weights"
