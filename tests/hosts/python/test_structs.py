"""Structs and constants of libengine/_library.py are those of engine.h, as the compiler sees them."""

import ctypes
import os
import pathlib
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
        self.assertGreater(len(ours), 250)
        self.assertEqual(given.splitlines(), ours)

    def test_members_and_types(self):
        """What offsets and sizes do not show."""
        self.assertEqual(dict(_library.engine_search_options._fields_)["progress"], ctypes.c_void_p)
        fields = {name: kind for name, kind in _library.engine_encode_options._fields_}
        self.assertEqual((fields["prompt"], fields["prompt_text"], fields["role"]), (ctypes.c_char_p,) * 2 + (ctypes.c_int,))
        self.assertEqual(dict(_library.engine_info._fields_)["checksum"], ctypes.c_uint32)
        self.assertEqual((_library.library.engine_row_bytes.argtypes, _library.library.engine_row_bytes.restype),
                         ([ctypes.c_int, ctypes.c_size_t], ctypes.c_size_t))
        self.assertEqual(_library.library.engine_version.argtypes, [])
        self.assertIsNone(_library.library.engine_session_free.restype)
