#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long ptxas takes for the corpus as it is, and for what each level of ptxopt makes of it.

For each producer: processor time (user and system) of ptxas over up to --files files, as the sum of the
medians of --rounds rounds; in a round the input and the results of the levels take turns.  Files that no
level changes are left out, since there is nothing to compare.
"""
import argparse
import collections
import os
import resource
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/regress"))
import corpus  # noqa: E402

LEVELS = ["-O2", "-O3"]


def time_of(ptxas, file, path, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ptxas.assemble(file, path, os.path.join(folder, "out.cubin"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def changed(file, paths):
    with open(file.path, "rb") as text:
        content = text.read()
    for path in paths:
        with open(path, "rb") as text:
            if text.read() != content:
                return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    ptxas = corpus.Ptxas(arguments.ptxas)
    groups = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        files = corpus.files()
        outputs = {level: corpus.optimize(arguments.ptxopt, files, os.path.join(folder, level),
                                          [level, "-q"])[0] for level in LEVELS}
        for file in files:
            paths = [outputs[level][file.name] for level in LEVELS]
            if changed(file, paths) and ptxas.accepts(file):
                groups[corpus.producer(file.name)].append((file, [file.path, *paths]))
        for producer in sorted(groups):
            sums = [0.0] * (1 + len(LEVELS))
            chosen = corpus.spread(groups[producer], arguments.files)
            for file, paths in chosen:
                times = [[time_of(ptxas, file, path, folder) for path in paths]
                         for _ in range(arguments.rounds)]
                for k, column in enumerate(zip(*times)):
                    sums[k] += statistics.median(column)
            if sums[0] == 0:
                continue
            shares = ", ".join(f"{level} {100 * (after / sums[0] - 1):+.1f} %"
                               for level, after in zip(LEVELS, sums[1:]))
            print(f"{producer}: {len(chosen)} of {len(groups[producer])} files, "
                  f"ptxas takes {sums[0]:.2f} s; after {shares}", flush=True)


if __name__ == "__main__":
    main()
