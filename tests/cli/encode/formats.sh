# The ending of -o FILE chooses the format, with the same rules and bytes as -f, also in capitals; -f wins, and other
# endings are text.
export ENCODE_MODEL=toy.weights
for ending in json jsonl csv npy NPY Csv; do encode -q -o out.$ending I 'ride dog' && encode -q -p model -f $(tr A-Z a-z <<<${ending%l}) I 'ride dog' | cmp - out.$ending && echo $ending; done
encode -q -m lexical.emb -p sparse -o out.npz dog && encode -q -m lexical.emb -p sparse -f npz dog | cmp - out.npz && echo npz
encode -o out.txt I && head -n 2 out.txt; encode -q -f csv -o out.npy --tokens I; cat out.npy
encode -o out.npy --dimensions 2 --normalize --type f16 I; head -c 127 out.npy | tail -c +11 | tr -s ' '
encode -o out.npy --labels dog; encode -o out.npy --tokens dog; encode -o out.npz dog; encode -o out.json --type f16 dog
echo I | encode -q -o out.npy --words; ls out.npy*
