#!/usr/bin/env bash
# Runs a command in a Slurm of its own, which ends with it:
#
#     tests/cluster/with_slurm.sh COMMAND...
#     tests/cluster/with_slurm.sh bash         to look around: sinfo, sbatch, squeue
#
# A controller and two nodes of two CPUs, node1 and node2, all on loopback with munge, keys, ports, state and logs of
# their own in a temporary folder; the Slurm of the system, if there is one, is neither read nor touched. No root and
# no systemd is needed. Exit code: the command's; 77, with the reason, where Slurm is not there or does not start.
set -u
. "$(dirname "$0")/../machine/environment.sh"
folder=$(mktemp -d)
daemons=() is_up=

await() { # SECONDS CONDITION...
    local until=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.1
    done
}

no_job_runs() {
    [ -z "$(squeue --noheader --states=running,completing)" ]
}

daemons_ended() {
    ! kill -0 "${daemons[@]}"
}

# Jobs outlive the daemons of their node, so they end first: by Slurm, and what that leaves by their environment.
stop() {
    trap - EXIT
    if [ -n "$is_up" ]; then
        timeout 30 scancel --user="$(id -un)" 2>/dev/null
        await 30 no_job_runs
    fi
    if [ ${#daemons[@]} != 0 ]; then
        kill "${daemons[@]}" 2>/dev/null
        await 30 daemons_ended || kill -KILL "${daemons[@]}" 2>/dev/null
        export -n SLURM_CONF
        grep -lzs "^SLURM_CONF=$SLURM_CONF\$" /proc/[0-9]*/environ | cut -d / -f 3 | xargs -r kill -KILL 2>/dev/null
    fi
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

skip() { # REASON
    echo "skipped: $1"
    exit 77
}

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || skip "no $program here; sh tools/setup.sh cluster installs Slurm"
done

user=$(id -un)
export SLURM_CONF=$folder/slurm.conf

configure() {
    cat <<CONF
ClusterName=encode
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
MailProg=/bin/true
# A node that was set down stays so until it is resumed.
ReturnToService=1
KillWait=2
SchedulerParameters=batch_sched_delay=0,bf_interval=1
# This machine may have fewer CPUs than the two nodes say, and no more memory to tell.
SlurmdParameters=config_overrides
NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2
NodeName=node2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=10
CONF
}

start() { # NAME COMMAND...: with its log in the folder
    local log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 &
    daemons+=($!)
}

both_are_idle() {
    [ "$(sinfo --noheader --Node --format=%T | grep -cx idle)" = 2 ]
}

is_taken() { # somebody had a port first
    grep -qs 'Address already in use' "$folder"/{slurmctld,node1,node2}.log
}

is_decided() {
    both_are_idle || is_taken
}

# Three neighbouring ports below the ports that the system gives to clients. Only binding a port shows that it is free:
# if one is taken, others are tried.
start_slurm() {
    local n_munge=${#daemons[@]} node
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        port=$((20000 + RANDOM % 12000))
        rm -rf "$folder/state"
        mkdir "$folder/state"
        configure >"$SLURM_CONF"
        start slurmctld slurmctld -D -f "$SLURM_CONF"
        for node in node1 node2; do
            start $node slurmd -D -N $node -f "$SLURM_CONF"
        done
        await 120 is_decided
        is_taken || break
        kill -KILL "${daemons[@]:n_munge}" 2>/dev/null
        wait "${daemons[@]:n_munge}" 2>/dev/null
        daemons=("${daemons[@]:0:n_munge}")
    done
    both_are_idle
}

(umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
start munged munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --seed-file="$folder/munge.seed"
await 60 test -S "$folder/munge.socket" || skip "munged does not start: $(tail -n 1 "$folder/munged.log")"
start_slurm || skip "Slurm does not start: $(grep -h error "$folder"/{slurmctld,node1}.log | head -n 2)"
is_up=yes
timeout 600 sbatch --wait --quiet --output=/dev/null --wrap true >/dev/null 2>&1 ||
    skip "Slurm runs no job: $(grep -h error "$folder"/{slurmctld,node1,node2}.log | head -n 2)"

"$@"
code=$?
[ $code = 0 ] || { echo "what the controller said last:" && tail -n 5 "$folder/slurmctld.log"; } >&2
exit $code
