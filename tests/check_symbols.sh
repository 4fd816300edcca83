#!/usr/bin/env bash
# The libraries export the functions of engine.h and nothing else to a program that links them, and import
# nothing that prints, ends the process or changes its settings.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
n_wrong=0

wrong() {
    echo "$1"
    n_wrong=$((n_wrong + 1))
}

# The names that engine.h declares: the compiler drops the comments, ENGINE_API marks the functions.
declared=$(${CC:-cc} -E -P engine/engine.h | tr '\n' ' ' | sed 's/__attribute__((visibility("default")))/\n&/g' |
    sed -nE 's/^__attribute__\(\([^)]*\)\)\)[^(]*\b(engine_[a-z0-9_]+) ?\(.*/\1/p' | sort)
[ -n "$declared" ] || wrong "no function found in engine/engine.h"

compare() { # FILE NM-OPTION
    local defined difference
    defined=$(nm "$2" --extern-only --defined-only --format=posix "$1" | awk 'NF > 1 {print $1}' | sort)
    difference=$(diff <(echo "$declared") <(echo "$defined"))
    [ -z "$difference" ] || wrong "$1 defines other names than engine.h declares (< declared, > defined):
$difference"
}

compare "$build/libengine.so" --dynamic
compare "$build/libengine.a" --no-sort

uses() { # EXPRESSION FILE...: undefined names that match; of a fortified call, __NAME_chk, the NAME
    local expression=$1
    shift
    nm --undefined-only --format=posix "$@" 2>/dev/null | awk 'NF > 1 {print $1}' | sed -E 's/^__(.*)_chk$/\1/' |
        sort -u | grep -xE "$expression" | tr '\n' ' '
}

# What extensions show to a database: what it asks for, if they are built.
shows() { # FILE EXPRESSION
    local others
    [ -e "$1" ] || return
    others=$(nm --dynamic --defined-only --format=posix "$1" | awk '{print $1}' | grep -vxE "$2" | tr '\n' ' ')
    [ -z "$others" ] || wrong "$1 defines $others"
}
shows "$build/libencode_sqlite.so" sqlite3_encodesqlite_init
shows "$build/postgres/encode.so" 'Pg_magic_func|_PG_init|(pg_finfo_)?encode_(text|rank|cosine|model|tokens|windows|spans)'

forbidden='printf|vprintf|fprintf|vfprintf|puts|putchar|fputs|fputc|fwrite|perror|stdout|stderr|exit|_exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|signal|sigaction|setlocale|setenv|putenv|srand|fesetround|fesetenv|omp_set_.*'
found=$(uses "$forbidden" "$build/libengine.a")
[ -z "$found" ] || wrong "the library prints, ends the process or changes its settings: $found"
found=$(uses "$forbidden" "$build"/tools/{sql,sqlite}/*.o "$build"/postgres/*.o)
[ -z "$found" ] || wrong "an extension prints, ends the process or changes its settings: $found"

# model/ computes: no memory, no threads, no files, no settings of the process and none of the system.
allocates='malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup'
schedules='GOMP_.*|__kmpc_.*|omp_.*|pthread_.*|openblas_set_.*'
asks='f?open|read|mmap|syscall|prctl|arch_prctl|sysconf|getenv|secure_getenv|setlocale|(new|use|free|dup)locale|localeconv|.*_l|time|clock.*'
found=$(uses "$allocates|$schedules|$asks" "$build"/model/{,*/}*.o)
[ -z "$found" ] || wrong "model/ allocates, schedules, or depends on the process and the system: $found"

soname=$(readelf -d "$build/libengine.so" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
[ "$soname" = libengine.so.1 ] || wrong "the soname is \"$soname\", not libengine.so.1"
readelf -lW "$build/libengine.so" | grep -q 'GNU_STACK.*RWE' && wrong "libengine.so asks for an executable stack"
# After dlclose, OpenMP's threads would continue in code that is no longer mapped.
readelf -dW "$build/libengine.so" | grep -q NODELETE || wrong "libengine.so may be unloaded under OpenMP's threads"

[ $n_wrong = 0 ]
