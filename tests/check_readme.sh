#!/usr/bin/env bash
# README.md shows what the programs print: runs every "$ build/..." line of it and compares what follows
# up to the end of the block. Numbers with a point differ a little between instruction sets: they may
# be 0.005 apart. All else must be the same. What an earlier run wrote is removed: --resume would call it complete.
#
# Guarantee: the programs print what README.md shows.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
n_passed=0 n_failed=0
rm -f "$build"/licence.npy*

alike() { # PRINTED SHOWN
    awk -v most=0.005 '
        function is_decimal(word) { return word ~ /^-?[0-9]+[.][0-9]+(e-?[0-9]+)?$/ }
        function are_near(a, b) { return a - b <= most && b - a <= most }
        function same(a, b) { return is_decimal(a) && is_decimal(b) ? are_near(a, b) : a "" == b "" }
        NR == FNR { shown[FNR] = $0; n_shown = FNR; next }
        {
            n = split(shown[FNR], words)
            differs = n != NF
            for (i = 1; i <= NF; i++)
                differs = differs || !same($i, words[i])
            if (differs)
                print "README.md: " shown[FNR] "\nprinted:   " $0
            wrong = wrong || differs
        }
        END { exit wrong || FNR != n_shown }' <(echo "$2") <(echo "$1") >&2
}

check() { # COMMAND SHOWN
    local printed
    printed=$(eval "${1//build\//$build/}" 2>&1)
    if alike "$printed" "$2"; then
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
