#!/usr/bin/env bash
# tags: no-coverage long
# Directories that sentence-transformers 6.2 writes give what it gives of them in float64, if it is installed in
# build/judge/ (python3 -m venv build/judge; build/judge/bin/pip install 'sentence-transformers>=6.2') or in the PATH.
#
# Guarantee: directories of sentence-transformers 6.2 give its vectors, if it is installed.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
judge=
for python in build/judge/bin/python python3; do
    $python -c 'import sentence_transformers as s; assert tuple(map(int, s.__version__.split(".")[:2])) >= (6, 2)' \
        >/dev/null 2>&1 && judge=$python && break
done
[ -n "$judge" ] || { echo 'skipped: no sentence-transformers 6.2 in build/judge/, nor in the PATH' && exit 77; }
$judge -B tests/tools/import/modules6.py "$programs" "$folder" 2>/dev/null
