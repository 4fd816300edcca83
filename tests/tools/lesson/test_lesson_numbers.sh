#!/usr/bin/env bash
# The numbers of the lesson, computed again by another way; and that a wrong one is found.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
export BUILD=$programs
if ! command -v gnuplot >/dev/null || ! command -v python3 >/dev/null; then
    echo 'skipped: gnuplot or python3 is not there'
    n_skipped=1
    finish
fi

recompute() { # PAGE
    run python3 -B tests/tools/lesson/recompute.py "$1" "$programs" "$tree"
}

run tools/lesson.sh "$folder/lesson.html"
check 'the lesson is made' [ $code = 0 ]
recompute "$folder/lesson.html"
check 'every number is what it must be' [ $code = 0 ]
check 'and there are thousands' [ "$(sed -n 's/ passed.*//p' "$folder/out" | tail -n 1)" -gt 9000 ]

# Other awks than the one that made it make the same page; one that has no square roots is refused.
mkdir "$folder/bin"
for awk in gawk mawk original-awk busybox; do
    program=$(command -v $awk) || { echo "skipped: $awk is not there"; n_skipped=$((n_skipped + 1)); continue; }
    [ "$(readlink -f "$program")" != "$(readlink -f "$(command -v awk)")" ] || continue
    ln -sf "$program" "$folder/bin/awk"
    run env PATH="$folder/bin:$PATH" tools/lesson.sh "$folder/by-awk.html"
    if ! "$folder/bin/awk" 'BEGIN { exit sqrt(4) != 2 }' 2>/dev/null; then
        ends "$awk, which cannot compute" 1 'this awk cannot compute'
        continue
    fi
    check "$awk makes the lesson" [ $code = 0 ]
    check "$awk: the same page" cmp "$folder/by-awk.html" "$folder/lesson.html"
done

# In a copy, one number of each kind is another.
cp "$folder/lesson.html" "$folder/wrong.html"
change() { # SED-EXPRESSION
    sed -i "$1" "$folder/wrong.html"
    check "it changes the page: $1" bash -c "! cmp -s '$folder/wrong.html' '$folder/lesson.html'"
    cp "$folder/wrong.html" "$folder/lesson.html"
}
change 's|\("binary/-/0/causal": "....\)..|\1//|'
change 's|\(of the query</caption><tbody><tr><td>\)[-0-9.−]*|\15.5|'
change 's|\("none/-/2/full": \[0, 0, 0, \)0|\10.1|'
change 's|\("word": "king", "group": "people", "x": \)[-0-9.]*|\15.5|'
change 's|\("at": "model/layers/position.c:\)[0-9]*|\11|'
recompute "$folder/wrong.html"
check 'wrong numbers are found' [ $code = 1 ]
for what in 'binary/-/0/causal, I ride bike: states' 'without a script: wq' 'none/-/2/full, I bike ride: difference' plane \
    'source of position'; do
    check "named: $what" grep -q "FAILED: $what" "$folder/out"
done

finish
