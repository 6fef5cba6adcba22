# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus as the checks of this folder see it: its files, ptxas, and what is in a cubin."""
import argparse
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS_DIR = os.path.join(SOURCE_DIR, "corpus")
EXPECTED_DIR = os.path.join(CORPUS_DIR, "expected")

SKIPPED = 77  # exit status by which ctest knows a test that could not run


def version_key(text):
    """"13.0" -> [13, 0], to compare."""
    return [int(part) for part in text.split(".")]


class File:
    """One PTX file of the corpus, or of another folder, with the facts of corpus/manifest.json."""

    def __init__(self, name, facts, root=CORPUS_DIR):
        self.name = name  # relative to the root
        self.path = os.path.join(root, name)
        self.arch = facts["arch"]
        self.ptxas = facts["ptxas"]  # the oldest release that accepts it, or None
        self.version = version_key(facts["ptx"])


def files():
    with open(os.path.join(CORPUS_DIR, "manifest.json")) as manifest:
        facts = json.load(manifest)
    return [File(name, facts[name]) for name in sorted(facts)]


def producer(name):
    """Who wrote a file of the corpus, by its folder, such as "nvcc O0"."""
    _, compiler, *folders = os.path.dirname(name).split("/")
    for word in ("O0", "debug", "O2", "lineinfo"):
        if folders and folders[0].endswith(word):
            return f"{compiler} {word}"
    return compiler


def files_below(folder):
    """Of which only the text is known."""
    facts = {"arch": None, "ptxas": None, "ptx": "0.0"}
    names = [os.path.relpath(os.path.join(path, name), folder)
             for path, _, names in os.walk(folder) for name in names if name.endswith(".ptx")]
    return [File(name, facts, folder) for name in sorted(names)]


def spread(items, count):
    """`count` of the items, evenly spread; the same ones every time."""
    if count <= 0 or count >= len(items):
        return list(items)
    return [items[k * len(items) // count] for k in range(count)]


def by_folder(items):
    """Files in one folder have distinct base names, as --output-dir wants them."""
    folders = {}
    for item in items:
        folders.setdefault(os.path.dirname(item.name), []).append(item)
    return folders


def optimize(ptxopt, items, output_dir, flags):
    """Runs ptxopt folder by folder; returns the paths of the results by name, and the outputs of
    the tool on standard error."""
    results, errors = {}, []
    for folder, members in by_folder(items).items():
        target = os.path.join(output_dir, folder)
        command = [ptxopt, *flags, "--output-dir", target, *[m.path for m in members]]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        errors.append(run.stderr)
        if run.returncode != 0:
            print(run.stderr, end="")
        for member in members:
            path = os.path.join(target, os.path.basename(member.name))
            results[member.name] = path if os.path.exists(path) else None
    return results, errors


def parallel(work, items, jobs):
    """[work(item) ...] by `jobs` threads: the work is in child processes."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))


# ---- ptxas ---------------------------------------------------------------------------------------


class Ptxas:
    def __init__(self, path):
        self.path = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        self.release = re.search(r"release (\d+\.\d+)", text).group(1)

    def accepts(self, file):
        return file.ptxas is not None and version_key(file.ptxas) <= version_key(self.release)

    def assemble(self, file, path, output, *flags):
        """Returns (ok, messages)."""
        command = [self.path, f"-arch={file.arch}", *flags, "-o", output, path]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode != 0 and file.version >= [3, 1]:
            # It may leave functions to the linker.  For one of these ptxas allots registers in
            # another way, so that the others must not be taken for one.
            run = subprocess.run([*command, "-c"], capture_output=True, text=True, errors="replace")
        return run.returncode == 0, run.stdout + run.stderr


# ---- cubins --------------------------------------------------------------------------------------

# Section types that take no space in the file: of ELF, and of the shared memory of a kernel.
NO_BITS = {8, 0x7000000A}
CODE_SECTION = re.compile(r"\.(text|nv\.(constant|global|shared|local)|rodata)")


def code_sections(path):
    """What a 64-bit cubin holds for the device to run: {section name: (size, bytes)}."""
    with open(path, "rb") as cubin:
        image = cubin.read()
    assert image[:5] == b"\x7fELF\x02", f"{path}: not a 64-bit ELF file"
    (table,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", image, 0x3A)

    def header(index):
        name, kind = struct.unpack_from("<II", image, table + index * size)
        offset, length = struct.unpack_from("<QQ", image, table + index * size + 0x18)
        return name, kind, offset, length

    names = header(names_index)[2]
    sections = {}
    for index in range(count):
        name_at, kind, offset, length = header(index)
        start = names + name_at
        name = image[start : image.index(b"\0", start)].decode(errors="replace")
        if CODE_SECTION.match(name):
            content = b"" if kind in NO_BITS else image[offset : offset + length]
            sections[name] = (length, content)
    return sections


# ---- command lines -------------------------------------------------------------------------------


def parser(description, subset=None):
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--ptxopt", required=True, help="the ptxopt to test")
    result.add_argument("--ptxas", help="the ptxas to test with")
    result.add_argument("--filter", default="", help="only files whose name contains this")
    result.add_argument("-j", "--jobs", type=int, default=2)
    if subset is not None:
        result.add_argument("--subset", type=int, default=subset,
                            help=f"how many files, evenly spread (default: {subset})")
        result.add_argument("--all", dest="subset", action="store_const", const=0,
                            help="every file of the corpus")
    return result


def skip(message):
    print(f"skipped: {message}")
    sys.exit(SKIPPED)
