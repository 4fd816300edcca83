#!/usr/bin/env bash
# A lesson about word order, as one HTML file that a teacher shares.
#
#     tools/study/lesson.sh [-m FILE] [-g VECTORS] [-s SENTENCES] [PAGE]
#
# Writes PAGE: the way of a reader's own sentences through the model, computed in the page by the plain engine
# (engine/plain/, compiled to WebAssembly), and in a second tab each number and figure of four articles on positional
# encoding with the command that makes it. The script fails if a number of the articles is not what it must be, or if
# the page would be larger than 12 MB; PAGE then stays as it was.
#   -m FILE     the weight file in the page; default weights/default.weights. A reader can drop another one on it
#   -g VECTORS  a text file of GloVe vectors; default that of $SHARED_DIR/text/glove, where there is one
#   -s SENTENCES what the page begins with, one to three sentences of 1 to 12 words with | between them;
#               default 'I ride bike|dog bites man'
#   PAGE        default $BUILD/lesson.html
# BUILD: where the programs are (build). In lesson/: page/ is the page, with tools/common/page/, which encode-serve has
# too; browser.c what it calls, data.sh what it holds, articles.sh the tab.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
programs=$(cd "$tree" && cd "${BUILD:-build}" 2>/dev/null && pwd) || { echo "lesson: no ${BUILD:-build}/: make first" >&2; exit 1; }
model=$tree/weights/default.weights vectors= sentences=('I ride bike' 'dog bites man')

usage() {
    sed -n '4s/^# *//p' "$tree/tools/study/lesson.sh" >&2
    exit 2
}

fail() {
    echo "lesson: $*" >&2
    exit 1
}

while getopts m:g:s: option; do
    case $option in
    m) model=$OPTARG ;;
    g) vectors=$OPTARG ;;
    s) IFS='|' read -rd '' -a sentences < <(printf '%s\0' "$OPTARG") ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage
page=${1:-$programs/lesson.html}

readable() { # FILE: its absolute path
    [ -r "$1" ] && [ -f "$1" ] || fail "cannot read '$1'"
    printf '%s/%s' "$(cd "$(dirname "$1")" && pwd)" "$(basename "$1")"
}

if [ -z "$vectors" ]; then
    for vectors in "${SHARED_DIR:-$tree/../shared}"/text/glove/glove*.txt ''; do
        [ ! -r "$vectors" ] || break
    done
fi
model=$(readable "$model")
[ -z "$vectors" ] || vectors=$(readable "$vectors")
[ -d "$(dirname "$page")" ] && [ ! -d "$page" ] || fail "'$page' cannot be written: no such folder, or it is one"
export LC_ALL=C.UTF-8
[ ${#sentences[@]} -ge 1 ] && [ ${#sentences[@]} -le 3 ] || fail 'the page begins with one to three sentences'
for sentence in "${sentences[@]}"; do
    read -ra words <<<"$sentence"
    [ ${#words[@]} -ge 1 ] && [ ${#words[@]} -le 12 ] || fail "'$sentence' has ${#words[@]} words, and the page takes 1 to 12"
done
"$tree/tools/study/lesson/needs.sh" || exit 1
awk 'BEGIN { exit !(exp(0) + sqrt(4) == 3) }' 2>/dev/null || fail 'this awk cannot compute: gawk and mawk can'

# The page is written to a temporary file in its folder, and renamed when it is complete.
page=$(cd "$(dirname "$page")" && pwd)/$(basename "$page")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || :; wait; rm -rf "$work" "$page.new"' EXIT
mkdir "$work/numbers" "$work/tab"
cd "$work/numbers"
export PATH="$programs:$PATH"
. "$tree/tools/study/lesson/data.sh"
. "$tree/tools/study/lesson/articles.sh"

encode-inspect "$model" >model.settings || exit 1
[ "$(setting layers)" -gt 0 ] || fail "$model has no layers: there is no way through it to show"
sources "$work"
echo "lesson: $(basename "$model"), into $page" >&2
{
    cd "$work/tab"
    articles_tab >articles.html
    { articles_begin; cat articles.html; } >"$work/articles"
    articles_counts >"$work/counts"
} &
articles=$!
lesson_data >"$work/data"
packed "$work"
said "$work"
pictures "$work"
wait $articles || fail 'the articles cannot be made'

cat "$tree"/tools/study/lesson/page/*.html >"$work/page.html"
cat "$tree"/tools/common/page/*.js "$tree"/tools/study/lesson/page/*.js >"$work/js"
cat "$tree/tools/common/page/page.css" >"$work/css"
cat "$tree/tools/study/lesson/page/chain.svg" >"$work/chain"
# Of 200 words a minute.
echo $(($(sed 's/<[^>]*>//g' "$work/page.html" | wc -w) / 200)) >"$work/minutes"
awk -v work="$work" -f "$tree/tools/study/lesson/marks.awk" "$work/page.html" >"$page.new" ||
    fail 'the page cannot be put together'
bytes=$(wc -c <"$page.new")
[ "$bytes" -le 12000000 ] || fail "the page would have $bytes bytes, and its limit is 12000000: take smaller weights, and drop these on the page"
mv "$page.new" "$page"
echo "wrote $page: $((bytes / 1024)) KB; $(cat "$work/counts")"
! grep -q '[1-9][0-9]* wrong' "$work/counts"
