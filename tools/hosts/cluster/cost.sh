#!/usr/bin/env bash
# What a corpus costs on machines like this one: encodes its first lines here, and multiplies.
#
#     tools/hosts/cluster/cost.sh [-n TEXTS] [-s LINES] [ENCODE-OPTION ...] < corpus.txt
#     tools/hosts/cluster/cost.sh -n 1000000000 -m minilm.weights -p model < corpus.txt
#
# -n: how many texts there will be (1000000000); -s: how many lines are encoded (20000). ENCODE: the program (encode).
set -eu
encode=${ENCODE:-encode} texts=1000000000 sample=20000
while getopts n:s: option 2>/dev/null; do
    case $option in
    n) texts=$OPTARG ;;
    s) sample=$OPTARG ;;
    *) break ;;
    esac
    shift 2
    OPTIND=1
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

rows() { # TYPE LINES: encodes them, and gives the size of the file
    head -n "$2" "$folder/lines" | "$encode" "${options[@]}" -f npy --type "$1" -o "$folder/$1.npy"
    stat -c %s "$folder/$1.npy"
}

options=("$@")
head -n "$sample" >"$folder/lines"
sample=$(wc -l <"$folder/lines")
[ "$sample" -gt 99 ] || { echo 'cost.sh: at least 100 lines tell how fast it is' >&2; exit 1; }
rows f32 64 >"$folder/warm"
begin=$(date +%s.%N)
rows f32 "$sample" >"$folder/whole"
seconds=$(echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }')

awk -v n="$texts" -v lines="$sample" -v bytes="$(wc -c <"$folder/lines")" -v s="$seconds" -v cpus="$(nproc)" 'BEGIN {
    rate = lines / s
    printf "%d lines of %.0f bytes here, %d CPUs: %.0f texts/s\n", lines, bytes / lines, cpus, rate
    printf "%.0f texts: %.1f hours of such a machine, %.1f CPU hours; ", n, n / rate / 3600, n / rate / 3600 * cpus
    printf "1000 shards of %.1f minutes\n\ntype    bytes a row        all rows\n", n / rate / 1000 / 60 }'
for type in f32 f16 int8 binary; do
    few=$(rows $type 10) more=$(rows $type 90)
    awk -v type=$type -v row=$(((more - few) / 80)) -v n="$texts" 'BEGIN {
        printf "%-6s %12d %12.1f GB\n", type, row, row * n / 1e9 }'
done
