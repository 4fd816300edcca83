#!/usr/bin/env bash
# Position schemes on the command line: encode-plot position -f data, encode --position ..., what encode-new writes, and a
# classifier without layers.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
new=$programs/encode-new inspect=$programs/encode-inspect encode=$programs/encode plot=$programs/encode-plot
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

# ---- encode-plot position -f data: the known numbers ----
numbers() { # WHAT ARGUMENTS...: the table, a line for each row, the row's name first
    local what=$1
    shift
    does "$what" "$plot" position -f data "$@"
    grep -v '^#' out | tail -n +2 >table
}
at() { # ROW COLUMN
    awk -F'\t' -v row="$1" -v column="$2" '$1 == row { print $(column + 2) }' table
}
is_near() { # A B [TOLERANCE]
    awk -v a="$1" -v b="$2" -v tolerance="${3:-1e-12}" \
        'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= tolerance && -d <= tolerance) }'
}
# The least and the largest number of rows that are K apart.
apart() { # K
    awk -F'\t' -v k="$1" 'NR > k { d = $(NR - k + 1); if (!n++ || d < least) least = d; if (d > most) most = d }
        END { printf "%.10g %.10g\n", least, most }' table
}

numbers 'd=100' --position sinusoidal --width 100
check 'd=100: 100 rows' [ "$(wc -l <table)" = 100 ]
check 'd=100: sin(1), in double precision' is_near "$(at 1 0)" 0.8414709848078965
check 'd=100: cos(34 / 10000^0.98)' is_near "$(at 34 99)" 0.9999916453697584
PATH=/nonexistent "$plot" position -f data --position sinusoidal --width 100 >without 2>err
check 'd=100: the same without gnuplot' cmp -s out without
numbers 'd=100: products' --position sinusoidal --width 100 --kind correlation
check 'd=100: the length of row 34' is_near "$(at 34 34)" 50
numbers 'd=100: distances' --position sinusoidal --width 100 --kind distance
check 'd=100: of rows 70 and 72' is_near "$(at 70 72)" 3.2668781 5e-8
for width in 2 18 128 512; do
    for base in 2 10000 1e6; do
        numbers "d=$width, base $base" --width $width --position-base $base --kind distance
        read -r least most < <(apart 2)
        check "d=$width, base $base: all rows 2 apart are as far apart" is_near "$least" "$most" 1e-9
    done
done
numbers 'an odd width' --width 7 --position sinusoidal --kind correlation
read -r least most < <(apart 0)
check 'an odd width: the length of a row varies' [ "$least" != "$most" ]
numbers 'position scale' --width 100 --position-scale 10 --position sinusoidal --kind correlation
check 'position scale: the length of a row' is_near "$(at 3 3)" 5000 1e-9

numbers 'binary' --position binary --width 4 -n 32 --kind distance
check 'binary: each row comes back after 16' [ "$(apart 16)" = '0 0' ]
check 'binary: and none before' [ "$(awk -F'\t' 'NR <= 16 { for (i = 2; i <= 17; i++) n += $i == 0 } END { print n }' table)" = 16 ]
numbers 'index' --position index --width 4 -n 5
check 'index: place 4 of 5' [ "$(at 4 0)" = 0.8 ]
numbers 'index' --position index --width 4 -n 20
check 'index: place 16 of 20' [ "$(at 16 0)" = 0.8 ]
numbers 'fourier' --position fourier --frequencies 0.25,0.125 --width 6 -n 20 --kind distance
check 'fourier: rows come back' [ "$(apart 8)" = '0 0' ]
numbers 'harmonics' --position fourier --width 8 -n 40 --kind correlation
check 'harmonics: the length of a row' is_near "$(at 7 7)" 4
numbers 'exponential' --position exponential --width 4 -n 10 --position-base 10
check 'exponential: starts at 1' [ "$(at 0 0)" = 1 ]
check 'exponential: e^-1' is_near "$(at 1 0)" 0.36787944117144233
numbers 'none' --position none -n 3 --width 2
check 'none: zeros' [ "$(cat table)" = "$(printf '%s\t0\t0\n' 0 1 2)" ]
numbers 'one row' --position sinusoidal -n 1 --kind distance
check 'one row: no distance' [ "$(cat table)" = "$(printf '0\t0')" ]

# ---- of a file ----
run "$new" -o learned.w --layers 0 --width 8 --max-tokens 12 --position learned
numbers 'a learned table' -m learned.w
check 'learned: its rows' [ "$(wc -l <table)" = 12 ]
run "$plot" position -m learned.w -n 13 -f data
ends 'past the table' 1 "13 positions asked for, the model's table has 12"
run "$new" -o waves.w --layers 0 --width 8 --position sinusoidal --position-base 50 --position-scale 2
numbers 'base and scale of a file' -m waves.w -n 3
check 'base of a file' is_near "$(at 1 6)" "$(awk 'BEGIN { print 2 * sin(1 / 50 ^ 0.75) }')" 1e-5
run "$plot" position -m waves.w --position learned -f data
ends 'no table' 1 'no table of learned positions; encode-new --position learned writes a model that has one'

# ---- misuse ----
while IFS='|' read -r options exit words; do
    # shellcheck disable=SC2086
    run "$plot" position -f data $options
    ends "position $options" "$exit" "$words"
    check "position $options: nothing on stdout" [ ! -s out ]
done <<'END'
--position learned|2|learned positions are in a weight file
--beside no.such|1|no.such
--position relative|2|takes one of
--width 0|2|--width takes
-n 0|2|-n takes
-m learned.w --width 4|2|have 8 numbers
--position binary --position-base 5|2|no others have a base
-m learned.w --position-base 5|1|only positions sinusoidal or exponential have a base
--position sinusoidal --frequencies 1|2|--frequencies requires positions fourier
--position none --position-scale 2|2|requires positions
--embedding-scale 2|2|embedding-scale
--position-base 0|2|takes a number from 1e-100
--position-base -5|2|takes a number from 1e-100
--position-base nan|2|takes a number
--position fourier --frequencies 1,,2|2|takes a number, not ''
--position fourier --frequencies 1e39|2|at most 1e+38
--position fourier --frequencies 1,2,3 --width 4|1|at most 2
--position sinusoidal -n 100000 --width 1000|2|a picture takes at most
END
run "$inspect" --positions
ends 'encode-inspect measures no positions' 2 "unrecognized option '--positions'"
check 'its manual names what does' grep -q '`encode-plot`(1) position -f data' "$tree/tools/build/man/encode-inspect.1.in"

# ---- encode: what is added, read back from a model that adds nothing else ----
run "$new" -o zero.w --words 'a b c d e' --layers 0 --width 6 --max-tokens 20 --position none \
    --embedding-scale 0 --pooling none
rows() { # OPTIONS: the numbers of the text's five tokens, one line each
    "$encode" -m zero.w -f csv "$@" 'a b c d e' 2>err | tr -d '\r' | cut -d, -f9- | tail -n +2 | sed "s/-0\.0/0.0/g"
}
matrix() { # OPTIONS: the same from encode-plot, before it is rounded to float32
    "$plot" position -m zero.w -n 5 -f data "$@" 2>err | grep -v '^#' | tail -n +2 | cut -f2- | tr '\t' ,
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
    paste -d, out expected | awk -F, '{ for (i = 1; i <= 6; i++) { d = $i - $(i + 6); n += d <= 2e-7 && -d <= 2e-7 } } END { exit n != 30 }'
    check "$options: as encode-plot has it" [ $? = 0 ]
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
--position binary --position-base 5|2|--position-base requires
--position-base 5|2|here they are learned
--frequencies 0.5|2|here they are learned
--position none --position-scale 2|2|requires positions
--position-scale -1|2|--position-scale takes a number from 0
--embedding-scale nan|2|--embedding-scale takes a number
--embedding-scale 1e39|2|--embedding-scale takes a number from 0
--position fourier --frequencies 1,2,3,4,5|1|at most 4
--position absolute|2|takes one of
END
run "$encode" -m waves.w --position learned I
ends 'no table' 1 'no table of learned positions; encode-new --position learned writes a model that has one'

run "$encode" -m ones.w --embedding-scale 3e38 --position sinusoidal --position-scale 3e38 'a b'
ends 'numbers beyond float32' 1 'text 1 gives NaN or an infinity: float32 overflows'
check 'numbers beyond float32: what to do' grep -q 'embedding_scale or position_scale are too large' err
check 'numbers beyond float32: the options' grep -q 'see --embedding-scale and --position-scale' err
check 'numbers beyond float32: none is printed' lacks inf
does 'a scale of all that float32 holds' "$encode" -m zero.w --embedding-scale 3.4e38 --position none a

# ---- encode-compare words: the sentence is true for every scheme ----
run "$new" -o layers.w --words 'a b c d e' --layers 1 --width 8 --max-tokens 40
concludes() { # WORDS OPTION... A B
    local words=$1
    shift
    does "compare $*" "$programs/encode-compare" words "$@"
    check "compare $*: $words" says "$words"
}
bag='Without positions, and where every word sees all others' sees="A word's vector takes in all words that it sees"
moved='With positions the same word in another place has another vector' same='The shared words have the same vectors'
for scheme in sinusoidal index binary fourier exponential; do
    concludes "$moved" -m layers.w --position $scheme 'a b c' 'c b a'
done
concludes "$bag" -m layers.w --position-scale 0 'a b c' 'c b a'
concludes "$sees" -m layers.w --position-scale 0 --mask causal 'a b c' 'c b a'
concludes "$same" -m layers.w --position fourier --frequencies 1 'a b c' 'c b a'
concludes "$moved" -m zero.w --position fourier --frequencies 0.5 --embedding-scale 1 'a b c d' 'c a b d'
concludes 'Without layers a vector is made of its word and its place' -m zero.w --position binary --embedding-scale 1 'a b' 'b c'
concludes "$same" -m zero.w --position binary --embedding-scale 1 'a b' 'a b c'

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
numbers 'frequencies of a file' -m tenths.w -n 4096
mv table expected
numbers 'the same as an option' --position fourier --width 4 --frequencies 0.1,0.3 -n 4096
check 'the same frequencies, the same numbers' cmp -s table expected
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
--frequencies 0.5|--frequencies requires --position fourier
--position fourier --frequencies 1e39|--frequencies takes cycles per token, at most 1e+38
--position fourier --frequencies 0.5,-1e100|at most 1e+38, not '-1e100'
--position fourier --width 2 --frequencies 1,2|more than half of the columns
--position binary --position-base 5|--position-base requires --position sinusoidal or exponential, no others have a base; here it is binary
--position-base 0|--position-base takes a number from 1e-100 to 1e+100, not '0'
--position-base x|--position-base takes a number from 1e-100
--position-frequencies 2|unrecognized option
END

finish
