#!/usr/bin/env bash
# tags: no-coverage
# Runs the tests of the package for Python, tests/hosts/python/test_*.py, on the library of the build folder.
#
# Guarantee: the calls of the package for Python give what the command prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
[ -n "$python" ] || { echo 'skipped: no Python with NumPy (sh tools/setup.sh hosts)' && exit 77; }
cd "$folder" || exit 1
"$programs/encode-new" -o head.weights --width 32 --layers 2 --position learned --labels bad,good >/dev/null 2>&1
"$programs/encode-new" -o token.weights --words 'I ride bike' --width 8 --layers 1 --head token --labels O,B-x,I-x \
    --scores softmax >/dev/null 2>&1
"$programs/encode-new" -o vectors.weights --layers 1 --width 16 --heads 2 --set token_vectors=8 --set sparse=linear \
    --words 'I ride bike you house red big a the dog' >/dev/null 2>&1
"$programs/encode-new" -o states.weights --layers 3 --width 32 --pooling none --normalize no >/dev/null 2>&1
"$programs/encode-new" -o short.weights --layers 1 --width 16 --max-tokens 8 --max-text-tokens 7 >/dev/null 2>&1
"$programs/encode-new" -o cut.weights --layers 1 --width 16 --max-tokens 7 --truncate yes >/dev/null 2>&1
made() { "$programs/encode-new" -o "$1.weights" --words 'I ride bike bad dog' --width 8 --layers 1 "${@:2}" >/dev/null 2>&1; }
made pairs --labels no,yes --scores none --max-tokens 6 --truncate yes --metadata cross_encoder=yes \
    --metadata 'prompt.ask=bad ' --metadata default_prompt=ask
made nli --labels contradiction,neutral,Entailment
made roles --metadata 'prompt.query=dog ' --metadata 'prompt.passage=bad ' --metadata 'prompt.usual=bad ' \
    --metadata default_prompt=usual
made biased --projections 1
made first --pooling cls
for metric in cosine dot euclidean manhattan; do made "$metric" --normalize no --metadata "similarity=$metric"; done
TREE=$tree "$python" "$tree/tests/hosts/python/run.py"
