#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles cuda/*.cu with nvcc into ptx/sm_NN/, or with --check only compares.

The PTX is committed, so that the benchmark runs without nvcc.  It is compiled in one fixed folder and names
no path of this machine; the same nvcc writes the same bytes everywhere.
"""
import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys

import manifest

BUILD = "/tmp/ptx-races"  # a hash of the place of the source is in debug information
# Names of the toolkit's functions in debug lines have a random number in them, unless there is a seed.
FLAGS = ["-ptx", "-std=c++17", "-O3", "-lineinfo", "-frandom-seed=races"]


def clean(text):
    """Takes the paths of the machine out of `.file` entries, whose length nothing counts."""
    text = text.replace(f'"{BUILD}/', '"')
    return re.sub(r'(\.file\s+\d+\s+)"/[^"]*?/(include)/([^"]*)"', r'\1"\2/\3"', text)


def compiled(nvcc, path, target):
    name = os.path.basename(path)
    out = os.path.join(BUILD, "out.ptx")
    command = [nvcc, *FLAGS, f"-arch=compute_{target}", os.path.join("cuda", name), "-o", out]
    run = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
    if run.returncode != 0 or run.stderr.strip():
        sys.exit(f"{' '.join(command)}\n{run.stdout}{run.stderr}")
    with open(out, encoding="utf-8") as file:
        return clean(file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default=os.environ.get("NVCC", "nvcc"), help="(default: $NVCC or nvcc)")
    parser.add_argument("--filter", default="*", help="sources to compile, a shell pattern such as 'scan*'")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a file would differ")
    options = parser.parse_args()
    if shutil.which(options.nvcc) is None:
        sys.exit(f"{options.nvcc} not found (set NVCC)")
    shutil.rmtree(BUILD, ignore_errors=True)
    shutil.copytree(os.path.join(manifest.FOLDER, "cuda"), os.path.join(BUILD, "cuda"))
    count, differing = 0, []
    for path in manifest.sources():
        file = os.path.splitext(os.path.basename(path))[0]
        if not fnmatch.fnmatch(file, options.filter):
            continue
        for target in manifest.targets_of(path):
            text, out = compiled(options.nvcc, path, target), manifest.ptx_path(target, file)
            old = None
            if os.path.exists(out):
                with open(out, encoding="utf-8") as ptx:
                    old = ptx.read()
            count += 1
            if text == old:
                continue
            differing.append(os.path.relpath(out, manifest.FOLDER))
            if not options.check:
                os.makedirs(os.path.dirname(out), exist_ok=True)
                with open(out, "w", encoding="utf-8") as ptx:
                    ptx.write(text)
    shutil.rmtree(BUILD)
    print("".join(f"{path}\n" for path in differing) + f"{count} files, {len(differing)} differed")
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
