#!/usr/bin/env python3
"""Prints which branches of the source the tests took, as make coverage counted them.

    tests/coverage/coverage.py BUILD     BUILD: folder of gcc's notes (.gcno) and of the programs' counts (.gcda)

Prints a line for each room and each floor: lines and branches, the share that was run or taken, and how many branches
were not taken: of instructions that this processor lacks, with a reason in tests/coverage/uncovered.txt, and with
neither. Then the raw share of the library and of the tools, over all branches, with or without a reason. Writes
BUILD/files.txt, the same for each file, and BUILD/uncovered.txt, each branch that was not taken, with its reason.
After a run of all suites it fails if a raw share is below LEAST, and names lines of tests/coverage/uncovered.txt that
excuse nothing.
"""
import collections
import json
import os
import re
import subprocess
import sys

FLOORS = ("model", "engine", "tools")
REASONS = os.path.join(os.path.dirname(__file__), "uncovered.txt")
LEAST = {"library": 96, "tools": 92}  # branches taken of a hundred

# What the kernels of an instruction set need, in the words of /proc/cpuinfo. Where the processor lacks it, no test can
# run them: that is a reason for a whole set, and holds for branches that no other object has.
FLAGS = {"avx2": "avx2", "avxvnni": "avx_vnni", "avx512": "avx512bw", "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16", "amx": "amx_int8"}
LACKING = "instructions that this processor lacks"

# What gcov says of one source file, summed over all objects that are made of it: the kernels are compiled once for
# each set of instructions, headers into many objects. `possible` has the branches of objects that can run here.
Source = collections.namedtuple("Source", "lines branches functions possible")


def lacking_kernels():
    """Names of the objects whose instructions this processor lacks."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = set(re.search(r"^flags\s*:(.*)$|\Z", file.read(), re.M).group(0).split())
    return {f"kernels_{name}" for name, flag in FLAGS.items() if flag not in flags}


def read_counts(build):
    """{path: Source}. A branch is (line, how many branches the line has, which of them)."""
    notes = [
        os.path.join(folder, name)
        for floor in FLOORS
        for folder, _, names in os.walk(os.path.join(build, floor))
        for name in sorted(names)
        if name.endswith(".gcno")
    ]
    gcov = [os.environ.get("GCOV", "gcov"), "--json-format", "--stdout", "--branch-probabilities"]
    answer = subprocess.run(gcov + notes, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    counter = collections.Counter
    sources = collections.defaultdict(lambda: Source(counter(), counter(), {}, set()))
    lacking = lacking_kernels()
    for document in map(json.loads, answer.stdout.splitlines()):
        can_run = os.path.basename(document["data_file"]).split(".")[0] not in lacking
        for file in document["files"]:
            if file["file"].startswith(FLOORS) and os.path.exists(file["file"]):  # it may have gone since
                add_counts(sources[file["file"]], file["lines"], can_run)
    return sources


def add_counts(source, lines, can_run):
    numbers = collections.Counter()  # a line that is in two functions, by a macro, comes twice
    for line in lines:
        number = line["line_number"]
        source.lines[number] += line["count"]
        source.functions[number] = line.get("function_name", "")
        branches = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        for count in branches:
            branch = number, len(branches), numbers[number]
            source.branches[branch] += count
            if can_run:
                source.possible.add(branch)
            numbers[number] += 1


def read_reasons(path):
    """{(file, text of a line): reason}"""
    reasons, reason = {}, ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("    "):
                name, text = line.strip().split(": ", 1)
                reasons[name, text] = reason
            elif not line.startswith("#"):
                reason = line.strip() or reason
    return reasons


def room_of(path):
    parts = path.split("/")
    name = parts[1].removesuffix(".c")  # tools/encode.c is the main of tools/encode/
    if parts[0] == "tools" or len(parts) > 2:
        return f"{parts[0]}/{name}"
    return parts[0]


def part_of(path):
    return "tools" if path.startswith("tools/") else "library"


def list_uncovered(sources, reasons, used):
    """[(reason, path, line, sentence)] of the branches that were not taken; adds to `used` the reasons that count."""
    uncovered = []
    for path, source in sorted(sources.items()):
        with open(path, encoding="utf-8") as file:
            texts = [line.strip() for line in file]
        for (line, n, which), count in sorted(source.branches.items()):
            if count == 0:
                text = texts[line - 1] if line <= len(texts) else ""  # the file may have changed since
                function = source.functions[line]
                times = f"run {source.lines[line]} times" if source.lines[line] else "never run"
                sentence = f"{path}:{line}: {function}: branch {which + 1} of {n} ({times}): {text}"
                reason = reasons.get((path, text), "")
                if reason:
                    used.add((path, text))
                elif (line, n, which) not in source.possible:
                    reason = LACKING
                uncovered.append((reason, path, line, sentence))
    return uncovered


def percent(part, whole):
    return 100 * part / whole if whole else 100


class Sum:
    """Counts of a file, a room or a floor."""

    def __init__(self):
        self.lines = self.lines_run = self.branches = self.taken = self.lacking = self.reasoned = 0

    def add(self, source, reasons):
        self.lines += len(source.lines)
        self.lines_run += sum(count > 0 for count in source.lines.values())
        self.branches += len(source.branches)
        self.taken += sum(count > 0 for count in source.branches.values())
        self.lacking += reasons[LACKING]
        self.reasoned += sum(count for reason, count in reasons.items() if reason not in ("", LACKING))

    def row(self, name):
        left = self.branches - self.taken
        return (
            f"{name:<42} {self.lines:>6} {percent(self.lines_run, self.lines):>6.1f} % {self.branches:>8}"
            f" {percent(self.taken, self.branches):>6.1f} % {left:>9} {self.lacking:>8} {self.reasoned:>8}"
            f" {left - self.lacking - self.reasoned:>8}"
        )


HEADING = (
    f"{'':<42} {'lines':>6} {'run':>8} {'branches':>8} {'taken':>8} {'not taken':>9} {'lacking':>8} {'reason':>8}"
    f" {'without':>8}"
)


def table(sources, uncovered, name_of):
    """{name: Sum} in the order of the names."""
    sums = collections.defaultdict(Sum)
    reasons = collections.defaultdict(collections.Counter)
    for reason, path, _, _ in uncovered:
        reasons[path][reason] += 1
    for path, source in sources.items():
        sums[name_of(path)].add(source, reasons[path])
    return {name: sums[name] for name in sorted(sums)}


def print_table(sums, file=sys.stdout):
    print(*(sums[name].row(name) for name in sums), "", sep="\n", file=file)


def write_uncovered(path, uncovered):
    groups = collections.defaultdict(list)
    for reason, _, _, sentence in uncovered:
        groups[reason].append(sentence)
    with open(path, "w", encoding="utf-8") as file:
        for reason in sorted(groups):
            print(f"# {reason or 'without a reason'}: {len(groups[reason])}", *groups[reason], "", sep="\n", file=file)


def judge(sums, unused, is_full):
    """Prints the raw shares, and what is wrong with them and with the reasons; returns the exit code."""
    code = 0
    for name, total in sums.items():
        raw = percent(total.taken, total.branches)
        explained = percent(total.taken + total.lacking + total.reasoned, total.branches)
        print(f"{name}: {total.taken} of {total.branches} branches taken, {raw:.1f} % raw; {explained:.1f} % with ", end="")
        print(f"{total.lacking} of {LACKING} and {total.reasoned} with a reason")
        if is_full and raw < LEAST[name]:
            print(f"{name}: below {LEAST[name]} %")
            code = 1
    if not is_full:
        print("these suites alone: not all suites are counted yet; make coverage runs all")
        return 0
    for file, text in unused:  # on another processor it may count
        print(f"tests/coverage/uncovered.txt: no branch of this line is left to excuse: {file}: {text}")
    return code


def main(build):
    sources, reasons, used = read_counts(build), read_reasons(REASONS), set()
    uncovered = list_uncovered(sources, reasons, used)
    with open(os.path.join(build, "files.txt"), "w", encoding="utf-8") as file:
        print(HEADING, file=file)
        print_table(table(sources, uncovered, lambda path: path), file)
    write_uncovered(os.path.join(build, "uncovered.txt"), uncovered)
    print(HEADING)
    print_table(table(sources, uncovered, room_of))
    print_table(table(sources, uncovered, lambda path: path.split("/")[0] + "/"))
    is_full = os.path.exists(os.path.join(build, "all_suites"))
    code = judge(table(sources, uncovered, part_of), sorted(set(reasons) - used), is_full)
    print(f"{build}/files.txt: each file; {build}/uncovered.txt: each branch that was not taken, and why")
    return code


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
