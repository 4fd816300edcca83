#!/usr/bin/env bash
# Runs test suites and prints one line for each, then "N passed, N failed" for all of them. The line ends with the
# seconds that the suite took and, of them, those of processors: the second number is the same on a busy machine.
#
#     tests/run.sh SUITE ...     built cmocka programs and scripts (*.sh); make test gives them all
#
# A script may print a closing line of its own ("3 passed, 0 failed" or "..., 1 skipped"); without one it is
# one test, and exit code 77 skips it. Output is kept in $BUILD/tests/logs and shown if a suite fails.
# BUILD: where the programs are. RUNNER: what runs cmocka programs that were built for another processor.
# TEST_SECONDS: the most that one suite may take. JOBS: how many suites run at the same time; if it is absent, one more
# than there are CPUs, as some wait for a browser, a server or a process that they killed. Suites tagged "long" begin, so that short ones fill up what the last of them leaves of the CPUs;
# those tagged "alone" come last, one after another. $BUILD/tests/logs/skipped names the suites that skipped a test.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/machine/environment.sh
export BUILD=${BUILD:-build}
limit=${TEST_SECONDS:-3600}
# Threads that wait by spinning take the CPU from threads that compute; machines that run tests are busy.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
jobs=${JOBS:-$(($(nproc 2>/dev/null || echo 2) + 1))}
logs=$BUILD/tests/logs
mkdir -p "$logs"
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
trap 'kill $(jobs -rp) 2>/dev/null; exit 130' INT TERM # a suite in the background does not get the terminal's SIGINT

count() { # prints the number in the last line that matches a sed expression
    local number
    number=$(sed -nE "$1" "$log" | tail -n 1)
    echo "${number:-0}"
}

# cmocka ends a group with "[  PASSED  ] 3 test(s)." and the same for FAILED and SKIPPED; 1.1.7 writes "tests: 3".
count_group() { count "s/^\[ *$1 *\] (.*: )?([0-9]+) test.*/\2/p"; }
count_cmocka() {
    passed=$(count_group PASSED) failed=$(count_group FAILED) skipped=$(count_group SKIPPED)
}

count_script() {
    passed=$(count 's/^([0-9]+) passed, [0-9]+ failed.*/\1/p')
    failed=$(count 's/^[0-9]+ passed, ([0-9]+) failed.*/\1/p')
    skipped=$(count 's/^[0-9]+ passed, [0-9]+ failed, ([0-9]+) skipped.*/\1/p')
    if [ $((passed + failed + skipped)) = 0 ]; then
        case $code in
        0) passed=1 ;;
        77) skipped=1 code=0 ;;
        *) failed=1 ;;
        esac
    fi
}

# Prints the suite's line, and adds what it counted to the file of counts. To be run in the background.
run_suite() { # SUITE
    local suite=$1 runner=${RUNNER:-} name kind=cmocka log code passed failed skipped start=$SECONDS remark='' report cpu
    name=${suite#"$BUILD"/}
    name=${name#tests/}
    name=${name/test_/}
    case $suite in
    *.sh) kind=script runner='' name=${name%.sh} ;;
    esac
    log=$logs/${name//\//_}.log
    # shellcheck disable=SC2086
    timeout --kill-after=90 "$limit" $runner "$suite" >"$log" 2>&1 </dev/null &
    # shellcheck disable=SC2064
    trap "kill $!" TERM
    wait $!
    code=$?
    "count_$kind"
    case $code in
    0) ;;
    124 | 137) remark=" (stopped after $limit s)" ;;
    *) remark=" (exit code $code)" ;;
    esac
    times >"$log.times" # of what this shell has waited for, in its second line: 0m1.234s 0m0.567s
    cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 + 0.5 }' "$log.times")
    # A suite that dies before its summary, or says that all is well and fails, has failed.
    if [ $code != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
    if [ $code = 0 ] && [ $((passed + failed + skipped)) = 0 ]; then
        failed=1 remark=" (ran no test)"
    fi
    report=$(
        if [ "$failed" != 0 ]; then # the end, and of what comes before it the lines that say why
            { head -n -60 "$log" | grep -E 'ERROR|LINE|FAILED' | tail -n 20; tail -n 60 "$log"; } | sed 's/^/    /'
            echo "    all of it: $log"
        fi
        printf '%-34s %4d passed %3d failed %3d skipped %4d s %4d cpu%s\n' \
            "$name" "$passed" "$failed" "$skipped" $((SECONDS - start)) "$cpu" "$remark"
        if [ "$skipped" != 0 ]; then # why: what the suite printed, without lines that count
            grep -iE 'skip' "$log" | grep -vE '^\[|SKIPPED TEST|[0-9]+ skipped|skipped=[0-9]' | sort -u | head -n 3 | sed 's/^/    /'
        fi
    )
    {
        flock 9
        echo "$report"
        echo "$passed $failed $skipped $suite" >&9
    } 9>>"$counts"
}

tagged() { # TAG SUITE: a suite's first line has its tags, a script's second
    local source=$2
    [[ $source = *.sh ]] || source=${2#"$BUILD"/}.c
    head -n 2 "$source" 2>/dev/null | grep -qE "^(/\*|#) tags:.* $1( |$)"
}

[ $# != 0 ] || echo 'no suite has that name'
first=() others=() alone=()
for suite in "$@"; do
    if tagged alone "$suite"; then
        alone+=("$suite")
    elif tagged long "$suite"; then
        first+=("$suite")
    else
        others+=("$suite")
    fi
done
for suite in "${first[@]}" "${others[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    run_suite "$suite" &
done
wait
for suite in "${alone[@]}"; do
    run_suite "$suite" &
    wait
done

read -r n_passed n_failed n_skipped < <(awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}' "$counts")
awk '$3 > 0 {print $4}' "$counts" >"$logs/skipped"
if [ "$n_skipped" = 0 ]; then
    echo "$n_passed passed, $n_failed failed"
else
    echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
fi
[ "$n_failed" = 0 ] && [ "$n_passed" != 0 ]
