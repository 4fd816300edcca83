#!/usr/bin/env bash
# tags: long
# The checks of the tree find their faults: in a copy of the tree each kind of fault is planted, and the check must
# fail and report it; without faults they pass.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
copy=$folder/tree
mkdir "$copy"
cp -r engine model tools tests weights Makefile README.md LICENSE "$copy"

finds() { # CHECK FILE TEXT WORDS: with TEXT appended to FILE, the check fails and prints WORDS
    local file=$copy/$2
    mkdir -p "${file%/*}"
    cp "$file" "$folder/kept" 2>/dev/null
    printf '%b' "$3" >>"$file"
    run "tests/$1" "$copy"
    check "$1 fails: $4" [ $code != 0 ]
    check "$1 says it: $4" grep -qF -- "$4" "$folder/out"
    rm "$file"
    [ ! -e "$folder/kept" ] || mv "$folder/kept" "$file"
}

empty_lines() { yes '\n' | head -n "$1" | tr -d '\n'; }

# ---- Floors and rooms ----
run tests/check_layers.sh "$copy"
check 'the floors of the tree as it is' [ $code = 0 ]

includes() { # FILE HEADER WORDS: a file that includes the header, which is made if it is not there
    local made=
    mkdir -p "$copy/${2%/*}"
    [ -e "$copy/$2" ] || { touch "$copy/$2" && made=$copy/$2; }
    finds check_layers.sh "$1" "#include \"$2\"\n" "$3"
    [ -z "$made" ] || rm "$made"
}
includes model/planted.c engine/engine.h 'model/ may include'
includes engine/planted.c tools/common/planted.h 'engine/ may include'
includes model/kernels/planted.c model/layers/planted.h 'model/kernels/ may include'
includes model/layers/planted.c model/tokenizer/planted.h 'model/layers/ may include'
includes model/tokenizer/planted.c model/layers/planted.h 'model/tokenizer/ may include'
includes model/unicode/planted.c model/tokenizer/planted.h 'model/unicode/ may include'
includes tools/encode.c tools/import/planted.h 'tools/encode/ may include'
includes tools/import/planted.c tools/study/plot/planted.h 'tools/import/ may include'
includes tools/common/planted.c tools/study/new/planted.h 'tools/common/ may include'
includes tools/study/plot/planted.c tools/writer/weight_writer.h 'tools/study/plot/ may include'
includes tools/common/planted.c tools/writer/weight_writer.h 'tools/common/ may include'
includes tools/inspect.c model/config.h 'tools/inspect/ may include'
printf '#include "engine/file/weight_file.h"\n' >"$copy/tools/writer/planted.h"
includes tools/study/new/planted.c tools/writer/planted.h \
    'includes "tools/writer/planted.h", which includes "engine/file/weight_file.h"; tools/study/new/ may include'
rm "$copy/tools/writer/planted.h"
includes tools/stray/planted.c tools/common/planted.h 'tools/stray/ belongs to no program'
finds check_layers.sh model/planted.c '#include "model/planted.h"\n' 'which is not there'
finds check_layers.sh tools/search/planted.c '__asm__(".incbin \\"tools/hosts/serve/page.js\\"");\n' 'tools/search/ may include'
finds check_layers.sh model/planted.c '#include <pthread.h>\n' 'only engine/ schedules'
finds check_layers.sh notes.txt 'x' 'notes.txt does not belong at the top level'

printf '#include "tools/common/one.h"\n' >"$copy/tools/common/two.c"
touch "$copy/tools/common/two.h"
includes tools/common/one.c tools/common/two.h 'include each other'
printf '#include "tools/common/one.h"\n' >"$copy/tools/common/two.h"
includes tools/common/one.h tools/common/two.h 'headers include each other in a circle'
rm "$copy"/tools/common/two.*

# ---- Documents ----
run tests/check_documents.sh "$copy"
check 'the documents of the tree as it is' [ $code = 0 ]
finds check_documents.sh weights/FORMAT.md '[a](nowhere.md)' 'links to nowhere.md, which is not there'
finds check_documents.sh README.md "$(printf '%121s' x)" 'a line of more than 120 characters'
finds check_documents.sh engine/README.md "$(empty_lines 200)" 'engine/README.md: more than 200 lines'
finds check_documents.sh model/README.md '`layers/planted.c`' 'names layers/planted.c, which is not there'
absent=planted_$((1 + 1)) # in no file, this one included
finds check_documents.sh tests/engine/planted.c '/* Guarantee: all. */' 'does not end with what the suites guarantee'
finds check_documents.sh tests/engine/test_planted.c '/* tags: planted */' 'a suite has the tag planted'
finds check_documents.sh tools/README.md "\`$absent\`" "names $absent, which is nowhere in the code"
finds check_documents.sh engine/runtime/machine.c '#include "model/layers/pooling.h"\n' 'is not the house of these includes'
finds check_documents.sh engine/encode.c '#include "tools/common/print/table.h"\n' 'which is above it'

# ---- Sizes ----
run tests/check_size.sh "$copy"
check 'sizes: rooms are listed' grep -qE '^model/layers/ +[0-9]+ files +[0-9]+ lines$' "$folder/out"
finds check_size.sh tests/planted.h "$(empty_lines 701)" 'largest file: tests/planted.h '
for house in library:engine plain:engine/plain ships:tools/encode hosts:tools/hosts/serve study:tools/study/plot tests:tests; do
    most=$(sed -n "s/^most_${house%:*}=\([0-9]*\).*/\1/p" tests/check_size.sh)
    finds check_size.sh "${house#*:}/planted.c" "$(empty_lines $((most + 1)))" "of at most $most  too much"
done
for i in $(seq 25); do touch "$copy/tools/build/man/planted.$i"; done
finds check_size.sh tools/build/man/planted x 'fullest folder: tools/build/man/ '
finish
