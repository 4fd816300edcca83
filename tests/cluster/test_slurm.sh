#!/usr/bin/env bash
# tags: no-coverage long
# tools/hosts/cluster/submit.sh in a real Slurm: a corpus in eight shards on two nodes, while encode is killed again and again,
# tasks are killed, requeued and signalled that their time is over, and a node goes down and comes back. The rows of all
# shards are byte for byte the rows that one encode writes.
#
# CLUSTER_ENCODE: another program instead of encode.
#
# Guarantee: a corpus in eight shards under Slurm, with programs, tasks and a node killed, has the rows of one machine
# byte for byte.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ "${1:-}" = inside ] || exec tests/cluster/with_slurm.sh "$0" inside
. tests/tools/checks.sh
export ENCODE=${CLUSTER_ENCODE:-$programs/encode} RETRY_SECONDS='1 1 2 2 3 3' ENCODE_MODEL=$tree/weights/default.weights
cd "$folder" || exit 1
n_shards=8 most_seconds=1500

make_lines() { # N: the first lines of an endless corpus
    awk -v n="$1" 'BEGIN { srand(17); for (i = 1; i <= n; i++) {
        line = "text " i; for (k = int(rand() * 14); k > 0; k--) line = line " rides the bike"; print line } }'
}

# As many lines as take one thread eight seconds of CPU time, so that each shard is at work for a while.
make_lines 4000 >corpus.txt
TIMEFORMAT=%U
seconds=$({ time "$ENCODE" -t 1 -p model -f npy -o one.npy <corpus.txt; } 2>&1 | tail -n 1)
n_lines=$(awk -v seconds="$seconds" 'BEGIN { printf "%d", 4000 * 8 / (seconds + 0.01) }')

# ---- What happens to a task ----

running_tasks() { # "JOB_TASK" of each
    squeue --noheader --array --states=running --format=%i | grep _
}

some() { # one of the lines of stdin
    shuf -n 1
}

# Slurm lets a task that was requeued wait for two minutes. Its node must have heard of its end, or refuses it.
declare -A hurried
start_requeued_soon() {
    local task
    for task in $(squeue --noheader --array --states=pending --format='%i %r' | sed -n 's/ BeginTime$//p'); do
        [ $((SECONDS - ${hurried[$task]:--9})) -gt 8 ] || continue
        scontrol update JobId="$task" StartTime=now+3 && hurried[$task]=$SECONDS
    done
}

kill_encode() {
    local pid
    pid=$(pgrep -x encode | while read -r pid; do
        ! grep -qzs "^$folder/many-.\.npy\$" "/proc/$pid/cmdline" || echo "$pid"
    done | some)
    [ -n "$pid" ] && kill -KILL "$pid" && n_killed=$((n_killed + 1))
}

kill_task() { # of the first array, which fails by it: so the second one runs
    local task
    task=$(running_tasks | grep "^${first}_" | some) && scancel --signal=KILL --batch "$task" && n_failed_tasks=1
}

requeue_task() {
    scontrol requeue "$(running_tasks | some)"
}

end_time_of_task() { # as before its time limit: it requeues itself
    scancel --signal=USR1 --batch "$(running_tasks | some)" && n_ended=1
}

lose_node() {
    scontrol update NodeName=node2 State=DOWN Reason=test
    sleep 1
    scontrol update NodeName=node2 State=RESUME
}

lacks() { # WORDS: no task's log contains them
    ! grep -qsF "$1" encode-*.log
}

# What has not happened to any task yet, one thing at a time.
next_event() {
    if [ $n_killed -lt 2 ] || lacks 'ended with exit code 137'; then
        echo kill_encode
    elif lacks 'NODE FAILURE'; then
        echo lose_node
    elif [ $n_failed_tasks = 0 ]; then
        echo kill_task
    elif lacks 'JOB REQUEUE'; then
        echo requeue_task
    elif [ $n_ended = 0 ]; then
        echo end_time_of_task
    fi
}

# The second array is cancelled where the first has no failed task.
all_has_ended() {
    ! squeue --noheader --states=all --jobs="$first,$again" --format=%T | grep -qE 'PENDING|RUNNING|COMPLETING'
}

# ---- The complete run, with twice the lines if the shards were complete before all had happened ----

everything_happened() {
    [ -z "$(next_event)" ] && ! lacks 'is complete'
}

run_once() {
    local event
    rm -f many-* encode-*.log
    make_lines $n_lines >corpus.txt
    "$ENCODE" -p model -f npy -o one.npy <corpus.txt
    run "$tree/tools/hosts/cluster/submit.sh" --mem=0 $n_shards "$folder/corpus.txt" "$folder/many-%.npy" -p model -f npy
    check 'two jobs are submitted' [ $code = 0 ]
    first=$(sed -n 's/^array \([0-9]*\),.*/\1/p' out) again=$(sed -n 's/.*again \([0-9]*\) if.*/\1/p' out)
    n_killed=0 n_failed_tasks=0 n_ended=0
    until all_has_ended || [ $SECONDS -gt $most_seconds ]; do
        event=$(next_event)
        [ -z "$event" ] || [ -z "$(running_tasks)" ] || "$event" 2>>err
        start_requeued_soon
        sleep "0.$((RANDOM % 4 + 1))"
    done
}

while run_once; ! everything_happened && [ $SECONDS -lt $((most_seconds / 3)) ]; do
    n_lines=$((2 * n_lines))
done

cat encode-*.log >err 2>/dev/null
all_has_ended || squeue --array
echo "after $SECONDS s, with $n_lines lines: encode was killed $n_killed times; $(grep -c 'NODE FAILURE' err) tasks lost" \
    "their node; $(grep -c 'CANCELLED' err) ended by Slurm"
check 'encode was killed' [ $n_killed -gt 1 ]
check 'and started again' grep -q 'ended with exit code 137' err
check 'tasks lost their node' grep -q 'NODE FAILURE' err
check 'tasks were requeued' grep -q 'JOB REQUEUE' err
check 'the second array left complete shards as they were' grep -q 'is complete' err
are_rows_of() { # ONE SHARD...
    local one=$1
    shift
    cmp <(tail -q -c +129 "$one") <(tail -q -c +129 "$@") # after the header
}
check 'there are as many shards' [ "$(ls many-?.npy | wc -l)" = $n_shards ]
check 'their rows are those of one machine' are_rows_of one.npy many-?.npy
check 'no texts of a shard are left' [ "$(ls many-* | grep -c texts)" = 0 ]
run "$programs/encode-search" many-?.npy corpus.txt --query bike
check 'they are of the whole corpus' [ $code = 0 ]
finish
