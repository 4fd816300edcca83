#!/usr/bin/env bash
# encode-new and where its words come from: Keras files that are odd or wrong, lists in other forms, files that cannot
# be read; and encode-inspect on what only few files have.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
new=$programs/encode-new inspect=$programs/encode-inspect encode=$programs/encode
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
run "$inspect" --positions n.weights -n 1 -k 5
ends 'distances of one row' 0 '1 position is at most 0 apart: -k 5 stops there'
run "$inspect" --positions n.weights -n 0
ends 'no rows' 2 '-n'

finish
