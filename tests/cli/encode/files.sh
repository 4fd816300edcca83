# What encode writes beside an array, what it replaces, and outputs that cannot be written.
export ENCODE_MODEL=toy.weights
rows_of() { encode -p none -f npy -o r.npy "$@"; cat r.npy.rows.jsonl; }
printf '%s\n' '{"_id": "d\u0037", "id": 1, "text": "I"}' '{"id": 7.50, "text": "ride"}' '"dog"' '{"id": null, "text": "I"}' >ids.jsonl
rows_of -p mean --input jsonl <ids.jsonl
rows_of -p mean --pad-to 4 --input jsonl <ids.jsonl | sha256sum | cut -c -8; rows_of -p mean --input jsonl <ids.jsonl | sha256sum | cut -c -8
rows_of --tokens --pad-to 4 --input jsonl <ids.jsonl
printf '"a"\n"b"\n{"id": 3, "text": "c"}\n' | rows_of -p mean --input jsonl
printf '{"id": "a", "text": "dog cat"}\n"good"\n' | encode -m lexical.emb -p sparse -f npz --input jsonl -o r.npz; cat r.npz.rows.jsonl

# Rows are windows or tokens.
rows_of -p mean --no-special --max-tokens 2 --on-long chunk 'I ride bike' dog
rows_of --no-special 'I ride' dog
rows_of -p mean --no-special --max-tokens 3 --on-long chunk --prompt-text 'cat ' 'I ride bike'
echo '{"ids": [2]}' | rows_of -p mean --on-long chunk --input jsonl
rows_of -p mean --max-tokens 6 --on-long chunk I --pair 'I ride bike dog'

# A rows file that is not needed is removed, whatever replaces the array; after a failure both stay.
printf 'I\ndog\n' | encode -p mean -f npy -o r.npy; ls r.npy*
rows_of I >out; encode -p mean -f json -o r.npy I; ls r.npy*
rows_of I >out; encode --rank I -f csv -o r.npy dog; ls r.npy*
rows_of I >out; sha256sum r.npy* >sums; printf '"I"\nnull\n' | encode --input jsonl -f npy -o r.npy; sha256sum --status -c sums && echo both stay
encode -p none -f npy -o /dev/stdout I >out.npy; encode -p none -f npy -o /dev/null I; encode -p none -f npy I >out.npy; encode -f json -o out.json I; ls *.rows.jsonl
echo I >in.npy.rows.jsonl; encode -p mean -f npy -o in.npy <in.npy.rows.jsonl
mkdir d.npy.rows.jsonl; encode -p none -f npy -o d.npy I || ls in.npy d.npy 2>&1

# A report of skipped lines is replaced by the next run's, unless it has a name of its own or is a folder.
skips() { printf '"I"\n7\n' | encode -p mean -f json --input jsonl --on-error skip -o l.json "$@"; }
skips; cat l.json.left-out.jsonl; echo I | encode -p mean -f json -o l.json; ls l.json*
skips; skips --report own; ls l.json* own; echo I | encode -p mean -f json -o l.json; ls l.json* own
printf '"I"\n7\n' | encode -q -p mean --input jsonl --on-error skip -o k.npy --report own.origin.json; ls k.npy* own.*
skips --report ./l.json.left-out.jsonl; encode -p mean -f json -o l.json <l.json.left-out.jsonl
rm l.json.left-out.jsonl; mkdir l.json.left-out.jsonl; echo I | encode -p mean -f json -o l.json; ls -d l.json*

# Numbers that a type cannot hold.
cp bare.emb large.emb; hand_models large.emb embedding.token.weight 60 65519; hand_models large.emb embedding.token.weight 75 -65520
f16() { encode -m large.emb --no-special -f npy --type f16 "$@"; }
printf 'dog\ncat\n' | f16 -p mean -o l.npy; ls l.npy
for pooling in mean none; do printf 'dog\ncat\ndog I\n' | f16 -p $pooling --on-error skip -o left.npy; printf 'dog\ndog I\n' | f16 -p $pooling | cmp - left.npy && cat left.npy.left-out.jsonl left.npy.rows.jsonl; done
printf 'cat dog cat cat\nI\n' | f16 -p mean --on-long chunk --max-tokens 1 --on-error skip -o left.npy; cat left.npy.left-out.jsonl
cp bare.emb none.emb; hand_models none.emb embedding.token.weight 60 nan; for type in f32 f16 int8 binary; do encode -m none.emb --no-special -p mean -f npy --type $type dog >out || echo exit code $?; done

# Full disks, closed outputs, folders, a reader that leaves.
for format in text json csv npy ids; do encode -f $format dog >/dev/full || encode -f $format -o /dev/full dog || yes 'dog cat' | head -n 20000 | encode -f $format >/dev/full || echo $format: exit code $?; done
for task in 'similarity -f text' 'similarity -f json' 'similarity -f csv' 'mask --pad-to 16 -f text' 'mask --pad-to 16 -f json'; do yes dog | head -n 600 | encode-compare $task >/dev/full || echo exit code $?; done; yes dog | head -n 600 | encode --rank dog -f csv >/dev/full
yes dog | head -n 9000 | encode -p mean -f npy >>/dev/full || encode-compare words dog cat >/dev/full || encode --help >/dev/full
encode -f ids -o nowhere/out dog
encode -f ids -o . dog
encode -f ids dog >&-
encode -f ids <&-
yes dog | head -n 50000 | encode -f json | head -c 100 >out
trap '' PIPE; { yes dog 2>log | head -n 50000 2>log | encode -f json 2>quiet; echo $? >code; } | head -c 100 >out; cat quiet code
yes 'I ride' | encode -f ids | head -n 5000 | tail -n 1

# Weight files that are none.
encode -m missing dog || encode -m . dog || encode -m '' dog || ENCODE_MODEL=missing encode dog
mkfifo pipe; : >empty; head -c 1000 toy.weights >cut
encode -m pipe dog || encode -m lines dog || encode -m empty dog || encode -m cut dog

# The same numbers through every kind of output, with any number of threads, in any batch; and progress.
encode -p none -f npy 'I ride' dog >direct.npy; encode -p none -f npy 'I ride' dog | cmp - direct.npy && : >appended.npy && encode -p none -f npy 'I ride' dog >>appended.npy && cmp appended.npy direct.npy && encode -p none -f npy -o named.npy 'I ride' dog && cmp named.npy direct.npy && (printf x; encode -p none -f npy 'I ride' dog) | tail -c +2 | cmp - direct.npy && echo the same
yes 'I ride bike' | head -5000 >many.txt; encode -p mean -f npy -o quiet.npy <many.txt; encode -p mean -f npy --progress <many.txt 2>log | cmp - quiet.npy && sed 's/[0-9.]* texts.s, [0-9.]* tokens.s in .*/.../' log
encode --rank bike --progress I ride bike 2>&1 >out | sed 's/[0-9.]* texts.s.*/.../'; encode -f ids --input jsonl --progress <many.txt
for i in $(seq 20); do echo 'I ride bike'; echo; echo dog cat dog; echo 'zoo I'; done >many; for p in none mean; do encode -p $p -f csv -t 1 <many >one && encode -p $p -f csv -t 2 <many | cmp - one && echo the same; done
encode -p mean -f csv <many | sed -n '4~4s/^[0-9]*,//p' | uniq -c | tr -s ' '
encode -p mean -f npy --type f32 I dog >a; encode -p mean -f npy I dog | cmp - a && echo the same

# Types in arrays: no text, and rows of tokens, padded or not, into a pipe and a file.
shape() { encode -p none -f npy -o file.npy "$@" && encode -p none -f npy "$@" | cat | cmp - file.npy && head -c 127 file.npy | tail -c +11 | tr -s ' ' && echo bytes: $(tail -c +129 file.npy | wc -c); }
for type in f16 int8 binary; do shape -p mean --type $type </dev/null; shape -p mean --no-special --type $type '' 2>&1; tail -c +129 file.npy | tr -d '\0' | wc -c; done
for type in f16 int8 binary; do shape --no-special --type $type 'I ride' dog; shape --no-special --type $type --pad-to 4 'I ride' dog; done

# Where encode looks for its weights: beside itself, then in ../share/encode.
export LD_LIBRARY_PATH=$(dirname "$(command -v encode)") ENCODE_MODEL=
mkdir -p tree/build/asan tree/weights prefix/bin prefix/share/encode; cp toy.weights tree/weights/default.weights; cp plain.weights prefix/share/encode/default.weights
for folder in tree/build tree/build/asan prefix/bin; do cp "$(command -v encode)" $folder; done; ln -sr tree/weights/default.weights tree/build; ln -sr tree/weights/default.weights tree/build/asan; mv tree moved
for program in moved/build/encode moved/build/asan/encode prefix/bin/encode; do $program --tokens I | head -n 1; done; prefix/bin/encode -m toy.weights --tokens I | head -n 1
rm moved/weights/*; moved/build/encode I 2>&1 | sed "s/'[^']*share.encode/'...\/share\/encode/g"
