#!/usr/bin/env bash
# The three floors: every include points down, no header includes itself in a circle, and the top level
# holds the agreed names only.
#
#     tests/check_layers.sh [ROOT]     ROOT: the tree to check, this one if absent
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
n_wrong=0

wrong() {
    echo "$1"
    n_wrong=$((n_wrong + 1))
}

# "FILE INCLUDED" for every quoted include of the files given.
includes() {
    find "$@" -name '*.[ch]' -exec grep -oE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' {} + 2>/dev/null |
        sed -E 's/:[^"]*"([^"]*)"/ \1/'
}

# Includes of FOLDER must match the expression.
allow() { # FOLDER EXPRESSION WORDS
    local file included
    while read -r file included; do
        [[ $included =~ $2 ]] || wrong "$file includes \"$included\"; $1/ may include $3"
        [ -f "$included" ] || wrong "$file includes \"$included\", which is not there (paths start at the root)"
    done < <(includes "$1" /dev/null)
}

allow model '^model/' 'model/ only'
allow engine '^(engine|model)/' 'engine/ and model/ only'
allow tools '^(tools/.*|engine/(engine|file/weight_writer|file/output_file)\.h)$' \
    'tools/, engine/engine.h, engine/file/weight_writer.h and engine/file/output_file.h only'

while read -r header; do
    wrong "$header knows the machine's threads; only engine/ schedules"
done < <(grep -lE '#[[:space:]]*include[[:space:]]+<(omp|pthread|threads|sched)\.h>' model/*.[ch] model/*/*.[ch] 2>/dev/null)

circle=$(includes engine model tools | grep -E '^[^ ]+\.h ' | tsort 2>&1 >/dev/null | grep '\.h$' | sed 's/^tsort: //')
[ -z "$circle" ] || wrong "headers include each other in a circle: ${circle//$'\n'/ }"

for name in *; do
    case $name in
    engine | model | tools | tests | weights | Makefile | README.md | LICENSE | build) ;;
    *) git check-ignore -q "$name" 2>/dev/null || wrong "$name does not belong at the top level" ;;
    esac
done

[ $n_wrong = 0 ]
