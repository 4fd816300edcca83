#!/usr/bin/env bash
# encode --shard and --join: whatever the split and the input, what is joined is what one run writes, byte for byte;
# and parts that are missing, damaged or of another run are refused by name.
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
export LC_ALL=C ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 16 --max-tokens 64 >/dev/null 2>&1
"$programs/encode-new" -o other --width 16 --max-tokens 64 --seed 2 >/dev/null 2>&1
encode=("$programs/encode" --threads 1)

same() { # FILE FILE: and what lies beside them
    local ending
    for ending in "" .rows.jsonl .left-out.jsonl; do
        [ -e "$1$ending" ] || [ -e "$2$ending" ] || continue
        cmp "$1$ending" "$2$ending" || return 1
    done
}

joined() { # INPUT N OPTION...
    local input=$1 n=$2 i
    shift 2
    rm -f one one.* all*
    run "${encode[@]}" "$@" -o one <"$input"
    check "$input in one piece, $*" [ "$code" = 0 ]
    for ((i = n; i >= 1; i--)); do # in any order
        run "${encode[@]}" "$@" -o all --shard "$i/$n" <"$input"
        [ "$code" = 0 ] || check "shard $i/$n of $input, $*" false
    done
    run "${encode[@]}" --join -o all
    check "$input from $n shards, $*" same one all
}

# ---- Inputs ----

awk 'BEGIN { srand(3); split("I ride bike you house red big a the dog", word, " ")
    for (i = 1; i <= 60; i++) { line = "I"; most = i % 9 ? rand() * 20 : 70
        for (k = 1; k < most; k++) line = line " " word[1 + int(rand() * 10)]; print line } }' >lines
awk '{ print NR % 3 ? "{\"_id\": \"d" NR "\", \"text\": \"" $0 "\"}" : "\"" $0 "\"" }' lines >lines.jsonl
: >empty
printf 'one line' >single
printf '\xef\xbb\xbfI ride\nbike\n\xef\xbb\xbfyou\n' >marks
{ printf 'a\n'; yes house | head -n 400 | tr '\n' ' '; printf '\nb\n\n\nthe dog'; } >uneven
sed 's/$/\r/' lines >crlf
printf '"a"\n\n"b"\n{"text": 1}\n\n\n"c"\n\n' >holes.jsonl

long=(--on-long truncate)
for n in 1 3 8 100; do
    joined lines $n -p mean -f npy "${long[@]}"
    joined lines $n -p mean -f json --on-long chunk --stride 2
    joined crlf $n -p cls -f npy --type binary "${long[@]}"
    joined lines.jsonl $n --input jsonl -p mean -f npy --type f16 --on-long skip
done
for input in empty single marks uneven; do
    joined $input 3 -p mean -f npy "${long[@]}"
    joined $input 8 -p mean -f json "${long[@]}"
done
joined lines 3 -p none -f npy --on-long skip
joined lines 5 -p none -f npy --pad-to 20 "${long[@]}"
joined lines 3 -p mean -f npy --type int8 --on-long chunk --stride 3
for ((n = 1; n <= 12; n++)); do
    joined holes.jsonl $n --input jsonl -p mean -f npy --on-error skip
done

# Each place at which a file can be split, as each byte of a small one is the border of two shards once.
for ((n = 2; n <= 26; n++)); do
    joined marks $n -p mean -f json "${long[@]}"
done

# ---- Which shard ----

part=(-p mean -f npy "${long[@]}" -o auto --shard auto)
run env SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_COUNT=3 "${encode[@]}" "${part[@]}" <lines
check "Slurm's second task of three" [ -e auto.2-of-3.done ]
run env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 "${encode[@]}" "${part[@]}" <lines
check "Open MPI's first rank of three" [ -e auto.1-of-3.done ]
run env PMI_RANK=2 PMI_SIZE=3 "${encode[@]}" "${part[@]}" <lines
check "MPICH's last rank of three" [ -e auto.3-of-3.done ]
run env PMI_RANK=3 PMI_SIZE=3 "${encode[@]}" "${part[@]}" <lines
ends "a rank that there is not" 2 "PMI_RANK and PMI_SIZE do not make one of N shards"
run env SLURM_ARRAY_TASK_ID=1 "${encode[@]}" "${part[@]}" <lines
ends "no count" 2 "do not make one of N shards"
run env -u SLURM_ARRAY_TASK_ID -u OMPI_COMM_WORLD_RANK -u PMI_RANK "${encode[@]}" "${part[@]}" <lines
ends "no environment" 2 "neither SLURM_ARRAY_TASK_ID nor OMPI_COMM_WORLD_RANK nor PMI_RANK is set"
for number in 0/3 4/3 3 /3 1/ 1/3/3 -1/3 1/1000001 x; do
    run "${encode[@]}" -f npy -o all --shard $number <lines
    ends "--shard $number" 2 "--shard takes I/N"
done
run "${encode[@]}" -f npy -o all --shard 1/3 < <(cat lines)
ends "a pipe" 1 "--shard takes its lines of a file on stdin: < FILE"
run "${encode[@]}" -f csv -o all --shard 1/3 <lines
ends "csv" 2 "--shard goes with -f npy and -f json"
run "${encode[@]}" -f npy --shard 1/3 <lines
ends "no name" 2 "they go with -o FILE"
run "${encode[@]}" -f npy -o all --shard 1/3 "a text" <lines
ends "a text" 2 "--shard takes lines of a file"

# Runs that share one descriptor have each its own place in the file.
rm -f all*
for i in 1 2 3; do "${encode[@]}" -p mean -f npy "${long[@]}" -o all --shard $i/3 & done <lines 2>err
wait
run "${encode[@]}" -p mean -f npy "${long[@]}" -o one <lines
run "${encode[@]}" --join -o all
check "three at once" same one all
rm all
(
    ulimit -f 3
    run "${encode[@]}" --join -o all
    ends "no room for the whole" 1 "cannot write to 'all': File too large"
    [ $n_failed = 0 ]
)
check "no room for the whole" [ $? = 0 ]
check "then nothing is there" [ ! -e all ]
run "${encode[@]}" --join -o all

# ---- Again ----

options=(-p mean -f npy "${long[@]}" -o all)
touch -d yesterday all.2-of-3
run "${encode[@]}" "${options[@]}" --shard 2/3 <lines
ends "a complete shard" 0 "'all.2-of-3' is complete"
check "it is not made again" [ all.2-of-3 -ot lines ]
run "${encode[@]}" "${options[@]}" --shard 2/3 --normalize <lines
ends "a complete shard of another command" 1 "'all.2-of-3' is complete, but it was begun with no --normalize"
run "${encode[@]}" "${options[@]}" --shard 2/3 <crlf
ends "a complete shard of another input" 1 "is complete, but it is of an input of another length"
tac lines >edited
run "${encode[@]}" "${options[@]}" --shard 2/3 <edited
ends "a complete shard of lines that were edited" 1 "is complete, but its lines of the input are others now"
sed '1s/I/a/' lines >edited
run "${encode[@]}" "${options[@]}" --shard 2/3 <edited
ends "lines of another shard alone were edited" 0 "'all.2-of-3' is complete"
run "${encode[@]}" "${options[@]}" --shard 2/3 --restart <lines
check "--restart makes it again" [ all.2-of-3 -nt lines ]

# Killed, and run again by the same command.
for ((i = 0; i < 1500; i++)); do cat lines; done >many
for _ in 1 2 3 4 5; do # twice the input for a machine that is through before the signal comes
    "${encode[@]}" "${options[@]/all/killed}" --shard 2/3 <many 2>err &
    sleep 0.3
    kill -TERM $! 2>/dev/null
    wait $!
    code=$?
    [ $code = 0 ] || break
    rm -f killed*
    cat many many >more
    mv more many
done
check "SIGTERM: exit code" [ $code = 143 ]
for i in 1 2 3; do
    run "${encode[@]}" "${options[@]/all/killed}" --shard $i/3 <many
done
run "${encode[@]}" --join -o killed
run "${encode[@]}" "${options[@]/all/one}" <many
check "a shard that was killed" same one killed

run "${encode[@]}" -p mean -f npy --on-long error -o long --shard 3/3 <lines
ends "a text that is too long" 1 "of stdin has 70 tokens and the limit is 64"
ends "whose line is the shard's" 1 "lines of 'long.3-of-3' count from byte"

# Shards that were complete before another one wanted --on-long skip, or --on-error skip.
for skipped in 1 2 3; do
    rm -f mixed*
    for i in 1 2 3; do
        skips=(--on-long error)
        [ $i != $skipped ] || skips=(--on-long skip --on-error skip)
        run "${encode[@]}" -p mean -f npy "${skips[@]}" -o mixed --shard $i/3 <marks
    done
    run "${encode[@]}" --join -o mixed
    check "shard $skipped alone skips" [ "$code" = 0 ]
done

# ---- What does not go together ----

run "${encode[@]}" --join -o nothing
ends "no parts" 1 "'nothing' has no complete parts"
cp all.2-of-3.done mark
rm all.2-of-3.done all
run "${encode[@]}" --join -o all
ends "a part is missing" 1 "'all' lacks 1 of 3 shards, which are not complete: 2"
echo '{"torn": ' >all.2-of-3.done
run "${encode[@]}" --join -o all
ends "a mark is torn" 1 "not complete: 2"
cp mark all.2-of-3.done
printf 'edit' | dd of=all.2-of-3 bs=1 seek=300 conv=notrunc 2>/dev/null
run "${encode[@]}" --join -o all
ends "a part is damaged" 1 "'all.2-of-3' is damaged: it is not what its mark says"
truncate -s 100 all.2-of-3
run "${encode[@]}" --join -o all
ends "a part is cut" 1 "'all.2-of-3' is damaged: it ends in its header"
rm all.2-of-3
run "${encode[@]}" --join -o all
ends "a part is gone" 1 "cannot read 'all.2-of-3'"
check "nothing is written" [ ! -e all ]
printf '7\n"dog"\n' >faulty
run "${encode[@]}" -p mean -f npy --input jsonl --on-error skip -o left --shard 1/1 <faulty
echo '{"line": 3}' >>left.1-of-1.left-out.jsonl
run "${encode[@]}" --join -o left
ends "a report is damaged" 1 "remove 'left.1-of-1.done'"
run "${encode[@]}" "${options[@]}" --shard 2/3 --restart -m other <lines
run "${encode[@]}" --join -o all
ends "another model" 1 "shards 1 and 2 of 'all' do not go together: it is of another model"
run "${encode[@]}" "${options[@]}" --shard 2/3 --restart -p cls <lines
run "${encode[@]}" --join -o all
ends "another command" 1 "do not go together: it was begun with --pooling mean, and now there is --pooling cls"
tac lines >reversed
run "${encode[@]}" "${options[@]}" --shard 2/3 --restart <reversed
run "${encode[@]}" --join -o all
ends "another input" 1 "of 'all' are of different inputs"
run "${encode[@]}" "${options[@]}" --shard 1/4 <lines
run "${encode[@]}" --join -o all
ends "two splits" 1 "'all' has parts of"
run "${encode[@]}" --join -o all --shard 1/3 <lines
ends "--join and --shard" 2 "--join makes one file of parts that are there"
run "${encode[@]}" --join
ends "--join of no name" 2 "they go with -o FILE"
finish
