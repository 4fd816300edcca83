# Labels, entities and words for masks, of models whose answers can be worked out by hand: a softmax of 2, 0, 0 is 0.787.
encode -m sequence.head --labels --all -f json 'good dog' bad
encode -m sequence.head --labels -f json bad
encode -m sequence.head --labels --raw-scores -f csv bad 'good,'  in
encode -m sequence.head --labels --all good --pair bad
encode -m sequence.head --labels '' bad --no-special
encode -m sequence.head --labels -f json --no-special ''
encode -m sequence.head --labels --all -f json --no-special ''
encode -m sequence.head --labels --all -f csv --no-special ''
encode -m token.head --labels 'smith in'
encode -m token.head --labels --all -f json smith
encode -m token.head --labels --all -f csv smith
encode -m token.head --labels --raw-scores -f csv rome

# Labels that the user names.
encode-new -o nli.weights --words 'I ride bike food this example is sport . about' --width 8 --layers 1 --labels contradiction,neutral,Entailment --max-tokens 12 --seed 5
encode -m nli.weights --labels-of 'sport, food' 'I ride bike' food
encode -m nli.weights --labels-of sport,food --multi --all -f json --template 'is about {}' 'I ride'
encode -m nli.weights --labels-of sport -f csv 'I ride bike I ride bike I ride bike I ride bike'
encode -m nli.weights --labels-of sport 'I ride' --on-long error; encode -m nli.weights --labels-of sport 'I ride bike I ride bike I ride bike' --on-long error
echo '["I", "ride"]' | encode -m nli.weights --labels-of sport --input jsonl
encode -m nli.weights --labels-of sport --template 'no label' I; encode -m nli.weights --labels-of ' , ' I; encode -m sequence.head --labels-of sport good
encode -m nli.weights --labels-of sport --labels I; encode -m nli.weights --multi I

# Entities: B- and I- are joined, labels without them name an entity by themselves.
encode -m token.head --entities 'dog paul smith in rome' cat
encode -m token.head --entities -f json paul --pair 'in rome'
printf 'cat\nin rome\n' | encode -m token.head --entities -f csv --raw-scores
echo '{"ids": [8]}' | encode -m token.head --entities --input jsonl
encode-new -o tags.weights --words 'a b' --width 8 --layers 0 --head token --labels LOC,ITEM,B_PER,OTHER --seed 3; encode -m tags.weights --entities -f csv 'a b a b' | cut -d, -f 1-3
encode -m pieces.head --entities -f csv '..'

# Words for [MASK].
encode -m mask.head --fill --top 2 -f json 'the [MASK] in [MASK]'
encode -m mask.head --fill '[MASK]'
echo '{"ids": [1, 3]}' | encode -m mask.head --fill --top 1 -f csv --raw-scores --input jsonl
encode -m mask.head --fill dog cat -f json
encode -m mask.head --fill --on-long truncate 'dog cat good bad paul smith in rome the . dog cat good bad paul smith [MASK]'
encode -m mask.head --fill --raw-scores dog --pair '[MASK]'
encode -m mask.head --fill -f json --top 1 dog --pair '[MASK]'
encode -m mask.head --fill dog
encode -m mask.head --fill --top 99 -f csv '[MASK]' | wc -l

# What a model has not.
encode -m bare.emb --labels dog
encode -m mask.head --labels dog
encode -m sequence.head --entities dog
encode -m token.head --fill dog
encode -m pooler.emb --fill dog
encode -m bare.emb -p pooler cat
encode -m words.alone dog
encode -m words.alone --rank dog dog
encode -m words.alone -p mean dog
encode -m words.alone -f ids 'dog cat'
encode -m words.alone --tokens dog

# Numbers that are none are not printed.
none() { cp "$1" none.head; hand_models none.head head.output.weight 3 inf; encode -f json -m none.head "${@:2}"; }
none mask.head --fill 'dog [MASK]'
none mask.head --raw-scores --fill 'dog [MASK]'
none token.head --entities 'paul smith'
none token.head --labels 'paul smith'
none sequence.head --labels good
none pair.head --rank dog cat
encode-new --words 'a b' --layers 1 --width 8 --heads 1 -o nan.weights; hand_models nan.weights embedding.token.weight 0 nan
for task in '-compare words b' '-compare words -f json b' '-compare similarity b' '-compare similarity -f json b' ' -p mean -f npy b' ' -f json b'; do eval encode$task -m nan.weights a >out || echo exit code $?; grep -aiE 'nan|null' out; done
for task in '--rank b a' '-f json --rank b a' '-f csv --rank b --in-order a' '--rank a b'; do encode -m nan.weights $task || echo exit code $?; done

# Strategies: of tokens, of words by one of their tokens or the mean, of each token; L- and U- are labels of their own.
for strategy in simple first average max none; do encode -m token.head --entities --strategy $strategy -f csv 'paul smith in rome'; encode -m pieces.head --entities --strategy $strategy -f csv 'pauldog. dog.'; done
encode-new -o bilou.weights --words 'a b c d' --width 8 --layers 0 --position none --head token --labels O,B-X,L-X,U-X,I-X --seed 5; for strategy in simple none; do encode -m bilou.weights --entities --strategy $strategy -f csv 'a b c d d a'; done
encode --labels --strategy first dog
