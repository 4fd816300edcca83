#!/usr/bin/env bash
# tags: no-coverage
# tools/setup.sh in a copy of the tree, with programs of its own instead of Debian's: what is asked of apt-get, what
# what a user without sudo reads, and how much is printed before the answer.
# shellcheck disable=SC2016,SC2317
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh

mkdir -p "$folder/tree/tools" "$folder/tree/build" "$folder/bin" "$folder/sudo"
cp "$tree/tools/setup.sh" "$folder/tree/tools"
program() { # FILE: a script of standard input
    { echo '#!/bin/sh' && cat; } >"$folder/$1" && chmod +x "$folder/$1"
}
for name in sh dirname env sed grep nproc seq; do ln -s "$(command -v $name)" "$folder/bin/$name"; done
program bin/dpkg <<<'[ "$1" != --print-architecture ] && echo "dpkg $*" >>"$LOG" || echo amd64'
program bin/dpkg-query <<<'eval name=\${$#}; case $INSTALLED in yes | $name) echo amd64 installed ;; esac'
program bin/id <<<'echo "${USER_ID:-1000}"'
program bin/apt-get <<<'echo "apt-get $*" >>"$LOG"; seq 700; echo "E: what went wrong" >&2; [ "$1" != "${FAILING:-none}" ]'
program bin/apt-cache <<<'case " $KNOWN " in *" $2 "*) echo "Package: $2" ;; esac'
program bin/make <<<'echo "make $*" >>"$LOG"; seq 80; echo "a warning" >&2'
program sudo/sudo <<<'echo "sudo" >>"$LOG"; "$@"'
program tree/build/encode <<<'echo "the answer to $*"'

setup() { # WORD SETTING...: runs setup.sh with these settings; $log: what was asked of programs
    local word=$1
    shift
    : >"$folder/log"
    run env -i PATH="$folder/bin" LOG="$folder/log" "$@" sh "$folder/tree/tools/setup.sh" ${word:+"$word"}
    log=$(cat "$folder/log")
}

fails_to_find() { ! grep -qE "$1" "$folder/log" "$folder/err"; }

# Without sudo: the lines for an administrator, and nothing else.
setup run
ends 'without sudo' 1 'no sudo'
check 'the line for an administrator' \
    grep -qE '^    apt-get install -y --no-install-recommends gcc libc6-dev make [a-z0-9 -]*$' "$folder/err"
check 'nothing was tried' [ -z "$log" ]
check 'no "not found"' fails_to_find 'not found'
setup aarch64
ends 'a foreign architecture without sudo' 1 '    dpkg --add-architecture arm64'
check 'its packages' grep -qE '^    apt-get install .* libutf8proc-dev:arm64' "$folder/err"

# With sudo, and as root.
setup run PATH="$folder/bin:$folder/sudo"
check 'with sudo it runs' [ "$code" = 0 ]
check 'by sudo, twice' [ "$(grep -cx sudo <<<"$log")" = 2 ]
setup run USER_ID=0
check 'as root it runs' [ "$code" = 0 ]
check 'packages of the build' grep -qE '^apt-get install .*libjansson-dev' <<<"$log"
check 'no gnuplot, no packages of tests' fails_to_find 'gnuplot|cmocka'
check 'encode and encode-compare alone are built' grep -qE '^make -j [0-9]+ build/encode build/encode-compare$' <<<"$log"
check 'the answer is all of stdout' diff - "$folder/out" <<<'$ build/encode "I ride bike"
the answer to I ride bike'
check 'errors and warnings are shown, progress is not' diff - <(sed 's/^\(setup: installing\) .*/\1/' "$folder/err") <<<'E: what went wrong
setup: installing
E: what went wrong
setup: building build/encode (a minute or two)
a warning'
setup test USER_ID=0
check 'the tests need more' grep -qE '^apt-get install .*gnuplot-nox.* libcmocka-dev' <<<"$log"

setup '' USER_ID=0
check 'without a word: what the tests need, and nothing is built' [ "$(cut -d' ' -f1,2 <<<"$log" | xargs)" = \
    'apt-get update apt-get install' ]
check 'the next command' grep -qx 'setup: everything is installed. Next: make' "$folder/err"

# Packages that a release calls otherwise: those that apt-get knows.
mkdir -p "$folder/tree/build/hosts/bin"
program tree/build/hosts/bin/python <<<: # pip installs nothing
for version in 15 17; do
    setup hosts USER_ID=0 KNOWN="postgresql-server-dev-$version postgresql-server-dev-18"
    check "PostgreSQL $version" grep -qE "^apt-get install .*postgresql-server-dev-$version " <<<"$log"
    check 'no other' [ "$(grep -o 'postgresql-server-dev' <<<"$log" | wc -l)" = 1 ]
done
setup hosts USER_ID=0 INSTALLED=postgresql-server-dev-16
check 'one of them is there' fails_to_find 'postgresql-server-dev'

# Packages of services start and enable none; a policy that the system has stays.
for name in tee chmod rm systemctl; do program bin/$name <<<"echo \"$name \$*\" >>\"\$LOG\""; done
setup hosts USER_ID=0 KNOWN='postgresql-15 postgresql-server-dev-15'
check 'no service of PostgreSQL is enabled' grep -q '^systemctl disable --quiet postgresql$' <<<"$log"
order=$(grep 'policy-rc.d' <<<"$log" | tr '\n' ' ')
[ -e /usr/sbin/policy-rc.d ] || check "none is started: $order" [ "$order" = \
    'tee /usr/sbin/policy-rc.d chmod 755 /usr/sbin/policy-rc.d rm -f /usr/sbin/policy-rc.d ' ]
setup run USER_ID=0
check 'without services nothing is changed' fails_to_find 'policy-rc.d|systemctl'
for word in 'wheels' 'clients' 'python_clients'; do
    pins=$(sed -n "s/^$word=[\"']\(\$$word \)\{0,1\}\([^\"']*\)[\"'].*/\2/p" "$tree/tools/setup.sh")
    check "$word have versions" [ -n "$pins" ]
    for pin in $pins; do check "$pin has a version" grep -qE '.(==|@)[0-9.]+$' <<<"$pin"; done
done

# What fails ends it; where nothing is missing nothing is installed.
setup run USER_ID=0 FAILING=install
ends 'apt-get fails' 1 'could not be installed. An administrator can:'
check 'and nothing is built' fails_to_find '^make'
setup run USER_ID=0 FAILING=update
ends 'lists that cannot be had again do not end it' 0 'apt-get update failed; trying with the lists it has'
setup run INSTALLED=yes
check 'nothing is missing: it runs without sudo' [ "$code" = 0 ]
check 'and asks for no package' fails_to_find 'apt-get|sudo'
setup '' INSTALLED=yes
ends 'no word' 0 'everything is installed. Next: make'
setup nonsense
ends 'another word' 2 'sh tools/setup.sh run'
check 'the help is whole' grep -qF 'are shown.' "$folder/err"
finish
