#!/usr/bin/env bash
# tags: asan long
# Compares what the programs print with files that people read. FOLDER/NAME.sh is a list of commands, one a line, and
# NAME.txt has each command with its output, its messages ("! " before each line) and its exit code unless that is 0.
#
#     tests/cli/test_cli.sh [--renew] [NAME ...]     --renew: writes NAME.txt again; read the diff before you commit it
#
# Each case has a folder of its own with the files of inputs.sh. Comments are copied; "export" and functions are for all
# commands after them. checkpoints needs ../shared (or SHARED_DIR) and numpy, and pictures needs gnuplot. All kernels
# with fused multiply-adds print the same; on a processor without them the cases are skipped.
#
# Guarantee: the programs print what the cases show: tokens, vectors, labels, ranks, windows, padding, hits, tables,
# pictures, and each message with its exit code.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/machine/environment.sh
root=$PWD shared=$(realpath -m "${SHARED_DIR:-../shared}") python=${PYTHON:-/usr/bin/python3}
[ -z "${SANITIZE:-}" ] || export LSAN_OPTIONS=suppressions=$root/tests/cli/lsan.supp:print_suppressions=0
build=$(realpath "${BUILD:-build}")
PATH=$build:$build/tests/cli:$PATH
export root PATH ENCODE_MODEL=default.weights COLUMNS=80 LC_ALL=C.UTF-8 OMP_NUM_THREADS=2
renew='' n_passed=0 n_failed=0 n_skipped=0
[ "${1:-}" != --renew ] || { renew=yes && shift; }
names=("$@")
[ $# != 0 ] || mapfile -t names < <(basename -s .sh tests/cli/*/*.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if encode --version | grep -q 'kernels portable'; then
    echo 'the portable kernels round otherwise: skipped'
    exit 77
fi

command -v hand_models >/dev/null || { echo 'hand_models is not built: make tests' && exit 1; }

checkpoint() { # NAME ARCHITECTURE OPTION...: a small directory
    "$python" "$shared/checkpoints/checkpoints.py" make "$2" "$1" --layers 2 --width 32 --heads 4 --ffn 64 --longest 16 \
        --tokenizer "$shared/tokenizers/definitions/bert-base-uncased.json" "${@:3}" >/dev/null
}

is_possible() { # NAME
    case $1 in
    checkpoints*) [ -d "$shared/checkpoints" ] && "$python" -c 'import numpy' 2>/dev/null ;;
    pictures) command -v gnuplot >/dev/null ;;
    files) [ ! -e "$(cut -d ' ' -f 1 "$build/prefix")/share/encode/default.weights" ] ;; # it says that they are absent
    esac
}

run_lines() { # FILE: to $work/found
    local line code
    while IFS= read -r line; do
        case $line in
        '' | \#*) echo "$line" && continue ;;
        'export '* | *'() {'*) echo "\$ $line" && eval "$line" && continue ;;
        esac
        echo "\$ $line"
        (eval "$line") 2>"$work/errors" </dev/null
        code=$?
        sed 's/^/! /' "$work/errors"
        [ $code = 0 ] || echo "[exit code $code]"
    done <"$1" | sed "s|$shared|SHARED|g; s|$work|WORK|g" >"$work/found"
}

mkdir "$work/inputs" && cp weights/default.weights "$work/inputs"
(cd "$work/inputs" && . "$root/tests/cli/inputs.sh")
for name in "${names[@]}"; do
    case_file=$(echo tests/cli/*/"$name".sh)
    [ -f "$case_file" ] || { echo "there is no case '$name'" && exit 2; }
    if ! is_possible "$name"; then
        echo "$name: skipped"
        n_skipped=$((n_skipped + 1))
        continue
    fi
    cp -a "$work/inputs" "$work/$name"
    (cd "$work/$name" && run_lines "$root/$case_file")
    if [ $renew ]; then
        cp "$work/found" "${case_file%.sh}.txt"
    elif diff -u "${case_file%.sh}.txt" "$work/found"; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED: $name prints something else (if it is right: tests/cli/test_cli.sh --renew $name)"
    fi
done
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
[ $n_failed = 0 ]
