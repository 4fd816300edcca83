#!/usr/bin/env bash
# Every C file is as clang-format writes it by the rules in .clang-format, which leave comments alone: comments are at
# most 100 columns wide, too. Versions of clang-format differ in details: that of Debian 12 decides, another one skips.
set -u
cd "$(dirname "$0")/.." || exit 1
deciding=14
if LC_ALL=C.UTF-8 grep -rnE '^.{101,}' --include='*.[ch]' engine model tools tests; then
    echo 'more than 100 columns: break the line'
    exit 1
fi
skip() {
    echo "skipped: $1"
    exit 77
}
program=
for name in clang-format clang-format-$deciding; do
    version=$($name --version 2>/dev/null | sed -nE 's/.*version ([0-9]+)\..*/\1/p')
    [ "$version" != $deciding ] || program=$name
done
[ -n "$program" ] || skip "clang-format $deciding is not here (sh tools/setup.sh test installs it)"

find engine model tools tests -name '*.[ch]' -exec "$program" --dry-run -Werror {} + || {
    echo "clang-format -i FILE mends a file"
    exit 1
}
