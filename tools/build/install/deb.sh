#!/bin/sh
# Makes Debian packages of what make install installs: libengine1 (the library), libengine-data (default weights),
# libengine-dev (headers), encode (programs and the lesson) and encode-serve (the server, if it is built). make deb runs
# it.
#
#     tools/build/install/deb.sh BUILD [ARCHITECTURE...]
#
# ARCHITECTURE: amd64 or arm64, this machine's if absent; another than this machine's needs tools/setup.sh aarch64.
# Objects are in BUILD/deb/ARCHITECTURE, packages in BUILD/deb. GOALS: targets that are made for each, too; CFLAGS: -O3
# -g if absent. MAINTAINER='Ada <ada@example.org>' and SOURCE_DATE_EPOCH are those of the last commit if absent, so the
# same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/../../.."
tools/build/needs.sh 'make deb' clang=clang wasm-ld=lld /usr/lib/wasm32-wasi=wasi-libc \
    dpkg-shlibdeps=dpkg-dev $([ -n "${MAINTAINER:-}" ] || echo git=git)
host=$(dpkg --print-architecture)
build=$(mkdir -p "$1" && cd "$1" && pwd)
out=$build/deb
shift
version=$(sed -n 's/^.define ENGINE_VERSION "\(.*\)"$/\1/p' engine/engine.h)
maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')} ||
    { echo "make deb: this tree has no history to name a maintainer: MAINTAINER='Ada <ada@example.org>' make deb" >&2 && exit 1; }
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
umask 022

install_tree() { # builds for $architecture, and installs into $stage with PREFIX=/usr
    triplet=$(dpkg-architecture -a "$architecture" -qDEB_HOST_MULTIARCH 2>/dev/null)
    set -- BUILD="$out/$architecture" PREFIX=/usr LIBDIR="lib/$triplet" DESTDIR="$stage" CFLAGS="${CFLAGS:--O3 -g}"
    if [ "$triplet" != "$(dpkg-architecture -qDEB_BUILD_MULTIARCH)" ]; then
        export PKG_CONFIG_LIBDIR="/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig"
        set -- "$@" CC="$triplet-gcc" LD="$triplet-ld" OBJCOPY="$triplet-objcopy" STRIP="$triplet-strip" \
            AR="$triplet-ar" RUNNER="qemu-${triplet%%-*}"
    elif [ -f "$build/flags" ]; then # what is compiled there is not compiled again, but for what knows PREFIX
        mkdir -p "$out/$architecture"
        rm -f "$out/$architecture/prefix"
        (cd "$build" && cp -au --parents flags libengine* engine model tools encode* "$out/$architecture")
    fi
    make -s -j "$(nproc)" "$@" install ${GOALS:-} >/dev/null
    unset PKG_CONFIG_LIBDIR
}

select_files() { # PACKAGE PATTERN...: moves these files of $stage to $root, the folder of a package
    root=$out/debian/$1
    mkdir -p "$root/DEBIAN"
    shift
    for pattern; do
        (cd "$stage" && find . -path "./usr/$pattern" ! -type d) | while read -r file; do
            mkdir -p "$root/${file%/*}"
            mv "$stage/$file" "$root/$file"
        done
    done
}

libraries() { # prints the packages of the libraries that $root links, as a field's value
    echo 'Source: encode' >"$out/debian/control"
    programs=$(find "$root/usr" -type f \( -path '*/bin/*' -o -name '*.so.*' \) ! -name encode-fetch | sed "s|^$out/||")
    # shellcheck disable=SC2086
    (cd "$out" && DEB_HOST_ARCH=$architecture dpkg-shlibdeps -O $programs) | sed 's/^shlibs:Depends=//'
}

write_documents() { # PACKAGE: copyright and changelog; compresses manuals
    documents=$root/usr/share/doc/$1
    mkdir -p "$documents"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
        printf 'Upstream-Name: encode\n\nFiles: *\nCopyright:\n'
        sed -n 's/^Copyright (c)/ /p' LICENSE
        printf 'License: Expat\n'
        sed -e '1,/^Copyright/d' LICENSE | sed -e 1d -e 's/^$/./' -e 's/^/ /'
    } >"$documents/copyright"
    printf 'encode (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' "$version" "$version" \
        "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$documents/changelog.gz"
    find "$root/usr" -path '*/man/*' -type f -exec gzip -9n {} +
}

package() { # PACKAGE SECTION FIELD... <DESCRIPTION: makes the package of $root; FIELD: a line of control
    name=$1 section=$2
    shift 2
    write_documents "$name"
    case " $* " in
    *' Architecture: '*) ;;
    *) set -- "Architecture: $architecture" "$@" ;;
    esac
    {
        printf '%s\n' "Package: $name" "Source: encode" "Version: $version" "Maintainer: $maintainer" \
            "Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)" "Section: $section" "Priority: optional" "$@"
        sed -e '1s/^/Description: /' -e '2,$s/^/ /'
    } >"$root/DEBIAN/control"
    [ ! -d "$root/etc" ] || (cd "$root" && find etc -type f | sed 's|^|/|' >DEBIAN/conffiles)
    (cd "$root" && find usr lib -type f -exec md5sum {} + 2>/dev/null | LC_ALL=C sort -k2 >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >/dev/null
}

make_packages() { # of what is in $stage
    select_files libengine1 "lib/$triplet/*.so.*"
    chmod a-x "$root/usr/lib/$triplet"/*
    echo "libengine 1 libengine1 (>= $version)" >"$root/DEBIAN/shlibs"
    echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
    package libengine1 libs 'Multi-Arch: same' "Depends: libengine-data (>= $version), $(libraries)" \
        'Recommends: libopenblas0-pthread' <<END
transformer encoder on CPUs - library
libengine turns texts into vectors with transformer encoders (BERT and others)
that are mapped from weight files, and computes on CPUs alone.
END
    select_files libengine-data share/encode/default.weights
    package libengine-data misc 'Architecture: all' 'Multi-Arch: foreign' <<END
transformer encoder on CPUs - default weights
A small encoder for short English texts, which the programs of encode and
libengine use unless another weight file is named.
END
    select_files libengine-dev 'include/*' "lib/*" 'share/man/man3/*'
    package libengine-dev libdevel 'Multi-Arch: same' "Depends: libengine1 (= $version), libutf8proc-dev" <<END
transformer encoder on CPUs - development files
Headers, static library, and files for pkg-config and CMake of libengine,
which turns texts into vectors.
END
    if [ -f "$stage/usr/bin/encode-serve" ]; then
        select_files encode-serve 'bin/encode-serve' 'share/*/encode-serve' 'share/*/encode-serve.1' \
            'share/*/_encode-serve' 'share/*/encode-serve.fish'
        install -D -m 644 -t "$root/lib/systemd/system" tools/build/install/encode-serve.service \
            tools/build/install/encode-serve.socket
        install -D -m 644 tools/build/install/encode-serve.default "$root/etc/default/encode-serve"
        install -D -m 644 -t "$root/usr/share/doc/encode-serve" tools/hosts/serve/*.md
        package encode-serve net "Depends: $(libraries)" <<END
server of embeddings and reranking
encode-serve answers the embedding and reranking calls of clients of OpenAI,
Ollama, text-embeddings-inference, Cohere and Jina from weight files.
END
    fi
    select_files encode '*'
    install -D -m 644 "$build/lesson.html" "$root/usr/share/doc/encode/lesson.html"
    package encode science 'Multi-Arch: foreign' "Depends: $(libraries)" 'Recommends: gnuplot-nox | gnuplot, curl' \
        'Suggests: encode-serve' <<END
transformer encoder on CPUs - programs
encode prints the vectors, tokens, labels and ranks of texts, encode-import
makes weight files from checkpoints, encode-search finds the nearest texts, and
encode-plot draws what an encoder computes; encode-fetch fetches checkpoints.
lesson.html, among the documents,
follows a sentence through the model.
END
}

# By the name that make has of it from here: what the objects depend on is written by these names.
make -s -j "$(nproc)" BUILD="$(realpath --relative-base="$PWD" "$build")" lesson >/dev/null
for architecture in "${@:-$host}"; do
    stage=$out/stage
    rm -rf "$out/stage" "$out/debian"
    mkdir -p "$stage"
    install_tree
    make_packages
done
rm -rf "$out/stage" "$out/debian"
ls "$out"/*.deb
