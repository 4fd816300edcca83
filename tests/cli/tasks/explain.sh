# Which words make two texts alike, and what is no sum over words.
export ENCODE_MODEL=default.weights
encode-compare explain 'who rides?' 'a cycle ride to the sea'
encode-compare explain -p mean --no-special dog dog
encode-compare explain --no-special '' dog
encode-compare explain -f json 'unbelievable cyclists' 'a cyclist'
printf '"a dog"\n["a cat", "a dog"]\n' | encode-compare explain --input jsonl --prompt-text 'animal: '
echo '{"ids": [2, 4315, 3]}' | cat - <(echo '"ride"') | encode-compare explain --input jsonl -f json --no-special
encode-compare explain -p cls 'a dog' 'a cat'
encode-compare explain -p last 'a dog' 'a cat'
encode-compare explain -p max 'a dog' 'a cat'
encode-compare explain one
echo one | encode-compare explain
encode-compare explain -f csv one two
encode-compare explain -m lexical.emb -p sparse 'dog cat' 'cat good' | tail -n +5
encode-compare explain -m lexical.emb -p sparse -f json 'dog cat' 'cat good'

# In a search: a line under each hit.
printf '%s\n' 'the sea is cold, cyclists ride there' 'bread is baked at night' 'a bike, a ride' >corpus; encode -p model -f npy -o lines.npy <corpus
encode-search --explain -k 2 --query 'who rides by the sea?' lines.npy corpus
encode-search --explain --hybrid -k 2 --query 'who rides by the sea?' lines.npy corpus
encode-search --explain -k 1 -f json --query 'bread' lines.npy corpus
encode -m colbert.emb -p model -f npy -o matches.npy <corpus; encode-search -m colbert.emb --explain -k 1 --query 'the dog' matches.npy corpus
encode-search --explain -k 1 --query '' lines.npy corpus
encode-search --explain --query dog lines.npy
encode-search --explain --rerank cross.weights --query dog lines.npy corpus
encode-search --explain -f tsv --query dog lines.npy corpus
encode-search --explain --metric manhattan --query dog lines.npy corpus
encode -p cls -f npy -o cls.npy <corpus; encode-search --explain --query dog cls.npy corpus
