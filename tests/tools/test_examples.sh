#!/usr/bin/env bash
# tags: no-coverage
# The programs of tools/examples/ compile against the public headers alone, without a warning, and print what their
# comments promise.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
export ENCODE_MODEL=$tree/weights/default.weights LD_LIBRARY_PATH=$programs
cd "$folder" || exit 1
mkdir include
cp "$tree"/engine/engine*.h include
run "$programs/encode-new" --width 32 --labels bad,good -o classifier.weights
check 'a classifier' [ "$code" = 0 ]
run "$programs/encode-new" --width 64 -o random.weights
check 'a model' [ "$code" = 0 ]

example() { # NAME CODE ARGUMENT...: compiles and runs it; numbers with a point lose all digits but the first of them
    local name=$1 expected=$2
    shift 2
    run "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$tree/tools/examples/example_$name.c" \
        -Iinclude -L"$programs" -lengine -pthread -o "$name"
    check "$name compiles" [ "$code" = 0 ]
    [ "$code" = 0 ] || return
    run "./$name" "$@"
    check "$name: exit code $code, expected $expected" [ "$code" = "$expected" ]
    check "$name prints" diff <(sed -E 's/(\.[0-9])[0-9]+/\1/g' out) -
}

n_examples=$(find "$tree/tools/examples" -name '*.c' | wc -l)
check "five examples, each tried below: $n_examples" [ "$n_examples" = 5 ]
example threads 0 <<<'200 texts on 4 threads, 0 different vectors of the same text'
run ./threads no-such.weights
check 'a missing file is named' grep -qF "cannot open 'no-such.weights'" out
check "and fails: exit code $code" [ "$code" = 1 ]
example search 0 <<'END_OF_HITS'
who rides a bike?       0.5  a cycle ride to the sea
who rides a bike?       0.1  bread is baked at night
where do I get a loan?  0.5  the bank lends money
where do I get a loan?  0.0  bread is baked at night
END_OF_HITS
example labels 0 classifier.weights <<'END_OF_LABELS'
bad        0.5
good       0.4
END_OF_LABELS
run ./labels
check 'weights without labels are named' grep -qE '/default.weights has no labels of texts$' out
example models 0 random.weights <<'END_OF_MODELS'
default: width 256, score 0.9
random.weights: width 64, score 0.9
END_OF_MODELS
run ./models classifier.weights
check "a model without vectors of texts: exit code $code" [ "$code" = 1 ]
example errors 0 <<'END_OF_ERRORS'
ENGINE_ERROR_IO: cannot open 'no-such.weights': No such file or directory
ENGINE_ERROR_BUFFER: room for 0 of 256 numbers
ENGINE_ERROR_LENGTH: input 1 has 4001 tokens, the limit is 512: set on_long to ENGINE_ON_LONG_TRUNCATE to cut it
encoded; 3489 tokens of input 1 are left out
END_OF_ERRORS
finish
