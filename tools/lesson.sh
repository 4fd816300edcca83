#!/usr/bin/env bash
# A lesson about word order that runs: each step is one command with what it prints or draws here.
#
#     tools/lesson.sh [-m FILE] [-g VECTORS] [FOLDER]
#
# Writes FOLDER/index.html, the lesson; FOLDER/articles.html, every number and figure of four articles
# on positional encoding with the command that makes it; and their pictures. The script fails if a
# number is not the article's; if a step cannot be made, FOLDER stays as it was.
#   -m FILE     the weight file that the lesson looks at; default weights/default.weights
#   -g VECTORS  a text file of GloVe vectors; default that of $SHARED_DIR/text/glove, where there is one
#   FOLDER      default $BUILD/lesson
# BUILD: where the programs are (build). The steps are below, the pages' HTML is in lesson/page.sh, the
# articles are in lesson/articles.sh.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
cd "$tree"
programs=$(cd "${BUILD:-build}" 2>/dev/null && pwd) || { echo "lesson: no ${BUILD:-build}/: make first" >&2; exit 1; }
model=weights/default.weights vectors=

usage() {
    sed -n '4s/^# *//p' "$tree/tools/lesson.sh" >&2
    exit 2
}

while getopts m:g: option; do
    case $option in
    m) model=$OPTARG ;;
    g) vectors=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage
folder=${1:-$programs/lesson}

readable() { # FILE: its absolute path
    [ -r "$1" ] && [ -f "$1" ] || { echo "lesson: cannot read '$1'" >&2; exit 1; }
    printf '%s/%s' "$(cd "$(dirname "$1")" && pwd)" "$(basename "$1")"
}

if [ -z "$vectors" ]; then
    for vectors in "${SHARED_DIR:-../shared}"/text/glove/glove*.txt ''; do
        [ ! -r "$vectors" ] || break
    done
fi
model=$(readable "$model")
[ -z "$vectors" ] || vectors=$(readable "$vectors")
command -v gnuplot >/dev/null || {
    echo "lesson: gnuplot draws the pictures and is not there: sh tools/setup.sh installs it" >&2
    exit 1
}

# The commands run in a folder of their own, whose files are put in FOLDER when both pages are whole: a run
# that fails leaves there what there was.
is_new=no
[ -d "$folder" ] || is_new=yes
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder/.lesson.XXXXXX")
trap 'rm -rf "$work"; [ $is_new = no ] || rmdir "$folder" 2>/dev/null || :' EXIT
out=$work/out
mkdir "$work/made"
cd "$work/made"
export PATH="$programs:$PATH" ENCODE_MODEL="$model" MODEL="$model" VECTORS="$vectors" LC_ALL=C.UTF-8
n_steps=0 n_pictures=0 n_left_out=0 contents=''
. "$tree/tools/lesson/page.sh"
. "$tree/tools/lesson/steps.sh"
. "$tree/tools/lesson/articles.sh"

echo "lesson: $(basename "$model"), into $folder" >&2
make_inputs
lesson_page
articles_page
mv -f -- * "$folder/"
echo "wrote $folder/index.html: $n_steps steps, $n_pictures pictures, $n_left_out left out;" \
    "of the articles $n_right numbers and figures as there, $n_wrong not, $n_absent left out"
[ "$n_wrong" = 0 ]
