"""Runs every test of this folder, and prints the closing line that tests/run.sh counts."""

import pathlib
import sys
import unittest

if __name__ == "__main__":  # children of multiprocessing import this file
    tests = unittest.defaultTestLoader.discover(pathlib.Path(__file__).parent, "test_*.py")
    result = unittest.TextTestRunner(verbosity=1).run(tests)
    for test, reason in result.skipped:
        print(f"skipped: {reason}")
    n_failed = len(result.failures) + len(result.errors)
    n_skipped = len(result.skipped)
    print(f"{result.testsRun - n_failed - n_skipped} passed, {n_failed} failed"
          + (f", {n_skipped} skipped" if n_skipped else ""))
    sys.exit(n_failed != 0)
