# language.sh - what the tests of hosts in other languages share: calls as rows of a table, and what the command answers
# to them. A test sources it from the tree's root, and calls check_language with a program that makes the calls.
#
# Guarantee: the packages for Node, Rust, Java and Go give what the command prints, byte for byte.
# shellcheck shell=bash disable=SC2034,SC2154
. tests/tools/checks.sh
. tests/hosts/hosts.sh
export LIBENGINE_FOLDER=$programs ENCODE_MODEL=$tree/weights/default.weights MANY=${MANY:-20000}
made_by_setup=$tree/build/languages # by tools/setup.sh languages

new() { # NAME OPTION...
    "$programs/encode-new" -o "$1.weights" --words 'I ride bike bad dog' --width 16 --layers 1 "${@:2}" >/dev/null 2>&1
}
rows() { # OPTION...: of the command, as float32
    "$programs/encode" -f npy -o x.npy "$@" && tail -c +129 x.npy
}
floats() { # from JSON: decimals of float32, of which 9 digits are enough
    perl -ne 'print pack("f<*", /-?[0-9.]+(?:e-?\d+)?/g)'
}

# A program reads rows of nine columns, separated by tabs, and writes the answer of each to a file: numbers as they are
# in memory (float32; of hits uint64 and float32), tokens as a line "ID BEGIN END" each, an error as "error STATUS INDEX
# WORDS".
#     call out model role dimensions normalize prompt on_long file
# Calls: encode, pairs (two texts and a tab), ids (numbers and blanks), labels; rank (the first line is the query),
# tokens (of the first line), search (of each row in all rows, 3 hits); threads (8 encode the file 4 times: "same"),
# cancel (of a long call: its status), many ($MANY calls of one text: "flat" if memory is), closed ("closed" if calls
# after the end are refused), speed (milliseconds to the first vector of an encoder, microseconds a text).
make_cases() {
    cd "$folder" || exit 1
    new roles --metadata 'prompt.query=dog ' --metadata 'prompt.document=bad ' --metadata 'prompt.usual=bike ' --metadata default_prompt=usual
    new distance --normalize no --metadata similarity=euclidean
    new head --labels bad,good
    new token --head token --labels O,B-x,I-x --scores softmax
    new pairs --labels no,yes --scores none --metadata cross_encoder=yes
    new short --max-tokens 8
    sentences 500 >texts
    head -n 20 texts >some
    awk '{print $0 "\t" "a dog " NR}' some >two
    { printf 'word %.0s' $(seq 3000) && echo && echo 'I ride bike'; } >long
    printf '2 51 4315 4286 3\n2 250 795 3\n' >ids
    printf '2 3\n2 99999999 3\n' >bad_ids
    { echo 'who rides a bike?' && cat some; } >ranked
    echo 'naïve 東京 dogs' >tokens
    for _ in $(seq 40); do cat texts; done >many
    local default=$ENCODE_MODEL
    while read -r line; do printf '%s\n' "${line// /$'\t'}"; done >cases <<END
encode texts $default text 0 0 - model texts
pairs pairs $default text 0 0 - model two
ids ids $default text 0 0 - model ids
encode long $default text 0 0 - truncate long
encode columns $default text 64 0 - model some
encode length distance.weights text 0 1 - model some
encode usual roles.weights text 0 0 - model some
encode query roles.weights query 0 0 - model some
encode document roles.weights document 0 0 - model some
encode named roles.weights text 0 0 query model some
labels labels head.weights text 0 0 - model some
labels of_tokens token.weights text 0 0 - model some
rank rank $default text 0 0 - model ranked
rank cross pairs.weights text 0 0 - truncate ranked
tokens tokens $default text 0 0 - model tokens
search search $default text 0 0 - model some
encode too_long $default text 0 0 - error long
ids bad_ids $default text 0 0 - model bad_ids
encode bad_prompt roles.weights text 0 0 none model some
encode no_file no.weights text 0 0 - model some
labels no_labels $default text 0 0 - model some
threads threads $default text 0 0 - model some
cancel cancel $default text 0 0 - model many
many memory roles.weights text 0 0 - model some
closed closed $default text 0 0 - model some
speed speed $default text 0 0 - model some
END
    mkdir -p expected
    jsonl() { perl -ne 'chomp; my @p = map {s/(["\\])/\\$1/gr} split /\t/; print "[\"$p[0]\", \"$p[1]\"]\n"' "$1"; }
    rows -p model <texts >expected/texts
    rows -p model --input jsonl < <(jsonl two) >expected/pairs
    rows -p model --input jsonl < <(sed 's/ /, /g; s/.*/{"ids": [&]}/' ids) >expected/ids
    rows -p model --on-long truncate <long >expected/long
    rows -p model --dimensions 64 <some >expected/columns
    rows -m distance.weights -p mean --normalize <some >expected/length
    rows -m roles.weights -p model <some >expected/usual
    rows -m roles.weights -p model --prompt query <some >expected/query
    rows -m roles.weights -p model --prompt document <some >expected/document
    cp expected/query expected/named
    "$programs/encode" -m head.weights --labels -f json <some | jq .score | floats >expected/labels
    "$programs/encode" -m token.weights --labels -f json <some | jq '.tokens[].score' | floats >expected/of_tokens
    "$programs/encode" --rank "$(head -n 1 ranked)" --in-order -f json <some | jq .score | floats >expected/rank
    "$programs/encode" -m pairs.weights --on-long truncate --rank "$(head -n 1 ranked)" --in-order -f json <some |
        jq .score | floats >expected/cross
    "$programs/encode" --tokens -f json <tokens | jq -r '.tokens[] | "\(.id) \(.span[0]) \(.span[1])"' >expected/tokens
    "$programs/encode" -p model -f npy -o some.npy <some
    "$programs/encode-search" -k 3 -f json some.npy <some |
        jq -r '.hits[] | "\(.row // .index) \(.score)"' | perl -ne 'print pack("Q<f<", split)' >expected/search
    echo same >expected/threads
    echo 'error 12 -1' >expected/cancel
    echo flat >expected/memory
    echo closed >expected/closed
}
jsonl() { # FILE: pairs of texts as lines of JSON
    perl -ne 'chomp; print "[", join(", ", map {s/(["\\])/\\$1/gr =~ s/.*/"$&"/r} split /\t/), "]\n"' "$1"
}
# What is wrong, where, and some of the words.
errors=('too_long error 8 0 .*3002 tokens' 'bad_ids error 1 1 .*99999999' 'bad_prompt error 1 -1 .*none'
    'no_file error 3 -1 .*no.weights' 'no_labels error 6 -1 .*label')

check_language() { # NAME COMMAND...: leaves bytes=yes if all bytes are those of the command
    local name=$1 out
    shift
    mkdir -p answers && rm -f answers/*
    run timeout 500 "$@" cases answers
    check "$name: the program: exit code $code" [ "$code" = 0 ]
    [ "$code" = 0 ] || return
    for out in expected/*; do
        check "$name: $(basename "$out")" cmp "$out" "answers/$(basename "$out")"
    done
    for out in "${errors[@]}"; do
        check "$name: ${out%% *}" grep -qE "^${out#* }" "answers/${out%% *}"
    done
    echo "$name: first vector, µs a text: $(cat answers/speed)"
}
