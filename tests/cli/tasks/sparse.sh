# Models for search: sparse weights, vectors of tokens, ranks by them, and vectors that are cut.
export ENCODE_MODEL=lexical.emb
encode -p sparse 'cat bad dog dog'
encode -p sparse bad dog
encode -p sparse -f json 'cat dog' bad
encode -p sparse -f csv 'cat dog' bad dog
encode -m splade.head -p model 'paul dog'
encode -m splade.head -p sparse dog
encode-new -o many.weights --layers 0 --width 8 --head mask --set sparse=mask --pooling none; encode -m many.weights -p sparse the | tail -n 1; encode -m many.weights --all -p sparse the | grep -c more
encode -p colbert 'dog good'
encode -p colbert -f npy -o t.npy 'dog cat' '' good && cat t.npy.rows.jsonl; tail -c +129 t.npy | od -A n -t f4 -w8
encode -p sparse -f npz -o a.npz dog && encode -p sparse -f npz dog | cmp - a.npz && echo the same
encode -p sparse -f npy 'cat dog' bad dog | tail -c +129 | od -A n -t f4 -v -w56 | tr -s ' '
encode -m colbert.emb -p model -f json 'cat .'
encode -m colbert.emb -p colbert --prompt query -f csv 'cat .'
printf '%s\n' '{"ids": [4, 13, 5], "mask": [1, 1, 0]}' | encode -m colbert.emb -p colbert --input jsonl -f json
encode -p sparse --rank 'dog cat' cat dog bad
encode -m colbert.emb --rank cat cat .
encode -m splade.head --rank paul dog paul
encode --rank dog dog; encode-compare similarity -m colbert.emb dog cat; encode-compare similarity -m splade.head dog dog
encode -m plain.emb -p model --no-prompt --dimensions 5 -f csv 'dog dog cat'
encode -m plain.emb -p mean --dimensions 5 -f csv 'dog dog cat'
encode -p colbert --dimensions 1 good
encode-compare similarity -m plain.emb -p mean --no-special --dimensions 5 rome rome
