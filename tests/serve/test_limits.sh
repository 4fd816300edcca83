#!/usr/bin/env bash
# tags: long
# Clients that ask for large answers, read none, trickle bytes, hang up, send two requests as one, or come from pages of
# other sites: no client takes the memory, the connections or the turn of others.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
[ -x "$programs/encode-serve" ] || {
    echo 'skipped: encode-serve is not built: libmicrohttpd is missing'
    exit 77
}
PROGRAMS=$programs FOLDER=$folder python3 -B tests/serve/limits.py
