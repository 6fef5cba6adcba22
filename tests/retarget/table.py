#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/passes/retarget_forms.md from the tables of the program, or checks that it is up to date.

    tests/retarget/table.py build/release/bin/retarget_table [--check]
"""
import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join("docs", "passes", "retarget_forms.md")
HEAD = """# What --for makes of each instruction

`tests/retarget/table.py` writes this page from the tables of the program: do not edit it. It has
each row of the instruction table that PTX 6.0 or sm_50 does not have. `{..}` is optional, and
`.type` and the like stand for one of a set of words. The last column says for which
targets that lack the instruction `--for` can lower it, and what takes its place; *partly*: not each
form of the row. *error*: `--for` refuses it. [retarget.md](retarget.md) explains it.

| section of the manual | instruction | needs | on older versions and targets |
|---|---|---|---|
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args()
    rows = subprocess.run([options.program], check=True, capture_output=True, text=True).stdout
    path = os.path.join(ROOT, PAGE)
    if not options.check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + rows)
        return
    with open(path, encoding="utf-8") as file:
        if file.read() != HEAD + rows:
            sys.exit(f"{PAGE} is not up to date: run tests/retarget/table.py")


if __name__ == "__main__":
    main()
