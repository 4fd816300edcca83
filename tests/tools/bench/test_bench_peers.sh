#!/usr/bin/env bash
# tools/study/peers/bench_peers.py says what is missing and measures nothing, with exit code 0, since peers
# are not needed for anything else. Its tables are written between their marks, and say where peers were not held to AVX2.
set -u
cd "$(dirname "$0")/../../.." || exit 1
command -v python3 >/dev/null || { echo 'skipped: python3 is not there'; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_failed=0

skips() { # WORDS SHARED
    local said
    said=$(PIP_NO_INDEX=1 PIP_FIND_LINKS= "$python" tools/study/peers/bench_peers.py "$folder/build" "$2" 2>&1) ||
        n_failed=$((n_failed + 1))
    case $said in
    *'bench-peers: skipped: '*"$1"*) ;;
    *) echo "expected '$1', found: $said" && n_failed=$((n_failed + 1)) ;;
    esac
}

# Not a wrapper, which would need programs of its own.
python=$(PATH=/usr/bin:/bin command -v python3 || command -v python3)
skips 'is not here' "$folder/absent"
mkdir -p "$folder/shared/peers"
touch "$folder/shared/peers/make_onnx.py"
skips 'p' "$folder/shared" # pip cannot install them, or python3 -m venv fails

FILE="$folder/page.md" PYTHONPATH=tools/study/peers "$python" - <<'END' || n_failed=$((n_failed + 1))
import argparse, os
import bench_peers as peers
path = os.environ["FILE"]
peers.FILES[:] = [path]
arguments = argparse.Namespace(workloads=["lat16", "thr"], threads=["1", "2"], holds={"native": True, "avx2": False})
held = ({("f32", "ours"): 2.0, ("f32", "Peer"): 3.0}, {"f32": 1.0})
alone = ({("f32", "ours"): 200.0}, {"f32": 0.99})
results = {("", "native"): {"1": {"lat16": held, "thr": held}, "2": {"lat16": held, "thr": held}},
           ("", "avx2"): {"1": {"lat16": alone, "thr": alone}, "2": {"lat16": alone, "thr": alone}},
           ("12/768: ", "native"): {"1": {"x": held}, "2": {"x": alone}},
           ("12/768: ", "avx2"): {"1": {"x": alone}, "2": {"x": alone}}}
expected = ["|  | 16 tokens | 512 short texts | 12/768: x |\n|---|---|---|---|\n"
            "| f32: Peer | 1.50/1.50 | 1.50/1.50 | 1.50 |\n| AVX2 peers | not held: no CPUID faulting |  |  |\n",
            "| ours, ms | 16 tokens | 512 short texts | 12/768: x | cosine |\n|---|---|---|---|---|\n"
            "| f32 | 2.0/2.0 | 2.0/2.0 | 2.0/200 | 1.00000 |\n"
            "| AVX2 f32 | 200/200 | 200/200 | 200/200 | 0.99000 |\n"]
assert [peers.table(arguments, results, is_ours) for is_ours in (False, True)] == expected
with open(path, "w", encoding="utf-8") as file:
    file.write("a\n<!-- bench-peers amx ours -->\nold \\1\n<!-- bench-peers end -->\nb\n"
               "<!-- bench-peers avx2 ours -->\nkept\n<!-- bench-peers end -->\n")
assert peers.replace_block("amx ours", "new \\1\n") and not peers.replace_block("amx peers", "x")
with open(path, encoding="utf-8") as file:
    assert file.read() == ("a\n<!-- bench-peers amx ours -->\nnew \\1\n<!-- bench-peers end -->\nb\n"
                           "<!-- bench-peers avx2 ours -->\nkept\n<!-- bench-peers end -->\n")
END
[ $n_failed = 0 ]
