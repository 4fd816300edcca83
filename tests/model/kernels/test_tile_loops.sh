#!/usr/bin/env bash
# tags: no-coverage
# The loops over k of the products' full tiles keep their vectors in registers, each in its own: no vector of the
# stack, none moved from register to register but sums that begin as zeros (gcc 12, clang 14). Other compilers may move
# vectors, and spill one a loop: of the int8 tiles of AVX-512, gcc 14 does, and they are as fast (the best of three turns
# on a Xeon with AMX, 128 rows: 285, 287 and 300 GOP/s for three shapes of 7 bits by gcc 14, 279, 281 and 298 by gcc 12;
# 8 bits: 197, 191, 203 and 196, 195, 198). Only optimizing builds for x86-64 without sanitizers or coverage have these
# loops.
set -u
cd "$(dirname "$0")/../../.." || exit 1
build=${BUILD:-build}
kernels=$build/model/kernels/kernels
if [ ! -f "${kernels}_avx2.o" ] || ! grep -qE -e '-O[23]' "$build/flags" ||
    grep -qE 'sanitize|coverage' "$build/flags" || ! command -v objdump >/dev/null; then
    echo 'no optimized x86-64 kernels in this build, or no objdump: skipped'
    exit 77
fi

compiler=$(readelf -p .comment "${kernels}_avx512.o" | grep -oE '(GCC: |clang version ).*')
case $compiler in
'GCC: '*' 12.'* | 'clang version 14.'*) most_stack=0 most_moves=0 ;;
*) most_stack=1 most_moves=1000 ;;
esac
echo "$compiler: at most $most_stack vectors of the stack and $most_moves moves in a loop"

# Reads the innermost loops, from a jump back to its target without another jump back between, of one instruction set.
# Full tiles are loops with at least LEAST of the INSTRUCTIONS that multiply; N of them must be found.
read_loops() { # SET FUNCTIONS INSTRUCTIONS LEAST N [MOVES]
    objdump -d --no-show-raw-insn "${kernels}_$1.o" |
        awk -v set="$1" -v functions="$2" -v multiply="$3" -v least="$4" -v wanted="$5" \
            -v most_stack=$most_stack -v most_moves=$((most_moves + ${6:-0})) '
    /^[0-9a-f]+ <.*>:$/ {
        is_tile = $2 ~ "^<(" functions ")[.>]" # a copy for constants has a name of its own
        delete index_of
        n = last = 0
    }
    is_tile && /^ *[0-9a-f]+:/ {
        at = $1
        sub(":", "", at)
        line[++n] = $0
        index_of[at] = n
        if ($2 ~ /^j/ && $3 in index_of) {
            begin = index_of[$3]
            is_inner = last < begin
            last = n
            n_products = n_stack = n_moves = 0
            for (i = begin; is_inner && i <= n; i++) {
                n_products += line[i] ~ multiply
                n_stack += line[i] ~ /\(%[re]sp\).*%[xyz]mm|%[xyz]mm.*\(%[re]sp\)/
                n_moves += line[i] ~ /vmov[a-z0-9]+ +%[xyz]mm[0-9]+,%[xyz]mm/
            }
            if (n_products >= least) {
                n_loops++
                if (n_stack > most_stack || n_moves > most_moves) {
                    n_wrong++
                    printf "%s: the loop at %s has %d products, %d vectors of the stack and %d moves\n",
                        set, $3, n_products, n_stack, n_moves
                }
            }
        }
    }
    END {
        printf "%-10s %s of %s: %d loops of full tiles\n", set, multiply, functions, n_loops
        exit n_loops < wanted || n_wrong > 0
    }'
}

# At least 5 rows of 5, 6 or 8, 4 steps of k at once: f32, and f16 and bf16, whose weights are floats by then; int8 of
# unsigned bytes has two instructions a step; of signed ones without VNNI a step at once; and the mix of attention.
status=0
read_loops avx2 tile_of_rows vfmadd 40 2 || status=1
read_loops avx512 tile_of_rows vfmadd 60 4 || status=1
read_loops avx2 product_int8 'vpmaddubsw|vpmaddwd' 80 2 || status=1
read_loops avx2 'product_int8|product_of_words' 'vpmaddwd +%' 10 2 || status=1
read_loops avx512 product_int8 'vpmaddubsw|vpmaddwd' 120 4 || status=1
read_loops avx512 'product_int8|product_of_words' 'vpmaddwd +%' 10 4 || status=1
read_loops avxvnni 'product_int8(_avxvnni)?' vpdpbusd 40 2 || status=1
read_loops avx512vnni 'product_int8(_avx512vnni)?' vpdpbusd 60 4 || status=1
read_loops avx512bf16 'sum_block|product_pairs' vdpbf16ps 60 1 32 || status=1
read_loops avx2 mix vfmadd 8 4 || status=1
read_loops avx512 mix vfmadd 14 6 || status=1
read_loops avx2 panel_products vfmadd 12 1 || status=1
read_loops avx512 panel_products vfmadd 24 1 || status=1
exit $status
