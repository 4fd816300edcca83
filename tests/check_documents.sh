#!/usr/bin/env bash
# The documents fit the tree: links lead somewhere; README.md files have at most 200 lines of at most 120 characters
# (a list at the end that a script prints is not counted), and what they name in code quotes exists: files, from the top
# or from the document's folder, and functions; the picture of the house is that of the includes, and the list in
# tests/README.md that of the suites, whose tags it lists.
# (What they show of programs: check_readme.sh.)
#
#     tests/check_documents.sh [ROOT]     ROOT: the tree to check, this one if absent
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
n_wrong=0

wrong() {
    echo "$1"
    n_wrong=$((n_wrong + 1))
}

# What a document has in code quotes and matches the expression.
names() { # DOCUMENT EXPRESSION
    grep -oE "\`$2\`" "$1" | tr -d '`' | sort -u
}

check_links() { # DOCUMENT FOLDER
    local target
    while read -r target; do
        [ -e "$2/${target%%#*}" ] || wrong "$1 links to $target, which is not there"
    done < <(grep -oE '\]\([^)]+\)' "$1" | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^(https?:|#)')
}

check_lines() { # DOCUMENT
    local line
    while read -r line; do
        wrong "$1:${line%%:*}: a line of more than 120 characters"
    done < <(LC_ALL=C.UTF-8 grep -nE '^.{121}' "$1")
    [ "$(sed '/^<!-- printed by/q' "$1" | wc -l)" -le 200 ] || wrong "$1: more than 200 lines"
}

check_names() { # DOCUMENT FOLDER
    local name
    while read -r name; do
        [ -e "$name" ] || [ -e "$2/$name" ] || wrong "$1 names $name, which is not there"
    done < <(names "$1" '[a-z][a-z0-9_./]*/[a-z0-9_./]*\.(c|h|sh|py|md)')
    while read -r name; do
        grep -rqw --include='*.[ch]' --include='*.sh' --include='*.py' -e "$name" engine model tools tests weights ||
            compgen -G "*/*/$name.*" >/dev/null || compgen -G "*/*/*/$name.*" >/dev/null ||
            wrong "$1 names $name, which is nowhere in the code"
    done < <(names "$1" '[a-z][a-z0-9]*_[a-z0-9_]+')
}

while read -r document; do
    folder=$(dirname "$document")
    check_links "$document" "$folder"
    if [ "$(basename "$document")" = README.md ]; then
        check_lines "$document"
        check_names "$document" "$folder"
    fi
done < <(find . -path ./build -prune -o -path './.git' -prune -o -name '*.md' -printf '%P\n' | LC_ALL=C sort)

if ! sed '1,/^<!-- printed by/d' tests/README.md | cmp -s - <(tests/guarantees.sh); then
    wrong 'tests/README.md does not end with what the suites guarantee: tests/guarantees.sh --write'
fi

while read -r tag; do
    grep -qE "^\|.*\`$tag\`.*\|" tests/README.md || wrong "a suite has the tag $tag, which tests/README.md does not list"
done < <(find tests -name 'test_*' -exec awk 'FNR > 2 {nextfile} sub(/^(\/[*]|#) tags: /, "")' {} + | tr -d '*/' | tr ' ' '\n' | grep . | sort -u)

if ! picture=$(tools/build/house.sh 2>&1); then
    wrong "tools/build/house.sh: $picture"
elif [ "$picture" != "$(cat tools/study/pictures/house.svg)" ]; then
    wrong 'tools/study/pictures/house.svg is not the house of these includes: make pictures'
fi

[ $n_wrong = 0 ]
