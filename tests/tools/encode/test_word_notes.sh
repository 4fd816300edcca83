#!/usr/bin/env bash
# What is said of texts whose words the default weights do not have, or have in pieces only: how many, with a share.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1

german=("Meine Schwester wohnt in einem kleinen Haus" "Gestern haben unsere Nachbarn lange gearbeitet")
pieces="in pieces: names, terms, or a language that the model was not made for"

run "$programs/encode" -p mean "${german[0]}"
ends "a text in German" 0 "$pieces"
printf '%s\n' "I ride bike" "${german[@]}" >lines
run "$programs/encode" -p mean -f csv <lines
ends "lines in German" 0 "2 of 3 texts (67 %) have most of their words $pieces"
check "said once" [ "$(grep -cF "$pieces" err)" = 1 ]
{ for i in {1..101}; do echo "I ride bike"; done && echo "${german[0]}"; } >lines
run "$programs/encode" -p mean -f csv <lines
check "one in a hundred is not reported" [ ! -s err ]
run "$programs/encode" -p mean "The dog runs through the green forest of my sister"
check "nothing is said of English" [ ! -s err ]
for i in 1 2 3 4 5 6 7 8; do echo "ꙮꙮ ⷠⷡ ꙁꙂ$i"; done >lines
run "$programs/encode" -p mean -f csv <lines
ends "unknown words" 0 "texts of unknown words get nearly the same vector"
check "how many are unknown" grep -q '8 of 8 .*: the model knows less than half of their words$' err
run "$programs/encode" -p mean --rank "${german[0]}" "I ride bike" "the dog"
check "of --rank the query" grep -qF "$pieces" err
finish
