#!/usr/bin/env bash
# tags: no-coverage long
# tools/study/lesson.sh as a user runs it: wrong use, which files a failure leaves, that no number of the articles differs,
# and what the page holds. lesson/test_lesson_page.sh compares what it shows with the engine.
#
# Guarantee: the page `build/lesson.html` has the numbers and figures of four articles on positional encoding, each
# made by a command.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
export BUILD=$programs
lesson=$tree/tools/study/lesson.sh

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
for sentences in '' '|' 'a||b' 'a|b|c|d' 'one two three four five six seven eight nine ten eleven twelve thirteen'; do
    run "$lesson" -s "$sentences" "$folder/none.html"
    check "no page of the sentences $sentences" [ $code = 1 ]
    check 'which says how many it takes' bash -c 'grep -qE "one to three sentences|the page takes 1 to 12" "$0"' "$folder/err"
done
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
check 'in one line, with the packages' \
    [ "$(cat "$folder/err")" = 'make lesson: packages are missing: gnuplot-nox clang lld. sh tools/setup.sh lesson installs them' ]
run env WASM_CC="$folder/none/clang" "$lesson" "$folder/none.html"
if command -v gnuplot >/dev/null; then
    check 'without a compiler for WebAssembly it fails' [ $code = 1 ]
    check 'and names what installs it' says 'sh tools/setup.sh lesson'
fi
printf '#!/bin/sh\necho its own words >&2\nexit 1\n' >"$folder/bin/wasm-clang"
chmod +x "$folder/bin/wasm-clang"
printf '#!/bin/sh\n' | tee "$folder/bin/wasm-ld" >"$folder/bin/gnuplot"
chmod +x "$folder/bin/wasm-ld" "$folder/bin/gnuplot"
run env PATH="$folder/bin" WASM_CC="wasm-clang -O1" "$lesson" "$folder/none.html"
check 'without its C library' [ $code = 1 ]
check 'one line names the packages' \
    [ "$(cat "$folder/err")" = 'make lesson: packages are missing: wasi-libc libclang-rt-dev-wasm32. sh tools/setup.sh lesson installs them' ]
for needed in gnuplot clang wasm-ld; do
    command -v $needed >/dev/null || { echo "skipped: $needed is not there"; n_skipped=1; finish; }
done
echo '#include <math.h>
int main(void) { return (int)erf(0); }' >"$folder/wasm.c"
clang --target=wasm32-wasi "$folder/wasm.c" -o "$folder/wasm" 2>/dev/null ||
    { echo 'skipped: clang does not compile to WebAssembly here: sh tools/setup.sh lesson'; n_skipped=1; finish; }

# ---- A number that differs is found ----
judge() { # A B TOLERANCE: yes or no
    bash -c '. "$0/tools/study/lesson/articles.sh"; is_near "$@"' "$tree" "$@"
}
check 'near' [ "$(judge 3.2668780 3.2668781 2e-7)" = yes ]
check 'far' [ "$(judge 3.2668 3.2668781 2e-7)" = no ]
for wrong in nan inf '' 'failed: no' '1 2' -3.2668781; do
    check "'$wrong' is no such number" [ "$(judge "$wrong" 3.2668781 2e-7)" = no ]
done
counted() { # the counts of rows that are as there, by a formula, different with a reason, and wrong
    (
        cd "$folder" && . "$tree/tools/study/lesson/articles.sh"
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
check 'it says how many' grep -qE ' as there, .* 0 wrong, [01] skipped' "$folder/out"
check 'one file of at most 12 MB' [ "$(wc -c <"$folder/lesson.html")" -le 12000000 ]
check 'it fetches nothing' alone "$folder/lesson.html"
check 'every mark is filled' [ "$(grep -c '@[{]' "$folder/lesson.html")" = 0 ]
check "no machine's paths" [ "$(grep -c "$folder\|$tree" "$folder/lesson.html")" = 0 ]
check 'the table names the norm' grep -q '7\.0710678' "$folder/lesson.html"
check 'nothing is left beside it' [ -z "$(find "$folder" -name '*.new')" ]

# Other awks than the one that made it make the same page; one that has no square roots is refused.
mkdir "$folder/awks"
for awk in gawk mawk original-awk busybox; do
    program=$(command -v $awk) || { echo "skipped: $awk is not there"; n_skipped=$((n_skipped + 1)); continue; }
    [ "$(readlink -f "$program")" != "$(readlink -f "$(command -v awk)")" ] || continue
    ln -sf "$program" "$folder/awks/awk"
    run env PATH="$folder/awks:$PATH" tools/study/lesson.sh "$folder/by-awk.html"
    if ! "$folder/awks/awk" 'BEGIN { exit sqrt(4) != 2 }' 2>/dev/null; then
        ends "$awk, which cannot compute" 1 'this awk cannot compute'
        continue
    fi
    check "$awk makes the lesson" [ $code = 0 ]
    check "$awk: the same page" cmp "$folder/by-awk.html" "$folder/lesson.html"
done

# The engine, and the default weights as they are.
held() { # ID
    awk -v id="id=\"$1\">" 'at = index($0, id) { $0 = substr($0, at + length(id)); is_here = 1 }
        is_here { is_last = sub(/<\/script>.*/, ""); print; if (is_last) exit }' "$folder/lesson.html" | base64 -d | gunzip
}
check 'it holds the weights' cmp <(held weights) "$tree/weights/default.weights"
check 'and the engine' [ "$(held engine | head -c 4 | tail -c 3)" = asm ]
check 'every formula has the line that computes it' \
    [ "$(grep -c '<p class="source"><span>engine/plain/[a-z]*\.c:[0-9]*</span> <code>.' "$folder/lesson.html")" = \
    "$(grep -vc '^#' tools/study/lesson/sources.tsv)" ]

# ---- Other weights, own sentences, no vectors ----
# They are named as a user names them, from the folder that has them.
"$programs/encode-new" -o "$folder/small.weights" --layers 6 --width 48 --heads 12 --position learned --max-tokens 40 \
    --name 'small one' --words 'I ride bike dog bites man king queen woman wolf football tennis red green' 2>/dev/null
run env -C "$folder" SHARED_DIR="$folder/none" "$lesson" -m small.weights -s "don't stop|yes" small.html
check 'other weights' [ $code = 0 ]
check 'are named' grep -q '"file": "small.weights"' "$folder/small.html"
check 'words are in the plane without vectors of GloVe too' [ "$(grep -c 'src="data:image/png' "$folder/small.html")" -ge 17 ]
check 'it begins with these sentences' grep -qF "\"sentences\": [\"don't stop\", \"yes\"]" "$folder/small.html"

# A page over the limit is refused.
"$programs/encode-new" -o "$folder/wide.weights" --layers 1 --width 1024 --heads 2 --position sinusoidal \
    --words 'I ride bike dog bites man' 2>/dev/null
echo old >"$folder/kept.html"
run env SHARED_DIR="$folder/none" "$lesson" -m "$folder/wide.weights" "$folder/kept.html"
ends 'a page that is too large' 1 'its limit is 12000000'
check 'the page stays as it was' [ "$(cat "$folder/kept.html")" = old ]

finish
