#!/usr/bin/env bash
# tags: long
# A server that gets half requests, bodies of 100 MB, deep JSON, invalid UTF-8, NULs, wrong ids and lengths, and 10,000
# silent connections answers each with an error in the caller's dialect, goes on to answer others, and keeps its memory.
#
# Guarantee: hostile input to encode-serve is answered with an error, and takes nothing from others.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/serve/serve.sh

start_server --timeout 5 --log none
run python3 "$tree/tests/serve/hostile.py" "${url#http://}" "$pid"
grep -vE '^[0-9]+ passed' "$folder/out"
check "all of it was tried: $(tail -n 3 "$folder/err")" grep -qE '^[0-9]+ passed' "$folder/out"
read -r n_right n_wrong < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$folder/out")
n_passed=$((n_passed + n_right)) n_failed=$((n_failed + n_wrong))
kill -TERM "$pid"
wait "$pid"
check "the server ends well: exit code $?" [ $? = 0 ]
check 'and reports nothing' [ "$(wc -l <"$log")" = 1 ]
finish
