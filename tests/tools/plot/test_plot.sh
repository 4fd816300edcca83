#!/usr/bin/env bash
# tags: asan long
# Runs plot.py: the numbers of encode-plot's pictures, their sizes, and texts that no shell, gnuplot or terminal obeys.
#
# Guarantee: rows of attention maps sum to 1 within 1e-6, and the steps of a layer are those of its numbers.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
. tests/tools/toy.sh
ENCODE_MODEL=toy.weights python3 -B "$tree/tests/tools/plot/plot.py" "$programs"
