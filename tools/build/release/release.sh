#!/bin/sh
# Makes in BUILD/release/ what a release page has, of the last commit: a source tarball with the file VERSION inside,
# and, built from it, wheels, Debian packages, programs that need no library (encode-VERSION-linux-PROCESSOR.tar.gz),
# the lesson, the text of tools/CHANGELOG.md about this version, and SHA256SUMS. make release runs it.
#
#     tools/build/release/release.sh BUILD [ARCHITECTURE...]
#
# ARCHITECTURE: of Debian, this machine's and arm64 if absent. The same commit gives the same bytes, with the same
# compiler and libraries. SOURCE_DATE_EPOCH and MAINTAINER are those of the commit if absent, RELEASE_CFLAGS is -O3.
set -eu
cd "$(dirname "$0")/../../.."

# ---- What is needed, before anything is made ----
set -- "$(mkdir -p "$1" && cd "$1" && pwd)/release" "$@"
out=$1
shift 2
host=$(dpkg --print-architecture 2>/dev/null || :)
[ $# != 0 ] || set -- $(printf '%s\n' "${host:-amd64}" arm64 | sort -u)
set -- "$@" -- git=git python3=python3 patchelf=patchelf dpkg-shlibdeps=dpkg-dev gnuplot=gnuplot-nox clang=clang \
    wasm-ld=lld /usr/lib/wasm32-wasi=wasi-libc
while [ "$1" != -- ]; do
    case $1 in amd64) processor=x86_64 ;; arm64) processor=aarch64 ;; *) processor=$1 ;; esac
    libraries=/usr/lib/$processor-linux-gnu of=
    if [ "$1" != "$host" ]; then
        of=:$1
        set -- "$@" "$processor-linux-gnu-gcc=gcc-$processor-linux-gnu" "qemu-$processor=qemu-user"
    fi
    for library in libutf8proc.a=libutf8proc-dev libjansson.a=libjansson-dev libmicrohttpd.so=libmicrohttpd-dev \
        libopenblas.so=libopenblas-pthread-dev; do
        set -- "$@" "$libraries/$library$of"
    done
    architectures="${architectures:-}$1:$processor "
    shift
done
shift
tools/build/needs.sh 'make release' "$@"
fail() { # WHY
    echo "make release: $1" >&2
    exit 1
}
git rev-parse -q --verify HEAD >/dev/null 2>&1 || fail 'this tree has no history; a release is made of a commit'
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo 'make release: changes that are not committed are left out' >&2
version=$(git show HEAD:engine/engine.h | sed -n 's/^.define ENGINE_VERSION "\(.*\)"$/\1/p')
changes=$(git show HEAD:tools/CHANGELOG.md 2>/dev/null | awk -v title="## $version" '/^## / {is_in = index($0 " ", title " ") == 1} is_in')
[ -n "$changes" ] || fail "tools/CHANGELOG.md has no part '## $version', the version of engine/engine.h"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export MAINTAINER="${MAINTAINER:-$(git log -1 --format='%an <%ae>')}"
export CFLAGS="${RELEASE_CFLAGS:--O3}" # debugging information would name this folder
umask 022

# ---- The source, and all else of it ----
rm -rf "$out" "$out.tree"
mkdir -p "$out" "$out.tree"
name=encode-$version
git -c tar.umask=0022 archive --format=tar --prefix="$name/" --add-virtual-file="$name/VERSION:$version
" HEAD | gzip -9n >"$out/$name.tar.gz"
tar xzf "$out/$name.tar.gz" -C "$out.tree"
cd "$out.tree/$name"
# shellcheck disable=SC2046
GOALS=static tools/build/install/deb.sh build $(for each in $architectures; do echo "${each%:*}"; done) >/dev/null
mv build/deb/*.deb "$out"
cp build/lesson.html "$out/$name-lesson.html"
printf '%s\n' "$changes" >"$out/CHANGELOG-$version.md"

pack_static() { # a folder of the static programs, with the weights and what licences of others ask for
    folder=$name-linux-$processor
    mkdir -p "$folder/licences"
    cp build/deb/"$architecture"/static/encode* weights/default.weights LICENSE tools/build/release/README.txt "$folder"
    for library in libc6 libgomp1 libjansson4 libutf8proc2 libutf8proc3; do
        [ ! -f "/usr/share/doc/$library/copyright" ] || cp "/usr/share/doc/$library/copyright" "$folder/licences/$library"
    done
    $runner "$folder/encode" "I ride bike" >"static.$architecture"
    [ -z "${first:-}" ] || cmp "static.$first" "static.$architecture"
    first=${first:-$architecture}
    tar -c --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$folder" |
        gzip -9n >"$out/$folder.tar.gz"
}

for each in $architectures; do
    architecture=${each%:*} processor=${each#*:} runner='' cc=cc strip=strip
    [ "$architecture" = "$host" ] ||
        runner=qemu-$processor cc=$processor-linux-gnu-gcc strip=$processor-linux-gnu-strip
    mv "$(CC=$cc STRIP=$strip python3 tools/hosts/python/package.py "build/deb/$architecture")" "$out"
    pack_static
done

cd "$out"
rm -rf "$out.tree"
sha256sum -- * >SHA256SUMS
ls -l "$out"
