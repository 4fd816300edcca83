#!/usr/bin/env bash
# Runs a command where programs with a sanitizer run, and says that it is skipped where they do not:
#
#     tests/machine/with_sanitizer.sh 'gcc -fsanitize=address' make ...
#
# Sanitizers do not find their address ranges if the kernel spreads addresses over more than 28 bits
# (/proc/sys/vm/mmap_rnd_bits; 32 on Ubuntu 24.04): most runs with ThreadSanitizer end with a signal there, some with
# AddressSanitizer. So addresses are not spread, unless the container forbids that.
set -u
compile=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'int main(void) { return 0; }' >"$folder/probe.c"
# shellcheck disable=SC2086 # a compiler with its options
$compile -o "$folder/probe" "$folder/probe.c" || exit

fixed=(setarch "$(uname -m)" -R)
"${fixed[@]}" true 2>/dev/null || fixed=()
runs() { # such programs, each time
    for _ in {1..20}; do "${fixed[@]}" "$folder/probe" 2>"$folder/said" || return; done
}
if runs 2>/dev/null; then
    "${fixed[@]}" "$@"
else
    echo "skipped: programs of '$compile' do not run here: $(head -n 1 "$folder/said")"
    echo '0 passed, 0 failed, 1 skipped'
fi
