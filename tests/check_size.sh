#!/usr/bin/env bash
# How large the tree is: lines of C in each room, of the largest file, and files in the fullest folder; fails above
# the limits. make size runs it for its table.
#
#     tests/check_size.sh [ROOT]     ROOT: the tree to measure, this one if absent
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
most_library=21767 most_lines=450 most_files=25 most_plain=2370
most_tests=44500
# Limits of each program and each room that programs share, tools/NAME.c with tools/NAME/: a commit that makes a room
# shorter lowers its limit, and no commit that breaks a limit raises it. git blame names the commit that granted it. A
# room without a line may have no C. The goal for all of tools/ is 26000.
declare -A most_of=(
    [bench]=1274
    [common]=5027
    [encode]=4645
    [import]=9157
    [inspect]=355
    [minimal]=34
    [new]=614
    [peers]=52
    [plot]=2927
    [postgres]=311
    [search]=2407
    [serve]=1930
    [sql]=272
    [sqlite]=716
    [writer]=2421
)

# Tracked files; of a copy without git all but what is built.
files() {
    git ls-files --cached --others --exclude-standard --deduplicate 2>/dev/null | grep . || find . -name build -prune -o -type f -printf '%P\n'
}

# "LINES FILE" of each C file.
c_lines() {
    files | grep -E '\.[ch]$' | while read -r file; do
        [ ! -f "$file" ] || echo "$(wc -l <"$file") $file"
    done
}

n_wrong=0
limit() { # WHAT IS MOST
    local mark=
    [ "$2" -le "$3" ] || { mark="  too much" n_wrong=$((n_wrong + 1)); }
    printf '%-44s %7d of at most %d%s\n' "$1" "$2" "$3" "$mark"
}

lines=$(c_lines)
total() { # START-EXPRESSION
    awk -v start="^($1)" '$2 ~ start {n += $1} END {print n + 0}' <<<"$lines"
}

awk '{ n = split($2, part, "/"); room = n > 2 ? part[1] "/" part[2] "/" : part[1] "/"; sum[room] += $1; count[room]++ }
    END { for (room in sum) printf "%-28s %4d files %7d lines\n", room, count[room], sum[room] }' <<<"$lines" | sort
echo
limit 'library (model/, engine/ without plain/)' $(($(total 'model/|engine/') - $(total 'engine/plain/'))) $most_library
limit 'engine/plain/' "$(total 'engine/plain/')" $most_plain
for room in $(grep -oE ' tools/[^/.]+' <<<"$lines" | sort -u); do
    limit "$room" "$(total "$room[/.]")" "${most_of[${room#tools/}]:-0}"
done
printf '%-44s %7d\n' 'tools/' "$(total tools/)"
limit 'tests/' "$(total tests/)" $most_tests
while read -r n file; do
    limit "largest file: $file" "$n" $most_lines
done < <(sort -rn <<<"$lines" | awk -v most=$most_lines 'NR == 1 || $1 > most')
while read -r n folder; do
    limit "fullest folder: $folder/" "$n" $most_files
done < <(files | grep / | sed 's|/[^/]*$||' | sort | uniq -c | sort -rn | awk -v most=$most_files 'NR == 1 || $1 > most')
[ $n_wrong = 0 ]
