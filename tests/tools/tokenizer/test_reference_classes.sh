#!/usr/bin/env bash
# tags: long
# The files of a tokenizer: each directory of reference_classes.jsonl is refused by name, or gives the ids of
# AutoTokenizer of transformers 5.24, and of 4.57 unless those differ; --as gives those of either. DeBERTa is trained
# with the ids of 4.57.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cases=$tree/tests/tools/tokenizer/reference_classes.jsonl
cd "$folder" || exit 1

# Imports the directory with these options, and compares the ids with those of a version.
gives() {
    local name=$1 version=$2
    shift 2
    run "$programs/encode-import" --tokenizer-only directory -o words.weights "$@"
    check "$name: accepted" [ "$code" = 0 ]
    run "$programs/encode" -m words.weights --tokens --format ids <texts
    jq -r --arg version "$version" '.ids[$version][] | map(tostring) | join(" ")' <<<"$line" >expected
    check "$name: the ids of transformers $version $*" cmp -s expected out
}

while read -r line; do
    name=$(jq -r .name <<<"$line") words=$(jq -r '.words // ""' <<<"$line")
    rm -rf directory words.weights && mkdir directory
    jq -r '.files | to_entries[] | .key, (.value | if type == "string" then . else tojson end | @base64)' <<<"$line" |
        while read -r file && read -r text; do
            base64 -d <<<"$text" >"directory/$file"
        done
    jq -r '.texts[]' <<<"$line" >texts
    if [ -n "$words" ]; then
        run "$programs/encode-import" --tokenizer-only directory -o words.weights
        ends "$name" 1 "$words"
        grep -q 'or --as transformers-5' err || continue
    else
        [[ $name = DeBERTa* ]] && usual=4.57 || usual=$(jq -r 'if .ids["5.24"] then "5.24" else "4.57" end' <<<"$line")
        gives "$name" "$usual"
        [ "$(jq '.ids["5.24"] == .ids["4.57"]' <<<"$line")" = false ] || continue
    fi
    for version in $(jq -r '.ids | to_entries[] | select(.value != null) | .key' <<<"$line"); do
        gives "$name" "$version" --as "transformers-${version%%.*}"
    done
done <"$cases"
finish
