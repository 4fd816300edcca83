#!/usr/bin/env bash
# The three floors and the rooms on them: every include points down, no two modules of a floor include each
# other, and the top level holds the agreed names only.
#
#     tests/check_layers.sh [ROOT]     ROOT: the tree to check, this one if absent
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
n_wrong=0

wrong() {
    echo "$1"
    n_wrong=$((n_wrong + 1))
}

# "FILE INCLUDED" for every quoted include of the files and folders given, and files whose bytes are in a program
# (.incbin). The public headers are installed into one folder, so that one names the others without a folder.
includes() {
    find "$@" -name '*.[ch]' -exec grep -HoE '(^[[:space:]]*#[[:space:]]*include[[:space:]]+"|\.incbin \\")[^"\]+' {} + |
        sed -E 's/:[^"]*"/ /; s|^engine/engine.h (engine_[a-z]+.h)$|engine/engine.h engine/\1|'
}

while read -r file included; do
    [ -f "$included" ] || wrong "$file includes \"$included\", which is not there (paths start at the root)"
done < <(includes engine model tools)

# Includes of FOLDER must match the expression.
allow() { # FOLDER EXPRESSION WORDS
    local file included
    while read -r file included; do
        [[ $included =~ ^$2 ]] || wrong "$file includes \"$included\"; $1/ may include $3"
    done < <(includes "$1")
}

# ---- Floors ----
allow model '(model/|engine/engine_types\.h)' 'model/ and engine/engine_types.h only'
allow engine '(engine|model)/' 'engine/ and model/ only'

# The plain encoder is read alone, and compared with the rest: neither sees the other. In the lesson's page it runs alone.
allow engine/plain 'engine/plain/' 'engine/plain/ only'
allow tools/study/lesson 'engine/plain/' 'engine/plain/ only'
while read -r file included; do
    [[ $file == engine/plain/* || $file == tools/study/lesson/* || $included != engine/plain/* ]] ||
        wrong "$file includes \"$included\"; only tests, tools/study/lesson/ and engine/plain/ may"
done < <(includes engine model tools)

# ---- Rooms of the model ----
allow model/unicode 'model/unicode/' 'model/unicode/ only'
allow model/kernels '(model/(kernels/|arena\.h|tensor\.h|config\.h)|engine/engine_types\.h)' 'model/kernels/, model/arena.h, model/tensor.h, model/config.h and engine/engine_types.h only'
allow model/tokenizer '(model/(tokenizer/|unicode/|arena\.h)|engine/engine_types\.h)' 'model/tokenizer/, model/unicode/, model/arena.h and engine/engine_types.h only'
allow model/layers '(model/(layers/|kernels/|[a-z_]+\.h)|engine/engine_types\.h)' 'model/layers/, model/kernels/, the headers of model/ and engine/engine_types.h only'

while read -r header; do
    wrong "$header knows the machine's threads; only engine/ schedules"
done < <(find model -name '*.[ch]' -exec grep -lE '#[[:space:]]*include[[:space:]]+<(omp|pthread|threads|sched)\.h>' {} +)

# ---- Programs: each has NAME.c and NAME/, in tools/, tools/hosts/ or tools/study/, and none sees another's ----
# Includes are followed all the way: a header shows what it includes. tools/writer/ alone sees all of the library.
# The databases' extensions see tools/hosts/sql/ and what is installed, as hosts do.
# import and new fill in struct model_config by its fields, of which they have tables, as files and options name them,
# and choose types of tensors: of model/ they see the two headers that describe these.
while read -r line; do
    wrong "$line"
done < <(includes engine model tools | awk '
    function find(file,    room, may, words, at, n, n_next, i, queue, next_ones, from, chain) {
        room = file
        sub(/^tools\//, "", room)
        match(room, /^((hosts|study)\/)?[^\/.]*/)
        room = substr(room, 1, RLENGTH)
        may = "tools/(" room "|common)/|engine/engine(_[a-z]+)?\\.h"
        words = "tools/" room "/, " (room == "common" ? "" : "tools/common/, ") "engine/engine.h"
        if (room ~ /^hosts\/(sql|sqlite|postgres)$/) {
            may = "tools/(" room "|hosts/sql)/|engine/engine(_[a-z]+)?\\.h"
            words = "tools/" room "/, tools/hosts/sql/, engine/engine.h"
        } else if (room == "writer") {
            may = may "|engine/|model/"
            words = words ", engine/ and model/"
        } else if (room == "import" || room == "study/new") {
            may = may "|tools/writer/|model/(config|tensor)\\.h"
            words = words ", tools/writer/, model/config.h and model/tensor.h"
        } else { # journals have the checksum that weight files have
            may = may "|tools/writer/output_file\\.h|engine/file/crc32c\\.h"
            words = words ", tools/writer/output_file.h and engine/file/crc32c.h"
        }
        queue[n = 1] = file
        from[file] = ""
        for (at = 1; at <= n; at++) {
            n_next = split(to[queue[at]], next_ones, " ")
            for (i = 1; i <= n_next; i++) {
                if (next_ones[i] in from)
                    continue
                from[next_ones[i]] = queue[at]
                queue[++n] = next_ones[i]
                if (next_ones[i] ~ "^(" may ")")
                    continue
                chain = "\"" next_ones[i] "\""
                for (at = queue[at]; at != file; at = from[at]) {
                    chain = "\"" at "\", which includes " chain
                    first[file] = at
                }
                return file " includes " chain "; tools/" room "/ may include " words " only"
            }
        }
        return ""
    }
    { to[$1] = to[$1] " " $2 }
    END {
        for (file in to)
            if (file ~ /^tools\// && file !~ /^tools\/(study\/(peers|lesson)\/|minimal\.c)/ && (message = find(file)) != "")
                found[file] = message
        for (file in found) # faults of a header are printed once
            if (!(first[file] in found))
                print found[file]
    }' | sort)
while read -r folder; do
    [ -f "$folder.c" ] || [[ "$folder" =~ ^tools/(common|examples|writer|study/(peers|lesson)|hosts/(sql|sqlite|postgres|musl))$ ]] || wrong "$folder/ belongs to no program: $folder.c is not there"
done < <(find tools -mindepth 2 -name '*.[ch]' | grep -vE '^tools/(hosts|study)/[^/]*$' | sed -E 's;^(tools/((hosts|study)/)?[^/]*)/.*;\1;' | sort -u)

# ---- Words are for people: what failed is in the members of engine_error ----
while read -r line; do
    wrong "$line: compares a message; use the status, reason and input of engine_error"
done < <(grep -rnE '(sscanf|strto[a-z]+|str[a-z]*(cmp|str|chr|spn|pbrk)|memcmp|memmem|fnmatch|regexec)\([^;]*(message|cause)\b' engine tools --include='*.[ch]' | cut -d: -f1,2)

# ---- Circles ----
circle=$(includes engine model tools | grep -E '^[^ ]+\.h ' | tsort 2>&1 >/dev/null | grep '\.h$' | sed 's/^tsort: //')
[ -z "$circle" ] || wrong "headers include each other in a circle: ${circle//$'\n'/ }"

# A module is NAME.c with NAME.h. Of the kernels, kernels.c includes every part, each a header that knows kernels.h.
while read -r one other; do
    wrong "$one and $other include each other: one of them knows too much"
done < <(includes engine model tools | grep -v '^model/kernels/' | sed 's/\.[ch]//g' |
    awk '$1 != $2 { if (($2, $1) in seen) { if (!(($1, $2) in told)) print $1, $2; told[$1, $2] = 1 } seen[$1, $2] = 1 }')

# ---- The top level ----
for name in *; do
    case $name in
    engine | model | tools | tests | weights | Makefile | README.md | LICENSE | build) ;;
    *) git check-ignore -q "$name" 2>/dev/null || wrong "$name does not belong at the top level" ;;
    esac
done

[ $n_wrong = 0 ]
