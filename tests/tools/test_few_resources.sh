#!/usr/bin/env bash
# encode on a system with few resources: no threads, little memory. It does its work with what it has, or reports what
# is missing, and ends. And what it does to OpenMP's threads, which spin unless the environment forbids it: it starts
# itself again, however it was started.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
seconds=300
[ -z "${SANITIZE:-}" ] || { echo 'skipped: sanitizers take memory and threads of their own'; exit 77; }
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME OMP_NUM_THREADS

"$programs/encode-new" -o "$folder/m.weights" --layers 2 --width 64 --heads 4 --position sinusoidal >/dev/null 2>&1
encode=("$programs/encode" -m "$folder/m.weights" 'a b c')
run "${encode[@]}" -t 1
cp "$folder/out" "$folder/expected"
check 'one thread encodes' [ $code = 0 ]

# ---- Threads that the system refuses ----
# To any user: a library in front of encode answers as the system does.
cat >"$folder/refuses.c" <<'END'
#include <errno.h>

int pthread_create(void *thread, const void *attributes, void *(*start)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)start, (void)argument;
    return EAGAIN;
}
END
if ${CC:-cc} -shared -fPIC -o "$folder/refuses.so" "$folder/refuses.c" 2>"$folder/err"; then
    alone=(env LD_PRELOAD="$folder/refuses.so" OMP_WAIT_POLICY=passive OMP_NUM_THREADS=3 timeout $seconds)
    for threads in '' '-t 1'; do
        # shellcheck disable=SC2086
        run "${alone[@]}" "${encode[@]}" $threads
        check "threads are refused, encode $threads: exit code $code" [ $code = 0 ]
        check "threads are refused, encode $threads: the same numbers" cmp "$folder/out" "$folder/expected"
    done
    run "${alone[@]}" "${encode[@]}" -t 3
    ends 'threads are refused, three asked for' 1 'the system refuses 3 threads'
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: no library can be made here'
fi

# By the system itself, which only root can have do it: another user may have one process, and that is encode.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v prlimit >/dev/null; then
    chmod -R a+rX "$folder"
    alone=(setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=1)
    run timeout $seconds "${alone[@]}" "$programs/encode" --version
    if grep -q 'Permission denied' "$folder/err"; then
        n_skipped=$((n_skipped + 1))
        echo 'skipped: the tree is not open to another user'
    else
        check 'no threads: --version' [ $code = 0 ]
        for threads in '' '-t 1'; do
            # shellcheck disable=SC2086
            OMP_NUM_THREADS=3 run timeout $seconds "${alone[@]}" "${encode[@]}" $threads
            check "no threads, encode $threads: exit code $code" [ $code = 0 ]
            check "no threads, encode $threads: the same numbers" cmp "$folder/out" "$folder/expected"
        done
        OMP_NUM_THREADS=3 run timeout $seconds "${alone[@]}" "${encode[@]}" -t 3
        ends 'no threads, three asked for' 1 'the system refuses 3 threads'
    fi
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: only root may become another user, with setpriv and prlimit'
fi

# ---- Stacks that the system does not have, or too small to compute on; and sizes that are none ----
for stack in 1000G 16K 255k 256K 16E -3 5B 99999999999999999999; do
    OMP_STACKSIZE=$stack OMP_NUM_THREADS=3 run timeout $seconds "${encode[@]}"
    check "stacks of $stack: exit code $code" [ $code = 0 ]
    check "stacks of $stack: the same numbers" cmp "$folder/out" "$folder/expected"
done
for size in GOMP_STACKSIZE=16K $'OMP_STACKSIZE=16\tK' 'OMP_STACKSIZE=16 K'; do
    OMP_NUM_THREADS=3 run timeout $seconds env "$size" "${encode[@]}" -t 3
    ends "$size, three threads asked for" 1 'the system refuses 3 threads'
done
OMP_NUM_THREADS=3 run timeout $seconds bash -c 'ulimit -s 128; exec "$@"' - "${encode[@]}" -t 3
ends 'stacks of 128 KB by default, three threads asked for' 1 'the system refuses 3 threads'
for stack in 1000G 16K; do
    OMP_STACKSIZE=$stack OMP_NUM_THREADS=3 run timeout $seconds "${encode[@]}" -t 3
    ends "stacks of $stack, three threads asked for" 1 'the system refuses 3 threads'
done

# ---- Little memory ----
# Addresses in KB: from too few for the program's libraries up to enough.
limited() { (ulimit -v "$1" && shift && exec "$@"); }
for kilobytes in 8000 20000 40000 60000 80000 100000 150000 200000; do
    for threads in 1 3; do
        OMP_NUM_THREADS=3 run timeout $seconds bash -c "$(declare -f limited); limited \"\$@\"" - $kilobytes "${encode[@]}" -t $threads
        if [ $code = 0 ]; then
            check "$kilobytes KB, $threads threads: the same numbers" cmp "$folder/out" "$folder/expected"
        else
            check "$kilobytes KB, $threads threads: ends by itself, not with $code" [ $code -lt 124 -o $code = 127 ]
            check "$kilobytes KB, $threads threads: says why" [ -s "$folder/err" ]
        fi
    done
done

# encode-plot finds principal components without OpenBLAS, which would wait for memory for ever.
plot=("$programs/encode-plot" words -m "$folder/m.weights" 'a b c' 'c b a' -f data)
run "${plot[@]}"
cp "$folder/out" "$folder/expected.plot"
check 'encode-plot: principal components' [ $code = 0 -a -s "$folder/out" ]
for kilobytes in 8000 60000 200000; do
    run timeout $seconds bash -c "$(declare -f limited); limited \"\$@\"" - $kilobytes "${plot[@]}"
    if [ $code = 0 ]; then
        check "encode-plot, $kilobytes KB: the same numbers" cmp "$folder/out" "$folder/expected.plot"
    else
        check "encode-plot, $kilobytes KB: ends by itself, not with $code" [ $code -lt 124 -o $code = 127 ]
        check "encode-plot, $kilobytes KB: says why" [ -s "$folder/err" ]
    fi
done

# A group of processes whose number or memory has a limit of its own, where one can be made.
grouped() { (echo "$BASHPID" >"$group/cgroup.procs" && exec "$@"); }
in_group() { # CONTROLLER FILE OF VERSION 1, OF VERSION 2, LIMIT: encode in it ends by itself
    local root=/sys/fs/cgroup limits=$2
    [ -e $root/cgroup.controllers ] && limits=$3 || root=$root/$1
    group=$root/encode-test-$$
    if ! mkdir "$group" 2>/dev/null || ! { echo "$4" >"$group/$limits"; } 2>/dev/null; then
        n_skipped=$((n_skipped + 1))
        echo "skipped: no cgroup can be made to limit $1"
        rmdir "$group" 2>/dev/null
        return
    fi
    OMP_NUM_THREADS=3 run timeout $seconds bash -c "group=$group; $(declare -f grouped); grouped \"\$@\"" - "${encode[@]}"
    rmdir "$group"
    if [ $code = 0 ]; then
        check "cgroup, $1 $4: the same numbers" cmp "$folder/out" "$folder/expected"
    else
        check "cgroup, $1 $4: ends by itself, not with $code" [ $code = 1 ]
        check "cgroup, $1 $4: says why" [ -s "$folder/err" ]
    fi
}
in_group pids pids.max pids.max 2
in_group memory memory.limit_in_bytes memory.max 64M

# ---- Threads that the user has bound to CPUs: all of these count, not the first thread's alone ----
two() { env "$1" "$programs/encode-bench" -m "$folder/m.weights" --workloads lat16 -t 2 --seconds 0.01; }
if [ "$(nproc)" -gt 1 ]; then
    for bound in OMP_PROC_BIND=true OMP_PLACES=cores; do
        run two $bound
        check "$bound: two threads" [ "$code" = 0 ]
        check "$bound: not fewer" [ "$(grep -c 'threads asked' "$folder/err")" = 0 ]
    done
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: one CPU'
fi

# ---- Between calls threads sleep, unless the user says otherwise ----
# How often GCC's runtime looks for work before it sleeps, as it says itself.
spins() { env OMP_DISPLAY_ENV=verbose "$@" 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'/\1/p" | tail -n 1; }
if ldd "$programs/encode" | grep -q libgomp; then
    check 'threads of the program sleep' [ "$(spins "${encode[@]}" -t 2)" = 0 ]
    check 'unless the user wants otherwise' [ "$(spins OMP_WAIT_POLICY=active "${encode[@]}" -t 2)" != 0 ]
else
    n_skipped=$((n_skipped + 1))
    echo 'skipped: OpenMP is not that of GCC'
fi
linker=$(ldd "$programs/encode" | grep -o '/[^ ]*ld-linux[^ ]*')
run "$linker" "${encode[@]}" -t 2
check 'started by the dynamic linker: the same numbers' cmp "$folder/out" "$folder/expected"
run bash -c 'exec -a "another name" "$@"' - "${encode[@]}" -t 2
check 'started by another name: the same numbers' cmp "$folder/out" "$folder/expected"
printf 'x\na b c\n' >"$folder/lines" # of which the program is left the second
(read -r _ && run "${encode[@]:0:3}" -p mean -t 2) <"$folder/lines"
"${encode[@]}" -p mean -t 1 >"$folder/expected"
check 'what stands on stdin is still there' cmp "$folder/out" "$folder/expected"
finish
