"""python -m libengine ARGUMENTS: runs the program encode of this package."""

import os
import sys

from ._library import FOLDER

os.execv(FOLDER / "encode", ["encode", *sys.argv[1:]])
