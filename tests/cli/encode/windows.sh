# Texts that are longer than a model takes: an error, cut, or windows. These models take 12 tokens, this text has 18.
export ENCODE_MODEL=bare.emb long='dog cat good bad paul smith in rome the . dog cat good bad paul smith'
encode "$long"
printf '%s\n%s\n' "$long" "$long" | encode -p mean -f csv --on-long truncate | cut -c -60
encode --on-long truncate dog "$long" | grep text
encode --tokens -f ids "$long"
encode --tokens -f ids --on-long truncate "$long"
encode --tokens -f ids --truncation longest-first "$long"
encode --tokens --on-long error "$long"
encode --tokens -f ids --max-tokens 5 --truncate-left 'dog cat good bad'
for way in longest-first only-first only-second; do encode --tokens -f ids --max-tokens 7 --truncation $way 'dog cat good' --pair 'bad in rome'; done

# Reports name the first text that was cut, and count all.
export ENCODE_MODEL=toy.weights five='I ride bike I ride'
encode --tokens --max-tokens 4 I "$five"
encode --tokens -f ids --max-tokens 4 --on-long truncate "$five" "$five"
encode --tokens -f ids --max-tokens 4 --on-long truncate "$five" I
(echo I; yes "$five" | head -n 3000) | encode -p mean -f csv --max-tokens 4 --on-long truncate 2>&1 >out
for task in '-compare similarity' '-compare mask' ' --rank I'; do eval encode$task --max-tokens 4 --on-long truncate I "$five" "$five" 2>&1 >out; done
encode --rank "$five" --max-tokens 4 --on-long truncate I "$five" 2>&1 >out
encode --tokens -f json --max-tokens 4 --on-long truncate "$five" | grep -o '"truncated": true'
encode --tokens --max-tokens 1 --on-long truncate I

# Windows, with a stride, in every format.
export ENCODE_MODEL=bare.emb
encode -p mean --tokens --on-long chunk --stride 4 -f json "$long" dog
encode -p mean --on-long chunk -f csv "$long"
encode -p mean --on-long chunk "$long"
encode --on-long chunk "$long" | grep text
encode -p mean --on-long chunk -f npy -o w.npy "$long" && head -c 128 w.npy | tr -d '\0' | grep -ao "'shape.*)"
for stride in 0 1 2 3 4 5 6 7 8 9; do encode --tokens -f ids --no-special --max-tokens 10 --on-long chunk --stride $stride "$long"; done
encode -p mean --on-long chunk --stride 10 "$long"; encode -p mean --on-long chunk --stride 9 "$long" --pair dog
for i in $(seq 3000); do printf 'dog cat '; done >book; echo >>book; cat book book | encode --tokens -f ids --max-tokens 12 --on-long chunk | sort | uniq -c
printf '"dog"\n{"ids": [4,4,4,4,4,4,4,4,4,4,4,4,4]}\n"cat"\n' | encode -p mean --on-long chunk --input jsonl -f csv

# Of pairs the longer text is in windows.
encode -p mean --on-long chunk -f json rome --pair "$long"
encode --on-long chunk rome --pair "$long" | cut -c -70
encode -p mean --on-long chunk rome --pair "$long"
encode --tokens -f ids --on-long chunk --truncation only-first 'dog cat good bad' --pair 'in rome the . in rome the'
encode --on-long chunk --truncation only-first dog --pair "$long"

# Heads answer for each window, and none begins inside a word.
encode -m token.head --entities --on-long chunk --stride 7 -f json "$long"
encode -m mask.head --fill --top 1 --on-long chunk -f csv "$long [MASK]"
encode -m sequence.head --labels --on-long chunk -f csv 'dog dog dog dog dog dog dog dog dog dog dog dog good dog'
encode -m pieces.head --entities --on-long chunk -f json 'pauldog.pauldog.pauldog.pauldog.pauldog.pauldog.' | grep -o '"window": {[^}]*}'

# Each window has the prompt.
encode -m plain.emb --prompt passage --tokens -f ids --max-tokens 8 --on-long chunk --stride 1 'dog cat good bad paul smith in rome'
encode -m plain.emb -p mean --prompt passage -f json --max-tokens 5 --on-long chunk 'dog cat good'

# Ids have the limit of the model, which may be more than that of texts.
encode-new -o short.emb --layers 0 --width 8 --max-tokens 12 --max-text-tokens 6 --words 'dog cat'
export ENCODE_MODEL=short.emb
ids() { echo "{\"ids\": [$(yes 0, | head -n $(($1 - 1)) | tr -d '\n')0]}"; }
encode 'dog dog dog dog dog dog dog'
for task in '-p mean' '--on-long error -p mean' --tokens; do ids 12 | encode --input jsonl $task >out; ids 8 | encode --input jsonl --max-tokens 7 $task >out || echo exit code $?; done
ids 13 | encode --input jsonl
ids 20 | encode --input jsonl --tokens -f ids
ids 20 | encode --input jsonl -f ids --on-long chunk
