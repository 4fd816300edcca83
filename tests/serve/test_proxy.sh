#!/usr/bin/env bash
# Three servers behind haproxy with the configuration of tools/hosts/serve/, under load: one is killed, one ends by SIGTERM
# and is started again, one opens its files again by SIGHUP, and no request fails.
#
# Guarantee: behind haproxy no request fails while servers are killed, drained and started again.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/serve/serve.sh
if ! command -v haproxy >/dev/null; then
    echo 'skipped: haproxy is not here (sh tools/setup.sh serve)'
    exit 77
fi

for i in 1 2 3; do
    start_server --threads 1 --log none
    eval "pid$i=$pid; export SERVER$i=${url#http://}"
done
LISTEN=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print("127.0.0.1:%d" % s.getsockname()[1])')
export LISTEN
haproxy -db -f tools/hosts/serve/haproxy.cfg >"$folder/haproxy" 2>&1 &
pids+=($!)
run haproxy -c -f tools/hosts/serve/haproxy.cfg
check 'haproxy takes the configuration' [ $code = 0 ]
for _ in $(seq 6000); do
    curl -sf "http://$LISTEN/health" >/dev/null && break
    sleep 0.1
done

python3 "$tree/tests/serve/load.py" "http://$LISTEN" "$folder/stop" >"$folder/load" 2>&1 &
load=$!
pids+=("$load")
await_calls() { # N: until the load has made so many more calls
    local wanted
    wanted=$(($(stat -c %s "$folder/stop.calls" 2>/dev/null || echo 0) + $1))
    while [ "$(stat -c %s "$folder/stop.calls" 2>/dev/null || echo 0)" -lt $wanted ]; do
        kill -0 $load 2>/dev/null || break
        sleep 0.05
    done
}

await_calls 300
kill -KILL "$pid1"
{ wait "$pid1"; } 2>/dev/null
await_calls 300
kill -TERM "$pid2"
wait "$pid2"
check "a server that is asked to end ends well: exit code $?" [ $? = 0 ]
await_calls 300
start_server --threads 1 --log none --listen "$SERVER2"
await_calls 300
kill -HUP "$pid3"
await_calls 600
check 'a server that opened its files again is there' kill -0 "$pid3"
answered() { curl -s "http://$1/metrics" | awk '/^[a-z_]*requests[a-z_]*[{].*200/ {n += $NF} END {print n + 0}'; }
for _ in $(seq 6000); do
    [ "$(answered "$SERVER2")" = 0 ] || break
    sleep 0.1
done
check 'the server that was started again has work' [ "$(answered "$SERVER2")" -gt 0 ]
touch "$folder/stop"
wait $load
check "the load ends well: exit code $?" [ $? = 0 ]
cat "$folder/load"
check 'no request failed' grep -qE '^[0-9]+ calls, 0 failed, 1 answer$' "$folder/load"
finish
