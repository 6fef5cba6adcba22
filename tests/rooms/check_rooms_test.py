#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_rooms.py finds an include that points up, and takes one that points down through another room."""
import os
import tempfile
import unittest

import check_rooms

ROOMS = {"low": "", "middle": "DEPENDS low", "high": "DEPENDS middle"}


class CheckRooms(unittest.TestCase):
    def problems(self, folder_of_include, target):
        with tempfile.TemporaryDirectory() as source:
            for room, depends in ROOMS.items():
                os.mkdir(os.path.join(source, room))
                with open(os.path.join(source, room, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                    file.write(f"ptxopt_room({room}\n  SOURCES a.cpp  # only one\n  {depends})\n")
            with open(os.path.join(source, folder_of_include, "a.cpp"), "w", encoding="utf-8") as file:
                file.write(f'#include <vector>\n#include "{target}/a.h"\n')
            return list(check_rooms.problems(source))

    def test_down(self):
        self.assertEqual(self.problems("high", "low"), [])
        self.assertEqual(self.problems("middle", "middle"), [])

    def test_up(self):
        found = self.problems("low", "high")
        self.assertEqual(len(found), 1)
        self.assertIn("src/low/a.cpp:2: high/a.h is of high", found[0])

    def test_own_source(self):
        self.assertGreater(len(check_rooms.rooms(os.path.join(check_rooms.SOURCE_DIR, "src"))), 20)


if __name__ == "__main__":
    unittest.main()
