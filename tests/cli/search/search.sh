# A corpus that encode wrote, searched.
encode -p model -f npy -o lines.npy <lines && encode-search lines.npy lines --query 'man bites dog'
encode-search -k 2 -f json lines.npy lines <lines
encode-search -k 2 -f trec --metric dot lines.npy <lines
encode -p model --input jsonl -f npy --type int8 -o ids.npy <corpus.jsonl && encode-search -f tsv --input jsonl ids.npy corpus.jsonl <corpus.jsonl
encode-search -m new.weights lines.npy --query x
