#!/usr/bin/env bash
# Runs the check of keys.py with the newest transformers that pip has, without what it depends on, in build/keys/: a key
# of config.json that its code reads, and encode-import neither reads, nor knows as harmless, nor refuses, fails it.
set -u
cd "$(dirname "$0")/../../.." || exit 1
python=build/keys/bin/python
skip() {
    echo "skipped: $1"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
}
[ -x $python ] || /usr/bin/python3 -m venv build/keys >/dev/null 2>&1 || skip 'no venv (sh tools/setup.sh hosts)'
$python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps --no-compile transformers ||
    skip 'pip has no transformers'
version=$($python -c 'import importlib.metadata; print(importlib.metadata.version("transformers"))')
if found=$($python -B tests/tools/families/keys.py check); then
    echo "transformers $version reads no key that encode-import does not know"
    echo '1 passed, 0 failed'
else
    echo "FAILED: keys that transformers $version reads, of these families (keys.py says what to do):"
    echo "$found"
    echo '0 passed, 1 failed'
    exit 1
fi
