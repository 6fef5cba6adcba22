#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do two builds of ptxopt write the same?

    tests/outputs/hashes.py build/release/bin/ptxopt > before.tsv
    ... a change that is to change no output ...
    tests/outputs/hashes.py build/release/bin/ptxopt | diff before.tsv -

Prints a line for each file of corpus/ and tests/regress/ and each pipeline: the file, the pipeline, and the
SHA-256 of what ptxopt writes and of its exit status.  The pipelines are the -O levels and every pass by
itself, as --list-passes names them, and those of EXTRA.  Messages and remarks are not part of it.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTRA = ["dead-sync<guard>,warp-sync", "dead-wait", "early-cse<memssa,across-blocks=2,merge-cheap>",
         "cssa<fold-copies>", "cssa<coalesce=0>"]
EXPECTED = {0, 1, 2}  # the exit statuses of the manual
# With everything that may be assumed, most rules apply.
ASSUMPTIONS = ["--assume=cuda", "--assume-1d", "--noalias-params", "--noalias-variables",
               "--nc-invariant", "--relax-trap", "--relax-timing"]


def files():
    for folder in ("corpus", "tests/regress"):
        for path, _, names in sorted(os.walk(os.path.join(SOURCE_DIR, folder))):
            yield from (os.path.join(path, name) for name in sorted(names) if name.endswith(".ptx"))


def passes(ptxopt):
    listed = subprocess.run([ptxopt, "--list-passes"], check=True, capture_output=True, text=True)
    return re.findall(r"^([a-z][a-z-]+) +[A-Z]", listed.stdout, re.MULTILINE)


def runs(ptxopt):
    """[(title, options)]"""
    result = [(f"-O{level}", [f"-O{level}"]) for level in range(4)]
    result += [(name, [f"--passes={name}"]) for name in [*passes(ptxopt), *EXTRA]]
    return result + [("-O3 assuming all", ["-O3", *ASSUMPTIONS])]


def hash_of(ptxopt, path, options):
    """None: an internal fault, which must not count as an output that two builds share."""
    with open(path, "rb") as text:
        run = subprocess.run([ptxopt, *options, "-", "-o", "-"], stdin=text, capture_output=True)
    if run.returncode not in EXPECTED:
        return None
    return hashlib.sha256(run.stdout + str(run.returncode).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxopt")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    todo = [(path, title, options) for path in files() for title, options in runs(arguments.ptxopt)]
    faults = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        hashes = pool.map(lambda one: hash_of(arguments.ptxopt, one[0], one[2]), todo)
        for (path, title, _), value in zip(todo, hashes):
            place = f"{os.path.relpath(path, SOURCE_DIR)}\t{title}"
            sys.stdout.write(f"{place}\t{value or 'internal fault'}\n")
            if value is None:
                faults.append(place)
    if faults:
        sys.exit("\n".join(["hashes: internal faults:", *faults]))


if __name__ == "__main__":
    main()
