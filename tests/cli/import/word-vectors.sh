# encode-import --vectors: GloVe's, word2vec's and fastText's text files.
encode-import --vectors vectors -o v.weights
encode-import --vectors vectors -o v.weights --position sinusoidal --max-tokens 32 && encode -m v.weights --all 'the cat sat'
encode-import --vectors word2vec -o w.weights --name kings --weights f16
encode-import --vectors vectors --only-words-of lines --lower yes -o o.weights
encode-import --vectors - --limit 3 --split blanks --embedding-scale 2 -o l.weights <vectors
encode-import --vectors bad-vectors -o b.weights
encode-import --vectors vectors --weights int8 -o i.weights --dry-run
