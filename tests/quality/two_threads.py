#!/usr/bin/env python3
"""two_threads.py BENCH [SECONDS]: a short text on two threads takes at most 1.1 times as long as on one.

Guarantee: a short text takes at most 1.1 times as long on two threads as on one; by hand.

encode-bench times lat16 with one and with two threads in turns, a second each, on the machine as it
is and beside a neighbour that takes a processor for a while, leaves, and comes again, at the same
times for both. Fails where two threads take more than 1.1 times as long as one, over all rounds; a
single round may be disturbed by other programs, and is only shown.
SECONDS: of both parts together, 600 if absent. Needs two processors.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

MOST = 1.1  # times as long as one thread takes


def come_and_go(seed):
    """A process that works for 0.05 to 0.5 seconds and rests as long, again and again."""
    process = os.fork()
    if process:
        return process
    chance = random.Random(seed)
    while True:
        end = time.monotonic() + chance.uniform(0.05, 0.5)
        while time.monotonic() < end:
            pass
        time.sleep(chance.uniform(0.05, 0.5))


def milliseconds(bench, threads):
    """Of a call, on average: calls that waited for the neighbour count with their whole time."""
    seconds = 1
    done = subprocess.run([bench, "--type", "int8", "--workloads", "lat16", "--threads",
                           str(threads), "--seconds", str(seconds), "-f", "json"],
                          stdout=subprocess.PIPE, check=True)
    return 1000 * seconds / json.loads(done.stdout)["runs"]


def beside_neighbour(bench, threads, seed):
    neighbour = come_and_go(seed)
    try:
        return milliseconds(bench, threads)
    finally:
        os.kill(neighbour, signal.SIGKILL)
        os.waitpid(neighbour, 0)


def compare(what, seconds, measure):
    """measure(threads, round): milliseconds of a call."""
    one, two = [], []
    end = time.monotonic() + seconds
    while not one or time.monotonic() < end:
        one.append(measure(1, len(one)))
        two.append(measure(2, len(two)))
    ratio = sum(two) / sum(one)
    worst = max(b / a for a, b in zip(one, two))
    print(f"{what}: {len(one)} rounds, one thread {sum(one) / len(one):.2f} ms, two "
          f"{sum(two) / len(two):.2f}, ratio {ratio:.2f}, of rounds at most {worst:.2f}", flush=True)
    return ratio <= MOST


def main():
    if len(os.sched_getaffinity(0)) < 2:
        print("skipped: needs two processors")
        return
    bench, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 600
    fine = compare("as it is", seconds / 2, lambda threads, _: milliseconds(bench, threads))
    fine &= compare("beside a neighbour", seconds / 2,
                    lambda threads, seed: beside_neighbour(bench, threads, seed))
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
