#!/usr/bin/env python3
"""Changes one thing at a time in files of model/ and engine/, and lists the changes that no test notices.

    tests/mutate/mutate.py [--sample N] [--seed S] FILE...

Run by make mutants from the top of a built tree. Each mutant (mutants.py) is compiled to objects below
$BUILD/mutants/, never in the sources. Where the objects are those of the file as it is, the mutant is
the same program; else they are linked before $BUILD/liball.a with one suite after the other, and into
the libengine.so of programs that suites run, until a suite fails or takes far too long: the mutant is
killed. Suites of more than $MUTANT_SECONDS (3) do not take part. Of kernels that are compiled once per
instruction set only $MUTANT_ISAS (portable avx2) are changed.

$BUILD/mutants/results.tsv gets a line for each mutant; mutants that have a line are not tried again.
"""

import argparse
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
from collections import Counter
from glob import glob

from mutants import find_mutants, place

BUILD = os.environ.get("BUILD", "build")
FOLDER = os.path.abspath(f"{BUILD}/mutants")
RESULTS = f"{FOLDER}/results.tsv"
ISAS = os.environ.get("MUTANT_ISAS", "portable avx2").split()
# Suites of the interface see one archive like the others, so that changed objects come before it.
ARCHIVES = {f"{BUILD}/libengine.a": [f"{BUILD}/liball.a"]}
PROGRAMS_SUITES = f"{BUILD}/tests/tools/"
CLI = "tests/cli/"
# The quick suites and cases of commands that go through all of the library, for what its own suites do not notice.
GOING_THROUGH = [f"tests/{name}.c" for name in (
    "engine/test_heads", "engine/test_int8", "engine/test_positions", "engine/test_isa_identity",
    "api/test_encode_api", "api/test_session_api", "api/test_tokenize_api", "api/test_prompt_api", "api/test_head_api")
    ] + [f"{CLI}{name}.sh" for name in (
        "tasks/heads", "tasks/ranks", "tasks/sparse", "encode/windows", "encode/padding", "encode/input", "encode/files")]
# What takes long or is about threads and memory; and what compares instruction sets, of which only some are changed.
LEFT_OUT = r"test_(thread|fork|openblas|memory|no_alloc|alloc|identity|precision|grid|\w+_cases|attention_k|same_bits)"
# Suites of model/layers/search and engine/search, which are tested together.
SEARCHING = glob("tests/engine/search/test_*.c") + ["tests/api/test_search_api.c"] + glob(f"{CLI}search/*.sh")
LONGEST = int(os.environ.get("MUTANT_SECONDS", 3))  # seconds of a suite that takes part
LINKING = 0.1  # seconds, about
WAITING = 20  # seconds that a suite may take without computing


def make_commands(targets):
    """The commands that make would run for the targets, without debugging information, by target."""
    make = [os.environ.get("MAKE", "make"), "-n", "-B", "V=1", "CFLAGS=-O2", f"BUILD={BUILD}"]
    text = subprocess.run(make + targets, capture_output=True, text=True, check=True).stdout
    commands = {}
    for line in text.replace("\\\n", " ").split("\n"):
        words = shlex.split(line.split(" && ")[0]) if " -o " in line else []
        output = words[words.index("-o") + 1].removesuffix(".new") if "-o" in words else None
        if output in targets:  # make links beside it and renames
            commands[output] = [word for word in words if word != "ccache"]
    return commands


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Source:
    """A file that is changed, and the objects that are made of it."""

    def __init__(self, path):
        if not os.path.isfile(path):
            sys.exit(f"{path}: no such file")
        if not path.startswith(("model/", "engine/")):
            sys.exit(f"{path}: only files of model/ and engine/ can be changed")
        self.path = path
        self.text = read(path).decode()
        names = [name[:-2] + ".o" for name in glob(f"{BUILD}/model/**/*.d", recursive=True)
                   + glob(f"{BUILD}/engine/**/*.d", recursive=True) if self.is_part_of(name)]
        commands = make_commands(names)
        self.commands = [self.changed_command(commands[name]) for name in names]
        self.objects = {name: command[command.index("-o") + 1] for name, command in zip(names, self.commands)}
        if not names or not self.compile(self.text):
            sys.exit(f"{path}: no object of {BUILD}/ is made of it, or it does not compile")
        self.as_it_is = [read(name) for name in self.objects.values()]

    def is_part_of(self, dependencies):
        isa = re.search(r"/kernels_(\w+)\.d$", dependencies)
        with open(dependencies, encoding="utf-8") as file:
            return self.path in file.read().split() and (not isa or isa[1] in ISAS + ["select"])

    def changed_command(self, command):
        """The same with the changed file, which is found first, and another object."""
        command = [word for word in command if word not in ("-MMD", "-MP")]
        at = command.index("-o") + 1
        command[at] = f"{FOLDER}/{os.path.basename(command[at])}"
        at = command.index("-c") + 1
        if command[at] == self.path:
            command[at] = f"{FOLDER}/{self.path}"
        at = command.index("-I.")
        return command[:at] + [f"-I{FOLDER}"] + command[at:]

    def compile(self, text):
        changed = f"{FOLDER}/{self.path}"
        os.makedirs(os.path.dirname(changed), exist_ok=True)
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text)
        done = all(subprocess.run(command, capture_output=True).returncode == 0 for command in self.commands)
        os.remove(changed)
        return done

    def is_changed(self):
        return [read(name) for name in self.objects.values()] != self.as_it_is


class Suite:
    def __init__(self, path, link):
        self.path, self.link = path, link
        self.seconds = 0.1
        self.takes_part = None

    def is_sound(self):
        """Whether it passes and is quick as things are, which is found out when it is first needed."""
        if self.takes_part is None:
            self.takes_part = self.run({}, LONGEST)
            if not self.takes_part:
                print(f"{self.path} fails or takes more than {LONGEST} s as things are: left out", flush=True)
        return self.takes_part

    def link_with(self, objects):
        """The suite with the changed objects before the archives; a suite of programs stays as it is, and
        finds a changed library."""
        if self.path.startswith((PROGRAMS_SUITES, CLI)):
            output, program = f"{FOLDER}/libengine.so.1", self.path
            link = [objects.get(word, word) for word in self.link]
        else:
            output = program = f"{FOLDER}/suite"
            archive = next(i for i, word in enumerate(self.link) if word.endswith(".a"))
            link = self.link[:archive] + list(objects.values()) + self.link[archive:]
        link[link.index("-o") + 1] = output
        subprocess.run(link, capture_output=True, check=True)
        return os.path.abspath(program)

    def run(self, objects, cpu_seconds):
        """Whether all tests pass in that time."""
        program = [self.link_with(objects)]
        if self.path.startswith(CLI):
            program = [f"{CLI}test_cli.sh", os.path.basename(self.path)[:-3]]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = subprocess.Popen(program, preexec_fn=lambda: limit_child(cpu_seconds), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = child.wait(timeout=WAITING)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if code == 0:
            self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return code == 0


def limit_child(cpu_seconds):
    """It leads a group of its own, dumps no core, and is the first to go where memory is short."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def suite_sources(source):
    """The file's own suites, and what else may notice: first those of its folder."""
    folder, name = os.path.split(source.path)
    own = glob(f"tests/{folder}/test_{os.path.splitext(name)[0]}*.c")
    others = glob(f"tests/{folder}/test_*.c") + (SEARCHING if "/search/" in source.path else []) + GOING_THROUGH
    return own, [path for path in dict.fromkeys(own + others) if path in own or not re.search(LEFT_OUT, path)]


def find_suites(source, known):
    """The suites, and how many mutants each has killed, where the file's own has an advance."""
    own, sources = suite_sources(source)
    paths = [path if path.startswith(CLI) else f"{BUILD}/{path[:-2]}" for path in sources]
    library = f"{BUILD}/libengine.so.1"
    links = make_commands([path for path in paths if path not in known and not path.startswith(CLI)] + [library])
    for path in paths:
        if path not in known:
            link = links[library if path.startswith((PROGRAMS_SUITES, CLI)) else path]
            known[path] = Suite(path, [word for old in link for word in ARCHIVES.get(old, [old])] + ["-s"])
    return Counter({known[path]: 5 if f"{path[len(BUILD) + 1 :]}.c" in own else 1 for path in paths})


def verdict(source, kills, mutant):
    if not source.compile(source.text[: mutant.start] + mutant.after + source.text[mutant.end :]):
        return "does not compile"
    if not source.is_changed():
        return "same object"
    for suite in sorted(kills, key=lambda suite: -kills[suite] / (LINKING + suite.seconds)):
        if suite.is_sound() and not suite.run(source.objects, int(3 * suite.seconds) + 2):
            kills[suite] += 1
            return f"killed\t{os.path.basename(suite.path)}"
    return "survived"


def write_totals(lines):
    """Mutants by room and outcome."""
    rooms = {}
    for line in lines:
        where, outcome = line.split("\t")[:2]
        rooms.setdefault(os.path.dirname(where), Counter())[outcome] += 1
    for room, n in sorted(rooms.items()):
        n_unbuilt = n["does not compile"] + n["does not link"]
        print(f"{room + '/':<20} {sum(n.values()):5} mutants: {n_unbuilt} do not build, "
              f"{n['same object']} same object, {n['killed']} killed, {n['survived']} survived")


def main():
    parser = argparse.ArgumentParser(description="lists the changes of FILE that no test notices")
    parser.add_argument("--sample", type=int, help="at most so many mutants of each file")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    os.makedirs(f"{FOLDER}/tmp", exist_ok=True)
    os.environ.update(TMPDIR=f"{FOLDER}/tmp", LD_LIBRARY_PATH=FOLDER, OMP_WAIT_POLICY="passive", BUILD=BUILD)

    with open(RESULTS, "a+", encoding="utf-8") as results:
        results.seek(0)
        suites = {}
        done = {line.split("\t")[0] for line in results}
        for path in arguments.files:
            source = Source(path)
            kills = find_suites(source, suites)
            mutants = list(find_mutants(source.text))
            random.Random(arguments.seed).shuffle(mutants)
            for mutant in sorted(mutants[: arguments.sample]):
                where, change = place(source.text, mutant)
                if f"{path}:{where}" in done:
                    continue
                try:
                    outcome = verdict(source, kills, mutant)
                except subprocess.CalledProcessError:
                    outcome = "does not link"
                results.write(f"{path}:{where}\t{outcome}\t{change}\n")
                results.flush()
                if outcome == "survived":
                    print(f"{path}:{where}: {change}", flush=True)
    with open(RESULTS, encoding="utf-8") as results:
        write_totals(results)
    print(f"{os.path.relpath(RESULTS)}: each mutant and what became of it; those in it are not tried again")


if __name__ == "__main__":
    main()
