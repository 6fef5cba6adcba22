#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layers.py finds an include that points up, and takes one that points down through another library.
check_opcodes.py finds a name that only the table should know.
check_names.py finds two classes of one name."""
import os
import tempfile
import unittest

import check_layers
import check_names
import check_opcodes

LIBRARIES = {"low": "", "middle": "DEPENDS low", "high": "DEPENDS middle"}


class CheckLayers(unittest.TestCase):
    def problems(self, folder_of_include, target):
        with tempfile.TemporaryDirectory() as source:
            for library, depends in LIBRARIES.items():
                os.mkdir(os.path.join(source, library))
                with open(os.path.join(source, library, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                    file.write(f"ptxopt_add_library({library}\n  SOURCES a.cpp  # only one\n  {depends})\n")
            with open(os.path.join(source, folder_of_include, "a.cpp"), "w", encoding="utf-8") as file:
                file.write(f'#include <vector>\n#include "{target}/a.h"\n')
            return list(check_layers.problems(source))

    def test_down(self):
        self.assertEqual(self.problems("high", "low"), [])
        self.assertEqual(self.problems("middle", "middle"), [])

    def test_up(self):
        found = self.problems("low", "high")
        self.assertEqual(len(found), 1)
        self.assertIn("src/low/a.cpp:2: high/a.h is of high", found[0])

    def test_own_source(self):
        self.assertGreater(len(check_layers.libraries(os.path.join(check_layers.SOURCE_DIR, "src"))), 20)


class CheckNames(unittest.TestCase):
    def problems(self, *texts):
        with tempfile.TemporaryDirectory() as source:
            for number, text in enumerate(texts):
                with open(os.path.join(source, f"{number}.h"), "w", encoding="utf-8") as file:
                    file.write(text)
            return check_names.problems(source)

    def test_same(self):
        one = "namespace a::b {\nclass Known final : public Base {\n  struct Part { int n; };\n};\n}\n"
        other = "namespace a {\nnamespace b {\nvoid f() { g(\"{\"); }\nstruct Known {};\n}\n}\n"
        self.assertEqual(self.problems(one, other), ["a::b::Known is defined in 0.h and in 1.h"])

    def test_others(self):
        hidden = "namespace a {\nnamespace {\nstruct Known {};\n}\nvoid f() { struct Known {}; }\n}\n"
        declared = "namespace a {\nclass Known;\nstruct Other { struct Known {}; };\n}\n"
        self.assertEqual(self.problems("namespace a { struct Known {}; }", hidden, declared), [])


class CheckOpcodes(unittest.TestCase):
    def problems(self, folder, line):
        with tempfile.TemporaryDirectory() as source:
            os.mkdir(os.path.join(source, folder))
            with open(os.path.join(source, folder, "a.cpp"), "w", encoding="utf-8") as file:
                file.write(line + "\n")
            return list(check_opcodes.problems(source))

    def test_names(self):
        self.assertEqual(self.problems("passes", "case Opcode::Add:  // not Opcode::Ld"), [])
        self.assertEqual(self.problems("isa", "case Opcode::Ld:"), [])
        found = self.problems("passes", "return desc.opcode == isa::Opcode::Ldu;")
        self.assertEqual(len(found), 1)
        self.assertIn("src/passes/a.cpp:1: asks for Ldu by name", found[0])


if __name__ == "__main__":
    unittest.main()
