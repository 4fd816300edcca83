#!/usr/bin/env bash
# README.md shows what the programs print: runs every "$ build/..." line of it and compares what follows
# up to the end of the block. Numbers with a point may differ in their last digits between
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
        [[ -z $command ]] || check "$command" "${shown%$'\n'}"
        command=${line#'$ '} shown=''
    elif [[ -n $command && $line == '```' ]]; then
        check "$command" "${shown%$'\n'}"
        command=''
    elif [[ -n $command ]]; then
        shown+=$line$'\n'
    fi
done <README.md

echo "$n_passed passed, $n_failed failed"
[ $n_failed = 0 ] && [ $n_passed != 0 ]
