#!/usr/bin/env bash
# What the programs print, to be read: NAME.sh is a list of commands, a line each, and NAME.txt has each command with what
# it prints, what it reports on stderr ("! " before each line) and its exit code unless that is 0. All of it is compared.
#
#     tests/cli/test_cli.sh [--renew] [NAME ...]     --renew: writes NAME.txt anew; read the diff before you commit it
#
# Each case has an empty folder with the files of inputs.sh. checkpoints needs ../shared (or SHARED_DIR) and numpy. All
# kernels with fused multiply-adds print the same; on a processor that has others alone, the cases are skipped.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/machine/environment.sh
root=$PWD shared=$(realpath -m "${SHARED_DIR:-../shared}") python=${PYTHON:-/usr/bin/python3}
PATH=$(realpath "${BUILD:-build}"):$PATH
export PATH ENCODE_MODEL=default.weights COLUMNS=80 LC_ALL=C.UTF-8 OMP_NUM_THREADS=2
renew='' n_passed=0 n_failed=0 n_skipped=0
[ "${1:-}" != --renew ] || { renew=yes && shift; }
[ $# != 0 ] || mapfile -t names < <(basename -s .txt tests/cli/*.txt)
[ $# = 0 ] || names=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if encode --version | grep -q 'kernels portable'; then
    echo 'the portable kernels round otherwise: skipped'
    exit 77
fi

checkpoint() { # NAME ARCHITECTURE OPTION...: a small directory
    "$python" "$shared/checkpoints/checkpoints.py" make "$2" "$1" --layers 2 --width 32 --heads 4 --ffn 64 --longest 16 \
        --tokenizer "$shared/tokenizers/definitions/bert-base-uncased.json" "${@:3}" >/dev/null
}

run_lines() { # FILE: to $work/found
    local line code
    while IFS= read -r line; do
        [[ $line && $line != \#* ]] || continue
        echo "\$ $line"
        (eval "$line") 2>"$work/errors" </dev/null
        code=$?
        sed 's/^/! /' "$work/errors"
        [ $code = 0 ] || echo "[exit code $code]"
    done <"$1" | sed "s|$shared|SHARED|g; s|$work|WORK|g" >"$work/found"
}

for name in "${names[@]}"; do
    if [ "$name" = checkpoints ] && ! { [ -d "$shared/checkpoints" ] && "$python" -c 'import numpy' 2>/dev/null; }; then
        echo 'checkpoints: ../shared or numpy is not here: skipped'
        n_skipped=$((n_skipped + 1))
        continue
    fi
    mkdir -p "$work/$name" && cp weights/default.weights "$work/$name"
    (cd "$work/$name" && . "$root/tests/cli/inputs.sh" && run_lines "$root/tests/cli/$name.sh")
    if [ $renew ]; then
        cp "$work/found" "tests/cli/$name.txt"
    elif diff -u "tests/cli/$name.txt" "$work/found"; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED: $name prints something else (if it is right: tests/cli/test_cli.sh --renew $name)"
    fi
done
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
[ $n_failed = 0 ]
