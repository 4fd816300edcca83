#!/usr/bin/env bash
# Runs README's two commands in a bare system of another release: with its compiler, its libraries and what it calls its
# packages. Warnings are errors. Needs root and debootstrap.
#
#     tests/machine/debian.sh trixie                      both commands
#     tests/machine/debian.sh trixie make test ONLY=plot  the first command, and this instead of the second
#     tests/machine/debian.sh trixie tests/machine/walk.sh  the first command, and then a newcomer's way through README
#     tests/machine/debian.sh trixie --made               makes the system alone
#     MIRROR=URL tests/machine/debian.sh noble            Ubuntu 24.04, with its package ubuntu-keyring
#
# LEFT_OUT (patterns of suites) is passed on. The system is made in build/RELEASE/ and kept. The tree is copied into it,
# without build/, and ../shared is mounted read-only. Mounts and processes are in namespaces of their own, which end
# with this script.
set -u
cd "$(dirname "$0")/../.." || exit 1
release=${1:?a release, such as trixie}
shift
[ $# != 0 ] || set -- sh tools/setup.sh test
root=$PWD/build/$release keyring=/usr/share/keyrings/debian-archive-keyring.gpg
sites=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -v security)
mirror=${MIRROR:-${sites%%$'\n'*}}
from=("$mirror" /usr/share/debootstrap/scripts/sid)
case $release in
jammy | noble) # of Ubuntu, with the package ubuntu-archive-keyring of a newer Debian, and MIRROR
    keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    from=(--components=main,universe "$mirror" /usr/share/debootstrap/scripts/gutsy)
    ;;
esac

skip() { # WHY
    echo "skipped: $release: $1"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
}

in_root() { # COMMAND WORD...: in the tree's copy, without this environment
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private sh -c '
        root=$0
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" || exit
        if [ -d ../shared ]; then
            mount --bind ../shared "$root/srv/shared" && mount -o remount,bind,ro "$root/srv/shared" || exit
        fi
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$root" \
        CI=true WERROR=-Werror LEFT_OUT="${LEFT_OUT:-}" sh -c 'cd /srv/encode && exec "$@"' - "$@"
}

[ "$(id -u)" = 0 ] || skip 'needs root'
command -v debootstrap >/dev/null || skip 'needs debootstrap (sh tools/setup.sh packages)'
[ -f "$keyring" ] || skip "needs $keyring"
unshare --mount --pid --fork true 2>/dev/null || skip 'needs namespaces, which are forbidden here'
if [ ! -f "$root/made" ]; then
    echo "$release: debootstrap"
    rm -rf "$root" && mkdir -p build
    debootstrap --variant=minbase --keyring="$keyring" "${from[@]::${#from[@]}-2}" "$release" "$root" \
        "${from[@]: -2}" >"$root.log" 2>&1 || skip "its packages cannot be had: $(tail -n 1 "$root.log")"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # a lost system is made anew
    touch "$root/made"
fi
[ "$1" != --made ] || exit 0
mkdir -p "$root/srv/encode" "$root/srv/shared"
find "$root/srv/encode" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar cf - --exclude=./build --exclude=./.git . | tar xf - -C "$root/srv/encode" || exit

SECONDS=0
in_root sh tools/setup.sh run >"$root.log" 2>&1
code=$?
cat "$root.log"
echo "$release: sh tools/setup.sh run took $SECONDS s"
if [ $code != 0 ] || grep -q 'warning:' "$root.log"; then
    echo "FAILED: the first command: exit code $code, and warnings as above"
    exit 1
fi
in_root "$@"
