#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxopt does to the corpus, against the texts in corpus/expected/ that `ptxopt-corpus table` makes.

ptxas sees only some of the files, and its figures are compared only if it is the release of the text.  No kernel may
spill more or lose a step of occupancy.  With --update it sees all files, and the texts are written anew (minutes).
What ptxopt does with facts of the launches (launch_facts.py), ptxrun compares with the input for some files, or for all
with --judge-all.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from typing import Dict, NamedTuple, Tuple

import launch_facts

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CORPUS = SOURCE / "corpus"
INPUT = "-O0"
FACTS = "facts"
LAUNCHES = "--launches="
JUDGED = 20  # files that ptxrun compares


class Table(NamedTuple):
    runs: Dict[str, str]  # options by label, of ptxopt and --launches
    counted: str  # columns; none: the lines are files, with all columns
    sample: int  # of how many files, evenly spread, ptxas sees the results: some 25 that change
    measured: Tuple[str, ...] = ()  # the runs whose results it sees; none: of all
    is_of_sums: bool = False  # a line for each run
    judged: Tuple[str, ...] = ()  # the runs whose results ptxrun compares with the inputs

    def columns(self):
        if not self.counted:
            return []
        if self.is_of_sums:
            return ["--sums", f"--columns={self.counted}"]
        of_runs = "@" + "+".join(self.measured) if self.measured else ""
        return ["--functions", f"--columns={self.counted}," + ",".join(what + of_runs for what in ("registers", "spills", "code"))]

    def seen(self):
        return (self.measured or tuple(self.runs)) if self.sample else ()


TABLES = {
    "statistics": Table({"out": "-O2"}, "", 150),
    "levels": Table({"O2": "-O2", "O3": "-O3"}, "instructions,barriers", 60),
    "barriers": Table({"flags": "--passes=dead-sync<precision=flags>", "objects": "--passes=dead-sync<precision=objects>",
                       "affine": "--passes=dead-sync", "guard": "--passes=dead-sync<guard>",
                       "warp": "--passes=dead-sync,warp-sync"},
                      "barriers@flags+objects+affine,guarded@guard,weakened@warp,why@affine", 40, ("affine", "guard", "warp")),
    "redundancy": Table({"plain": "--passes=early-cse", "memssa": "--passes=early-cse<memssa>"}, "instructions", 60),
    "bases": Table({"out": "--passes=common-base"}, "accesses,instructions", 60),
    "globals": Table({"out": "--passes=global-opt", "whole": "--passes=global-opt<whole-program>"},
                     "passed,shared,local,global,const,instructions", 200),
}
WEAKENED, GUARDED = "warp-sync.barriers-weakened", "dead-sync.barriers-guarded"
MAY_COST = "whole"  # the run that may cost registers: what was in memory is in these


def of_facts(ptxopt, folder):
    """The table of what each fact is worth: -O2, and which of the barriers that stay two passes behind it change."""
    launch_facts.write(folder)
    listed = subprocess.run([ptxopt, "--list-passes"], stdout=subprocess.PIPE, text=True, check=True).stdout
    passes = re.search("^-O2: (.*)", listed, re.MULTILINE).group(1)
    ends = {"": "", "_warp": ",warp-sync", "_guard": ",dead-sync<guard>"}
    known = {"none": [], **{name: [f"{LAUNCHES}{folder}/{name}"] for name in launch_facts.SETS}}
    known[launch_facts.ENFORCED].insert(0, "--enforce")
    runs = {f"{name}{label}": shlex.join([f"--passes={passes}{end}", *options])
            for name, options in known.items() for label, end in ends.items()}
    return Table(runs, f"instructions,barriers,{WEAKENED},{GUARDED}", 0, is_of_sums=True, judged=tuple(known))


class Runs:
    """Over the files below a folder.  The texts name them relative to `root`."""

    def __init__(self, arguments, results, files=CORPUS / "ptx", root=CORPUS):
        self.arguments, self.results, self.files, self.root = arguments, results, files, root
        self.numbers = {}  # by options

    def measure(self, tables):
        """Runs what these tables are made of."""
        samples, remarked, judged = {}, set(), set()  # by options; how many files ptxas sees
        for table in tables:
            for label, options in table.runs.items():
                sample = table.sample if label in table.seen() else 0
                samples[options] = max(sample, samples.get(options, 0))
                if options.startswith("--passes") and not table.is_of_sums:
                    remarked.add(options)
                if label in table.judged:
                    judged.add(options)
        if self.arguments.ptxas and any(samples.values()):
            samples = {INPUT: max(samples.values()), **samples}
        for options, sample in samples.items():
            self.run(options, "remarks" if options in remarked else "none")
            if self.arguments.ptxas and sample:
                self.run(options, "ptxas", f"--ptxas={self.arguments.ptxas}",
                         *([] if self.arguments.update else [f"--sample={sample}"]))
            if self.arguments.ptxrun and options in judged:
                said = self.run(options, "run", f"--ptxrun={self.arguments.ptxrun}", "--schedules=2",
                                *([] if self.arguments.judge_all else [f"--sample={JUDGED}"]))
                print(f"{options}\n{said}", end="")

    def run(self, options, check, *more):
        words = shlex.split(options)
        flags = [word for word in words if not word.startswith(LAUNCHES)]
        done = self.corpus("run", self.files, f"--ptxopt={self.arguments.ptxopt}", f"--flags={shlex.join(flags)}",
                           *words[len(flags):], f"--check={check}", f"--jobs={self.arguments.jobs}", "--memory=0", *more)
        if done.returncode != 0:
            sys.exit(done.stdout)
        self.numbers[options] = re.search(r", run (\d+)$", done.stdout.strip()).group(1)
        return done.stdout

    def hold(self, table, path):
        """Whether the text is as the runs are; with --update it will be."""
        runs = [f"--run={label}={options}" for label, options in table.runs.items()]
        done = self.corpus("table", f"--root={self.root}", *runs, *table.columns(),
                           f"--output={path}" if self.arguments.update else f"--against={path}")
        print(f"{path.name}:", "written" if self.arguments.update else done.stdout.strip())
        return done.returncode == 0

    def is_worse(self, table):
        """Whether a kernel spills more or has fewer warps at a time."""
        return bool(self.arguments.ptxas) and any([self._is_worse(options) for label, options in table.runs.items()
                                                   if label in table.seen() and label != MAY_COST])

    def _is_worse(self, options):
        done = self.corpus("compare", f"{self.results}:{self.numbers[INPUT]}", f"{self.results}:{self.numbers[options]}",
                           "--fail-on=each:spills=0,each:idle-warps=0", results=[])
        if done.returncode != 0:
            print(f"{options}\n{done.stdout}", end="")
        return done.returncode != 0

    def corpus(self, *arguments, results=None):
        """ptxopt-corpus, which says on standard error what it does not do."""
        results = [f"--results={self.results}"] if results is None else results
        return subprocess.run([sys.executable, SOURCE / "scripts" / "corpus.py", *map(str, arguments), *results],
                              stdout=subprocess.PIPE, text=True, check=False)


def parser_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--ptxrun")
    parser.add_argument("--judge-all", action="store_true", help="ptxrun sees all files")
    parser.add_argument("--update", action="store_true", help="write the texts anew (needs --ptxas, but for facts)")
    parser.add_argument("--jobs", "-j", type=int, default=2)
    return parser


def check(arguments, tables, *folders):
    """The exit status of a test of these tables, by the paths of their texts."""
    if arguments.update and not arguments.ptxas and any(table.sample for table in tables.values()):
        sys.exit("--update needs --ptxas")
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(arguments, f"{folder}/results.sqlite", *folders)
        runs.measure(tables.values())
        is_as_expected = [runs.hold(table, path) for path, table in tables.items()]
        is_worse = [runs.is_worse(table) for table in tables.values()]
    return 0 if all(is_as_expected) and not any(is_worse) else 1


def main():
    parser = parser_of(__doc__)
    names = [*TABLES, FACTS]
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(names)} (default: all)")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.tables) - set(names)):
        parser.error(f"there is no table {unknown[0]}")
    names = arguments.tables or names
    with tempfile.TemporaryDirectory() as folder:
        tables = {**TABLES, **({FACTS: of_facts(arguments.ptxopt, folder)} if FACTS in names else {})}
        return check(arguments, {CORPUS / "expected" / f"{name}.tsv": tables[name] for name in names})


if __name__ == "__main__":
    sys.exit(main())
