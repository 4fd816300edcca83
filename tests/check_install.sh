#!/usr/bin/env bash
# Installs into a folder of its own and links programs against the installed library: the sample, as C and as
# C++, with gcc and clang, shared and static, through pkg-config; then with a host whose own functions
# have the names that the library uses inside. make uninstall removes everything.
# shellcheck disable=SC2016,SC2317
set -u
cd "$(dirname "$0")/.." || exit 1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/usr
n_passed=0 n_failed=0 n_skipped=0

# Of what a command printed no more than its end is shown: run.sh shows 60 lines, and those of make are hundreds.
check() { # WORDS COMMAND...: passes if the command does
    local words=$1 output code
    shift
    output=$("$@" 2>&1)
    code=$?
    if [ $code = 0 ]; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED: $words: exit code $code of: $*"
        if [ -n "$output" ]; then tail -n 15 <<<"$output"; else echo '(it printed nothing)'; fi
    fi
}

prints() { # EXPRESSION COMMAND...: a line of what the command prints is that
    local output
    output=$("${@:2}" 2>&1)
    grep -qxE -- "$1" <<<"$output" || { echo "no line of this is '$1': $output" && return 1; }
}

skip() {
    n_skipped=$((n_skipped + 1))
    echo "skipped: $1"
}

finish() {
    echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
    [ $n_failed = 0 ]
    exit
}

# A copy of the build folder, as another prefix rebuilds some files, and other suites run the programs in the original.
mkdir "$place/build"
(cd "${BUILD:-build}" && cp -a --parents flags lib* engine* model tools encode* minimal "$place/build") 2>/dev/null
quiet_make() {
    MAKEFLAGS='' make -j2 BUILD="$place/build" PREFIX="$prefix" DESTDIR= "$@"
}
check 'make' quiet_make all
[ $n_failed = 0 ] || finish
check 'make install' quiet_make install
[ $n_failed = 0 ] || finish
compiles() { # MOST VARIABLE...: make install compiles so many files at most
    local output
    output=$(quiet_make install "${@:2}") && [ "$(grep -c '^  compile' <<<"$output")" -le "$1" ] && return
    echo "compiled, expected at most $1:"
    grep '^  compile' <<<"$output" || echo "$output"
    return 1
}
check 'make install again compiles nothing' compiles 0
knowing=$(grep -ls ENCODE_DATADIR tools/common/*.c engine/*.c engine/*/*.c | wc -l)
check 'another prefix compiles what knows it' compiles "$knowing" PREFIX="$place/other"
check 'and so does the first again' compiles "$knowing"

# Programs find the weights of their tree from any folder of programs, named by a relative or an absolute path.
runs_in() { # BUILD: links the weights there as make all does, and runs a copy of encode
    quiet_make BUILD="$1" "$1/default.weights" && cp "$place"/build/{encode,libengine.so.1} "$1" || return
    (program=$(cd "$1" && pwd)/encode && cd / && unset ENCODE_MODEL LD_LIBRARY_PATH && "$program" 'I ride bike')
}
check 'make all links the weights beside the programs' cmp weights/default.weights "$place/build/default.weights"
check 'encode finds them in another BUILD' runs_in "$place/of/another-name"
check 'and in one that is a relative path' runs_in "$(realpath --relative-to=. "$place")/build-clang"

# Paths that make and the shell would take apart are refused before a file is made.
refuses() { # VARIABLE VALUE WORDS
    local output
    output=$(MAKEFLAGS='' make "$1=$2" install 2>&1) && return 1
    grep -qF -- "$1='$2' has $3" <<<"$output" || { echo "$output" && return 1; }
}
mkdir "$place/of/stage"
for name in BUILD PREFIX DESTDIR; do
    check "$name with a blank is refused" refuses "$name" "$place/of/stage/a b" 'a blank'
    check "$name with a quotation mark is refused" refuses "$name" "$place/of/stage/it's" "'"
done
check 'no file was made' diff /dev/null <(ls "$place/of/stage"; ls -d b install 2>/dev/null)
rm -r "$place/of" "$place/build-clang"

# A linker that fails in the middle leaves the library and the programs that are there.
mkdir "$place/linker"
cat >"$place/linker/ld" <<'END'
#!/bin/sh
for word; do
    [ "$before" != -o ] || echo broken >"$word"
    before=$word
done
exit 1
END
chmod +x "$place/linker/ld"
fails_to_link() { ! quiet_make all PREFIX="$place/third" LDFLAGS="-B$place/linker/"; }
check 'a link that fails ends make' fails_to_link
check 'and leaves a program that runs' "$place/build/encode" --version

files() { (cd "$1" && find . ! -type d | sort); }

check 'make install with DESTDIR' quiet_make install DESTDIR="$place/stage"
check 'DESTDIR holds the same files' diff <(files "$prefix") <(files "$place/stage$prefix")
for file in bin/encode bin/encode-fetch bin/encode-new bin/encode-inspect include/engine.h include/engine_types.h include/engine_answers.h include/engine_search.h include/engine_details.h lib/libengine.a lib/libengine.so \
    lib/libengine.so.1 lib/pkgconfig/engine.pc lib/cmake/engine/engineConfig.cmake \
    share/bash-completion/completions/encode share/zsh/site-functions/_encode share/fish/vendor_completions.d/encode.fish share/man/man1/encode.1 share/man/man7/encode-formats.7 share/encode/default.weights share/encode/plot/common.gp \
    share/encode/plot/maps.gp; do
    check "$file is installed" test -s "$prefix/$file"
done

# Programs share the library, and carry nothing that only a debugger reads.
for program in "$prefix"/bin/*; do
    [ "${program##*/}" != encode-fetch ] || continue # a script
    check "$program links libengine.so" bash -c "readelf -d '$program' | grep -q 'NEEDED.*libengine.so.1'"
    check "$program is stripped" bash -c "! readelf -SW '$program' | grep -qE '\.(debug_info|symtab)'"
done
check 'so is libengine.so' bash -c "! readelf -SW '$prefix/lib/libengine.so' | grep -qF .debug_info"
check 'programs and library take less than 4 MB' [ "$(cat "$prefix"/bin/* "$prefix"/lib/*.so.1 | wc -c)" -lt 4000000 ]

# The installed program finds the installed library and weights, from anywhere, also where all was moved.
encode_elsewhere() { (cd / && unset ENCODE_MODEL LD_LIBRARY_PATH && "${1:-$prefix}/bin/encode" 'I ride bike'); }
check 'encode runs where it is installed' encode_elsewhere
check 'and prints what it prints in the tree' \
    diff <(encode_elsewhere) <(ENCODE_MODEL=weights/default.weights "$place/build/encode" 'I ride bike')
draw_elsewhere() { (cd / && unset ENCODE_MODEL LD_LIBRARY_PATH && "$prefix/bin/encode-plot" words 'I ride bike' -f svg) }
if command -v gnuplot >/dev/null; then
    check 'encode-plot finds its scripts there' diff <(draw_elsewhere) <(ENCODE_MODEL=weights/default.weights "$place/build/encode-plot" words 'I ride bike' -f svg)
fi
check 'bash completes its options' bash -c '. "$0"; complete -p encode' "$prefix/share/bash-completion/completions/encode"
cp -r "$prefix" "$place/moved"
check 'also elsewhere' diff <(encode_elsewhere) <(encode_elsewhere "$place/moved")
rm -r "$place/moved"

# ---- SQLite ----
loads() { (cd / && unset ENCODE_MODEL && LD_LIBRARY_PATH=$prefix/lib sqlite3 :memory: '.load libencode_sqlite' "SELECT length(encode('I ride'));") }
if pkg-config --exists sqlite3 && command -v sqlite3 >/dev/null; then
    check 'make sqlite install' quiet_make sqlite install
    check 'SQLite finds the extension by its name, which finds the weights' prints 1024 loads
    check 'make install installs it again, as it is built' quiet_make install DESTDIR="$place/stage"
    check 'DESTDIR has it' test -s "$place/stage$prefix/lib/libencode_sqlite.so"
else
    skip 'SQLite is not here'
fi

# ---- Linking ----
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
flags=(-Wall -Wextra -Wpedantic -Werror)
read -ra cflags < <(pkg-config --cflags engine)
read -ra shared < <(pkg-config --libs engine)
read -ra static < <(pkg-config --libs --static engine)
static=("${static[@]/#-lengine/$prefix/lib/libengine.a}")
weights=$(pkg-config --variable=weights engine)
check 'pkg-config names the default weights' cmp "$weights" weights/default.weights
# The answer that every program must give: the one of the program built in the tree.
expected=$("$place/build/minimal" "$weights")
check 'the sample prints a cosine' prints 'cosine 0\.[0-9]{6}' echo "$expected"

link_and_run() { # NAME SHARED|STATIC COMMAND...
    local name=$1 kind=$2 libs=("${shared[@]}")
    shift 2
    if [ "$kind" = static ]; then libs=("${static[@]}"); fi
    check "$name, $kind: compiles and links" "$@" "${cflags[@]}" -o "$place/program" "${libs[@]}"
    check "$name, $kind: prints what the sample prints" diff <(echo "$expected") <("$place/program" "$weights")
    if [ "$kind" = static ]; then
        check "$name: needs no libengine.so" bash -c "! readelf -d '$place/program' | grep -q libengine"
    fi
    rm -f "$place/program"
}

# A host with a function for every name that is inside the library; to call one of them ends the program.
# (engine/plain/ is a program of its own, beside the library.)
mapfile -t objects < <(find "$place/build/model" "$place/build/engine" -name '*.o' -not -path '*/engine/plain/*')
inside=$(nm --extern-only --defined-only --format=posix "${objects[@]}" |
    awk '$2 == "T" {print $1}' | grep -v '^engine_' | grep -xE '[a-z0-9_]+' | sort -u)
for name in $inside layer_norm softmax linear gelu attention tokenize; do echo "$name"; done | sort -u |
    sed 's/.*/void &(void);\nvoid &(void) { abort(); }/' >"$place/names.c"
{ echo '#include <stdlib.h>' && cat "$place/names.c"; } >"$place/host.c"
check 'the host has names of the library' grep -q '^void tokenizer_encode' "$place/host.c"

for kind in shared static; do
    for compiler in gcc clang; do
        if ! command -v $compiler >/dev/null; then
            skip "$compiler is not here"
            continue
        fi
        link_and_run "C by $compiler" $kind $compiler -std=c99 "${flags[@]}" tools/minimal.c
        link_and_run "beside a host's names by $compiler" $kind $compiler -std=c11 -fno-builtin -rdynamic \
            tools/minimal.c "$place/host.c"
    done
    for compiler in g++ clang++; do
        if ! command -v $compiler >/dev/null; then
            skip "$compiler is not here"
            continue
        fi
        link_and_run "C++ by $compiler" $kind $compiler -x c++ -std=c++11 "${flags[@]}" tools/minimal.c -x none
    done
done

# ---- CMake ----
cmake_project() { # VERSION: configures and builds the sample as a project that asks for that version
    mkdir -p "$place/project"
    cat >"$place/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(sample C)
find_package(engine $1 REQUIRED)
add_executable(sample "$PWD/tools/minimal.c")
target_link_libraries(sample PRIVATE engine::engine)
message(STATUS "weights: \${engine_WEIGHTS}")
END
    rm -rf "$place/project/build"
    cmake -S "$place/project" -B "$place/project/build" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$place/project/build"
}
version=$(pkg-config --modversion engine)
fails() { ! "$@"; }
if command -v cmake >/dev/null; then
    check 'CMake finds the package, and builds the sample' cmake_project "$version"
    check 'CMake: prints what the sample prints' diff <(echo "$expected") <("$place/project/build/sample" "$weights")
    check 'CMake names the default weights' prints "-- weights: $weights" cmake_project ''
    check 'CMake: a newer version is asked for in vain' fails cmake_project 999.0
    check 'CMake: so is another first number' fails cmake_project 1
else
    skip 'cmake is not here'
fi

check 'make uninstall' quiet_make uninstall
check 'make uninstall of the other prefix' quiet_make uninstall PREFIX="$place/other"
check 'make uninstall with DESTDIR' quiet_make uninstall DESTDIR="$place/stage"
check 'nothing is left of it' diff /dev/null <(files "$prefix" && files "$place/stage$prefix" && files "$place/other")
finish
