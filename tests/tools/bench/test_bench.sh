#!/usr/bin/env bash
# tags: alone
# Runs bench.py: what encode-bench prints and refuses.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
. tests/tools/toy.sh
ENCODE_MODEL=toy.weights python3 -B "$tree/tests/tools/bench/bench.py" "$programs"
