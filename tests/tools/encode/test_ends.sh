#!/usr/bin/env bash
# tags: long
# Ends of runs of encode at unlucky moments: killed, or failing, at each rename and each removal of a file, or without
# locks. From all remaining files --resume makes the complete output, and no rows
# file of one run is stored with vectors of another without a message.
#
# Guarantee: a run resumes from each rename and removal at its end, killed there or failing.
cd "$(dirname "$0")/../../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1
export LC_ALL=C ENCODE_MODEL=$folder/model
"$programs/encode-new" -o model --width 16 --max-tokens 32 --words "I ride bike you house red big a the dog" \
    >/dev/null 2>&1
encode=("$programs/encode" --threads 1)

# ---- A library in front of encode ----

# The n-th rename or removal finds its process killed, KILL_AT=n, or fails, FAIL_AT=n. NO_LOCKS: no file can be locked.
cat >ends.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int is_due(const char *variable, int n)
{
    const char *at = getenv(variable);
    return at && n == atoi(at);
}

static int fails(void)
{
    static int n;
    n++;
    if (is_due("KILL_AT", n))
        kill(getpid(), SIGKILL);
    errno = EIO;
    return is_due("FAIL_AT", n);
}

int rename(const char *from, const char *to)
{
    return fails() ? -1 : ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int unlink(const char *path)
{
    return fails() ? -1 : ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}

int flock(int fd, int how)
{
    errno = ENOLCK;
    return getenv("NO_LOCKS") ? -1 : ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(fd, how);
}
END
ending() { # VARIABLE=VALUE PROGRAM ARGUMENTS...: leaves $code
    { run env LD_PRELOAD="$folder/ends.so" "$@"; } 2>/dev/null
}
echo "I ride" >one
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -o ends.so ends.c -ldl 2>err && ending KILL_AT=1 "${encode[@]}" -p mean -f npy -o x <one
if [ "${code:-0}" != 137 ]; then
    echo 'skipped: no library can be put in front of encode here'
    exit 77
fi
rm -f x .encode*
ending FAIL_AT=2 "${encode[@]}" -p none -f npy -o x "I ride"
ends "no name for vectors that have a rows file" 1 "cannot replace 'x'"
check "nothing is left of them" [ -z "$(find . -name 'x*' -o -name '.encode-x*')" ]

# ---- Inputs, and what a run of another command has made ----

awk 'BEGIN { split("I ride bike you house red big a the dog", word, " ")
    for (i = 1; i <= 4000; i++) print word[1 + i % 10], word[1 + i % 7], word[1 + i % 9] }' >lines
awk '{ if (NR % 50 == 0) print "{" $0; else printf "{\"id\": \"d%d\", \"text\": \"%s\"}\n", NR, $0 }' lines >lines.jsonl
plain=(-p mean -f npy)
told=("${plain[@]}" --input jsonl --on-error skip) # with a rows file and a report
run "${encode[@]}" "${told[@]}" -p cls -o before < <(tail -n +2 lines.jsonl)
check "vectors of an earlier run" [ "$code" = 0 ]

beside=("" .rows.jsonl .left-out.jsonl)
same() { # FILE FILE: and the files of the same outputs
    local ending
    for ending in "${beside[@]}"; do
        [ -e "$1$ending" ] || [ -e "$2$ending" ] || continue
        cmp -s "$1$ending" "$2$ending" || return 1
    done
}
put_before() {
    local ending
    rm -rf x x.*
    for ending in "${beside[@]}"; do cp "before$ending" "x$ending"; done
    chmod 640 x
}

# Vectors of the earlier run match its rows file, new ones match theirs, unless a journal names both.
is_told() {
    [ -e x.journal ] && return 0
    cmp -s x.rows.jsonl whole.rows.jsonl || { [ ! -e x.rows.jsonl ] && [ ! -e whole.rows.jsonl ]; }
}

# ---- Killed at each step of the end ----

# A run over what an earlier one has made, killed in the middle, when its journal has been written twice.
begun() { # INPUT OPTION...: leaves x and its companion files, also in kept/
    local input=$1 pid i=0 seen='' n=0 now
    shift
    put_before
    rm -rf kept input
    mkfifo input
    { "${encode[@]}" "$@" -o x <input 2>err & } 2>/dev/null
    pid=$!
    exec 3>input
    until [ $n -ge 2 ] || ! kill -0 $pid 2>/dev/null; do
        now=$(cat x.journal 2>/dev/null)
        [ -z "$now" ] || [ "$now" = "$seen" ] || n=$((n + 1)) seen=$now
        i=$((i + 1)) # so slowly that no machine comes to the end of the input first
        sed -n "${i}p" "$input" >&3
        sleep 0.05
    done
    kill -KILL $pid
    { wait $pid; } 2>/dev/null
    exec 3>&-
    mkdir kept
    cp -p x x.* kept/
}
restore() {
    rm -rf x x.*
    cp -p kept/* .
}

# Killed at step after step until a run comes through: how many steps there were is in $step.
at_each_step() { # WHAT INPUT OPTION...
    local what=$1 input=$2 n_complete=0 n_finished=0 n_lines
    shift 2
    n_lines=$(grep -c '' "$input")
    rm -f whole whole.*
    run "${encode[@]}" "$@" -o whole <"$input"
    begun "$input" "$@"
    for ((step = 1; step <= 30; step++)); do
        restore
        ending KILL_AT=$step "${encode[@]}" "$@" -o x --resume <"$input"
        [ "$code" = 0 ] && break
        check "$what, step $step: exit code $code" [ "$code" = 137 ]
        ! grep -qs "\"lines\": $n_lines, .*\"finished\": true" x.journal || n_finished=$((n_finished + 1))
        check "$what, step $step: rows and vectors of two runs are told of" is_told
        run "$programs/encode-search" -p mean --query "I ride" x
        [ ! -e x.journal ] || check "$what, step $step: by encode-search" grep -q "'x.journal' exists" err
        run "${encode[@]}" "$@" -o x --resume <"$input"
        check "$what, step $step: --resume" [ "$code" = 0 ]
        if grep -q "'x' was complete and has been moved into place" err; then
            n_complete=$((n_complete + 1))
        fi
        check "$what, step $step: the whole output" same whole x
        check "$what, step $step: the mode of what it replaces" [ "$(stat -c %a x)" = 640 ]
        check "$what, step $step: nothing is left" [ -z "$(find . -maxdepth 1 -name 'x*.part' -o -maxdepth 1 -name x.journal)" ]
        restore
        ending FAIL_AT=$step "${encode[@]}" "$@" -o x --resume <"$input"
        check "$what, step $step fails: rows and vectors of two runs are told of" is_told
        run "${encode[@]}" "$@" -o x --resume <"$input"
        check "$what, step $step fails: the whole output" same whole x
    done
    check "$what: a run that nothing ends" [ "$code" = 0 ]
    check "$what: at least three steps, $step" [ "$step" -gt 3 ]
    check "$what: a journal that knows all lines" [ $n_finished -ge 1 ]
    check "$what: some of them behind the last text, $n_complete" [ $n_complete -ge 2 ]
}
at_each_step "rows and report" lines.jsonl "${told[@]}"
at_each_step "neither, where both were" lines "${plain[@]}"

# ---- A file system without locks ----

run "${encode[@]}" "${told[@]}" -o whole <lines.jsonl
begun lines.jsonl "${told[@]}"
ending NO_LOCKS=1 "${encode[@]}" "${told[@]}" -o x --resume <lines.jsonl
check "without locks: exit code $code" [ "$code" = 0 ]
check "without locks: the whole output" same whole x

# ---- Parts that no journal names ----

# Killed while its parts get their names: the journal has an entry, and not all files that it counts have a name. A file
# with a name is dropped by --restart alone.
rm -rf x x.*
ending KILL_AT=4 "${encode[@]}" "${told[@]}" -o x < <(for ((i = 1; i <= 4000; i++)); do
    sed -n "${i}p" lines.jsonl 2>/dev/null || break # the reader has gone
    sleep 0.05
done)
check "killed among the names: exit code $code" [ "$code" = 137 ]
check "killed among the names: the journal has an entry" grep -q '"bytes"' x.journal
check "killed among the names: a part is there" [ -e x.part ]
cp x.part before.part
for way in "" --resume; do
    # shellcheck disable=SC2086
    run "${encode[@]}" "${told[@]}" -o x $way <lines.jsonl
    [ "$code" = 0 ] && [ -n "$way" ] && break # what has no name had no bytes
    ends "killed among the names $way" 1 "continue with --resume"
    check "killed among the names $way: the part stays" cmp x.part before.part
done
run "${encode[@]}" "${told[@]}" -o x --restart <lines.jsonl
check "killed among the names: the whole output" same whole x
check "killed among the names: nothing is left" [ -z "$(find . -maxdepth 1 -name 'x*.part' -o -maxdepth 1 -name x.journal)" ]
finish
