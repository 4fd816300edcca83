#!/usr/bin/env bash
# tags: asan no-coverage long
# The extension of SQLite in use: tests/hosts/sqlite_uses.py, and every allocation failing (sqlite_memory.c).
# HOSTS_ROWS: the rows of its large table. Skips without the packages of tools/setup.sh hosts.
#
# Guarantee: the extension of SQLite survives each failing allocation.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
. tests/hosts/databases.sh
pkg-config --exists sqlite3 && command -v sqlite3 >/dev/null || skip_all 'no SQLite here'
needs='import numpy, sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)'
for python in "$tree/build/hosts/bin/python" /usr/bin/python3 python3 ''; do
    [ -z "$python" ] || ! "$python" -c "$needs" 2>/dev/null || break
done
[ -n "$python" ] || skip_all 'no Python with NumPy whose SQLite loads extensions'
build_extension sqlite || exit 1
export ENCODE_SQLITE=$programs/libencode_sqlite.so

sql_of() { # PAGE: its statements, for the extension of this build
    sed -n '/^```sql$/,/^```$/p' "$1" | sed -E "/^\`\`\`/d; s|^\.load .*|.load $programs/libencode_sqlite|"
}
sql_of tools/hosts/sqlite/README.md >"$folder/page.sql"
run with_sanitizer sqlite3 -bail :memory: ".read $folder/page.sql"
check "the statements of the page: exit code $code" [ $code = 0 ]
check 'they find the text that is meant' diff "$folder/out" - <<<'2|a cycle ride to the sea
1|bread is baked at night'
sql_of README.md >"$folder/page.sql"
run with_sanitizer sqlite3 -bail :memory: ".read $folder/page.sql"
check 'the front page finds the texts' diff "$folder/out" - <<<'a cycle ride to the sea
bread is baked at night'

# shellcheck disable=SC2086
if [ -z "$sanitizer" ]; then
    run ${CC:-cc} -std=c11 -O1 -D_GNU_SOURCE ${WERROR:-} -Wall -Wextra -Wpedantic -Wshadow -Wconversion -rdynamic \
        -o "$folder/memory" tests/hosts/sqlite_memory.c $(pkg-config --libs sqlite3)
    check "sqlite_memory.c: exit code $code" [ $code = 0 ]
    run "$folder/memory" "$ENCODE_SQLITE"
    check "every allocation fails once, and all after it: exit code $code" [ $code = 0 ]
    tail -n 1 "$folder/out"
fi

run with_sanitizer "$python" -B tests/hosts/sqlite_uses.py "$programs" "$folder"
sed 's/^/  /' "$folder/out"
n_passed=$((n_passed + $(grep -c '^ok: ' "$folder/out")))
n_skipped=$((n_skipped + $(grep -c '^skipped: ' "$folder/out")))
check "sqlite_uses.py: exit code $code" [ $code = 0 ]
finish
