#!/bin/sh
# Trains the default weights: texts, vocabulary, two stages, HuggingFace directory, weight file. The last three are in
# WORK_DIR/mlm-STEPS-pairs-STEPS.
#
#     weights/train/run.sh WORK_DIR
#
# Variables: TEXT, the folder of the texts (../shared/text); HOURS, about how long on two free cores (1.5);
# ENCODE_IMPORT (build/encode-import). Started again with the same values it goes on where it stopped.
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
hours=${HOURS-1.5}
import=${ENCODE_IMPORT:-$root/build/encode-import}
python=${PYTHON:-/usr/bin/python3}

stop() {
    echo "train: $1" >&2
    exit 1
}
absolute() { (cd "$(dirname "$1")" && echo "$(pwd)/$(basename "$1")"); }

case $hours in
'' | . | *[!0-9.]* | *.*.*) stop "HOURS='$hours': expected a number such as 1.5" ;;
esac
# What is missing is said before the first hour, not after it.
"$python" -c 'import numpy, torch' 2>/dev/null ||
    stop "$python has no numpy or torch: apt-get install python3-numpy python3-torch, or set PYTHON"
[ -d "$text/training" ] && [ -d "$text/evaluation" ] ||
    stop "'$text' has no training/ and evaluation/: set TEXT to the folder that has them"
[ -x "$import" ] || stop "'$import' is no program: make it, or set ENCODE_IMPORT"
mkdir -p "$work"
work=$(absolute "$work") text=$(absolute "$text") import=$(absolute "$import")
cache=$work/cache

# Of two free cores' time; the seconds per step were measured on a Xeon with AMX.
steps() { awk "BEGIN { print int($hours * 3600 * $1 / $2) }"; }
mlm=$(steps 0.6522 0.37)
pairs=$(steps 0.3478 0.80)
case $mlm$pairs in *[!0-9]*) stop "HOURS=$hours is too much" ;; esac
[ "$mlm" -ge 1 ] && [ "$pairs" -ge 1 ] || stop "HOURS=$hours leaves no step"
stage2=$work/mlm-$mlm-pairs-$pairs # of another first stage it is another training

# Big blocks stay in the process: giving them back and taking them anew costs a tenth of the time.
export MALLOC_MMAP_THRESHOLD_=8000000000 MALLOC_TRIM_THRESHOLD_=8000000000

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
[ -f "$cache/prepare.json" ] || {
    echo 'train: texts and vocabulary (a minute)'
    python prepare.py --text "$text" --cache "$cache"
}
[ -f "$cache/embedding.npy" ] || python cooccurrence.py --cache "$cache"
echo "train: stage 1 of 2, $mlm steps"
python pretrain.py --cache "$cache" --out "$work/mlm-$mlm" --steps "$mlm"
echo "train: stage 2 of 2, $pairs steps"
python contrast.py --text "$text" --cache "$cache" --from "$work/mlm-$mlm/checkpoint.pt" --out "$stage2" --steps "$pairs"
python export.py --cache "$cache" --checkpoint "$stage2/checkpoint.pt" --out "$stage2/default weights"
"$import" "$stage2/default weights" -o "$stage2/default.weights" --weights int8
"$import" "$stage2/default weights" -o "$stage2/default-f32.weights"
