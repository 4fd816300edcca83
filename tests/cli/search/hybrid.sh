# A hybrid search: words count, too. The index is made once, and again if texts have changed.
printf '%s\n' 'a small dog sleeps' 'the cat sat on the mat' 'Zyzzyva is a weevil' '' 'men ride bikes to the sea' 'the mat is red' >texts
encode -p model -f npy -o texts.npy <texts
encode-search --hybrid -k 3 texts.npy texts --query 'ZYZZYVA mat' && ls texts.npy*
encode-search --hybrid -k 1 -f json texts.npy --query 'who cycles?'
encode-search --hybrid -k 2 -f tsv --word-weight 1000 texts.npy --query 'a weevil'
encode-search --hybrid -k 3 -f tsv --word-weight 0 texts.npy --query 'the beach' | cut -f 3 >a; encode-search -k 3 -f tsv texts.npy --query 'the beach' | cut -f 3 | diff a - && echo the same
echo 'qwertzu' | encode-search --hybrid -f trec -k 1 texts.npy | cut -d' ' -f 3 >a; echo 'qwertzu' | encode-search -f trec -k 1 texts.npy | cut -d' ' -f 3 | diff a - && echo the same
echo 'a weevil' | encode-search --hybrid -f trec -k 2 texts.npy

# One file, or its lines in several.
head -n 2 texts >first; tail -n 4 texts >last; for i in first last; do encode -p model -f npy -o $i.npy <$i; done
encode-search --hybrid -k 2 first.npy last.npy first last --query 'the red weevil'
encode-search --hybrid -k 2 --rerank pair.head -f json first.npy last.npy first last --query 'cat' 2>&1 | cut -c 1-60

# Equal texts are one hit, and empty ones none; a text in windows is one hit, in every format.
printf '%s\n' 'man bites dog' '' 'man bites dog' 'dog bites man' >equal; encode -p model -f npy -o equal.npy <equal
encode-search --dedup -f tsv equal.npy equal --query 'man bites dog'
encode-search -f tsv equal.npy --query 'man bites dog'
encode-search --dedup equal.npy --query 'man bites dog'
printf 'the cat sat on the mat and the dog sat on the cat and the man sat on the dog\nmen ride bikes\n' >long; encode -p model --max-tokens 12 --on-long chunk -f npy -o long.npy <long
encode-search --hybrid -f tsv long.npy long --query 'man'
encode-search --hybrid long.npy long --query 'cat'

# encode --words writes the same index, whatever is read.
same() { mv $1.words expected; encode -p model -f npy --words -o $1 "${@:3}" <$2 && cmp $1.words expected && echo the same; }
same texts.npy texts
same long.npy long --max-tokens 12 --on-long chunk
printf '{"_id": "%s", "title": "A", "text": "%s"}\n' a 'cats' b 'dogs bark' >c.jsonl; encode -p model --input jsonl -f npy -o c.npy <c.jsonl; encode-search --hybrid -f tsv c.npy c.jsonl --query dogs; same c.npy c.jsonl --input jsonl
ENCODE_MODEL=plain.emb; encode -p mean --prompt passage -f npy --words -o p.npy <texts; cmp p.npy.words texts.npy.words && echo the same
encode -p model -f npy --words <texts
encode -p model -f npz --words -o a.npz <texts
encode -p none -f npy --words -o a.npy <texts
encode -p model -f npy --words --resume -o texts.npy <texts

# A run that failed before its first journal starts over by the same command.
printf '"a dog"\nbad\n' | encode -p model --input jsonl -f npy --words -o part.npy
printf '"a dog"\n"a cat"\n' >part.jsonl; encode -p model --input jsonl -f npy --words --resume -o part.npy <part.jsonl; ls part.npy*
encode-search --hybrid -k 1 -f tsv part.npy part.jsonl --query cat

# What is refused.
encode-search --word-weight 2 texts.npy --query a
sed 's/sleeps/eats/' texts >other; encode -p model -f npy -o new.npy <other; cp texts.npy.words new.npy.words; encode-search --hybrid new.npy --query a
encode-search --hybrid -k 1 -f tsv new.npy other --query eats
rm new.npy.words; encode-search --hybrid new.npy --query a
head -c 300 texts.npy.words >new.npy.words; encode-search --hybrid new.npy other --query a
echo 'my words' >new.npy.words; encode-search --hybrid new.npy other --query a; cat new.npy.words
{ head -c -1 texts.npy.words; printf '\1'; } >new.npy.words; encode-search --hybrid new.npy other --query a; rm new.npy.words
rm texts.npy.origin.json; encode-search --hybrid texts.npy --query a

# Other windows, as many rows.
for n in 12 13; do encode -p model --max-tokens $n --on-long chunk -f npy -o window.npy <long; encode-search --hybrid -f tsv window.npy long --query mat; done
encode -p model --max-tokens 12 --on-long chunk -f npy -o window.npy <long; encode-search --hybrid window.npy --query mat
ENCODE_MODEL=lexical.emb; encode -m lexical.emb -p sparse -f npz -o a.npz 'cat dog'; encode-search --hybrid -m lexical.emb a.npz --query a
