#!/usr/bin/env bash
# Answers and errors have the form that the OpenAPI document of text-embeddings-inference describes. The document is
# fetched by tools/setup.sh serve; TEI_OPENAPI names another.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/serve/serve.sh
document=${TEI_OPENAPI:-$clients/openapi.json}
python=$clients/python/bin/python
if [ ! -s "$document" ] || ! "$python" -c 'import jsonschema' 2>/dev/null; then
    echo 'skipped: the OpenAPI document or jsonschema is not here (sh tools/setup.sh serve)'
    exit 77
fi

new_model() { # NAME OPTION...
    "$programs/encode-new" -o "$folder/$1.weights" --words 'I ride bike a' --layers 1 --width 32 --truncate yes \
        --add-token '[CLS]' --add-token '[SEP]' --template-single '[CLS]:0 A:0 [SEP]:0' \
        --template-pair '[CLS]:0 A:0 [SEP]:0 B:0 [SEP]:0' "${@:2}"
}
new_model labels --labels pos,neg
new_model ranker --labels like --scores sigmoid
new_model sparse --head mask --set sparse=mask
start_server
urls=("$url")
for name in labels ranker sparse; do
    start_server_of "$folder/$name.weights"
    urls+=("$url")
done
run "$python" "$tree/tests/serve/clients/openapi.py" "$document" "${urls[@]}"
cat "$folder/out"
check "all calls were made: $(tail -n 3 "$folder/err")" grep -qE '^[0-9]+ passed' "$folder/out"
read -r n_right n_wrong < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$folder/out")
n_passed=$((n_passed + n_right)) n_failed=$((n_failed + n_wrong))
finish
