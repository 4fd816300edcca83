#!/usr/bin/env bash
# tools/cluster/submit.sh in a real Slurm: a corpus in eight shards on two nodes, while encode is killed again and again,
# tasks are killed, requeued and told that their time is over, and a node goes down and comes back. What is joined is
# byte for byte what one encode writes.
#
# CLUSTER_ENCODE: another program in the place of encode.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ "${1:-}" = inside ] || exec tests/cluster/with_slurm.sh "$0" inside
. tests/tools/checks.sh
export ENCODE=${CLUSTER_ENCODE:-$programs/encode} RETRY_SECONDS='1 1 2 2 3 3' ENCODE_MODEL=$tree/weights/default.weights
cd "$folder" || exit 1

# As many lines as take one encode ten seconds here, or more, so that each shard is at work for a while.
n_shards=8
awk 'BEGIN { srand(17); for (i = 1; i <= 400000; i++) {
    line = "text " i; for (k = int(rand() * 14); k > 0; k--) line = line " rides the bike"; print line } }' >lines.txt
begin=$(date +%s%N)
head -n 4000 lines.txt | "$ENCODE" -p model -f npy -o one.npy
n_lines=$((4000 * 10000 / (($(date +%s%N) - begin) / 1000000)))
head -n $((n_lines > 30000 ? n_lines : 30000)) lines.txt >corpus.txt
"$ENCODE" -p model -f npy -o one.npy <corpus.txt

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
        ! grep -qzs "^$folder/many.npy\$" "/proc/$pid/cmdline" || echo "$pid"
    done | some)
    [ -n "$pid" ] && kill -KILL "$pid" && n_killed=$((n_killed + 1))
}

kill_task() { # of the first array, which fails by it: so the second one runs
    local task
    task=$(running_tasks | grep "^${first}_" | some) && scancel --signal=KILL --batch "$task"
}

requeue_task() {
    scontrol requeue "$(running_tasks | some)"
}

end_time_of_task() { # as before its time limit: it requeues itself
    scancel --signal=USR1 --batch "$(running_tasks | some)"
}

lose_node() {
    scontrol update NodeName=node2 State=DOWN Reason=test
    sleep 1
    scontrol update NodeName=node2 State=RESUME
}

# ---- All of it ----

run "$tree/tools/cluster/submit.sh" --mem=0 $n_shards "$folder/corpus.txt" -p model -f npy -o "$folder/many.npy"
check 'three jobs are submitted' [ $code = 0 ]
first=$(sed -n 's/^array \([0-9]*\),.*/\1/p' out) join=$(sed -n 's/.*join \([0-9]*\):.*/\1/p' out)

join_has_ended() {
    squeue --noheader --states=all --jobs="$join" --format=%T | grep -qvE 'PENDING|RUNNING|COMPLETING'
}

n_killed=0 n_events=0 begin=$SECONDS
events=(kill_encode lose_node kill_encode requeue_task kill_task kill_encode end_time_of_task kill_encode)
while [ $SECONDS -lt $((begin + 200)) ] && ! join_has_ended; do
    if [ -n "$(running_tasks)" ] && [ $n_events -lt 16 ]; then
        "${events[n_events % ${#events[@]}]}" 2>>err && n_events=$((n_events + 1))
    fi
    start_requeued_soon
    sleep "0.$((RANDOM % 4 + 1))"
done

cat encode-*.log >err 2>/dev/null
join_has_ended || squeue --array
echo "after $((SECONDS - begin)) s: encode was killed $n_killed times; $(grep -c 'NODE FAILURE' err) tasks lost their node;" \
    "$(grep -c 'CANCELLED' err) ended by Slurm"
check 'encode was killed' [ $n_killed -gt 1 ]
check 'and started again' grep -q 'ended with exit code 137' err
check 'tasks lost their node' grep -q 'NODE FAILURE' err
check 'tasks were requeued' grep -q 'JOB REQUEUE' err
check 'the second array left complete shards as they were' grep -q 'is complete' err
check 'the joined file is that of one machine' cmp one.npy many.npy
finish
