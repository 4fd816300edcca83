#!/usr/bin/env bash
# tags: asan
# encode-new and encode-inspect as a user runs them: shapes, tokenizers, templates, wrong use, full disks.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
new=$programs/encode-new inspect=$programs/encode-inspect encode=$programs/encode
cd "$folder" || exit 1

says() { grep -qF -- "$1" out; }          # the last run's stdout has these words
line() { grep -qxE -- " *$1 *" out; }      # ... a line that matches
token_ids() { "$encode" -m "$1" --tokens -f ids "$2"; }
gives() { [ "$(token_ids "$1" "$2")" = "$3" ]; } # FILE TEXT IDS

# ---- The least one can ask for ----
run "$new" -o a.weights
ends 'defaults' 0 "wrote 'a.weights': 105 tokens"
check 'nothing on stdout' [ ! -s out ]
check 'it is the only file' [ "$(ls | tr '\n' ' ')" = 'a.weights err out ' ]
run "$inspect" --verify a.weights
check 'inspect: exit code' [ "$code" = 0 ]
check 'inspect: nothing on stderr' [ ! -s err ]
check 'inspect: checksums' says 'checksums: every section and tensor agrees'
check 'inspect: position' line 'position +sinusoidal'
check 'inspect: width' line 'width +128'
check 'inspect: tensor' line 'layers\.1\.attention\.qkv\.weight +f32 +panels +\[384, 128\] +[0-9]+ +196608'
check 'inspect: name' line 'name +random weights'
check 'built-in words' [ "$(token_ids a.weights 'I ride bike' | wc -w)" = 3 ]

# ---- Seeds ----
run "$new" -o b.weights
check 'the same seed gives the same bytes' cmp -s a.weights b.weights
run "$new" -o c.weights --seed 2
check 'another seed gives others' [ "$(cmp -s a.weights c.weights; echo $?)" = 1 ]
run "$new" -o d.weights --width 8 --layers 1 --words 'x y z' --seed 12345 --max-tokens 4 --name fixed
run "$inspect" d.weights
check 'its numbers are the same on every machine' line 'DATA  yes +64 +5376  79676EE0'

# ---- Every key is an option ----
run "$new" -o a.weights --words 'a b' --layers 1 --width 24 --heads 3 --feed-forward 10 --vocabulary 99 --max-tokens 17 \
    --token-types 3 --embedding-scale sqrt --embedding-norm rms --position learned --position-offset 2 \
    --norm layer --norm-eps 1e-12 --norm-bias no --norm-place pre --final-norm yes --attention-bias no \
    --feed-forward-bias no --activation silu --gate second --mask causal --pooling cls --normalize no \
    --type bf16 --layout rows --embedding-type int8 --name 'Grüße' --truncate yes
ends 'all options' 0 'wrote'
run "$inspect" --verify a.weights
for pair in layers:1 width:24 heads:3 feed_forward:10 vocabulary:99 max_tokens:17 token_types:3 \
    embedding_scale:4.898979485566356 embedding_norm:rms position:learned position_offset:2 norm:layer \
    norm_eps:1e-12 norm_bias:no norm_place:pre final_norm:yes attention_bias:no feed_forward_bias:no \
    activation:silu gate:second mask:causal pooling:cls normalize:no truncate:yes name:Grüße; do
    check "setting $pair" line "${pair%%:*} +${pair#*:}"
done
check 'table of positions' line 'embedding\.position\.weight +int8 +rows +\[19, 24\] .*'
check 'gated matrix' line 'layers\.0\.feed_forward\.in\.weight +bf16 +rows +\[20, 24\] .*'
check 'no bias' [ "$(grep -c bias out)" = "$(grep -c _bias out)" ]
run "$new" -o t.weights --layers 0 --labels pos,neg --set labels=4 && run "$inspect" t.weights
check 'names of labels are those of --labels alone' [ "$(grep -cE ' label\.[0-9]' out)" = 2 ]
for type in f32 f16 bf16 int8; do
    for layout in panels rows; do
        run "$new" -o t.weights --type $type --layout $layout --width 20 --feed-forward 33
        run "$inspect" --verify t.weights
        check "$type in $layout is sound" says 'checksums: every section and tensor agrees'
        stored=$type # panels in int8 also say how rows are rounded
        [ "$type $layout" = 'int8 panels' ] && stored=int8a8
        check "$type in $layout is there" grep -qE "qkv.weight +$stored +$layout" out
    done
done

# ---- Tokenizers ----
run "$new" -o w.weights --words 'b a c a'
check 'words in order, then [UNK]' gives w.weights 'c a zzz b' '2 1 3 0'
printf '[PAD]\r\nhello\r\n\r\nWorld\r\n[UNK]\r\n' >list
run "$new" -o l.weights --tokenizer list
check 'a list with CRLF and an empty line' gives l.weights 'World hello ! world' '3 1 4 4'
check 'it has its own [UNK]' [ "$(grep -c UNK err)" = 0 ]
run "$new" -o l.weights --tokenizer list --keras
check 'a list with the rules of Keras' gives l.weights 'HELLO, hello!world' '1 1 4'
run "$new" -o l.weights --tokenizer list --keras --lower no
check 'without lower case' gives l.weights 'HELLO, hello!World' '4 1 3'
printf 'a\nb' >list
run "$new" -o l.weights --tokenizer list
ends 'a list without unknown token' 0 '[UNK] is appended as id 2'
printf 'a\nb\n\na\n' >list
run "$new" -o no.weights --tokenizer list
ends 'a token twice' 1 'line 4: the same token is in line 1'
printf 'a\n\nb c\n' >list
run "$new" -o no.weights --tokenizer list
ends 'a token with a blank' 1 "'list', line 3: this token has a blank in it"
run "$new" -o l.weights --tokenizer list --keras
ends 'such a token by the rules of Keras' 0 wrote
printf 'a\n\xff\n' >list
run "$new" -o no.weights --tokenizer list
ends 'a list that is not UTF-8' 1 'line 2: not UTF-8'
: >list
run "$new" -o no.weights --tokenizer list
ends 'an empty list' 1 'has no tokens'

text='The cat, the DOG and the bird.
A cat! ΟΔΟΣ ΟΔΟΣ ΟΔΟΣ don'"'"'t'
run "$new" -o f.weights --fit - <<<"$text"
ends 'fit' 0 'wrote'
check 'most frequent first, then as they came' gives f.weights "the ΟΔΟΣ cat dog and bird a don't zzz" \
    '2 3 4 5 6 7 8 9 1'
run "$new" -o f.weights --fit - <<<'ΑΣª ΑΣª ΑΣ İx'
check 'words are spelled as the tokenizer looks for them' gives f.weights 'ΑΣª ΑΣ İx ασª' '2 3 4 2'
run "$new" -o f.weights --fit - --num-words 3 --oov '' <<<"$text"
check 'the most frequent, unknown words dropped' gives f.weights 'the dog cat οδος' '1 3 2'
run "$new" -o f.weights --fit - --min-count 2 --oov '[X]' --lower no <<<"$text"
check 'those that occur twice, as they are written' gives f.weights 'The the cat ΟΔΟΣ' '1 4 3 2'
printf 'a\nb\n' | tee words >text
for input in --fit --tokenizer; do
    run "$new" -o ./text $input text
    ends "$input and -o are one file" 2 "'./text' would be written over 'text', which is read"
    check "$input: the file is as it was" cmp words text
done
run "$new" -o text --fit - <text
ends '--fit - and -o are one file' 2 'would be written over the file on stdin, which is read'
run "$new" -o no.weights --fit - <<<'... !!!'
ends 'a text without words' 1 'no word'
run "$new" -o no.weights --fit - --min-count 9 <<<"$text"
ends 'a fit that keeps no word' 1 '--min-count 9 leaves no word'

keras='{"class_name":"Tokenizer","config":{"num_words":N,"filters":"!","lower":true,"split":"S","char_level":false,
"oov_token":"<o>","word_index":"{\"<o>\": 1, \"dog\": 2, \"x\": 3}"}}'
sed 's/N/null/; s/S/ /' <<<"$keras" >k.json
run "$new" -o k.weights --tokenizer k.json --add-token '[CLS]'
check 'a Keras file' gives k.weights 'DOG!x, dog[CLS]' '2 1 1'
sed 's/N/3/; s/S/ /' <<<"$keras" >k.json
run "$new" -o k.weights --tokenizer k.json
check 'num_words' gives k.weights 'dog x' '2 1'
sed 's/N/null/; s/"S"/""/' <<<"$keras" >k.json
run "$new" -o no.weights --tokenizer k.json
ends 'an empty split' 1 "'split' takes 0 bytes"
sed 's/N/null/; s/S/123456789012345678901234567890123/' <<<"$keras" >k.json
run "$new" -o no.weights --tokenizer k.json
ends 'a long split' 1 "'split' takes 33 bytes"
sed 's/N/-1/; s/S/ /' <<<"$keras" >k.json
run "$new" -o no.weights --tokenizer k.json
ends 'num_words below 0' 1 "'num_words'"
sed 's/N/null/; s/S/ /; s/: 3}/: 2}/' <<<"$keras" >k.json
run "$new" -o no.weights --tokenizer k.json
ends 'an id twice' 1 'two words have the id 2'
sed 's/N/null/; s/S/ /; s/: 3}/: 99999999999}/' <<<"$keras" >k.json
run "$new" -o no.weights --tokenizer k.json
ends 'an absurd id' 1 '99999999999'
for json in '{' '{}' '{"config": 3}' '{"config": {}}' '{"config": {"word_index": "["}}' \
    '{"config": {"word_index": "{}"}}' '{"config": {"word_index": "{\"a\": \"b\"}"}}' \
    '{"config": {"lower": 1, "word_index": "{\"a\": 1}"}}'; do
    echo "$json" >k.json
    run "$new" -o no.weights --tokenizer k.json
    ends "no Keras file: $json" 1 'k.json'
done
# Only index_word has a key with a NUL character.
cat >k.json <<'END'
{"config": {"char_level": true, "word_index": "{\"\\u0000\": 1, \"a\": 2}", "index_word": "{\"1\": \"\\u0000\", \"2\": \"a\"}"}}
END
run "$new" -o k.weights --tokenizer k.json
check 'NUL as a token' [ "$(echo '"a\u0000A"' | "$encode" -m k.weights --input jsonl --tokens -f ids)" = '2 1 2' ]
if [ -d "$shared/tokenizers/definitions" ]; then
    for definition in "$shared"/tokenizers/definitions/keras-*.json; do
        run "$new" -o k.weights --tokenizer "$definition" --layers 0 --width 4
        ends "$(basename "$definition")" 0 'wrote'
    done
    run "$new" -o no.weights --tokenizer "$shared/tokenizers/definitions/gpt2.json"
    ends 'another kind of tokenizer file' 1 'Keras'
else
    echo "skipped: $shared/tokenizers/definitions is not here"
    n_skipped=$((n_skipped + 1))
fi

# ---- Templates ----
run "$new" -o s.weights --words 'a b' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' --add-token a \
    --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '3:0 A:0 [SEP]:0 B:1 4:1'
check 'special tokens' gives s.weights 'b a' '3 1 0 4'
check 'of a pair' [ "$(echo '["a", "b"]' | "$encode" -m s.weights --input jsonl --tokens -f ids)" = '3 0 4 1 4' ]
for template in 'B:0' 'A:0 A:0' 'A' 'A:' ':0' '[NO]:0 A:0' '5:0 A:0' 'A:2' 'A:0 B:1' '' '-1:0 A:0' \
    'A:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0'; do
    run "$new" -o no.weights --words 'a b' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' \
        --template-single "$template"
    ends "template '$template'" 2 '--template-single'
done
run "$new" -o no.weights --template-pair 'A:0'
ends 'a pair without B' 2 'A once and B once'

# ---- Wrong use, and paths that cannot be written ----
wrong() { # WORDS OPTION...
    local words=$1
    shift
    run "$new" "$@"
    ends "$*" 2 "$words"
}
wrong '-o FILE' --seed 1
run "$new" -o alone.weights --layers 0 --width 4 --heads 0 --feed-forward 0 --words a
ends 'a table alone has no heads' 0 'wrote'
wrong "'text'" -o no.weights text
wrong '--help' -o no.weights --nonsense
wrong 'whole number' -o no.weights --width -3
wrong 'whole number' -o no.weights --width 12k
wrong 'whole number' -o no.weights --seed 99999999999999999999
wrong "relu, gelu, gelu_tanh, silu, not 'tanh'" -o no.weights --activation tanh
wrong '--heads 7 does not divide --width 100' -o no.weights --width 100 --heads 7
wrong "--width takes a whole number from 1 to 2147483647, not '0'" -o no.weights --width 0
wrong "--heads takes a whole number from 1 to 2147483647, not '0'" -o no.weights --heads 0
wrong "--feed-forward takes a whole number from 1 to 2147483647, not '0'" -o no.weights --feed-forward 0
wrong "--max-tokens takes a whole number from 1 to 1048576, not '1048577'" -o no.weights --max-tokens 1048577
wrong 'from 1 to 2147483647' -o no.weights --width x
wrong '--norm-eps 0: expected more than 0' -o no.weights --norm-eps 0
wrong '--norm-eps 1e-60: expected more than 0' -o no.weights --norm-eps 1e-60
wrong '--norm none: expected layer, rms' -o no.weights --norm none
wrong '--norm-bias yes does not go with --norm rms' -o no.weights --norm rms --norm-bias yes
wrong '--position-offset 2 requires --position learned' -o no.weights --position-offset 2
wrong 'head_width' -o no.weights --width 2147483647 --heads 1
wrong 'parameters' -o no.weights --width 715827882 --heads 1
wrong 'parameters' -o no.weights --layers 2147483647
wrong 'exclude' -o no.weights --words a --fit -
echo '{"config": {"word_index": "{\"a\": 1}"}}' >k.json
wrong '--num-words requires --fit' -o no.weights --tokenizer k.json --num-words 3
wrong '--min-count requires --fit' -o no.weights --words a --min-count 2
wrong '--oov requires --fit' -o no.weights --words a --oov x
wrong '--oov requires --fit' -o no.weights --oov ''
wrong '--fit splits like Keras' -o no.weights --fit k.json --keras
wrong "'k.json' is a Keras file" -o no.weights --tokenizer k.json --keras
wrong 'cannot be written to stdout' -o -
wrong '--words has no word' -o no.weights --words ' '
wrong 'f32, f16, bf16, int8' -o no.weights --type f64
wrong 'rows, panels' -o no.weights --layout columns
wrong '--lower takes one of yes, no' -o no.weights --lower maybe
wrong 'sqrt or' -o no.weights --embedding-scale inf
wrong '--vocabulary 2 is less' -o no.weights --words 'a b c' --vocabulary 2
wrong 'UTF-8' -o no.weights --words $'\xff'
wrong 'not empty' -o no.weights --add-token ''
run "$new" -o no.weights --name $'\xff'
ends 'a name that is not UTF-8' 1 'UTF-8'
run "$new" -o no.weights --tokenizer missing
ends 'a missing tokenizer' 1 "'missing': No such file"
run "$new" -o no.weights --fit .
ends 'a folder to fit on' 1 'directory'
run "$new" -o . --seed 1
ends 'a folder to write' 1 "'.': Is a directory"
run "$new" -o missing/a.weights
ends 'a missing folder' 1 'No such file'
mkfifo pipe
run timeout 300 "$new" -o pipe
ends 'a pipe' 1 'regular file'
if [ -c /dev/full ]; then
    run "$new" -o /dev/full
    ends 'a full disk' 1 "'/dev/full': No space left on device"
    for options in --help --version; do
        "$new" $options >/dev/full 2>err
        check "new $options on a full disk" [ $? = 1 ]
    done
    for options in '-f text' '-f json' '--help'; do
        # shellcheck disable=SC2086
        "$inspect" $options w.weights >/dev/full 2>err
        check "inspect $options on a full disk" [ $? = 1 ]
        check "inspect $options says so" grep -q 'No space left' err
    done
fi
cp w.weights keep.weights
(
    ulimit -f 8 # blocks of 1024 bytes
    trap '' XFSZ
    exec "$new" -o keep.weights --seed 3 >out 2>err
)
code=$?
ends 'a disk that fills up' 1 'keep.weights'
check 'the old file is still there' cmp -s w.weights keep.weights
rm -f keep.weights pipe list k.json
check 'no unfinished file is left' [ -z "$(find . -name '.encode*' -o -name 'no.weights')" ]

# ---- Inspect ----
run "$new" -o w.weights --words 'a b' --name $'two\nlines \e[31m'
run "$inspect" w.weights
check 'control characters are escaped' says 'two\nlines \x1b[31m'
check 'without --verify nothing is said of checksums' [ "$(grep -c checksums out)" = 0 ]
run "$inspect" -f json --verify w.weights
check 'json: name' says '"name": "two\nlines \u001b[31m"'
check 'json: verified' says '"verified": true'
check 'json: parameters' grep -qE '"parameters": [0-9]+,?$' out
if command -v python3 >/dev/null; then
    check 'json: a parser reads it' python3 -c '
import json, os
d = json.load(open("out"))
assert d["version"] == 1 and d["bytes"] == os.path.getsize("w.weights") and d["tokens"] == 3
assert [s["tag"] for s in d["sections"]] == ["DATA", "CONF", "TOKN", "VOCB", "TENS", "META"]
assert sum(t["bytes"] for t in d["tensors"]) == sum(t["bytes"] for t in d["types"].values())
assert d["config"]["width"] == "128" and d["tokenizer"]["kind"] == "blanks"'
fi
cp w.weights damaged.weights
printf '\377' | dd of=damaged.weights bs=1 seek=1000 conv=notrunc 2>/dev/null
run "$inspect" --verify damaged.weights
ends 'a damaged tensor' 1 "'damaged.weights': tensor 'embedding.token.weight'"
check 'it says so on stdout too' says 'checksums: the file is damaged'
run "$inspect" damaged.weights
check 'data is not read without --verify' [ "$code" = 0 ]
head -c 1000 w.weights >damaged.weights
run "$inspect" damaged.weights
check 'a file cut off' [ "$code" = 1 ]
check 'has a message' [ -s err ]
run "$inspect" missing
ends 'a missing file' 1 'missing'
run "$inspect"
ends 'no file' 2 'needed'
run "$inspect" -
ends 'stdin' 2 'cannot be read from stdin'
run "$inspect" -o - w.weights
ends 'an output' 2 'goes to stdout'
run "$inspect" w.weights w.weights
ends 'two files' 2 'one file'
run "$inspect" -f xml w.weights
ends 'a format that is not there' 2 "text, json, not 'xml'"
for program in "$new" "$inspect"; do
    run "$program" --version
    check "$program --version" says "$(basename "$program") "
    run "$program" --nonsense
    ends "$program --nonsense" 2 "$(basename "$program"): unrecognized option"
    run "$program" --help
    check "$program --help" says 'Exit codes'
done

# ---- What the help and the manual promise ----
run "$new" --help
check 'help: ranges' line '--max-tokens +1 to 1048576 \(default 512\):'
check 'help: gate' line 'none: act\(a\); first: act\(a\)·b; second: a·act\(b\)'
sed -n '/^Shape/,/^$/p' out >shape # an option's words follow it or are on a line of their own
check 'help: the shape fits into 100 columns' [ "$(LC_ALL=C.UTF-8 grep -cE '.{101}' shape)" = 0 ]
# An option's lines become one; its words follow ": " or its default.
sed -n '/^      --/,$p' shape | sed '/^$/,$d' | awk '/^      --/ { printf "\n" } { printf "%s", $0 }' |
    sed 's/  */ /g; 1d' >joined && echo >>joined
check 'help: every shape option is explained' [ "$(grep -c '^ --' joined)" = \
    "$(grep -cE '^ --[^ ]+ .*(: [a-z]|\) [a-z]|2147483647 [a-z])' joined)" ]
"$new" -o n.weights 2>/dev/null
n_words=$(($("$inspect" n.weights | sed -n 's/.* \([0-9]*\) with a text$/\1/p') - 1)) # less [UNK]
check "help: $n_words built-in words" says "default: $n_words built-in words"
"$new" --help-table | awk -f "$tree/tools/build/man/manual.awk" - "$tree/tools/build/man/encode-new.1.in" >manual
check "manual: $n_words built-in words" grep -q "$n_words built-in words" manual

# ---- The default weights; what they know is in tests/quality ----
if [ -f "$tree/weights/default.weights" ]; then
    run "$inspect" --verify "$tree/weights/default.weights"
    check 'the default weights are sound' [ "$code" = 0 ]
    check 'and at most 8 MB' [ "$(wc -c <"$tree/weights/default.weights")" -le 8000000 ]
    check 'and know ordinary words' [ "$(token_ids "$tree/weights/default.weights" \
        'i ride my bike the dog bites a man who lives on the bank of the river' | grep -cw 1)" = 0 ]
fi

finish
