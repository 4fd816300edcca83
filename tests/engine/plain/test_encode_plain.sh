#!/usr/bin/env bash
# encode-plain prints encode's table: of models in f32 the same digits, of the default weights, whose rounding to int8
# is not continuous, the same tokens and near values. It says what it cannot read, and traces every step.
set -u
cd "$(dirname "$0")/../../.." || exit 1
build=${BUILD:-build}
plain=$build/encode-plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_passed=0 n_failed=0

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED $name"
        head -n 20 "$work/log"
    fi
}

# Compares two tables: words and whole numbers as they are, numbers with four decimals within MOST.
near() { # MOST TABLE TABLE
    paste -d '\n' "$2" "$3" | awk -v most="$1" '
        function is_value(word) { return word ~ /^-?[0-9]+\.[0-9]+$/ }
        NR % 2 { n = split($0, of_one) }
        NR % 2 == 0 {
            n_lines++
            if (split($0, of_other) != n) exit 1
            for (i = 1; i <= n; i++) {
                gap = is_value(of_one[i]) ? of_one[i] - of_other[i] : of_one[i] != of_other[i]
                if (gap > most || -gap > most) { print NR, of_one[i], of_other[i]; wrong = 1 }
            }
        }
        END { exit wrong || n_lines < 2 }'
}

same() { # MOST MODEL TEXT: the table of encode and that of encode-plain
    "$build/encode" -m "$2" "$3" | tail -n +4 >"$work/one" && "$plain" -m "$2" "$3" >"$work/other" &&
        near "$1" "$work/one" "$work/other"
}

refuses() { # WORDS ARGUMENTS...
    local words=$1
    shift
    ! "$plain" "$@" >"$work/out" 2>"$work/error" && grep -qF -e "$words" "$work/error"
}

"$build/encode-new" -o "$work/toy.weights" --layers 2 --width 24 --heads 3 --position sinusoidal \
    --words "I ride bike" 2>/dev/null
"$build/encode-new" -o "$work/gated.weights" --layers 2 --width 32 --heads 4 --norm rms --norm-place pre --gate first \
    --activation silu --set attention_position=rotary --mask causal --words "I ride bike" 2>/dev/null
"$build/encode-new" -o "$work/short.weights" --layers 0 --width 8 --max-tokens 40 --words "I ride bike" 2>/dev/null
"$build/encode-new" -o "$work/typed.weights" --layers 0 --width 8 --token-types 2 --words "I ride bike" \
    --add-token '[CLS]' --template-single '[CLS]:1 A:0' 2>/dev/null
"$build/encode-new" -o "$work/keras.weights" --layers 0 --width 8 --keras --words "I ride bike" 2>/dev/null
for text in 'I ride bike' 'bike  ride unknown I' ' I '; do
    check "sinusoidal, '$text'" same 1e-4 "$work/toy.weights" "$text"
    check "rotary and causal, '$text'" same 1e-4 "$work/gated.weights" "$text"
done
for head in pooler 'token --labels a,b'; do
    "$build/encode-new" -o "$work/head.weights" --layers 1 --width 24 --heads 3 --head $head --head-dense tanh \
        --set max_text_tokens=9 --words "I ride bike" 2>/dev/null
    check "a file with the head $head" same 1e-4 "$work/head.weights" 'I ride'
done
for text in 'I ride bike' "Motörhead's 自転車 unfahrbar!" 'Élan, 3.14' 'unfahrbarᇈ 豈a'; do
    check "default weights, '$text'" same 0.5 weights/default.weights "$text"
done
"$build/encode" -m "$work/toy.weights" "I bike" | tail -n +4 | sed 's/ [0-9]-[0-9]/   -/' >"$work/one"
"$plain" -m "$work/toy.weights" --ids "0 2" >"$work/other"
check 'ids' near 1e-4 "$work/one" "$work/other"
"$plain" -m "$work/toy.weights" --trace 'I ride bike' >"$work/trace"
for step in 'scale · token + type  [3, 24]' 'layers.1.attention.qkv: x·Wᵀ + b  [3, 72]' \
    'layers.0 head 2: scale · q·kᵀ + bias  [3, 3]' \
    'layers.0 head 2: softmax(scale · q·kᵀ + bias)  [3, 3]' 'layers.1.feed_forward.norm: LayerNorm(x)  [3, 24]'; do
    check "trace: $step" grep -qxF "$step" "$work/trace"
done
check 'trace: the id and the bytes of a token' grep -qx ' *1  ride   *[0-9]*  *2-6' "$work/trace"
rows_of() { awk -v step="$1" 'n-- > 0 { printf "%s ", $1 } index($0, step) == 1 { n = 3 }' "$work/trace"; }
check 'rows of steps begin with their tokens' [ "$(rows_of 'scale · token')$(rows_of 'layers.1.attention.qkv')" = \
    'I ride bike I ride bike ' ]
check 'the table ends the trace' grep -q '^ *2  bike ' "$work/trace"
check 'a file that is none' refuses 'not a weight file' -m README.md x
check 'no file' refuses '; try -m FILE' -m "$work/none" x
check 'ids that are none' refuses 'numbers between blanks' --ids 'a b'
check 'an id that is not in the table' refuses 'id 99' -m "$work/toy.weights" --ids 99
check 'an id that is no number of 32 bits' refuses 'too large' --ids 4294967298
check 'ids beyond the limit' refuses '41 tokens: the model takes 40' -m "$work/short.weights" --ids "$(yes 0 | head -n 41)"
check 'a text beyond the limit' refuses '41 tokens, the limit is 40' -m "$work/short.weights" "$(yes I | head -n 41)"
check 'an added token in the text' refuses 'as [MASK]' 'the [MASK] barks'
check 'a type in the frame' refuses 'other types than 0' -m "$work/typed.weights" I
check 'a tokenizer that is not here' refuses "not BERT's" -m "$work/keras.weights" I
check 'no text' refuses usage -m "$work/toy.weights"

# Where memory suffices for the loader, and so for the usage, its end is a message and status 1, never a signal.
memory_ends() {
    local kb status n_ended=0 ids
    ids=$(yes 0 | head -n 200)
    for ((kb = 2000; kb < 40000; kb += 250)); do
        (ulimit -v $kb && exec "$plain") >"$work/out" 2>&1
        [ $? = 2 ] || continue
        (ulimit -v $kb && exec "$plain" -m "$work/toy.weights" --ids "$ids") >"$work/out" 2>"$work/error"
        status=$?
        [ $status = 0 ] || { [ $status = 1 ] && grep -q memory "$work/error"; } || return 1
        ((n_ended += status == 1))
    done
    [ $n_ended -gt 0 ]
}
[[ $build == *asan* || $build == *tsan* ]] || check 'memory ends' memory_ends
echo "$n_passed passed, $n_failed failed"
[ $n_failed = 0 ]
