#!/usr/bin/env bash
# tags: no-coverage long
# The extension of PostgreSQL in use, on a server of its own (with_postgres.sh): values, errors, models that change,
# cancelled calls, 50 connections, killed backends and servers. HOSTS_ROWS: the rows of its large table.
#
# Guarantee: the extension of PostgreSQL survives killed backends and servers.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ -n "${POSTGRES_DATA:-}" ] || exec tests/hosts/with_postgres.sh "$0"
. tests/tools/checks.sh
. tests/hosts/hosts.sh
default=$ENCODE_MODEL # which the server was started with
rows=${HOSTS_ROWS:-10000}
chmod 755 "$folder"
"$programs/encode-new" -o "$folder/other.weights" --layers 1 --width 32 --words 'dog cat' >/dev/null
"$programs/encode-new" -o "$folder/slow.weights" --layers 24 --width 256 --heads 4 --max-tokens 8192 \
    --position sinusoidal --words 'dog cat' >/dev/null

sql() { # STATEMENT...: in one session, to its end; leaves out, err and $code; psql's variables are those of $settings
    printf '%s\n' "$@" >"$folder/statements"
    run psql -XqtA -v VERBOSITY=verbose -f "$folder/statements"
}

gives() { # WHAT EXPECTED STATEMENT...
    local what=$1 expected=$2
    shift 2
    sql "$@"
    check "$what: $expected" [ "$(cat "$folder/out")" = "$expected" ]
}

# As many seconds as no machine needs: those that run tests are busy, and some are slow.
patience=600

await() { # COMMAND...: until it succeeds
    local until=$((SECONDS + patience))
    until "$@" || [ $SECONDS -ge $until ]; do sleep 0.2; done
}
prints() { # EXPECTED STATEMENT
    [ "$(psql -XqtAc "$2" 2>/dev/null)" = "$1" ]
}

# The session is the same process after each error: it prints its number before and after.
refuses() { # SQLSTATE WORDS STATEMENT...
    local state=$1 words=$2
    shift 2
    sql 'SELECT pg_backend_pid();' "$@" 'SELECT pg_backend_pid();'
    check "$*: $state" grep -qE "ERROR:  $state: .*$words" "$folder/err"
    check "$*: the backend goes on" [ "$(grep -xE '[0-9]+' "$folder/out" | uniq -c | awk '{print $1}')" = 2 ]
}

# ---- Values ----
model=$(psql -XqtAc "SELECT encode_model() ->> 'checksum'")
gives 'a vector' '256|t' "SELECT array_length(v, 1), v = encode('I ride bike', 'text', '$model') FROM encode('I ride bike') v;"
gives 'another order' 0.909 "SELECT encode_cosine(encode('I ride bike'), encode('bike ride I'))::numeric(4, 3);"
gives 'slices of arrays with NULL' 1 "SELECT encode_cosine(('{NULL,1,2}'::real[])[2:3], '{2,4}')::numeric(4, 3)::real;"
gives 'NULL' 't|t|t|0' "SELECT encode(NULL) IS NULL, encode('x', NULL) IS NULL, encode_cosine(NULL, encode('x')) IS NULL,
    (SELECT count(*) FROM encode_tokens(NULL));"
gives 'tokens' '[CLS]|2||
i|51|0|1
ride|4315|2|6
bike|4286|7|11
[SEP]|3||' "SELECT * FROM encode_tokens('I ride bike');"
gives 'windows' '0|11|I ride bike|t
12|24|every day to|t
25|32|the sea|t' "SELECT begin, \"end\", part, encode_cosine(vector, encode(part)) > 0.999
    FROM encode_windows('I ride bike every day to the sea', 5, 'document');"
gives 'spans' '0|6|I ride|t
7|11|bike|t
11|12| |f' "SELECT begin, \"end\", part, encode_cosine(vector, encode('I ride bike')) > 0.5
    FROM encode_spans('I ride bike by the sea', '[[0, 6], [7, 11], [11, 12]]');"
"$programs/encode" --spans --input jsonl -f json <<<'{"text": "I ride bike by the sea", "spans": [[7, 11]]}' >"$folder/span"
first=$(grep -oE '"vector": \[[^,]*' "$folder/span" | grep -oE '[^[]*$')
gives 'a vector of a span' t "SELECT abs(vector[1] - $first) < 1e-6 FROM encode_spans('I ride bike by the sea',
    (SELECT json_agg(json_build_array(b, e)) FROM (VALUES (7, 11)) v(b, e)));"
gives 'spans of NULL' '0|0|0' "SELECT (SELECT count(*) FROM encode_spans(NULL, '[[0, 1]]')),
    (SELECT count(*) FROM encode_spans('x', NULL)), (SELECT count(*) FROM encode_spans('x', '[]'));"
score=$("$programs/encode" --rank 'who rides?' -f json <<<'I ride bike' | grep -oE '"score": ?[0-9.]+' | grep -oE '[0-9.]+$')
gives 'the rank of an empty text' t "SELECT encode_rank('who rides?', ' ') = -1;"
gives 'a rank' t "SELECT abs(encode_rank('who rides?', 'I ride bike') - $score) < 1e-5;"
gives "PostgreSQL's own encode" 4142 "SELECT encode('AB'::bytea, 'hex');"
sql "CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0 LOCALE 'C';"
here=$(psql -XqtAc "SELECT encode('Straße am Fluß')")
there=$(psql -XqtA -d latin -c 'CREATE EXTENSION encode' -c "SET client_encoding = UTF8" -c "SELECT encode('Straße am Fluß')")
check 'the same vector in a database of Latin 1' [ "$here" = "$there" ]
check 'and its texts' [ "$(psql -XqtA -d latin -c 'SET client_encoding = UTF8' -c "SELECT part FROM encode_windows('Straße')")" = Straße ]
if psql -Xqc 'CREATE EXTENSION vector' 2>/dev/null; then
    gives 'a vector of pgvector' t "SELECT encode('dog')::vector(256) <=> encode('dog')::vector(256) < 1e-6;"
else
    skip 'no pgvector here: its type is not tried'
fi

sql 'CREATE DATABASE page;' '\c page' "$(sed -n '/^```sql$/,/^```$/p' tools/hosts/postgres/README.md | grep -v '^```')"
check 'the statements of the page find the text' [ "$(cat "$folder/out")" = 'a cycle ride to the sea' ]

# ---- Errors ----
refuses 22023 'unknown role' "SELECT encode('x', 'find');"
refuses 55000 "has the checksum $model, not 12345678" "SELECT encode('x', 'text', '12345678');"
refuses 2202E 'vectors of 256 and 2 numbers' "SELECT encode_cosine(encode('x'), '{1,2}');"
refuses 2202E 'one dimension' "SELECT encode_cosine('{{1,2}}', '{{1,2}}');"
refuses 2202E 'no NULL' "SELECT encode_cosine('{1,NULL}', '{1,2}');"
refuses 22023 '.-1 tokens' "SELECT encode_windows('x', -1);"
refuses 54000 'leaves no room' "SELECT encode_windows('x', 1);"
refuses 22023 'expected spans' "SELECT encode_spans('a dog', '[[0, 6]]');"
refuses 22023 'expected spans' "SELECT encode_spans('a dog', '{}');"
refuses 58030 'cannot open' "SET encode.model = '/no/such.weights';" "SELECT encode('x');"
head -c 100000 "$default" >"$folder/cut.weights"
refuses F0000 'cut.weights' "SET encode.model = '$folder/cut.weights';" "SELECT encode('x');"
refuses 54000 'the limit is 8192' "SET encode.model = '$folder/slow.weights';" "SELECT encode(repeat('dog ', 9000));"
gives 'after an error, the default' "256" "SET encode.model = '/no';" "SELECT encode('x');" 'RESET encode.model;' \
    "SELECT array_length(encode('x'), 1);"
# A backend that gets no more memory: the file of the large model cannot be mapped, or its session not be made.
refuses '(53200|58030)' 'memory' 'SELECT pg_backend_pid() AS pid \gset' '\setenv PID :pid' "SELECT encode('x') IS NULL;" \
    "\\! $POSTGRES_AS prlimit --pid \$PID --as=\$((\$(awk '/VmSize/ {print \$2}' /proc/\$PID/status) * 1024 + 8000000))" \
    "SET encode.model = '$folder/slow.weights';" "SELECT encode('x');"

# ---- The model is a superuser's, and what depends on it ----
sql 'CREATE ROLE plain LOGIN;' 'GRANT ALL ON SCHEMA public TO plain;'
run psql -XqU plain -c "SELECT encode('x') IS NULL" -c "SET encode.model = '$folder/other.weights'"
check 'others do not set the model' grep -q 'permission denied to set parameter "encode.model"' "$folder/err"
PGOPTIONS="-c encode.model=$folder/other.weights" run psql -XqtAU plain -c "SELECT array_length(encode('x'), 1)"
check 'nor before the library is there' grep -qx 256 "$folder/out"
refuses 42P17 'IMMUTABLE' 'CREATE TABLE t(body text);' 'CREATE INDEX ON t(encode(body));'
refuses 42P17 'not immutable' 'CREATE TABLE u(body text, v real[] GENERATED ALWAYS AS (encode(body)) STORED);'
sql "CREATE TABLE notes(id serial, body text, vector real[] GENERATED ALWAYS AS (encode(body, 'document', '$model')) STORED);" \
    "CREATE INDEX by_vector ON notes(encode(body, 'query', '$model'));" \
    "INSERT INTO notes(body) SELECT 'note ' || i || ' of a dog' FROM generate_series(1, 300) i;" 'ANALYZE notes;'
gives 'an index on the expression' '7' "SELECT id FROM notes WHERE encode(body, 'query', '$model') = encode('note 7 of a dog', 'query', '$model');"
sql 'SET enable_seqscan = off;' "EXPLAIN SELECT id FROM notes WHERE encode(body, 'query', '$model') = encode('x', 'query', '$model');"
check 'it is used' grep -q by_vector "$folder/out"
refuses 55000 "not $model" "SET encode.model = '$folder/other.weights';" "INSERT INTO notes(body) VALUES ('dog');"
sql "LOAD 'encode';" "ALTER SYSTEM SET encode.model = '$folder/other.weights';" 'SELECT pg_reload_conf();'
await prints 32 "SELECT array_length(encode('x'), 1)"
gives 'the setting of the server' 32 "SELECT array_length(encode('x'), 1);"
refuses 55000 "not $model" "UPDATE notes SET body = 'cat';"
gives 'stored vectors are read' '300' 'SELECT count(vector[256]) FROM notes;'
sql "LOAD 'encode';" 'ALTER SYSTEM RESET encode.model;' 'SELECT pg_reload_conf();'
await prints 256 "SELECT array_length(encode('x'), 1)"

# ---- Cancelling ----
# The signal comes after 0.3 s; an eighth of the text takes far less than an eighth of the work.
long="repeat('dog ', 8000)"
for call in "encode($long)" "encode_rank('dog', $long)" "encode_windows($long)"; do
    begin=${EPOCHREALTIME/./}
    sql "SET encode.model = '$folder/slow.weights';" "SELECT ${call/8000/1000};"
    middle=${EPOCHREALTIME/./}
    refuses 57014 'statement timeout' "SET encode.model = '$folder/slow.weights';" 'SET statement_timeout = 300;' "SELECT $call;" \
        'SET statement_timeout = 0;' "SELECT encode('dog') IS NULL;"
    check "$call was cancelled soon" [ $((${EPOCHREALTIME/./} - middle)) -le $((2000000 + 5 * (middle - begin))) ]
done

# ---- Many rows, in parallel ----
of_rows="SELECT i, 'sentence number ' || i || ' about a dog and a bike' FROM generate_series(1, $rows) i"
sql "CREATE TABLE texts AS SELECT i, 'sentence number ' || i || ' about a dog and a bike' AS body FROM generate_series(1, $rows) i;" \
    'ANALYZE texts;'
parallel=('SET min_parallel_table_scan_size = 0;' 'SET parallel_setup_cost = 0;')
for workers in 0 1 2; do
    sql "${parallel[@]}" "SET max_parallel_workers_per_gather = $workers;" \
        "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT sum((encode(body))[1]) FROM texts;"
    ms=$(sed -n 's/.*"Execution Time": \([0-9]*\).*/\1/p' "$folder/out")
    echo "  $rows rows with $workers workers: $((rows * 1000 / (ms + 1))) a second"
done
check 'two workers were there' grep -q '"Workers Launched": 2' "$folder/out"
gives 'they find the same' t "${parallel[@]}" 'SET max_parallel_workers_per_gather = 0;' \
    'CREATE TEMP TABLE a AS SELECT sum((encode(body))[1]::numeric) AS n FROM texts;' 'SET max_parallel_workers_per_gather = 2;' \
    'SELECT n = (SELECT sum((encode(body))[1]::numeric) FROM texts) FROM a;'

# ---- Connections ----
private() { # PID: kilobytes that no other process has
    awk '/^Private_/ {n += $2} END {print n}' "/proc/$1/smaps_rollup"
}
waiting="FROM pg_stat_activity WHERE query LIKE '%pg_sleep(9999)%' AND wait_event = 'PgSleep'"
sleepers() { # N STATEMENT: N connections that run it and wait; leaves the private memory of the largest in $most
    local n=$1 pid
    for _ in $(seq "$n"); do psql -Xqc "$2" -c 'SELECT pg_sleep(9999)' >/dev/null 2>&1 & done
    await prints "$n" "SELECT count(*) $waiting"
    most=0
    for pid in $(psql -XqtAc "SELECT pid $waiting"); do
        [ "$(private "$pid")" -le $most ] || most=$(private "$pid")
    done
    psql -XqtAc "SELECT pg_terminate_backend(pid) $waiting" | grep -c t >"$folder/n"
    wait
}
if [ -r /proc/self/smaps_rollup ]; then
    sleepers 5 "SELECT count(upper(body)) FROM texts WHERE i < 50"
    bare=$most
    sleepers 50 "SELECT count(encode(body)) FROM texts WHERE i < 50"
    echo "  50 connections: $((most - bare)) KB of private memory each, and $bare KB that any has"
    check '50 connections at once' [ "$(cat "$folder/n")" = 50 ]
    check "private memory of each: $((most - bare)) KB" [ $((most - bare)) -le 2048 ]
fi

# ---- Killed ----
sql "CREATE TABLE kept(i int PRIMARY KEY, body text, vector real[] GENERATED ALWAYS AS (encode(body, 'text', '$model')) STORED);" \
    "INSERT INTO kept $of_rows;"
victim() { # prints the pid of a backend that is in the middle of inserting, and would be for long
    psql -Xqc "INSERT INTO kept SELECT i + k * 10000000, body FROM texts, generate_series(1, 50) k" >/dev/null 2>&1 &
    local pid='' until=$((SECONDS + patience))
    while [ -z "$pid" ] && [ $SECONDS -lt $until ]; do
        pid=$(psql -XqtAc "SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT INTO kept%' AND state = 'active'")
        sleep 0.2
    done
    echo "$pid"
}
is_up() { psql -XqtAc 'SELECT 1' >/dev/null 2>&1; }
is_whole() { # what was committed is there, what was not is not, and vectors are those of their texts
    gives "$1" "$rows|$rows" "SELECT count(*), count(*) FILTER (WHERE vector = encode(body)) FROM kept;"
}
pid=$(victim)
check 'a backend to kill' kill -KILL "$pid"
await grep -q 'all server processes terminated' "$POSTGRES_LOG"
await is_up
is_whole 'after a killed backend'
pid=$(victim)
check 'a server to kill' kill -KILL "$(head -n 1 "$POSTGRES_DATA/postmaster.pid")" "$pid" # alone, the backend would commit
until ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
for _ in $(seq 50); do
    $POSTGRES_AS pg_ctl -D "$POSTGRES_DATA" -l "$POSTGRES_LOG" -w start >/dev/null 2>&1 && break
    sleep 0.2
done
await is_up
check 'it recovered' grep -q 'database system was not properly shut down' "$POSTGRES_LOG"
is_whole 'after a killed server'
gives 'and it goes on' $((rows + 1)) "INSERT INTO kept VALUES (0, 'one more');" 'SELECT count(*) FROM kept;'

# ---- The first call, also of a library that the server has loaded ----
first_call() {
    sql '\timing on' "SELECT encode('I ride bike') IS NULL;"
    echo "  the first call of a connection $1: $(sed -n 's/^Time: //p' "$folder/out" | head -n 1)"
}
first_call 'opens the model'
restart() { # SETTING
    echo "$1" >>"$POSTGRES_DATA/postgresql.conf"
    $POSTGRES_AS pg_ctl -D "$POSTGRES_DATA" -l "$POSTGRES_LOG" -w -m fast restart >/dev/null 2>&1
}
check 'a server with the library' restart "shared_preload_libraries = 'encode'"
first_call 'inherits it'
gives 'with the same vectors' t "SELECT vector = encode(body) FROM kept LIMIT 1;"
check 'a server whose model is missing' restart "encode.model = '/no/such.weights'"
refuses 58030 'cannot open' "SELECT encode('x');"
finish
