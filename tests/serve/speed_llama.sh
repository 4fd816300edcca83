#!/usr/bin/env bash
# Prints requests per second of encode-serve and of llama.cpp's server in turns: by 1 and by 64 clients that send one
# short text, and the least cosine of their vectors of it. Needs wrk, curl and jq, and the machine for itself.
#
#     tests/serve/speed_llama.sh BUILD MODEL.weights LLAMA-SERVER MODEL.gguf [THREADS [ROUNDS]]
#
# llama.cpp: cmake -DGGML_NATIVE=ON -DCMAKE_BUILD_TYPE=Release, target llama-server; convert_hf_to_gguf.py --outtype f32;
# llama-quantize for q8_0.
set -eu
build=$1 model=$2 llama=$3 gguf=$4 threads=${5:-2} rounds=${6:-3}
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$folder"' EXIT
cat >"$folder/wrk.lua" <<'LUA'
wrk.method, wrk.body = "POST", '{"input": "I ride bike", "encoding_format": "base64"}'
wrk.headers["Content-Type"] = "application/json"
LUA
"$build/encode-serve" --listen 127.0.0.1:9761 -m "$model" -t "$threads" --log none 2>"$folder/ours.log" &
"$llama" --host 127.0.0.1 --port 9762 -m "$gguf" --embedding --pooling mean -t "$threads" -tb "$threads" \
    --parallel 64 -c 32768 -b 2048 -ub 2048 >"$folder/theirs.log" 2>&1 &
for port in 9761 9762; do
    for i in $(seq 150); do ! curl -sf "http://127.0.0.1:$port/health" >/dev/null || break; sleep 0.2; done
    [ "$i" -lt 150 ] || { tail "$folder"/*.log; exit 1; }
done

rate() { # PORT CLIENTS
    wrk -t1 -c"$2" -d2s -s "$folder/wrk.lua" "http://127.0.0.1:$1/v1/embeddings" >"$folder/printed"
    ! grep -qE 'Non-2xx|Socket errors' "$folder/printed" || cat "$folder/printed" >&2
    awk '/Requests\/sec/ {print $2}' "$folder/printed"
}

vector() { # PORT
    curl -s -d '{"input": "I ride bike"}' "http://127.0.0.1:$1/v1/embeddings" | jq -c '.data[0].embedding'
}

for clients in 1 64; do
    for _ in $(seq "$rounds"); do echo "[$(rate 9761 $clients), $(rate 9762 $clients)]"; done |
        jq -sr --arg clients $clients 'def median: sort | .[length / 2 | floor];
            "\($clients) clients: ours \(map(.[0]) | median | round), llama.cpp \(map(.[1]) | median | round) " +
            "requests/s; times \(map(.[0] / .[1]) | median * 100 | round / 100)"'
done
{ vector 9761; vector 9762; } | jq -sr '. as [$a, $b] | def dot($x; $y): [range($x | length) | $x[.] * $y[.]] | add;
    "cosine of the two vectors: \(dot($a; $b) / ((dot($a; $a) * dot($b; $b)) | sqrt))"'
