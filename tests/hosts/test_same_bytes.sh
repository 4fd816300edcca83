#!/usr/bin/env bash
# tags: no-coverage long
# The vectors of 1,000 texts are byte for byte those of the command in every host. Each host has a function here,
# bytes_of_HOST, which reads the file `texts`, a text a line, and writes the float32 of their vectors to stdout. It
# returns 77 and prints why if what it needs is missing. Spark and Ray are test_clusters.sh's.
#
# Guarantee: in SQLite, PostgreSQL and Python vectors are the command's, byte for byte.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
. tests/hosts/databases.sh
cd "$folder" || exit 1
export ENCODE_MODEL=$tree/weights/default.weights
sentences 1000 >texts
"$programs/encode" -p model -f npy -o command.npy <texts
tail -c +129 command.npy >expected # after the header

missing() { # WHY
    echo "$1"
    return 77
}

from_hex() { # a line of digits for each text: tr joins them, and xxd is not everywhere
    tr -d '\n' | perl -0777 -ne 'print pack("H*", $_)'
}

bytes_of_sqlite() {
    pkg-config --exists sqlite3 && command -v sqlite3 >/dev/null || missing 'SQLite is not here (sh tools/setup.sh hosts)' || return
    build_extension sqlite || return
    printf '%s\n' ".load $programs/libencode_sqlite" 'CREATE TABLE texts(line TEXT);' '.mode ascii' \
        '.separator "\037" "\n"' ".import texts texts" '.mode list' 'SELECT hex(encode(line)) FROM texts ORDER BY rowid;' |
        sqlite3 -bail :memory: | from_hex
}

bytes_of_python() {
    [ -n "$python" ] || missing 'Python needs NumPy (sh tools/setup.sh hosts)' || return
    "$python" -c 'import libengine, sys
texts = open("texts", encoding="utf-8").read().splitlines()
sys.stdout.buffer.write(libengine.Encoder().encode(texts, batch_size=300).tobytes())'
}

bytes_of_arrow() {
    [ -n "$python" ] && has pyarrow || missing 'Arrow needs pyarrow (sh tools/setup.sh hosts)' || return
    "$python" -c 'import libengine, pyarrow, sys
texts = open("texts", encoding="utf-8").read().splitlines()
vectors = libengine.Encoder().encode_arrow(pyarrow.array(texts))
sys.stdout.buffer.write(vectors.values.to_numpy().tobytes())'
}

# psql prints what array_send makes: in network order a header of five numbers, then each number after its length.
bytes_of_postgres() {
    "$tree/tests/hosts/with_postgres.sh" psql -XqtA -c 'CREATE TABLE texts(i serial, line text)' \
        -c "\\copy texts(line) FROM '$folder/texts' (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')" \
        -c "SELECT encode(array_send(encode(line)), 'hex') FROM texts ORDER BY i" >rows
    local code=$?
    [ $code != 77 ] || missing "$(cat rows)" || return
    perl -ne '$_ = substr($_, 40); print pack("V", hex $1) while /\G.{8}(.{8})/g' rows
    return $code
}

check 'the command: 1,000 vectors' [ "$(stat -c %s expected)" = $((1000 * 256 * 4)) ]
for host in $(compgen -A function bytes_of_); do
    "$host" >bytes 2>err
    code=$?
    cp bytes out
    if [ $code = 77 ]; then
        skip "$(head -n 1 bytes)"
        continue
    fi
    check "${host#bytes_of_}: exit code $code" [ $code = 0 ]
    check "${host#bytes_of_}: the command's bytes" cmp expected bytes
done
finish
