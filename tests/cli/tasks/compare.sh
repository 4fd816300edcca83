# Which words of two texts are the same, and how far positions move them.
export ENCODE_MODEL=toy.weights
encode-compare words 'I ride bike' 'bike ride I'
encode-compare words --position none 'I ride bike' 'bike ride I'
encode-compare words --position none --mask causal 'I ride bike' 'bike ride I'
encode-compare words 'I ride' 'dog cat'
encode-compare words 'I ride' 'i RIDE'
encode-compare words 'I ride bike' 'I ride dog' | tail -n 4
encode-compare words --mask causal 'I ride bike' 'I ride dog' | tail -n 4
encode-compare words '' ''
encode-compare words 'eins zwei drei' 'drei zwei eins'
encode-compare words -f json 'dog I dog' 'I dog cat dog'

# Unknown words have one id, and are still different words.
encode-compare words 'I zoo' 'I moo'
encode-compare words 'zoo I moo zoo' 'moo I boo' | tail -n 6
encode-compare words 'I zoo' 'zoo I' | tail -n 5
encode-compare words 'b c d e f g h j k' 'b' | tail -n 5
encode-compare words -f json 'zoo I moo' 'boo I zoo'
encode-compare words 'zoozoozoozoozoozoozoozoo moomoomoomoomoo boobooboo woo' 'I'

# The last sentence says what reaches a word in models of other shapes.
last() { encode-compare words "$@" | tail -n 4 | sed -n '/^$/,$p'; }
encode-new -o flat.weights --layers 0 --width 8 --words 'a b c d'; encode-new -o index.weights --layers 1 --width 8 --position index --words 'a b c d'
encode-new -o rotary.weights --layers 1 --width 8 --position learned --words 'a b c d' --set attention_position=rotary; encode-new -o window.weights --layers 1 --width 8 --position none --words 'a b c d' --set window=1
last -m flat.weights --position none --mask causal 'a b' 'b a'
last -m flat.weights --position none 'a b' 'b c'
last -m flat.weights --position-scale 0 'a b' 'b a'
last -m flat.weights --position-scale 1e-12 'a b' 'b a'
last -m flat.weights 'a b' 'b c'
last -m index.weights 'a b' 'a b c'
encode-compare words -m default.weights --position index 'dog bites man' 'man bites dog' | tail -n 4; last -m default.weights --position index 'dog bites man' 'man bites a dog'; last -m default.weights --position index --mask causal 'dog bites man' 'man bites dog'
last -m index.weights 'a b' 'b c a'
last -m index.weights 'a b c' 'd b a'
last -m index.weights --mask causal 'a b c' 'd b'
last -m index.weights --mask causal 'a b c' 'a b d'
last -m rotary.weights --position none 'a b c d' 'a d c b'
last -m rotary.weights --position learned 'a b c d' 'a d c b'
last -m window.weights 'a b c d' 'a c b d'

# The texts may be two lines of stdin.
encode-compare words 'I ride zoo' 'zoo ride I' >arguments; printf 'I ride zoo\nzoo ride I' | encode-compare words | cmp - arguments && echo the same
printf '' | encode-compare words
echo I | encode-compare words
seq 3 | encode-compare words
encode-compare words <&-
printf 'I\nI ride bike I\n' | encode-compare words --max-tokens 4 --on-long truncate 2>&1 >out
encode-compare words I "$(yes I | head -n 20 | xargs)"
