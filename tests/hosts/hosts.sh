# hosts.sh - what the scripts of tests/hosts share; they source it after tests/tools/checks.sh.
#
# Sets $python to an interpreter with NumPy ("" if none is installed), which finds the package in the tree and the
# library in the build folder. HOSTS_PYTHON names another interpreter than that of tools/setup.sh hosts.
export LIBENGINE_FOLDER=$programs PYTHONPATH=$tree/tools/hosts/python PYTHONDONTWRITEBYTECODE=1
for python in "${HOSTS_PYTHON:-}" "$tree/build/hosts/bin/python" /usr/bin/python3 python3 ''; do
    [ -z "$python" ] || ! "$python" -c 'import numpy, libengine' 2>/dev/null || break
done

skip() { # REASON
    echo "skipped: $1"
    n_skipped=$((n_skipped + 1))
}

has() { # MODULE...: the interpreter has them all
    local name
    for name in "$@"; do
        "$python" -c "import $name" 2>/dev/null || return
    done
}

# N sentences of a seed, of 1 to 60 words; some with other scripts, blanks, marks, very long words.
sentences() { # N
    awk -v n="$1" 'BEGIN { srand(7); split("I ride bike you house red big a the dog man bites rain straße 東京 naïve Ελλάδα, don'\''t (one) 42", word, " ")
        for (i = 1; i <= n; i++) { line = "text " i; most = i % 50 ? rand() * 20 : 60
            for (k = 0; k < most; k++) line = line (rand() < 0.02 ? "  " : " ") word[1 + int(rand() * 20)]; print line } }'
}

no_engine() { # spark|ray: prints why it cannot run here, or fails
    case $1 in
    spark) has pyspark pyarrow pandas && command -v java >/dev/null && return 1 ;;
    ray) has ray.data pyarrow && return 1 ;;
    esac
    echo "$1 is not here (sh tools/setup.sh hosts)"
}
