#!/usr/bin/env bash
# Names that command a terminal: in a weight file, in a checkpoint, on the command line. When a program prints any of
# them, on stdout or stderr, the terminal gets neither a control character nor a character that reverses the order of
# letters. Programs that read CSV get the characters as they are.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1

# ESC, CSI as one character (C1), right-to-left override and isolate, Arabic letter mark, soft hyphen, DEL
evil=$'e\x1b[31m\xc2\x9b1m\xe2\x80\xaeq\xe2\x81\xa6\xd8\x9c\xc2\xad\x7f'
hidden='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c'

make_model() { # FILE OPTION...
    local file=$1
    shift
    run "$programs/encode-new" -o "$file" --name "N$evil" --words "a$evil b cat dog" --position learned --max-tokens 20 \
        --layers 1 --width 16 --add-token "[MASK]" --add-token "x$evil" "$@"
    check "$file: exit code $code" [ "$code" = 0 ]
}
make_model labels.weights --labels "L$evil,two"
make_model tokens.weights --head token --labels "O,B-P$evil"
make_model plain.weights
cp plain.weights "path$evil.weights"
printf 'a%s 1 2\nb 3 4\nshort%s 1\n' "$evil" "$evil" >vectors
mkdir "dir$evil"
printf '{"model_type": "bert%s"}' "$evil" >"dir$evil/config.json"
mkdir pickle "x'; touch injected; '"
for name in pickle "x'; touch injected; '"; do
    echo '{"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 4, "hidden_size": 4, "num_hidden_layers": 1,
        "num_attention_heads": 1, "intermediate_size": 4, "max_position_embeddings": 8, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "hidden_act": "gelu"}' >"$name/config.json"
    printf '[UNK]\n[CLS]\n[SEP]\na\n' >"$name/vocab.txt"
    printf '\200\002\212\012\154\374\234\106\371\040' >"$name/pytorch_model.bin"
done
mkdir -p "beside$evil"

quiet() { # PROGRAM ARGUMENTS...: nothing that it prints is hidden; its progress is another matter
    "$programs/$1" "${@:2}" </dev/null >out 2>err
    code=$?
    check "$*: exit code $code" [ $code -le 2 ]
    check "$*: stdout" [ "$(LC_ALL=C grep -aPc "$hidden" out)" = 0 ]
    check "$*: stderr" [ "$(LC_ALL=C grep -aPc "$hidden" err)" = 0 ]
}

# ---- What a weight file says ----
for model in labels tokens plain "path$evil"; do
    file=$model.weights
    quiet encode-inspect "$file"
    quiet encode-inspect -f json "$file"
    quiet encode-plot position -m "$file"
    for task in '' '-p mean' '-p pooler' --labels '--labels --all' --entities --fill --tokens '--pad-to 9'; do
        # shellcheck disable=SC2086
        quiet encode -m "$file" $task "a$evil cat"
        # shellcheck disable=SC2086
        quiet encode -m "$file" $task -f json "a$evil cat"
    done
    for task in -compare\ {words,similarity,mask} ' --rank dog'; do
        # shellcheck disable=SC2086
        quiet encode$task -m "$file" "a$evil" cat
    done
    for picture in attention words layers order similarity; do
        quiet encode-plot $picture -m "$file" "a$evil cat"
    done
    quiet encode-plot position -m "$file"
    quiet encode-plot position --kind waves --dims 0,1 -n 5 -m "$file"
    quiet encode-plot words -m "$file" "a$evil cat"
done
for format in svg pdf png; do
    quiet encode-plot words -m plain.weights "a$evil cat dog" -f $format -o "picture.$format"
    check "$format: drawn" [ "$code" = 0 ]
done
check 'the picture in SVG has none of them' [ "$(tr -d '\t' <picture.svg | LC_ALL=C grep -aPc "$hidden")" = 0 ]

# ---- JSON reads back exactly; tables of pictures do not ----
run "$programs/encode" -m labels.weights --labels -f json cat
check 'JSON gives the label back' python3 - "L$evil" out <<'END'
import json, sys
sys.exit(json.loads(open(sys.argv[2]).read())["label"] not in (sys.argv[1], "two"))
END
run "$programs/encode-plot" attention -f data -m plain.weights "x$evil"
check 'the table of a picture has U+FFFD' grep -qP '^xe�\[31m�1m�q����	' out
check 'and nothing else of them' [ "$(tr -d '\t' <out | LC_ALL=C grep -aPc "$hidden")" = 0 ]

# ---- CSV: raw for programs, escapes for a terminal ----
run "$programs/encode" -m plain.weights -f csv "x$evil"
check 'CSV has the characters' grep -qF "x$evil" out
if command -v script >/dev/null; then
    SHELL=$BASH script -qec "'$programs/encode' -m plain.weights -p mean -f csv $(printf %q "x$evil")" /dev/null </dev/null >out 2>err
    check 'CSV on a terminal has escapes' grep -qF 'xe\x1b[31m' out
    check 'and nothing else of them' [ "$(tr -d '\r' <out | LC_ALL=C grep -aPc "$hidden")" = 0 ]
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: script, which makes a terminal, is not there'
fi

# ---- Names on the command line ----
run "$programs/encode" -m plain.weights -p mean -f npy -o "v$evil.npy" "a$evil" cat
printf '%s\ncat\n' "a$evil" >"t$evil"
quiet encode "--$evil"
quiet encode "--pad-to=$evil" x
quiet encode --pad-to "$evil" x
quiet encode "-$evil" x
quiet encode "--tokens=$evil" x
quiet encode -m "$evil" x
quiet encode --position-base "$evil" x
quiet encode -o "nowhere$evil/x" x
quiet encode -f "$evil" x
quiet encode-plot "$evil"
quiet encode-plot "--$evil"
quiet encode-plot position --beside "$evil"
quiet encode-plot position --size "$evil"
quiet encode-inspect "$evil"
quiet encode-plot position -m "$evil"
quiet encode-search "$evil" --query x
quiet encode-search "v$evil.npy" "t$evil" --query "$evil"
quiet encode-new -o x --fit "$evil"
quiet encode-new -o x --tokenizer "$evil"
quiet encode-new -o "new$evil"
quiet encode-new -o x --words a --add-token "$(printf '\xff')"
quiet encode-new "$evil"
quiet encode-bench --ids "$evil" -m plain.weights --seconds 0.01
quiet encode-bench --type "$evil"
printf '1 2 3\n' >"ids$evil.txt"
quiet encode-bench --ids "ids$evil.txt" -m plain.weights --seconds 0.01 -t 1

# ---- What encode-import reads ----
quiet encode-import "$evil" -o x
quiet encode-import "dir$evil" -o x
quiet encode-import --vectors "$evil" -o x
quiet encode-import --vectors vectors -o x
quiet encode-import --vectors vectors -o "x$evil"
quiet encode-import --tokenizer-only "$evil" -o x
printf '{"text": "\\u001b%s' "$evil" >lines
"$programs/encode" -m plain.weights --input jsonl <lines >out 2>err
check 'a line that is not JSON' [ "$(LC_ALL=C grep -aPc "$hidden" err)" = 0 ]

# ---- A command in a message can be pasted, for every name of the folder ----
run "$programs/encode-import" pickle -o x
ends 'a pickle' 1 'python3 -c'
run "$programs/encode-import" "x'; touch injected; '" -o x
ends 'a pickle in a folder with a command for a name' 1 'python3 -c'
check 'the command does not name the folder' [ "$(sed 's/.*Convert/Convert/' err | grep -c injected)" = 0 ]
finish
