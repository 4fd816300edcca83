#!/usr/bin/env bash
# tags: no-coverage long
# The loops of full tiles for aarch64, without such a machine, built by Debian's cross compiler: no vector of the stack
# is in them (gcc 12). llvm-mca, of LLVM 16 or later, counts the cycles of a turn if all loads hit the nearest cache, and
# of multiply-adds of the same kind that wait for nothing: by LLVM 19 the best loop of each kind has 85 % of that peak.
# (Of smmla, others are for a single tile, which brings columns together itself. NEON's bytes without SDOT are left out:
# they take four more instructions for each two that multiply.)
#
#     tests/model/kernels/test_aarch64_loops.sh [PROCESSOR ...]      default: neoverse-n1 neoverse-v1 neoverse-n2
#
# MCA: the llvm-mca to use (default: the newest that is installed). CC, OBJDUMP: of a cross compiler.
set -u
cd "$(dirname "$0")/../../.." || exit 1
mca=${MCA:-$(compgen -c llvm-mca- | grep -E '^llvm-mca-(1[6-9]|[2-9][0-9])$' | sort -t- -k3n | tail -1)}
cc=aarch64-linux-gnu-gcc objdump=aarch64-linux-gnu-objdump
[ $# != 0 ] || set -- neoverse-n1 neoverse-v1 neoverse-n2
if ! command -v $cc >/dev/null || ! command -v $objdump >/dev/null; then
    echo "no $cc or $objdump here: skipped"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s --no-print-directory BUILD=build/aarch64-loops CC=$cc CFLAGS=-O3 \
    build/aarch64-loops/model/kernels/kernels_{neon,neondot,neoni8mm}.o || exit 1
is_judged='' least=0
case $($cc -dumpfullversion) in 12.*) is_judged=yes ;; esac
case $mca in *-19) [ -z "$is_judged" ] || least=85 ;; esac
[ -n "$mca" ] || echo 'no llvm-mca of LLVM 16 or later: cycles are not counted'

cycles() { # PROCESSOR FILE: of a turn
    [ -z "$mca" ] || "$mca" -mtriple=aarch64-linux-gnu -mcpu="$1" -mattr=+dotprod,+i8mm -iterations=200 "$2" 2>&1 |
        awk '/^Total Cycles/ {print $3 / 200; exit}'
}

# Writes loop.N, the innermost loops with at least LEAST of an INSTRUCTION: full tiles, after others their copies.
find_loops() { # SET FUNCTION INSTRUCTION LEAST
    rm -f "$work"/loop.*
    $objdump -d --no-show-raw-insn "build/aarch64-loops/model/kernels/kernels_$1.o" |
        awk -v function_name="$2" -v multiply="$3" -v least="$4" -v path="$work/loop." '
        /^[0-9a-f]+ <.*>:$/ {
            is_tile = $2 ~ "^<" function_name "[.>]"
            delete index_of
            n = last = 0
        }
        is_tile && /^ *[0-9a-f]+:/ {
            at = $1
            sub(":", "", at)
            sub(/^ *[0-9a-f]+:[ \t]*/, "")
            sub(/[ \t]*\/\/.*/, "")
            line[++n] = $0
            index_of[at] = n
            target = $1 ~ /^(b|b\..*)$/ ? $2 : $1 ~ /^cbn?z$/ ? $3 : ""
            if (!(target in index_of))
                next
            n_products = 0
            text = ""
            for (i = index_of[target]; i <= n && last < index_of[target]; i++) {
                n_products += line[i] ~ "^" multiply
                sub(/[0-9a-f]+ <.*>/, "out", line[i])
                text = text line[i] "\n"
            }
            last = n
            if (n_products >= least) {
                file = path (++n_loops)
                printf "%s", text > file
                close(file)
            }
        }'
}

status=0
format='%-12s %-9s %-15s %9s %12s %8s %6s %7s %8s\n'
# shellcheck disable=SC2059
printf "$format" processor set loop products instructions stack moves cycles 'of peak'
while read -r set function instruction least_products operands; do
    find_loops "$set" "$function" "$instruction" "$least_products"
    [ -e "$work/loop.1" ] || { echo "$set: no loop of $function has $least_products $instruction" && status=1; }
    for ((i = 0; i < 24; i++)); do # chains that do not wait: 24 hide any latency
        echo "$instruction v$i${operands//,/, v3}"
    done >"$work/peak"
    declare -A best=() printed=()
    for loop in "$work"/loop.*; do
        [ -e "$loop" ] || continue
        n=$(grep -c "^$instruction" "$loop")
        n_stack=$(grep -cE '^(ld|st)[a-z0-9]*[[:space:]]+[qdv{].*\[(sp|x29)' "$loop")
        n_moves=$(grep -cE '^mov[[:space:]]+v[0-9]+\.16b' "$loop")
        if [ "$n_stack" != 0 ] && [ -n "$is_judged" ]; then
            echo "$set: a loop of $function has $n_stack vectors of the stack" && status=1
        fi
        for processor; do
            turn=$(cycles "$processor" "$loop") peak=$(cycles "$processor" "$work/peak")
            share=$(awk -v n="$n" -v turn="${turn:-0}" -v peak="${peak:-0}" \
                'BEGIN { printf "%.0f", (turn > 0 ? 100 * n * peak / 24 / turn : 0) }')
            # shellcheck disable=SC2059
            row=$(printf "$format" "$processor" "$set" "$function" "$n" "$(wc -l <"$loop")" "$n_stack" "$n_moves" \
                "${turn:--}" "$share %")
            [ -n "${printed[$row]:-}" ] || echo "$row"
            printed[$row]=yes
            [ "$share" -le "${best[$processor]:-0}" ] || best[$processor]=$share
        done
    done
    for processor; do
        [ "${best[$processor]:-0}" -ge $least ] && continue
        echo "$set, $processor: the best loop of $function reaches ${best[$processor]:-0} % of the peak" && status=1
    done
done <<'END'
neon tile_of_rows fmla 96 .4s,0.4s,1.4s
neon mix fmla 24 .4s,0.4s,1.4s
neon panel_products fmla 24 .4s,0.4s,1.4s
neondot product_int8(_neondot)? sdot 96 .4s,0.16b,1.16b
neoni8mm product_int8(_neoni8mm)? smmla 48 .4s,0.16b,1.16b
END
exit $status
