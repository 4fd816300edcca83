#!/usr/bin/env bash
# tags: no-coverage
# Packaging without a program that it runs ends at once, and names its package: no traceback, nothing built.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
mkdir "$folder/bin" "$folder/tree"
ln -s /usr/bin/* "$folder/bin"
rm -f "$folder"/bin/{make,git,patchelf,ccache*}
make=$(command -v make) python=$(command -v python3 || echo /usr/bin/python3)
without() { # COMMAND...: without make, git and patchelf
    run env -u MAINTAINER -u MAKEFLAGS PATH="$folder/bin" PYTHONDONTWRITEBYTECODE=1 "$@"
    check "$1 $2: no traceback" [ "$(grep -c Traceback "$folder/err")" = 0 ]
}

if [ -x "$python" ]; then
    without "$python" -c 'import sys; sys.path[:0] = ["tools/hosts/python"]; import package; package.build_wheel(".")'
    ends 'pip install without make' 1 'pip install: packages are missing: make. sh tools/setup.sh packages installs them'
    without "$python" tools/hosts/python/package.py "$programs"
    ends 'package.py without patchelf' 1 'make wheel: packages are missing: patchelf.'
    without "$make" BUILD="$folder/build" wheel
    ends 'make wheel without patchelf' 2 'make wheel: packages are missing: patchelf.'
    check 'nothing is built before' [ ! -e "$folder/build" ]
fi
without tools/build/install/deb.sh "$folder/build"
ends 'make deb without git' 1 'make deb: packages are missing:'
check 'git is named' grep -q ' git\.' "$folder/err"
check 'nothing is built before' [ ! -e "$folder/build" ]

run tools/build/needs.sh target sh=dash "$folder/none=one" "$folder/nothing=one" no-such-command=two
check 'what is missing, once each' diff - "$folder/err" <<<'target: packages are missing: one two. sh tools/setup.sh packages installs them'
run tools/build/needs.sh target sh=dash "$folder=one"
check "if nothing is missing: exit code $code" [ "$code" = 0 ]
finish
