#!/usr/bin/env bash
# tools/minimal.c, the sample of the README, on models that are not the default one: other widths, models that have a
# vector for each token only, projections. Its cosine is that of encode-compare similarity.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1

agrees() { # WHAT OPTION...: of encode-compare similarity
    local what=$1 cosine
    shift
    run "$programs/encode-compare" similarity -m model "$@" "I ride bike" "bike ride I"
    check "$what: encode: exit code $code" [ "$code" = 0 ]
    cosine=$(awk '$1 == 1 { print $3 }' out)
    run "$programs/minimal" model
    check "$what: exit code $code" [ "$code" = 0 ]
    check "$what: the cosine of encode, $cosine" awk -v expected="$cosine" \
        '{ exit !($1 == "cosine" && expected != "" && ($2 - expected) ^ 2 < 1e-8) }' out
}

for shape in "--width 8" "--width 48" "--width 384" "--width 64 --projections 1" "--width 64 --pooling cls"; do
    # shellcheck disable=SC2086 # words
    "$programs/encode-new" -o model --position learned $shape >/dev/null 2>&1
    agrees "$shape"
done
"$programs/encode-new" -o model --position learned --width 64 --pooling none >/dev/null 2>&1
agrees "a vector for each token" -p mean
"$programs/encode-new" -o model --width 64 --head mask --add-token '[MASK]' >/dev/null 2>&1
agrees "a model with a head" -p mean
finish
