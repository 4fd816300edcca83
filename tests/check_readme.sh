#!/usr/bin/env bash
# The documents say what is true. README.md shows what the programs print: runs every "$ build/..." line of it
# and compares what follows up to the end of the block. Numbers with a point may differ in their last digits between
# instruction sets, so their digits are not compared.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
n_passed=0 n_failed=0

blur() {
    sed -E 's/-?[0-9]+\.[0-9]+(e-?[0-9]+)?/N/g; s/ +/ /g'
}

check() { # COMMAND SHOWN
    local printed
    printed=$(eval "${1//build\//$build/}" 2>&1)
    if diff <(blur <<<"$printed") <(blur <<<"$2") >&2; then
        n_passed=$((n_passed + 1))
    else
        echo "README.md is out of date: $1"
        n_failed=$((n_failed + 1))
    fi
}

command='' shown=''
while IFS= read -r line; do
    if [[ $line == '$ build/'* ]]; then
        command=${line#'$ '} shown=''
    elif [[ -n $command && $line == '```' ]]; then
        check "$command" "${shown%$'\n'}"
        command=''
    elif [[ -n $command ]]; then
        shown+=$line$'\n'
    fi
done <README.md

# ---- Every document ----
# Links lead somewhere. README.md files have at most 200 lines of at most 120 characters, and what they name in
# code quotes is there: files, from the top or from beside the document, and functions.

complain() {
    echo "$1"
    n_failed=$((n_failed + 1))
}

names() { # DOCUMENT EXPRESSION: what is in code quotes and matches
    grep -oE "\`$2\`" "$1" | tr -d '`' | sort -u
}

while read -r document; do
    folder=$(dirname "$document")
    while read -r target; do
        [ -e "$folder/${target%%#*}" ] || complain "$document links to $target, which is not there"
    done < <(grep -oE '\]\([^)]+\)' "$document" | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^(https?:|#)')
    [ "$(basename "$document")" = README.md ] || continue
    while read -r line; do
        complain "$document:${line%%:*}: a line of more than 120 characters"
    done < <(LC_ALL=C.UTF-8 grep -nE '^.{121}' "$document")
    while read -r file; do
        [ -e "$file" ] || [ -e "$folder/$file" ] || complain "$document names $file, which is not there"
    done < <(names "$document" '[a-z][a-z0-9_./]*/[a-z0-9_./]*\.(c|h|sh|py|md)')
    while read -r name; do
        grep -rqw --include='*.[ch]' --include='*.sh' --include='*.py' -e "$name" engine model tools tests weights ||
            compgen -G "*/*/$name.*" >/dev/null || compgen -G "*/*/*/$name.*" >/dev/null ||
            complain "$document names $name, which is nowhere in the code"
    done < <(names "$document" '[a-z][a-z0-9]*_[a-z0-9_]+')
    [ "$(wc -l <"$document")" -le 200 ] || complain "$document: more than 200 lines"
done < <(find . -path ./build -prune -o -path './.git' -prune -o -name '*.md' -print | sed 's|^\./||' | sort)

tools/house.sh | cmp -s - tools/pictures/house.svg || complain 'tools/pictures/house.svg is out of date: make pictures'

echo "$n_passed passed, $n_failed failed"
[ $n_failed = 0 ] && [ $n_passed != 0 ]
