#!/usr/bin/env bash
# tags: no-coverage long
# The lesson's page as a reader sees it: check_page.py looks at it in headless Chromium, which
# chromedriver drives (sh tools/setup.sh chromium installs both). Skips where something is missing.
# Pictures of the page, for the eye, are left in build/tests/lesson/.
#
# Guarantee: a browser, if one is installed, types sentences into the lesson, compares every number that it shows with
# the engine's, and tries every control, name for screen readers, width and contrast.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
export BUILD=$programs

for needed in python3 gnuplot clang wasm-ld chromium chromedriver; do
    command -v $needed >/dev/null || { echo "skipped: $needed is not there"; n_skipped=1; finish; }
done

run tools/study/lesson.sh "$folder/lesson.html"
! grep -q 'sh tools/setup.sh lesson' "$folder/err" ||
    { echo 'skipped: clang does not compile to WebAssembly here: sh tools/setup.sh lesson'; n_skipped=1; finish; }
check 'the page is made' [ $code = 0 ]

pictures=$programs/tests/lesson
mkdir -p "$pictures"
run env TMPDIR="$folder" python3 -B tests/tools/lesson/check_page.py "$folder/lesson.html" "$pictures" "$programs" weights/default.weights
cat "$folder/out" "$folder/err"
[ $code != 77 ] || { n_skipped=1; finish; }
counts='^([0-9]+) passed, ([0-9]+) failed'
[[ $(tail -n 1 "$folder/out") =~ $counts ]] || check 'the checks in Chromium end' false
n_passed=$((n_passed + ${BASH_REMATCH[1]:-0}))
n_failed=$((n_failed + ${BASH_REMATCH[2]:-0}))
finish
