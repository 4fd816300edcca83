#!/bin/sh
# All stages in one run of minutes on a GPU (together.py): what is fetched, packed texts, the run, a weight file.
#
#     weights/train/together/together.sh WORK_DIR [FILE.weights]     FILE.weights: what it starts from, else random numbers
#
# makes WORK_DIR/default.weights, of two ends of the run in equal shares. Variables: SECONDS_OF_RUN (570), and TEXT,
# ENCODE_IMPORT, ENCODE_INSPECT and PYTHON as in run.sh. WORK_DIR/packed (50 MB), ../ and tests/quality are all that
# together.py reads, so that it can run on another machine. Started again it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
[ $# = 1 ] || [ $# = 2 ] || {
    echo 'usage: weights/train/together/together.sh WORK_DIR [FILE.weights]' >&2
    exit 2
}
mkdir -p "$1"
work=$(cd "$1" && pwd) from=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
text=$(cd "${TEXT:-$root/../shared/text}" && pwd)
import=${ENCODE_IMPORT:-$root/build/encode-import}
inspect=${ENCODE_INSPECT:-$root/build/encode-inspect}
python=${PYTHON:-/usr/bin/python3}
packed=$work/packed

cd "$here"
../fetch.sh "$work/fetched"
[ -f "$packed/vocab.txt" ] || "$python" pack.py --text "$text" --more "$work/fetched" --out "$packed"
[ -f "$packed/teacher.npz.xz" ] || "$python" lists.py --text "$text" --more "$work/fetched" --out "$packed" \
    ${from:+--weights "$from" --inspect "$inspect"}
"$python" together.py --packed "$packed" --out "$work/run" --work "$work" --seconds "${SECONDS_OF_RUN:-570}" \
    ${from:+--start "$from"}
"$python" ../export.py --cache "$packed" --checkpoint "$work/run/order.npz" --mix "$work/run/near.npz" 0.5 \
    --out "$work/default weights"
"$import" "$work/default weights" -o "$work/default.weights" --weights int8 --tables int8
