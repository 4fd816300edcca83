#!/bin/sh
# The run of together.sh on another machine, that has a GPU: it needs this tree, WORK_DIR/packed, and a python3 with
# PyTorch and numpy, no network.
#
#     weights/train/together/elsewhere.sh WORK_DIR SECONDS WAIT OUT [OPTION...]
#
# begins the run of SECONDS in all (options: together.py's), prints its log for WAIT seconds, and copies to OUT what is
# made. The run goes on when this ends: the same command again prints and copies the rest, or begins it again where the
# last checkpoint is, if it has ended too early.
set -eu
[ $# -ge 4 ] || {
    echo 'usage: weights/train/together/elsewhere.sh WORK_DIR SECONDS WAIT OUT [OPTION...]' >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
work=$1 seconds=$2 wait=$3 out=$4
shift 4
mkdir -p "$out"
pid=$(cat "$work/pid" 2>/dev/null || :)
if [ ! -f "$work/run/matrix.npz" ] && ! kill -0 ${pid:-x} 2>/dev/null; then
    setsid "${PYTHON:-python3}" "$here/together.py" --packed "$work/packed" --out "$work/run" --work "$work" \
        --start "$here/../../default.weights" --seconds "$seconds" "$@" >>"$work/log" 2>&1 &
    pid=$!
    echo $pid >"$work/pid"
    sleep 1 # its log is there
fi
timeout "$wait" tail -n +1 -f --pid="$pid" "$work/log" || echo 'it goes on'
cp "$work/log" "$work"/run/*.npz "$out" || :
