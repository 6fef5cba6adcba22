#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""guide_test.py COMPILER: the pass that docs/architecture.md shows as an example compiles."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = "passes/redundancy"
NAMES = ("self_move.h", "self_move.cpp")


def examples(text):
    """The C++ blocks of the section about passes, without what indents them."""
    section = text.split("\n## Writing a pass\n")[1].split("\n## ")[0]
    return [textwrap.dedent(block) for block in re.findall(r"^ *```cpp\n(.*?)^ *```$", section, re.M | re.S)]


def main():
    with open(os.path.join(SOURCE_DIR, "docs", "architecture.md"), encoding="utf-8") as file:
        blocks = examples(file.read())
    if len(blocks) != len(NAMES):
        sys.exit(f"docs/architecture.md: {len(blocks)} C++ blocks in the guide to a pass, not {len(NAMES)}")
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, FOLDER))
        for name, block in zip(NAMES, blocks):
            with open(os.path.join(folder, FOLDER, name), "w", encoding="utf-8") as file:
                file.write(block)
        sys.exit(subprocess.run([sys.argv[1], "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                 "-I", folder, "-I", os.path.join(SOURCE_DIR, "src"),
                                 os.path.join(folder, FOLDER, NAMES[1])]).returncode)


if __name__ == "__main__":
    main()
