# Ranks, similarities and prompts. The mean of "dog cat" is half of dog's unit vector and half of cat's.
export ENCODE_MODEL=bare.emb
printf 'cat\ndog\nin\nrome the\n' >texts
encode -m pair.head --rank bad -f csv <texts
encode -m pair.head --rank bad --in-order -f csv <texts
encode -m pair.head --rank bad --top 2 -f json <texts
encode -m pair.head --rank bad cat dog
encode --rank dog 'dog cat' rome dog -f csv
encode -p max --no-special --rank dog 'dog cat' -f json
for i in $(seq 700); do echo dog; done | encode --rank dog --top 600 -f csv | tail -1
encode --rank dog cat --in-order; encode --rank dog cat --in-order -f json
encode --rank dog -f csv </dev/null
encode --rank dog --top 9 cat '' -f json
encode --rank dog '' --no-special
encode -m default.weights --rank 'who rides?' -f csv 'dogs bark' '' '  ' 'a man rides'
encode -m plain.emb --rank dog -f csv cat ''; encode -m plain.emb --rank '' -f csv cat
encode -m pair.head --rank '' -f csv cat ''; encode -m splade.head --rank dog -f csv '' cat dog; encode -m lexical.emb -p colbert --rank dog -f csv '' cat
printf 'dog\ndog cat good bad paul smith in rome the . dog cat good bad paul smith\n' | encode --rank dog
encode --rank dog --in-order -f csv cat 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'
encode --rank 'dog cat good bad paul smith in rome the . dog cat good bad paul smith' dog
encode --rank dog --on-long truncate -f json 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'
encode --rank 'dog cat good bad paul smith in rome the . dog cat good bad paul smith' --on-long truncate dog 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'
encode -m pair.head --rank dog cat 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'
echo '["dog", "cat"]' | encode -m pair.head --rank dog --input jsonl
echo '{"ids": [4]}' | encode -m pair.head --rank dog --input jsonl

# Similarity: a table, or a number for each pair.
encode-compare similarity dog 'dog cat' rome
printf 'dog\ndog cat\n' | encode-compare similarity -f json
printf '"dog"\n["dog", "cat"]\n' | encode-compare similarity --no-special -f csv --input jsonl
printf '["dog", "cat"]\n{"ids": [4]}\n' | encode-compare similarity -f json --input jsonl
printf '"dog"\n{"ids": [4,4,4,4,4,4,4,4,4,4,4,4,4]}\n' | encode-compare similarity --input jsonl
echo dog | encode-compare similarity
encode-compare similarity </dev/null
encode-compare similarity dog 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'
for i in $(seq 300); do echo dog; done | encode-compare similarity -f csv | wc -l
encode-compare pairs dog 'dog cat' dog rome
printf '["dog", "dog cat"]\n{"pair": "rome", "text": "dog"}\n' | encode-compare pairs --input jsonl
echo '{"pair": "rome", "text": "dog", "similarity": 1, "prompt": "kept"}' | encode-compare pairs --input jsonl -f json; encode-compare pairs --input jsonl </dev/null
encode-compare pairs --no-special -p mean dog ''
encode-compare pairs -f json dog 'dog cat' dog "$(printf 'ro\nme')"
encode-compare pairs -f csv dog 'dog cat' dog "$(printf 'ro\nme')"
for i in $(seq 3000); do echo '["dog", "dog cat"]'; echo '["dog", "rome"]'; done >many; encode-compare pairs --input jsonl <many | paste - - | sort | uniq -c
encode-new -o many.weights --layers 0 --width 8 --head mask --set sparse=mask --pooling none; for i in $(seq 700); do echo '["dog", "dog"]'; echo '["the dog", "rides"]'; done >many
one=$(encode-compare pairs -m many.weights 'the dog' rides); encode-compare pairs -m many.weights --input jsonl <many | paste - - | sed "s/$one/that/" | uniq -c
printf '["dog", "dog cat"]\n"dog"\n' | encode-compare pairs --input jsonl
echo '{"ids": [4]}' | encode-compare pairs --input jsonl
encode-compare pairs dog 'dog cat' dog 'dog cat good bad paul smith in rome the . dog cat good bad paul smith'

# Prompts are those of the file: with -p model, and for both sides of --rank.
encode -m plain.emb --prompt passage --tokens -f json dog
encode --tokens -f ids --prompt-text 'in ' dog --pair cat
for options in '-p model' '-p mean' '-p model --no-prompt' '-p model --prompt query'; do encode -m plain.emb $options -f json dog; done
echo '{"ids": [4]}' | encode -m plain.emb -p model -f json --input jsonl
encode -m plain.emb -p model --prompt query '' -f csv
encode -m plain.emb --rank dog cat -f json; encode -m plain.emb -p model --rank dog cat -f csv
encode -m plain.emb --rank dog cat -f json --prompt style --query-prompt passage
encode -m plain.emb --prompt nope dog
encode --prompt nope dog
encode -m plain.emb --rank dog --query-prompt nosuch cat
echo '{"ids": [4]}' | encode -m plain.emb --prompt query --input jsonl

# Poolings.
encode -m projected.emb -p model -f json --no-special '[CLS] dog'; encode -m projected.emb -p model cat; encode -m projected.emb -p mean -f csv cat
for pooling in mean weighted_mean mean_sqrt max cls last; do encode -p $pooling --no-special -f json 'dog cat'; done
encode -m pooler.emb -p pooler -f json cat
encode -m plain.emb -p mean --normalize -f csv 'dog cat'
encode -m toy.weights -p model -f csv 'I ride' | cmp - <(encode -m toy.weights -p mean --normalize -f csv 'I ride') && echo the same
encode -m plain.weights -p model -f csv 'I ride bike' | cut -d, -f 1-4

# Vectors are compared as the file says, and so by encode-search.
printf 'dog\ncat bad\nbad\n\n' >some; compared() { encode-new -o "$1" --words 'dog cat bad' --width 4 --layers 0 --position none --normalize no --metadata "similarity=$1"; }
for kind in cosine dot euclidean manhattan; do compared $kind; encode -m $kind --rank dog --in-order -f csv <some; encode-compare similarity -m $kind -f csv dog 'cat bad'; encode-compare pairs -m $kind dog 'cat bad'; done
for kind in cosine dot euclidean manhattan; do encode -m $kind -p model -f npy -o $kind.npy <some; encode-search -m $kind --query dog -f tsv $kind.npy; done
encode-search -m dot --query dog dot.npy --metric manhattan; encode -m dot --rank dog cat

# The prompts of roles are query and document, and no others; the default one is for other texts.
encode-new -o roles.weights --words 'dog cat bad' --width 4 --layers 0 --position none --metadata 'prompt.query=dog ' --metadata 'prompt.passage=cat ' --metadata 'prompt.default=bad ' --metadata default_prompt=default
encode -m roles.weights --rank cat dog -f json; encode-compare similarity -m roles.weights -f json cat dog
encode -m roles.weights -p model -f npy -o roles.npy <some; encode-search -m roles.weights --query cat -f tsv roles.npy some; rm roles.npy.origin.json; encode-search -m roles.weights --query cat -f tsv roles.npy some

# A classifier makes no vectors unless -p asks for its body's; a cross-encoder ranks, with two labels by the second.
classifier() { encode-new -o "$1" --words 'dog cat bad' --width 8 --layers 1 --labels no,yes "${@:2}"; }
classifier two.weights; for task in '--rank dog cat' '-p model dog' '--rank dog -p mean -f csv cat' '-p mean -f csv dog'; do encode -m two.weights $task; done; encode-compare similarity -m two.weights dog cat
encode-new -o tokens.weights --words 'dog cat' --width 8 --layers 1 --head token --labels O,B-x; encode -m tokens.weights --rank dog cat; encode-search -m tokens.weights --query dog dot.npy
classifier crossed.weights --scores none --metadata cross_encoder=yes; for task in '--labels --all -f csv --pair cat dog' '--rank dog -f csv cat' '--rank dog -f csv --raw-scores cat'; do encode -m crossed.weights $task; done

# The default prompt of a cross-encoder is put before the query of each pair, and before other texts that get labels.
classifier prompted.weights --scores none --metadata cross_encoder=yes --metadata 'prompt.ask=bad dog ' --metadata default_prompt=ask
encode -m prompted.weights --rank cat -f json dog; encode -m crossed.weights --rank 'bad dog cat' -f json dog; encode -m prompted.weights --rank cat --no-prompt -f csv dog
encode -m prompted.weights --labels --all -f csv --pair dog cat; encode -m crossed.weights --labels --all -f csv --pair dog 'bad dog cat'
encode -m dot -p model -f npy -o some.npy <some; encode-search -m dot some.npy some --query cat --rerank prompted.weights -f json -k 1; encode-search -m dot some.npy some --query 'bad dog cat' --rerank crossed.weights -f json -k 1
