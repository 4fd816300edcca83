# What encode-search finds, in every format: of rows, windows, ids and several queries.
export ENCODE_MODEL=plain.emb
printf '%s\n' 'dog cat' bad good 'paul smith in rome' 'the dog .' cat 'good dog' >corpus; encode -p mean -f npy -o mean.npy <corpus
encode-search -p mean -k 3 mean.npy corpus --query dog
encode-search -p mean -k 2 mean.npy --query dog
echo dog | encode-search -p mean -k 2 -f json mean.npy corpus
encode-search -p mean -k 1 -f tsv --query dog --query cat mean.npy corpus --query ''
encode-search -p mean mean.npy $(printf -- '--query dog %.0s' $(seq 257))
printf 'a\tb\rc\n' >one; encode -p mean -f npy -o one.npy <one 2>log; printf 'cat\ndog\n' | encode-search -p mean -f tsv one.npy one
printf 'dog\n\n' | encode-search -p mean -k 1 -f tsv mean.npy
printf 'dog\n\n  \ncat\n' >blank; encode -p mean --type binary -f npy -o blank.npy <blank; encode-search -p mean -f tsv --query dog blank.npy blank
printf '%s\n' '{"_id": "q7", "text": "dog"}' '{"id": 12, "text": "cat"}' '"bad"' >queries; encode-search -p mean -k 1 -f trec --input jsonl mean.npy <queries
encode-search -p mean -k 1 -f json --input jsonl mean.npy <queries
echo '{"id": "q 7", "text": "dog"}' | encode-search -p mean -f trec --input jsonl mean.npy
encode-search -p mean -o result mean.npy --query cat && grep -c cat result
for ending in json jsonl tsv trec TSV; do encode-search -p mean -o hits.$ending mean.npy --query cat && encode-search -p mean -f $(tr A-Z a-z <<<${ending%l}) mean.npy --query cat | cmp - hits.$ending && echo $ending; done
encode-search -p mean -f text -o hits.json mean.npy --query cat -k 1; grep -c '{' hits.json; encode-search -p mean -o hits.tsv --explain mean.npy corpus --query cat; cp mean.npy MEAN.NPY; encode-search -p mean mean.npy MEAN.NPY --query cat -k 2
encode-search -p mean -o mean.npy mean.npy --query cat
encode -p mean -f npy -o none.npy </dev/null; encode-search -p mean -f json none.npy --query cat

# The order and the scores are those of encode --rank.
ranked() { encode "$@" -f csv --rank 'cat dog' <corpus | tail -n +2 | tr -d '\r' | awk -F, '{print $1, $2 + 1, $3}' >expected; }
found() { encode-search "$@" -f tsv --query 'cat dog' | awk '{print $2, $3, $4}' | diff expected - && cat expected; }
encode -m lexical.emb -p sparse -f npz -o a.npz <corpus; ranked -m lexical.emb -p sparse; found -m lexical.emb a.npz
encode -m splade.head -p model -f npz -o b.npz <corpus; ranked -m splade.head; found -m splade.head b.npz
encode -m lexical.emb -p colbert -f npy -o c.npy <corpus; ranked -m lexical.emb -p colbert; found -m lexical.emb c.npy
encode -m colbert.emb -p model -f npy -o d.npy <corpus; ranked -m colbert.emb; found -m colbert.emb d.npy
encode -p model --prompt passage -f npy -o model.npy <corpus; encode --rank dog -f csv <corpus | tr -d '\r' | awk -F, 'NR > 1 {print $2 + 1}' >expected; encode-search -f tsv model.npy --query dog | cut -f 3 | diff expected - && echo the same
encode-search -f tsv model.npy --query dog >own; encode-search -f tsv model.npy --query dog --query-prompt query | diff own - && echo the same
encode-search -f tsv model.npy --query dog --no-prompt | diff -q own -
encode-search model.npy --query dog --query-prompt nonsense

# Columns that were cut, windows and ids.
encode -p mean --dimensions 6 -f npy -o cut.npy <corpus; encode-search -p mean --dimensions 6 -f tsv -k 1 cut.npy --query cat
encode-search -p mean cut.npy --query cat
encode-search -p mean --dimensions 6 mean.npy --query cat
printf '%s\n' 'cat cat cat bad bad bad dog cat bad' 'dog' >long; encode -m bare.emb -p mean --max-tokens 5 --on-long chunk -f npy -o long.npy <long; wc -l <long.npy.rows.jsonl
encode-search -m bare.emb -p mean long.npy long --query 'dog cat bad'
encode-search -m bare.emb -p mean -f json -k 1 long.npy long --query 'dog cat bad'
encode-search -m bare.emb -p mean -f tsv long.npy long --query 'dog cat bad'
encode-search -m bare.emb -p mean -f trec -k 2 long.npy --query 'bad cat'
encode -m bare.emb -p mean -f npy -o one.npy cat; for format in text json tsv trec; do encode-search -m bare.emb -p mean -f $format one.npy long.npy --query 'dog cat bad'; done
echo '{"text": "dog", "pair": "cat cat cat bad bad bad dog"}' >pair.jsonl; encode -m bare.emb -p mean --input jsonl --max-tokens 6 --on-long chunk -f npy -o pair.npy <pair.jsonl; encode-search -m bare.emb -p mean pair.npy pair.jsonl --query bad
sed 's/.*/{"_id": "d&", "title": "", "text": "&"}/' corpus >corpus.jsonl; encode -p mean --input jsonl -f npy -o ids.npy <corpus.jsonl; encode-search -p mean -f tsv -k 1 ids.npy corpus.jsonl --query cat
encode-search -p mean -f trec ids.npy --query dog
printf '{"id": %s, "text": "%s"}\n' 0.1 dog 123456789012345678901234567890 cat 1.50 bad '"a"' good >numbers.jsonl; encode -p mean --input jsonl -f npy -o numbers.npy <numbers.jsonl
printf '"%s"\n' dog cat bad good | encode-search -p mean --input jsonl -f tsv -k 1 numbers.npy | cut -f 3; encode-search -p mean -f json -k 1 numbers.npy --query cat
seq 20000 | sed 's/$/ dog/; 19999s/.*/cat/; 20000s/.*/cat bad/' | head -c -1 >many; encode -p mean -f npy -o many.npy <many; printf 'cat\n\x22\ncat bad\n' | encode-search -p mean -f tsv -k 1 many.npy many

# The vectors and the texts must belong together.
cp mean.npy other.npy; head -n 6 ids.npy.rows.jsonl >other.npy.rows.jsonl; encode-search -p mean other.npy --query dog
sed 's/}//' ids.npy.rows.jsonl >other.npy.rows.jsonl; encode-search -p mean other.npy --query dog
head -n 2 corpus >two; encode-search -p mean mean.npy two --query cat
cat corpus corpus >twice; encode-search -p mean mean.npy twice --query cat
head -n 6 corpus.jsonl >six.jsonl; encode-search -p mean ids.npy six.jsonl --query cat
tac corpus.jsonl >turned.jsonl; encode-search -p mean --no-check ids.npy turned.jsonl --query cat
(cat corpus.jsonl; echo '{"text": 7}') >more.jsonl; encode-search -p mean --no-check -k 1 -f tsv ids.npy more.jsonl --query cat
(sed 's/.*/"&"/' corpus; echo) >quoted.jsonl; encode -p mean --input jsonl -f npy -o quoted.npy <quoted.jsonl; encode-search -p mean -k 1 -f tsv quoted.npy quoted.jsonl --query cat

# A cross-encoder orders the candidates.
encode -m pair.head --rank bad -f csv <corpus | tr -d '\r' | awk -F, 'NR > 1 {print $2 + 1, $3}' | sort >expected; encode-search -p mean --rerank pair.head -f tsv mean.npy corpus --query bad | awk '{print $3, $4}' >found; sort found | diff expected - && sort -srgk2 found | diff found - && cat found
encode-search -p mean --rerank pair.head -f json --candidates 1 -k 1 mean.npy corpus --query cat
encode-search -p mean --rerank pair.head mean.npy --query cat
encode-search -p mean --rerank pair.head -k 9 --candidates 8 mean.npy corpus --query cat
encode-search -p mean --rerank bare.emb mean.npy corpus --query a
sed 's/^cat$/cat dog cat good bad paul smith in rome the . dog cat good bad paul smith/' corpus >longer; encode-search -p mean --rerank pair.head --no-check mean.npy longer --query cat
encode-search -p mean --rerank pair.head --on-long truncate --no-check -k 1 -f tsv mean.npy longer --query cat

# Queries that fail or surprise, and rows without scores.
export long='dog cat good bad paul smith in rome the . dog cat good bad paul smith'
printf 'cat\n%s\n' "$long" | encode-search -p mean -f tsv -k 1 mean.npy
printf 'cat\n%s\n%s\n' "$long" "$long" | encode-search -p mean -f tsv -k 1 --on-long truncate mean.npy
echo '["a", "b"]' | encode-search -p mean --input jsonl mean.npy
yes cat | head -n 2500 | encode-search -p mean -f trec -k 1 mean.npy | tail -n 1
printf 'cat \377\n\377 dog\n' | encode-search -p mean -f tsv -k 1 mean.npy
echo '{"text": "cat"}' | encode-search -p mean -f tsv -k 1 mean.npy
printf 'qwx.\ncat\n' | encode-search -p mean -f tsv -k 1 mean.npy
{ head -c -56 mean.npy; printf '\0\0\300\177'; tail -c 52 mean.npy; } >nan.npy; printf 'cat\ndog\n' | encode-search -p mean -f tsv nan.npy
printf 'cat\ndog\n' | encode-search -p mean -f tsv -k 2 --on-error skip nan.npy
