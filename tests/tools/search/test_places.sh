#!/usr/bin/env bash
# Where the rows of vectors come from: the file of rows beside them, and the texts. Each file that is damaged, or of
# another run, is refused in words that name it; optional parts of such files are absent in some cases.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
export ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 16 --pooling mean >/dev/null 2>&1
printf '{"id": "%s", "text": "%s"}\n' a "I ride bike" b "you ride" c "the big dog" >texts.jsonl
"$programs/encode" -p mean --input jsonl -f npy -o whole.npy <texts.jsonl 2>/dev/null
cp whole.npy v.npy

search() { # OPTION...: among v.npy
    run "$programs/encode-search" -p mean --no-check -f tsv --query "I ride bike" v.npy "$@"
}

rows() { # LINE...: of the file of rows
    printf '%s\n' "$@" >v.npy.rows.jsonl
}

search
check "no file of rows" [ "$code" = 0 ]
check "rows are lines" grep -q '^1	1	1	1.0' out
search -o v.npy.origin.json
check "the origin was not written yet" [ "$code" = 0 ]
search -o v.npy.origin.json
ends "nor is it an output once it is there" 2 "'v.npy.origin.json' is read, and cannot be the output"
rm v.npy.origin.json
search texts.jsonl
check "texts without a file of rows" [ "$code" = 0 ]
check "the text of a line" grep -q "I ride bike" out

# ---- The file of rows ----

first='{"row": 0, "line": 1, "id": "a"}' second='{"row": 1, "line": 2, "id": "b"}'
third='{"row": 2, "line": 3, "id": "c"}'
rows "$first" "$second" "$third"
search texts.jsonl
check "a file of rows" [ "$code" = 0 ]
check "the id of a row" grep -q '^1	1	a	1.0' out
for damage in '' 'x' '[2]' '{"row": 2}' '{"row": 2, "line": 0}' '{"row": 2, "line": -3}' '{"row": 2, "line": "3"}' \
    '{"row": -2, "line": 3}' '{"row": 1, "line": 3}' '{"line": 3}'; do
    rows "$first" "$second" "$damage"
    search texts.jsonl
    ends "the last line is '$damage'" 1 "line 3 of 'v.npy.rows.jsonl' is not about row 2 (counted from 0) of 'v.npy'"
done
: >v.npy.rows.jsonl
search
ends "an empty file of rows" 1 "line 3 of 'v.npy.rows.jsonl' is not about row 2 (counted from 0) of 'v.npy'"
rows "$first" "$third" # as many as the last one says, by its own number
search
ends "a line too few" 1 "is not about row"
rows "$first" "$second" "$third" '{"row": 3, "line": 4}'
search
ends "a line too many" 1 "is not about row 2"

# Windows: where the words are; an impossible window is read as the complete text.
rows '{"row": 0, "line": 1, "id": "a", "window": 1, "begin": 2, "end": 6}' "$second" "$third"
search texts.jsonl
check "a window's words" grep -q '	ride$' out
for part in '"begin": 7, "end": 3' '"begin": 99, "end": 99'; do
    rows "{\"row\": 0, \"line\": 1, \"id\": \"a\", $part}" "$second" "$third"
    search texts.jsonl
    check "nothing of the text: $part" grep -q '^1	1	a	1.0	$' out
done
for part in '"begin": -1, "end": 3' '"begin": 0, "end": "x"' '"begin": 0' '"pair": true, "begin": 2, "end": 6'; do
    rows "{\"row\": 0, \"line\": 1, \"id\": \"a\", $part}" "$second" "$third"
    search texts.jsonl
    check "the whole text: $part" grep -q '^1	1	a	1.0	I ride bike$' out
done

# ---- The texts ----

rows "$first" "$second" "$third"
head -n 2 texts.jsonl >fewer.jsonl
search fewer.jsonl
ends "a text too few" 1 "'fewer.jsonl' has 2 lines, and 'v.npy' was made of at least 3"
sed 's/"a"/"z"/' texts.jsonl >others.jsonl
search others.jsonl
ends "another id" 1 "line 1 of 'others.jsonl' has another id than its row in 'v.npy'"
sed '1s/}//' texts.jsonl >broken.jsonl
search broken.jsonl
ends "a text that is no JSON" 1 "line 1 of 'broken.jsonl':"
cp texts.jsonl texts
search texts
check "JSON is seen by the first line" grep -q '^1	1	a	1.0	I ride bike$' out
{ printf '\357\273\277' && cat texts.jsonl; } >marked.jsonl
search marked.jsonl
check "a mark of UTF-8 is no text" grep -q '^1	1	a	1.0	I ride bike$' out
{ cat texts.jsonl && echo; } >more.jsonl
search more.jsonl
check "an empty last line" [ "$code" = 0 ]
rm v.npy.rows.jsonl
search more.jsonl
check "an empty last line, and no file of rows" [ "$code" = 0 ]
search fewer.jsonl
ends "a text too few, and no file of rows" 1 "'fewer.jsonl' has 2 lines, and 'v.npy' was made of 3"
: >v.npy.journal
search
ends "a journal" 0 "'v.npy.journal' exists: a run of encode that writes 'v.npy' is incomplete"
mv v.npy gone.npy
search
ends "a journal without vectors" 1 "a run of encode that writes it is incomplete ('v.npy.journal' exists)"
mv gone.npy v.npy
rm v.npy.journal

# ---- No rows ----

"$programs/encode" -p mean --input jsonl -f npy -o v.npy </dev/null 2>/dev/null
[ -e v.npy ] && {
    rm -f v.npy.rows.jsonl v.npy.origin.json
    search
    check "no rows" [ "$code" = 0 ]
    rows "$first"
    search
    ends "a row of no vectors" 1 "line 1 of 'v.npy.rows.jsonl' is not about row 0 (counted from 0) of 'v.npy'"
}
finish
