#!/usr/bin/env bash
# Encodes a corpus on a Slurm cluster, in shards, and joins them to one file.
#
#     tools/cluster/submit.sh [SBATCH-OPTION ...] SHARDS INPUT ENCODE-OPTION ... -o FILE
#     tools/cluster/submit.sh --cpus-per-task=16 --time=4:00:00 1000 corpus.txt -p model -f npy -o vectors.npy
#
# Three jobs: an array of SHARDS tasks; the same array again, which runs only if a task of the first failed for good,
# and in which complete shards take no time; and the join, which runs when one of the two is complete. Options of
# sbatch (written --NAME=VALUE) are those of the arrays. Where both fail, see to the reason (encode-JOB_TASK.log) and
# give the same command again: what is done is kept. ENCODE: the program, also on the nodes (encode).
set -eu
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}

sbatch_options=()
while [[ ${1:-} == -* ]]; do
    sbatch_options+=("$1")
    shift
done
[[ $# -ge 2 && $1 =~ ^[1-9][0-9]*$ ]] || usage
shards=$1
shift

OUTPUT=
for ((i = 2; i <= $#; i++)); do
    case ${!i} in
    -o | --output) next=$((i + 1)) && OUTPUT=${!next:-} ;;
    --output=*) OUTPUT=${!i#--output=} ;;
    -o?*) OUTPUT=${!i#-o} ;;
    esac
done
[ -n "$OUTPUT" ] || usage
export OUTPUT # the join is a line of shell on a node, which has the environment of this one

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
# shellcheck disable=SC2016
join=$(sbatch --parsable --job-name=encode-join --output=encode-join-%j.log --kill-on-invalid-dep=yes \
    --dependency="afterok:$first?afterok:$again" --wrap 'exec "${ENCODE:-encode}" --join -o "$OUTPUT"')
echo "array $first, again $again if a shard fails, join $join: squeue --me shows them; then $OUTPUT is there"
