#!/usr/bin/env bash
# Prints the memory of a server after each tenth of N requests (a million) of 64 clients, by wrk. Not in make test, as
# it takes minutes.
#
#     tests/serve/memory.sh [N]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/serve/serve.sh
n=${1:-1000000}
cat >"$folder/post.lua" <<'END'
wrk.method, wrk.headers["Content-Type"] = "POST", "application/json"
local words, i = {"I", "ride", "bike", "you", "house", "red", "dog", "bites", "man", "rain"}, 0
function request()
    i = i + 1
    local text = words[i % 10 + 1] .. " " .. words[i % 7 + 1] .. " " .. i
    return wrk.format(nil, "/v1/embeddings", nil, '{"input": "' .. text .. '"}')
end
END
start_server --log none
n_requests() { curl -s "$url/metrics" | awk '/^encode_requests_total.*embeddings.*200/ {n += $NF} END {printf "%d", n}'; }
for ((goal = n / 10; goal <= n; goal += n / 10)); do
    while [ "$(n_requests)" -lt $goal ]; do
        wrk -t1 -c64 -d3s -s "$folder/post.lua" "$url" | grep Non-2xx
    done
    echo "$(n_requests) requests: $(awk '/VmRSS/ {print $2}' "/proc/$pid/status") KB"
done
