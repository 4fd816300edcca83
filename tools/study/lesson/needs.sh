#!/bin/sh
# Fails with one line that names the packages of Debian that make lesson needs and that are absent.
set -u
cd "$(dirname "$0")/../../.." || exit 1
# shellcheck disable=SC2086
set -- ${WASM_CC:-clang}
export SETUP=lesson
tools/build/needs.sh 'make lesson' gnuplot=gnuplot-nox "$1=clang" wasm-ld=lld || exit 1
# The other two have no command, and their files are elsewhere in each release.
printf '#include <math.h>\nint main(int n, char **words) { return (int)erf(n) + !words; }' |
    "$@" --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null ||
    tools/build/needs.sh 'make lesson' /wasi-libc=wasi-libc /libclang-rt=libclang-rt-dev-wasm32
