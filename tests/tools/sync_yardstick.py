#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other synchronisation could go besides what -O2 removes: greedy removal with two judges.

    sync_yardstick.py --ptxopt PTXOPT --ptxrun PTXRUN            the lines that the table does not have so
    sync_yardstick.py --ptxopt PTXOPT --ptxrun PTXRUN --write    writes corpus/expected/sync_yardstick.tsv
    sync_yardstick.py --explain                                  only the verdicts again

The kernels are those of the corpus that sentryward finds clean, and ptxrun too (second_opinion.tsv), and that
synchronise by more than barriers of the CTA and mbarriers; the statements are all that STATEMENT
names, CTA barriers too.  What sentryward does not prove within --seconds after -O2 is left out.  After
-O2, the statements that are left are taken out one at a time, from top to bottom (a wait that gives
a predicate is always true instead), if sentryward proves the rest.  Then ptxrun runs it, under
--schedules schedules and with --strict-proxies.  If it has no new finding and no other result, the
statement stays out.

The table has a line for each kernel: the statements before and after -O2, and those that sentryward
lets go besides.  Each of the latter has a line of its own, with its line in the file, what ptxrun says,
and a verdict with its reason.  The verdict is `seen` or `unreached` by what ptxrun says.  Else it is one
of sync_deletions.py, from sync_deletions_why.tsv or, where that has none, from the first line of
sync_yardstick_why.tsv of which the patterns fit FILE:KERNEL:LINE and the statement.

sentryward is optional: `pip install sentryward`, on PATH or named by PTXOPT_SENTRYWARD.  Without it
the comparison is skipped (exit status 77).
"""
import collections
import concurrent.futures
import difflib
import fnmatch
import os
import re
import sys
import tempfile

import async_yardstick
import second_opinion
import sentryward_judge as sentryward
import sync_deletions
from async_yardstick import is_line

TABLE = os.path.join(second_opinion.SOURCE_DIR, "corpus", "expected", "sync_yardstick.tsv")
REASONS = os.path.join(second_opinion.SOURCE_DIR, "corpus", "expected", "sync_yardstick_why.tsv")
SKIPPED = 77

OTHER = (r"(cp\.async\.(bulk\.)?(commit_group|wait_group|wait_all)|wgmma\.(fence|commit_group|wait_group)|"
         r"tcgen05\.(wait|fence)|fence|membar|bar\.warp\.sync|griddepcontrol\.wait)\b")
STATEMENT = re.compile(r"(@!?%?[\w$]+\s+)?(?P<name>" + OTHER +
                       r"|(bar|barrier)\.(cta\.)?(sync|red)\b|mbarrier\.(test|try)_wait\b)")


def statements(text, kernel):
    """[(line, statement, kind, text without it, text with a trap)]"""
    found = [(d, STATEMENT.match(d[1])) for d in sync_deletions.deletions(text, kernel)]
    return [(line, statement, match["name"], without, with_trap)
            for (line, statement, without, with_trap), match in found if match]


def cases(filter_text):
    """(case, launch) of the kernels to look at."""
    clean = {(r.file, r.kernel)
             for r in second_opinion.read_rows(second_opinion.TABLE, second_opinion.Row)
             if r.outcome != "differ" and r.sentryward == "clean" and r.file.startswith("corpus/")}
    for file, kernel, launch in second_opinion.cases():
        if filter_text not in file or (file, kernel) not in clean:
            continue
        path = os.path.join(second_opinion.SOURCE_DIR, file)
        with open(path, errors="replace") as source:
            text = source.read()
        if any(re.match(OTHER, kind) for _, _, kind, _, _ in statements(text, kernel)):
            yield sync_deletions.Case(path, file, text, kernel, None), launch


def original_lines(before, after, kernel):
    """{line of a statement in `after`: its line in `before`, the file that -O2 made it of}"""
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    same = {block.b + k + 1: block.a + k + 1 for block in matcher.get_matching_blocks()
            for k in range(block.size)}
    originals = [(line, kind) for line, _, kind, _, _ in statements(before, kernel)]
    lines, last = {}, 0
    for line, _, kind, _, _ in statements(after, kernel):
        # One of which an operand has another name is the next of its kind.
        last = same.get(line) or next(old for old, old_kind in originals
                                      if old > last and old_kind == kind)
        lines[line] = last
    return lines


def without_one(text, number, changed):
    """`text` with the line that `changed`, another text of as many lines, has there."""
    lines = text.split("\n")
    lines[number - 1] = changed.split("\n")[number - 1]
    return "\n".join(lines)


class Judges:
    """Of one kernel after -O2."""

    def __init__(self, arguments, command, case, launch, folder):
        self.kernel = async_yardstick.Kernel(arguments, case, folder)
        self.arguments, self.command, self.launch = arguments, command, launch
        self.text = self.kernel.text

    def proves(self, text):
        with open(self.kernel.path, "w") as out:
            out.write(text)
        return sentryward.judge(self.command, self.kernel.path, self.launch,
                                self.arguments.seconds).kind == "clean"

    def runs(self, text, with_trap):
        """What ptxrun says of a text."""
        for schedules in (2, self.arguments.schedules):
            findings, outcomes = self.kernel.report(text, schedules)
            kinds = sorted({kind for kind, *_ in findings - self.kernel.usual})
            if kinds or outcomes - self.kernel.outcomes:
                return " ".join(kinds) or "other-result"
        trapped = {kind for kind, *_ in self.kernel.report(with_trap, 2)[0]}
        return "nothing" if "trap" in trapped else "not-executed"

    def greedy(self):
        """[(line, statement, what ptxrun says)] of those that sentryward lets go"""
        gone, text = [], self.text
        for line, statement, _, without, with_trap in statements(self.text, self.kernel.name):
            fewer = without_one(text, line, without)
            if not self.proves(fewer):
                continue
            said = self.runs(fewer, with_trap)
            gone.append((line, statement, said))
            if said in ("nothing", "not-executed"):
                text = fewer
        return gone


def rows_of(arguments, command, case, launch):
    with tempfile.TemporaryDirectory() as folder:
        judges = Judges(arguments, command, case, launch, folder)
        if not judges.kernel.is_runnable or not judges.proves(judges.text):
            return []
        before = statements(case.text, case.kernel)
        left = statements(judges.text, case.kernel)
        gone = judges.greedy()
        lines = original_lines(case.text, judges.text, case.kernel)
    head = [case.file, case.kernel, str(len(before)), str(len(left)), str(len(gone))]
    return [head] + [[case.file, case.kernel, f"line {lines[line]}", statement, said, "", ""]
                     for line, statement, said in gone]


def explain(rows):
    """Sets the verdicts; returns complaints, and those about reasons that nothing needs."""
    reasons = sync_deletions.read_rows(REASONS)
    complaints, used = [], set()
    for row in filter(is_line, rows):
        if row[4] != "nothing":
            row[5:] = ["unreached" if row[4] == "not-executed" else "seen", ""]
            continue
        line = row[2].removeprefix("line ")
        deleted = [*row[:2], line, *row[3:5]]
        sync_deletions.explain([deleted])
        row[5:] = deleted[5:]
        if row[5]:
            continue
        place = f"{row[0]}:{row[1]}:{line}"
        which = next((k for k, reason in enumerate(reasons) if fnmatch.fnmatchcase(place, reason[0])
                      and fnmatch.fnmatchcase(row[3], reason[1])), None)
        if which is None:
            complaints.append(f"not explained: {place}: {row[3]}")
            continue
        used.add(which)
        row[5:] = reasons[which][2:4]
    return complaints, [f"explains nothing: {reason[0]} {reason[1]}"
                        for k, reason in enumerate(reasons) if k not in used]


def head(rows):
    kernels = [row for row in rows if not is_line(row)]
    before, left, more = (sum(int(row[k]) for row in kernels) for k in (2, 3, 4))
    verdicts = collections.Counter(row[5] for row in rows if is_line(row))
    gone = before - left
    may = verdicts["goes"]
    return ["# Made by tests/tools/sync_yardstick.py --write",
            f"# {before} statements in {len(kernels)} kernels: -O2 removes {gone}, and sentryward lets "
            f"{more} more go: {gone / max(1, gone + more):.1%} go",
            f"# of these {more}: ptxrun sees {verdicts['seen']}, {verdicts['unseen']} are needed and not "
            f"looked for, another launch needs {verdicts['launch']}, no thread comes to "
            f"{verdicts['unreached']}, {may} may go; of all that may go, -O2 removes "
            f"{gone / max(1, gone + may):.1%}",
            "# file\tkernel\tstatements\tafter -O2\tgo besides",
            "# file\tkernel\tline\tstatement\tptxrun\tverdict\twhy"]


def write(rows):
    async_yardstick.write_table(TABLE, head(rows), rows)


def main():
    parser = async_yardstick.parser_of(__doc__, schedules=14)
    parser.add_argument("--seconds", type=int, default=20, help="time limit of sentryward")
    arguments = parser.parse_args()

    table = sync_deletions.read_rows(TABLE) if os.path.exists(TABLE) else []
    if arguments.explain:
        complaints, idle = explain(table)
        write(table)
        print("\n".join(complaints + idle + head(table)[1:3]))
        return 1 if complaints or idle else 0

    command = sentryward.find_command()
    if command is None:
        print("skipped: sentryward is not installed")
        return SKIPPED
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for rows in pool.map(lambda each: rows_of(arguments, command, *each),
                                         cases(arguments.filter)) for row in rows]
    complaints, idle = explain(rows)
    if arguments.filter:
        table = [row for row in table if arguments.filter not in row[0]]
    else:
        complaints, table = complaints + idle, []
    if arguments.write:
        write(rows + table)
    else:
        before = {"\t".join(row) for row in sync_deletions.read_rows(TABLE)}
        complaints += [f"not in the table: {line}" for line in map("\t".join, rows)
                       if line not in before]
    print("\n".join(complaints + head(rows)[1:3]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
