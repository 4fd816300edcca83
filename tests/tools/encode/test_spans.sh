#!/usr/bin/env bash
# encode --spans against the rows of all tokens: each vector is the mean of its tokens' rows, of one pass over the whole
# text; and the corpus that it writes is searched, resumed and reported like windows of texts.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
python=/usr/bin/python3
cd "$folder" || exit 1
export ENCODE_MODEL=$tree/weights/default.weights

cat >texts.jsonl <<'END'
{"id": "d1", "text": "I ride bike by the unbelievable sea", "spans": [[0, 6], [7, 11], [0, 35], [17, 20], [6, 7], [3, 3]], "year": 1.50}
{"id": "d2", "text": "A naïve café, 桜の花", "pair": "a dog", "spans": [[2, 8], [9, 14], [16, 25]]}
{"id": "d3", "text": "nothing", "spans": []}
{"id": "d4", "text": "dog", "spans": [[0, 3]]}
END
cat >compare.py <<'END'
import json, subprocess, sys
programs, pooling, prompt, normalize = sys.argv[1:]
prompts = ["--prompt-text", prompt] if prompt else []
def run(*command):
    with open("texts.jsonl") as lines:
        out = subprocess.run((programs + "/encode", "--input", "jsonl", "-f", "json", *prompts, *command), stdin=lines,
                             capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]
texts, wholes = [json.loads(line) for line in open("texts.jsonl")], run("-p", "none")
found = iter(run("--spans", "-p", pooling, *(["--normalize"] if normalize == "yes" else [])))
shift = len(prompt.encode())
for text, whole in zip(texts, wholes):
    for k, (begin, end) in enumerate(text["spans"]):
        rows = [row for token, row in zip(whole["tokens"], whole["vectors"])
                if not token["special"] and not token.get("in_pair") and begin < end and token["span"][1] > shift
                and token["span"][0] < end + shift and token["span"][1] > begin + shift]
        n = len(rows)
        weights = {"mean": [1 / n] * n, "mean_sqrt": [n ** -0.5] * n,
                   "weighted_mean": [2 * (t + 1) / (n * (n + 1)) for t in range(n)]}[pooling] if n else []
        mean = [sum(w * x for w, x in zip(weights, column)) for column in zip(*rows)] or [0.0] * 256
        length = sum(x * x for x in mean) ** 0.5
        if normalize == "yes" and n:
            mean = [x / length for x in mean]
        item = next(found)
        assert max(abs(x - y) for x, y in zip(mean, item["vector"])) <= 1e-6 * max(1, length), (text, k)
        assert item["text"].encode() == text["text"].encode()[begin:end], item["text"]
        assert item["window"] == {"index": k, "of": len(text["spans"]), "span": [begin, end]}, item["window"]
        assert item["id"] == text["id"] and "spans" not in item and item.get("year") == text.get("year")
        assert item.get("prompt", "") == prompt
assert next(found, None) is None
END
: >out
for pooling in mean mean_sqrt weighted_mean; do
    check "$pooling: means of the rows" "$python" compare.py "$programs" $pooling '' no 2>err
    check "$pooling: after a prompt, at length 1" "$python" compare.py "$programs" $pooling 'query: ' yes 2>err
done

# Rows of an array are in the order of the spans, and their file has the spans: encode-search finds passages.
run "$programs/encode" --spans --input jsonl -f npy -o spans.npy <texts.jsonl
check 'an array' [ "$code" = 0 ]
run "$programs/encode" --spans --input jsonl -f json <texts.jsonl
cp out all.json
check 'a row for each span, with its bytes' "$python" - <<'END'
import json, struct
spans = [(d["id"], i + 1, k, s) for i, d in enumerate(map(json.loads, open("texts.jsonl")))
         for k, s in enumerate(d["spans"])]
rows = [json.loads(line) for line in open("spans.npy.rows.jsonl")]
assert [(r["id"], r["line"], r["window"], [r["begin"], r["end"]]) for r in rows] == spans
values = open("spans.npy", "rb").read()[-len(rows) * 1024:]
for i, item in enumerate(map(json.loads, open("all.json"))):
    assert struct.pack("<256f", *item["vector"]) == values[i * 1024:(i + 1) * 1024], i
END
run "$programs/encode-search" -k 1 -f json --query bike spans.npy texts.jsonl
check 'the passage is found' grep -q '"window": 1, "windows": 6, "begin": 7, "end": 11, "text": "bike"' out
check 'the origin names the option' grep -q '"spans": ""' spans.npy.origin.json

# A model without a pooling of its own gives means; a bad line can be left out.
"$programs/encode-new" -o plain.weights --words 'a dog' --width 16 --layers 1 --pooling none --normalize no 2>err
run "$programs/encode" -m plain.weights --spans --input jsonl -f json <<<'{"text": "a dog", "spans": [[2, 5]]}'
cp out default.json
run "$programs/encode" -m plain.weights --spans -p mean --input jsonl -f json <<<'{"text": "a dog", "spans": [[2, 5]]}'
check 'without a pooling: the mean' cmp -s out default.json
printf '%s\n' '{"text": "a dog", "spans": [[0, 9]]}' '{"text": "a dog", "spans": [[0, 1]]}' >bad.jsonl
run "$programs/encode" --spans --input jsonl -f npy -o kept.npy --on-error skip <bad.jsonl
check 'a line with a bad span is left out' grep -q '"line": 1, "reason": "\\"spans\\"\[0\] is \[0, 9\]' kept.npy.left-out.jsonl
check 'the others are kept' grep -q '"line": 2, "window": 0' kept.npy.rows.jsonl

# Of a whole text: a prompt that is not pooled gives nothing to its vector, also where it is cut.
"$programs/encode-new" -o cut.weights --words 'i ride bike' --width 16 --layers 1 --max-tokens 4 --truncate yes \
    --pooling mean --set pools_prompt=no --metadata prompt.query='i ride bike i ride ' 2>err
run "$programs/encode" -m cut.weights -p model --prompt query -f json --dimensions 2 bike
check 'a prompt that fills the text is not pooled' grep -qF '"vector": [0.0, 0.0]' out
"$programs/encode-new" -o short.weights --words 'i ride bike' --width 16 --layers 1 --set token_vectors=3 \
    --set query_tokens=4 --metadata prompt.query='i ' 2>err
run "$programs/encode" -m short.weights -p model --prompt query 'i ride bike i ride bike'
ends 'a query that is too long' 1 "has 7 tokens, and this model's queries at most 4: --on-long truncate"
finish
