#!/usr/bin/env bash
# What made a file of vectors: its origin is compared by encode-search and by --resume; without one, rows
# are encoded again.
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
export LC_ALL=C ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 16 --words "I ride bike you house red" >/dev/null 2>&1
"$programs/encode-new" -o other --width 16 --seed 2 --words "I ride bike you house red" >/dev/null 2>&1
printf 'I ride\nyou\nred house\n' >texts
tac texts >turned
found() { # CODE WORDS OPTION...
    local code_expected=$1 words=$2
    shift 2
    run "$programs/encode-search" -p mean "$@" --query bike -f tsv
    check "search $*: exit code $code" [ "$code" = "$code_expected" ]
    [ -z "$words" ] || ends "search $*" "$code_expected" "$words"
}
for type in f32 f16 int8 binary; do
    run "$programs/encode" -p mean -f npy --type $type -o x <texts
    check "$type: an origin" grep -q '"texts": 3' x.origin.json
    found 0 "" x texts
    found 1 "by another model" x texts -m other
    found 1 "with the pooling 'mean'" x texts -p cls
    found 1 "its bytes differ" x turned
    found 0 "" x turned --no-check
    run "$programs/encode" -p mean -f npy --type $type -o x --resume <texts
    ends "--resume of a finished file" 0 "'x' is complete"
    run "$programs/encode" -p mean -f npy --type $type -o x --resume <turned
    ends "--resume with other texts" 1 "start over with --restart"
    run env ENGINE_ISA=portable "$programs/encode" -p mean -f npy --type $type -o x --resume <texts
    [ "$(grep -c portable x.origin.json)" = 1 ] || ends "--resume with other kernels" 1 "kernels"
    rm x.origin.json
    found 0 "" x texts
    found 1 "is not what" x texts -m other
    found 1 "row 0 (counted from 0) of 'x' is not what" x turned
done

# ---- Queries are encoded as the rows were ----

run "$programs/encode" -p mean -f npy --precision bf16 -o x <texts
found 0 "" x texts --precision bf16
cp out as_rows
found 0 "with another --precision" x texts --precision exact
check 'bf16 gives other scores' [ "$(cmp -s out as_rows; echo $?)" = 1 ]
found 0 "" x texts
check 'the precision of the rows is the default' cmp out as_rows
check 'and is not reported' [ ! -s err ]
run "$programs/encode" -p mean -f npy --precision fast -o x <texts
check 'the origin says which precision was fast here' [ "$(grep -c '"precision": "fast"' x.origin.json)" = 0 ]
found 0 "" x texts
check 'which is not reported' [ ! -s err ]
if grep -q avx2 /proc/cpuinfo; then
    run env ENGINE_ISA=avx2 "$programs/encode" -p mean -f npy --precision fast -o x <texts
    found 0 "" x texts --precision exact
    check 'fast is exact where the kernels have no instruction for bf16' [ ! -s err ]
fi
for option in --no-special '--position-base 500' '--position-scale 2' '--embedding-scale 2'; do
    run "$programs/encode" -p mean -f npy $option -o x <texts
    found 1 "'x' was encoded with ${option% *}, and queries cannot be" x texts
    found 0 "" x texts --no-check
done
run "$programs/encode" -p mean -f npy -o x <texts
for damage in '' '{' '[]'; do
    printf '%s' "$damage" >x.origin.json
    found 1 "'x.origin.json' is damaged" x texts
    found 0 "" x texts --no-check
done
for format in text json csv; do
    run "$programs/encode" -p mean -f $format -o z <texts
    check "$format: no origin unless --resume asks for one" [ ! -e z.origin.json ]
    run "$programs/encode" -p mean -f $format -o z --resume <texts
    cp z before
    run "$programs/encode" -p mean -f $format -o z --resume <texts
    ends "$format: --resume of a finished file" 0 "'z' is complete"
    check "$format: the finished file stays" cmp z before
    run "$programs/encode" -p mean -f $format -o z --resume <turned
    ends "$format: --resume with other texts" 1 "start over with --restart"
done
run "$programs/encode" -p mean -f npy -o x -- "I ride" you
check "no checksum of texts that are arguments" [ "$(grep -c input_ x.origin.json)" = 0 ]
printf 'I ride\nyou\n' >two
tac two >turned
found 0 "" x two
found 1 "row 0 (counted from 0) of 'x' is not what" x turned

# ---- Files that are not text ----

refused() { # FORMAT CONVERTER: of the file "packed"
    run "$programs/encode" -p mean --on-error skip <packed
    ends "texts that are $1" 1 "stdin is $1, and texts are UTF-8: convert it first: $2"
    found 1 "'packed' is $1, and texts are UTF-8: convert it with $2" x packed
}
printf '\x1f\x8b\x08\0\0\n\0' >packed && refused gzip zcat
printf '\x28\xb5\x2f\xfd\x04\n' >packed && refused zstd zstdcat
printf '\xfd7zXZ\0\n' >packed && refused xz xzcat
printf 'BZh91AY&SY\xf0\n' >packed && refused bzip2 bzcat
printf 'PK\x03\x04\n\0' >packed && refused ZIP "unzip -p"
printf 'I\0 \0r\0\n\0' >packed && refused UTF-16 "iconv -f UTF-16LE -t UTF-8"
printf '\0I\0 \0\n' >packed && refused UTF-16 "iconv -f UTF-16BE -t UTF-8"
printf '\xff\xfeI\0\n\0' >packed && refused UTF-16 "iconv -f UTF-16 -t UTF-8"
printf '\xfe\xff\0I\0\n' >packed && refused UTF-16 "iconv -f UTF-16 -t UTF-8"
printf '\xff\xfe\0\0I\0\0\0' >packed && refused UTF-32 "iconv -f UTF-32 -t UTF-8"
printf '\0\0\xfe\xff\0\0\0I' >packed && refused UTF-32 "iconv -f UTF-32 -t UTF-8"
for text in "BZh is a name" "BZh91AY&SY is a mark" "PK" "BZh9" "$(printf '\x1f')"; do
    run "$programs/encode" -p mean <<<"$text"
    check "text: $text" [ "$code" = 0 ]
done
finish
