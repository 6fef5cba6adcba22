# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""facts.py FILE MARK: the file of facts that FILE has in its lines `// MARK: {...}`.

A place is written as "@TEXT": where the only line that begins with TEXT, blanks left out, does.
"""
import json
import pathlib
import re
import sys

path, mark = sys.argv[1], sys.argv[2]
data = pathlib.Path(path).read_bytes()
fnv = 0xcbf29ce484222325
for byte in data:
    fnv = (fnv ^ byte) * 0x100000001b3 % 2**64
lines = data.decode().split("\n")


def place(found):
    for number, line in enumerate(lines, 1):
        if line.strip().startswith(found.group(1)):
            return f"\"{number}:{len(line) - len(line.lstrip()) + 1}\""
    sys.exit(f"facts.py: no line begins with '{found.group(1)}'")


print(json.dumps({"version": 1, "source": path, "hash": f"{fnv:016x}"}))
for line in lines:
    if line.startswith(f"// {mark}: "):
        print(re.sub(r'"@([^"]*)"', place, line[len(f"// {mark}: "):]))
