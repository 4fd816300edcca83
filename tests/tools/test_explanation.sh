#!/usr/bin/env bash
# encode-compare explain and encode-search --explain against NumPy: the shares of words, by the rows of all tokens in
# float64, and their sums beside the cosines that the programs print.
#
# Guarantee: explained shares of words are exact and add up to the score.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo 'skipped: NumPy is not here'
    exit 77
fi
cd "$folder" || exit 1
export ENCODE_MODEL=$tree/weights/default.weights

# Words are pieces that touch inside a word; the rows of texts are those of encode -p none.
cat >explain.py <<'END'
import json, subprocess, sys
import numpy as np
programs, pooling, dimensions, prompt, special, a, b = sys.argv[1:]
prompts = ["--prompt-text", prompt] if prompt else []
specials = [] if special == "yes" else ["--no-special"]
def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
def parts(text):
    found = json.loads(run(programs + "/encode", "-p", "none", "-f", "json", *prompts, *specials, "--", text))
    rows = np.array(found["vectors"], dtype=np.float64)
    n = len(rows)
    weights = {"mean": np.full(n, 1 / n), "mean_sqrt": np.full(n, n ** -0.5),
               "weighted_mean": np.arange(1, n + 1) * 2 / (n * (n + 1))}[pooling]
    words, before, sums = [], None, []
    for token, row, weight in zip(found["tokens"], rows, weights):
        begin, end = token["span"]
        joins = before and not token["special"] and begin == before and begin > 0
        full = (prompt + text).encode()
        if joins and full[begin - 1:begin + 1].isalnum():
            sums[-1] = sums[-1] + weight * row
        else:
            sums.append(weight * row)
        before = None if token["special"] else end
    return np.array(sums)
sums = [parts(a), parts(b)]
cut = int(dimensions)
sums = [s[:, :cut] for s in sums]
lengths = [np.linalg.norm(s.sum(0)) for s in sums]
expected = sums[0] @ sums[1].T / (lengths[0] * lengths[1])
options = ["-p", pooling, "--dimensions", dimensions, *prompts, *specials]
got = json.loads(run(programs + "/encode-compare", "explain", "-f", "json", *options, "--", a, b))
shares = np.array(got["shares"])
assert shares.shape == expected.shape, (shares.shape, expected.shape, got["words_a"], got["words_b"])
assert np.abs(shares - expected).max() <= 1e-6, np.abs(shares - expected).max()
cosine = float(run(programs + "/encode-compare", "pairs", *options, "--", a, b))
assert abs(cosine - shares.sum()) <= 1e-6 and abs(cosine - got["similarity"]) <= 1e-6, (cosine, shares.sum())
for name, axis in (("words_a", 1), ("words_b", 0)):
    assert np.abs(np.array([w["share"] for w in got[name]]) - shares.sum(axis)).max() <= 1e-6
if a == b:
    assert abs(cosine - 1) <= 1e-6
END
a='unbelievable cyclists ride, re-ride' b='A cyclist rode to the sea; unbelievably'
for pooling in mean mean_sqrt weighted_mean; do
    for special in yes no; do
        check "$pooling, special tokens $special: shares are those of the rows" \
            "$python" explain.py "$programs" $pooling 256 '' $special "$a" "$b"
    done
    check "$pooling: after a prompt, cut to 40 columns" "$python" explain.py "$programs" $pooling 40 'query: ' yes "$a" "$b"
    check "$pooling: one token, and a text beside itself" "$python" explain.py "$programs" $pooling 256 '' no dog dog
done

# The file's own pooling has projections; those of a random model have biases.
"$programs/encode-new" -o biased.weights --words 'i ride bike dog' --width 16 --layers 1 --projections 2 2>err
cat >sums.py <<'END'
import json, sys
expected = float(sys.argv[1])
got = json.load(open("out"))
total = sum(map(sum, got["shares"]))
assert abs(total - expected) <= 1e-6 and abs(got["similarity"] - expected) <= 1e-6, (total, expected)
names = [word["word"] for word in got["words_a"]]
assert ("(biases)" in names) == (sys.argv[2] == "biases"), names
END
for model in "$ENCODE_MODEL" biased.weights; do
    run "$programs/encode-compare" pairs -m "$model" 'i ride dog' 'bike ride'
    cosine=$(cat out)
    run "$programs/encode-compare" explain -m "$model" -f json 'i ride dog' 'bike ride'
    kind=none
    [ "$model" != biased.weights ] || kind=biases
    check "${model##*/}: its own pooling" "$python" sums.py "$cosine" $kind
done

# Hits: of lines, of windows, with other types of rows, and with words.
printf '%s\n' 'the sea is cold; cyclists ride there' 'bread is baked at night' 'a bike, a ride, a dog' >corpus
"$programs/encode" -p model -f npy -o lines.npy <corpus 2>err
"$programs/encode" -p model -f npy --type f16 -o half.npy <corpus 2>err
"$programs/encode" -p model -f npy --on-long chunk --max-tokens 6 -o windows.npy <corpus 2>err
cat >hits.py <<'END'
import json, sys
tolerance, is_hybrid = float(sys.argv[1]), sys.argv[2] == "hybrid"
lines = open("corpus").read().splitlines()
n = 0
for query in map(json.loads, open("out")):
    for hit in query["hits"]:
        found = hit["explanation"]
        vector = hit["score_by_vector"] if is_hybrid else hit["score"]
        assert abs(found["similarity"] - vector) <= tolerance, (hit, vector)
        assert abs(sum(p["share"] for p in found["pairs"]) + found["others"] - found["similarity"]) <= 1e-6
        for pair in found["pairs"]:
            begin, end = pair["text_span"]
            assert lines[hit["line"] - 1].encode()[begin:end].decode() == pair["text"], pair
            begin, end = pair["query_span"]
            assert query["query"].encode()[begin:end].decode() == pair["query"], pair
        shares = [abs(p["share"]) for p in found["pairs"]]
        assert shares == sorted(shares, reverse=True) and shares
        if is_hybrid:
            total = found["share_of_vectors"] + found["share_of_words"]
            assert abs(total - hit["score"]) <= 1e-5 * max(1, abs(total)), (total, hit)
        n += 1
assert n >= 3, n
END
for case in 'lines 1e-6 plain' 'windows 1e-6 plain' 'half 1e-3 plain' 'lines 1e-6 hybrid'; do
    read -r name tolerance kind <<<"$case"
    hybrid=()
    [ "$kind" = plain ] || hybrid=(--hybrid)
    run "$programs/encode-search" --explain "${hybrid[@]}" -f json --query 'who rides by the sea?' $name.npy corpus
    check "hits of $name, $kind: pairs and others add up to the score" "$python" hits.py $tolerance $kind
done

# A row's span may be beyond its text: of a changed file, it has no words.
for part in npy npy.origin.json npy.rows.jsonl; do cp windows.$part moved.$part; done
sed -i 's/"begin": /&90000000/; s/"end": /&90000000/' moved.npy.rows.jsonl
run "$programs/encode-search" --explain -f json --query 'who rides by the sea?' moved.npy corpus
check 'a span beyond the text has no pair' [ "$code$(grep -c '"pairs": \[\]' out)" = 01 ]

# MaxSim is a sum of best matches, the product of sparse weights one of common words.
"$programs/encode-new" -o lexical.weights --words 'a bike ride dog cat i the' --layers 0 --width 8 --heads 2 \
    --set sparse=linear --set token_vectors=3 2>err
"$programs/encode-new" -o short.weights --words 'a bike ride dog cat i the' --layers 0 --width 8 --heads 2 \
    --set token_vectors=3 --set query_tokens=3 2>err
for kind in sparse:npz:lexical colbert:npy:lexical colbert:npy:short; do # short: its queries are
    model=${kind##*:}.weights kind=${kind%:*}
    "$programs/encode" -m "$model" -p "${kind%:*}" -f "${kind#*:}" -o "matches.${kind#*:}" <corpus 2>err
    run "$programs/encode-search" -m "$model" --explain -f json --query 'a bike ride' "matches.${kind#*:}" corpus
    check "$model, ${kind%:*}: matches add up to the score" "$python" - <<'END'
import json
hits = json.loads(open("out").read())["hits"]
assert hits
for hit in hits:
    found = hit["explanation"]
    assert abs(found["similarity"] - hit["score"]) <= 1e-5 * max(1, abs(hit["score"])), hit
    assert abs(sum(p["share"] for p in found["pairs"]) + found["others"] - found["similarity"]) <= 1e-6
END
done

# What is no sum.
for pooling in cls last max; do
    run "$programs/encode-compare" explain -p $pooling 'a dog' 'a cat'
    ends "explain -p $pooling" 1 'it is no sum over tokens'
    "$programs/encode" -p $pooling -f npy -o other.npy <corpus 2>err
    run "$programs/encode-search" --explain --query dog other.npy corpus
    ends "--explain of -p $pooling" 1 'it is no sum over tokens'
done
"$programs/encode-new" -o tanh.weights --words 'a dog' --width 16 --layers 1 --projections 1 --projection-activation tanh 2>err
run "$programs/encode-compare" explain -m tanh.weights 'a dog' dog
ends 'a projection with an activation' 1 'a projection with an activation'
"$programs/encode-new" -o long.weights --words 'a dog' --width 16 --layers 0 --max-tokens 5000 --position none 2>err
many=$(yes a | head -n 4100 | tr '\n' ' ')
run "$programs/encode-compare" explain -m long.weights "$many" "$many"
ends 'texts with too many pairs of words' 1 'expected at most 16777216'
run "$programs/encode-search" --explain --metric euclidean --query dog lines.npy corpus
ends 'a distance' 1 'Euclidean distance of two vectors is no sum'
run "$programs/encode-search" --explain --query dog lines.npy
ends '--explain without TEXTS' 2 'name TEXTS after VECTORS'
run "$programs/encode-search" --explain -f trec --query dog lines.npy corpus
ends '--explain -f trec' 2 'prints text or json'
finish
