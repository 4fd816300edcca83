#!/usr/bin/env bash
# tools/lesson.sh as a user runs it: wrong use, what it leaves where something fails, and that no number of the
# articles differs. What the page's own numbers must be is computed in tests/tools/lesson/.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
export BUILD=$programs
lesson=$tree/tools/lesson.sh

says() { # in the messages
    grep -qF -- "$1" "$folder/err"
}

# ---- Wrong use ----
run "$lesson" -x
check 'an option that is not there' [ $code = 2 ]
run "$lesson" a b
check 'two pages' [ $code = 2 ]
run "$lesson" -m "$folder/missing" "$folder/none.html"
check 'a weight file that is not there' [ $code = 1 ]
check 'is named' says "cannot read '$folder/missing'"
run "$lesson" "$folder/none/page.html"
check 'a folder that is not there' [ $code = 1 ]
check 'is named' says "'$folder/none/page.html' cannot be written"
run env BUILD="$folder/missing" "$lesson" "$folder/none.html"
check 'no programs' says 'make first'

# Without gnuplot there is a message. The folder of programs is made of links to all others.
mkdir "$folder/bin"
for name in bash env dirname basename sed head mktemp cat rm mkdir grep awk; do
    ln -s "$(command -v $name)" "$folder/bin/$name"
done
run env PATH="$folder/bin" "$lesson" "$folder/none.html"
check 'without gnuplot it fails' [ $code = 1 ]
check 'and says so' says "gnuplot draws the articles' pictures and is not there"
command -v gnuplot >/dev/null || { echo 'skipped: gnuplot is not there'; n_skipped=1; finish; }

# ---- A number that differs is found ----
judge() { # A B TOLERANCE: yes or no
    bash -c '. "$0/tools/lesson/articles.sh"; is_near "$@"' "$tree" "$@"
}
check 'near' [ "$(judge 3.2668780 3.2668781 2e-7)" = yes ]
check 'far' [ "$(judge 3.2668 3.2668781 2e-7)" = no ]
for wrong in nan inf '' 'failed: no' '1 2' -3.2668781; do
    check "'$wrong' is no such number" [ "$(judge "$wrong" 3.2668781 2e-7)" = no ]
done
counted() { # the counts of rows that are as there, by a formula, different with a reason, and wrong
    (
        cd "$folder" && . "$tree/tools/lesson/articles.sh"
        {
            number what 1 1 1e-6 'echo 1.1' && text what a a 'echo b' && number what 1 1 1e-6 'false; exit 1'
            text what 'a b' 'a b' 'echo a; echo b'
            by_formula number what 'sin(0)' 0 1e-6 'echo 0' && differs 'why' text what 12 13 'echo 13'
            differs 'why' text what 12 13 'echo 12' && number what 1 1 1e-6 'echo 1'
        } >rows.html 2>rows.err
        echo $n_right $n_by_formula $n_different $n_wrong
    )
}
check 'rows are counted as what they are' [ "$(counted)" = '2 1 1 4' ]
check 'a reason is shown' grep -q '13 <small>not as there: why' "$folder/rows.html"

# ---- A run that fails ----
echo 'no weights' >"$folder/text.weights"
echo old >"$folder/kept.html"
run "$lesson" -m "$folder/text.weights" "$folder/kept.html"
check 'what is no weight file' [ $code = 1 ]
check 'is named' says 'text.weights'
"$programs/encode-new" -o "$folder/flat.weights" --layers 0 --width 16 2>/dev/null
run "$lesson" -m "$folder/flat.weights" "$folder/kept.html"
check 'a model without layers' [ $code = 1 ]
check 'is told why' says 'has no layers'
check 'the page stays as it was' [ "$(cat "$folder/kept.html")" = old ]

# ---- The page ----
alone() { # nothing is fetched, and no address of elsewhere but of namespaces and prose
    ! grep -oEi '(src|href)="[^"]*"|@import|url\([^)]*\)' "$1" | grep -vE '="(#|data:)|url\(#'
}

run "$lesson" "$folder/lesson.html"
check 'the lesson runs, and no number of the articles differs' [ $code = 0 ]
check 'it says how many' grep -qE ' as there, .* 0 wrong, 0 left out|as there, .* 0 wrong, 1 left out' "$folder/out"
check 'one file of at most 3 MB' [ "$(wc -c <"$folder/lesson.html")" -le 3000000 ]
check 'it fetches nothing' alone "$folder/lesson.html"
check 'every mark is filled' [ "$(grep -c '@[{]' "$folder/lesson.html")" = 0 ]
check "no machine's paths" [ "$(grep -c "$folder\|$tree" "$folder/lesson.html")" = 0 ]
check 'the table names the norm' grep -q '7\.0710678' "$folder/lesson.html"
check 'nothing is left beside it' [ -z "$(find "$folder" -name '*.new')" ]

# ---- Other weights, no vectors ----
# Few words, positions of another scheme, and so many heads that not all are on the page: every step is there, of
# these weights. They are named as a user names them, from the folder in which they lie.
"$programs/encode-new" -o "$folder/small.weights" --layers 6 --width 48 --heads 12 --position learned --max-tokens 40 \
    --name 'small one' --words 'I ride bike dog bites man king queen woman wolf football tennis red green' 2>/dev/null
run env -C "$folder" SHARED_DIR="$folder/none" "$lesson" -m small.weights small.html
check 'other weights' [ $code = 0 ]
check 'of which the first layers are shown' says 'heads of the first 3 of 6 layers'
check 'are named' grep -q '"file": "small.weights"' "$folder/small.html"
check 'words are in the plane without vectors of GloVe too' [ "$(grep -c 'src="data:image/png' "$folder/small.html")" -ge 17 ]

if command -v python3 >/dev/null; then
    run python3 -B tests/tools/lesson/recompute.py "$folder/small.html" "$programs" "$tree" "$folder/small.weights"
    check 'and every number of them is what it must be' [ $code = 0 ]
else
    echo 'skipped: python3 is not there'
    n_skipped=1
fi

# A page over the limit is refused.
"$programs/encode-new" -o "$folder/wide.weights" --layers 1 --width 800 --heads 400 --position sinusoidal \
    --words 'I ride bike dog bites man' 2>/dev/null
echo old >"$folder/kept.html"
run env SHARED_DIR="$folder/none" "$lesson" -m "$folder/wide.weights" "$folder/kept.html"
ends 'a page that is too large' 1 'its limit is 3000000'
check 'the page stays as it was' [ "$(cat "$folder/kept.html")" = old ]

finish
