#!/usr/bin/env bash
# tags: long
# Shards of a corpus, made by split -n l/K/N: their rows are byte for byte those of one run, also if a shard is killed
# and resumed; what encode-search finds in them is what it finds in one file, with ids, windows, skipped lines and texts;
# files that are missing, in another order or of another kind are refused; one_array.py makes one file of them.
#
# Guarantee: shards of `split -n l/K/N` have the rows of one run, and encode-search finds in them what it finds in one
# file.
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
export LC_ALL=C ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 16 --max-tokens 64 >/dev/null 2>&1
"$programs/encode-new" -o other --width 16 --max-tokens 64 --seed 2 >/dev/null 2>&1
"$programs/encode-new" -o tokens --layers 1 --width 16 --heads 2 --max-tokens 64 --set token_vectors=8 \
    --set sparse=linear --words "I ride bike you house red big a the dog" >/dev/null 2>&1
search=("$programs/encode-search" --threads 1)

awk 'BEGIN { srand(3); split("I ride bike you house red big a the dog", word, " ")
    for (i = 1; i <= 60; i++) { line = "I"; most = i % 9 ? rand() * 20 : 70
        for (k = 1; k < most; k++) line = line " " word[1 + int(rand() * 10)]; print line } }' >lines
awk '{ print NR % 3 ? "{\"_id\": \"d" NR "\", \"text\": \"" $0 "\"}" : "\"" $0 "\"" }' lines >lines.jsonl
awk 'NR % 7 == 0 { print "7"; next } NR % 20 == 0 { print "" } { print "\"" $0 "\"" } END { print "8\n\n9\n" }' \
    lines >holes.jsonl
sed 's/$/\r/' lines >crlf
printf 'one line' >single
printf 'red house\nI ride\n' >queries

shard() { # INPUT N OPTION...: a file of texts and one of vectors for each shard
    local input=$1 n=$2 i ending=
    shift 2
    [[ $input != *.jsonl ]] || ending=.jsonl
    rm -f one one.* shard*
    run "$programs/encode" --threads 1 "$@" -f npy -o one.npy <"$input"
    check "$input in one piece, $*" [ "$code" = 0 ]
    for ((i = 1; i <= n; i++)); do
        split -n "l/$i/$n" "$input" >"shard-$((1000 + i))$ending"
        run "$programs/encode" --threads 1 "$@" -f npy -o "shard-$((1000 + i)).npy" <"shard-$((1000 + i))$ending"
        [ "$code" = 0 ] || check "shard $i/$n of $input, $*" false
    done
}

are_rows_of() { # ONE SHARD...
    local one=$1
    shift
    cmp <(tail -q -c +129 "$one") <(tail -q -c +129 "$@") # after the header
}

found() { # FILE...: what is found in them, for the options of asked
    run "${search[@]}" "${asked[@]}" "$@" <queries
    [ "$code" = 0 ] || check "search in $*" false
}

same() { # INPUT N OPTION...
    local input=$1 n=$2 texts
    shard "$@"
    check "$input in $n files, ${*:3}: the rows" are_rows_of one.npy shard-????.npy
    for asked in "-p mean -k 7 -f json" "-p mean -k 100 -f tsv" "-p mean -k 5 -f trec" "-p mean -k 3 --metric dot"; do
        read -ra asked <<<"$asked"
        texts=("$input")
        [ "${asked[4]}" != trec ] || texts=()
        found one.npy "${texts[@]}"
        mv out expected
        found shard-????.npy "${texts[@]}"
        check "$input in $n files, ${*:3}, ${asked[*]}" cmp expected out
        [ "${#texts[@]}" = 0 ] || texts=($(printf '%s\n' shard-* | grep -v npy))
        found shard-????.npy "${texts[@]}"
        check "$input in $n files and their texts, ${*:3}, ${asked[*]}" cmp expected out
    done
}

for n in 1 3 8 100; do
    same lines $n -p mean --on-long truncate
    same lines $n -p mean --on-long chunk --stride 2
    same lines.jsonl $n --input jsonl -p mean --type f16 --on-long skip
done
for n in 2 3 4 5 6 7 9; do
    same holes.jsonl $n --input jsonl -p mean --on-long truncate --on-error skip
done
same crlf 5 -p mean --type int8 --on-long truncate
same single 3 -p mean --type binary --on-long truncate

# Each byte of a small file is once where two shards meet; a shard may have no line.
printf '\xef\xbb\xbfI ride\nbike\n\nyou\n' >marks
for ((n = 2; n <= 20; n++)); do
    shard marks $n -p mean
    check "marks in $n files: the rows" are_rows_of one.npy shard-????.npy
done

rm -f ./*.npy*
for kind in 'sparse npz' 'colbert npy'; do
    read -r pooling format <<<"$kind"
    many=(-m tokens -p $pooling --on-long truncate -f $format)
    "$programs/encode" "${many[@]}" -o one.$format <lines 2>err
    for i in 1 2 3; do split -n l/$i/3 lines | "$programs/encode" "${many[@]}" -o $i.$format 2>err; done
    "$programs/encode" "${many[@]}" -o 0.$format </dev/null 2>err
    asked=(-m tokens -f json)
    found one.$format lines
    mv out expected
    found [0123].$format lines
    check "$pooling in four files, of which one has no row" cmp expected out
    "$programs/encode" -m tokens -p $pooling --on-long chunk --max-tokens 8 -f $format -o windows.$format <lines 2>err
    asked=(-m tokens -f tsv -k 60)
    found windows.$format
    check "$pooling: windows hide no text" [ "$(cut -f1,3 out | sort -u | wc -l)" = 120 ]
done

# ---- Tables, of which records count; lines are read as encode read them ----

printf 'n,text\n1,"I\nride"\n2,"the\n\nbig dog"\n' >1.csv
printf 'n,text\n3,a bike\n4,red house\n5,I ride a dog\n' >2.csv
for options in '' '--on-long chunk --max-tokens 2'; do
    for files in 1.csv 2.csv '1.csv 2.csv'; do
        read -ra files <<<"$files"
        run "$programs/encode" -p mean -f npy $options -o "${files[*]}.npy" "${files[@]}"
        check "a table $options" [ "$code" = 0 ]
    done
    asked=(-p mean -f tsv)
    found '1.csv 2.csv.npy'
    mv out expected
    found 1.csv.npy 2.csv.npy
    check 'tables in two files' cmp expected out
done
run "$programs/encode-search" -p mean 1.csv.npy 2.csv.npy 1.csv 2.csv --query dog
ends 'a table as TEXTS' 1 "'1.csv.npy' was encoded from a table"
printf '"I \\u0072ide"\n["a bike", "dog"]\n' >strings
printf '{"text": "a dog"}\n{"text": 1} bike\n' >braces
printf 'ride\n' >query
for file in strings braces; do
    input=text
    [ $file = braces ] || input=jsonl
    run "$programs/encode" -p mean -f npy --input $input -o $file.npy <$file
    run "${search[@]}" -p mean --hybrid -f tsv $file.npy $file --query ride
    check "$file as they were read" [ "$code" = 0 ]
    sort -k3 out | cut -f3,7 >its.$file
done
check 'texts of JSON strings' diff its.strings <(printf '1\tI ride\n2\ta bike\n')
check 'texts that look like JSON' diff its.braces <(sed '=' braces | paste - -)

# ---- A corpus that grows; an array whose name says nothing ----

for part in single queries lines; do
    run "$programs/encode" -p mean -f npy --on-long truncate -o $part.npy <$part
done
mv queries.npy array && mv queries.npy.origin.json array.origin.json
cat <(cat single && echo) queries lines >together
run "$programs/encode" -p mean -f npy --on-long truncate -o together.npy <together
asked=(-p mean -f json -k 9)
found together.npy together
mv out expected
found single.npy single array queries lines.npy lines
check 'vectors and texts by turns' cmp expected out

# ---- A shard that is killed, and one array of all ----

for ((i = 0; i < 300 * ${KILLS:-5}; i++)); do cat lines; done >many
options=(-p mean -f npy --on-long truncate --resume)
for _ in 1 2 3 4 5 6 7 8; do # twice the input for a machine that is through before the signal comes
    rm -f killed*
    split -n l/2/3 many >part
    "$programs/encode" --threads 1 "${options[@]}" -o killed-2 <part 2>err &
    await_handler $!
    kill -TERM $! 2>/dev/null
    wait $!
    code=$?
    [ $code = 0 ] || break
    cat many many >more
    mv more many
done
check 'SIGTERM: exit code' [ $code = 143 ]
run "$programs/encode" --threads 1 "${options[@]}" -o killed <many
for i in 1 2 3; do run "$programs/encode" --threads 1 "${options[@]}" -o killed-$i < <(split -n l/$i/3 many); done
check 'a shard that was killed' are_rows_of killed killed-[123]
run "$programs/encode" --threads 1 "${options[@]}" -o killed-2 <part
ends 'a complete shard' 0 "'killed-2' is complete"
sed '1s/^I/a/' part >edited
run "$programs/encode" --threads 1 "${options[@]}" -o killed-2 <edited
ends 'a shard whose lines were edited' 1 "'killed-2' is complete, but the input is another one: start over with --restart"

python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
    for options in "lines -p mean --type int8 --on-long truncate" "lines -p mean --on-long chunk --stride 2" \
        "lines.jsonl --input jsonl -p mean --on-long skip"; do
        read -ra options <<<"$options"
        shard "${options[0]}" 4 "${options[@]:1}"
        run "$python" "$tree/tools/hosts/cluster/one_array.py" all.npy shard-????.npy
        check "one array of ${options[*]}" are_rows_of one.npy all.npy
        [ ! -e one.npy.rows.jsonl ] || check "${options[*]}: the rows file" cmp one.npy.rows.jsonl all.npy.rows.jsonl
    done
    run "$python" "$tree/tools/hosts/cluster/one_array.py" all.npy [12].csv.npy
    check 'one array of tables: the rows file' cmp '1.csv 2.csv.npy.rows.jsonl' all.npy.rows.jsonl
    first=$(echo shard-????.npy) first=${first%% *}
    cp "$first" kept.npy
    run "$python" "$tree/tools/hosts/cluster/one_array.py" "$first" shard-????.npy
    ends 'one array over a shard' 1 'one of the shards'
    check 'one array over a shard: it is as it was' cmp "$first" kept.npy
else
    echo 'one_array.py not tried: NumPy is not here'
fi

# ---- Files of different runs or models ----

shard lines 3 -p mean --on-long truncate
refused() { # WORDS FILE...
    run "${search[@]}" -p mean "${@:2}" <queries
    ends "${*:2}" 1 "$1"
}
refused 'its bytes differ' shard-1002.npy shard-100[13].npy lines
refused 'its bytes differ' shard-*.npy shard-1002 shard-1001 shard-1003
refused "'lines' has 60 lines, and 'shard-1003.npy' with the files before it was made of" shard-100[13].npy lines
refused "'shard-1002' with the texts before it has" shard-*.npy shard-100[12]
run "${search[@]}" -p mean -f json shard-100[13].npy <queries
check 'without texts any files are searched together' [ "$code" = 0 ]
split -n l/2/3 lines >part
run "$programs/encode" -p mean -f npy --type f16 --on-long truncate -o half.npy <part
refused "'half.npy' has rows of f16, 16 wide, and 'shard-1001.npy' of f32" shard-1001.npy half.npy
run "$programs/encode" -m other -p mean -f npy --on-long truncate -o other.npy <part
refused "'other.npy' was encoded by another model" shard-1001.npy other.npy shard-1003.npy lines
rm shard-1002.npy.origin.json
run "${search[@]}" -p mean shard-*.npy lines <queries
check 'without an origin rows of that file are encoded again' [ "$code" = 0 ]
cp other.npy shard-1002.npy
refused "of 'shard-1002.npy' is not what" shard-*.npy lines
finish
