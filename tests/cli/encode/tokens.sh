# How a text becomes tokens, and how tables show them.
export ENCODE_MODEL=toy.weights
encode --tokens 'I ride bike'
encode --tokens --pair cat -f json 'I "zoo"'
encode -p cls --tokens -f json I
encode -p cls -f json I
encode -p none --tokens -f json I >a && encode --tokens -f json I | cmp - a && echo the same
encode --tokens --no-special -f csv 'I' 'ride dog'
encode --tokens -f csv I --pair 'cat dog'
encode --tokens -f ids 'I ride' '' zoo
encode -f ids --no-special I '' bike
encode -m plain.weights --all I ''
encode -m plain.weights -f json ''
printf '\n\n' | encode -m plain.weights -f ids

# Columns are aligned by what a terminal shows, and unknown words are named.
encode --tokens '桜 naïve'
encode --tokens 'I Zoo 桜桜 [UNK]' abcdefghijklmnopqrstuvwxyz
encode-new -o scripts.weights --words 'می‌روم नाम a' --width 4 --heads 1; encode -m scripts.weights --tokens "$(printf 'می‌روم नाम a\342\200\256')"
printf '%s' '{"model": {"type": "BPE", "merges": [], "vocab": {"a": 0, "Ã": 1, "¯": 2, "Ġ": 3}}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}' >bytes.json
encode-import --tokenizer-only bytes.json -o bytes.weights && encode -m bytes.weights --tokens 'aï a'
# A token of the blank that is put before a text has no bytes, and is no prompt's.
sed 's/false.*/true}, "post_processor": {"type": "ByteLevel", "trim_offsets": true}}/' bytes.json >first.json
encode-import --tokenizer-only first.json -o first.weights && encode -m first.weights --tokens aï
encode-new -o one.weights --words a --layers 1 --heads 1 --width 4 --max-tokens 1; encode -m one.weights a
encode -m one.weights --max-tokens 2 a

# What would control a terminal, or what it cannot show, is escaped.
encode --tokens "$(printf 'dog\033[2J \342\200\256cat')" dog
printf 'a\rb \363\240\200\201 \342\200\214x \342\200\250\n' | encode --tokens --no-special
echo '"a\u0000b"' | encode --input jsonl --tokens -f csv | tr '\0' '0'
printf '\033[2Jx\n' | encode --input jsonl -f ids

# Texts and pairs in tables of pooled vectors are cut where the column ends.
encode -p mean 'I ride' --pair dog | cut -c -40
encode -p mean 'I' --pair 'dog dog dog dog dog dog dog dog dog' | cut -c -40
encode -p mean 'dog dog dog dog dog dog' --pair 'cat cat cat cat cat' | head -c 190
encode -p mean -f csv 'a "b", c' 'a,b' | cut -c -14
encode -p mean -f csv 'a,b' --pair 'c"' | cut -c -14

# A word of ten million letters, a text of a million words, a line of 64 MiB.
head -c 10000000 /dev/zero | tr '\0' x >word; encode -f ids --no-special <word; encode --tokens <word
yes dog | head -n 1000000 | tr '\n' ' ' >many; encode -f ids --no-special <many | wc -w
encode --tokens --on-long error <many
encode -p mean --on-long truncate <many 2>&1 >out
{ echo dog; head -c 67108865 /dev/zero; } | encode -f ids

# Where arrays and tables go.
encode -f json -o - dog >dash && encode -f json dog | cmp - dash && ! test -e ./- && echo the same
encode -f json I >expected && encode -p none -f json -o out.json I && cmp expected out.json && echo the same
printf '"I"\nnull\n' | encode -p none --input jsonl -f json -o out.json
echo null | encode -p none --input jsonl -f json -o never.json
cmp expected out.json && ls -A | grep -e never -e '^\.' || echo the file stays, and nothing else is left
