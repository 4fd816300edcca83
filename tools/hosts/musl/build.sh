#!/bin/sh
# Builds static programs for any Linux, with musl in place of glibc, and libengine.so.1 for hosts on Alpine. They use one
# thread: GCC's OpenMP is made for glibc. Needs Debian's musl-tools, and the static libraries of the build's packages.
#
#     sh tools/hosts/musl/build.sh [BUILD [PROGRAM...]]     default: build/musl encode encode-search
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build/musl}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- encode encode-search
command -v musl-gcc >/dev/null || { echo 'build.sh: needs musl-gcc (apt-get install musl-tools)' >&2; exit 1; }

# Headers and libraries of Debian that do not depend on its C library.
here=$(mkdir -p "$build/musl" && cd "$build/musl" && pwd)
mkdir -p "$here/include" "$here/lib"
headers=/usr/include
for name in utf8proc.h jansson.h jansson_config.h linux asm-generic "$(gcc -print-multiarch)/asm"; do
    ln -sfn "$headers/$name" "$here/include/${name##*/}"
done
for name in utf8proc jansson; do
    ln -sf "$(gcc -print-file-name="lib$name.a")" "$here/lib"
done
musl-gcc -O2 -fPIC -c tools/hosts/musl/one_thread.c -o "$here/one_thread.o"
make_with() { # LDFLAGS TARGET...
    flags=$1
    shift
    make -j "$(nproc)" BUILD="$build" CC=musl-gcc OPENMP=-fopenmp-simd CPPFLAGS="-isystem $here/include -Wno-unused-variable" \
        LIBS="$here/one_thread.o -lutf8proc -lm" TOOL_LIBS=-ljansson HTTP_LIBS= LDFLAGS="-L$here/lib $flags" "$@"
}
make_with '' "$build/libengine.so.1"
for name; do
    make_with -static "ENGINE=$build/libengine.a" "$build/$name"
done
