"""encode-bench: its JSON has every field of every workload, and what cannot be done is refused. How fast anything is, is
not tested. test_bench.sh runs it with toy.weights there."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from programs import PROGRAMS, close, run, run_tests  # noqa: E402

TINY = "--shape 1/32/2/64/1000 --runs 2"
LAT16 = TINY + " -t 1 --workloads lat16"
STEPS = {"tokenize", "embed", "linear", "attention", "norm", "quantize", "answer", "wait", "other"}
WORDS = {"workload": None, "model": "1/32/2/64/1000", "type": "f32", "precision": "exact", "products": "f32",
         "isa": None}
FIGURES = {"threads", "runs", "texts", "min_ms", "median_ms", "texts_per_s", "tokens", "shortest", "longest",
           "tokens_per_s", "ms_per_token", "gflops", "cosine"}


def lines(command, code=0):
    """What the bench prints as JSON, and its notes."""
    done = run(f"{command} -f json", code)
    return [json.loads(line) for line in done.stdout.decode().splitlines()], done.stderr.decode()


def check_profile(line):
    assert set(line["profile"]) == STEPS and line["profile"]["linear"] > 0
    close(sum(line["profile"].values()), 1, 0.002)


def check_fields(line, workload, n_threads):
    assert set(line) == set(WORDS) | FIGURES | {"spread", "profile"} and line["workload"] == workload
    assert all(line[key] == text if text else line[key] for key, text in WORDS.items())
    assert line["threads"] == n_threads and line["runs"] == 2 and line["min_ms"] <= line["median_ms"]
    assert all(line[key] > 0 for key in FIGURES) and line["spread"] >= 0
    close(line["tokens_per_s"] / (line["tokens"] / line["median_ms"] * 1000), 1, 1e-4)
    check_profile(line)


def test_every_workload():
    os.mkdir("temporary")
    found, notes = lines(f"OMP_NUM_THREADS=2 TMPDIR=$PWD/temporary bench {TINY} -t 1,2 --seconds 0.1 --profile")
    assert len(found) == 10 and not notes
    for i, line in enumerate(found):
        workload = ("lat16", "lat128", "lat512", "thr", "thr128")[i // 2]
        check_fields(line, workload, i % 2 + 1)
        if workload == "lat16":  # 2 · 16 · (4 · 32² + 2 · 32 · 64) + 2 · 16² · 2 · 32 operations
            close(line["gflops"] * 1e6 * line["median_ms"] / 294912, 1, 1e-4)
        if workload == "thr":
            assert (line["texts"], line["shortest"], line["longest"]) == (512, 8, 40)
    assert not os.listdir("temporary")  # the made file has gone


def test_planted_link():
    """The program does not write to existing files in a folder that everybody may write."""
    run("mkdir open && echo kept >victim && ln -s ../victim open/encode-bench-$$.weights && TMPDIR=$PWD/open "
        f"exec {PROGRAMS}/encode-bench {LAT16} -f json")
    assert open("victim", encoding="ascii").read() == "kept\n"


def test_models_that_cannot_be_made():
    """Those of a shape are made by encode-new beside the program, in a nameless file in $TMPDIR or /tmp."""
    for folder, script in (("alone", None), ("killed", "kill -9 $$"), ("empty", ""), ("broken", 'echo x >"$2"')):
        run(f"mkdir {folder} && cp {PROGRAMS}/encode-bench {folder}/")
        if script is not None:
            with open(f"{folder}/encode-new", "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(f"{folder}/encode-new", 0o755)
    run("printf '[UNK]\\n[CLS]\\n[SEP]\\n' >words.txt && import --tokenizer-only words.txt -o words.alone")
    library = f"env LD_LIBRARY_PATH={PROGRAMS}"
    for command, words in (
            (f"TMPDIR=$PWD/nowhere bench {LAT16}", "cannot make a file in"),
            (f"TMPDIR=$(head -c 5000 /dev/zero | tr '\\0' x) bench {LAT16}", "cannot make a file in"),
            (f"TMPDIR=$PWD/absent bench {TINY}", "absent"),
            (f"{library} alone/encode-bench {LAT16}", "there is no 'encode-new' beside this program"),
            (f"{library} killed/encode-bench {LAT16}", "was ended by signal 9"),
            (f"{library} empty/encode-bench {LAT16}", "is empty"),
            (f"{library} broken/encode-bench {LAT16}", "weight"),
            ("bench -m words.alone -t 1", "holds no model"),
            ("bench -m nowhere -t 1", "nowhere")):
        done = run(command, None)
        assert done.returncode in (1, 2) and words in done.stderr.decode(), (command, done.stderr)
    run(f"unset TMPDIR; bench {LAT16} && TMPDIR= bench {LAT16}")


def test_names_of_files():
    """A workload has the name of its file, without its end."""
    twenties = "12345678901234567890" * 4
    for name, workload in (("plain", "plain"), (".hidden", ".hidden"), ("a.b.c", "a.b"), (twenties, twenties[:60] + "…")):
        run(f"echo 1 2 3 >{name}")
        assert lines(f"bench -m toy.weights --ids ./{name} --runs 1 -t 1")[0][0]["workload"] == workload


def test_files():
    run("printf '1 2 3\\n4 5\\n' >pair.txt")
    found, _ = lines("bench -m toy.weights --ids pair.txt --runs 1 -t 1")
    assert len(found) == 1 and [found[0][key] for key in ("workload", "model", "texts", "tokens")] == [
        "pair", "toy.weights", 2, 5]
    assert len(lines("bench -m toy.weights --ids pair.txt --workloads lat16 --runs 1 -t 1")[0]) == 2


def test_long_texts_and_types():
    found, _ = lines("bench --shape 1/16/1/16/1000 --runs 1 -t 1 --workloads lat2048,lat8192")
    assert [line["tokens"] for line in found] == [2048, 8192]
    found, _ = lines(f"bench {TINY} -t 1 --type int8,f16,bf16 --workloads lat16")
    assert [line["type"] for line in found] == ["int8", "f16", "bf16"]


def test_precisions():
    """Fast takes bf16 where the CPU has an instruction for it; cosines are to f32, of a file by --reference."""
    found, _ = lines(f"bench {LAT16} --type f32,int8 --precision exact,bf16,fast")
    used = "bf16" if found[2]["isa"] in ("amx", "avx512bf16") else "f32"
    assert [line["products"] for line in found] == ["f32", "bf16", used, "int8+f32", "int8+bf16", f"int8+{used}"]
    assert [line["precision"] for line in found] == 2 * ["exact", "bf16", "fast"]
    assert found[0]["cosine"] == 1 and all(0.99 < line["cosine"] < 1 for line in found[3:] + [found[1]])
    assert found[2]["cosine"] == found[1 if used == "bf16" else 0]["cosine"]
    run("new --layers 1 --width 32 --heads 2 --vocabulary 1000 -o f32.weights && new --layers 1 --width 32 --heads 2 "
        "--vocabulary 1000 --type int8 -o int8.weights")
    files = "-t 1 --runs 1 --workloads lat16"
    cosines = [lines(f"bench -m {names} {files}")[0][0]["cosine"] for names in (
        "f32.weights", "int8.weights", "int8.weights --reference f32.weights", "f32.weights --reference int8.weights")]
    assert cosines[:2] == [1, None] and 0.99 < cosines[2] < 1 and cosines[2] == cosines[3], cosines
    assert 0.99 < lines(f"bench -m f32.weights {files} --precision bf16")[0][0]["cosine"] < 1
    assert b"--reference requires -m" in run(f"bench {LAT16} --reference f32.weights", 2).stderr
    assert b"has width" in run(f"bench -m f32.weights {files} --reference toy.weights", 1).stderr


def test_text():
    printed = run(f"OMP_NUM_THREADS=2 bench {TINY} -t 2 --workloads lat16 --profile").stdout.decode()
    assert all(words in printed for words in ("GFLOP/s", "kernels ", "attention "))
    assert b"Exit codes" in run("bench --help").stdout and b"encode-bench " in run("bench --version").stdout
    for isa in ("portable", "avx2", "avxvnni", "avx512", "avx512vnni", "avx512bf16", "amx", "neon"):
        text = run(f"ENGINE_ISA={isa} bench {TINY} -t 1 --workloads lat16 --runs 1").stdout.decode()
        assert f"kernels {isa}\n" in text or isa != "portable"  # the others: where the CPU has them


def test_fewer_threads():
    """Figures are those of the threads that a session has, however many were asked for."""
    found, notes = lines(f"OMP_NUM_THREADS=1 bench {TINY} -t 1,1000 --workloads lat16 --profile")
    assert len(found) == 2 and found[1]["threads"] < 1000
    check_profile(found[1])
    assert f"1000 threads asked, the session has {found[1]['threads']}\n" in notes


def test_what_fails():
    """Workloads that the model cannot run are absent from the default list, and a failure if they are requested."""
    found, notes = lines("bench -m toy.weights --runs 1 -t 1")
    assert "lat512 is skipped: the model takes 16 tokens" in notes and len(found) == 1  # lat16
    found, notes = lines("bench -m toy.weights --workloads lat128,lat16 --runs 1 -t 1", 1)
    assert "lat128: " in notes and len(found) == 1  # the others go on
    run("echo 0123456789012345678901234567890123456789x 1 >long.txt; echo 1 2 999999 >large.txt")
    for options, words in (("-m absent.weights --workloads lat16", "absent.weights"),
                           ("-m toy.weights --ids long.txt --runs 1",
                            "line 1: '0123456789012345678901234567890123456789' is not a token id"),
                           ("-m toy.weights --ids large.txt --runs 1", "999999"),
                           ("-m toy.weights --ids none.txt --runs 1", "none.txt")):
        assert words in run(f"bench {options}", 1).stderr.decode(), options


def test_nothing_is_left_of_a_model():
    """Ended, as by Ctrl-C, as soon as the file of the model is open: half a second's work is no longer needed."""
    run(f"mkdir tmp; TMPDIR=$PWD/tmp {PROGRAMS}/encode-bench --shape 12/768/12/3072 --type f32 & while kill -0 $! && "
        "! ls -l /proc/$!/fd | grep -q \"$PWD/tmp/.*deleted\"; do :; done; kill -TERM $!; wait $!", 128 + signal.SIGTERM)
    assert not os.listdir("tmp")


run_tests(globals())
