#!/usr/bin/env bash
# tags: no-coverage long
# make release: of a commit, made again elsewhere, the same bytes; a tarball that builds; static programs that print in an
# empty environment what the tree's do; and it ends before it starts where the changes of the version are not written.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
host=$(dpkg --print-architecture 2>/dev/null)
if ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
    echo 'skipped: this tree has no history, and a release is made of a commit'
    exit 77
fi

# Elsewhere: a clone, with a commit of its own where a change is planted.
clone=$folder/clone
run git clone -q "$tree" "$clone"
check 'a clone' [ "$code" = 0 ]
release() { # FOLDER ARCHITECTURE...: neither optimized nor compressed as a release is, since all is made twice
    run env -u CC MAKEFLAGS= RELEASE_CFLAGS=-O0 DPKG_DEB_COMPRESSOR_LEVEL=0 make -s -C "$1" release BUILD="$1/build" RELEASE="${*:2}"
}
release "$clone" "$host"
if grep -q 'packages are missing' "$folder/err"; then
    echo "skipped: $(cat "$folder/err")"
    exit 77
fi
check "make release: exit code $code" [ "$code" = 0 ]
made=$clone/build/release
version=$("$programs/encode" --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
for file in encode-$version.tar.gz encode-$version-lesson.html "encode-$version-linux-$(uname -m).tar.gz" "CHANGELOG-$version.md" \
    "encode_${version}_$host.deb" "libengine1_${version}_$host.deb" "libengine-data_${version}_all.deb"; do
    check "$file" [ -s "$made/$file" ]
done
check 'a wheel' compgen -G "$made/libengine-$version-py3-none-manylinux_2_*_$(uname -m).whl"
check 'SHA256SUMS' sh -c "cd '$made' && sha256sum --check --quiet SHA256SUMS && [ \$(ls | wc -l) = \$((\$(wc -l <SHA256SUMS) + 1)) ]"
check 'nothing else is left' [ ! -e "$made.tree" ]
tar xzf "$made/encode-$version.tar.gz" -C "$folder"
check 'the tarball has its version' [ "$(cat "$folder/encode-$version/VERSION")" = "$version" ]
check 'and what git has' [ -z "$(cd "$clone" && git ls-files | while read -r file; do [ -e "$folder/encode-$version/$file" ] || echo "$file"; done)" ]

# ---- Static programs: with nothing but a folder of their own ----
tar xzf "$made/encode-$version-linux-$(uname -m).tar.gz" -C "$folder"
cd "$folder"/encode-"$version"-linux-* || exit 1
run env -i ./encode -f json -p model "I ride bike"
check 'encode prints what it prints in the tree' cmp "$folder/out" \
    <(ENCODE_MODEL=$tree/weights/default.weights "$programs/encode" -f json -p model "I ride bike")
for program in encode encode-*; do
    check "$program is static" sh -c "! readelf -d '$program' | grep -q NEEDED"
    run env -i "./$program" --version
    check "$program starts: exit code $code" [ "$code" = 0 ]
done
if [ "$(id -u)" = 0 ] && chroot . /encode --version >"$folder/out" 2>&1; then
    run env -i ENCODE_MODEL=/default.weights "$(command -v chroot)" . /encode -f json -p model "I ride bike"
    check 'and in an empty system' cmp "$folder/out" \
        <(ENCODE_MODEL=$tree/weights/default.weights "$programs/encode" -f json -p model "I ride bike")
fi
cd "$tree" || exit 1

# ---- The same bytes, in another folder ----
cp "$made/SHA256SUMS" "$folder/sums"
mv "$clone" "$folder/another"
rm -rf "$folder/another/build"
release "$folder/another" "$host"
check "made again: exit code $code" [ "$code" = 0 ]
check 'the same bytes' diff "$folder/sums" "$folder/another/build/release/SHA256SUMS"

# ---- What is missing ends it before it starts ----
sed -i 's/^## [0-9.]*$/## 999.0.0/' "$folder/another/tools/CHANGELOG.md"
(cd "$folder/another" && git -c user.name=A -c user.email=a@example.org commit -qam 'no changes of the version')
release "$folder/another" "$host"
check "without changes of the version: exit code $code" [ "$code" = 2 ]
check 'and says so' grep -qF "tools/CHANGELOG.md has no part '## $version'" "$folder/err"
check 'what was made before stays' [ -s "$folder/another/build/release/SHA256SUMS" ]
finish
