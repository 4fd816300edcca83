"""What suites in Python share: run a shell command with the programs as functions, and run each function test_NAME.

A suite FILE.py is run by a script beside it, in a folder of its own, with the folder of the programs as its argument."""
import os
import subprocess
import sys

PROGRAMS = sys.argv[1]
FUNCTIONS = "".join(f'{name}() {{ "{PROGRAMS}/encode-{name}" "$@"; }}; ' for name in ("plot", "new", "bench", "import"))


class Skipped(Exception):
    """A test that cannot run here, and why."""


def run(command, code=0, **variables):
    """What the shell command writes; encode, plot, new, bench and import are the programs. code None: any."""
    line = f'encode() {{ "{PROGRAMS}/encode" "$@"; }}; {FUNCTIONS}{command}'
    more = {name.encode(): value if isinstance(value, bytes) else str(value).encode() for name, value in variables.items()}
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env={**os.environb, **more})
    assert code is None or done.returncode == code, f"{command}: exit code {done.returncode}: {done.stderr}"
    return done


def close(got, expected, within):
    assert abs(got - expected) <= within, f"{got!r}, expected {expected!r}"


def run_tests(names):
    """Prints the closing line that tests/run.sh counts, and ends."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            counts["passed"] += 1
        except Skipped as why:
            print(f"skipped: {name}: {why}")
            counts["skipped"] += 1
        except Exception as problem:  # pylint: disable=broad-except
            print(f"FAILED: {name}: {type(problem).__name__}: {problem}")
            counts["failed"] += 1
    line = "{passed} passed, {failed} failed".format(**counts)
    print(line + f", {counts['skipped']} skipped" * (counts["skipped"] > 0))
    sys.exit(counts["failed"] > 0)
