#!/usr/bin/env bash
# tools/lesson.sh as a user runs it: its pages are whole, lead nowhere else, show pictures that are there,
# and no number of the articles differs.
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
check 'two folders' [ $code = 2 ]
run "$lesson" -m "$folder/missing" "$folder/none"
check 'a weight file that is not there' [ $code = 1 ]
check 'is named' says "cannot read '$folder/missing'"
check 'and nothing is made' [ ! -e "$folder/none" ]
run env BUILD="$folder/missing" "$lesson" "$folder/none"
check 'no programs' says 'make first'

# Without gnuplot there is a message. The folder of programs is made of links to all others.
mkdir "$folder/bin"
for name in bash env dirname basename sed head mktemp cat rm mkdir grep awk; do
    ln -s "$(command -v $name)" "$folder/bin/$name"
done
run env PATH="$folder/bin" "$lesson" "$folder/none"
check 'without gnuplot it fails' [ $code = 1 ]
check 'and says so' says 'gnuplot draws the pictures and is not there'
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
wrong_rows() { # how many rows of one number and one text that differ count as wrong
    bash -c 'tree=$0 work=$1 out=$1/value page=$1/page
        . "$tree/tools/lesson/page.sh"; . "$tree/tools/lesson/articles.sh"
        number what 1 1 1e-6 "echo 1.1" && text what a a "echo b" && number what 1 1 1e-6 "false; exit 1"
        text what "a b" "a b" "echo a; echo b"; echo $n_wrong $n_right' "$tree" "$folder" 2>/dev/null
}
check 'rows that differ are counted' [ "$(wrong_rows)" = '3 1' ]

# ---- What a page is made of ----
list_of() { # TITLE: the line of the list of steps
    bash -c 'tree=$0 work=$1 n_steps=0 contents=""
        . "$tree/tools/lesson/page.sh"; page_begin page.html T; put_contents; step here "$2"; page_end "$1/page.html.whole"
        grep "^<li>" "$1/page.html.whole"' "$tree" "$folder" "$1" 2>/dev/null
}
check 'a title of any characters is in the list' [ "$(list_of 'Salt & pepper, \1 \& <b>')" = \
    '<li><a href="#here">Salt &amp; pepper, \1 \&amp; &lt;b&gt;</a></li>' ]

# ---- A run that fails ----
echo 'no weights' >"$folder/text.weights"
mkdir "$folder/kept"
echo old >"$folder/kept/scores.jsonl"
for name in kept fresh; do
    run "$lesson" -m "$folder/text.weights" "$folder/$name"
    check "$name: what is no weight file" [ $code = 1 ]
    check "$name: is said" says 'this failed: encode --tokens'
done
check 'a folder stays as it was' [ "$(ls -A "$folder/kept")" = scores.jsonl -a "$(cat "$folder/kept/scores.jsonl")" = old ]
check 'none is made' [ ! -e "$folder/fresh" ]

# ---- The pages ----
# Every tag is closed, in order; the pages are written so that XML's rules hold.
balanced() {
    awk '{ text = text $0 "\n" }
        END {
            while (match(text, /<[^>]*>/)) {
                tag = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                name = tag; sub(/[ \n].*/, "", name)
                if (tag ~ /^!/ || tag ~ /\/$/) continue
                if (tag !~ /^\//) { stack[++n] = name; continue }
                if (stack[n--] != substr(name, 2)) { print "closes " tag ", open is " stack[n + 1]; exit 1 }
            }
            if (n || text ~ /[<>]/) { print n " tags are open"; exit 1 }
        }' "$1"
}

whole() { # a page
    balanced "$1" || return 1
    ! command -v xmllint >/dev/null || xmllint --noout "$1"
}

# Each src and href of a page is a file in its folder, or a place in the page or a page there.
links_lead_somewhere() { # FOLDER PAGE
    local link file place
    while read -r link; do
        file=${link%%#*} place=${link#"${link%%#*}"}
        case $file in
        *[/:]*) echo "leads outside: $link"; return 1 ;;
        esac
        file=$1/${file:-$2}
        [ -s "$file" ] || { echo "not there: $link"; return 1; }
        [ -z "$place" ] || grep -q "id=\"${place#\#}\"" "$file" || { echo "no such place: $link"; return 1; }
    done < <(grep -oE '(src|href)="[^"]*"' "$1/$2" | sed -E 's/^[a-z]+="(.*)"$/\1/')
}

alone() { # nothing is fetched or run
    ! grep -nEi '<(script|iframe|object|embed|link|base)|https?://|@import|url\(|[[:space:]]on[a-z]+="' "$1"
}

pictures_are_drawn() { # FOLDER PAGE LEAST: at least so many, each an SVG with something in it and words for who cannot see it
    local name n=0
    while read -r name; do
        n=$((n + 1))
        grep -q '<svg' "$1/$name" && grep -qE '<(path|rect|polygon|image|line|circle|use)' "$1/$name" || {
            echo "nothing is drawn in $name"
            return 1
        }
    done < <(grep -oE '<img src="[^"]*"' "$1/$2" | sed 's/.*="//; s/"$//')
    [ "$n" -ge "$3" ] && ! grep -q 'alt=""' "$1/$2" && [ "$(grep -c '<img' "$1/$2")" = "$(grep -cE '<img .*alt="[^"]+' "$1/$2")" ]
}

run "$lesson" "$folder/lesson"
check 'the lesson runs, and no number of the articles differs' [ $code = 0 ]
for page in index.html articles.html; do
    check "$page: whole" whole "$folder/lesson/$page"
    check "$page: links" links_lead_somewhere "$folder/lesson" $page
    check "$page: alone" alone "$folder/lesson/$page"
    check "$page: pictures" pictures_are_drawn "$folder/lesson" $page 12
    check "$page: no machine's paths" [ "$(grep -c "$folder\|$tree" "$folder/lesson/$page")" = 0 ]
done
check 'the default weights: the passive is nearer' grep -q 'man is bitten by dog' "$folder/lesson/index.html"
whole_titles() { # no text of a picture is cut
    ! grep -l '…' "$1"/*.svg
}

check 'titles and names in pictures are whole' whole_titles "$folder/lesson"
check 'long messages break' grep -q '<span class="said">encode-' "$folder/lesson/index.html"
check 'nothing is left beside them' [ -z "$(find "$folder/lesson" -name '.lesson*')" ]
check 'it says how many' grep -qE '^wrote .*/index\.html: [0-9]+ steps, [0-9]+ pictures, .*[0-9]+ numbers and figures as there, 0 not' "$folder/out"
check 'the table names the norm' grep -q '7\.0710678' "$folder/lesson/articles.html"

# ---- Other weights, no vectors ----
# Few words, no layers, and positions of its own: what cannot be shown is said, and the rest is there.
"$programs/encode-new" -o "$folder/flat.weights" --layers 0 --width 16 --position learned --max-tokens 40 \
    --words 'the cat sat I ride bike' 2>/dev/null
run env SHARED_DIR="$folder/none" "$lesson" -m "$folder/flat.weights" "$folder/flat"
check 'a model without layers' [ $code = 0 ]
check 'says that there are no vectors' grep -q 'there are no vectors that know of meaning' "$folder/flat/index.html"
check 'and what it cannot show' grep -q 'Left out' "$folder/flat/index.html"
check 'on the terminal without tags' [ "$(grep -c 'left out:' "$folder/err")" -gt 1 -a "$(grep 'left out:' "$folder/err" | grep -c '[<>]\|&[a-z]*;')" = 0 ]
check 'and nothing that is true of the default weights alone' [ "$(grep -c 'default weights' "$folder/flat/index.html")" = 0 ]
check 'and is whole' whole "$folder/flat/index.html"
check 'and its links lead somewhere' links_lead_somewhere "$folder/flat" index.html

finish
