# A vector for each span of a text, from one pass over all of it.
export ENCODE_MODEL=default.weights
printf '%s\n' '{"id": "d1", "text": "I ride bike by the sea", "spans": [[0, 6], [7, 11]]}' '{"text": "naïve café", "spans": []}' '{"text": "naïve café", "spans": [[7, 12]]}' >spans.jsonl
encode --spans --input jsonl <spans.jsonl
encode --spans spans.jsonl
encode --spans --input jsonl --dimensions 3 -f json <spans.jsonl
encode --spans --input jsonl --dimensions 2 -p weighted_mean -f csv <spans.jsonl
encode --spans --input jsonl -f npy -o spans.npy <spans.jsonl && cat spans.npy.rows.jsonl
encode-search -k 1 --query bike spans.npy spans.jsonl
encode-search --explain --query bike spans.npy spans.jsonl

# What has no token, or is cut off, has no vector.
echo '{"text": "a dog", "spans": [[1, 2], [0, 1]]}' | encode --spans --input jsonl --dimensions 3
echo '{"text": "a dog barks", "spans": [[0, 1], [6, 11]]}' | encode --spans --input jsonl --max-tokens 4 --on-long truncate -f json --dimensions 2

# Mistakes name the line and the span.
one() { printf '"good"\n{"text": "a dog", "spans": %s}\n' "$1" | sed 's/^"good"/{"text": "good", "spans": [[0, 4]]}/' | encode --spans --input jsonl --dimensions 1 | tail -n +5; }
one '[[0, 1], [3, 9]]'
one '[[3, 2]]'
one '[[-1, 2]]'
one '[[0, 1.5]]'
one '[[0, 1, 2]]'
one '[3]'
one '"0-1"'
echo '{"text": "a dog"}' | encode --spans --input jsonl
echo '"a dog"' | encode --spans --input jsonl
echo '{"ids": [2, 3], "spans": [[0, 1]]}' | encode --spans --input jsonl
encode --spans "a dog"
echo a | encode --spans
encode --spans -p cls spans.jsonl
encode --spans -p none spans.jsonl
encode --spans --tokens spans.jsonl
encode --spans --rank dog spans.jsonl
encode --spans --on-long chunk spans.jsonl
encode --spans -f ids spans.jsonl
