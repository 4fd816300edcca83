#!/usr/bin/env bash
# Installs into a place of its own and links programs against what was installed: the sample, as C and as
# C++, with gcc and clang, shared and static, through pkg-config; then beside a host whose own functions
# have the names that the library uses inside. Everything is taken back by make uninstall.
set -u
cd "$(dirname "$0")/.." || exit 1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/usr
n_passed=0 n_failed=0 n_skipped=0

check() { # WORDS COMMAND...: passes if the command does
    local words=$1 output
    shift
    if output=$("$@" 2>&1); then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        printf 'FAILED: %s: %s\n%s\n' "$words" "$*" "$output"
    fi
}

skip() {
    n_skipped=$((n_skipped + 1))
    echo "skipped: $1"
}

finish() {
    echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
    [ $n_failed = 0 ]
    exit
}

# A build of its own: the prefix is compiled into the programs, which look for their weights there.
# shellcheck disable=SC2317
quiet_make() {
    MAKEFLAGS='' make -j2 BUILD="$place/build" CFLAGS=-O1 PREFIX="$prefix" DESTDIR= "$@"
}
check 'make install' quiet_make install
[ $n_failed = 0 ] || finish

files() { (cd "$1" && find . ! -type d | sort); }

check 'make install with DESTDIR' quiet_make install DESTDIR="$place/stage"
check 'DESTDIR holds the same files' diff <(files "$prefix") <(files "$place/stage$prefix")
for file in bin/encode bin/encode-new bin/encode-inspect include/engine.h lib/libengine.a lib/libengine.so \
    lib/libengine.so.0 lib/pkgconfig/engine.pc share/man/man1/encode.1 share/encode/default.weights; do
    check "$file is installed" test -s "$prefix/$file"
done

# The installed program finds the installed weights, from anywhere.
encode_elsewhere() { (cd / && unset ENCODE_MODEL && "$prefix/bin/encode" 'I ride bike'); }
check 'encode runs where it is installed' encode_elsewhere
check 'and prints what it prints in the tree' \
    diff <(encode_elsewhere) <(ENCODE_MODEL=weights/default.weights "$place/build/encode" 'I ride bike')

# ---- Linking ----
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
flags=(-Wall -Wextra -Wpedantic -Werror)
read -ra cflags < <(pkg-config --cflags engine)
read -ra shared < <(pkg-config --libs engine)
read -ra static < <(pkg-config --libs --static engine)
static=("${static[@]/#-lengine/$prefix/lib/libengine.a}")
weights=$prefix/share/encode/default.weights
# The answer that every program must give: the one of the program built in the tree.
expected=$("$place/build/minimal" "$weights")
check 'the sample prints a cosine' grep -qxE 'cosine 0\.[0-9]{6}' <<<"$expected"

link_and_run() { # NAME SHARED|STATIC COMMAND...
    local name=$1 kind=$2 libs=("${shared[@]}")
    shift 2
    if [ "$kind" = static ]; then libs=("${static[@]}"); fi
    check "$name, $kind: compiles and links" "$@" "${cflags[@]}" -o "$place/program" "${libs[@]}"
    check "$name, $kind: prints what the sample prints" diff <(echo "$expected") <("$place/program" "$weights")
    if [ "$kind" = static ]; then
        check "$name: needs no libengine.so" bash -c "! readelf -d '$place/program' | grep -q libengine"
    fi
    rm -f "$place/program"
}

# A host with a function for every name that is inside the library; to call one of them ends the program.
inside=$(nm --extern-only --defined-only --format=posix "$place"/build/model/{,*/}*.o "$place"/build/engine/{,*/}*.o |
    awk '$2 == "T" {print $1}' | grep -v '^engine_' | grep -xE '[a-z0-9_]+' | sort -u)
for name in $inside layer_norm softmax linear gelu attention tokenize; do echo "$name"; done | sort -u |
    sed 's/.*/void &(void);\nvoid &(void) { abort(); }/' >"$place/names.c"
{ echo '#include <stdlib.h>' && cat "$place/names.c"; } >"$place/host.c"
check 'the host has names of the library' grep -q '^void tokenizer_encode' "$place/host.c"

for kind in shared static; do
    for compiler in gcc clang; do
        if ! command -v $compiler >/dev/null; then
            skip "$compiler is not here"
            continue
        fi
        link_and_run "C by $compiler" $kind $compiler -std=c99 "${flags[@]}" tools/minimal.c
        link_and_run "beside a host's names by $compiler" $kind $compiler -std=c11 -fno-builtin -rdynamic \
            tools/minimal.c "$place/host.c"
    done
    for compiler in g++ clang++; do
        if ! command -v $compiler >/dev/null; then
            skip "$compiler is not here"
            continue
        fi
        link_and_run "C++ by $compiler" $kind $compiler -x c++ -std=c++11 "${flags[@]}" tools/minimal.c -x none
    done
done

check 'make uninstall' quiet_make uninstall
check 'make uninstall with DESTDIR' quiet_make uninstall DESTDIR="$place/stage"
check 'nothing is left of it' diff /dev/null <(files "$prefix" && files "$place/stage$prefix")
finish
