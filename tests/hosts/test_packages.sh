#!/usr/bin/env bash
# tags: no-coverage long
# The packages of make deb: lintian finds nothing; in a bare system they install, their programs run, a host links their
# library, and nothing is left of them once they are purged. Those of arm64 hold programs that print the same in an
# emulator, as does a wheel made of them. The server's unit is one that systemd takes for safe. (test_release.sh makes
# packages twice, and compares the bytes.)
# shellcheck disable=SC2016,SC2317
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
bare=$tree/build/bare
if [ ! -f "$bare/etc/debian_version" ] || [ "$(id -u)" != 0 ] || ! chroot "$bare" true ||
    ! command -v lintian >/dev/null || ! command -v patchelf >/dev/null || ! command -v wasm-ld >/dev/null; then
    echo 'skipped: needs lintian, lld, and as root a bare system to install into (sh tools/setup.sh packages)'
    exit 77
fi
architecture=$(dpkg --print-architecture)
architectures=$architecture
[ "$architecture" = arm64 ] || [ ! -f /usr/lib/aarch64-linux-gnu/libutf8proc.so ] || architectures+=' arm64'
export MAINTAINER='A Maintainer <maintainer@debian.org>' SOURCE_DATE_EPOCH=1000000000 DPKG_DEB_COMPRESSOR_LEVEL=0


packages=$programs/deb
rm -f "$packages"/*.deb
# Those of this machine have the objects of $programs; others are compiled, and not optimized.
for each in $architectures; do
    [ "$each" = "$architecture" ] || export CFLAGS=-O0
    run env MAKEFLAGS= make deb BUILD="$programs" DEB="$each"
    check "make deb of $each: exit code $code" [ $code = 0 ]
done
run lintian --allow-root "$packages"/*.deb
check 'lintian finds nothing' [ ! -s "$folder/out" ]

# ---- In a bare system ----
root=$folder/root
cp -a "$bare" "$root"
mkdir "$root/packages"
cp "$packages"/*_{"$architecture",all}.deb "$root/packages"
in_root() { # COMMAND
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -c "$1"
}
list_files() { (cd "$root" && find . -path ./proc -prune -o -path ./packages -prune -o -print | sort); }

list_files >"$folder/before"
run in_root 'dpkg -i /packages/*.deb'
check "dpkg -i: exit code $code" [ $code = 0 ]
run in_root 'encode -f json -p model "I ride bike"'
check "encode runs: exit code $code" [ $code = 0 ]
check 'and prints what it prints in the tree' cmp "$folder/out" \
    <(ENCODE_MODEL=weights/default.weights "$programs/encode" -f json -p model "I ride bike")
run in_root 'for program in /usr/bin/encode*; do $program --version || exit; done'
check "every program starts: exit code $code" [ $code = 0 ]
check 'manuals' [ "$(ls "$root"/usr/share/man/man1/encode*.1.gz | wc -l)" = "$(ls "$root"/usr/bin/encode* | wc -l)" ]
flags=$(PKG_CONFIG_PATH=$(echo "$root"/usr/lib/*/pkgconfig) PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs engine)
# shellcheck disable=SC2086
run gcc tools/minimal.c $flags -o "$root/minimal"
check 'a host links the library' [ $code = 0 ]
run in_root '/minimal /usr/share/encode/default.weights && rm /minimal'
check 'and runs' grep -q '^cosine 0\.' "$folder/out"
check 'the lesson is among the documents' grep -q '</html>' "$root/usr/share/doc/encode/lesson.html"

if [ -f "$root/usr/bin/encode-serve" ] && command -v systemd-analyze >/dev/null; then
    cp "$root"/lib/systemd/system/encode-serve.* "$folder"
    sed -i "s|/usr/bin/encode-serve|$root&|" "$folder/encode-serve.service"
    run systemd-analyze verify --man=no "$folder/encode-serve.service" "$folder/encode-serve.socket"
    check 'systemd takes the units' [ $code = 0 ]
    check 'without a word' [ ! -s "$folder/err" ]
    run systemd-analyze security --offline=true --threshold=10 --no-pager "$folder/encode-serve.service"
    check 'the exposure of the service is at most 1.0 of 10' [ $code = 0 ]
fi

names=$(cd "$root/packages" && printf '%s\n' *.deb | sed 's/_.*//' | tr '\n' ' ')
run in_root "dpkg --purge $names"
check "dpkg --purge: exit code $code" [ $code = 0 ]
list_files >"$folder/after"
check 'nothing is left' diff "$folder/before" "$folder/after"

# ---- Of arm64 ----
if [ "$architectures" != "$architecture" ] && command -v qemu-aarch64 >/dev/null; then
    for package in "$packages"/*_{arm64,all}.deb; do dpkg-deb -x "$package" "$folder/arm64"; done
    run qemu-aarch64 -E LD_LIBRARY_PATH="$folder/arm64/usr/lib/aarch64-linux-gnu" \
        "$folder/arm64/usr/bin/encode" -f json -p model "I ride bike"
    check 'the program of arm64 prints the same' cmp "$folder/out" \
        <(ENCODE_MODEL=weights/default.weights "$programs/encode" -f json -p model "I ride bike")
    CC=aarch64-linux-gnu-gcc STRIP=aarch64-linux-gnu-strip run python3 tools/hosts/python/package.py "$packages/arm64"
    check "a wheel of arm64 from its programs: exit code $code" [ $code = 0 ]
    python3 -m zipfile -e "$(cat "$folder/out")" "$folder/wheel"
    chmod +x "$folder/wheel/libengine/bundled/encode"
    run qemu-aarch64 "$folder/wheel/libengine/bundled/encode" -m weights/default.weights -f json -p model "I ride bike"
    check 'its program, with its libraries, prints the same' cmp "$folder/out" \
        <(ENCODE_MODEL=weights/default.weights "$programs/encode" -f json -p model "I ride bike")
else
    echo 'skipped: packages of arm64 need a cross compiler and an emulator (sh tools/setup.sh packages)'
    n_skipped=1
fi
finish
