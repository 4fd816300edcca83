# What titles, panels and headings of the tables say.
export ENCODE_MODEL=toy.weights
title() { encode-plot "$@" -f data </dev/null | grep '^#' | grep -vE '^# (encode|rows|columns|x|y|table 1 of 1)' | cut -c 3-; }
encode-new -o odd.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride dog' --position-base 50 --position-scale 10 --embedding-scale 2
encode-new -o waves.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride' --position fourier --frequencies 0.1,0.2
encode-new -o none.weights --words 'a b' --width 8 --heads 1 --layers 1 --position none; encode-new -o flat.weights --words 'a b' --width 8 --layers 0
title position --position-base 100 --position sinusoidal --position-scale 3
title position --position-base 100
title position
title position -m odd.weights
title position --beside odd.weights
title position -m waves.weights
title words -m odd.weights 'I ride'
title words 'I ride' --position-scale 10
title words -m waves.weights 'I ride' --frequencies 0.25
title attention -m odd.weights 'I ride'
title similarity -m odd.weights 'I ride' dog
title order -m odd.weights 'I ride'; encode-plot order -m odd.weights 'I ride' -f data | grep ^name
encode-plot position --position-base 100 -n 3 --width 4 --beside sinusoidal -f data | sed -E 's/(\.[0-9]{6})[0-9]+/\1/g'

# Words: layers and scales.
title words --layer 1 'a b'
title words --fit each 'a b' 'b a'
title words --embedding-scale 3 --position-scale 2 'a b'
title words --embedding-scale sqrt 'a b'
title words -m none.weights --position sinusoidal 'a b'
title words -m none.weights 'a b'
title words -m none.weights --position none 'a b'
title words -m none.weights --position-base 50 'a b'
title words --position fourier --frequencies 0.1 'a b'

# Positions.
title position -m none.weights
title position -n 1 --kind cosine
title position --position fourier --frequencies 0.1
title position --beside index --beside binary --beside none -n 9

# Orders.
title order 'a b c'
encode-plot order --position none 'a b c' -f data | grep ^name
title order 'a b c d'
title order 'a b c d e'
title order 'a b'
title order 'a a a a a a a a a a a b b'
encode-plot order 'I ride I bike' -f data | grep -c '^[Ibr]'
encode-plot order 'I ride bike dog cat I ride bike' -f data >first; encode-plot order 'I ride bike dog cat I ride bike' -f data | cmp - first && grep -E '^[Ibrdc]' first | cut -f 1 | sort -u | wc -l

# Similarities.
encode-plot similarity --no-special -m plain.weights i '' -f data
encode-plot similarity a a b -f data | tail -n 3
seq 70 | encode-plot similarity | grep columns

# Texts of stdin, and texts that would control a terminal or break a table.
for picture in 'attention --head 1' layers order words; do encode-plot $picture 'I ride bike' -f data >expected; echo 'I ride bike' | encode-plot $picture -f data | cmp - expected && echo the same; done
encode-plot words 'I ride' dog -f data >expected; printf 'I ride\n\ndog\n' | encode-plot words -f data | cmp - expected && echo the same
encode-plot similarity "$(printf 'a\tb')" "$(printf 'c\nd')" '#"\' -f data | cut -f 1; encode-plot similarity "$(printf 'a\tb')" "$(printf 'c\nd')" -f data | grep ^name
encode-new --words 'a b' --layers 1 --width 8 --heads 1 --name "$(printf 'x\ny\tz')" -o lines.weights; encode-plot attention 'a b' -m lines.weights | grep z

# Pictures of letters need no gnuplot, and names are whole if they fit.
export nine='one two three four five six seven eight nine'
(PATH=$(dirname "$(command -v encode-plot)"); encode-plot attention 'I ride bike' --head 1; encode-plot order 'I ride bike')
encode-plot order "$nine" | head -n 6
encode-plot order "$nine ten eleven" | grep -c …
encode-plot similarity 'I ride bike' 'bike ride I'

# Steps: what is inside the layers.
encode-new -o steps.weights --words 'I ride bike' --width 8 --heads 2 --layers 2 --feed-forward 5 --max-tokens 9
encode-plot steps -m steps.weights --mask causal -f data 'I ride bike' 'bike ride' | grep '^# table'
encode-plot steps -m steps.weights 'I ride' | grep -A 6 'attention, head 2'
encode-plot steps 'I ride' | grep layer
encode-plot steps -m flat.weights -f data I | grep '^# table'

encode-plot attention 'I ride' -f data >numbers; encode-plot attention 'I ride' -o c.tsv && encode-plot attention 'I ride' -f data -o - | cmp - numbers && test ! -e ./- && cmp c.tsv numbers && echo the same
