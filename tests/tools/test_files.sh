#!/usr/bin/env bash
# Files that programs write and files that they read: closed descriptors, outputs that are inputs, limits of a
# file's length, sources that vanish. No existing file is damaged, and no incomplete file is left.
# shellcheck disable=SC2016
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
PATH=$programs:$PATH
here() { find . -maxdepth 1 | sort | tr '\n' ' '; } # what is in the folder, with names that begin with a dot

encode-new -o model --words 'cat dog' --layers 1 --width 16 --position learned --max-tokens 20 2>err
encode-new -o other --words 'cat dog' --layers 1 --width 32 --labels a,b 2>err
cp model model.as-was
cp other other.as-was
printf 'cat\ndog\n' >text
printf 'a 1 2\nb 3 4\n' >vectors
printf '1 2 0\n' >ids
for file in text vectors ids; do cp $file $file.as-was; done

# ---- Descriptors that are closed: none of them becomes that of the output ----
for program in "encode -m model -o result cat ''" "encode -m model -f json -o result cat ''" \
    "encode-plot attention -m model -f data -o result cat" 'encode-new -o result --words cat' \
    'encode-import --vectors vectors -o result'; do
    run bash -c "${program//result/expected}"
    check "$program: exit code $code" [ "$code" = 0 ]
    for closed in '2>&-' '1>&-' '0<&-' '0<&- 1>&- 2>&-'; do
        rm -f result
        bash -c "$program $closed" >out 2>err </dev/null
        code=$?
        check "$program $closed: exit code $code" [ "$code" = 0 ]
        check "$program $closed: the same bytes" cmp expected result
    done
done
bash -c 'encode -m model cat 1>&-' 2>err
check 'stdout closed, and wanted' [ $? = 1 ]
check 'stdout closed, and wanted: said' grep -q 'cannot write to stdout' err
bash -c 'encode -m model 0<&-' >out 2>err
check 'stdin closed, and wanted' [ $? = 1 ]
check 'stdin closed, and wanted: said' grep -q 'cannot read line 1 of stdin' err

# ---- Outputs that are inputs, by every way of naming them ----
refused() { # WHAT COMMAND: refused as misuse, with all files as they were
    bash -c "$2" >out 2>err
    code=$?
    ends "$1: $2" 2 'is read'
    for file in model other text vectors ids; do
        check "$2: $file is as it was" cmp "$file" "$file.as-was"
    done
}
ln -s model link
ln model hard
mkdir folder
ln -s ../model folder/link
for output in model ./model link hard folder/link "'$folder/model'" /dev/fd/7; do
    refused 'the model' "encode -m model -o $output cat 7>>model"
    refused 'the model as a link' "encode -m link -o $output cat 7>>model"
done
for stream in '2<>model' '2>>model'; do
    bash -c "encode -m model --max-tokens 1 cat $stream" >out
    check "messages into the model: $stream" [ $? = 2 ]
    check "messages into the model: $stream: it is as it was" cmp model model.as-was
done
refused 'the model in $ENCODE_MODEL' 'ENCODE_MODEL=model encode -o model cat'
refused 'the model on stdin' 'encode -m /dev/stdin -o model cat <model'
refused 'the model and stdout' 'encode -m model cat >>model'
refused 'the model and /dev/stdout' 'encode -m model -o /dev/stdout cat >>model'
refused 'texts' 'encode -m model -p mean -o text <text'
refused 'texts and stdout' 'encode -m model -p mean <text >>text'
refused 'texts, a link' 'ln -sf text tlink; encode -m model -p mean -o tlink <text'
for task in ' --rank=cat' '-compare similarity' '-compare words' ' --tokens' '-compare mask'; do
    refused "$task" "encode$task -m model -o text <text"
done
for picture in attention words layers order; do
    refused "$picture" "encode-plot $picture -m model -f png -o model 'cat dog'"
    refused "$picture, its numbers" "encode-plot $picture -m model -f data -o model 'cat dog'"
done
for picture in words similarity; do
    refused "$picture, its texts" "encode-plot $picture -m model -f text -o text <text"
done
refused 'positions' 'encode-plot position -m model -f svg -o model'
refused 'positions beside' 'encode-plot position -m model --beside other -f svg -o other -n 9'
refused 'their numbers' 'encode-plot position -m model --beside model -f data -o model -n 9'
refused 'encode-new --fit' 'encode-new --fit text -o text'
refused 'encode-new --fit -' 'encode-new --fit - -o text <text'
refused 'encode-new --tokenizer' 'encode-new --tokenizer text -o ./text'
refused 'encode-import --vectors' 'encode-import --vectors vectors -o vectors'
refused 'encode-import --only-words-of' 'encode-import --vectors vectors --only-words-of text -o text'
refused 'encode-import --vectors -' 'encode-import --vectors - -o vectors <vectors'
refused 'encode-import --tokenizer-only' 'encode-import --tokenizer-only text -o text'
refused 'encode-import --dry-run' 'encode-import --vectors vectors --dry-run >>vectors'
encode -m model -p mean -f npy -o vectors.npy cat dog 2>err
printf '{"row": 0, "line": 1}\n{"row": 1, "line": 2}\n' >vectors.npy.rows.jsonl
printf 'cat\ndog\n' >lines
for read in model vectors.npy vectors.npy.rows.jsonl lines; do
    refused "encode-search -o $read" "encode-search -m model -p mean vectors.npy lines --query cat -o $read"
done
refused 'encode-search of stdin' 'encode-search -m model -p mean vectors.npy -o text <text'
refused 'encode-inspect' 'encode-inspect model >>model'
refused 'encode-bench -m' 'encode-bench -m model --workloads lat16 --seconds 0.01 >>model'
refused 'encode-bench --ids' 'encode-bench -m model --ids ids --seconds 0.01 >>ids'
run encode -m model -o new cat
check 'another file is written' [ "$code" = 0 ]
run encode -m model -o new cat
check 'twice' [ "$code" = 0 ]

# ---- A file that would be too long: a message, no signal, nothing left ----
echo old >short
before=$(here)
for program in 'encode -m model -f json -p mean -o short' 'encode -m model -f npy -o absent' 'encode -m model -f json -p mean'; do
    bash -c "ulimit -f 8; yes cat | head -n 20000 | $program" >long 2>err
    code=$?
    check "$program: exit code $code" [ $code = 1 ]
    check "$program: says why" grep -q 'File too large' err
    rm long
    check "$program: nothing is left" [ "$(here)" = "$before" ]
    check "$program: the old file" [ "$(cat short)" = old ]
done
for program in 'encode-new -o short --width 64' 'encode-new -o absent --width 64' \
    'encode-plot position --position sinusoidal -n 1000 -f data -o short'; do
    run bash -c "ulimit -f 8; $program"
    ends "$program" 1 'File too large'
    check "$program: nothing is left" [ "$(here)" = "$before" ]
    check "$program: the old file" [ "$(cat short)" = old ]
done

# ---- A source whose file is removed before its hash is computed ----
mkfifo pipe
(encode-import --vectors pipe --only-words-of text -o made >out 2>err; echo $? >code) &
exec 8>pipe # both are at the pipe, so the texts have been read
rm text
printf 'cat 1 2\ndog 3 4\n' >&8
exec 8>&-
wait
check 'a source is gone: exit code' [ "$(cat code)" = 1 ]
check 'a source is gone: said' grep -q "cannot read 'text': No such file" err
check 'a source is gone: no file' [ ! -e made ]

# ---- Places that are none ----
mkdir place
ln -s nothing dangling
long=$(printf '%0300d' 0)
for output in place place/ dangling "$long" absent/file vectors/file /dev/full ''; do
    run encode -m model -o "$output" cat
    ends "-o '$output'" 1 'cannot'
    run encode-new -o "$output" --words cat
    ends "encode-new -o '$output'" 1 'cannot'
done
check 'nothing came of them' [ ! -e nothing ]
for output in pipe /dev/stdout; do
    bash -c "encode-new -o $output --words cat | cat" >out 2>err </dev/null
    check "a weight file into $output: said" grep -q 'it is a pipe' err
    check "a weight file into $output: nothing" [ ! -s out ]
done

# ---- A file of another user in a folder like /tmp: refused before any text is read ----
mkdir sticky
chmod 1777 sticky
echo kept >sticky/file
chmod 666 sticky/file
chmod a+rx . && chmod a+r model
become=(setpriv --reuid=65534 --regid=65534 --clear-groups)
stranger=("${become[@]}" timeout 300 "$programs/encode" -m model)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && "${become[@]}" test -w "$folder/sticky" 2>err &&
    "${stranger[@]}" cat >out 2>err; then
    mkfifo endless
    run "${stranger[@]}" -p mean -o sticky/file 3<>endless <&3
    ends 'a file of another user' 1 "cannot replace 'sticky/file'"
    check 'a file of another user: as it was' [ "$(cat sticky/file)" = kept ]
    run "${stranger[@]}" -o sticky/own cat
    run "${stranger[@]}" -o sticky/own cat
    check 'a file of one'"'"'s own is replaced' [ $code = 0 ]
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: only root may become another user, with setpriv, where the tree is open to it'
fi
finish
