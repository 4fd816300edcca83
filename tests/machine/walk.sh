#!/bin/sh
# A newcomer's way: the commands of README.md in their order, each with what it prints and how long it takes; all but
# the tests themselves, which have a stage of CI. A command that fails is counted, and the next one follows. For a bare system
# (installs for all users, as root):
#
#     tests/machine/debian.sh bookworm tests/machine/walk.sh
#
# Not done where it cannot be: what fetches from the network.
set -u
cd "$(dirname "$0")/../.." || exit 1
start=$(date +%s) n_passed=0 n_failed=0 n_skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

walk() { # COMMAND
    began=$(date +%s%N)
    sh -c "$1" >"$log" 2>&1
    code=$?
    printf '\n[%d ms, exit code %d] $ %s\n' $((($(date +%s%N) - began) / 1000000)) $code "$1"
    tail -n 12 "$log"
    if [ $code = 0 ]; then n_passed=$((n_passed + 1)); else n_failed=$((n_failed + 1)); fi
}

skip() { # COMMAND WHY
    printf '\n[not run: %s] $ %s\n' "$2" "$1"
    n_skipped=$((n_skipped + 1))
}

shown() { # COMMAND: one that README has within its text; false, and a failure, if it has it no longer
    tr '\n' ' ' <README.md | grep -qF -- "$1" && return
    echo "README.md does not have the command that this walk takes from it: $1"
    n_failed=$((n_failed + 1))
    return 1
}

# The blocks of commands, and those whose output is shown.
commands=$(mktemp)
awk '/^```/ { kind = kind == "" ? substr($0, 4) "." : ""; next }
    kind == "sh." { sub(/ +#.*/, ""); print }
    kind == "." && /^\$ / { print substr($0, 3) }' README.md >"$commands"
while IFS= read -r command <&3; do
    case $command in
    'sh tools/setup.sh test') walk 'sh tools/setup.sh' ;; # what it installs
    *encode-fetch* | *all-MiniLM*) skip "$command" 'needs the network' ;;
    *) walk "$command" ;;
    esac
done 3<"$commands"
rm -f "$commands"

# What the text names.
shown 'build/encode --fill "the dog [MASK] at the man"' && walk 'build/encode --fill "the dog [MASK] at the man"'
shown 'build/encode-compare words --position none "dog bites man" "man bites dog"' &&
    walk 'build/encode-compare words --position none "dog bites man" "man bites dog"'
walk 'apt-get install -qq -y --no-install-recommends man-db python3-venv python3-numpy' # which most systems have
shown 'man -l build/man/encode.1' && if command -v man >/dev/null; then
    walk 'man -l build/man/encode.1 | head -n 5'
else
    skip 'man -l build/man/encode.1' 'no man'
fi
shown 'make install' && walk 'make install >/dev/null'
shown 'cc minimal.c $(pkg-config --cflags --libs engine)' &&
    walk 'cd tools && cc minimal.c $(pkg-config --cflags --libs engine) -o /tmp/minimal && /tmp/minimal'
shown 'sh tools/setup.sh lesson' && walk 'sh tools/setup.sh lesson && make lesson && ls -l build/lesson.html'
shown 'pip install tools/hosts/python' && if python3 -c 'import venv, ensurepip, numpy' 2>/dev/null; then
    walk 'python3 -m venv --system-site-packages /tmp/python && /tmp/python/bin/pip install -q tools/hosts/python'
    awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' README.md >/tmp/page.py
    walk '/tmp/python/bin/python /tmp/page.py'
else
    skip 'pip install tools/hosts/python' 'no Python with pip and NumPy'
fi

echo
echo "README.md's commands took $(($(date +%s) - start)) s, after the first one"
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
[ $n_failed = 0 ]
