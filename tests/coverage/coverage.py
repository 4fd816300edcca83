#!/usr/bin/env python3
"""Which branches of the source the tests took, as make coverage counted them.

    tests/coverage/coverage.py BUILD     BUILD: where gcc left its notes (.gcno) and the programs their counts (.gcda)

Prints a line for each room, with lines and branches in all and how many of them in hundred were run or taken, and
how many branches that were not taken have a reason in tests/coverage/uncovered.txt. Writes BUILD/files.txt, the same
for each file, and BUILD/uncovered.txt, each branch that was not taken with its reason, those without one first.
"""
import collections
import json
import os
import re
import subprocess
import sys

FLOORS = ("model", "engine", "tools")
REASONS = os.path.join(os.path.dirname(__file__), "uncovered.txt")

# What gcov says of one source file, summed over all objects that are made of it: the kernels are compiled once for
# each set of instructions, headers into many objects. Each is a Counter of how often something was run.
Source = collections.namedtuple("Source", "lines branches functions")


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
    sources = collections.defaultdict(lambda: Source(collections.Counter(), collections.Counter(), {}))
    for document in answer.stdout.splitlines():
        for file in json.loads(document)["files"]:
            if file["file"].startswith(FLOORS) and os.path.exists(file["file"]):  # it may have gone since
                add_counts(sources[file["file"]], file["lines"])
    return sources


def add_counts(source, lines):
    numbers = collections.Counter()  # a line that stands in two functions, by a macro, comes twice
    for line in lines:
        number = line["line_number"]
        source.lines[number] += line["count"]
        source.functions[number] = line.get("function_name", "")
        branches = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        for count in branches:
            source.branches[number, len(branches), numbers[number]] += count
            numbers[number] += 1


def read_reasons(path):
    """[(reason, file, text)]: expressions for a whole path, and for a function's name or a part of a line."""
    reasons, reason = [], ""
    for line in open(path, encoding="utf-8"):
        if line.startswith("    "):
            file, text = line.split(None, 1)
            reasons.append((reason, re.compile(file), re.compile(text.strip())))
        elif not line.startswith("#"):
            reason = line.strip() or reason
    return reasons


def reason_of(reasons, path, function, text):
    for reason, file, expression in reasons:
        if file.fullmatch(path) and (expression.fullmatch(function) or expression.search(text)):
            return reason
    return ""


def room_of(path):
    parts = path.split("/")
    name = parts[1].removesuffix(".c")  # tools/encode.c is the main of tools/encode/
    if parts[0] == "tools" or len(parts) > 2:
        return f"{parts[0]}/{name}"
    return parts[0]


def list_uncovered(sources, reasons):
    """[(reason, path, line, sentence)] of the branches that were not taken."""
    uncovered = []
    for path, source in sorted(sources.items()):
        texts = open(path, encoding="utf-8").read().splitlines()
        for (line, n, which), count in sorted(source.branches.items()):
            if count == 0:
                text, function = texts[line - 1].strip(), source.functions[line]
                times = f"run {source.lines[line]} times" if source.lines[line] else "never run"
                sentence = f"{path}:{line}: {function}: branch {which + 1} of {n} ({times}): {text}"
                uncovered.append((reason_of(reasons, path, function, text), path, line, sentence))
    return uncovered


class Sum:
    """Counts of a file, a room or a floor."""

    def __init__(self):
        self.lines = self.lines_run = self.branches = self.taken = self.reasoned = 0

    def add(self, source, n_reasoned):
        self.lines += len(source.lines)
        self.lines_run += sum(count > 0 for count in source.lines.values())
        self.branches += len(source.branches)
        self.taken += sum(count > 0 for count in source.branches.values())
        self.reasoned += n_reasoned

    def row(self, name):
        def hundredths(part, whole):
            return 100 * part / whole if whole else 100

        left = self.branches - self.taken
        return (
            f"{name:<42} {self.lines:>6} {hundredths(self.lines_run, self.lines):>6.1f} % {self.branches:>8}"
            f" {hundredths(self.taken, self.branches):>6.1f} % {left:>8} {left - self.reasoned:>14}"
        )


HEADING = f"{'':<42} {'lines':>6} {'run':>8} {'branches':>8} {'taken':>8} {'not taken':>8} {'without reason':>14}"


def table(sources, uncovered, name_of):
    sums = collections.defaultdict(Sum)
    reasoned = collections.Counter(path for reason, path, _, _ in uncovered if reason)
    for path, source in sources.items():
        sums[name_of(path)].add(source, reasoned[path])
    return [sums[name].row(name) for name in sorted(sums)]


def main(build):
    sources = read_counts(build)
    uncovered = list_uncovered(sources, read_reasons(REASONS))
    with open(os.path.join(build, "files.txt"), "w", encoding="utf-8") as file:
        print(HEADING, *table(sources, uncovered, lambda path: path), sep="\n", file=file)
    with open(os.path.join(build, "uncovered.txt"), "w", encoding="utf-8") as file:
        groups = collections.defaultdict(list)
        for reason, _, _, sentence in uncovered:
            groups[reason].append(sentence)
        for reason in sorted(groups):
            print(f"# {reason or 'without a reason'}: {len(groups[reason])}", *groups[reason], "", sep="\n", file=file)
    print(HEADING)
    print(*table(sources, uncovered, room_of), "", sep="\n")
    print(*table(sources, uncovered, lambda path: path.split("/")[0] + "/"), sep="\n")
    print(f"\n{build}/files.txt: each file; {build}/uncovered.txt: each branch that was not taken, and why")
    if not os.path.exists(os.path.join(build, "all_suites")):
        print("these suites alone: no full run is counted yet; make coverage runs all")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
