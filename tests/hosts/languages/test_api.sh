#!/usr/bin/env bash
# tags: no-coverage
# What hosts in other languages know of engine.h: engine.json, and what is made of it for each of them. A changed
# header is found here, field by field.
#
# Guarantee: engine.json, and code made of it, is engine.h as the compiler sees it.
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
command -v python3 >/dev/null || { echo 'skipped: no Python' && exit 77; }
run python3 -B tools/hosts/api/describe.py --check
check 'the files are those of engine.h' [ $code = 0 ]
names() { jq -r ".$1" tools/hosts/api/engine.json | sort; }
check 'every function of the library' diff <(names 'functions[].name') \
    <(nm -D --defined-only --format=posix "$programs/libengine.so" | cut -d' ' -f1 | sort)
declared() { grep -ohE "$1" engine/engine*.h | grep -oE '[a-zA-Z_]+$' | sort -u; }
check 'every enum' diff <(names 'enums[].name') <(declared '^typedef enum \w+')
check 'every struct' diff <(names 'structs[].name, .opaque[]') <(declared '^(typedef )?struct \w+')
check 'every constant' diff <(names 'enums[].values[].name, .constants[].name') \
    <(grep -ohE '^#define ENGINE_\w+ +[("0-9].*|^    ENGINE_\w+ = [0-9]+' engine/engine*.h | grep -oE 'ENGINE_[A-Z0-9_]+' |
        grep -vxE 'ENGINE_STRUCT(_BYTES)?' | sort -u)
check 'comments' [ "$(jq '[.structs[].members[] | select(.comment != "")] | length' tools/hosts/api/engine.json)" -ge 90 ]

# Each change of a copy of the headers is found, and named.
mkdir -p "$folder/tools"
changed() { # WHAT SED FILE NAME
    rm -rf "$folder/engine" "$folder/tools/hosts"
    cp -r engine "$folder/engine" && cp -r tools/hosts "$folder/tools"
    sed -i "$2" "$folder/engine/$3"
    check "$1: a copy is changed" [ "$(diff "engine/$3" "$folder/engine/$3" | wc -l)" -gt 0 ]
    run python3 -B "$folder/tools/hosts/api/describe.py" --check
    ends "$1" 1 "$4"
}
changed 'a member more' 's/^    int whole_words;.*/&\n    int new_member;/' engine.h new_member
changed 'a member of another type' 's/^    int normalize;     /    size_t normalize;/' engine.h '"normalize", "type": "size_t"'
changed 'another value' 's/ENGINE_METRIC_DOT = 1/ENGINE_METRIC_DOT = 5/' engine_types.h ENGINE_METRIC_DOT
changed 'another argument' 's/const engine_model \*model, size_t label)/const engine_model *model, int label)/' \
    engine_answers.h '"label", "type": "int"'
changed 'another comment' 's/the largest value of each column/the greatest value/' engine.h 'the greatest value'
finish
