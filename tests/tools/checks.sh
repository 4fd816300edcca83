# checks.sh - what the scripts of tests that run programs share; they source it from the tree's root.
#
# Leaves: $tree, $programs (where the programs are), $shared (../shared, or what SHARED_DIR says) and $folder (a new
# one, removed at the end).
. tests/machine/environment.sh
tree=$PWD
programs=$(cd "${BUILD:-build}" && pwd)
shared=${SHARED_DIR:-../shared}
[ -d "$shared" ] && shared=$(cd "$shared" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_passed=0 n_failed=0 n_skipped=0

check() { # WHAT CONDITION...: the condition is a command
    local what=$1
    shift
    if "$@"; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED: $what"
        echo "  stdout: $(head -c 600 "$folder/out")"
        echo "  stderr: $(tail -n 12 "$folder/err")"
    fi
}

run() { # PROGRAM ARGUMENTS...: leaves out and err in $folder, and $code
    "$@" >"$folder/out" 2>"$folder/err"
    code=$?
}

ends() { # WHAT CODE WORDS: of the last run; stderr contains WORDS
    check "$1: exit code $code, expected $2" [ "$code" = "$2" ]
    check "$1: '$3' on stderr" grep -qF -- "$3" "$folder/err"
}

# Until a program takes SIGTERM as a request, or has ended. Before it is executed its process is a copy of this shell,
# which takes the signal as its own end, and removes the folder.
await_handler() { # PID
    while kill -0 "$1" 2>/dev/null; do
        [ "/proc/$1/exe" -ef "/proc/$$/exe" ] && sleep 0.01 && continue
        (($(sed -n 's/^SigCgt:\t/0x/p' "/proc/$1/status" 2>/dev/null || echo 0) >> 14 & 1)) && return
        sleep 0.01
    done
}

finish() { # the closing line that tests/run.sh counts
    echo "$n_passed passed, $n_failed failed$([ $n_skipped = 0 ] || echo ", $n_skipped skipped")"
    [ $n_failed = 0 ]
    exit
}
