#!/usr/bin/env bash
# The loops over k of the AVX2 tiles keep their sums in registers: the compiled loops have no vector of the stack.
# Only an optimizing build of x86-64 without sanitizers or coverage has these loops.
set -u
cd "$(dirname "$0")/../../.." || exit 1
object=${BUILD:-build}/model/kernels/kernels_avx2.o
if [ ! -f "$object" ] || ! grep -qE -e '-O[23]' "${BUILD:-build}/flags" || grep -qE 'sanitize|coverage' "${BUILD:-build}/flags"; then
    echo 'no optimized AVX2 kernels in this build: skipped'
    exit 77
fi

# Each loop of tile_of_rows, from a jump back to its target, with 40 multiply-adds or more: 4 steps of 5 or 6 rows.
objdump -d --no-show-raw-insn "$object" | awk '
    /^[0-9a-f]+ <.*>:$/ {
        is_tile = $2 ~ "^<tile_of_rows[.>]" # a copy for constants has a name of its own
        n = 0
    }
    is_tile && /^ *[0-9a-f]+:/ {
        at = $1
        sub(":", "", at)
        line[++n] = $0
        index_of[at] = n
        if ($2 ~ /^j/ && $3 in index_of) {
            multiply_adds = on_stack = 0
            for (i = index_of[$3]; i <= n; i++) {
                multiply_adds += line[i] ~ /vfmadd/
                on_stack += line[i] ~ /\(%[re]sp\).*%ymm|%ymm.*\(%[re]sp\)/
            }
            if (multiply_adds == 40 || multiply_adds == 48) {
                n_loops++
                if (on_stack > 0)
                    printf "the loop at %s has %d multiply-adds and %d vectors of the stack\n", $3, multiply_adds, on_stack
                n_wrong += on_stack > 0
            }
        }
    }
    END {
        printf "%d loops of full tiles\n", n_loops
        exit n_loops < 2 || n_wrong > 0
    }'
