#!/usr/bin/env bash
# tokenizer.json with tokenizer_config.json, special_tokens_map.json and config.json: each directory of
# reference_classes.jsonl is refused by name, or gives the ids of AutoTokenizer of transformers 4.57 and 5.23.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cases=$tree/tests/tools/tokenizer/reference_classes.jsonl
cd "$folder" || exit 1

while read -r line; do
    name=$(jq -r .name <<<"$line") words=$(jq -r '.words // ""' <<<"$line")
    rm -rf directory words.weights && mkdir directory
    jq -r '.files | to_entries[] | .key, (.value | tojson)' <<<"$line" | while read -r file && IFS= read -r text; do
        printf '%s\n' "$text" >"directory/$file"
    done
    run "$programs/encode-import" --tokenizer-only directory -o words.weights
    if [ -n "$words" ]; then
        ends "$name" 1 "$words"
        continue
    fi
    check "$name: accepted" [ "$code" = 0 ]
    jq -r '.texts[]' <<<"$line" >texts
    run "$programs/encode" -m words.weights --tokens --format ids <texts
    for version in $(jq -r '.ids | to_entries[] | select(.value != null) | .key' <<<"$line"); do
        jq -r --arg version "$version" '.ids[$version][] | map(tostring) | join(" ")' <<<"$line" >expected
        check "$name: the ids of transformers $version" cmp -s expected out
    done
done <"$cases"
finish
