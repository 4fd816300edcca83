# serve.sh - what the scripts of tests/serve share; they source it after tests/tools/checks.sh.
clients=$tree/build/serve-clients # of tools/setup.sh serve
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$folder"' EXIT

if [ ! -x "$programs/encode-serve" ]; then
    echo 'skipped: encode-serve is not built (libmicrohttpd is missing)'
    exit 77
fi

skip() { # REASON
    echo "skipped: $1"
    n_skipped=$((n_skipped + 1))
}

# Start a server on a free port, of the default weights as the model "default", or of a file; set $url, $pid and $log.
start_server() { # OPTION...
    start_server_of default="$tree/weights/default.weights" "$@"
}

start_server_of() { # [NAME=]FILE OPTION...
    log=$folder/server.${#pids[@]}
    : >"$log"
    "$programs/encode-serve" --listen 127.0.0.1:0 -m "$@" 2>"$log" &
    pid=$!
    pids+=("$pid")
    await_port
}

await_port() { # until the server of $pid has printed its address in $log, or has ended
    url=
    for _ in $(seq 12000); do
        url=$(sed -n 's/^encode-serve: listening on //p' "$log")
        if [ -n "$url" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
        sleep 0.05
    done
    [ -n "$url" ] && return
    echo "encode-serve does not start: $(cat "$log")"
    exit 1
}
