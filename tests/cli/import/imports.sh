# A whole directory becomes a weight file, the same each time; --dry-run writes none.
encode-import modules -o a.weights --name 'Tiny one'; encode-inspect --verify a.weights; sha256sum modules/model.safetensors
encode-import -q modules -o b.weights --name 'Tiny one' && cmp a.weights b.weights
encode-import modules --dry-run -o c.weights | grep -E 'max_text|layers.1.*out|Nothing'; [ -e c.weights ] || echo 'and it is not'
for type in f32 f16 bf16 int8; do encode-import tiny --weights $type -o $type.weights && encode-inspect --verify $type.weights >/dev/null; done

# Without a tokenizer the file takes ids; with --tokenizer-only it has no model.
cp -r tiny bare; rm bare/vocab.txt; encode-import bare -o ids.weights; encode-import bare --dry-run | tail -n 1
echo '{"ids": [1, 2, 3]}' | encode -m ids.weights --input jsonl -p mean -f npy | wc -c; encode -m ids.weights text
encode-import --tokenizer-only tiny -o t.weights; encode-import --tokenizer-only tiny/vocab.txt -o v.weights; encode-import tiny --tokenizer-only u.weights && cmp t.weights u.weights
encode-inspect --verify t.weights | grep -E 'vocabulary|checksum'; encode -m v.weights --tokens -f ids 'i ride bikes'
encode-import --tokenizer-only nowhere.json -o w.weights

# Failures leave no file, nor harm the one that stood there: a number that is seen when half the file is written, one that does not fit, a file that is cut.
mkdir out; echo old >out/old.weights; cp -r tiny bad
put() { printf "$2" | dd of=bad/model.safetensors bs=1 conv=notrunc seek=$(($(stat -c %s bad/model.safetensors) - $1)) 2>/dev/null; }
put 4 '\0\0\300\177'; encode-import bad -o out/old.weights
put 4 '\50\153\156\116'; put 5216 '\50\153\156\116'; encode-import bad --weights f16 -o out/new.weights
truncate -s -1 bad/model.safetensors; encode-import bad -o out/old.weights
ls -A out; cat out/old.weights

# Misuse: what is asked for, and outputs that are files of the directory.
encode-import
encode-import tiny
encode-import tiny elsewhere -o a
encode-import tiny -o a --weights f8
encode-import --nonsense
encode-import tiny --tokenizer-only tiny -o a
encode-import nowhere -o a
encode-import toy.weights -o a
encode-import tiny -o absent/a.weights
ln -sf tiny/model.safetensors linked; encode-import tiny -o linked
ln -sf tiny/config.json linked; encode-import tiny -o linked
encode-import --tokenizer-only tiny -o tiny/vocab.txt
[ -e a ] || echo 'nothing is written'
