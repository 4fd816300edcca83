# What encode reads: lines, JSON, ids, documents.
export ENCODE_MODEL=toy.weights
printf 'I\n\nride\r\n\nbike' | encode --no-special -f ids
printf '\357\273\277I\n' | encode --no-special -f ids
encode -f ids </dev/null
encode -f ids -- -I
printf '%s\n' '"I"' '["I", "dog"]' '{"text": "cat"}' '{"text": "I", "pair": "dog"}' '{"ids": [2, 3]}' '{"ids": []}' >lines.jsonl; encode --input jsonl -f ids <lines.jsonl
encode -p none -f npy I --pair dog >b; sed -n 2p lines.jsonl | encode --input jsonl -p none -f npy | cmp - b && echo the same
echo '{"ids": [9, 2, 10, 5, 10], "types": [0, 0, 0, 1, 1]}' | encode --input jsonl -p none -f npy | cmp - b && echo the same
echo '{"ids": [0, 9, 2, 10, 5, 10, 0], "types": [0, 0, 0, 0, 1, 1, 0], "mask": [0, 1, 1, 1, 1, 1, 0]}' | encode --input jsonl -p none -f npy | tail -c +161 | head -c 160 | cmp - <(tail -c +129 b) && echo the same
printf '%s\n' '{"text": "I", "pair": null}' '{"ids": [2], "types": null, "mask": null, "text": null}' | encode --input jsonl -f ids
printf '"I"\n\n' | encode --input jsonl -f ids

# Masks hide tokens: their vectors are zeros, and their ids may be any number.
echo '{"ids": [2, 3], "mask": [0, 0]}' | encode --input jsonl -p mean -f csv
echo '{"ids": [2, 3], "mask": [0, 0]}' | encode --input jsonl -f json
echo '{"ids": [2, 500], "mask": [1, 0]}' | encode --input jsonl --tokens -f json
echo '{"ids": [2, 0], "mask": [1, 0]}' | encode --input jsonl --tokens -f csv; echo '{"ids": [2, 0], "mask": [1, 0]}' | encode --input jsonl | grep PAD

# Other members of an object come out as they came in, but for those that encode writes.
cat >members.jsonl <<<'{ "z" :1.10, "text": "I", "a":{"b": [1e5 , "x}\"]\\", {} ]},"é": null,"n": 184467440737095516150,"empty" : "" ,"t":true}'; encode --input jsonl -f json -p cls --tokens <members.jsonl
printf '%s\n' '{"ids": [2], "id": 7, "mask": null}' '{"ids": [2], "id": 123456789012345678901234567890, "a": [1e400,-1e999, 3]}' | encode --input jsonl -f json --tokens --no-special
printf '{"text": "I",\t"a": [1,\t2], "b": "\342\200\256\302\233", "\342\200\256": 1}\n' | encode --input jsonl --tokens -f json --no-special
echo '{"text": "I", "vector": 1, "truncated": 2, "label": 3, "t\u0065xts": 4, "masks": 5, "tokens": 6}' | encode --input jsonl --tokens -f json
echo '{"text": "I", "vector": 1, "truncated": 2, "label": 3, "t\u0065xts": 4, "masks": 5}' | encode -m bare.emb --input jsonl -p cls -f json
echo '{"id": 7, "text": "I ride bike"}' | encode --input jsonl -f json --tokens --no-special --max-tokens 2 --on-long chunk

# Documents of BEIR have "_id", and their text is the title, a blank and the text.
cat >beir <<<$'{"_id": "1", "title": "I", "text": "ride", "metadata": {}}\n{"_id": "2", "title": "", "text": "ride"}\n{"_id": "3", "title": "I", "text": ""}\n{"_id": "4", "text": "ride"}\n{"id": "5", "title": "I", "text": "ride"}\n{"_id": "6", "title": null, "text": "ride"}'; encode --input jsonl --no-special -f ids <beir
head -n 1 beir | encode --input jsonl --no-special --tokens -f json

# Bytes that are not UTF-8 are read as U+FFFD; a NUL is text.
printf 'a\nb\351\nc\n' | encode -f ids
printf '"I"\n"I \377"\n"dog"\n{"text": "I \360\237\232"}\n' | encode --input jsonl -p mean -f npy -o n.npy
encode --tokens -f ids --pair "$(printf '\200')" I
printf 'I ride bike dog \377\n' | encode -f ids --max-tokens 4 --on-long chunk
printf '\357\277\275\n' | encode -f ids
printf '\377 \342\202 \355\240\200 dog\n' | encode --tokens --no-special -f json
printf '"\377 \342\202 \355\240\200 dog"\n' | encode --input jsonl --tokens -f json 2>&1 | cut -c -42
printf '\377 \342\202 \355\240\200 dog\n' | encode -p mean -f csv 2>&1 | cut -c -30
printf '\340\200|\360\200|\364\220|\360\237\230|\365|\200|\364\217\277\277\n' | encode --tokens -f json 2>&1 | cut -c -80
printf '%s\n' '"a\ud800 \uDC00\ud83d\ude00 \\ud800"' | encode --input jsonl --tokens -f json
printf 'I \000 dog\n' | encode --no-special -f ids
printf '%s\n' '"I \u0000 dog"' | encode --input jsonl --tokens --no-special -f json
printf '{"a": 1\000, "text": "I"}\n' | encode --input jsonl
{ echo '"a\u0000\n\u001f\\ \"q\""'; printf '"\377 \177"\n'; } | encode --input jsonl --tokens -f json

# What was perhaps meant otherwise is reported once.
echo cat >corpus.txt; cp corpus.txt second.txt; cp corpus.txt queries.jsonl
encode -f ids 'I ride' corpus.txt second.txt .
encode -f ids <corpus.txt
encode -f ids queries.jsonl
encode -f ids cat corpsu.txt
encode -f ids 'see corpsu.txt' .txt a.text
mkdir adir; encode -f ids adir 'I adir'; encode --input text adir; encode -f ids corpus.txt adir 2>&1 | head -n 1
encode -o corpus.txt corpus.txt; encode -o second.txt corpus.txt second.txt
printf '%s\n' '"I"' '{"text": "dog", "key": "\udc00"}' | encode --input jsonl -f ids
printf '{"text": "dog"}\n{"text": "cat"}\n' >objects; encode -f ids <objects
printf '\357\273\277' | cat - objects | encode -f ids
encode -f ids --input jsonl <objects; (echo dog; cat objects) | encode -f ids; encode -f ids "$(head -1 objects)"; echo '{dog}' | encode -f ids

# Texts without tokens, and texts of which the model knows no word.
printf 'dog\n\n   \t \nzoo\n' | encode -m plain.weights -p mean -f csv | cut -d, -f 2,4-5
encode-new -o known.weights --width 8 --heads 2 --words '[UNK] dog zoo . ,'
for options in '-p mean -f csv' '-p mean -f text' '-p mean -f json' '-p mean -f npy' '--rank dog'; do encode -m known.weights $options dog 'xyz.' 'ab, xyz' dog 2>&1 >out; done
encode -m known.weights --rank 'xyz dog abc' dog zoo 2>&1 >out
encode -m known.weights -p mean -f csv 'dog xyz' '[UNK]' . '' 2>&1 >out
encode -m known.weights --tokens -f json xyz
printf 'a.\nb.\ndog\nc\nd\ne\n' | encode -m known.weights -p mean -f csv 2>&1 >out
