#!/usr/bin/env bash
# encode-new and where its words come from: Keras files that are odd or wrong, lists in other forms, files that cannot
# be read; and encode-inspect on what only few files have.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
new=$programs/encode-new inspect=$programs/encode-inspect plot=$programs/encode-plot encode=$programs/encode
cd "$folder" || exit 1

says() { grep -qF -- "$1" out; } # the last run's stdout has these words
ids() { "$encode" -m n.weights --tokens -f ids "$1"; }

# ---- Keras' Tokenizer.to_json() ----
keras() { # CONFIG WHAT CODE WORDS: encode-new reads a file with that configuration
    printf '%s' "{\"config\": {$1}}" >k.json
    run "$new" -o n.weights --width 4 --tokenizer k.json
    ends "$2" "$3" "$4"
}
map='"word_index": "{\"<o>\": 1, \"dog\": 2}"'
keras "$map, \"lower\": null, \"oov_token\": null" 'nulls leave the defaults' 0 'wrote'
check 'lower case is the default' [ "$(ids 'DOG cat')" = 2 ]
keras "$map, \"lower\": false, \"oov_token\": \"<o>\"" 'capitals are kept' 0 'wrote'
check 'capitals are kept' [ "$(ids 'DOG dog')" = '1 2' ]
keras "$map, \"lower\": \"no\"" 'a text for a flag' 1 "'lower' in 'config' is not true or false"
keras "$map, \"num_words\": true" 'a flag for a number' 1 "'num_words' in 'config' is not null or a whole number"
keras "$map, \"num_words\": 3000000000" 'too large a number' 1 "'num_words' in 'config' is not null"
keras "$map, \"filters\": 5" 'a number for a text' 1 "'filters' in 'config' is not a string"
keras "$map, \"oov_token\": \"zebra\"" 'an unknown word without id' 0 'unknown words are dropped, as Keras does'
keras '"word_index": {"dog": 1, "cat": 2}' 'a map that is no text' 0 'wrote'
check 'a map that is no text' [ "$(ids 'cat dog')" = '2 1' ]
keras '"lower": true' 'no words' 1 "'word_index' in 'config' is not a map: it is missing"
keras '"word_index": "[1]"' 'a list for a map' 1 "'word_index' in 'config' is not a map: it is something else"
keras '"word_index": 5' 'a number for a map' 1 "'word_index' in 'config' is not a map: it is something else"
keras '"word_index": "{"' 'half a map' 1 "'word_index' in 'config' is not a map: "
keras '"word_index": "{}"' 'an empty map' 1 'has no words'
keras '"word_index": "{\"a\": 1.5}"' 'half an id' 1 "an id in 'word_index' is not a whole number"
keras '"word_index": "{\"a\": -1}"' 'an id below 0' 1 'the id -1 is not one from 0 to'
nul='"word_index": "{\"a\\u0000b\": 1}"'
keras "$nul, \"index_word\": \"{\\\"1\\\": \\\"a\\\\u0000b\\\", \\\"2\\\": \\\"c\\\"}\"" 'a word with a NUL' 0 'wrote'
check 'its neighbour is there' [ "$(ids c)" = 2 ]
keras "$nul" 'a word with a NUL, and no other map' 1 "'index_word' in 'config' is not a map: it is missing"
for wrong in '{\"1\": 5}' '{\"\": \"a\"}' '{\"1x\": \"a\"}' '{\"1234567890\": \"a\"}'; do
    keras "$nul, \"index_word\": \"$wrong\"" "$wrong" 1 "'index_word' is not a map from ids to words"
done
keras "$nul, \"index_word\": {\"1\": \"a\", \"2\": \"a\"}" 'a word twice' 1 'the word with the id 2 has another id too'

# ---- Lists and words ----
list() { # BYTES WHAT CODE WORDS [OPTION ...]
    printf "$1" >list
    run "$new" -o n.weights --width 4 --tokenizer list "${@:5}"
    ends "$2" "$3" "$4"
}
list '\xEF\xBB\xBFa\nb\n[UNK]\n' 'a mark of UTF-8' 0 'wrote'
check 'the mark is no letter' [ "$(ids 'a b')" = '0 1' ]
list 'abc' 'a word alone' 0 '[UNK] is appended as id 1'
for blank in '\t' '\v' '\xC2\x85' '\xC2\xA0' '\xE2\x80\xA8' '\xE3\x80\x80'; do
    list "a${blank}b\n" "a blank: $blank" 1 'this token has a blank in it'
done
for broken in '\x80' '\xC3' '\xE0\x80\x80' '\xED\xA0\x80' '\xF0\x80\x80\x80' '\xF0\x9F\x98' '\xF4\x90\x80\x80' '\xF5'; do
    list "a${broken}b\n" "not UTF-8: $broken" 1 'line 1: not UTF-8'
done
for letter in '\x1F' '\xC3\xA9' '\xE2\x80\x8B' '\xEF\xBF\xBD' '\xF0\x9F\x98\x80'; do
    list "a${letter}b\n" "no blank: $letter" 0 wrote
done
run "$new" -o n.weights --width 4 --tokenizer - < <(printf 'a\nb\n')
ends 'a list on stdin' 0 wrote
run "$new" -o n.weights --tokenizer .
ends 'a directory' 1 "cannot read '.': Is a directory"
run "$new" -o n.weights --fit .
ends 'a directory to fit' 1 'Is a directory'
run "$new" -o n.weights --add-token $'\xff'
ends 'a token that is not UTF-8' 2 '--add-token takes a token that is UTF-8'
run "$new" -o n.weights --add-token ''
ends 'an empty token' 2 '--add-token takes a token that is UTF-8 and not empty'
run "$new" -o n.weights --fit - --oov dog --min-count 1 < <(printf 'dog cat dog cat bird\n')
ends 'the token for unknown words is in the text' 0 wrote
run "$new" -o n.weights --words a --frequencies "0.$(printf '%080d' 1)" --position fourier
ends 'a long number' 2 'is too long for a number'

# ---- Models of which encode-inspect shows more ----
run "$new" -o n.weights --words 'a b [MASK]' --width 8 --embedding-width 4 --head mask --head-norm yes --head-dense gelu
ends 'a head with a norm, a narrow table' 0 wrote
run "$inspect" --verify n.weights
check 'its norm is there' says head.norm.weight
check 'its projection is there' says embedding.projection
run "$new" -o n.weights --words 'a b [MASK]' --width 8 --head mask --head-tied yes
ends 'a head that is the table' 0 wrote
run "$inspect" n.weights
check 'its bias is there' says head.output.bias
run "$new" -o n.weights --words 'a b' --width 8 --head mask --head-tied yes --head-bias no --name ''
ends 'a head of nothing' 0 wrote
run "$inspect" n.weights
check 'it has no tensor' [ "$(grep -c head.out out)" = 0 ]
run "$plot" position -m n.weights -f data
check 'a file without a name has that of its path' says 'sinusoidal, n.weights'
run "$plot" position --position fourier --frequencies 0.1 -n 4 --width 2 -f data
check 'one frequency' says ', frequency 0.1'
run "$plot" position --position index --position-scale 0 -f data
check 'an index that is scaled away' says 'W2 = 0'
run "$plot" position --position binary --width 64 -f data
check 'more digits than are counted' says 'd = 64'
run "$plot" position -m n.weights --position index -f data
check 'another scheme than the file has' says 'index, n.weights'
printf '[UNK]\n[CLS]\n[SEP]\n' >words.txt
"$programs/encode-import" --tokenizer-only words.txt -o t.weights 2>err
run "$plot" position -m t.weights -f data
ends 'a tokenizer' 1 'holds a tokenizer alone: it has no positions'
if [ -w /dev/full ]; then
    "$plot" position --position sinusoidal -n 1000 -f data >/dev/full 2>err
    code=$?
    ends 'a full disk' 1 'No space left on device'
fi

# ---- Shapes and templates ----
new_says() { # WHAT CODE WORDS ARGUMENTS...
    run "$new" -o n.weights --words 'a b' "${@:4}"
    ends "$1" "$2" "$3"
}
new_says 'texts longer than positions' 2 "'max_text_tokens' is 0 or more than" --max-tokens 8 --max-text-tokens 9
new_says 'texts shorter than positions' 0 wrote --max-tokens 8 --max-text-tokens 4
new_says 'a setting' 0 wrote --set window=3 --set attention_position=alibi
new_says 'no setting' 2 "--set takes KEY=VALUE, not 'window'" --set window
new_says 'a setting that is none' 2 "--set windows takes a key that this version knows, not '3'" --set windows=3
new_says 'a value that is none' 2 "--set window takes a whole number from 0 to 2147483647, not 'x'" --set window=x
new_says 'a setting that nothing uses' 2 "'global_every' needs a 'window'" --set global_every=3
new_says 'heads of their own width' 0 wrote --width 20 --heads 3 --set head_width=4
new_says 'an odd width' 0 wrote --width 7
new_says 'a width that 4 does not divide' 0 wrote --width 6
new_says 'too many parameters' 2 'are written' --width 100000 --layers 2000
new_says 'fewer labels than none' 2 "--labels takes a whole number" --labels=-1
new_says 'labels that begin with digits' 0 wrote --labels 2x,3
new_says 'an empty token before another' 2 '--add-token takes' --add-token '' --add-token c
new_says 'a template with a number that is no id' 2 "'1x' is no token" --template-single '1x:0 A:0'
new_says 'a template with a long number' 2 'is no token' --template-single '1234567890123:0 A:0'
new_says 'a template with a long type' 2 'is not a piece like' --template-single 'A:12345678901'
keras "$map" 'a file' 0 wrote
for option in --keras '--lower no'; do
    # shellcheck disable=SC2086
    run "$new" -o n.weights --tokenizer k.json $option
    ends "$option of a Keras file" 2 'says itself how to split'
done
list ' \n\t\n' 'a list of blanks' 1 'this token has a blank in it'
list ' {' 'half a Keras file' 1 'not JSON'

finish
