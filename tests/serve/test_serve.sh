#!/usr/bin/env bash
# tags: threads asan long
# Wrong calls get errors in their client's form; SIGTERM and SIGHUP lose no call.
#
# Guarantee: each route of encode-serve gives the numbers of `encode` under any load.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
[ -x "$programs/encode-serve" ] || {
    echo 'skipped: encode-serve is not built: libmicrohttpd is missing'
    exit 77
}
# The thread that computes, and its team, end with the process.
export TSAN_OPTIONS=${TSAN_OPTIONS:-}:report_thread_leaks=0
PROGRAMS=$programs FOLDER=$folder python3 -B tests/serve/serve.py
