#!/usr/bin/env bash
# Compiling the library for a big-endian machine fails with an error that says why.
#
# Guarantee: on a big-endian machine the library does not compile.
set -u
cd "$(dirname "$0")/../../.." || exit 1
if output=$(${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ \
    -fsyntax-only engine/file/weight_file.c 2>&1); then
    echo 'weight_file.c compiles for a big-endian machine'
    exit 1
fi
grep -q 'error.*little-endian' <<<"$output" || { echo "$output"; exit 1; }
