#!/bin/sh
# Installs what is missing on a Debian or Ubuntu machine, then does what it was asked.
#
#     sh tools/setup.sh          installs what the build and the tests need
#     sh tools/setup.sh run      installs what the build needs, builds encode, and encodes "I ride bike"
#     sh tools/setup.sh test     installs what the tests need too, builds everything, and runs the tests
#     sh tools/setup.sh all      installs what every target of the Makefile needs (clang too), but for
#                                make train, which needs python3-torch, and the next eight
#     sh tools/setup.sh cluster  installs Slurm, GNU parallel and Open MPI, for the tests of tools/hosts/cluster/, which
#                                skip without them. With Slurm come services that a system starts: not unasked
#     sh tools/setup.sh hosts    installs what the tests of tests/hosts/ need, which skip without it: of Debian (SQLite,
#                                PostgreSQL, Java, pip), and of PyPI into build/hosts/ (1.5 GB: Spark, Ray, Arrow ...)
#     sh tools/setup.sh serve    installs what the tests of tests/serve/ need, which skip without it: of Debian (haproxy,
#                                wrk, Python), and clients of npm and PyPI into build/serve-clients/ (250 MB)
#     sh tools/setup.sh languages installs what the tests of tests/hosts/languages/ need beside Node, Go, Java, Rust
#                                themselves: of Debian (JNA, musl), and packages of npm, Go and Maven (100 MB)
#     sh tools/setup.sh packages installs what make wheel, make deb, make release and their tests need: git, patchelf,
#                                lintian, a cross compiler and libraries of arm64, and, as root, a bare system of
#                                Debian in build/bare/ (250 MB)
#     sh tools/setup.sh lesson   installs what make lesson needs: clang, its linker and C library for WebAssembly
#     sh tools/setup.sh chromium installs a browser and its driver (440 MB) for the test that looks at the
#                                page of make lesson; without them it skips
#     sh tools/setup.sh aarch64  installs what make test-aarch64 needs: a cross compiler, an emulator, and
#                                libraries of arm64, which becomes a foreign architecture of this system
#     sh tools/setup.sh i386     the same for make test-i386, which needs no emulator
#
# If nothing is missing, nothing is installed and the network is not used. Packages are installed as root, by sudo for
# other users; without it the command for an administrator is printed. Only errors of apt-get are shown.
set -eu
cd "$(dirname "$0")/.."

# A|B: the first that the release has.
build='gcc libc6-dev make pkg-config libopenblas-dev libopenblas-pthread-dev libutf8proc-dev libjansson-dev'
tests='g++ libcmocka-dev clang-format cmake jq python3-numpy' # numpy: tests/quality
pictures='gnuplot-nox' # encode-plot runs it
server='libmicrohttpd-dev' # for encode-serve, which make leaves out without it
clang='clang libclang-rt-dev libomp-dev'
lesson='clang lld wasi-libc libclang-rt-dev-wasm32'
cluster='slurmctld slurmd slurm-client munge parallel openmpi-bin'
hosts='libsqlite3-dev sqlite3 postgresql postgresql-server-dev-15|postgresql-server-dev-16|postgresql-server-dev-17'
hosts="$build $hosts default-jre-headless python3-numpy python3-venv python3-pip patchelf"
wheels='sqlite-vec==0.1.9 numpy==2.4.6 scipy==1.17.1 pyarrow==26.0.1 pandas==2.3.3 pyspark==4.3.0 ray[data]==2.60.0'
wheels="$wheels langchain-core==1.8.3 llama-index-core==0.14.25" # of hosts, from PyPI
serve='haproxy wrk python3-venv python3-numpy'
clients='openai@7.59.0 ollama@0.6.4 @langchain/openai@1.6.0 @langchain/ollama@1.3.0 @huggingface/inference@4.13.30'
clients="$clients cohere-ai@8.1.0" # of serve, from npm
python_clients='openai==3.57.0 huggingface_hub==2.4.0 ollama==0.6.3 cohere==7.3.1 jsonschema==4.26.0' # and from PyPI
openapi=https://raw.githubusercontent.com/huggingface/text-embeddings-inference/v1.6.0/docs/openapi.json
languages='libjna-java musl-tools busybox-static patchelf jq'
of_npm='koffi@3.3.4 @langchain/core@1.4.0 typescript@7.0.2 @types/node' # of languages
packages_of_deb='dpkg-dev lintian debootstrap patchelf git python3' # and of make wheel, make release
bare='libgomp1 libutf8proc2|libutf8proc3 libutf8proc-dev libjansson4 libmicrohttpd12|libmicrohttpd12t64' # of make deb
chromium='chromium chromium-driver'
aarch64='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
i386='gcc-i686-linux-gnu libc6-dev-i386-cross'
foreign= # of these two: Debian's name for the processor
libraries='libgomp1 libopenblas-pthread-dev libutf8proc-dev libjansson-dev libcmocka-dev'

case ${1:-} in
run) packages=$build ;;
test | '') packages="$build $pictures $server $tests" ;;
all) packages="$build $pictures $server $tests $clang $lesson" ;;
cluster) packages=$cluster ;;
hosts) packages=$hosts ;;
serve) packages=$serve ;;
languages) packages=$languages ;;
packages) packages="$build $pictures $lesson $packages_of_deb $server $aarch64" foreign=arm64 libraries="$libraries $server" ;;
lesson) packages="$build $pictures $lesson" ;;
chromium) packages="$chromium $lesson" ;;
aarch64) packages="$aarch64" foreign=arm64 ;;
i386) packages="$i386" foreign=i386 ;;
*)
    sed -n '2,28s/^# \{0,1\}//p' "$0" >&2
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

# shellcheck disable=SC2086
alternatives() { (IFS='|' && echo $1); }

is_any_installed() { # A|B
    for name in $(alternatives "$1"); do
        ! is_installed "$name" || return 0
    done
    return 1
}

names_here() { # PACKAGE...: for A|B the first that apt-get knows, else the last
    for package in "$@"; do
        for name in $(alternatives "$package"); do
            [ -z "$(apt-cache show "$name" 2>/dev/null)" ] || break
        done
        printf ' %s' "$name"
    done
}

missing=
if command -v dpkg-query >/dev/null; then
    for package in $packages; do
        is_any_installed "$package" || missing="$missing $package"
    done
else
    echo "setup: not a Debian system; install what it calls these Debian packages: $packages" >&2
fi

install='apt-get install -y --no-install-recommends'
give_up() { # WHY: prints what an administrator can type
    echo "setup: $1. An administrator can:" >&2
    # shellcheck disable=SC2086
    install=$install$(names_here $missing)
    printf '    %s\n' ${foreign:+"dpkg --add-architecture $foreign"} 'apt-get update' "$install" >&2
    exit 1
}

if [ -n "$missing" ]; then
    as_root=sudo
    [ "$(id -u)" != 0 ] || as_root=
    [ -z "$as_root" ] || command -v sudo >/dev/null ||
        give_up 'packages are missing, and this user has no sudo to install them with'
    [ -z "$foreign" ] || $as_root dpkg --add-architecture "$foreign" || give_up "$foreign cannot be added"
    # One source of many that does not answer need not be the one that these packages come from.
    $as_root apt-get update -qq >/dev/null || echo 'setup: apt-get update failed; trying with the lists it has' >&2
    # shellcheck disable=SC2086
    missing=$(names_here $missing)
    echo "setup: installing$missing" >&2
    policy=/usr/sbin/policy-rc.d services= is_made= is_done=yes # services that packages start and enable
    case ${1:-} in hosts | serve) services='haproxy postgresql' ;; esac
    if [ -n "$services" ] && [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null && is_made=yes && $as_root chmod 755 $policy
    fi
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive $install $missing -qq >/dev/null || is_done=
    for service in $services; do
        case $missing in *" $service"*) $as_root systemctl disable --quiet "$service" 2>/dev/null || : ;; esac
    done
    [ -z "$is_made" ] || $as_root rm -f $policy
    [ -n "$is_done" ] || give_up 'the packages could not be installed'
fi

jobs=$(nproc 2>/dev/null || echo 2)
case ${1:-} in
run)
    echo 'setup: building build/encode (a minute or two)' >&2
    make -j "$jobs" build/encode build/encode-compare >/dev/null
    echo '$ build/encode "I ride bike"'
    build/encode "I ride bike"
    ;;
test) make -j "$jobs" test ;;
hosts)
    [ -x build/hosts/bin/python ] || /usr/bin/python3 -m venv --system-site-packages build/hosts
    # shellcheck disable=SC2086
    build/hosts/bin/python -m pip install --quiet --disable-pip-version-check $wheels ||
        echo "setup: pip cannot install $wheels: tests that use them skip" >&2
    ;;
serve)
    [ -x build/serve-clients/python/bin/python ] ||
        /usr/bin/python3 -m venv --system-site-packages build/serve-clients/python
    # shellcheck disable=SC2086
    build/serve-clients/python/bin/python -m pip install --quiet --disable-pip-version-check $python_clients ||
        echo "setup: pip cannot install $python_clients: tests that use them skip" >&2
    # shellcheck disable=SC2086
    npm install --silent --no-audit --no-fund --prefix build/serve-clients $clients ||
        echo "setup: npm cannot install $clients: tests that use them skip" >&2
    [ -s build/serve-clients/openapi.json ] || curl -sfLo build/serve-clients/openapi.json "$openapi" ||
        echo "setup: $openapi cannot be had: the test that uses it skips" >&2
    ;;
languages) # what cannot be had is said, and its tests skip
    mkdir -p build/languages/java
    # shellcheck disable=SC2086
    ! command -v npm >/dev/null || npm install --silent --no-audit --no-fund --prefix build/languages $of_npm ||
        echo "setup: npm cannot install $of_npm" >&2
    ! command -v go >/dev/null || (cd tools/hosts/go && go mod download) || echo 'setup: go cannot download purego' >&2
    ! command -v mvn >/dev/null || mvn -q -B -f tools/hosts/java dependency:copy-dependencies \
        -DoutputDirectory="$PWD/build/languages/java" || echo "setup: Maven cannot copy JNA and langchain4j-core" >&2
    ;;
packages)
    # shellcheck disable=SC2086
    include=$(names_here $bare | sed 's/^ //; s/ /,/g')
    [ -f build/bare/etc/debian_version ] || [ "$(id -u)" != 0 ] ||
        debootstrap --variant=minbase --include="$include" "$(. /etc/os-release && echo "$VERSION_CODENAME")" build/bare \
            >build/bare.log 2>&1 || echo 'setup: debootstrap fails (build/bare.log): the test of packages skips' >&2
    ;;
*) echo 'setup: everything is installed. Next: make' >&2 ;;
esac
