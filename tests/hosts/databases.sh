# databases.sh - what the suites of the databases' extensions share; they source it after tests/tools/checks.sh and
# tests/hosts/hosts.sh.
export ENCODE_MODEL=$tree/weights/default.weights

skip_all() { # WHY
    echo "skipped: $1 (sh tools/setup.sh hosts)"
    exit 77
}

# Builds a target of the Makefile with the flags of the build folder. Several suites run at the same time, and one make
# at a time may work in a build folder.
build_extension() { # TARGET
    (cd "$tree" && flock "$programs/hosts.lock" env MAKEFLAGS= make BUILD="${BUILD:-build}" "$1") \
        >"$folder/make.log" 2>&1 && return
    echo "FAILED: make $1"
    tail -n 20 "$folder/make.log"
    return 1
}

# A sanitizer's runtime must be loaded first, which a database of the system does not do.
sanitizer=
case ${SANITIZE:-} in
*address*) sanitizer=$(${CC:-cc} -print-file-name=libasan.so) ;;
esac
with_sanitizer() { # COMMAND...
    env ${sanitizer:+LD_PRELOAD="$sanitizer"} ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$@"
}
