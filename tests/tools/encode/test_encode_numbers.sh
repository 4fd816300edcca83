#!/usr/bin/env bash
# tags: numbers asan
# Runs numbers.py: the numbers of encode in every format and type, and archives as SciPy reads them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
. tests/tools/toy.sh
"$programs/tests/cli/hand_models"
ENCODE_MODEL=toy.weights python3 -B "$tree/tests/tools/encode/numbers.py" "$programs"
