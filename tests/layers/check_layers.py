#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Includes point down: a file of src/ includes headers of its own library and of libraries that this one DEPENDS
on, directly or through others.  The linker finds a wrong call; it does not find a type or an inline function.
"""
import os
import re
import sys

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def libraries(source):
    """{library: (its folder, those that it names in DEPENDS, its files)}"""
    result = {}
    for path, _, names in os.walk(source):
        if "CMakeLists.txt" not in names:
            continue
        with open(os.path.join(path, "CMakeLists.txt"), encoding="utf-8") as file:
            text = re.sub(r"#.*", "", file.read())
        for name, body in re.findall(r"ptxopt_add_library\((\w+)([^)]*)\)", text):
            words = {None: []}
            key = None
            for word in body.split():
                if word in ("SOURCES", "DEPENDS", "LINK"):
                    key = word
                words.setdefault(key, []).append(word)
            result[name] = (path, words.get("DEPENDS", [])[1:], words.get("SOURCES", [])[1:])
    # An interface library of ours stands for what it links.
    for path, _, names in os.walk(source):
        if "CMakeLists.txt" in names:
            with open(os.path.join(path, "CMakeLists.txt"), encoding="utf-8") as file:
                for name, on in re.findall(
                        r"target_link_libraries\(ptxopt_(\w+) INTERFACE ptxopt_(\w+)\)", file.read()):
                    result.setdefault(name, (None, [on], []))
    return result


def below(known, library):
    """The library and all that it may use."""
    found, todo = set(), [library]
    while todo:
        one = todo.pop()
        if one in known and one not in found:
            found.add(one)
            todo += known[one][1]
    return found


def problems(source):
    known = libraries(source)
    # A header belongs to the library of its folder; where a folder has several libraries, to all of them.
    of_folder = {}
    for name, (path, _, _) in known.items():
        if path:
            of_folder.setdefault(os.path.relpath(path, source), set()).add(name)

    def libraries_of(file):
        folder = os.path.dirname(file)
        while folder and folder not in of_folder:
            folder = os.path.dirname(folder)
        return of_folder.get(folder, set())

    for path, _, names in sorted(os.walk(source)):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(path, name), source)
            if not name.endswith((".h", ".cpp")) or not libraries_of(file):
                continue
            allowed = set().union(*(below(known, library) for library in libraries_of(file)))
            with open(os.path.join(path, name), encoding="utf-8") as text:
                lines = text.read().splitlines()
            for number, line in enumerate(lines, 1):
                found = re.match(r'#include "(\w[^"]*/[^"]+)"', line)
                target = libraries_of(found.group(1)) if found else set()
                if target and not target & allowed:
                    yield (f"src/{file}:{number}: {found.group(1)} is of {' or '.join(sorted(target))}, "
                           f"which {' or '.join(sorted(libraries_of(file)))} does not depend on")


def main():
    found = list(problems(sys.argv[1] if len(sys.argv) > 1 else os.path.join(SOURCE_DIR, "src")))
    print("\n".join(found) or "all includes point down")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
