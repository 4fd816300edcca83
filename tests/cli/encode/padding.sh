# Texts of one length: --pad-to, its sides, ids and formats; and the masks of encode-compare mask.
printf 'king queen man woman dog wolf football basketball red green yellow\nman queen yellow basketball green dog woman football king red wolf\n' >two.txt
encode-new -o two.weights --fit two.txt --oov '' --num-words 63; encode -m two.weights --tokens --pad-to 100 --pad-side right --on-long truncate -f ids <two.txt
encode-new -o short.weights --words 'a b' --width 4 --heads 1 --position learned --max-tokens 3; encode -m short.weights --tokens --pad-to 6 --on-long truncate -f ids 'a b a b b a a' 'a b a b'

# The id is that of the vocabulary's padding, or one that is given.
export ENCODE_MODEL=toy.weights
encode -f ids --pad-to 6 'dog cat' bike ''
encode-new -o late.weights --words 'a b' --add-token '<pad>' --width 4 --heads 1; for options in '' '--pad-id 7' '--pad-id=-100'; do encode -m late.weights -f ids --pad-to 3 $options b; done
encode-new -o words.weights --words 'a b' --width 4 --heads 1; encode -m words.weights -f ids --pad-to 2 b '' a

# Sides of padding and cutting.
printf 'dog\n\ni ride bike dog cat\n' >texts
encode --tokens -f ids --no-special --pad-to 3 --pad-side left --on-long truncate <texts
encode --tokens -f ids --no-special --pad-to 3 --pad-side left --truncate-left <texts
encode -f ids --pad-to 5 --max-tokens 4 --on-long truncate <texts
encode --tokens --pad-to 6 --max-tokens 3 --truncate-left <texts
encode -f ids --pad-to 4 --on-long chunk <texts
encode -f ids --pad-to 8 dog --pair 'cat bike'
encode -f ids --pad-to 5 --on-long truncate dog --pair 'cat bike'
encode -f ids --pad-to 4 dog 'dog cat bike'
encode -f ids --pad-to 1 dog
encode -f ids --pad-to 1 --on-long truncate dog
encode -f ids --pad-to 2 --on-long truncate dog; encode -f ids --pad-to 3 --on-long truncate 'dog cat'
encode --tokens --pad-to 4 dog; encode --tokens --pad-to 4 --pad-id=-100 dog
encode --tokens --pad-to 4 -f json dog
encode --tokens -f csv --pad-to 7 dog --pair cat
echo '{"ids": [0, 5], "mask": [0, 1]}' | encode --tokens --input jsonl -f csv --pad-to 4 --pad-side left

# Arrays.
printf 'dog\n\n' | encode --tokens --pad-to 4 -f npy >seekable; head -c 128 seekable | tail -c +11; tail -c +129 seekable | od -A d -t d4
printf 'dog\n\n' | encode --tokens --pad-to 4 -f npy | cat | cmp - seekable && echo the same
encode --tokens --pad-to 4 -f npy </dev/null | tail -c +11
encode -f npy --pad-to 40 dog | head -c 128 | tail -c +11
encode -f npy --pad-to 40 -o never 'dog dog dog dog dog dog dog dog dog dog dog dog dog dog dog' || ls never

# Padding changes no vector: rows of tokens have the same bits, and those of padding are zeros.
encode -p none -f npy 'dog cat' bike >plain.npy; for side in left right; do encode -f npy --pad-to 6 --pad-side $side 'dog cat' bike >$side.npy; done; head -c 128 left.npy | tail -c +11
rows() { tail -c +$((129 + 32 * $2)) $1.npy | head -c $((32 * $3)); }
cmp <(rows right 0 4) <(rows plain 0 4) && cmp <(rows right 6 3) <(rows plain 4 3) && { rows right 4 2; rows right 9 3; } | tr -d '\0' | wc -c
cmp <(rows left 2 4) <(rows plain 0 4) && cmp <(rows left 9 3) <(rows plain 4 3) && { rows left 0 2; rows left 6 3; } | tr -d '\0' | wc -c
seq 300 | sed 's/.*/i ride bike dog/; 2~3s/dog//' >many; encode -p mean -f csv <many >without
encode -p mean -f csv --pad-to 16 <many | cmp - without && encode -p mean -f csv --pad-to 9 --pad-side left -t 3 <many | cmp - without && echo the same

# Masks: those of tokens, of the order, and both; and what softmax makes of ids as scores.
printf '{"ids": [5, 7, 9, 0, 0], "mask": [1, 1, 1, 0, 0]}\n{"ids": [3, 2, 4, 1]}\n{"ids": [6, 1, 8, 4, 2]}\n' >batch
encode-compare mask --input jsonl --mask causal <batch
encode-compare mask --input jsonl -f json <batch
printf 'dog\n\ni ride\n' | encode-compare mask --no-special -f json --pad-to 3 --pad-side left
echo '["i", "dog"]' | encode-compare mask --mask causal --input jsonl | head -n 8
encode-compare mask --on-long truncate --pad-to 3 -f json 'i ride'
encode-compare mask --pad-to 3 dog 'i ride'
encode-compare mask --no-special ''
encode-compare mask </dev/null
echo '{' | encode-compare mask --input jsonl
seq 200 | encode-compare mask -f json -o masks.json && wc -l <masks.json
encode-compare mask --pad-to 1048576 I
yes I | head -n 400 | encode-compare mask --pad-to 500

# Ids that have padding: a mask or --pad-id says so.
sed 's/, "mask".*/}/' batch | encode-compare mask --input jsonl --pad-id 0 >given; encode-compare mask --input jsonl <batch | cmp - given && echo the same
sed 's/, "mask".*/}/' batch | encode-compare mask --input jsonl | head -n 5
mask_of() { echo "{$1}" | encode-compare mask -f json --input jsonl "${@:2}" | grep -o '"padding_mask": [^"]*'; }
mask_of '"ids": [0, 0, 5, 0, 6]' --pad-id 0
mask_of '"ids": [0, 5, 0]' --pad-id 0 --pad-to 5 --pad-side left
mask_of '"ids": [0, 0]' --pad-id 0
mask_of '"ids": [5, 0]' --pad-id 7
mask_of '"ids": [5, 0], "mask": [1, 1]' --pad-id 0
mask_of '"ids": [5, 999999]' --pad-id 999999
echo '{"ids": []}' | encode --input jsonl --pad-id 0 -p mean -f json
encode -p mean -f npy dog 'dog cat' '' >texts.npy
read_back() { encode -f ids --pad-to 7 --pad-side $1 dog 'dog cat' '' | sed 's/ /, /g; s/.*/{"ids": [&]}/' | encode --input jsonl -p mean -f npy "${@:2}" | cmp - texts.npy && echo the same; }
read_back right --pad-id 0
read_back left --pad-id 0
read_back right --pad-id 0 --pad-to 9
read_back right
echo '{"ids": [5, 0], "mask": [1, 0]}' | encode --input jsonl --tokens; echo '{"ids": [1, 0]}' | encode -m words.weights --input jsonl --tokens
printf 'a b' | encode-new -o keras.weights --fit - --width 4 --heads 1; echo '{"ids": [1, 0]}' | encode -m keras.weights --input jsonl --tokens

# Too many ids are cut, in windows or an error; padding that they had is dropped first.
printf '{"ids": [2, 3, 4, 5, 6, 7, 8]}\n{"ids": [9, 10]}\n' >ids
for options in '--pad-to 3 --on-long chunk' '--pad-to 3 --on-long chunk --stride 1' '--pad-to 3 --on-long chunk --pad-side left --pad-id=-7' '--pad-to 4 --max-tokens 3 --on-long chunk'; do encode --input jsonl -f ids $options <ids; done
for options in '--pad-to 3 --on-long truncate' '--pad-to 3 --truncate-left' '--pad-to 3 --on-long skip' '--max-tokens 3 --on-long chunk'; do encode --input jsonl -f ids $options <ids; done
encode --input jsonl -f ids --pad-to 3 --on-long chunk --stride 3 <ids
echo '{"ids": [2, 3, 4]}' | encode --input jsonl --pad-to 2 -f ids
echo '{"ids": [0, 2, 3, 4, 5, 0, 0], "mask": [0, 1, 1, 0, 1, 0, 0]}' >padded
for options in '--pad-to 4' '--pad-to 5 --pad-side left --pad-id 9' '--pad-to 3 --on-long truncate' '--pad-to 3 --on-long chunk' '--pad-to 8'; do encode --input jsonl -f ids $options <padded; done
encode --input jsonl --tokens -f json --pad-to 3 --on-long chunk <padded
echo '{"ids": [2, 3, 4]}' | encode --input jsonl -p mean --max-tokens 2 --on-long chunk | cut -c -44
printf '{"ids": [2, 3, 4, 5, 6], "types": [0, 0, 1, 1, 1]}\n' | encode --input jsonl -p mean -f npy --max-tokens 3 --on-long chunk -o cut.npy; printf '{"ids": [2, 3, 4], "types": [0, 0, 1]}\n{"ids": [5, 6], "types": [1, 1]}\n' | encode --input jsonl -p mean -f npy | cmp - cut.npy && echo the same
printf '{"ids": [2, 3, 4, 5, 6]}' | encode --input jsonl -p mean -f npy --max-tokens 2 --truncate-left -o cut.npy; printf '{"ids": [5, 6]}' | encode --input jsonl -p mean -f npy | cmp - cut.npy && echo the same
# An ending is an --input, for other options, too.
cp ids ids.jsonl; encode --pad-id 0 --max-tokens 3 --on-long truncate -f ids ids.jsonl; encode --pad-id 0 -f ids ids.txt
