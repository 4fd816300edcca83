#!/usr/bin/env bash
# tags: long
# encode-fetch, beside a server on loopback in the Hub's form: it keeps only files that have the Hub's checksums, of one
# commit, and resumes after a kill.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
fetch=$programs/encode-fetch
unset HF_ENDPOINT HF_TOKEN HF_HUB_OFFLINE
export no_proxy='*'
if ! command -v curl >/dev/null || ! command -v python3 >/dev/null; then
    echo 'skipped: curl or python3 is not here'
    n_skipped=1
    finish
fi
hub=$tree/tests/tools/fetch/hub.py
cd "$folder" || exit 1
mkdir hub work
python3 "$hub" make "$folder/hub/model" || exit 1
python3 "$hub" serve "$folder/hub/model" "$folder/hub/log" >port &
server=$!
trap 'kill $server; rm -rf "$folder"' EXIT
for _ in {1..30000}; do [ ! -s port ] || break && sleep 0.02; done
HF_ENDPOINT=http://127.0.0.1:$(cat port)/
export HF_ENDPOINT
table=model-00001-of-00002.safetensors
cd work || exit 1

# ---- What is fetched ----
run "$fetch" org/model
ends 'a model' 0 'wrote model.weights: BertModel'
check 'every file of it, and no other' diff -r "$folder/hub/model" model --exclude README.md --exclude .fetched
check 'no other' [ ! -e model/README.md ] && check 'no rest' [ ! -e model/.fetch ]
check 'the files after the first are of its commit' [ "$(cut -d' ' -f3 ../hub/log | grep /resolve/main/ | sort -u)" = /org/model/resolve/main/modules.json ]
"$programs/encode-import" "$folder/hub/model" -o direct.weights --name model 2>/dev/null
check 'it encodes' "$programs/encode" -m model.weights -p model 'I ride bike' >"$folder/out" 2>"$folder/err"
check 'as imported from its source' diff <("$programs/encode" -m model.weights 'I ride') <("$programs/encode" -m direct.weights 'I ride')
: >../hub/log
run "$fetch" org/model --no-import
check 'again' [ "$code" = 0 ]
check 'fetches nothing' bash -c '! grep ^GET ../hub/log'
echo changed >model/config.json
run "$fetch" --revision=refs/pr/1 org/model -o other.weights -- --name other --weights bf16
ends 'another revision, and options of encode-import' 0 'wrote other.weights'
check 'a changed file is fetched again' cmp model/config.json "$folder/hub/model/config.json"
check 'a revision with a slash' grep -qF /resolve/refs%2Fpr%2F1/ ../hub/log
: >../hub/moved
run "$fetch" org/model moved --no-import
check 'relative redirects' diff -r "$folder/hub/model" moved --exclude README.md --exclude .fetched
rm ../hub/moved
mkdir ../others && mv ../hub/model/*.safetensors ../hub/model/*.index.json ../others
for name in sparse_linear.pt colbert_linear.pt artifact.metadata sentence_xlm-roberta_config.json pytorch_model-1.bin; do
    echo "$name" >../hub/model/$name
done
echo '{"weight_map": {"a": "pytorch_model-1.bin"}}' >../hub/model/pytorch_model.bin.index.json
run "$fetch" org/model more --no-import
check 'files of bge-m3, of ColBERT, of old models' diff -r "$folder/hub/model" more --exclude README.md --exclude .fetched
rm ../hub/model/{*.pt,*.metadata,*roberta*,*.bin*} && mv ../others/* ../hub/model

# ---- One model and one commit in a folder ----
run "$fetch" org/other moved
ends 'another model' 1 'moved has org/model: name another DIR'
echo 'org/model 0' >moved/.fetched
echo stale | tee moved/spiece.model >moved/model.safetensors
run "$fetch" org/model moved --no-import
check 'files of another commit go' diff -r "$folder/hub/model" moved --exclude README.md --exclude .fetched
rm moved/config.json && mkdir moved/config.json
run "$fetch" org/model moved --no-import
ends 'a folder in the place of a file' 1 'moved/config.json is a folder'
echo >blocked
run "$fetch" org/model blocked
ends 'a file in the place of the folder' 1 'cannot write blocked/.fetch'

# ---- Resumed after a kill ----
: >../hub/stall
setsid "$fetch" org/model killed -o killed.weights 2>/dev/null &
part=killed/.fetch/$(sha256sum <"../hub/model/$table" | cut -d' ' -f1).part
for _ in {1..30000}; do [ ! -s "$part" ] || break && sleep 0.02; done
kill -9 -- -$!
wait $! 2>/dev/null
check 'a part of a file is there, under no name of the model' [ -s "$part" ] && check 'so' [ ! -e "killed/$table" ]
rm ../hub/stall
run env HF_HUB_OFFLINE=1 "$fetch" org/model killed
ends 'offline it is incomplete' 1 'killed is incomplete'
: >../hub/log
run "$fetch" org/model killed -o killed.weights
ends 'resumed' 0 'wrote killed.weights'
check 'from there' grep -qE "^GET localhost .*$table bytes=[1-9][0-9]*-" ../hub/log
check 'the same files' diff -r "$folder/hub/model" killed --exclude README.md --exclude .fetched
rm "killed/$table" && mkdir killed/.fetch && head -c "$(wc -c <"../hub/model/$table")" /dev/zero >"$part"
run "$fetch" org/model killed --no-import
ends 'a part that is whole and wrong' 1 'the same command resumes it'
run "$fetch" org/model killed --no-import
check 'it does' diff -r "$folder/hub/model" killed --exclude README.md --exclude .fetched

# ---- Refused ----
: >../hub/flip
run "$fetch" org/model flipped -o flipped.weights
ends 'a wrong byte' 1 "$table: its checksum is"
check 'is not kept' [ ! -e "flipped/$table" ] && check 'and not imported' [ ! -e flipped.weights ]
rm ../hub/flip
run "$fetch" org/absent
ends 'no such model' 1 'org/absent at main: Repository not found'
check 'leaves no folder' [ ! -e absent ]
run "$fetch" org/model other --revision nonsense
ends 'no such revision' 1 'org/model at nonsense: Invalid rev id'
sed -i 's/00002-of/..\\u002f/; s/model-..\\u002f-00002/..\/..\/up/' ../hub/model/model.safetensors.index.json
run "$fetch" org/model up
ends 'a path that leads out' 1 "up.safetensors' is refused"
bash -c '"$0" org/model silent --no-import 2>&-' "$fetch"
check 'also without a stderr' [ $? = 1 ]
sed -i 's/[^"]*up.safetensors/*.safetensors/' ../hub/model/model.safetensors.index.json
run "$fetch" org/model glob
ends 'a pattern is no pattern' 1 "the path '*.safetensors' is refused"
printf hf_secret >../hub/token
run "$fetch" org/model gated
ends 'a gated model' 1 'HF_TOKEN must be a token that may read org/model'
: >../hub/log
run env HF_TOKEN=hf_secret "$fetch" org/model gated --no-import
check 'with the token it is read' [ -s gated/config.json ]
check 'which the host of large files does not get' bash -c '! grep "^[A-Z]* localhost .*secret" ../hub/log'
run env HF_HUB_OFFLINE=yes "$fetch" org/model none
ends 'offline without a model' 1 'HF_HUB_OFFLINE is set, and none has no model'
run env HF_HUB_OFFLINE=1 HF_ENDPOINT=http://127.0.0.1:1 "$fetch" org/model -o offline.weights
ends 'offline what is there is imported' 0 'wrote offline.weights'
run env HF_ENDPOINT=http://127.0.0.1:1 "$fetch" org/model elsewhere
ends 'no server' 1 'no answer'
run "$fetch"
ends 'no model' 2 "'' is not a model of the Hub; expected ORG/MODEL"
run "$fetch" org/model --nonsense
ends 'no option' 2 "'--nonsense' is not an option"
"$fetch" --help >/dev/full 2>&1
check 'a help that cannot be written' [ $? = 1 ]

# ---- What other programs have ----
"$fetch" --help-table | sed -n 's/^option\t\(--[a-z-]*\).*/\1/p' | sort >options
check 'the help has its options' diff options <("$fetch" --help | grep -o '^  [^A-Z]*--[a-z-]*' | grep -o -- '--.*' | sort)
check 'the manual has them' diff /dev/null <(while read -r name; do grep -qF "${name//-/\\-}" "$programs/man/encode-fetch.1" || echo "$name"; done <options)
check 'completion has them' bash -c '. "$0"; COMP_WORDS=(encode-fetch --) COMP_CWORD=1; _encode_fetch; printf "%s\n" "${COMPREPLY[@]}" | sort | diff - options' "$programs/completion/encode-fetch"
check 'its version is that of encode' [ "$("$fetch" --version)" = "encode-fetch $("$programs/encode" --help-table | sed -n 's/^program\tencode\t//p')" ]
finish
