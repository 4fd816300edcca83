#!/bin/sh
# Installs what is missing on a Debian or Ubuntu machine, then does what it was asked.
#
#     sh tools/setup.sh          installs what the build and the tests need
#     sh tools/setup.sh run      ... builds encode, and encodes "I ride bike" (make builds the rest)
#     sh tools/setup.sh test     ... builds everything, and runs the tests
#     sh tools/setup.sh all      installs what every target of the Makefile needs (clang too), but for
#                                make train, which needs python3-torch, and the next four
#     sh tools/setup.sh cluster  installs Slurm, GNU parallel and Open MPI, for the tests of tools/cluster/, which
#                                skip without them. With Slurm come services that a system starts: not unasked
#     sh tools/setup.sh chromium installs a browser and its driver (440 MB) for the test that looks at the
#                                page of make lesson; without them it skips
#     sh tools/setup.sh aarch64  installs what make test-aarch64 needs: a cross compiler, an emulator, and
#                                libraries of arm64, which becomes a foreign architecture of this system
#     sh tools/setup.sh i386     the same for make test-i386, which needs no emulator
#
# Where everything is there already, nothing is installed and the network is not used.
set -eu
cd "$(dirname "$0")/.."

build='gcc libc6-dev make pkg-config libopenblas-dev libopenblas-pthread-dev libutf8proc-dev libjansson-dev'
tests='g++ libcmocka-dev clang-format cmake python3-numpy' # numpy: tests/quality
pictures='gnuplot-nox' # encode-plot runs it
clang='clang libclang-rt-dev libomp-dev'
cluster='slurmctld slurmd slurm-client munge parallel openmpi-bin'
chromium='chromium chromium-driver'
aarch64='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
i386='gcc-i686-linux-gnu libc6-dev-i386-cross'
foreign= # of these two: Debian's name for the processor
libraries='libgomp1 libopenblas-pthread-dev libutf8proc-dev libjansson-dev libcmocka-dev'

case ${1:-} in
run) packages="$build $pictures" ;;
test | '') packages="$build $pictures $tests" ;;
all) packages="$build $pictures $tests $clang" ;;
cluster) packages=$cluster ;;
chromium) packages=$chromium ;;
aarch64) packages="$aarch64" foreign=arm64 ;;
i386) packages="$i386" foreign=i386 ;;
*)
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

if [ -n "$foreign" ]; then
    packages="$packages make pkg-config"
    for library in $libraries; do
        packages="$packages $library:$foreign"
    done
fi

is_installed() { # of a package that several architectures have, this machine's, or NAME:ARCHITECTURE
    case $1 in
    *:*) architecture=${1#*:} ;;
    *) architecture=$(dpkg --print-architecture) ;;
    esac
    dpkg-query -W -f='${Architecture} ${db:Status-Status}\n' "$1" 2>/dev/null |
        grep -qE "^($architecture|all) installed$"
}

missing=
if command -v dpkg-query >/dev/null; then
    for package in $packages; do
        is_installed "$package" || missing="$missing $package"
    done
else
    echo "setup: not a Debian system; these must be there under whatever name they have: $packages" >&2
fi

if [ -n "$missing" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "setup: installing$missing" >&2
    [ -z "$foreign" ] || $as_root dpkg --add-architecture "$foreign"
    $as_root apt-get update -q >&2
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2
fi

jobs=$(nproc 2>/dev/null || echo 2)
case ${1:-} in
run)
    make -j "$jobs" build/encode >&2
    echo '$ build/encode "I ride bike"'
    build/encode "I ride bike"
    ;;
test) make -j "$jobs" test ;;
*) echo 'setup: everything is there. Next: make' >&2 ;;
esac
