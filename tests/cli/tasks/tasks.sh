# What a model makes of texts beside vectors.
encode --tokens 'I ride bike'
encode --tokens -f json <lines
encode --tokens -f csv <lines
encode --tokens -f ids <lines
encode --tokens --pad-to 4 --on-long truncate -f json 'the cat sat on the mat'
encode-compare mask --pad-to 5 'I ride bike'
encode-compare mask --mask causal -f json 'I ride bike'
encode-compare words 'I ride bike' 'bike ride I'
encode-compare words -f json 'I ride bike' 'bike ride I'
encode-compare words --position none 'I ride bike' 'bike ride I'
encode-compare words -p mean 'man bites dog' 'dog bites man'
encode-compare similarity <lines
encode-compare similarity -f json <lines
encode-compare similarity -f csv <lines
encode-compare pairs 'I ride bike' 'bike ride I'
encode --rank 'who rides?' <lines
encode --rank 'who rides?' --top 2 -f json <lines
encode --rank 'who rides?' --in-order -f csv <lines
encode --fill 'the [MASK] sat on the mat'
encode --fill --top 2 -f json 'I ride [MASK]'
encode --fill -f csv --raw-scores '[MASK] ride [MASK]'
encode -m labels.weights --labels -f json <lines
encode -m labels.weights --labels --raw-scores -f csv <lines
encode -m token.weights --labels --all 'I ride bike'
encode -m token.weights --entities -f json 'I ride bike'
encode -m token.weights --entities -f csv 'I ride bike'
