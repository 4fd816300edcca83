#!/usr/bin/env bash
# tags: long
# Runs of encode that are killed or stopped and resumed: the output is that of an undisturbed run, byte for byte; and
# a run that cannot be resumed says why. 21 kills, at random moments.
#
#     tests/tools/encode/test_resume.sh [KILLS [LINES]]     of each kind of output; default 3 (or KILLS), and 3600
# (or KILL_LINES: where programs are slow)
#
# Guarantee: a run of encode that is killed at random resumes to the same bytes, in every format that has a journal;
# one that cannot be resumed says why.
# shellcheck disable=SC2054 # a line of options has commas in none of its words
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
kills=${1:-${KILLS:-3}} n_lines=${2:-${KILL_LINES:-$((1200 * kills))}}
cd "$folder" || exit 1
export LC_ALL=C ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 64 --max-tokens 64 >/dev/null 2>&1
"$programs/encode-new" -o other --width 64 --max-tokens 64 --seed 2 >/dev/null 2>&1
encode=("$programs/encode" --threads 1)

# Lines of 1 to 60 words; every 50th is too long, every 70th no JSON where it is read as such.
awk -v n="$n_lines" 'BEGIN { srand(7); split("I ride bike you house red big a the dog", word, " ")
    for (i = 1; i <= n; i++) { line = "I"; most = i % 50 ? rand() * 60 : 100
        for (k = 1; k < most; k++) line = line " " word[1 + int(rand() * 10)]; print line } }' >lines
awk '{ if (NR % 70 == 0) print "{" $0; else printf "{\"id\": \"d%d\", \"text\": \"%s\"}\n", NR, $0 }' lines >lines.jsonl
awk 'BEGIN { print "id,text" } { if (NR % 70 == 0) print NR; else printf "%d,\"%s\n%s\"\n", NR, $1, $0 }' lines >lines.csv

sum() { # FILE: of FILE and of its companion files
    for file in "$1" "$1.rows.jsonl" "$1.left-out.jsonl"; do
        [ -e "$file" ] && sha256sum <"$file"
    done
}

# ---- Killed at random moments ----

# Waits until the killed run has ended, which frees its lock.
wait_for_lock() { # FILE
    while [ -e "$1.part" ] && ! flock -n "$1.part" true; do sleep 0.02; done
}

seen='' n_seen=0 # of a journal, which is replaced when it is written
has_turned() { # FILE: its journal has been written twice
    local now
    now=$(cat "$1.journal" 2>/dev/null)
    [ -z "$now" ] || [ "$now" = "$seen" ] || n_seen=$((n_seen + 1)) seen=$now
    [ $n_seen -ge 2 ]
}

n_kills=0
killed() { # INPUT OPTION...
    local input=$1 signal seconds mode=--restart i begin=${EPOCHREALTIME/./} whole
    shift
    run "${encode[@]}" "$@" -o whole <"$input"
    whole=$((${EPOCHREALTIME/./} - begin)) # microseconds
    check "a run in one piece with $*" [ "$code" = 0 ]
    for ((i = 0; i < kills;)); do
        signal=TERM seconds=$(awk -v whole=$whole -v kills="$kills" -v random=$RANDOM \
            'BEGIN { print (0.4 + 0.5 * random / 32768) * whole / kills / 1e6 + 0.001 }')
        # Without a journal, which comes after a second, a kill loses all: the first one is a request.
        [ -e parts.journal ] && ((RANDOM % 2)) && signal=KILL
        { run timeout -s $signal "$seconds" "${encode[@]}" "$@" -o parts $mode <"$input"; } 2>/dev/null
        if [ "$code" = 0 ]; then # it was through before the signal came: once more, with less patience
            mode=--restart whole=$((whole / 2))
            continue
        fi
        [ "$code" = 124 ] || [ "$code" = 137 ] || break
        wait_for_lock parts
        [ -e parts.journal ] && mode=--resume
        i=$((i + 1)) n_kills=$((n_kills + 1))
    done
    run "${encode[@]}" "$@" -o parts $mode < <(cat "$input")
    check "the last run with $*" [ "$code" = 0 ]
    check "as in one piece after kills: $*" [ "$(sum whole)" = "$(sum parts)" ]
    check "nothing else is left" [ -z "$(find . -name 'parts*.part' -o -name 'parts.journal')" ]
    rm -f whole* parts*
}

skip=(--max-tokens 64 --on-long skip)
killed lines -p mean -f npy --on-long truncate
killed lines -p cls --normalize -f npy --type int8 "${skip[@]}"
killed lines -p mean -f json --on-long chunk --stride 2
killed lines -p none -f csv --pad-to 8 --on-long truncate
killed lines --tokens -f text "${skip[@]}"
killed lines.jsonl --input jsonl -p mean -f npy "${skip[@]}" --on-error skip
killed lines.csv --input csv -p mean -f npy "${skip[@]}" --on-error skip
{ head -n 1 lines.csv; tail -n 999 lines.csv; } >more.csv
killed /dev/null -p mean -f npy "${skip[@]}" --on-error skip lines.csv more.csv
check "$n_kills kills" [ $n_kills = $((8 * kills)) ]

# ---- A run that was killed, to be looked at ----

# Lines come little by little, until the journal has been written twice.
begin_run() { # FILE OPTION...: $pid goes on, and reads descriptor 3; it has $n_given lines
    local file=$1 i=0
    shift
    rm -f input "$file"*
    mkfifo input
    "${encode[@]}" "$@" -o "$file" <input 2>err.run &
    pid=$!
    exec 3>input
    seen='' n_seen=0
    until has_turned "$file" || ! kill -0 $pid 2>/dev/null; do
        sed -n "$((i + 1)),$((i + 5))p" lines >&3
        i=$((i + 5))
        sleep 0.1
    done
    n_given=$i
}
begin_run x -p mean -f npy --on-long truncate
run "${encode[@]}" -p mean -f npy --on-long truncate -o x --resume <lines
ends "two runs at once" 1 "another program is writing 'x': wait for its end, or name another file"
run "${encode[@]}" -p mean -f npy --on-long truncate -o x --restart <lines
ends "two runs at once, --restart" 1 "another program is writing 'x'"
busy() { # WHAT OUTPUT OPTION...
    run "${encode[@]}" -p mean --on-long truncate -o "${@:2}" <lines
    ends "$1" 1 "another program is writing '"
}
busy "a run without a journal" x "I ride bike"
busy "a report that is written" y -f npy --on-error skip --report x.rows.jsonl
busy "another kind of output" x -f npy --type f16 "I ride bike"
run "$programs/encode-new" -o x --width 8
ends "a weight file" 1 "another program is writing 'x'"
check "what is written stays" [ -s x.part ]
kill -KILL $pid
wait $pid 2>/dev/null
exec 3>&-
run "${encode[@]}" -p mean -f npy --on-long truncate -o whole <lines
mkdir kept
cp x.* kept/

again() { # OPTION...: the run that was killed, with --resume and what is given
    run "${encode[@]}" -p mean -f npy --on-long truncate -o x "$@"
}
restore() {
    rm -rf x x.*
    cp kept/* .
}
goes_on() { # WHAT
    again --resume <lines
    check "$1: exit code $code" [ "$code" = 0 ]
    check "$1: as in one piece" cmp whole x
    restore
}
refused() { # WHAT WORDS INPUT OPTION...
    local what=$1 words=$2 input=$3
    shift 3
    again "$@" <"$input"
    ends "$what" 1 "$words"
    check "$what: the journal stays" cmp x.journal kept/x.journal
    check "$what: no note that this run could be continued" [ "$(grep -c 'continue with --resume' err)" = 0 ]
    restore
}

again <lines
ends "a journal, and no word of it" 1 "lines done): continue with --resume"
check "one remedy at a time" [ "$(grep -c -- --restart err)" = 0 ]
refused "another pooling" "now has --pooling cls; use --resume with the same command, or start over with --restart" lines --resume -p cls
refused "an option more" "it was started with no --normalize, and now has --normalize" lines --resume --normalize
refused "another model" "it is of another model" lines --resume -m other
if grep -q '"kernels": *"fma"' x.journal; then
    ENGINE_ISA=portable refused "other kernels" "it was started with fma kernels" lines --resume
else
    echo "resume: this processor has one family of kernels, and the other is not tried"
fi
refused "another input" "stdin is another input: give the same one, or start over with --restart" <(tail -n +2 lines) --resume
refused "a shorter input" "stdin is another input, or was cut: it ends before" <(head -n 2 lines) --resume
truncate -s 200 x.part
refused "a part that was cut" "the part of 'x' has 200 bytes, and" lines --resume
truncate -s 200 x.part
refused "a part that was cut: what to do" "were written: start over with --restart" lines --resume
printf 'edit' | dd of=x.part bs=1 seek=300 conv=notrunc 2>/dev/null
refused "a part that was edited" "a part of the output is not what was written" lines --resume
echo "more than the journal knows" >>x.part
goes_on "a part that is longer"
goes_on "from a pipe" < <(cat lines)
head -n 3 lines >1.txt
tail -n +4 lines >2.txt
again --resume 1.txt 2.txt
check "in two files: as in one piece" cmp whole x
restore
again --resume 2.txt 1.txt
ends "in two files, in another order" 1 "is another input: give the same one"
restore
for other in '{"mine": 1}' '{"mine": 1' ""; do
    echo "$other" >x.journal
    again --resume <lines
    ends "another's file by that name, '$other'" 1 "'x.journal' is not a journal of encode"
    check "it is left alone" [ "$(cat x.journal)" = "$other" ]
    restore
done
rm x.journal
ln -s /dev/zero x.journal
again --resume <lines
ends "a device by that name" 1 "'x.journal' is not a journal of encode"
restore

# Bytes that no journal counts are dropped by --restart alone.
for way in "" --resume; do
    rm x.journal
    again $way <lines
    ends "no journal, and a part $way" 1 "no journal describes them: move them away, or start over with --restart"
    check "it stays" cmp x.part kept/x.part
    restore
done
rm x.journal
again --restart <lines
check "then --restart: exit code $code" [ "$code" = 0 ]
check "then --restart: as in one piece" cmp whole x
rm -f x x.*
: >x.part
goes_on "a part without a byte is none"
rm x.part
again --resume <lines
ends "its parts are gone" 0 "'x' starts over: the run before it has left no part"
check "that is all of it" cmp whole x
restore

sed -i -E 's/"encode": "[^"]*"/"encode": "0.0.1"/' x.journal
again --resume <lines
ends "a journal of another version" 1 "it is by encode 0.0.1, and this is"
restore

again --restart <lines
check "--restart: exit code $code" [ "$code" = 0 ]
check "--restart: as in one piece" cmp whole x
check "--restart leaves nothing" [ ! -e x.journal ] && [ ! -e x.part ]

# ---- What ends a run, and where it can be resumed ----

restore
(
    ulimit -f $(($(stat -c %s x.part) / 1024 + 20))
    again --resume <lines
    ends "a full disk" 1 "cannot write to 'x': File too large"
    ends "a full disk" 1 "lines of the input: continue with --resume"
    [ $n_failed = 0 ]
)
check "a full disk" [ $? = 0 ]
goes_on "after a full disk"

# Where the next journal cannot be written, the one before is right.
mkdir .encode-x.journal.new
again --resume <lines
ends "no room for the journal" 1 "'x.journal'"
rmdir .encode-x.journal.new
goes_on "after that"

begin_run x -p mean -f npy --on-long truncate
kill -TERM $pid
wait $pid
check "SIGTERM: exit code" [ $? = 143 ]
check "SIGTERM: what is kept is said" grep -qE "'x.part' has the first [0-9]+ lines of the input: continue with --resume\$" err.run
exec 3>&-
again --resume <lines
check "after SIGTERM" cmp whole x

begin_run x -p mean -f npy --on-long truncate
head -c 70000000 /dev/zero | tr '\0' x >&3
exec 3>&-
wait $pid
check "a text that ends the run" [ $? = 1 ]
check "what goes on without it" grep -q -- "continue with --resume, and --on-error skip to leave such a text out" err.run

rm -rf x*
{
    sed -n 1,300p lines | cut -d' ' -f 1-50
    yes bike | head -n 100 | tr '\n' ' '
    sed -n '301,$p' lines
} >long
run "${encode[@]}" -p mean -f npy --on-long skip -o x --resume <long
check "--resume without a journal starts over" [ "$code" = 0 ]

begin_run x -p mean -f npy --on-long truncate
mkdir x
exec 3>&-
wait $pid
check "a folder came into the output's place" [ $? = 1 ]
rmdir x
again --resume < <(head -n 1 lines)
ends "a run that ended before its last name" 0 "'x' was complete and has been moved into place"
check "it is in its place" [ -s x ]
check "nothing else is left" [ ! -e x.journal ] && [ ! -e x.part ]

# ---- Stopped in the middle of a line ----

cpu_ticks() { # PID: processor time, in hundredths of a second
    awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null || echo 1000000
}

# Line $n_given + 1 is one of many windows, which take seconds. The signal comes when the program has read it and
# has used a fifth of a second for it.
stopped_in_a_line() { # WHAT
    local begun
    {
        head -n $n_given lines
        yes "I ride bike, you house red big" | head -n $((10 * ${KILL_LINES:-6000})) | tr '\n' ' '
        printf '\na dog\n'
    } >long
    tail -n +$((n_given + 1)) long >&3
    begun=$(cpu_ticks $pid)
    until [ "$(cpu_ticks $pid)" -ge $((begun + 20)) ]; do sleep 0.01; done
    kill -TERM $pid
    wait $pid
    check "$1: exit code" [ $? = 143 ]
    exec 3>&-
    check "$1: the line is not done" grep -qE "'x.part' has the first $n_given lines? of the input: continue with --resume\$" err.run
    check "$1: nothing else is said" [ "$(wc -l <err.run)" = 1 ]
    check "$1: the line is not skipped" [ ! -s x.left-out.jsonl.part ]
    run "${encode[@]}" "${chunks[@]}" -o x --resume <long
    check "$1: --resume" [ "$code" = 0 ]
    run "${encode[@]}" "${chunks[@]}" -o whole <long
    check "$1: as in one piece" [ "$(sum whole)" = "$(sum x)" ]
    rm -rf x* whole*
}

chunks=(-p mean -f npy --on-long chunk --on-error skip)
begin_run x "${chunks[@]}"
stopped_in_a_line "SIGTERM in a line"
rm -f input
mkfifo input
"${encode[@]}" "${chunks[@]}" -o x <input 2>err.run &
pid=$! n_given=20
exec 3>input
head -n $n_given lines >&3
await_handler $pid
busy "before a journal" x -f npy
busy "before a journal, of a text" x "I ride bike"
stopped_in_a_line "SIGTERM in a line, before a journal"

# ---- What has no journal ----

run "${encode[@]}" -f npy -o - --resume <lines
ends "--resume of stdout" 2 "--resume requires --output"
run "${encode[@]}" -f npy --resume <lines
ends "--resume without -o" 2 "--resume requires --output"
run "${encode[@]}" -f npy -o x --resume "I ride bike"
ends "--resume of arguments" 2 "--resume cannot be combined with TEXT"
run "${encode[@]}" -f npz -p sparse -o x --resume <lines
ends "--resume of npz" 2 "--resume cannot be combined with --format npz"
run "${encode[@]}" --rank "a dog" -o x --resume <lines
ends "--resume of ranks" 2 "--resume cannot be combined with --rank"
run "${encode[@]}" -o x --resume --restart <lines
ends "both" 2 "--resume cannot be combined with --restart"
run "${encode[@]}" -p mean -f json --on-long truncate -o /dev/null <lines
check "a device is written to, and has no journal" [ "$code" = 0 ]

rm -f input
mkfifo input
"${encode[@]}" -p mean -f json -o /dev/null <input 2>err &
exec 3>input
echo "a dog" >&3
await_handler $!
kill -TERM $!
wait $!
check "a device: SIGTERM" [ $? = 143 ]
exec 3>&-

# ---- Skipped texts ----

printf '"a dog"\n{"text": 7}\n\n"%s"\n["the", "house"]\n{"ids": [5, 999999]}\n\n' \
    "$(yes bike | head -n 100 | tr '\n' ' ')" >some.jsonl
run "${encode[@]}" --input jsonl -p mean -f npy --on-long error --on-error skip -o some --report why <some.jsonl
ends "left out" 0 "4 of 6 texts were left out: see why"
check "each with its line" [ "$(grep -oE '"line": [0-9]+' why | tr '\n' ' ')" = '"line": 2 "line": 3 "line": 4 "line": 6 ' ]
check "each with its reason" [ "$(grep -c '"reason": ' why)" = 4 ]
check "rows name their lines" grep -q '{"row": 1, "line": 5}' some.rows.jsonl
run "${encode[@]}" -p mean -f json --on-error skip < <(echo a; head -c 70000000 /dev/zero | tr '\0' x; echo; echo dog)
ends "a line that is too long to be read" 0 "left out: line 2 of stdin is longer than 64 MiB"
check "those round it" [ "$(grep -cE '"text": "(a|dog)"' out)" = 2 ]
skips=("${encode[@]}" --input jsonl -p mean -f npy --on-long error --on-error skip -o some)
run "${skips[@]}" --report ./some <some.jsonl
ends "a report that is the output" 2 "'some' is written already: name another file"
run "${skips[@]}" --report "../${PWD##*/}/some.rows.jsonl" <some.jsonl
ends "a report that is the rows file" 2 "'some.rows.jsonl' is written already"
run "${skips[@]}" --report some.part <some.jsonl
ends "a report that is the part" 2 "'some.part' is written already"
run "${skips[@]}" --report some.journal <some.jsonl
ends "a report that is the journal" 2 "'some.journal' is written already"
ln -s some linked
run "${skips[@]}" --report linked <some.jsonl
ends "a report that is a link to the output" 2 "'some' is written already"
ln -s /dev/null device
run "${skips[@]}" --report device <<<'"a dog"'
ends "a report that is a device" 1 "cannot write 'device' beside 'some': it is a pipe, a terminal or a device"
check "which stays" [ -c device ]
run "${encode[@]}" --input jsonl -p mean -f csv --on-long skip <<<'["a"]'
ends "--on-long skip is for long texts only" 1 "line 1 of stdin: this array is not two strings"
run "${encode[@]}" -p mean -f csv --on-long skip <<<"$(yes bike | head -n 100 | tr '\n' ' ')"
ends "on stderr without -o" 0 "left out: line 1 of stdin has 100 tokens and the limit is 64"
ends "counted" 0 "1 of 1 text was left out"
finish
