#!/usr/bin/env bash
# What the programs print and write, for comparing two builds byte by byte: proof that a restructuring
# changed nothing that a user sees.
#
#     tests/outputs.sh build before; ...; tests/outputs.sh build after; diff -r before after
#
#     tests/outputs.sh BUILD DIR
#
# Runs a fixed list of commands (every program, format, task and kind of model; failing ones too) with the programs
# of BUILD. Of number NN of the list DIR receives NN-command (the line itself), NN-out, NN-err, NN-code and each file
# written, as NN-file-NAME. Checkpoints and other programs' tokenizers come from ../shared (or SHARED_DIR); without it,
# or without numpy, their commands are left out, and the others keep their numbers. Times and rates are left out.
set -eu
[ $# = 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
programs=$(cd "$1" && pwd)
mkdir -p "$2"
results=$(cd "$2" && pwd)
shared=$(cd "$root" && realpath -m "${SHARED_DIR:-../shared}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PATH=$programs:$PATH ENCODE_MODEL=default.weights COLUMNS=80 LC_ALL=C.UTF-8 OMP_NUM_THREADS=2
cp "$root/weights/default.weights" .
python=${PYTHON:-/usr/bin/python3} # Debian's Python has Debian's numpy
has_checkpoints=
if [ -d "$shared/checkpoints" ] && "$python" -c 'import numpy' 2>/dev/null; then has_checkpoints=yes; fi

# ---- Inputs, by name ----
printf 'I ride bike\nthe cat sat on the mat\n\nbike ride I\nman bites dog\ndog bites man\n' >lines
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\nI\nride\nbike\nthe\ncat\n' >list
printf 'the 0.1 0.2 -0.3 1\ncat 1 0 0.5 -1\nsat 0.25 1e-3 2 3\nI -1 -2 -3 -4\nride 1 1 1 1\nbike 0 1 0 1\n' >vectors
printf '2 3\nking 1 2 3\nqueen 3 2 1\n' >word2vec
printf 'a 1 2 3\nb 1 2\n' >bad-vectors
cat >jsonl <<'END'
"I ride bike"
["I ride", "bike"]
{"text": "the cat", "pair": "sat"}
{"ids": [2, 3, 4, 1], "mask": [1, 1, 1, 0]}
END
cat >corpus.jsonl <<'END'
{"_id": "d1", "title": "The cat", "text": "sat on the mat", "year": 1.50}
{"_id": "d2", "title": "", "text": "man bites dog", "metadata": {"a": [1, 2]}}
END
cat >keras.json <<'END'
{"class_name": "Tokenizer", "config": {"num_words": 6, "filters": "!,.", "lower": true, "split": " ", "char_level": false,
"oov_token": "<o>", "word_index": "{\"<o>\": 1, \"i\": 2, \"ride\": 3, \"bike\": 4, \"cat\": 5, \"mat\": 6}"}}
END
head -c 2000 default.weights >short.weights

checkpoint() { # NAME ARCHITECTURE OPTION...: a directory and its weight file, small enough to make sixty of
    [ "$has_checkpoints" ] || return 0
    "$python" "$shared/checkpoints/checkpoints.py" make "$2" "$1" --layers 2 --width 32 --heads 4 --ffn 64 --longest 16 \
        --tokenizer "$shared/tokenizers/definitions/bert-base-uncased.json" "${@:3}" >/dev/null
    rm -rf "$1/expected"
}
checkpoint bert bert
checkpoint half bert --dtype f16 --shards 3 --old-names
checkpoint cross bert-cross-encoder
checkpoint ner bert-ner
checkpoint mlm bert-mlm
checkpoint sst2 distilbert-sst2
checkpoint electra electra
checkpoint roberta roberta

# ---- Running ----
number=0

# Runs a line in the folder of inputs; what it writes to out/ is kept.
run() { # LINE
    local name file code=0
    number=$((number + 1))
    # shellcheck disable=SC2016
    [[ $1 != *'$shared'* || -d $shared/tokenizers ]] && [[ $1 != *checkpoint:* || $has_checkpoints ]] || return 0
    printf -v name '%s/%03d' "$results" $number
    mkdir -p out
    echo "$1" >"$name-command"
    (eval "${1//checkpoint:/}") >"$name-out" 2>"$name-err" </dev/null || code=$?
    echo $code >"$name-code"
    sed -i "s|$shared|SHARED|g; s|$work|WORK|g" "$name-out" "$name-err"
    for file in out/*; do
        [ ! -f "$file" ] || mv "$file" "$name-file-${file#out/}"
    done
    rm -rf out
}

# Numbers differ from run to run.
without_times() {
    sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g'
}

while IFS= read -r line; do
    case $line in
    '' | '#'*) ;;
    *) run "$line" ;;
    esac
done <<'END'
# Models made by encode-new; a kept one is named by a later line.
encode-new -o out/new.weights
encode-new -o new.weights --words 'I ride bike the cat sat' && encode -m new.weights 'I ride bike'
encode-new -o out/list.weights --tokenizer list --keras --width 8 --layers 1
encode-new -o keras.weights --tokenizer keras.json --add-token '[CLS]' --width 12 && encode -m keras.weights --all 'I, ride CAT mat'
encode-new -o fit.weights --fit lines --oov '<x>' --min-count 1 --num-words 9 --width 16 && encode -m fit.weights -f json 'The cat rides'
encode-new -o none.weights --position none --words 'I ride bike' --width 8 && encode -m none.weights -f csv 'I ride bike'
encode-new -o learned.weights --position learned --position-offset 2 --words 'I ride bike' --max-tokens 9 && encode -m learned.weights 'bike I'
encode-new -o index.weights --position index --words 'I ride bike' --width 8 && encode -m index.weights --all 'bike I'
encode-new -o binary.weights --position binary --words 'I ride bike' --width 8 && encode -m binary.weights --all 'bike I'
encode-new -o fourier.weights --position fourier --frequencies 0.1,0.2,0.3,0.4 --words 'I ride bike' --width 8 && encode -m fourier.weights --all 'bike I'
encode-new -o exp.weights --position exponential --position-base 50 --words 'I ride bike' --width 8 && encode -m exp.weights --all 'bike I'
encode-new -o rms.weights --words 'I ride bike' --width 16 --norm rms --norm-place pre --final-norm yes --activation silu --gate first --mask causal --pooling last --type bf16 --embedding-norm rms --embedding-scale sqrt && encode -m rms.weights -p model -f json 'I ride bike'
encode-new -o int8.weights --words 'I ride bike' --type int8 --layout rows && encode -m int8.weights 'I ride bike'
encode-new -o pair.weights --words 'I ride bike' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1' && encode -m pair.weights --pair 'bike I' 'I ride'
encode-new -o labels.weights --fit lines --layers 0 --width 16 --position learned --labels negative,neutral,positive && encode -m labels.weights --labels --all 'the cat sat'
encode-new -o token.weights --words 'I ride bike' --head token --labels O,B-x,I-x --scores softmax && encode -m token.weights --entities 'I ride bike'
encode-new -o mask.weights --words 'I ride bike [MASK]' --head mask --head-tied yes --head-dense gelu --head-norm yes; cp mask.weights out; encode -m mask.weights --fill 'I ride [MASK]'
encode-new -o project.weights --words 'I ride bike' --projections 2 --projection-activation tanh --embedding-width 8 && encode -m project.weights -p model -f csv 'I ride'
encode-new --seed 1
encode-new -o out/no.weights --width 100 --heads 7
encode-new -o out/no.weights --activation tanh
encode-new -o out/no.weights --template-single 'B:0'
encode-new --help; encode-new --nonsense
# encode: formats of vectors.
encode 'I ride bike'
encode --all 'I ride bike'
encode <lines
encode -f json <lines
encode -f csv <lines
encode -f npy -o out/rows.npy 'I ride bike'
encode -p mean <lines
encode -p mean --normalize -f json <lines
encode -p cls -f csv <lines
encode -p max -f npy -o out/max.npy <lines
encode -p model -f npy --output - <lines
encode -p weighted_mean -f csv -o out/text.csv <lines
encode --input jsonl -f json <jsonl
encode --input jsonl -p mean <jsonl
encode --input jsonl -p mean -f json <corpus.jsonl
encode --input jsonl -p mean --tokens --dimensions 3 -f json <corpus.jsonl
for type in f32 f16 int8 binary; do encode --input jsonl -p mean --dimensions 11 -f npy --type $type -o out/$type.npy <corpus.jsonl; done
encode --max-tokens 4 --on-long chunk -p mean -f npy --type int8 -o out/windows.npy <lines
encode --pad-to 6 'I ride bike'
encode --pad-to 6 --pad-side left -f csv 'I ride bike'
encode --pad-to 8 -f npy -o out/padded.npy <lines
encode --no-special -f json 'I ride bike'
encode --position none --all 'I ride bike'
encode --position fourier --frequencies 0.1,0.25 --position-scale 0.5 'I ride bike'
encode --embedding-scale sqrt --mask causal -f json 'I ride bike'
encode --threads 1 -p mean -f json <lines
encode --max-tokens 3 --on-long truncate 'the cat sat on the mat'
encode --max-tokens 5 --on-long chunk --stride 1 -f json 'the cat sat on the mat'
encode --max-tokens 5 --on-long chunk -p mean -f csv 'the cat sat on the mat'
encode --max-tokens 3 --on-long error 'the cat sat on the mat'
encode --max-tokens 2 --on-long truncate --truncate-left 'the cat sat on the mat'
encode --prompt-text 'the cat ' -p mean -f json 'I ride bike'
# encode: tasks.
encode --tokens 'I ride bike'
encode --tokens -f json <lines
encode --tokens -f csv <lines
encode --tokens -f ids <lines
encode --tokens -f npy --pad-to 5 -o out/ids.npy <lines
encode --tokens --pad-to 4 --on-long truncate -f json 'the cat sat on the mat'
encode --show-mask --pad-to 5 'I ride bike'
encode --show-mask --mask causal -f json 'I ride bike'
encode --show-mask -f csv --pad-to 5 'I ride bike'
encode --compare 'I ride bike' 'bike ride I'
encode --compare -f json 'I ride bike' 'bike ride I'
encode --compare -f csv --position none 'I ride bike' 'bike ride I'
encode --compare -p mean 'man bites dog' 'dog bites man'
encode --compare -p mean -f json 'man bites dog' 'dog bites man'
encode --similarity <lines
encode --similarity -f json <lines
encode --similarity -f csv <lines
encode --similarity -f npy -o out/similarity.npy <lines
encode --rank 'who rides?' <lines
encode --rank 'who rides?' --top 2 -f json <lines
encode --rank 'who rides?' --in-order -f csv <lines
encode --fill 'the [MASK] sat on the mat'
encode --labels 'I ride bike'
encode -m labels.weights --labels -f json <lines
encode -m labels.weights --labels --raw-scores -f csv <lines
encode -m token.weights --labels --all 'I ride bike'
encode -m token.weights --entities -f json 'I ride bike'
encode -m token.weights --entities -f csv 'I ride bike'
encode --fill --top 2 -f json 'I ride [MASK]'
encode --fill -f csv --raw-scores '[MASK] ride [MASK]'
# encode: failures.
encode --help
encode --embedding-scale 1e38 'I ride bike'
encode -m missing.weights x
encode -m short.weights x
encode --nonsense
encode --tokens --compare a b
encode -f xml x
encode --entities x
encode --pooling nonsense x
encode --rank q --pair x y
encode --position-base 0 x
printf 'a\xff\n' | encode
encode --input jsonl <lines
encode -o missing/out x
env -u ENCODE_MODEL encode -p mean -f csv 'I ride bike'
# encode-import: word vectors.
encode-import --vectors vectors -o out/v.weights
encode-import --vectors vectors -o v.weights --position sinusoidal --max-tokens 32 && encode -m v.weights --all 'the cat sat'
encode-import --vectors word2vec -o out/w.weights --name kings --weights f16
encode-import --vectors vectors --only-words-of lines --lower yes -o out/o.weights
encode-import --vectors - --limit 3 --split blanks --embedding-scale 2 -o out/l.weights <vectors
encode-import --vectors bad-vectors -o out/b.weights
encode-import --vectors vectors --weights int8 -o out/i.weights --dry-run
encode-import --help; encode-import; encode-import missing -o out/x.weights; encode-import . -o out/x.weights
# encode-import: directories.
encode-import checkpoint:bert -o bert.weights; cp bert.weights out; encode -m bert.weights -p model -f csv 'I ride bike'
encode -m bert.weights 'I ride bike' # checkpoint:
encode -m bert.weights -p model --prompt query 'I ride bike'; encode -m bert.weights -p model --prompt nonsense x # checkpoint:
encode-import checkpoint:bert -o out/int8.weights --weights int8
encode-import checkpoint:bert -o out/dry.weights --dry-run --weights bf16
encode-import checkpoint:half -o half.weights && encode -m half.weights 'I ride bike'
encode-import checkpoint:cross -o cross.weights && encode -m cross.weights --rank 'who rides?' <lines
encode -m cross.weights --labels --pair 'the cat' 'I ride' # checkpoint:
encode-import checkpoint:ner -o ner.weights && encode -m ner.weights --entities 'Anna rides a bike in Paris'
encode -m ner.weights --labels -f json 'Anna rides' # checkpoint:
encode-import checkpoint:mlm -o mlm.weights && encode -m mlm.weights --fill 'the [MASK] sat'
encode-import checkpoint:sst2 -o sst2.weights && encode -m sst2.weights --labels --all 'good'
encode-import checkpoint:electra -o electra.weights && encode -m electra.weights -p mean 'I ride bike'
encode-import checkpoint:roberta -o out/roberta.weights
encode-import --tokenizer-only $shared/tokenizers/definitions/bert-base-cased.json -o cased.weights && encode -m cased.weights --tokens 'Grüße aus Köln, ÀB'
encode-import --tokenizer-only $shared/tokenizers/definitions/gpt2.json -o out/gpt2.weights
encode-import --tokenizer-only $shared/tokenizers/definitions/bert-base-chinese.json -o chinese.weights && encode -m chinese.weights --tokens -f json '我骑 bike'
encode-new -o kerasfile.weights --tokenizer $shared/tokenizers/definitions/keras-filters_custom.json --width 8 && encode -m kerasfile.weights --tokens -f ids 'the cat, sat'
for model in bert half cross ner mlm sst2 electra; do encode-inspect $model.weights; done # checkpoint:
# encode-inspect
encode-inspect default.weights
encode-inspect --verify -f json default.weights
for model in new keras fit none learned fourier rms int8 pair labels token mask project v; do encode-inspect --verify $model.weights; done
for model in new keras learned fourier rms pair labels token mask project v; do encode-inspect -f json $model.weights; done
encode-inspect short.weights
encode-inspect missing; encode-inspect; encode-inspect -f xml new.weights
encode-plot position -m default.weights -n 4 --data -
encode-plot position --position binary -n 9 --width 4 --data - --kind distance
encode-plot position --position fourier --frequencies 0.1,0.2 --width 4 -n 5 --data -
encode-plot position --position exponential -n 5 --width 4 -f data
encode-plot position -n 3 --data - --kind correlation
encode-plot position -m learned.weights --data - --kind distance; encode-plot position --position index -n 7 --width 3 --data -
encode-inspect --help
# encode-plot: numbers, text, pictures.
encode-plot position --data -
encode-plot position --kind cosine --width 16 -n 8 --data out/cosine.tsv
encode-plot position --kind waves --width 16 -n 20 -f text
encode-plot position --kind distance --position binary --width 8 -n 6 -f text
encode-plot position --beside binary --width 16 -n 16 -o out/beside.svg
encode-plot attention 'I ride bike' --data -
encode-plot attention 'I ride bike' --head mean --layer 2 -f text
encode-plot attention 'the cat sat on the mat' --rollout -o out/rollout.svg
encode-plot attention 'I ride bike' -o out/heads.png
encode-plot words 'I ride bike' 'bike ride I' --data -
encode-plot words 'I ride bike' --link I:bike -f text
encode-plot words 'I ride bike' 'bike ride I' -o out/words.svg
encode-plot layers 'the cat sat' --data -
encode-plot layers 'the cat sat' -o out/layers.svg
encode-plot order 'man bites dog' --data -
encode-plot order 'man bites dog' --measure cosine -p mean -o out/order.svg
encode-plot similarity --data - <lines
encode-plot similarity -f text <lines
encode-plot similarity -o out/similarity.svg <lines
encode-plot position -m learned.weights --data -
encode-plot; encode-plot nonsense; encode-plot position --kind nonsense; encode-plot attention --head 99 'I ride'
for picture in position attention words layers order similarity; do encode-plot $picture --help; done; encode-plot --help
# encode-bench: what does not change from run to run.
encode-bench --shape 1/16/2/32/1000 --workloads lat16,thr -t 1 --runs 1 --seconds 0.01 2>&1 | without_times
encode-bench --shape 1/16/2/32/1000 --workloads lat16 -t 1 --runs 1 -f json --profile 2>&1 | without_times
(trap '' XFSZ; ulimit -f 1; encode-bench --shape 1/16/2/32/1000 --workloads lat16 -t 1 --runs 1) # no room for its model
encode-bench -m missing.weights; encode-bench --shape 1/2; encode-bench --workloads nonsense; encode-bench --help
# encode-search: a corpus that encode wrote.
encode -p model -f npy -o lines.npy <lines && encode-search lines.npy lines --query 'man bites dog'
encode-search -k 2 -f json lines.npy lines <lines
encode-search -k 2 -f trec --metric dot lines.npy <lines
encode -p model --input jsonl -f npy --type int8 -o ids.npy <corpus.jsonl && encode-search -f tsv --input jsonl ids.npy corpus.jsonl <corpus.jsonl
encode-search --rerank cross.weights -f json lines.npy lines --query 'who rides?' # checkpoint:
encode-search; encode-search missing.npy; encode-search lines; encode-search -m new.weights lines.npy --query x; encode-search --help
END
echo "$number commands, in $results"
