# Files that encode-search cannot search: what is wrong with each.
export ENCODE_MODEL=toy.weights
array() { { printf '\223NUMPY\1\0\166\0%-117s\n' "$1"; head -c 96 /dev/zero; } >wrong.npy; encode-search -p mean wrong.npy --query I; }
header() { array "{'descr': $1, 'fortran_order': $2, 'shape': $3, }"; }
header "'<f8'" False "(3, 8)"
header "'>f4'" False "(3, 8)"
header "'|i1'" False "(3, 8)"
header "'|O'" False "(3, 8)"
header "'<f4'" True "(3, 8)"
header "'<f4'" False "(24,)"
header "'<f4'" False "(3, 2, 4)"
header "'<f4'" False "(3, 0)"
header "'<f4'" False "(4, 8)"
header "'<f4'" False "(2, 8)"
header "'<f4'" False "(4611686018427387904, 8)"
header "'<f4'" False "(3, 8"
header "'<f4'" False "(3, -8)"
header "'<f4'" False "24"
header "'<f4'" False "(3, 8.0)"
header "'<f4'" False "(3, 1, 1, 1, 1, 1, 1, 1, 8)"
header "3" False "(3, 8)"
header "'<f4'" None "(3, 8)"
header "[('scale', '<f4'), ('values', '|i1', (20,))]" False "(4,)"
header "'<f4'" False "(2, 12)"
header "'<f4'" False "(6, 4)"
header "'|u1'" False "(48, 2)"
array "{'descr': '<f4', 'shape': (3, 8)}"
array "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), 'more': 1}"
version() { { printf "\\223NUMPY\\$1\\0\\166\\0\\0\\0%-117s\n" '{"descr": "<f4", "fortran_order": False, "shape": (1, 8)}'; head -c 32 /dev/zero; } >v.npy; encode-search -p mean -f tsv v.npy --query I; }
version 2; version 3
version 4

# Not arrays, cut off, or damaged.
export ENCODE_MODEL=lexical.emb
encode -p sparse -f npz -o s.npz dog cat; encode -m plain.emb -p mean -f npy -o v.npy dog cat
: >empty; encode-search empty --query dog
echo text >text; encode-search text --query dog
encode-search missing --query dog
mkfifo pipe; mkdir folder; encode-search pipe --query dog || encode-search folder --query dog
printf '\223NUMPY\001\000\377\377\n\n' >header; encode-search header --query dog
head -c 700 s.npz >cut; encode-search cut --query dog
{ printf 'PK\3\4'; head -c 22 /dev/zero; printf '\1\0\0\0'; } >cut; encode-search cut --query dog
sed 's/indptr/indptR/' s.npz >no-indptr; encode-search no-indptr --query dog
sed 's/csr/csc/' s.npz >damaged; encode-search damaged --query dog

# Vectors that are not those of the model.
encode-search -p cls s.npz --query dog
encode-search -m plain.emb s.npz --query dog
encode-search -m pair.head v.npy --query dog
encode-search -m colbert.emb v.npy --query dog
encode-search
encode-search --candidates 5 a b

# An origin with a wrong number of lines is not used: texts are as many as the rows.
encode -m plain.emb -p mean -f npy -o first.npy dog cat; cp first.npy second.npy
echo '{"rows": 2, "input_lines": -2}' >first.npy.origin.json
: >empty; encode-search -m plain.emb -p mean --no-check first.npy second.npy empty --query dog

# An array that is cut off while it is searched ends the program, which leaves no file.
mkfifo in; (encode-search -m plain.emb -p mean -o hits second.npy <in & exec 3>in; until ls .encode-* >seen 2>&1; do sleep 0.01; done; : >second.npy; echo dog >&3; exec 3>&-; wait $!); ls -A | grep -E 'encode-|hits'

# A query is answered before the next one comes.
rm in; mkfifo in; (encode-search -m plain.emb -p mean --no-check -f tsv v.npy <in >early & exec 3>in; echo dog >&3; for i in {1..3000}; do grep -q 1.0 early && break; sleep 0.1; done; cat early; echo cat >&3; exec 3>&-; wait $!; wc -l <early)
