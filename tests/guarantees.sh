#!/usr/bin/env bash
# Prints what the suites guarantee: of each, the paragraph "Guarantee: ..." of the comment at its head, as an item of a
# list. tests/README.md ends with this list, and check_documents.sh compares them.
#
#     tests/guarantees.sh [--write]     --write: puts the list into tests/README.md
set -u
cd "$(dirname "$0")" || exit 1
mark='<!-- printed by tests/guarantees.sh -->'
folders=(engine model api tools hosts serve cli quality cluster faults fuzz)

files() {
    for folder in "${folders[@]}"; do
        find "$folder" -name '*.[chps]*' | LC_ALL=C sort
    done
    ls check_*.sh
}

text() { # FILE
    awk -v file="$1" '
        /^(\/\*| \*|#) Guarantee: / {found = 1}
        found && (/^( \*|#)?$/ || file ~ /[.]sh$/ && !/^# / || /^# shellcheck/) {exit}
        found {line = $0; sub(/^(\/\*| \*|#) /, "", line); sub(/ *\*\/$/, "", line); text = text " " line}
        found && /\*\/$/ {exit}
        END {sub(/^ Guarantee: /, "", text); print text}' "$1"
}

list() {
    files | xargs grep -lE '^(/\*| \*|#) Guarantee: ' | while read -r file; do
        echo "- \`$file\`: $(text "$file")" | fmt -w 120 | sed '2,$s/^/  /'
    done
}

if [ "${1:-}" = --write ]; then
    { awk -v mark="$mark" '{print} $0 == mark {exit}' README.md && list; } >README.new && mv README.new README.md
else
    list
fi
