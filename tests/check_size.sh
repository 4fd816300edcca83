#!/usr/bin/env bash
# How large the tree is: lines of C in each room, of the largest file, and files in the fullest folder; fails above
# the limits. make size runs it for its table.
#
#     tests/check_size.sh [ROOT]     ROOT: the tree to measure, this one if absent
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
most_lines=700 most_files=25
# Budgets of lines of C. They go down: a commit that makes a house shorter lowers its budget. A capability that was
# asked for with a number of lines raises one by that number at most, once, and what it leaves over is taken back.
most_library=22472
most_plain=2327
most_ships=26690 # what encodes, searches, imports, and what these share
most_hosts=4290 # the server, databases
most_study=6085 # to learn and to measure, with what the lesson calls
most_tests=38065

# Tracked files; of a copy without git all but what is built.
files() {
    git ls-files --cached --others --exclude-standard --deduplicate 2>/dev/null | grep . || find . -path ./build -prune -o -type f -printf '%P\n'
}

# "LINES FILE" of each C file.
c_lines() {
    files | grep -E '\.[ch]$' | while read -r file; do
        [ ! -f "$file" ] || printf '%s\0' "$file"
    done | xargs -0 wc -l | awk '$2 != "total"'
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

awk '{ n = split($2, part, "/"); room = n > 2 ? part[1] "/" part[2] "/" : part[1] "/"; if (n > 3 && part[2] ~ /^(hosts|study)$/) room = room part[3] "/"; sum[room] += $1; count[room]++ }
    END { for (room in sum) printf "%-28s %4d files %7d lines\n", room, count[room], sum[room] }' <<<"$lines" | sort
echo
limit 'library (model/, engine/ without plain/)' $(($(total 'model/|engine/') - $(total 'engine/plain/'))) $most_library
limit 'engine/plain/' "$(total 'engine/plain/')" $most_plain
limit 'tools that ship' $(($(total tools/) - $(total 'tools/(hosts|study)/'))) $most_ships
limit 'tools/hosts/' "$(total tools/hosts/)" $most_hosts
limit 'tools/study/' "$(total tools/study/)" $most_study
limit 'tests/' "$(total tests/)" $most_tests
printf '%-44s %7d\n' 'median file' "$(sort -n <<<"$lines" | awk '{n[NR] = $1} END {print n[int((NR + 1) / 2)]}')"
while read -r n file; do
    limit "largest file: $file" "$n" $most_lines
done < <(sort -rn <<<"$lines" | awk -v most=$most_lines 'NR == 1 || $1 > most')
while read -r n folder; do
    limit "fullest folder: $folder/" "$n" $most_files
done < <(files | grep / | sed 's|/[^/]*$||' | sort | uniq -c | sort -rn | awk -v most=$most_files 'NR == 1 || $1 > most')
[ $n_wrong = 0 ]
