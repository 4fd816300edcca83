# A result comes before the next line, in each format.
export ENCODE_MODEL=toy.weights
await() { for _ in {1..3000}; do grep -qs "$1" "$2" && return; sleep 0.1; done; echo "$2 has no $1"; }
early() { rm -f in early; mkfifo in; encode -f $1 <in >early & exec 3>in; echo I >&3; await $2 early; cat early; echo dog >&3; exec 3>&-; wait $! && echo; }
early text SEP; early json truncated; early csv SEP; early ids 10

# A weight file that is cut off while it is in use, as cp over it does: a message, not a signal. If another model is copied over it: wrong numbers or the same message, but nothing reads outside the file.
served() { rm -f in early; cp toy.weights served.weights; mkfifo in; encode -m served.weights -f csv <in >early & exec 3>in; echo I >&3; await SEP early; cat "$1" >served.weights; echo dog >&3; exec 3>&-; wait $!; }
served /dev/null
encode-new -q -o larger.weights --layers 3 --width 512 --heads 8 --vocabulary 5000; served larger.weights 2>errors; echo $(($? <= 1)) $(($(wc -l <errors) <= 1))
