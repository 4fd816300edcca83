#!/usr/bin/env bash
# tags: no-coverage long
# Programs and library built with musl, in a root of musl and busybox, as Alpine has them: glibc's bits, by one thread,
# and they say so. Needs musl-gcc, static libraries, and as root busybox for the root (sh tools/setup.sh languages).
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/hosts/languages/language.sh
if ! command -v musl-gcc >/dev/null || [ ! -f "$(gcc -print-file-name=libjansson.a)" ] || [ "$(id -u)" != 0 ] ||
    [ ! -x /bin/busybox ] || ldd /bin/busybox >/dev/null 2>&1 || ! chroot / true 2>/dev/null; then
    echo 'skipped: needs musl-gcc, libjansson.a and busybox-static (sh tools/setup.sh languages), and root for a chroot'
    exit 77
fi
musl=build/languages/musl
run env MAKEFLAGS= CFLAGS=-O2 sh tools/hosts/musl/build.sh $musl
check "build.sh: exit code $code" [ $code = 0 ]
check 'the library needs musl alone' [ "$(readelf -d $musl/libengine.so.1 | grep -c NEEDED)" = 1 ]
check 'of its C library' grep -q 'NEEDED.*\[libc.so\]' <(readelf -d $musl/libengine.so.1)
root=$folder/root
mkdir -p "$root"/{bin,lib,proc,tmp}
cp $musl/encode $musl/encode-search weights/default.weights "$root/bin"
cp $musl/libengine.so.1 "$root/lib"
loader=$(sed -n 's/.*-dynamic-linker \([^ ]*\) .*/\1/p' /usr/lib/*-linux-musl/musl-gcc.specs | head -n 1)
cp -L /usr/lib/*-linux-musl/libc.so "$root$loader"
cat >"$folder/host.c" <<'END'
#include "engine/engine.h"
#include <stdio.h>
int main(void)
{
    engine_error error;
    engine_model *model;
    engine_session *session;
    float vector[256];
    engine_input input = engine_text("I ride bike");
    if (engine_model_open("/bin/default.weights", NULL, &model, &error) ||
        engine_session_new(model, NULL, &session, &error) ||
        engine_encode(session, &input, 1, NULL, vector, 256, NULL, NULL))
        return puts(error.message), 1;
    fprintf(stderr, "%s, %zu\n", engine_build_info(), engine_session_threads(session));
    fwrite(vector, sizeof vector, 1, stdout);
}
END
run musl-gcc -I. "$folder/host.c" -o "$root/bin/host" $musl/libengine.so.1 -Wl,-rpath,/lib
check 'a host links the library' [ $code = 0 ]
cp /bin/busybox "$root/bin"
inside() { # COMMAND
    chroot "$root" /bin/busybox env -i PATH=/bin ENCODE_MODEL=/bin/default.weights ENGINE_ISA="${ENGINE_ISA:-}" \
        /bin/busybox sh -c "$1"
}
make_cases 2>"$folder/notes"
cp "$folder"/{texts,long} "$root/tmp"
jsonl "$folder/two" >"$root/tmp/two.jsonl"
musl_rows() { # FILE OPTIONS: as float32
    inside "encode -p model -f npy $2 -o /tmp/x.npy < /tmp/$1" && tail -c +129 "$root/tmp/x.npy"
}
check '500 texts' cmp "$folder/expected/texts" <(musl_rows texts '')
check '500 texts by AVX2' cmp "$folder/expected/texts" <(ENGINE_ISA=avx2 musl_rows texts '')
check 'a long text, cut' cmp "$folder/expected/long" <(musl_rows long '--on-long truncate')
check 'pairs' cmp "$folder/expected/pairs" <(musl_rows two.jsonl '--input jsonl')
run inside 'encode --tokens -f json "naïve 東京 dogs"'
check 'tokens' cmp "$folder/out" <("$programs/encode" --tokens -f json 'naïve 東京 dogs')
run inside '/bin/host'
check 'the host in the root: the bits of encode' cmp "$folder/out" <(rows -p model 'I ride bike')
check 'one thread, said aloud' grep -qE ', one thread, kernels .*, 1$' "$folder/err"
run inside 'encode --version'
check 'and by --version' grep -q 'one thread' "$folder/out"
run inside 'encode --threads 2 -p model -f json "I ride bike"'
check 'two threads are one' cmp "$folder/out" <("$programs/encode" -p model -f json 'I ride bike')
finish
