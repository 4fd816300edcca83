#!/usr/bin/env bash
# all.sh BUILD SECONDS: runs every fuzz target of BUILD/fuzz/ for so long, as many at a time as there are CPUs, and
# prints what each did, processor time among it; fails where an input crashed, leaked, took too long or too much
# memory. Corpora are kept in BUILD/fuzz/corpus/ for the next run; they begin with the sound inputs of the suites.
# make fuzz-all runs this.
set -u
build=${1:?all.sh BUILD SECONDS} seconds=${2:?all.sh BUILD SECONDS}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

run() { # TARGET SECONDS: a line of the table
    local name=${1##*/fuzz_} folder=${1%/*} corpus found log begin=$SECONDS
    corpus=$folder/corpus/$name found=$folder/found/$name log=$folder/logs/$name
    mkdir -p "$corpus" "$found" "$folder/logs"
    [ -n "$(ls "$corpus")" ] || FUZZ_CORPUS=$corpus "$(find "$build/tests/fuzz" -name "test_fuzz_$name")" >"$log" 2>&1 || {
        echo "$name failed: test_fuzz_$name did not write the sound inputs: $log"
        return 1
    }
    local TIMEFORMAT='processor seconds: %U %S'
    { time "$1" "$corpus" -max_total_time="$2" -timeout=30 -report_slow_units=10 -rss_limit_mb=2048 -max_len=16384 \
        -artifact_prefix="$found/" -print_final_stats=1; } >"$log" 2>&1
    local code=$?
    printf '%-12s %8d %8.0f %12s %8s %8d\n' "$name" $((SECONDS - begin)) \
        "$(awk '/^processor seconds: / {n = $3 + $4} END {print n}' "$log")" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)" \
        "$(find "$found" -type f ! -name 'slow-unit-*' | wc -l)"
    [ $code = 0 ] || echo "$name failed, exit code $code: $log, inputs in $found/"
    return $code
}
export -f run
export build

printf '%-12s %8s %8s %12s %8s %8s\n' target seconds processor executions edges crashes
printf '%s\0' "$build"/fuzz/fuzz_* |
    xargs -0 -P "$(nproc)" -I{} bash -c '[ ! -x "$1" ] || run "$1" "$2"' - {} "$seconds" || exit 1
