# Pictures that cannot be drawn: options, texts, models and outputs.
export ENCODE_MODEL=toy.weights
encode-new -o learned.weights --words 'a b' --width 8 --layers 1 --position learned --max-tokens 12; encode-new -o flat.weights --words 'a b' --width 8 --layers 0
encode-plot
encode-plot -o x.png attention a
encode-plot heat; encode-plot atention; encode-plot step-s 'I ride'
encode-plot attention </dev/null
encode-plot words </dev/null
encode-plot attention a b
encode-plot position a b; encode-plot position -n 5 a; encode-plot position --no-special a; encode-plot position -m plain.weights ''
encode-plot words a b c
encode-plot attention 'I ride' --layer 3
encode-plot attention 'I ride' --layer 0
encode-plot attention 'I ride' --head 3
encode-plot attention 'I ride' --rollout --head 1
encode-plot attention 'I ride' --dims 1
encode-plot position --layer 1
encode-plot position --dims 1,2
encode-plot position --kind waves --dims 200
encode-plot position --kind bars
encode-plot position --position fourier --position-base 5
encode-plot attention 'I ride' --position-scale 2 --position none
encode-plot attention 'I ride' --nonsense
encode-plot position --kind waves --dims x

# Sizes, texts and models.
for size in 0x0 10 10x x10 100x100km -5x5 nanx5 infx5 20x20 1e9x1e9; do encode-plot attention "I ride" -o a.png --size $size || echo exit code $?; done
encode-plot order 'a a a' -f data </dev/null
encode-plot order '' -f data </dev/null
encode-plot order "$(seq 5000 | tr '\n' ' ')"
encode-plot similarity -f data </dev/null
encode-plot similarity a -f data </dev/null
encode-plot words --layer 5 'a b' -f data </dev/null
encode-plot words --position fourier --frequencies 1,2,3,4,5 'a b' -f data </dev/null
encode-plot words -m words.alone 'a b' -f data </dev/null
encode-plot layers -m flat.weights 'a b' -f data </dev/null
encode-plot words -m learned.weights --position-base 50 'a b' </dev/null
encode-plot position -m nowhere -f data </dev/null
encode-plot position -m words.alone -f data </dev/null
encode-plot position --kind waves --dims 1:2 -f data </dev/null
for size in 100xinf 100x-5 500x10001 95x72 96x71; do encode-plot position --size $size -f svg </dev/null; done
seq 2001 | encode-plot similarity -f data
printf 'i\n\n' | encode-plot similarity -m plain.weights -f data
encode-plot similarity -f data <&-
encode-plot words -f data <&-
yes | encode-plot words
printf 'a\nb\n' | encode-plot order
printf 'a\000b\n' | encode-plot layers
encode-plot attention -m plain.weights '' -f data
encode-plot layers -m plain.weights '' -f data
encode-plot words '' -f data
encode-plot attention "$(yes I | head -n 20 | xargs)" -f data
encode-plot order 'I I' -f data
echo dog | encode-plot similarity -f data
encode-plot position -m learned.weights -n 13 -f data
encode-plot position --position learned --width 8 -f data
encode-plot position -m learned.weights --width 9 -f data
encode-plot steps -m toy.weights </dev/null
encode-plot steps -m plain.weights I ''
encode-plot steps 'I ride' -f png >/dev/null

# What would fill the memory or take hours is refused at once, with what can be asked for.
encode-new -o far.weights --words 'a b' --width 8 --heads 2 --layers 2 --max-tokens 100000 --position sinusoidal; encode-new -o wide.weights --words 'a b' --width 4096 --heads 1 --layers 0 --max-tokens 100000 --position sinusoidal
encode-plot position -n 9000 --kind distance -f data
encode-plot position -n 4097 --kind cosine --width 1 -f data
encode-plot position -n 100000 --width 65536 -f data
encode-plot position -n 100000 --width 65536 --kind waves -f data
encode-plot position -n 500 --kind correlation --width 65536 -f data
encode-plot position -m far.weights --beside wide.weights --width 8 -n 5000 -f data
encode-plot attention -m far.weights "$(yes a | head -n 9000 | xargs)" -f data
encode-plot position -n 65536 --width 256 --kind waves --dims 0 -o far.tsv && encode-plot attention -m far.weights "$(yes a | head -n 100 | xargs)" -o far.tsv && head -n 2 far.tsv

# Numbers that are none are in no picture.
encode-new --words 'a b' --layers 1 --width 8 --heads 1 -o scales.weights; encode-plot attention 'a b' -m scales.weights --embedding-scale 3e38 --position sinusoidal --position-scale 3e38
encode-new --words 'a b' --layers 1 --width 8 --heads 1 --position learned --max-tokens 8 -o nan.weights; hand_models nan.weights embedding.position.weight 0 nan
for picture in position attention layers order; do [ $picture = position ] && set -- || set -- 'a b'; encode-plot $picture "$@" -m nan.weights -f data || echo exit code $?; done
encode-plot words 'a b' 'b a' -m nan.weights -f data || encode-plot similarity a b -m nan.weights -f data

# Without gnuplot, and with one that fails, says nothing, stops half way or is killed.
(PATH=$(dirname "$(command -v encode-plot)"); encode-plot attention 'I ride' -o e.png) || ls e.png 2>&1
mkdir fake; fake() { printf '#!/bin/sh\n%s\n' "$1" >fake/gnuplot; chmod +x fake/gnuplot; PATH=$PWD/fake:$PATH encode-plot position -n 400 -o e.png || { echo exit code $?; test ! -e e.png; }; }
fake "cat >/dev/null; echo 'no terminal here' >&2; exit 1"
fake "cat >/dev/null"
fake "printf '\\211PNG'; cat >/dev/null"
fake "cat >/dev/null; kill -9 \$\$"
fake "printf '\\211PNG\\r\\n\\032\\n'; yes x | head -c 1000; cat >/dev/null"
fake "yes x | head -c 1000; cat >/dev/null"
fake "cat >/dev/null; printf ' \\001a\\177  b\\n ' >&2; exit 1"
fake "exit 0"
fake "yes x | head -c 100000 >&2; exit 3" 2>&1 | cut -c -60
mkdir closed; : >closed/gnuplot; (PATH=$PWD/closed:$(dirname "$(command -v encode-plot)"); encode-plot position -o e.png)

# Outputs.
for format in text data; do encode-plot position -f $format -o /dev/full || echo exit code $?; done; encode-plot attention 'I ride' -f data >/dev/full
encode-plot attention 'I ride' -o nowhere/a.txt
encode-plot attention 'I ride' -o b.jpg
