#!/usr/bin/env bash
# Programs on a terminal: progress on one line that is wiped away, colors, a hint before they wait for the keyboard;
# and nothing of that where output is a file. The terminal is one that script(1) makes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
command -v script >/dev/null || { echo 'skipped: script(1) is not here'; exit 77; }
cd "$folder" || exit 1
export PATH=$programs:$PATH TERM=xterm
unset NO_COLOR
encode-new -o m.weights --layers 1 --width 8 --heads 2 --words 'a b c' >new 2>&1
export ENCODE_MODEL=m.weights
escape=$(printf '\033')

terminal() { # COMMAND: run by a shell whose stdin, stdout and stderr are a terminal; its output is in `out`
    SHELL=$BASH script -qec "$1" /dev/null >out 2>err </dev/null
    code=$?
}
says() { grep -qF -- "$1" out; }

# ---- encode ----
terminal "encode -f ids" # the keyboard says nothing: the end of /dev/null
check 'a hint before the keyboard is read' says 'reading the terminal, a text per line; Ctrl-D ends'
terminal "encode -f npy dog"
check "an array on a terminal: exit code $code" [ $code = 2 ]
check 'an array on a terminal' says 'stdout is a terminal: -o FILE'
terminal "encode -f npy -o tty.npy dog && encode -f csv dog"
check "an array in a file, and text: exit code $code" [ $code = 0 ]
# Lines come until there is progress.
terminal "for i in {1..30000}; do grep -q texts/s out && break; echo a b; sleep 0.02; done | tee fed | encode -p mean -f csv -o v.csv"
check "progress of lines: exit code $code" [ $code = 0 ]
check 'progress of lines' grep -qE "texts?, [0-9]+ texts/s, [0-9]+ tokens/s" out
check 'progress is wiped away' [ "$(tail -c 4 out)" = $'\r'"$escape[K" ]
check 'the file has no progress' [ "$(grep -c . v.csv)" = $(($(grep -c . fed) + 1)) ]
check 'the file has no escapes' [ "$(grep -c "$escape" v.csv)" = 0 ]
left='tokens/s, [0-9]+ %, [0-9]+ s left'
for n in 100000 400000 1600000 6400000; do # as many as take longer than it waits with its first word
    yes 'a b' | head -n $n >lines
    terminal "encode -t 1 -p mean -f npy -o v.npy <lines"
    ! grep -qE "$left" out || break
done
check 'progress of a file tells what is left' grep -qE "$left" out
terminal "encode -p mean -f npy -o v.npy --resume"
check "--resume of the keyboard: exit code $code" [ $code = 2 ]
check '--resume of the keyboard' says '--resume reads the same input again, and stdin is a terminal: < FILE'
terminal "encode -p mean -f csv a b"
check 'no progress of arguments' [ "$(grep -c texts/s out)" = 0 ]
terminal "printf 'a\n\nc\n' | encode -p mean -f csv --progress -o v.csv --no-special"
check '--progress leaves its last line' says 'encode: 3 texts'
check 'a note has a line of its own' grep -q "K.*line 2 of stdin has no tokens" out

# ---- encode-search ----
printf 'a b\nc\n' >texts && encode -p model -f npy -o texts.npy <texts 2>err
asked() { for _ in {1..30000}; do [ "$(grep -c '^> ' out)" -ge "$1" ] && break; sleep 0.02; done; } # so often
: >out
{ asked 1 && echo c && asked 2 && echo a b && asked 3 && printf '\004'; } |
    SHELL=$BASH script -qec "encode-search -k 1 texts.npy texts" /dev/null >out 2>err
check 'encode-search is a prompt' [ "$(grep -o '^> ' out | grep -c .)" = 3 ]
check 'which answers each query before it asks for the next' [ "$(grep -oE '^> |query [0-9]: [abc ]+|[12]   (a b|c)' out | tr -d '\r' | xargs)" = \
    '> query 1: c 2 c > query 2: a b 1 a b >' ]

# ---- encode-plot ----
terminal "stty cols 60; encode-plot attention 'a b c'"
check "colors on a terminal: exit code $code" [ $code = 0 ]
check 'colors on a terminal' says "$escape[48;2;"
terminal "stty cols 60; NO_COLOR=1 encode-plot attention 'a b c'"
check 'NO_COLOR' [ "$(grep -c "$escape" out)" = 0 ]
cp out wide
terminal "stty cols 60; TERM=dumb encode-plot attention 'a b c'"
check 'TERM=dumb is as NO_COLOR' cmp out wide
terminal "stty cols 60; NO_COLOR= TERM=dumb encode-plot attention 'a b c'"
check 'an empty NO_COLOR says nothing' cmp out wide
terminal "stty cols 60; unset TERM; encode-plot attention 'a b c'"
check 'without TERM there are no colors' cmp out wide
longest() { # COLUMNS: of the lines of a table that would like to be wider
    terminal "stty cols $1; NO_COLOR=1 encode-plot position -n 40 --position sinusoidal --width 70"
    tr -d '\r' <out | LC_ALL=C.UTF-8 wc -L
}
check 'a wide terminal is used' [ "$(longest 300)" -gt 140 ]
check 'a narrow one too' [ "$(longest 60)" -le 60 ]
check 'one of 20 columns gets as many as a file' [ "$(longest 20)" -gt 60 ]
terminal "encode-plot attention 'a b c' -o a.txt"
check 'no colors in a file' [ "$(grep -c "$escape" a.txt)" = 0 ]
terminal "encode-plot attention 'a b c' -f png"
check "a picture is not sent to a terminal: exit code $code" [ $code = 2 ]
check 'a picture is not sent to a terminal' says 'a terminal cannot show a picture'
terminal "encode-plot attention"
check "a text is not awaited at a terminal: exit code $code" [ $code = 2 ]
check 'a text is not awaited at a terminal' says 'one text is needed'

# ---- encode-import ----
awk 'BEGIN { for (i = 0; i < 3000; i++) print "w" i, i, 1, 2, 3 }' >v.txt
terminal "encode-import --vectors v.txt -o v.weights"
check "a bar: exit code $code" [ $code = 0 ]
check 'a bar' grep -q '\[#*\.*\]  *[0-9]* %' out
check 'the bar comes to its end' says '100 %'
check 'the bar is wiped away' says $'\r'"$escape[K"
run encode-import --vectors v.txt -o v.weights
check 'no bar in a file' [ "$(grep -c '\[#' "$folder/err")" = 0 ]

finish
