#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers at random places of the kernels in tests/regress/dead-sync/async, and what the passes make of them.

    async_barriers_random.py --ptxopt PTXOPT --ptxrun PTXRUN [--count N] [--seed N] [--keep FOLDER] [FILE...]

Some barriers of a kernel are taken out and others put in.  Where ptxrun finds nothing new in that kernel, and the
same results, it must find nothing new in what dead-sync, and then warp-sync, make of it.  Which of the barriers are
needed nobody says: marks are not read.  Failures are written to FOLDER.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import async_barriers
from async_barriers import check_barriers
from sync_deletions import PATIENCE, run

STATEMENT = re.compile(r"^\t(@!?%?\w+\s+)?(?!bar\.)[a-z][\w.:]*\s*[^/]*")  # no directive, no second line


class Tries:
    def __init__(self, arguments, kernel):
        self.arguments, self.kernel = arguments, kernel
        self.base = self.run(kernel.lines)
        self.counts = collections.Counter()

    def run(self, lines, steps=async_barriers.STEPS):
        """Kinds of findings, results and steps."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ptx")
            with open(path, "w") as out:
                out.write("\n".join(lines))
            findings, results, steps = run(self.arguments.ptxrun, path, self.kernel.name,
                                           self.arguments.schedules, steps, self.kernel.options)
            return {kind for kind, *_ in findings}, results, steps

    def same(self, lines):
        kinds, results, _ = self.run(lines, PATIENCE * self.base[2])
        return kinds <= self.base[0] and (results == self.base[1] or self.kernel.expected)

    def changed(self, rng):
        """The file with other barriers in this kernel."""
        lines, inside, places, barriers = list(self.kernel.lines), False, [], []
        for number, line in enumerate(lines):
            function = check_barriers.FUNCTION.search(line.split("//")[0])
            inside = function[2] == self.kernel.name if function else inside
            if inside and STATEMENT.match(line):
                places.append(number)
            elif inside and check_barriers.BARRIER.match(line):
                barriers.append(number)
        for number in rng.sample(barriers, rng.randint(0, min(2, len(barriers)))):
            lines[number] = ""
        for number in rng.sample(places, min(rng.randint(1, 4), len(places))):
            lines[number] = "\tbar.sync 0;\n" + lines[number]
        return lines

    def optimized(self, lines, passes):
        with tempfile.TemporaryDirectory() as folder:
            before, after = os.path.join(folder, "k.ptx"), os.path.join(folder, "out.ptx")
            with open(before, "w") as out:
                out.write("\n".join(lines))
            subprocess.run([self.arguments.ptxopt, "-q", "--verify-each", f"--passes={passes}", before,
                            "-o", after], check=True)
            with open(after) as file:
                return file.read().split("\n")

    def keep(self, lines, name):
        if self.arguments.keep:
            os.makedirs(self.arguments.keep, exist_ok=True)
            with open(os.path.join(self.arguments.keep, name), "w") as out:
                out.write("\n".join(lines))

    def complaints(self):
        found = []
        for number in range(self.arguments.count):
            seed = f"{self.arguments.seed}:{self.kernel.name}:{number}"
            lines = self.changed(random.Random(seed))
            if not self.same(lines):
                self.counts["wrong before"] += 1
                continue
            self.counts["tried"] += 1
            for passes in ("dead-sync", "dead-sync,warp-sync"):
                result = self.optimized(lines, passes)
                gone = sum(map(bool, map(check_barriers.BARRIER.match, "\n".join(lines).split("\n"))))
                gone -= sum(map(bool, map(check_barriers.BARRIER.match, result)))
                self.counts[passes] += gone
                if gone and not self.same(result):
                    name = re.sub(r"\W", "_", seed)
                    self.keep(lines, name + ".ptx")
                    self.keep(result, name + ".out.ptx")
                    found.append(f"{self.kernel.path}: {seed}: {passes} changes what it does")
                    break
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*",
                        default=sorted(glob.glob(os.path.join(async_barriers.FOLDER, "*.ptx"))))
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--count", type=int, default=1, help="changes of each kernel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schedules", type=int, default=7)
    parser.add_argument("--keep", help="a folder for what fails")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    kernels = [k for path in arguments.files for k in async_barriers.kernels_of(arguments, path)]
    counts, found = collections.Counter(), []

    def tries(kernel):
        one = Tries(arguments, kernel)
        return one.complaints(), one.counts

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for complaints, numbers in pool.map(tries, kernels):
            found += complaints
            counts += numbers
    print("\n".join(found + [f"{counts['tried']} kernels of {counts['tried'] + counts['wrong before']} "
                             f"do what they did with other barriers; dead-sync removes "
                             f"{counts['dead-sync']}, with warp-sync {counts['dead-sync,warp-sync']} change"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
