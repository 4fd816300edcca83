#!/bin/sh
# All stages in one run of minutes on a GPU (together.py): what is fetched, packed texts, the run, a weight file.
#
#     weights/train/together/together.sh WORK_DIR [FILE.weights]     FILE.weights: what it starts from, else random numbers
#
# makes WORK_DIR/default.weights. Variables: SECONDS_OF_RUN (570; 0: only what is packed), OPTIONS (of together.py, to try
# it), and TEXT, ENCODE_IMPORT, ENCODE_INSPECT and PYTHON as in run.sh. WORK_DIR/packed (50 MB), ../ and tests/quality are
# all that together.py reads, so that it can run on another machine (elsewhere.sh). Started again it goes on where it
# stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
[ $# = 1 ] || [ $# = 2 ] || {
    echo 'usage: weights/train/together/together.sh WORK_DIR [FILE.weights]' >&2
    exit 2
}
mkdir -p "$1"
work=$(cd "$1" && pwd) from=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
import=${ENCODE_IMPORT:-$root/build/encode-import}
inspect=${ENCODE_INSPECT:-$root/build/encode-inspect}
python=${PYTHON:-/usr/bin/python3}
packed=$work/packed seconds=${SECONDS_OF_RUN:-570}

cd "$here"
[ -f "$packed/teacher.npz.xz" ] || {
    text=$(cd "${TEXT:-$root/../shared/text}" && pwd)
    ../fetch.sh "$work/fetched"
    [ -f "$packed/vocab.txt" ] || "$python" pack.py --text "$text" --more "$work/fetched" --out "$packed"
    "$python" lists.py --text "$text" --more "$work/fetched" --out "$packed" \
        ${from:+--weights "$from" --inspect "$inspect"}
}
[ "$seconds" != 0 ] || exit 0
[ -f "$work/run/matrix.npz" ] || "$python" together.py --packed "$packed" --out "$work/run" --work "$work" \
    --seconds "$seconds" ${from:+--start "$from"} ${OPTIONS-}
"$python" ../export.py --cache "$packed" --checkpoint "$work/run/matrix.npz" --out "$work/default weights"
"$import" "$work/default weights" -o "$work/default.weights" --weights int8 --tables int8
