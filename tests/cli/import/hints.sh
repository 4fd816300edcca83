# A checkpoint, a part of one, or another model file where a weight file is expected: the message has the command that makes one, and that command does.
cp -r tiny 'my model'; mkdir words none; cp tiny/vocab.txt words; printf 'cat 1 2\ndog 2 1\n' >two.vec
made() { local command; command=$(encode -m "$1" cat 2>&1 | sed 's/.*; to make one: //'); echo "$command"; eval "$command -q && encode -m ${command##* -o } --tokens -f ids cat"; }
made tiny; made ./tiny/; made tiny/model.safetensors; made tiny/config.json; made tiny/vocab.txt
made 'my model'; made words/vocab.txt; made two.vec
cd 'my model'; encode -m model.safetensors cat # the name is the folder's

# What is no checkpoint.
cp tiny/model.safetensors lone.safetensors; cp tiny/vocab.txt tiny.bin; cp tiny/config.json lines.txt; printf 'GGUF\3' >x.gguf
for path in none lone.safetensors tiny.bin x.gguf lines.txt absent.safetensors; do encode -m $path cat; done

# Every program says it, and so does a path that comes from the environment.
ENCODE_MODEL=tiny encode cat; encode-inspect tiny; encode-plot attention -m tiny -o p.svg cat; encode-plot position -m tiny -o p.svg; encode-bench -m tiny
