#!/usr/bin/env bash
# tags: no-coverage long
# The wheel of `make wheel` in an environment of its own, with NumPy and nothing else: its size, the time to the first
# vector, the program in it, and that no library of the system is used but libc's. The same of pip install tools/hosts/python.
# Needs python3-venv, python3-numpy and patchelf, and no network.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
. tests/hosts/hosts.sh
unset LIBENGINE_FOLDER PYTHONPATH
creator=
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import numpy, venv, ensurepip' 2>/dev/null && creator=$candidate && break
done
if [ -z "$creator" ] || ! command -v patchelf >/dev/null; then
    echo 'skipped: needs Python with NumPy, venv and pip, and patchelf (sh tools/setup.sh hosts)'
    exit 77
fi
build=${BUILD:-build}

make_environment() { # NAME: NumPy is the system's; sets $bin
    "$creator" -m venv --system-site-packages "$folder/$1" && bin=$folder/$1/bin
}

# Wheels are made by the same Python code, so a package of another BUILD must not be in the way of this one.
run env MAKEFLAGS= make -s BUILD="$build" wheel
check "make wheel: exit code $code" [ $code = 0 ]
wheel=$(tail -n 1 "$folder/out")
check 'its name' grep -qE '/libengine-[0-9.]+-py3-none-manylinux_2_[0-9]+_(x86_64|aarch64)\.whl$' "$folder/out"
cp "$wheel" "$folder/first.whl"
run env MAKEFLAGS= make -s BUILD="$build" wheel
check 'made again, the same bytes' cmp "$folder/first.whl" "$wheel"
wheel=$folder/$(basename "$wheel")
mv "$folder/first.whl" "$wheel"

make_environment wheel
cd "$folder" || exit 1
install_and_encode() {
    "$bin/pip" install -q --no-index --disable-pip-version-check "$wheel" &&
        "$bin/python" -c 'import libengine; print(len(libengine.Encoder().encode("I ride bike")))'
}
TIMEFORMAT='%R %U %S'
{ time install_and_encode >out 2>err; } 2>times
check 'pip install, and the first vector' [ "$(cat out)" = 256 ]
awk '{ printf "installed and a vector after %.1f s, %.1f s of CPU (at most 5)\n", $1, $2 + $3 }' times
check "in 5 s of CPU, as machines that run tests are busy: $(cat times)" awk '{ exit !(NF == 3 && $2 + $3 <= 5) }' times
place=$("$bin/python" -c 'import libengine, os; print(os.path.dirname(libengine.__file__))')
size=$(du -sk "$place" | cut -f1)
echo "wheel $(($(stat -c %s "$wheel") / 1024)) KiB, installed $size KiB (at most 12,288)"
check "installed in $size KiB" [ "$size" -le 12288 ]
run "$bin/python" -m libengine -f json -p model "I ride bike"
check 'python -m libengine prints what encode prints' cmp out <("$programs/encode" -f json -p model "I ride bike")
run "$bin/python" -m libengine --no-such-option
ends 'an unknown option' 2 'no-such-option'
run "$bin/python" -c 'import libengine; libengine.Encoder().encode("x")
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}), sep="\n")'
foreign=$(grep -E 'utf8proc|gomp|libengine' out | grep -v "^$place/")
check 'its own libraries are in use' [ -z "$foreign" ]
needs=$(objdump -T "$place"/bundled/*.so* "$place"/bundled/encode* 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
promised=GLIBC_2.$(sed -E 's/.*manylinux_2_([0-9]+)_.*/\1/' <<<"$wheel")
check "the glibc of its name, $promised, is enough, needs $needs" \
    [ "$(printf '%s\n' "$promised" "$needs" | sort -V | tail -n 1)" = "$promised" ]
check 'types are announced' [ -f "$place/py.typed" ]

make_environment tree
run env BUILD="$build" "$bin/pip" install -q --no-index --disable-pip-version-check "$tree/tools/hosts/python"
check "pip install tools/hosts/python: exit code $code" [ $code = 0 ]
run "$bin/python" -c 'import libengine; print(len(libengine.Encoder().encode("I ride bike")), libengine.__version__)'
check 'its vector' grep -qE '^256 [0-9.]+$' out
finish
