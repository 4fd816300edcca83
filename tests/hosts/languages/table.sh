#!/usr/bin/env bash
# Prints a table of the hosts in other languages: milliseconds from the start of a program's own code to its first vector,
# microseconds a text of the test (one text a call), lines of code without comments beside what is made of engine.h, and
# whether all bytes are the command's. A host whose language is missing is said to have skipped.
#
#     make all && BUILD=build tests/hosts/languages/table.sh
set -u
cd "$(dirname "$0")/../../.." || exit 1
code() { # FILE...: lines that are neither blank nor comments
    cat "$@" | grep -vcE '^[[:space:]]*(//|#|/?\*|$)'
}
declare -A files=(
    [node]='tools/hosts/node/index.mjs tools/hosts/node/library.mjs'
    [rust]='tools/hosts/rust/src/lib.rs tools/hosts/rust/build.rs'
    [java]='tools/hosts/java/src/main/java/libengine/Encoder.java tools/hosts/java/src/main/java/libengine/EngineException.java'
    [go]='tools/hosts/go/engine.go'
)
echo '| host | first vector | a text | lines | same bytes |'
echo '|---|---|---|---|---|'
for host in node go java rust; do
    # shellcheck disable=SC2086
    lines=$(code ${files[$host]})
    said=$("tests/hosts/languages/test_$host.sh" 2>&1)
    exit_code=$?
    speed=$(sed -n 's/^.*first vector, µs a text: //p' <<<"$said")
    case $exit_code in
    0) same=yes ;;
    77) same=$(grep -m 1 '^skipped: ' <<<"$said") ;;
    *) same=no ;;
    esac
    echo "| $host | ${speed%%, *} | ${speed##*, } | $lines | $same |"
done
