#!/usr/bin/env bash
# tools/study/peers/bench_peers.py says what is missing and measures nothing, with exit code 0, since peers
# are not needed for anything else.
set -u
cd "$(dirname "$0")/../../.." || exit 1
command -v python3 >/dev/null || { echo 'skipped: python3 is not there'; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_failed=0

skips() { # WORDS SHARED
    local said
    said=$(PIP_NO_INDEX=1 PIP_FIND_LINKS= "$python" tools/study/peers/bench_peers.py "$folder/build" "$2" 2>&1) ||
        n_failed=$((n_failed + 1))
    case $said in
    *'bench-peers: skipped: '*"$1"*) ;;
    *) echo "expected '$1', found: $said" && n_failed=$((n_failed + 1)) ;;
    esac
}

# Not a wrapper, which would need programs of its own.
python=$(PATH=/usr/bin:/bin command -v python3 || command -v python3)
skips 'is not here' "$folder/absent"
mkdir -p "$folder/shared/peers"
touch "$folder/shared/peers/make_onnx.py"
skips 'p' "$folder/shared" # pip cannot install them, or python3 -m venv fails
[ $n_failed = 0 ]
