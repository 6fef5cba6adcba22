#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many barriers of the corpus's asynchronous kernels could go besides those that -O2 removes.

    async_yardstick.py --ptxopt PTXOPT --ptxrun PTXRUN            the lines that the table does not have so
    async_yardstick.py --ptxopt PTXOPT --ptxrun PTXRUN --write    writes corpus/expected/async_yardstick.tsv
    async_yardstick.py --explain                                  only the verdicts again

The kernels are those of sync_deletions.py.  After -O2, the barriers that are left are removed one at a
time, from top to bottom, as long as ptxrun has no new finding and no other result, under
--schedules schedules and with --strict-proxies.  What goes in that way is not needed under this
launch; whether it is under any other, async_yardstick_why.tsv says: the first of its lines of which the
pattern fits FILE:KERNEL:LINE gives the verdict, which is one of VERDICTS, and the reason.

The table has a line for each kernel: the barriers before and after -O2; how often threads execute them
under this launch, before and after; those that no thread comes to; and those that go besides.  Each of the
latter has a line of its own, with its line after -O2.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

import sync_deletions
from sync_deletions import PATIENCE, STRICT, run

TABLE = os.path.join(sync_deletions.SOURCE_DIR, "corpus", "expected", "async_yardstick.tsv")
REASONS = os.path.join(sync_deletions.SOURCE_DIR, "corpus", "expected", "async_yardstick_why.tsv")
BARRIER = re.compile(r"(@!?%?[\w$]+\s+)?(bar|barrier)\.(cta\.)?(sync|red)\b")
MOST_STEPS = 20_000_000
VERDICTS = {
    "goes": "no launch needs it, and no rule of the contract says so",
    "group": "a barrier of a part of the threads, which no pass judges",
    "launch": "another launch needs it",
}


def barriers(text, kernel):
    return [d for d in sync_deletions.deletions(text, kernel) if BARRIER.match(d[1])]


def executions(ptxrun, path, text, kernel):
    """How often all threads together execute barriers: the steps of an instruction beside each."""
    counting = text.split("\n")
    for number, statement, _, _ in barriers(text, kernel):
        guard = BARRIER.match(statement)[1] or ""
        counting[number - 1] += f" {{ .reg .b32 counted_; {guard}mov.b32 counted_, 0; }}"
    steps = []
    for each in (text, "\n".join(counting)):
        with open(path, "w") as out:
            out.write(each)
        steps.append(run(ptxrun, path, kernel, 1, MOST_STEPS, STRICT)[2])
    return steps[1] - steps[0]


class Kernel:
    """A kernel after -O2, in a folder of its own."""

    def __init__(self, arguments, case, folder):
        self.arguments = arguments
        self.name = case.kernel
        self.path = os.path.join(folder, os.path.basename(case.path))
        subprocess.run([arguments.ptxopt, "-q", "-O2", case.path, "-o", self.path], check=True)
        with open(self.path, errors="replace") as file:
            self.text = file.read()
        usual, outcomes, steps = run(arguments.ptxrun, self.path, self.name, arguments.schedules,
                                     MOST_STEPS, STRICT)
        self.usual, self.outcomes, self.steps = usual, outcomes, steps
        self.is_runnable = "unsupported" not in {kind for kind, *_ in usual}

    def report(self, text, schedules):
        with open(self.path, "w") as out:
            out.write(text)
        findings, outcomes, _ = run(self.arguments.ptxrun, self.path, self.name, schedules,
                                    PATIENCE * self.steps, STRICT)
        return findings, outcomes

    def is_same(self, text):
        for schedules in (2, self.arguments.schedules):
            findings, outcomes = self.report(text, schedules)
            if findings - self.usual or outcomes - self.outcomes:
                return False
        return True

    def greedy(self):
        """(lines that go, number of barriers that no thread comes to)"""
        gone, dead = [], 0
        text = self.text
        for number, _, without, with_trap in barriers(self.text, self.name):
            if "trap" not in {kind for kind, *_ in self.report(with_trap, 2)[0]}:
                dead += 1
                continue
            lines = text.split("\n")
            lines[number - 1] = without.split("\n")[number - 1]
            if self.is_same("\n".join(lines)):
                text = "\n".join(lines)
                gone.append(number)
        return gone, dead


def rows_of(arguments, case):
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel(arguments, case, folder)
        if not kernel.is_runnable:
            return []
        before = len(barriers(case.text, case.kernel))
        left = len(barriers(kernel.text, case.kernel))
        if before == 0:
            return []
        executed = [executions(arguments.ptxrun, kernel.path, text, case.kernel)
                    for text in (case.text, kernel.text)]
        gone, dead = kernel.greedy()
    head = [case.file, case.kernel, *map(str, (before, left, *executed, dead, len(gone)))]
    return [head] + [[case.file, case.kernel, f"line {number}", "", ""] for number in gone]


def is_line(row):
    return row[2].startswith("line ")


def explain(rows):
    """Sets the verdicts; returns complaints."""
    reasons = sync_deletions.read_rows(REASONS)
    complaints, used = [], set()
    for row in filter(is_line, rows):
        place = f"{row[0]}:{row[1]}:{row[2].removeprefix('line ')}"
        which = next((k for k, reason in enumerate(reasons)
                      if fnmatch.fnmatchcase(place, reason[0])), None)
        if which is None:
            complaints.append(f"not explained: {place}")
            continue
        used.add(which)
        row[3:] = reasons[which][1:3]
    return complaints + [f"explains nothing: {reason[0]}" for k, reason in enumerate(reasons)
                         if k not in used]


def head(rows):
    kernels = [row for row in rows if not is_line(row)]
    before, left, executed, still, dead, more = (sum(int(row[k]) for row in kernels)
                                                 for k in range(2, 8))
    verdicts = collections.Counter(row[3] for row in rows if is_line(row))
    gone = before - left
    return ["# Made by tests/tools/async_yardstick.py --write",
            f"# {before} barriers in {len(kernels)} kernels: -O2 removes {gone}; {dead} of the others "
            f"are met by no thread, and {more} are not needed under the launch",
            f"# of these {more}: another launch needs {verdicts['launch']}, {verdicts['group']} are of a "
            f"part of the threads, {verdicts['goes']} may go; of all that may go, -O2 removes "
            f"{gone / max(1, gone + verdicts['group'] + verdicts['goes']):.1%}, and without those of a "
            f"part of the threads {gone / max(1, gone + verdicts['goes']):.1%}",
            f"# threads execute {executed} barriers before and {still} after -O2: "
            f"{(executed - still) / max(1, executed):.1%} are gone",
            "# file\tkernel\tbarriers\tafter -O2\texecuted\tafter -O2\tnot met\tgo besides",
            "# file\tkernel\tline\tverdict\twhy"]


def write_table(path, head_lines, rows):
    # A kernel comes before its lines.
    rows.sort(key=lambda row: (row[0], row[1],
                               int(row[2].removeprefix("line ")) if is_line(row) else 0))
    with open(path, "w") as out:
        out.write("\n".join(head_lines + ["\t".join(row) for row in rows]) + "\n")


def write(rows):
    write_table(TABLE, head(rows), rows)


def parser_of(text, schedules):
    parser = argparse.ArgumentParser(description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", type=os.path.abspath)
    parser.add_argument("--ptxrun", type=os.path.abspath)
    parser.add_argument("--schedules", type=int, default=schedules)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--explain", action="store_true")
    return parser


def main():
    arguments = parser_of(__doc__, schedules=28).parse_args()

    table = sync_deletions.read_rows(TABLE) if os.path.exists(TABLE) else []
    if arguments.explain:
        complaints = explain(table)
        write(table)
        print("\n".join(complaints + head(table)[1:4]))
        return 1 if complaints else 0

    cases = sorted(sync_deletions.cases(arguments.filter), key=lambda case: len(case.text))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for rows in pool.map(lambda case: rows_of(arguments, case), cases)
                for row in rows]
    complaints = explain(rows)
    if arguments.filter:
        complaints = [line for line in complaints if not line.startswith("explains nothing")]
        rows += [row for row in table if arguments.filter not in row[0]]
    if arguments.write:
        write(rows)
    else:
        before = {"\t".join(row) for row in table}
        complaints += [f"not in the table: {line}" for line in map("\t".join, rows)
                       if line not in before]
    print("\n".join(complaints + head(rows)[1:4]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
