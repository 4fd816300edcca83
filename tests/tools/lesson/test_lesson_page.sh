#!/usr/bin/env bash
# tags: no-coverage
# The lesson's page as a reader sees it: check_page.py looks at it in headless Chromium, which
# chromedriver drives (sh tools/setup.sh chromium installs both). Skips where something is missing.
# Pictures of the page, for the eye, are left in build/tests/lesson/.
#
# Guarantee: a browser, if one is installed, tries every control, name for screen readers, number, width and contrast
# of the lesson.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
export BUILD=$programs

for needed in python3 gnuplot chromium chromedriver; do
    command -v $needed >/dev/null || { echo "skipped: $needed is not there"; n_skipped=1; finish; }
done

run tools/study/lesson.sh "$folder/lesson.html"
check 'the page is made' [ $code = 0 ]
check 'of at most 3 MB' [ "$(wc -c <"$folder/lesson.html")" -le 3000000 ]

pictures=$programs/tests/lesson
mkdir -p "$pictures"
run env TMPDIR="$folder" python3 tests/tools/lesson/check_page.py "$folder/lesson.html" "$pictures"
cat "$folder/out" "$folder/err"
[ $code != 77 ] || { n_skipped=1; finish; }
counts='^([0-9]+) passed, ([0-9]+) failed'
[[ $(tail -n 1 "$folder/out") =~ $counts ]] || check 'the checks in Chromium end' false
n_passed=$((n_passed + ${BASH_REMATCH[1]:-0}))
n_failed=$((n_failed + ${BASH_REMATCH[2]:-0}))
finish
