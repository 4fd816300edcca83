#!/usr/bin/env bash
# Encodes a corpus on a Slurm cluster, in shards.
#
#     tools/hosts/cluster/submit.sh [SBATCH-OPTION ...] SHARDS INPUT OUTPUT ENCODE-OPTION ...
#     tools/hosts/cluster/submit.sh --cpus-per-task=16 --time=4:00:00 1000 corpus.txt vectors-%.npy -p model -f npy
#
# OUTPUT is the path of the shards' files: % becomes the number of each. Two jobs: an array of SHARDS tasks, and the same
# array again, which runs only if a task of the first failed for good, and in which complete shards take no time.
# Options of sbatch (written --NAME=VALUE) are those of both. Where both fail, see to the reason (encode-JOB_TASK.log)
# and give the same command again: what is done is kept. ENCODE: the program, also on the nodes (encode).
set -eu
here=$(cd "$(dirname "$0")" && pwd)

sbatch_options=()
while [[ ${1:-} == -* ]]; do
    sbatch_options+=("$1")
    shift
done
[[ $# -ge 3 && $1 =~ ^[1-9][0-9]*$ && $3 == *%* ]] || {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}
shards=$1 output=$3
shift

submit_array() { # SBATCH-OPTION... -- ARGUMENT OF shard.sbatch...
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    sbatch --parsable --array="1-$shards" "${sbatch_options[@]}" "${options[@]}" "$here/shard.sbatch" "$@"
}

first=$(submit_array -- "$@")
again=$(submit_array --dependency="afternotok:$first" --kill-on-invalid-dep=yes -- "$@")
echo "array $first, again $again if a shard fails: squeue --me shows them; then encode-search ${output//%/*} $1"
