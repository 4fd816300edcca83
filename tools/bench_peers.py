#!/usr/bin/env python3
"""bench_peers.py BUILD SHARED: this encoder beside ONNX Runtime, on the same token ids and weights.

For each workload and number of threads the programs take turns, several rounds long, so that what
disturbs the machine disturbs all of them. Each gives the median of its runs; the table has the
medians of the rounds, their ratio, and the least and the largest ratio of a round. For f32 the
peer is the faster of its two models, workload by workload. Needs node, npm and, once, python3-onnx;
what is missing is named, and nothing is measured then.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

SHAPE = ["--layers", "6", "--width", "384", "--heads", "12", "--ffn", "1536", "--vocab", "30522"]
PEER_MODELS = {"f32": ["plain", "fused"], "bf16": [], "int8": ["int8"]}


def skip(reason):
    print(f"bench-peers: skipped: {reason}", file=sys.stderr)
    sys.exit(0)


def run(command, **options):
    print("bench-peers:", " ".join(command), file=sys.stderr)
    return subprocess.run(command, stdout=sys.stderr, **options).returncode == 0


def json_lines(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options)
    return [json.loads(line) for line in done.stdout.splitlines()]


# ---- What is needed ----

def copy_peers(source, to):
    """Files only: the folder may be read-only, and its copy must not be."""
    for folder, _, names in os.walk(source):
        inner = os.path.join(to, os.path.relpath(folder, source))
        os.makedirs(inner, exist_ok=True)
        for name in names:
            shutil.copyfile(os.path.join(folder, name), os.path.join(inner, name))


def python_with_onnx():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, onnx"], capture_output=True).returncode == 0:
            return python
    return skip("no python3 with numpy and onnx (Debian: python3-numpy, python3-onnx)")


def make_models(shared, peers):
    """The same random numbers for both: a BERT directory, and ONNX files of it."""
    directory, onnx = os.path.join(peers, "minilm"), os.path.join(peers, "minilm.onnx")
    if os.path.exists(os.path.join(onnx, "model.int8.onnx")):
        return directory, onnx
    python = python_with_onnx()
    script = os.path.join(shared, "checkpoints", "checkpoints.py")
    if not run([python, script, "make", "bert", directory] + SHAPE):
        skip("the model could not be made")
    if not run([python, os.path.join(peers, "make_onnx.py"), directory, onnx]):
        skip("its ONNX files could not be made")
    return directory, onnx


def prepare(build, shared):
    source, peers = os.path.join(shared, "peers"), os.path.join(build, "peers")
    if not os.path.exists(os.path.join(source, "ort_bench.mjs")):
        skip(f"{source} is not here (SHARED_DIR says where)")
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    copy_peers(source, peers)
    if not os.path.exists(os.path.join(peers, "node_modules", "onnxruntime-node")):
        if not run(["npm", "i", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=peers):
            skip("npm could not install onnxruntime-node")
    directory, onnx = make_models(shared, peers)
    return peers, directory, onnx


def import_weights(build, peers, directory, precision):
    weights = os.path.join(peers, f"minilm.{precision}.weights")
    command = [os.path.join(build, "encode-import"), directory, "-o", weights, "--weights", precision]
    if not run(command):
        sys.exit(f"bench-peers: {directory} could not be imported")
    return weights


# ---- Measuring ----

def ours(build, peers, weights, workload, threads, seconds):
    [line] = json_lines([os.path.join(build, "encode-bench"), "-m", weights, "-t", str(threads),
                         "--ids", os.path.join(peers, "workloads", workload + ".txt"),
                         "--seconds", str(seconds), "-f", "json"])
    return line


def theirs(peers, onnx, kind, workload, threads, seconds):
    [line] = json_lines(["node", "ort_bench.mjs", "--model", os.path.join(onnx, f"model.{kind}.onnx"),
                         "--threads", str(threads), "--workloads", workload,
                         "--seconds", str(seconds)], cwd=peers)
    return line["median_ms"]


def take_turns(arguments, paths, weights, workload, threads):
    """Times by program, one per round: lines of ours by precision, medians of theirs by model."""
    mine, peer = {p: [] for p in weights}, {}
    for _ in range(arguments.rounds):
        for precision, file in weights.items():
            mine[precision].append(ours(arguments.build, paths[0], file, workload, threads,
                                        arguments.seconds))
            for kind in PEER_MODELS[precision]:
                peer.setdefault(kind, []).append(
                    theirs(paths[0], paths[2], kind, workload, threads, arguments.seconds))
    return mine, peer


def print_row(workload, threads, precision, mine, peer):
    medians = [line["median_ms"] for line in mine]
    best = min(PEER_MODELS[precision], key=lambda kind: statistics.median(peer[kind]), default=None)
    cells = [workload, str(threads), precision, f"{statistics.median(medians):.3f}",
             f"{mine[0]['tokens'] / statistics.median(medians) * 1000:.0f}",
             f"{100 * statistics.median(line['share_of_peak'] for line in mine):.0f} %"]
    if best is None:
        cells += ["", "", ""]
    else:
        ratios = sorted(t / m for t, m in zip(peer[best], medians))
        cells += [f"{statistics.median(peer[best]):.3f} ({best})",
                  f"{statistics.median(peer[best]) / statistics.median(medians):.2f}",
                  f"{ratios[0]:.2f} to {ratios[-1]:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def print_heading(arguments):
    machine = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        machine = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    print(f"{machine}, {os.cpu_count()} CPUs; 6/384/12/1536; medians of {arguments.rounds} rounds of "
          f"{arguments.seconds} s, in turns\n")
    print("| workload | threads | precision | ms | tokens/s | of peak | ONNX Runtime, ms | ratio | "
          "of rounds |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("shared")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--threads", default="1,2" if (os.cpu_count() or 1) > 1 else "1")
    parser.add_argument("--workloads", default="lat16,lat128,lat512,thr,thr128")
    parser.add_argument("--precisions", default="f32,int8")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    shared = os.path.abspath(arguments.shared)
    paths = prepare(arguments.build, shared)
    weights = {p: import_weights(arguments.build, paths[0], paths[1], p)
               for p in arguments.precisions.split(",")}
    print_heading(arguments)
    for threads in map(int, arguments.threads.split(",")):
        for workload in arguments.workloads.split(","):
            mine, peer = take_turns(arguments, paths, weights, workload, threads)
            for precision in weights:
                print_row(workload, threads, precision, mine[precision], peer)


if __name__ == "__main__":
    main()
