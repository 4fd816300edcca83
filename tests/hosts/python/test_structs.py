"""Structs, constants and functions of libengine/_library.py are those of engine.h, as the compiler sees them."""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from libengine import _library

ENGINE = pathlib.Path(os.environ["TREE"], "engine")
STRUCTS = {name: value for name, value in vars(_library).items()
           if isinstance(value, type) and issubclass(value, ctypes.Structure)}
CONSTANTS = {name: value for name, value in vars(_library).items() if name.startswith("ENGINE_")}


class Layout(unittest.TestCase):
    def test_offsets_sizes_and_constants(self):
        lines = []
        for name, struct in STRUCTS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
            for field, _ in struct._fields_:
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), '
                             f'sizeof ((struct {name} *)0)->{field});')
        lines += [f'printf("{name} %zu\\n", (size_t){name});' for name in CONSTANTS]
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "layout.c")
            source.write_text("\n".join(['#include "engine.h"', "#include <stdio.h>", "int main(void) {", *lines, "}"]))
            subprocess.run([*os.environ.get("CC", "cc").split(), "-I", ENGINE, source, "-o", f"{folder}/layout"],
                           check=True)
            given = subprocess.run([f"{folder}/layout"], check=True, stdout=subprocess.PIPE, text=True).stdout
        ours = []
        for name, struct in STRUCTS.items():
            ours.append(f"{name} {ctypes.sizeof(struct)}")
            ours += [f"{name}.{field} {getattr(struct, field).offset} {getattr(struct, field).size}"
                     for field, _ in struct._fields_]
        ours += [f"{name} {value}" for name, value in CONSTANTS.items()]
        self.assertGreater(len(ours), 150)
        self.assertEqual(given.splitlines(), ours)

    def test_no_member_is_missing(self):
        """Each struct has as many members as its declaration: a gap at the end would hide one that is small."""
        text = "".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in ENGINE.glob("*.h"))
        for name, struct in STRUCTS.items():
            body = re.search(rf"struct {name} \{{(.*?)\n\}}", text, re.S)[1]
            body = re.sub(r"\[[^]]*\]", "", body)
            self.assertEqual(len(re.findall(r"[;,]", body)), len(struct._fields_), name)

    def test_functions_have_as_many_arguments(self):
        text = " ".join(path.read_text() for path in ENGINE.glob("*.h"))
        for name, (codes, _) in _library._FUNCTIONS.items():
            arguments = re.search(rf"engine_{name}\(([^)]*)\);", text)[1]
            self.assertEqual(0 if arguments == "void" else arguments.count(",") + 1, len(codes), name)
