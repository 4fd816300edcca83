#!/usr/bin/env bash
# tags: no-coverage long
# The page of encode-serve as a reader sees it, in headless Chromium (sh tools/setup.sh chromium), for each kind of
# model. Skips without it. Pictures of the page, for the eye, are left in build/tests/serve-page/.
#
# Guarantee: each number of encode-serve's page, for each kind of model, is that of `encode`.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
for needed in python3 chromium chromedriver "$programs/encode-serve"; do
    command -v "$needed" >/dev/null || { echo "skipped: $needed is not there"; n_skipped=1; finish; }
done
pictures=$programs/tests/serve-page
mkdir -p "$pictures"
run env TMPDIR="$folder" FOLDER="$folder" PROGRAMS="$programs" python3 -B tests/serve/page.py "$pictures"
cat "$folder/out" "$folder/err"
[ $code != 77 ] || { n_skipped=1; finish; }
counts='^([0-9]+) passed, ([0-9]+) failed'
[[ $(tail -n 1 "$folder/out") =~ $counts ]] || check 'the checks in Chromium end' false
n_passed=$((n_passed + ${BASH_REMATCH[1]:-0}))
n_failed=$((n_failed + ${BASH_REMATCH[2]:-0}))
finish
