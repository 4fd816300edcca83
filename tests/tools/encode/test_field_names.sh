#!/usr/bin/env bash
# One name for a field: every column of CSV has the name that the field has in JSON.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
encode=$programs/encode
model() { "$programs/encode-new" -o "$1" --width 8 --max-tokens 16 --words 'I ride bike man dog [MASK]' "${@:2}" 2>err; }
model plain
model labels --labels good,bad
model entities --head token --labels O,B-x --scores softmax
model long --max-text-tokens 4

# What JSON says by where a value is: `index` of a list of texts, numbers of a vector (v0), and positions that are one
# array: begin and end of a span.
in_json() { # TITLE
    case $1 in
    index | token_index | begin | end | window_begin | window_end | v[0-9]*) return 0 ;;
    esac
    grep -qF "\"$1\": " json
}
same_names() { # WHAT ARGUMENTS...
    local what=$1 title titles
    shift
    run "$encode" "$@" -f json
    cp out json
    check "$what: JSON" [ "$code" = 0 ]
    run "$encode" "$@" -f csv
    check "$what: CSV" [ "$code" = 0 ]
    IFS=, read -ra titles < <(head -n 1 out | tr -d '\r')
    check "$what: titles" [ ${#titles[@]} -gt 1 ]
    for title in "${titles[@]}"; do
        check "$what: '$title' is in JSON, too" in_json "$title"
    done
}
same_names vectors -m plain -p mean 'I ride' --pair 'a dog'
same_names tokens -m plain --tokens 'I ride' --pair 'a dog' --pad-to 12
same_names windows -m long -p mean --on-long chunk I --pair 'I ride bike man dog I ride'
same_names labels -m labels --labels --all 'I ride' --pair bike
same_names entities -m entities --entities 'I ride' --pair 'bike dog man ride I'
same_names 'words for a mask' -m "$tree/weights/default.weights" --fill 'I ride a [MASK]' --pair 'the [MASK] sat'
same_names 'ranks' -m plain --rank 'I ride' 'a dog' bike
same_names 'ranks in order' -m plain --rank 'I ride' --in-order 'a dog' bike
printf '%s\n' '["I ride", "bike"]' >pairs
run "$programs/encode-compare" pairs -m plain --input jsonl -f json <pairs
cp out json
run "$programs/encode-compare" pairs -m plain --input jsonl -f csv <pairs
for title in $(head -n 1 out | tr -d '\r' | tr , ' '); do
    check "pairs: '$title' is in JSON, too" in_json "$title"
done
finish
