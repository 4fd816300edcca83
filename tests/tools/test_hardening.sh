#!/usr/bin/env bash
# tags: no-coverage
# What programs and library carry so that a defect of theirs is harder to exploit: addresses that are resolved
# before main and read-only from then on, addresses that differ from run to run, no executable stack, guarded stack
# frames, calls of the C library that know the sizes of buffers, and marked targets of jumps.
#
# Guarantee: programs and library are hardened: read-only relocations, guarded stacks, fortified calls,
# position-independent programs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
n_wrong=0

carries() { # WORDS FILE EXPRESSION COMMAND...: the command's output about the file has a line like that
    local words=$1 file=$2 expression=$3
    shift 3
    "$@" "$file" 2>/dev/null | grep -qE -e "$expression" && return
    echo "$file: no $words"
    n_wrong=$((n_wrong + 1))
}

for file in "$build"/encode "$build"/encode-* "$build"/minimal "$build"/libengine.so; do
    head -c 2 "$file" | grep -q "^#!" && continue # encode-fetch
    carries 'read-only relocations (-z relro)' "$file" GNU_RELRO readelf -lW
    carries 'binding at the start (-z now)' "$file" 'FLAGS_1.* NOW' readelf -dW
    carries 'stack without code (-z noexecstack)' "$file" 'GNU_STACK.* RW  ' readelf -lW
    carries 'stack protector' "$file" __stack_chk_fail nm -D --undefined-only
    [ "$file" = "$build/libengine.so" ] || carries 'places that differ (-pie)' "$file" 'FLAGS_1.* PIE' readelf -dW
done
grep -qE -e '-O[1-3s]' "$build/flags" && for file in "$build"/encode "$build"/libengine.so; do
    carries 'fortified calls (_FORTIFY_SOURCE)' "$file" '__[a-z]+_chk' nm -D --undefined-only
done

# Of the code that was compiled: a frame of some pages is touched page by page, and calls land on marks.
case $(${CC:-cc} -dumpmachine) in
x86_64-*)
    carries 'frames touched page by page (-fstack-clash-protection)' "$build/engine/file/weight_file.o" \
        '(or|mov)q +\$0x0,\(%rsp\)' objdump -d
    carries 'marked targets of jumps (-fcf-protection)' "$build/engine.o" 'IBT, SHSTK' readelf -nW
    ;;
aarch64-*) carries 'marked targets of jumps (-mbranch-protection)' "$build/engine.o" 'BTI, PAC' readelf -nW ;;
esac
[ $n_wrong = 0 ]
