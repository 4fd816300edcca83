#!/usr/bin/env bash
# Runs a command with a PostgreSQL of its own that has the extension, and that ends with the command:
#
#     tests/hosts/with_postgres.sh COMMAND...
#     tests/hosts/with_postgres.sh psql         to look around
#
# The server is Debian's: its programs are copied into a temporary folder with the extension, which a server looks for
# in its own folder, so nothing of the system is changed. If this is root, as which a server does not run, it runs as
# the user postgres, else nobody. The environment names it to psql (PGHOST ...) and has, for commands that restart it,
# POSTGRES_AS, POSTGRES_DATA and POSTGRES_LOG. Exit code: the command's; 77, with the reason, if there is no server here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
. tests/hosts/databases.sh
pg_config=$(command -v "${PG_CONFIG:-pg_config}") || skip_all 'no PostgreSQL here'
binaries=$("$pg_config" --bindir)
[ -x "$binaries/postgres" ] && [ -x "$binaries/initdb" ] || skip_all 'no server of PostgreSQL here'
[ -f "$("$pg_config" --includedir-server)/postgres.h" ] || skip_all "no headers of PostgreSQL's server here"
build_extension postgres || exit 1

root=$folder/root
mkdir -p "$root$binaries"
cp "$binaries"/{postgres,initdb,pg_ctl,psql} "$root$binaries"
for part in "$("$pg_config" --sharedir)" "$("$pg_config" --pkglibdir)"; do
    mkdir -p "$root$part"
    cp -rsf "$part/." "$root$part"
done
(export DESTDIR=$root && build_extension postgres-install) || exit 1
cp "$ENCODE_MODEL" "$folder/default.weights"
export ENCODE_MODEL=$folder/default.weights PATH=$root$binaries:$PATH
export POSTGRES_DATA=$folder/data POSTGRES_LOG=$folder/server.log POSTGRES_AS=
export PGHOST=$folder/socket PGPORT=5432 PGUSER=owner PGDATABASE=postgres PSQLRC=/dev/null

mkdir "$POSTGRES_DATA" "$PGHOST"
if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 && user=postgres || user=nobody
    POSTGRES_AS="runuser -u $user --"
    chmod 755 "$folder"
    touch "$POSTGRES_LOG"
    chown "$user" "$POSTGRES_DATA" "$PGHOST" "$POSTGRES_LOG"
fi

stop() {
    $POSTGRES_AS pg_ctl -D "$POSTGRES_DATA" -m immediate stop >/dev/null 2>&1
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 143' TERM
cd "$folder" || exit 1
$POSTGRES_AS initdb --no-sync --auth=trust --username=owner --encoding=UTF8 --locale=C.UTF-8 "$POSTGRES_DATA" >initdb.log 2>&1 ||
    { tail -n 5 initdb.log; exit 1; }
cat >>"$POSTGRES_DATA/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$PGHOST'
max_connections = 80
shared_buffers = 32MB
max_wal_size = 4GB
jit = off
fsync = off # what is killed here are processes, not the machine
CONF
$POSTGRES_AS pg_ctl -D "$POSTGRES_DATA" -l "$POSTGRES_LOG" -w start >/dev/null ||
    { tail -n 5 "$POSTGRES_LOG"; exit 1; }
psql -qc 'CREATE EXTENSION encode' || exit 1
cd "$tree" || exit 1
"$@"
