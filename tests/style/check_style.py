#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_style.py license | format | reformat | sizes | tidy FOLDER [FILE...]

license: every source file names its license in its first lines.
format: clang-format leaves every C++ file as it is.  Versions of clang-format differ in what they write, so
only the one of Debian 12 is asked; where it is missing the exit status is 77, which CTest counts as skipped.
reformat: writes every C++ file so.
sizes: no function in src/ has over 80 lines, and no file over 600.  sizes.py says what is counted.  The tables of
src/ (.inc, .def) have a row for each fact, and may be longer.  No file that git keeps has over 1 MiB: what is larger
is made by a script.
tidy: clang-tidy, with .clang-tidy, finds nothing in these files, or in all of src/.  What it has to know about them
is written to FOLDER.  Of clang-tidy, too, only the version of Debian 12 is asked.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import sizes

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CLANG_VERSION = 14
SKIPPED = 77
MOST_BYTES = 1 << 20
# Kernels are inputs: what a compiler made of them names their lines.
FOLDERS = ("src", "include", "tests", "bench", "examples", "packaging", "scripts", "cmake")
CPP = (".h", ".hpp", ".cpp", ".inc", ".def")


def sources(endings):
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(SOURCE_DIR, folder)):
            folders[:] = sorted(set(folders) - {"generated", "__pycache__"})
            yield from (os.path.join(path, name) for name in sorted(names) if name.endswith(endings))


def without_license():
    found = []
    for path in [os.path.join(SOURCE_DIR, "dev"), *sources((*CPP, ".py", ".sh", ".cmake"))]:
        with open(path, encoding="utf-8") as file:
            if LICENSE not in file.readline() + file.readline():
                found.append(path)
    return found


def in_src(paths):
    return [path for path in paths if path.startswith(os.path.join(SOURCE_DIR, "src", ""))]


def too_long():
    found = []
    for path in in_src(sources((".h", ".cpp"))):
        with open(path, encoding="utf-8") as file:
            found += [(f"{path}:{line}", what) for line, what in sizes.too_long(file.read())]
    return found


def too_large():
    """Files that git keeps.  Without git, as in an archive of the sources, none."""
    if not shutil.which("git"):
        return []
    run = subprocess.run(["git", "-C", SOURCE_DIR, "ls-files", "-z"], capture_output=True, text=True)
    paths = [os.path.join(SOURCE_DIR, name) for name in run.stdout.split("\0") if name]
    sizes_of = [(path, os.path.getsize(path)) for path in paths if os.path.isfile(path)]
    return [(path, f"{size} bytes, over {MOST_BYTES}") for path, size in sizes_of if size > MOST_BYTES]


def clang_tool(tool):
    """The command, or None."""
    for name in (f"{tool}-{CLANG_VERSION}", tool):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            version = re.search(r"version (\d+)\.", said)
            if version and int(version[1]) == CLANG_VERSION:
                return name
    return None


def formatted_files():
    return list(sources((".h", ".hpp", ".cpp")))


def not_formatted(command):
    files = formatted_files()
    run = subprocess.run([command, "--dry-run", "-Werror", *files], capture_output=True, text=True)
    found = sorted(set(re.findall(r"^(.*?):\d+:\d+: error:", run.stderr, re.MULTILINE)))
    return found if found or run.returncode == 0 else [run.stderr.strip()]


def compile_commands(folder):
    """A build in `folder` that is configured and no more, in which each file is compiled by itself."""
    options = ("CMAKE_BUILD_TYPE=Release", "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "Antlr4_FOR_CLANG=ON")
    run = subprocess.run(["cmake", "-S", SOURCE_DIR, "-B", folder, "-G", "Ninja", *(f"-D{option}" for option in options)],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return folder


def tidy(folder, files):
    command = clang_tool("clang-tidy")
    if command is None:
        print(f"no clang-tidy {CLANG_VERSION}")
        return SKIPPED
    for path in files:
        if not os.path.isfile(path) or not path.endswith(".cpp"):
            print(f"{path}: not a .cpp file; a header is checked with those that include it")
            return 1
    build = compile_commands(folder)
    files = files or in_src(sources((".cpp",)))

    def check(path):
        return path, subprocess.run([command, "--quiet", "-p", build, path], capture_output=True, text=True)

    failed = False
    # CTest starts other tests beside this one, and gives it few files.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if len(files) > 20 else 1) as pool:
        for path, run in pool.map(check, files):
            if run.returncode != 0:
                failed = True
                print(run.stdout.strip() or f"{path}: {run.stderr.strip()}", flush=True)
    return 1 if failed else 0


def main():
    what = sys.argv[1]
    if what == "tidy":
        return tidy(sys.argv[2], sys.argv[3:])
    if what == "license":
        found = [(path, f"its first two lines lack '{LICENSE}'") for path in without_license()]
    elif what == "sizes":
        found = too_long() + too_large()
    else:
        command = clang_tool("clang-format")
        if command is None:
            print(f"no clang-format {CLANG_VERSION}")
            return SKIPPED
        if what == "reformat":
            return subprocess.run([command, "-i", *formatted_files()]).returncode
        found = [(path, "is not formatted: ./dev format") for path in not_formatted(command)]
    for path, say in found:
        print(f"{os.path.relpath(path, SOURCE_DIR) if os.path.isabs(path) else path}: {say}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
