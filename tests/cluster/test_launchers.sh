#!/usr/bin/env bash
# tags: no-coverage
# The commands of tools/hosts/cluster/README.md with GNU parallel and mpirun: the rows of all shards are byte for byte those
# that one encode writes, and so is what encode-search finds in them. Skips the one that is not installed.
#
# Guarantee: a corpus encoded by GNU parallel and by mpirun has the rows of one machine.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
export PATH=$programs:$PATH HOME=$folder ENCODE_MODEL=$tree/weights/default.weights
# Open MPI runs as root only with two settings, and requires a CPU for each process.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cd "$folder" || exit 1
awk 'BEGIN { for (i = 1; i <= 1000; i++) print "text " i " rides" (i % 7 ? " a bike" : "") }' >corpus.txt
encode -p model -f npy -o one.npy <corpus.txt
encode-search -f json one.npy corpus.txt --query "who rides a bike?" >expected

are_rows_of() { # ONE SHARD...
    local one=$1
    shift
    cmp <(tail -q -c +129 "$one") <(tail -q -c +129 "$@") # after the header
}

command_of() { # PROGRAM: up to the empty line
    awk -v program="$1" '$1 == program { on = 1 } !NF || /^```/ { on = 0 } on' "$tree/tools/hosts/cluster/README.md"
}

skip() { # REASON
    echo "skipped: $1"
    n_skipped=$((n_skipped + 1))
}

try_parallel() { parallel --jobs 1 true ::: 1 2; }
try_mpirun() { mpirun -n 2 --bind-to none true; }

for launcher in parallel mpirun; do
    if ! command -v $launcher >/dev/null; then
        skip "no $launcher here; sh tools/setup.sh cluster installs it"
        continue
    fi
    if ! try_$launcher >out 2>err; then # there are containers in which Open MPI starts nothing
        skip "$launcher does not run here: $(head -n 1 err)"
        continue
    fi
    rm -f vectors-*
    run bash -c "$(command_of $launcher)"
    check "$launcher: exit code $code" [ $code = 0 ]
    check "$launcher: the rows are those of one machine" are_rows_of one.npy vectors-*.npy
    run bash -c "$(command_of encode-search | sed 's/encode-search/& -f json/')"
    check "$launcher: so is what is found" cmp expected out
done
finish
