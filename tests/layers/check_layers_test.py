#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layers.py finds an include that points up, and takes one that points down through another library."""
import os
import tempfile
import unittest

import check_layers

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


if __name__ == "__main__":
    unittest.main()
