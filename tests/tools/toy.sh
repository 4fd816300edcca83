# toy.sh - for suites in Python, sourced after checks.sh: goes to $folder and makes toy.weights there.
command -v python3 >/dev/null || { echo 'skipped: python3 is not there'; exit 77; }
cd "$folder" || exit 1
"$programs/encode-new" -o toy.weights --name Toy --keras --max-tokens 16 --width 8 --heads 2 \
    --words '[PAD] [UNK] i ride bike dog cat 桜 naïve' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' \
    --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1' 2>new.err ||
    { cat new.err; exit 1; }
