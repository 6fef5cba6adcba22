#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One table knows the ISA: outside src/isa, code names an opcode only to say what it computes.  The interpreter
does that for all of them; analyses and passes for the operations below."""
import os
import re
import sys

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWS_ALL = ("isa", "interp")
COMPUTES = set("""
    Abs Add And Bfe Bfi Clz Cvt Cvta Div Elect Lop3 Mad Max Min Mov Mul Mul24 Neg Not Or Popc Rem Selp Setp Shfl
    Shl Shr Sub Xor""".split())


def problems(source):
    for path, folders, names in os.walk(source):
        folders.sort()
        if os.path.relpath(path, source).split(os.sep)[0] in KNOWS_ALL:
            continue
        for name in sorted(names):
            if not name.endswith((".h", ".cpp")):
                continue
            file = os.path.join(path, name)
            with open(file, encoding="utf-8") as text:
                for number, line in enumerate(text, 1):
                    for opcode in re.findall(r"\bOpcode::(\w+)", line.split("//")[0]):
                        if opcode not in COMPUTES:
                            yield (f"src/{os.path.relpath(file, source)}:{number}: asks for {opcode} by name; "
                                   "a trait in src/isa would tell every reader of the table")


def main():
    found = list(problems(os.path.join(SOURCE_DIR, "src")))
    print("\n".join(found) or "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
