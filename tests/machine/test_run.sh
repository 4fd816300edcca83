#!/usr/bin/env bash
# tests/run.sh counts what suites print: cmocka's words of every release, closing lines of scripts, and exit codes.
# shellcheck disable=SC2317
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
mkdir -p "$folder/build/tests"

counts() { # WHAT LINE CODE NAME: a suite of that name prints standard input and exits with CODE; run.sh ends with LINE
    { echo "#!/bin/sh
cat <<'END'" && cat && echo "END
exit $3"; } >"$folder/build/tests/$4"
    chmod +x "$folder/build/tests/$4"
    run env BUILD="$folder/build" tests/run.sh "$folder/build/tests/$4"
    check "$1: $(tail -n 1 "$folder/out"), expected $2" [ "$(tail -n 1 "$folder/out")" = "$2" ]
}

counts 'cmocka 1.1.5' '4 passed, 0 failed, 2 skipped' 0 test_a <<<'[==========] Running 6 test(s).
[  SKIPPED ] one
[==========] 6 test(s) run.
[  PASSED  ] 4 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] one
[  SKIPPED ] two'
counts 'cmocka 1.1.7' '4 passed, 0 failed, 2 skipped' 0 test_b <<<'[==========] tests: Running 6 test(s).
[  SKIPPED ] one
[==========] tests: 6 test(s) run.
[  PASSED  ] 4 test(s).
[  SKIPPED ] tests: 2 test(s), listed below:
[  SKIPPED ] one
[  SKIPPED ] two

 2 SKIPPED TEST(S)'
counts 'failures of cmocka 1.1.7' '1 passed, 2 failed' 2 test_c <<<'[==========] tests: 3 test(s) run.
[  PASSED  ] 1 test(s).
[  FAILED  ] tests: 2 test(s), listed below:
[  FAILED  ] one
[  FAILED  ] two'
counts 'a suite that ran no test' '0 passed, 1 failed' 0 test_d <<<'[==========] tests: 0 test(s) run.'
counts 'a suite that dies' '0 passed, 1 failed' 139 test_e <<<'[ RUN      ] one'
counts 'a suite that passes its tests and fails' '3 passed, 1 failed' 1 test_f <<<'[  PASSED  ] 3 test(s).'
counts 'a script' '3 passed, 0 failed, 1 skipped' 0 test_g.sh <<<'3 passed, 0 failed, 1 skipped'
counts 'a script without a closing line' '1 passed, 0 failed' 0 test_h.sh <<<'all is well'
counts 'a script that skips' '0 passed, 0 failed, 1 skipped' 77 test_i.sh <<<'skipped: nothing is here'
counts 'a reason far above the end' '0 passed, 1 failed' 1 test_j.sh < <(echo 'ERROR: why' && seq 100)
check 'the reason is shown' grep -q '^    ERROR: why' "$folder/out"
check 'the end is shown' grep -q '^    100$' "$folder/out"
finish
