# Options that are wrong or contradict each other: exit code 2, and two lines that say why.
export ENCODE_MODEL=toy.weights
encode --nope dog
encode -x dog
encode -m
encode -p middle dog
encode -p '' dog
encode -f xml dog
encode --input yaml
encode --mask half dog
encode --position absolute dog
encode --on-long ignore dog
encode --max-tokens 0 dog
encode --max-tokens -1 dog
encode --max-tokens 1e3 dog
encode --max-tokens 99999999999999999999 dog
encode --max-tokens 17 dog
encode -t 0 dog
encode -t x dog
encode -t 100000 dog
encode --pair dog
encode --pair dog cat I; encode --pair a --pair b dog; encode --rank a --rank b dog; encode -o a -o b dog
encode --input jsonl '"dog"'
encode --tokens -p mean dog
encode -f ids -p mean dog
encode --tokens -p mean --normalize dog
encode --normalize dog
encode-compare words dog
encode-compare words a b c
encode-compare words a b -p mean
encode-compare words a b -f csv
encode-compare words a b --tokens
encode-compare words a b --pair c
encode --help=yes
encode -m plain.weights -p model --normalize I

# Of heads, ranks and prompts.
export ENCODE_MODEL=token.head
encode --labels --fill a
encode-compare similarity --rank q a b
encode --tokens --labels a
encode --labels -f npy a
encode --entities -f ids a
encode --labels -p mean a
encode --fill --normalize a
encode --rank q --pair b a
encode --rank q -p none a
encode --rank q --on-long chunk a
encode-compare similarity a
encode-compare similarity --on-long chunk a b
encode-compare similarity -f npy a b
encode --top 3 a
encode --in-order a
encode --query-prompt x a
encode --rank q --in-order --top 2 a
encode --raw-scores a
encode --stride 2 a
for stride in 9 10 12; do encode --stride $stride --on-long chunk -f ids a; encode --stride $stride --on-long chunk --no-special -f ids a; done; encode --stride 12 --on-long chunk --input jsonl
encode --prompt a --prompt-text b c
encode --prompt a --no-prompt c
encode --truncate-left --on-long error a
encode --truncation only-first --on-long error a
encode --truncation none a
encode --on-long split a
encode-compare words --prompt-text x a b
encode-compare words --on-long chunk a b
encode --top 0 --fill a
encode --truncate-left --on-long chunk a
encode -p first a
encode -m pair.head -p mean --rank dog cat
encode -m bare.emb --raw-scores --rank dog cat
encode -m bare.emb -f none dog

# Of padding and masks.
export ENCODE_MODEL=toy.weights
encode --pad-to 0 dog
encode --pad-to x dog
encode --pad-to 4 --pad-side up dog
encode --pad-to 4 --pad-id 2147483648 dog
encode --pad-to 4 --pad-id=-2147483649 dog
encode --pad-to 4 --pad-id=-x dog
encode --pad-side left dog
encode --pad-side left --input jsonl
encode --pad-id 1 dog
encode --pad-to 4 --max-tokens 5 dog
encode-compare similarity --pad-to 4 dog cat
encode-compare words --pad-to 4 dog cat
encode --pad-to 4 --labels dog
encode --tokens -f npy dog
encode-compare mask -f csv dog
encode-compare mask -f ids dog
encode-compare mask -p mean dog
encode-compare mask --on-long chunk dog
encode-compare mask --tokens dog

# Of vectors of tokens, sparse weights, dimensions and types.
encode -m plain.emb -p sparse dog
encode -m plain.emb -p colbert dog
encode -m plain.emb --rank dog -p colbert dog
encode -m lexical.emb -p sparse --normalize dog
encode -m lexical.emb -p colbert --normalize dog
encode -m lexical.emb -p sparse --labels dog
encode -m lexical.emb -p colbert --pad-to 5 dog
encode-compare similarity -m lexical.emb -p colbert a b
encode -m lexical.emb --dimensions 2 dog
encode -m lexical.emb -p none --dimensions 2 dog
encode -m lexical.emb -p sparse --dimensions 2 dog
encode -m splade.head -p model --dimensions 2 dog
encode -m pair.head --rank a --dimensions 2 dog
encode -m plain.emb -p mean --dimensions 15 dog
encode -m lexical.emb -p colbert --dimensions 3 dog
encode -m lexical.emb --labels -f npz dog
encode -m lexical.emb --raw-scores --rank a dog
encode -m lexical.emb -p colbert -f npz dog
encode -m bare.emb -f npz dog
encode -m bare.emb -p none -f npz dog
encode -m plain.emb -p mean -f npz dog
encode -m plain.emb -p model -f npz dog
encode -p mean --type int8 I
encode --tokens --pad-to 4 -f npy --type f16 I

# What may have been meant; options of others.
for option in --simlarity --poling=mean --pooling=men --position=sinusodial --on_long=skp --on_lnog --pooling=mean-sqrt --pooling=max_pool --model-path2=x --x; do encode $option dog 2>&1 >out | head -n 1; done
for option in --batch-size=3 --device --gpu --json --output-format --weights --max-length --workers --file; do encode $option dog 2>&1 >out | head -n 1; done
for option in --batch_size=3 --max_seq_length=9; do encode $option dog 2>&1 >out | head -n 1; done
for option in --json --port --silent --top_k=3 --top-k; do encode-search $option corpus.npy 2>&1 >out | head -n 1; done
encode --normalize -m plain.weights I; encode -f ids similarity I ride
encode -q --normalize -m plain.weights -p mean I; encode -q -m toy.weights -p model -f csv zz

# Of pairs and comparisons.
encode-compare pairs -m bare.emb a b c
encode-compare pairs -m bare.emb </dev/null
encode-compare pairs -m bare.emb -f npy a b
encode-compare pairs -m bare.emb --on-long chunk a b
encode-compare words --input jsonl </dev/null
encode-compare words I
encode-compare simlarity a b; encode-compare 'I ride' 'a dog'; encode-compare -m x words a b; encode-compare
for option in --compare --similarity=1 --pairs --show-mask --similar --; do encode $option a b 2>&1 >out | head -n 1; done
