#!/usr/bin/env bash
# Position schemes on the command line: encode-inspect --positions, encode --position ..., what encode-new writes, and a
# classifier without layers.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
new=$programs/encode-new inspect=$programs/encode-inspect encode=$programs/encode
cd "$folder" || exit 1

does() { # WHAT PROGRAM ARGUMENTS...: it must succeed in silence
    local what=$1
    shift
    run "$@"
    check "$what: exit code $code" [ "$code" = 0 ]
    check "$what: nothing on stderr" [ ! -s err ]
}

says() { # of the last run's stdout, its line ends taken for blanks
    tr '\n' ' ' <out | tr -s ' ' | grep -qF -- "$1"
}
line() { grep -qxE -- " *$1 *" out; }
lacks() { ! says "$1"; }

# ---- encode-inspect --positions: the known numbers ----
does 'd=100' "$inspect" --positions --width 100
check 'd=100: the norm' line 'norm +7\.0710678 for every row'
check 'd=100: two apart' line 'k = 2 +3\.2668781 for every p'
check 'd=100: all rows differ' says 'rows all 128 differ'
check 'd=100: five distances' line 'k = 5 +5\.1352956 for every p'
check 'd=100: not six' lacks 'k = 6'
does 'the same by name' "$inspect" --positions sinusoidal --width 100 --rows 300 -k 7
check 'by name: the norm' line 'norm +7\.0710678 for every row'
check 'by name: seven distances' says 'k = 7'
for width in 2 8 18 50 128 512 1024; do
    for base in 2 10000 1e6; do
        does "d=$width, base $base" "$inspect" --positions --width $width --position-base $base
        norm=$(awk "BEGIN { printf \"%.8g\", sqrt($width / 2) }")
        check "d=$width, base $base: $norm" line "norm +${norm/./\\.} for every row"
        check "d=$width, base $base: constant" [ "$(grep -c 'for every p$' out)" = 5 ]
    done
done
does 'an odd width' "$inspect" --positions --width 7
check 'an odd width: the norm varies' line 'norm +1\.[0-9]+ \(p = [0-9]+\) to [0-9.]+ \(p = [0-9]+\), mean [0-9.]+'
does 'position scale' "$inspect" --positions --width 100 --position-scale 10
check 'position scale: the norm' line 'norm +70\.710678 for every row'

does 'binary' "$inspect" --positions binary --width 4 -n 32
check 'binary: 16 rows' says '16 different ones of 32'
check 'binary: each comes back after 16' line '5 = 21'
check 'binary: it says so' says 'unique for positions 0 to 15 (2^4 of them)'
does 'binary, 2^d rows' "$inspect" --positions binary --width 4 -n 16
check 'binary: unique up to 2^d' says 'rows all 16 differ'
check 'binary: norm of 15' says '2 (p = 15)'
check 'binary: range' says 'range 0 (p = 0, column 0) to 1 (p = 1, column 0)'

does 'binary, times 0' "$inspect" --positions binary --width 4 -n 32 --position-scale 0
check 'binary, times 0: one row' says '1 different one of 32'
check 'binary, times 0: no word of unique ones' lacks 'unique'
does 'index' "$inspect" --positions index --width 4 -n 5
check 'index: in words' says '0.8 is place 4 of a text of 5 tokens, and place 16 of one of 20'
check 'index: rows differ in texts of one length' says 'all 5 differ: among texts of 5 tokens every position is known'
check 'index: range' says 'to 0.8 (p = 4, column 0)'
check 'index: distances are the same' line 'k = 2 +0\.8 for every p'
does 'index, json' "$inspect" --positions index -n 20 -f json
check 'index, json: the example' says '"value": 0.80000000000000004, "places": [ 4, 16 ], "of": [ 5, 20 ]'

does 'index, wide' "$inspect" --positions index --width 16777216 -n 1
check 'index, wide: in words' says '0.8 is place 4 of a text of 5 tokens'
does 'index, scaled' "$inspect" --positions index --width 2 -n 5 --position-scale 5
check 'index, scaled: in words' says 'p / T times W2'
check 'index, scaled: in words' says '4 is place 4 of a text of 5 tokens'
does 'fourier' "$inspect" --positions fourier --frequencies 0.25,0.125 --width 6 -n 20
check 'fourier: the norm' line 'norm +1\.4142136 for every row'
check 'fourier: rows come back' says '8 different ones of 20'
check 'fourier: three of them' line '0 = 8 = 16'
does 'harmonics' "$inspect" --positions fourier --width 8 -n 40
check 'harmonics: of the text' says 'harmonics of 40 tokens'
check 'harmonics: unique' says 'rows all 40 differ'
check 'harmonics: the norm' line 'norm +2 for every row'
does 'exponential' "$inspect" --positions exponential --width 4 -n 10 --position-base 10
check 'exponential: starts at 1' says 'to 1 (p = 0, column 0)'
check 'exponential: norm falls' says '2 (p = 0)'
does 'none' "$inspect" --positions none -n 3
check 'none: no scheme of that name' says 'no positions: width 128'
check 'none: zeros' line 'norm +0 for every row'
check 'none: one row' line '0 = 1 = 2'
does 'one row' "$inspect" --positions -n 1
check 'one row: no distance' lacks 'PE[p+k]'

does 'csv' "$inspect" --positions binary --width 3 -n 4 -f csv
printf 'position,v0,v1,v2\n0,0.0,0.0,0.0\n1,1.0,0.0,0.0\n2,0.0,1.0,0.0\n3,1.0,1.0,0.0\n' | tr -d '\r' >expected
tr -d '\r' <out >plain
check 'csv: the matrix' cmp -s plain expected
does 'json' "$inspect" --positions --width 100 -n 64 -k 2 -f json
check 'json: constant' says '"k": 2, "constant": true'
check 'json: all differ' says '"different_rows": 64'

run "$inspect" --positions -n 128 -k 200
ends 'k past the rows' 0 '128 positions are at most 127 apart: -k 200 stops there; -n takes more rows'
check 'k past the rows: those there are' says 'k = 127'

does 'one row and two' "$inspect" --positions --width 100 --row 34 --pair 70,72
check 'a row: its norm' line 'p = 34 +7\.0710678'
check 'a pair: their distance' line '\|PE\[70\] - PE\[72\]\| = 3\.2668781'
does 'a row that is not as the others' "$inspect" --positions binary --width 4 --row 7 --pair 15,0 -n 16 -k 1
check 'binary: the row' line 'p = 7 +1\.7320508'
check 'binary: the pair' line '\|PE\[15\] - PE\[0\]\| = 2'
does 'picks, json' "$inspect" --positions binary --width 4 --row 15 --pair 0,1 -f json
check 'json: the row' says '"row": { "p": 15, "norm": 2.0 }'
check 'json: the pair' says '"pair": { "p": [ 0, 1 ], "distance": 1.0 }'
does 'no picks, json' "$inspect" --positions binary -f json
check 'no picks, json' lacks '"row"'

# ---- of a file ----
run "$new" -o learned.w --layers 0 --width 8 --max-tokens 12 --position learned
does 'a learned table' "$inspect" --positions learned.w
check 'learned: its rows' says 'learned positions of random weights: width 8, positions 0 to 11'
check 'learned: not constant' says 'mean'
run "$inspect" --positions learned.w -n 13
ends 'past the table' 1 "13 positions asked for, the model's table has 12"
does 'another scheme of its width' "$inspect" --positions --position binary learned.w -n 300
check 'another scheme: width 8' says '256 different ones of 300'
run "$new" -o waves.w --layers 0 --width 8 --position sinusoidal --position-base 50 --position-scale 2
does 'base and scale of a file' "$inspect" --positions waves.w -n 30
check 'base of a file' says 'base 50, times 2'
check 'scale of a file' line 'norm +4 for every row'

# ---- misuse ----
while IFS='|' read -r options exit words; do
    # shellcheck disable=SC2086
    run "$inspect" $options
    ends "inspect $options" "$exit" "$words"
    check "inspect $options: nothing on stdout" [ ! -s out ]
done <<'END'
--positions learned|2|learned positions are in a file
--positions no.such|1|no.such
--positions sinusoidl|1|'sinusoidl' is neither a scheme (none, sinusoidal, index, binary, fourier, exponential) nor a file
--positions ./sinusoidl|1|sinusoidl
--positions --width 0|2|--width takes
--positions -n 0|2|-n takes
--positions -k x|2|-k takes
--positions --row 128|2|position 128 is asked for, and there are 0 to 127: -n takes more
--positions --pair 3,900 --row 1|2|position 900 is asked for
--positions --row x|2|--row takes
--positions --row -1|2|--row takes
--positions --pair 3|2|--pair takes two positions, P,Q, not '3'
--positions --pair 3,|2|--pair takes
--positions --pair 1,2,3|2|--pair takes
--positions --row 1 -f csv|2|the matrix itself
--row 1 learned.w|2|go with --positions
--positions --width 4 learned.w|2|a file has its own
--positions binary --position index|2|two schemes
--positions binary --position-base 5|2|no others have a base; here they are binary
--positions --frequencies 1|2|--frequencies goes with positions fourier
--positions none --position-scale 2|2|there are none
--positions --embedding-scale 2|2|weighs embeddings
--positions --position-base 0|2|takes a number from 1e-100
--positions --position-base -5|2|takes a number from 1e-100
--positions --position-base nan|2|takes a number
--positions --position relative|2|takes one of
--positions fourier --frequencies 1,,2|2|takes a number, not ''
--positions fourier --frequencies 1e39|2|at most 1e+38
--positions fourier --frequencies 1,2,3 --width 4|1|at most 2
--positions -n 16777216 --width 1000|1|ask for fewer
--positions --width 2 -n 100000 -k 99999|1|take 19999800000 differences, at most 4294967296 are computed
--positions --verify|2|without --positions
--positions learned.w waves.w|2|one file at a time
--width 5 learned.w|2|go with --positions
-f csv learned.w|2|-f csv goes with --positions
END

# ---- encode: what is added, read back from a model that adds nothing else ----
run "$new" -o zero.w --words 'a b c d e' --layers 0 --width 6 --max-tokens 20 --position none \
    --embedding-scale 0 --pooling none
rows() { # OPTIONS: the numbers of the text's five tokens, one line each
    "$encode" -m zero.w -f csv "$@" 'a b c d e' 2>err | tr -d '\r' | cut -d, -f9- | tail -n +2 | sed "s/-0\.0/0.0/g"
}
matrix() { # OPTIONS: the same from encode-inspect
    "$inspect" --positions zero.w -n 5 -f csv "$@" 2>err | tr -d '\r' | cut -d, -f2- | tail -n +2 | sed "s/-0\.0/0.0/g"
}
for options in '--position sinusoidal' '--position index' '--position binary' '--position fourier' \
    '--position exponential' '--position none' '--position sinusoidal --position-base 30' \
    '--position exponential --position-base 7 --position-scale 3' '--position index --position-scale 0.5' \
    '--position fourier --frequencies 0.25,0.1,0.3' '--position fourier --frequencies 0.5'; do
    # shellcheck disable=SC2086
    rows $options >out
    # shellcheck disable=SC2086
    matrix $options >expected
    check "$options: five rows" [ "$(wc -l <out)" = 5 ]
    check "$options: as measured" cmp -s out expected
done
rows --position index --position-scale 5 >out
check 'index times 5 counts' [ "$(tr '\n' ' ' <out)" = "$(for p in 0 1 2 3 4; do echo "$p.0,$p.0,$p.0,$p.0,$p.0,$p.0"; done | tr '\n' ' ')" ]
run "$new" -o ones.w --words 'a b' --layers 0 --width 4 --position none --pooling none
"$encode" -m ones.w -f csv 'a b' | tail -n +2 >plain
"$encode" -m ones.w -f csv --embedding-scale 1 'a b' | tail -n +2 >out
check 'W1 1 changes nothing' cmp -s plain out
"$encode" -m ones.w -f csv --embedding-scale sqrt 'a b' | tail -n +2 >out
"$encode" -m ones.w -f csv --embedding-scale 2 'a b' | tail -n +2 >plain
check 'W1 sqrt is 2 at width 4' cmp -s plain out
does 'the heading' "$encode" -m ones.w --position sinusoidal --position-base 9 --embedding-scale 1 --position-scale 10 'a b'
check 'the heading names what is asked' says 'sinusoidal positions (base 9, W1 1, W2 10), full mask'

while IFS='|' read -r options exit words; do
    # shellcheck disable=SC2086
    run "$encode" -m learned.w $options 'I'
    ends "encode $options" "$exit" "$words"
done <<'END'
--position binary --position-base 5|2|--position-base goes with
--position-base 5|2|here they are learned
--frequencies 0.5|2|here they are learned
--position none --position-scale 2|2|there are none
--position-scale -1|2|--position-scale takes a number from 0
--embedding-scale nan|2|--embedding-scale takes a number
--embedding-scale 1e39|2|--embedding-scale takes a number from 0
--position fourier --frequencies 1,2,3,4,5|1|at most 4
--position absolute|2|takes one of
END
run "$encode" -m waves.w --position learned I
ends 'no table' 1 'no table of learned positions; encode-new --position learned writes a model that has one'
run "$inspect" --positions --position learned waves.w
ends 'inspect: no table' 1 'no table of learned positions; encode-new --position learned writes a model that has one'

run "$encode" -m ones.w --embedding-scale 3e38 --position sinusoidal --position-scale 3e38 'a b'
ends 'numbers beyond float32' 1 'text 1 gives NaN or an infinity: float32 overflows'
check 'numbers beyond float32: what to do' grep -q 'embedding_scale or position_scale are too large' err
check 'numbers beyond float32: the options' grep -q 'see --embedding-scale and --position-scale' err
check 'numbers beyond float32: none is printed' lacks inf
does 'a scale of all that float32 holds' "$encode" -m zero.w --embedding-scale 3.4e38 --position none a

# ---- encode --compare: the sentence is true for every scheme ----
run "$new" -o layers.w --words 'a b c d e' --layers 1 --width 8 --max-tokens 40
for scheme in sinusoidal index binary fourier exponential; do
    does "compare, $scheme" "$encode" -m layers.w --position $scheme --compare 'a b c' 'c b a'
    check "compare, $scheme: it moves" says "With $scheme positions the same word in another place gets another vector"
done
does 'compare, W2 0' "$encode" -m layers.w --position-scale 0 --compare 'a b c' 'c b a'
check 'compare, W2 0: a bag of words' says 'Without positions and with a full mask the order of the words makes no difference'
does 'compare, W2 0, causal' "$encode" -m layers.w --position-scale 0 --mask causal --compare 'a b c' 'c b a'
check 'compare, W2 0, causal' says 'Even without positions a causal mask'
does 'compare, all rows alike' "$encode" -m layers.w --position fourier --frequencies 1 --compare 'a b c' 'c b a'
check 'compare, all rows alike' says 'what the fourier positions add in these places is the same'
does 'compare, some rows alike' "$encode" -m zero.w --position fourier --frequencies 0.5 --embedding-scale 1 \
    --compare 'a b c d' 'c a b d'
check 'compare, some rows alike' says 'not every two places differ'
does 'compare, another length' "$encode" -m zero.w --position index --embedding-scale 1 --compare 'a b' 'a b c'
check 'compare, another length: index' says 'its word and, as index positions do, the number of tokens (there are no layers)'
does 'compare, no layers' "$encode" -m zero.w --position binary --embedding-scale 1 --compare 'a b' 'b c'
check 'compare, no layers: the place' says 'its word and its word'\''s place (there are no layers)'
does 'compare, no layers, the same places' "$encode" -m zero.w --position binary --embedding-scale 1 --compare 'a b' 'a b c'
check 'compare, no layers, the same places' says 'The shared words have the same vectors'

# ---- encode's heading: what is in force, whether the file or an option says it ----
heading() { # FILE WORDS OPTIONS...: the heading's second line begins with WORDS
    local file=$1 words=$2
    shift 2
    does "heading of $file $*" "$encode" -m "$file" "$@" a
    check "heading of $file $*: '$words'" [ "$(sed -n 2p out | cut -c 1-${#words})" = "$words" ]
}
run "$new" -o told.w --words 'a b' --layers 0 --width 16 --position-base 50 --embedding-scale sqrt --position-scale 10
run "$new" -o in-attention.w --words 'a b' --width 16 --position learned --set attention_position=rotary --set window=5
heading in-attention.w 'learned and rotary positions, full mask, window of 5, '
heading in-attention.w 'rotary positions, causal mask, window of 5, ' --position none --mask causal
heading told.w 'sinusoidal positions (base 50, W1 4, W2 10), full mask'
heading told.w 'sinusoidal positions (base 10000, W1 4, W2 0.5), full mask' --position-base 10000 --position-scale 0.5
heading told.w 'sinusoidal positions (base 50, W1 1, W2 10), full mask' --embedding-scale 1
heading told.w 'binary positions (W1 4, W2 10), full mask' --position binary
heading told.w 'no positions (W1 4), full mask' --position none
run "$new" -o waves.w --words 'a b' --layers 0 --width 16 --position fourier --frequencies 0.5,0.1
heading waves.w 'fourier positions (2 frequencies), full mask'
heading waves.w 'fourier positions (1 frequency), full mask' --frequencies 0.25
heading waves.w 'sinusoidal positions (W1 4), full mask' --position sinusoidal --embedding-scale sqrt
heading layers.w 'sinusoidal positions, full mask'

# ---- encode-new: what it writes, and a classifier without layers ----
run "$new" -o four.w --layers 0 --width 6 --position fourier --frequencies 0.25,-0.1 --position-scale 0.5
does 'what a file says' "$inspect" four.w
check 'inspect: the scheme' line 'position +fourier'
check 'inspect: how many frequencies' line 'position_frequencies +2'
check 'inspect: W2' line 'position_scale +0\.5'
check 'inspect: the tensor' line 'position\.frequencies +f32 +rows +\[2\] +[0-9]+ +8'
run "$new" -o tenths.w --layers 0 --width 4 --position fourier --frequencies 0.1,0.3
does 'frequencies of a file' "$inspect" --positions tenths.w -n 4096 -f csv
mv out expected
does 'the same as an option' "$inspect" --positions fourier --width 4 --frequencies 0.1,0.3 -n 4096 -f csv
check 'the same frequencies, the same numbers' cmp -s out expected
run "$new" -o base.w --layers 0 --position exponential --position-base 512
does 'a base' "$inspect" base.w
check 'inspect: the base' line 'position_base +512'
run "$new" -o plain.w
does 'nothing new' "$inspect" plain.w
check 'inspect: a file that uses nothing new has no new key' lacks 'position_base'
check 'inspect: nor head_pooling' lacks 'head_pooling'

run "$new" -o classifier.w --words 'good bad film' --layers 0 --width 8 --position learned --labels 'pos,very neg' --head-pooling mean
ends 'a classifier' 0 "wrote 'classifier.w'"
does 'its settings' "$inspect" classifier.w
check 'classifier: head' line 'head +sequence'
check 'classifier: softmax' line 'scores +softmax'
check 'classifier: what the head reads' line 'head_pooling +mean'
check 'classifier: a name' line 'label\.1 +very neg'
does 'labels' "$encode" -m classifier.w --labels --all 'good film' 'bad film'
check 'labels: both names' says 'very neg'
sum=$("$encode" -m classifier.w --labels --all -f csv 'good film' | tail -n +2 | tr -d '\r' |
    awk -F, '{ s += $NF } END { print (NR == 2 && s > 0.999999 && s < 1.000001) }')
check 'labels: a softmax sums to 1' [ "$sum" = 1 ]
# The head reads the mean: every word counts, and their order does not.
score() { "$encode" -m classifier.w --labels --raw-scores -f csv "$@" | tail -n +2 | cut -d, -f3-; }
check 'the second word counts' [ "$(score 'good film')" != "$(score 'good bad')" ]
check 'the order does not, without positions' [ "$(score --position none 'good bad')" = "$(score --position none 'bad good')" ]
run "$new" -o bag.w --words 'good bad film' --layers 0 --width 8 --position learned --labels a,b
does 'no layers: the mean by itself' "$inspect" bag.w
check 'no layers: the head reads the mean' line 'head_pooling +mean'
labels_of() { "$encode" -m "$1" --labels --raw-scores -f csv "$2" | tail -n +2 | cut -d, -f3-; }
check 'no layers: the second word counts' [ "$(labels_of bag.w 'good film')" != "$(labels_of bag.w 'good bad')" ]
run "$new" -o first.w --words 'good bad film' --layers 0 --width 8 --labels a,b --head-pooling cls
does 'no layers, cls' "$inspect" first.w
check 'no layers, cls: what is asked stays, and is shown' line 'head_pooling +cls .*'
run "$new" -o layered.w --words 'good bad film' --layers 1 --width 8 --labels a,b
does 'with layers' "$inspect" layered.w
check 'with layers: the first token, shown' line 'head_pooling +cls .*'
check 'with layers: once' [ "$(grep -c head_pooling out)" = 1 ]
run "$new" -o pooler.w --words 'good bad film' --layers 0 --width 8 --labels a,b --pooling pooler --head-dense tanh
ends 'no layers, pooling pooler: it reads the first token' 0 "wrote 'pooler.w'"

run "$new" -o cls.w --words 'good bad film' --layers 0 --width 8 --position learned --labels a,b --head sequence --scores none
does 'what is given stays' "$inspect" cls.w
check 'scores none stays' lacks 'softmax'

while IFS='|' read -r options words; do
    # shellcheck disable=SC2086
    run "$new" -o x.w $options
    ends "new $options" 2 "$words"
    check "new $options: no file" [ ! -e x.w ]
done <<'END'
--labels a,,b|a name in 'a,,b' is empty
--labels ,a|is empty
--labels a,|is empty
--labels -1|--labels takes
--labels a,b --head none|'labels' must be
--head-pooling mean|'head_pooling' needs head sequence
--labels a --head-pooling pooler|'head_pooling' is none or pooler
--labels a --head-pooling sum|--head-pooling takes
--position fourier --frequencies x|--frequencies takes a number
--frequencies 0.5|--frequencies goes with --position fourier
--position fourier --frequencies 1e39|--frequencies takes cycles per token, at most 1e+38
--position fourier --frequencies 0.5,-1e100|at most 1e+38, not '-1e100'
--position fourier --width 2 --frequencies 1,2|more than half of the columns
--position binary --position-base 5|--position-base goes with --position sinusoidal or exponential, no others have a base; here it is binary
--position-base 0|--position-base takes a number from 1e-100 to 1e+100, not '0'
--position-base x|--position-base takes a number from 1e-100
--position-frequencies 2|unrecognized option
END

finish
