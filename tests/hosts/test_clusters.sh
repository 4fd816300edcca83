#!/usr/bin/env bash
# tags: no-coverage long
# Spark and Ray on workers of this machine, from Parquet to Parquet, while a worker is killed in the middle: the vectors
# are byte for byte those of the command.
#
#     CLUSTER_TEXTS=200000 tests/hosts/test_clusters.sh     more texts, and texts per second beside the command's
#
# Guarantee: vectors by Spark and Ray are the command's, also if a worker is killed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
cd "$folder" || exit 1
n=${CLUSTER_TEXTS:-4000}
sentences "$n" >texts
run "$programs/encode" -p model -f npy -o command.npy <texts
started=$(date +%s%N)
run "$programs/encode" -p model -f npy -o command.npy <texts
awk -v n="$n" -v ns=$(($(date +%s%N) - started)) 'BEGIN { printf "the command: %.0f texts/s\n", n * 1e9 / ns }'
tail -c +129 command.npy >expected

for engine in spark ray; do
    if why=$(no_engine $engine); then
        skip "$why"
        continue
    fi
    run timeout 600 "$python" "$tree/tests/hosts/cluster_job.py" $engine texts vectors "$folder/$engine" "$folder/$engine.flag"
    check "$engine: exit code $code" [ $code = 0 ]
    grep texts/s out
    check "$engine: a worker was killed" [ -f "$folder/$engine.flag" ]
    check "$engine: the command's bytes" cmp expected vectors
done
finish
