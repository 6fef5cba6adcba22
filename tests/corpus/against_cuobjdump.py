#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus finds all PTX that cuobjdump finds, byte for byte.

In what is linked, it finds more: cuobjdump leaves out the section __nv_relfatbin there.

usage: against_cuobjdump.py --cuobjdump PROGRAM FILE...
By hand: binaries_of_nvcc.sh makes the files.
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from ptxopt_corpus.extract import Other, Text, extract  # noqa: E402


def of_cuobjdump(program, path):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "-xptx", "all", path.resolve()], cwd=folder, capture_output=True, text=True,
                             check=False)
        if run.returncode:
            return None
        return collections.Counter(file.read_bytes() for file in pathlib.Path(folder).iterdir())


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--cuobjdump", required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    bad = texts = 0
    for path in options.files:
        found = list(extract(str(path), named=True))
        here = collections.Counter(entry.text for entry in found if isinstance(entry, Text))
        problems = [entry for entry in found if not isinstance(entry, (Text, Other))]
        there = of_cuobjdump(options.cuobjdump, path)
        good = there is not None and not there - here and not problems
        texts += sum(here.values())
        bad += not good
        others = collections.Counter(entry.kind for entry in found if isinstance(entry, Other))
        more = here - there if there else {}
        word = ("more" if more else "same") if good else "LOST"
        print(f"{word}  {path.name}: {sum(here.values())} texts, others {dict(others)}, "
              f"cuobjdump {'fails' if there is None else sum(there.values())} {problems or ''}")
    print(f"{len(options.files)} files, {texts} texts, {bad} files where some are lost")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
