#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No two classes of one namespace have one name.  The compiler sees one file at a time; where two files define
different classes of that name, the linker takes the inline functions of either for both.
"""
import collections
import os
import re
import sys

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ANONYMOUS = ""
IGNORED = re.compile(r'//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])'")
TOKEN = re.compile(r"namespace(?:\s+([\w:]+))?\s*\{|(?:class|struct)\s+([\w:]+)(?:\s+final)?(?:\s*:[^;{}()]*)?\s*\{|[{}]")


def classes(text):
    """The qualified names of the classes that the text defines, but those that only this file can see."""
    scopes = []  # of each open brace: a name, or None
    for match in TOKEN.finditer(IGNORED.sub("", text)):
        if match[0] == "}":
            if scopes:
                scopes.pop()
            continue
        name = match[2] if match[2] else None
        if match[0].startswith("namespace"):
            name = match[1] or ANONYMOUS
        elif name and ANONYMOUS not in scopes and None not in scopes:
            yield "::".join([*scopes, name])
        scopes.append(name)


def problems(source):
    files = collections.defaultdict(set)
    for path, _, names in sorted(os.walk(source)):
        for name in (n for n in names if n.endswith((".h", ".cpp"))):
            file = os.path.join(path, name)
            with open(file, encoding="utf-8") as text:
                for found in classes(text.read()):
                    files[found].add(os.path.relpath(file, source))
    return [f"{name} is defined in {' and in '.join(sorted(places))}"
            for name, places in sorted(files.items()) if len(places) > 1]


def main():
    found = problems(sys.argv[1] if len(sys.argv) > 1 else os.path.join(SOURCE_DIR, "src"))
    print("\n".join(found) or "each class is defined once")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
