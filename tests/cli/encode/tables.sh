# Files as arguments: their lines are the texts, one file after the other.
export ENCODE_MODEL=toy.weights
printf 'I ride\ndog' >a.txt; printf 'cat\nbike\377\n' >b.txt; printf '"dog"\n7\n' >c.jsonl
encode -f ids a.txt b.txt; cp a.txt A.TXT; encode -f ids A.TXT b.txt; encode -f ids MISSING.JSONL
cat a.txt <(echo) b.txt | encode -q -f ids
encode -p mean -f npy -o a.npy a.txt b.txt && encode-search -p mean a.npy a.txt b.txt --query dog -k 1
encode -f ids c.jsonl; encode -f ids a.txt c.jsonl; encode -f ids a.txt missing.txt
encode -f ids --input text lines list | tail -n 3; encode -f ids --input text missing; encode -f ids --input text .
encode -f csv --max-tokens 3 --on-long error b.txt a.txt | cut -c 1-20
encode --rank dog a.txt b.txt
encode -o a.txt a.txt; encode -o b.txt a.txt b.txt
encode -p mean -f npy -o r.npy --resume a.txt && encode -p mean -f npy -o r.npy --resume a.txt; for order in 'a.txt b.txt' 'a.txt b.txt' 'b.txt a.txt'; do encode -q -f csv -o r.csv --resume $order; done; printf '"I"\n\n' >d.jsonl; encode -f ids d.jsonl c.jsonl

# Tables: the column named text, the only one, or --column.
printf 'id,text,note\r\n1,"I ride, ""dog""",x\r\n2,"cat\nbike",\r\n3,,\r\n' >t.csv
encode -f json --tokens t.csv | cut -c 1-60
encode -f json --tokens --column id t.csv | cut -c 1-60; encode --column title t.csv; encode --column note --input tsv t.csv
printf 'text,id\ndog" I,1\ncat,2\nI" ride",3\n"bike",4\n' | encode -f json --tokens --input csv | cut -c 1-60
printf 'text\n"cat\r\n\r\nbike\n"\r\n' | encode -f json --tokens --input csv | cut -c 1-60
printf 'a\tb "q\nI ride\tdog\n' >t.tsv; encode -f json --tokens --column 'b "q' t.tsv | cut -c 1-60; encode t.tsv; encode --column a dog; encode --column a a.txt
printf 'only\ndog\n\ncat\n' | encode -f ids --input csv; printf '\357\273\277text\ndog\n' | encode -f ids --input csv
printf 'id,text\n1,dog\n2\n3,"dog"s\n4,cat\n5,"dog\n' >bad.csv; encode -f ids bad.csv; encode -f ids --on-error skip bad.csv; encode -f ids --on-error skip t.csv bad.csv 2>&1 >out | tail -n 1
encode -f ids --input csv </dev/null; printf 'text' | encode -f ids --input csv; printf '\377\376t\0' | encode --input csv
encode -p mean -f csv --input csv -o t.out <t.csv && encode -p mean -f csv t.csv | cmp - t.out && echo the same
encode -p mean -f csv -o t.out --on-error skip bad.csv; cut -c 1-20 t.out; cat t.out.left-out.jsonl
