#!/usr/bin/env bash
# tags: no-coverage
# Runs training_text.py: what the training of the default weights reads and makes.
set -eu
cd "$(dirname "$0")/../.."
python=/usr/bin/python3
if ! $python -c 'import numpy' 2>/dev/null; then
    echo "skipped: $python has no numpy"
    exit 77
fi
exec $python -B tests/quality/training_text.py "${BUILD:-build}/encode" weights/default.weights "${SHARED_DIR:-../shared}/text"
