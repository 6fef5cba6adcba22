#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers every file of the corpus for older targets, and runs each kernel that changed beside the original.

    tests/retarget/corpus.py --ptxopt ... --ptxrun ... [--ptxas ...] [--targets sm_50 sm_70 ...] [--subset N]

A line for each target: how many files are for it already, need only another .target, are lowered, or need more.
Each kernel of a lowered file is launched as its file describes, or with arguments that ptxrun makes up, under
several schedules; the results must be equal.  ptxas, if it knows the target, must take the text.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "regress"))
import corpus  # noqa: E402
from corpus_compare import ENTRY, VERDICTS  # noqa: E402

TARGETS = ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]
TARGET = re.compile(r"^\s*\.target\s+(?:/\*.*?\*/\s*)?sm_(\d+)", re.MULTILINE)
ERROR = re.compile(r"error: (.*?) (?:needs|is not understood|does not exist)")
SECONDS = 60


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def kind_of(before, text):
    """How much the text differs: as it was, restated, or lowered."""
    if text == before:
        return "as it was"
    header = re.compile(r"^\s*\.(version|target)\b.*\n", re.MULTILINE)
    return "restated" if header.sub("", text) == header.sub("", before) else "lowered"


class Run:
    def __init__(self, options, ptxas, folder):
        self.options = options
        self.ptxas = ptxas
        self.folder = folder
        self.counts = {target: collections.Counter() for target in options.targets}
        self.reasons = {target: collections.Counter() for target in options.targets}
        self.failures = []

    def file(self, item):
        """(target, kind, reasons, verdicts, failures) of one file for one target."""
        file, target = item
        before = read(file.path)
        out = os.path.join(self.folder, f"{file.name.replace('/', '_')}.{target}.ptx")
        made = subprocess.run([self.options.ptxopt, "-q", "-O0", f"--for={target}", file.path, "-o", out],
                              capture_output=True, text=True, errors="replace")
        if made.returncode == 1:
            return target, "error", set(ERROR.findall(made.stderr)), [], []
        if made.returncode != 0:
            return target, "failure", set(), [], [f"{file.name} for {target}: {made.stderr[:400]}"]
        kind = kind_of(before, read(out))
        verdicts, failures = [], []
        if kind == "lowered":
            for kernel in ENTRY.findall(read(out)):
                verdict, text = self.compare(file, out, kernel)
                verdicts.append(verdict)
                if verdict == "different":
                    failures.append(f"{file.name} for {target}: {kernel}: {text[:400]}")
        # What was only restated is asked by tests/regress/corpus_for.py.
        if self.ptxas and file.ptxas is not None and kind == "lowered":
            problem = self.refused(out, target)
            if problem:
                failures.append(f"{file.name} for {target}: {problem}")
        os.unlink(out)
        return target, kind, set(), verdicts, failures

    def compare(self, file, out, kernel):
        command = [self.options.ptxrun, "--compare", file.path, out, "--kernel", kernel, "--guess",
                   "--schedules", str(self.options.schedules)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "inconclusive", "took too long"
        return VERDICTS.get(run.returncode, "inconclusive"), run.stdout + run.stderr

    def refused(self, out, target):
        """What ptxas says against the text, if it knows its version and target."""
        run = subprocess.run([self.ptxas, f"-arch={target}", out, "-o", os.devnull],
                             capture_output=True, text=True, errors="replace")
        unknown = "Unsupported .version" in run.stderr or "is not defined for option" in run.stderr
        return "" if run.returncode == 0 or unknown else run.stderr[:300]

    def add(self, result):
        target, kind, reasons, verdicts, failures = result
        counts = self.counts[target]
        counts[kind] += 1
        for verdict in verdicts:
            counts[verdict] += 1
        if len(reasons) > 0:
            self.reasons[target].update(reasons)
        self.failures += failures


def main():
    parser = corpus.parser(__doc__, subset=40)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--reasons", type=int, default=0, help="print so many of the statements that need more")
    options = parser.parse_args()
    files = [f for f in corpus.files() if options.filter in f.name]
    items = []
    for file in files:
        stated = TARGET.search(read(file.path))
        items += [(file, target) for target in options.targets
                  if stated and int(stated.group(1)) > int(target.removeprefix("sm_"))]
    items = corpus.spread(items, options.subset)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, options.ptxas, folder)
        for result in corpus.parallel(run.file, items, options.jobs):
            run.add(result)
    print("\n".join(run.failures))
    print("| target | files for later ones | restated | lowered | need more "
          "| kernels the same | different | inconclusive |\n|---|---|---|---|---|---|---|---|")
    for target, counts in run.counts.items():
        files_of = sum(counts[kind] for kind in ("as it was", "restated", "lowered", "error", "failure"))
        print(f"| {target} | {files_of} | {counts['as it was'] + counts['restated']} | {counts['lowered']} | "
              f"{counts['error']} | {counts['same']} | {counts['different']} | {counts['inconclusive']} |")
        for reason, count in run.reasons[target].most_common(options.reasons):
            print(f"  {count}: {reason}")
    return 1 if run.failures or not items else 0


if __name__ == "__main__":
    sys.exit(main())
