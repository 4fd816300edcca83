#!/bin/sh
# Stage 4: trains a weight file further, against typed errors and for the order of words (refine.py).
#
#     weights/train/refine.sh WORK_DIR FILE.weights
#
# makes WORK_DIR/refined/default.weights, and default-f32.weights beside it: a mixture of FILE.weights, of what all
# losses make of it, and of what the teacher's vectors alone make of it. FILE.weights is one that run.sh or this script
# made. Variables: STEPS (500; the second run has a quarter), and TEXT, ENCODE_IMPORT, ENCODE, ENCODE_INSPECT and PYTHON
# as in run.sh. Started again with the same values it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# = 2 ] || {
    echo 'usage: weights/train/refine.sh WORK_DIR FILE.weights' >&2
    exit 2
}
mkdir -p "$1/refined"
work=$(cd "$1" && pwd) from=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
text=$(cd "${TEXT:-$root/../shared/text}" && pwd)
build=$root/build
import=${ENCODE_IMPORT:-$build/encode-import}
python=${PYTHON:-/usr/bin/python3}
cache=$work/refined more=$work/fetched

cd "$here"
./fetch.sh "$more"
export MALLOC_MMAP_THRESHOLD_=8000000000 MALLOC_TRIM_THRESHOLD_=8000000000 ONEDNN_PRIMITIVE_CACHE_CAPACITY=100000
[ -f "$cache/start.pt" ] ||
    "$python" unpack.py --weights "$from" --inspect "${ENCODE_INSPECT:-$build/encode-inspect}" --cache "$cache"
made() { # FILE SCRIPT...: by the script, if it is not there
    [ -f "$cache/$1" ] && return
    shift
    "$python" "$@" --text "$text" --more "$more" --cache "$cache"
}
made prepare.json prepare.py --vocabulary
made order.npz sample.py
made opposites.npz opposites.py
[ -f "$cache/teacher.npy" ] || "$python" teacher.py --cache "$cache" --teacher "$more/teacher" --importer "$import" \
    --encode "${ENCODE:-$build/encode}"
refine() { # NAME STEPS OPTION...
    out=$cache/$1 steps=$2
    shift 2
    "$python" refine.py --cache "$cache" --from "$cache/start.pt" --out "$out" --text "$text" --steps "$steps" "$@"
}
refine stage "${STEPS:-500}"
refine near $((${STEPS:-500} / 4)) --ranked 2 --ranked-weight 0 --opposed 4 --opposed-weight 0 --average 0.97 \
    --warm-up 10
"$python" export.py --cache "$cache" --checkpoint "$cache/start.pt" --out "$cache/default weights" --own 0.21 \
    --mix "$cache/stage/checkpoint.pt" 0.516 --mix "$cache/near/checkpoint.pt" 0.156
"$import" "$cache/default weights" -o "$cache/default.weights" --weights int8 --tables int8
"$import" "$cache/default weights" -o "$cache/default-f32.weights"
