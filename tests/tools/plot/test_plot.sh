#!/usr/bin/env bash
# tags: asan long
# Runs plot.py: the numbers of encode-plot's pictures, their sizes, and texts that no shell, gnuplot or terminal obeys.
#
# Guarantee: rows of attention maps sum to 1 within 1e-6, and the steps of a layer are those of its numbers.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
command -v python3 >/dev/null || { echo 'skipped: python3 is not there'; exit 77; }
cd "$folder" || exit 1
"$programs/encode-new" -o toy.weights --name Toy --keras --max-tokens 16 --width 8 --heads 2 \
    --words '[PAD] [UNK] i ride bike dog cat 桜 naïve' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' \
    --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1' || exit 1
ENCODE_MODEL=toy.weights python3 -B "$tree/tests/tools/plot/plot.py" "$programs"
