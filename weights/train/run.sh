#!/bin/sh
# Trains the default weights: what is fetched, texts, vocabulary, the teacher's vectors, three stages,
# HuggingFace directory, weight file. The last two are in WORK_DIR/made-STEPS.
#
#     weights/train/run.sh WORK_DIR
#
# Variables: TEXT, the folder of the texts (../shared/text); HOURS, about how long the stages take on two free cores
# (24); ENCODE_IMPORT and ENCODE (build/encode-import, build/encode). Started again with the same values it goes on
# where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# = 1 ] || {
    echo 'usage: weights/train/run.sh WORK_DIR' >&2
    exit 2
}
work=$1
[ -n "$work" ] || work=.
text=${TEXT:-$root/../shared/text}
hours=${HOURS-24}
import=${ENCODE_IMPORT:-$root/build/encode-import}
encode=${ENCODE:-$root/build/encode}
python=${PYTHON:-/usr/bin/python3}

stop() {
    echo "train: $1" >&2
    exit 1
}
absolute() { (cd "$(dirname "$1")" && echo "$(pwd)/$(basename "$1")"); }

case $hours in
'' | . | *[!0-9.]* | *.*.*) stop "HOURS='$hours': expected a number such as 24" ;;
esac
# What is missing is said before the first hour, not after it.
"$python" -c 'import numpy, torch' 2>/dev/null ||
    stop "$python has no numpy or torch: apt-get install python3-numpy python3-torch, or set PYTHON"
[ -d "$text/training" ] && [ -d "$text/evaluation" ] ||
    stop "'$text' has no training/ and evaluation/: set TEXT to the folder that has them"
[ -x "$import" ] || stop "'$import' is no program: make it, or set ENCODE_IMPORT"
[ -x "$encode" ] || stop "'$encode' is no program: make it, or set ENCODE"
mkdir -p "$work"
work=$(absolute "$work") text=$(absolute "$text") import=$(absolute "$import") encode=$(absolute "$encode")
cache=$work/cache more=$work/fetched

# Of two free cores' time; the seconds per step were estimated on an EPYC with AVX-512.
steps() { awk "BEGIN { print int($hours * 3600 * $1 / $2) }"; }
mlm=$(steps 0.4 0.5)
near=$(steps 0.38 1.3)
nearer=$(steps 0.215 1.3)
opposed=$(steps 0.005 0.9) # in a day as many as were tried: more would only press further on the words it saw
case $mlm$near$nearer$opposed in *[!0-9]*) stop "HOURS=$hours is too much" ;; esac
[ "$opposed" -ge 1 ] && [ "$nearer" -ge 1 ] || stop "HOURS=$hours leaves no step"
# Of another stage before it is another training.
made=$work/made-$mlm-$near-$nearer-$opposed

# Big blocks stay in the process: freeing and allocating them again costs a tenth of the time.
export MALLOC_MMAP_THRESHOLD_=8000000000 MALLOC_TRIM_THRESHOLD_=8000000000 ONEDNN_PRIMITIVE_CACHE_CAPACITY=100000

# Python runs beside this shell, so that a signal to the shell alone ends both.
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 143' INT TERM HUP
python() {
    "$python" "$@" &
    child=$!
    wait "$child"
    child=
}

cd "$here"
exec 9>"$work/lock"
flock -n 9 || stop "another training works in '$work'"
./fetch.sh "$more"
[ -f "$cache/prepare.json" ] || {
    echo 'train: texts and vocabulary (minutes)'
    python prepare.py --text "$text" --more "$more" --cache "$cache"
}
taught() { python teacher.py --cache "$cache" --teacher "$more/teacher" --encode "$encode" --importer "$import" "$@"; }
[ -f "$cache/embedding.npy" ] || taught --rows
[ -f "$cache/texts.npz" ] || python gather.py --text "$text" --more "$more" --cache "$cache"
[ -f "$cache/opposites.npz" ] || python opposites.py --text "$text" --more "$more" --cache "$cache"
[ -f "$cache/teacher.npy" ] || {
    echo "train: the teacher's vectors of all texts (an hour)"
    taught
}
echo "train: stage 1 of 3, $mlm steps"
stage=$work/mlm-$mlm
python pretrain.py --cache "$cache" --out "$stage" --steps "$mlm"
echo "train: stage 2 of 3, $near and $nearer steps"
python distill.py --cache "$cache" --from "$stage/checkpoint.pt" --out "$stage-$near" --steps "$near" \
    --ranked-weight 2 --margin 0.06
stage=$stage-$near
python distill.py --cache "$cache" --from "$stage/checkpoint.pt" --out "$stage-$nearer" --steps "$nearer" \
    --rate 7e-4 --ranked-weight 0.8 --margin 0.03
stage=$stage-$nearer
echo "train: stage 3 of 3, $opposed steps"
python oppose.py --cache "$cache" --from "$stage/checkpoint.pt" --out "$stage-$opposed" --steps "$opposed"
mkdir -p "$made"
python export.py --cache "$cache" --checkpoint "$stage-$opposed/checkpoint.pt" --out "$made/default weights"
"$import" "$made/default weights" -o "$made/default.weights" --weights int8 --tables int8
"$import" "$made/default weights" -o "$made/default-f32.weights"
