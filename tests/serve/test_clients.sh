#!/usr/bin/env bash
# Clients of npm and PyPI, unmodified, call a server: the vectors that they return are those of the command, to the last
# bit, and so are scores, ranks and counts of tokens; errors reach the user as the client's own.
#
# Guarantee: clients of OpenAI, Ollama, Hugging Face and Cohere return what `encode` prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/serve/serve.sh
python=$clients/python/bin/python
[ -x "$python" ] || python=python3
export ENCODE_MODEL=$tree/weights/default.weights

cat >"$folder/texts" <<'END'
I ride bike
bike ride I
a house is large, isn't it?
straße in 東京, naïve Ελλάδα
END
query='who rides a bike?'
vectors() { "$programs/encode" -f json -p model "$@" <"$folder/texts" | jq -s 'map(.vector)'; }
ranks() { "$programs/encode" -f json --rank "$query" <"$folder/texts" | jq -s "$1"; }
jq -n --argjson all "$(vectors)" --argjson short "$(vectors --dimensions 64)" \
    --argjson ranks "$(ranks 'map([.index, .score])')" --argjson scores "$(ranks 'sort_by(.index) | map(.score)')" \
    --argjson documents "$(ranks 'map(.text)')" --argjson tokens "$("$programs/encode" --tokens -f ids <"$folder/texts" | wc -w)" \
    '{$all, first: $all[:1], $short, $ranks, best: $ranks[:2], $scores, $documents, $tokens,
      model: "default", models: ["default", "other"], tags: ["default", "other"], capabilities: ["embedding"]}' >"$folder/expected"
given=$(jq -n --rawfile texts "$folder/texts" --arg query "$query" \
    --argjson ids "[$("$programs/encode" --tokens -f ids 'I ride bike' | tr ' ' ',')]" \
    '{texts: ($texts | split("\n") | .[:-1]), $ids, $query, long: ([range(600) | "word"] | join(" "))}')

start_server -m other="$ENCODE_MODEL"
if command -v node >/dev/null && [ -d "$clients/node_modules" ]; then
    node "$tree/tests/serve/clients/uses.mjs" "$clients" "$url" "$given" >"$folder/lines" 2>"$folder/err"
    check "node ends well: $(tail -n 3 "$folder/err")" [ $? = 0 ]
else
    skip 'clients of npm are not here (sh tools/setup.sh serve)'
fi
"$python" "$tree/tests/serve/clients/uses.py" "$url" "$given" >>"$folder/lines" 2>"$folder/err"
check "python ends well: $(tail -n 3 "$folder/err")" [ $? = 0 ]
run python3 "$tree/tests/serve/clients/check.py" "$folder/expected" <"$folder/lines"
cat "$folder/out" "$folder/err"
check "what clients received is compared" grep -qE '^[0-9]+ passed, [0-9]+ failed' "$folder/out"
read -r n_agree n_differ n_absent < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$folder/out")
n_passed=$((n_passed + n_agree)) n_failed=$((n_failed + n_differ)) n_skipped=$((n_skipped + n_absent))
finish
