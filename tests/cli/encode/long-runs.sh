# A corpus: skipped lines, an input that changed, shards.
encode -p mean -f npy -o a.npy --input jsonl --on-error skip <jsonl
printf '%s\n' '"I ride"' '{"ids": [99999]}' '7' '"bike"' >some-bad && encode -p mean -f npy -o b.npy --input jsonl --on-error skip <some-bad; cat b.npy.left-out.jsonl b.npy.rows.jsonl
encode -p mean -f npy -o c.npy --resume <lines && encode -p mean -f npy -o c.npy --resume <lines
tac lines | encode -p mean -f npy -o c.npy --resume
encode -p cls -f npy -o c.npy --resume <lines
encode -p mean -f npy -o c.npy --restart <lines
for i in 1 2; do split -n l/$i/2 lines >part-$i && encode -p mean -f npy -o part-$i.npy --resume <part-$i; done; encode -p mean -f npy -o all.npy <lines; { tail -c +129 part-1.npy; tail -c +129 part-2.npy; } | cmp - <(tail -c +129 all.npy) && echo the same rows
