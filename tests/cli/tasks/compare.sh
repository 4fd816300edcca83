# Which words of two texts are the same, and how far positions move them.
export ENCODE_MODEL=toy.weights
encode --compare 'I ride bike' 'bike ride I'
encode --compare --position none 'I ride bike' 'bike ride I'
encode --compare --position none --mask causal 'I ride bike' 'bike ride I'
encode --compare 'I ride' 'dog cat'
encode --compare 'I ride' 'i RIDE'
encode --compare 'I ride bike' 'I ride dog' | tail -n 4
encode --compare --mask causal 'I ride bike' 'I ride dog' | tail -n 4
encode --compare '' ''
encode --compare 'eins zwei drei' 'drei zwei eins'
encode -f json --compare 'dog I dog' 'I dog cat dog'

# Unknown words have one id, and are still different words.
encode --compare 'I zoo' 'I moo'
encode --compare 'zoo I moo zoo' 'moo I boo' | tail -n 6
encode --compare 'I zoo' 'zoo I' | tail -n 5
encode --compare 'b c d e f g h j k' 'b' | tail -n 5
encode -f json --compare 'zoo I moo' 'boo I zoo'
encode --compare 'zoozoozoozoozoozoozoozoo moomoomoomoomoo boobooboo woo' 'I'

# The last sentence says what reaches a word in models of other shapes.
last() { encode --compare "$@" | tail -n 4 | sed -n '/^$/,$p'; }
encode-new -o flat.weights --layers 0 --width 8 --words 'a b c d'; encode-new -o index.weights --layers 1 --width 8 --position index --words 'a b c d'
encode-new -o rotary.weights --layers 1 --width 8 --position learned --words 'a b c d' --set attention_position=rotary; encode-new -o window.weights --layers 1 --width 8 --position none --words 'a b c d' --set window=1
last -m flat.weights --position none --mask causal 'a b' 'b a'
last -m flat.weights --position none 'a b' 'b c'
last -m flat.weights --position-scale 0 'a b' 'b a'
last -m flat.weights --position-scale 1e-12 'a b' 'b a'
last -m flat.weights 'a b' 'b c'
last -m index.weights 'a b' 'a b c'
encode --compare -m default.weights --position index 'dog bites man' 'man bites dog' | tail -n 4; last -m default.weights --position index 'dog bites man' 'man bites a dog'; last -m default.weights --position index --mask causal 'dog bites man' 'man bites dog'
last -m index.weights 'a b' 'b c a'
last -m index.weights 'a b c' 'd b a'
last -m index.weights --mask causal 'a b c' 'd b'
last -m index.weights --mask causal 'a b c' 'a b d'
last -m rotary.weights --position none 'a b c d' 'a d c b'
last -m rotary.weights --position learned 'a b c d' 'a d c b'
last -m window.weights 'a b c d' 'a c b d'

# The texts may be two lines of stdin.
encode --compare 'I ride zoo' 'zoo ride I' >arguments; printf 'I ride zoo\nzoo ride I' | encode --compare | cmp - arguments && echo the same
printf '' | encode --compare
echo I | encode --compare
seq 3 | encode --compare
encode --compare <&-
printf 'I\nI ride bike I\n' | encode --compare --max-tokens 4 --on-long truncate 2>&1 >out
encode --compare I "$(yes I | head -n 20 | xargs)"
