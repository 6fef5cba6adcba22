# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds dead-sync and warp-sync against the marks of barriers beside asynchronous operations.

    check_barriers.py --ptxopt PTXOPT FILE...            no barrier may go, or be weakened, that has to stay
    check_barriers.py --ptxopt PTXOPT --all FILE...      and those that may go do
    check_barriers.py --ptxopt PTXOPT --kept FILE...     lists those that may go and stay

Each barrier of a file has a mark, a comment on its line:
    // stays: WHY (RULE)               needed
    // stays: WHY (RULE); unseen: WHY  needed by the rule, and ptxrun cannot see it
    // goes: WHY (RULE)                not needed
    // weakens: WHY (RULE)             needed, by threads of one warp only: bar.warp.sync will do
    // either N: WHY (RULE)            of those of a kernel with the same N all may go but one
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

BARRIER = re.compile(r"^\s*(@!?%?[\w$]+\s+)?(bar|barrier)\.(cta\.)?(sync|red|arrive)\b")
MARK = re.compile(r"//\s*(?P<word>stays|goes|weakens|either)(?: (?P<group>\w+))?: (?P<why>.*)$")
FUNCTION = re.compile(r"\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)\s*\(")


class Barrier:
    """One barrier of a file; `line` counts from 1."""

    def __init__(self, line, function, match):
        self.line, self.function = line, function
        self.word, self.group = match["word"], match["group"]
        why, _, self.unseen = match["why"].partition("; unseen: ")
        rule = re.search(r"\(([^()]*(?:\([ivx]+\))?[^()]*)\)$", why)
        self.why, self.rule = why, rule and rule[1]


def barriers_of(path):
    """All barriers of a file; ends the program if one has no mark, or one without a rule."""
    found, function = [], None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            entry = FUNCTION.search(line.split("//")[0])
            function = entry[2] if entry else function
            if not BARRIER.match(line):
                continue
            match = MARK.search(line.rstrip())
            barrier = match and Barrier(number, function, match)
            if not barrier or not barrier.rule:
                sys.exit(f"{path}:{number}: what becomes of this barrier, and by which rule?")
            if (barrier.word == "either") != bool(barrier.group):
                sys.exit(f"{path}:{number}: a number of its group for each `either`, and for no other")
            found.append(barrier)
    return found


def groups_of(barriers):
    """The barriers of each `either`, by function and number."""
    groups = collections.defaultdict(list)
    for barrier in barriers:
        if barrier.word == "either":
            groups[barrier.function, barrier.group].append(barrier)
    return groups


def changed_by(ptxopt, path, passes):
    """The lines of the barriers that these passes remove or weaken."""
    with tempfile.TemporaryDirectory() as folder:
        out, remarks = os.path.join(folder, "out.ptx"), os.path.join(folder, "remarks")
        subprocess.run([ptxopt, "-q", "--verify-each", f"--passes={passes}", f"--remarks={remarks}",
                        path, "-o", out], check=True)
        with open(remarks) as file:
            removed = {r["ptx"]["line"] for r in map(json.loads, file) if r["kind"] == "passed"}
        counts = []
        for each in (path, out):
            with open(each) as file:
                counts.append(sum(bool(BARRIER.match(line)) for line in file))
    if counts[0] - counts[1] != len(removed):
        sys.exit(f"{path}: {len(removed)} remarks, but of {counts[0]} barriers are {counts[1]} left")
    return removed


def check(path, barriers, removed, everything=False, needed=("stays", "weakens")):
    """What is wrong about the barriers that were removed, or weakened."""
    def complain(barrier, what):
        return f"{path}:{barrier.line}: {what}: {barrier.why}"

    problems = [complain(b, "removed") for b in barriers
                if b.word in needed and b.line in removed]
    for group in groups_of(barriers).values():
        left = [b for b in group if b.line not in removed]
        if not left:
            problems.append(complain(group[0], "none of these is left"))
        if everything:
            problems += [complain(b, "one more is left") for b in left[1:]]
    if everything:
        problems += [complain(b, "kept") for b in barriers
                     if b.word == "goes" and b.line not in removed]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--all", action="store_true", help="what may go must go")
    parser.add_argument("--kept", action="store_true", help="list what may go and is kept")
    arguments = parser.parse_args()
    problems, may_go, gone = [], 0, 0
    for path in arguments.files:
        barriers = barriers_of(path)
        removed = changed_by(arguments.ptxopt, path, "dead-sync")
        problems += check(path, barriers, removed, arguments.all)
        weakened = changed_by(arguments.ptxopt, path, "warp-sync")
        problems += check(path, barriers, weakened, needed=("stays",))
        may_go += sum(b.word == "goes" for b in barriers)
        may_go += sum(len(group) - 1 for group in groups_of(barriers).values())
        gone += len(removed)
        if arguments.kept:
            left = set(check(path, barriers, removed, True)) - set(check(path, barriers, removed))
            print("".join(sorted(f"{line}\n" for line in left)), end="")
    print("\n".join(problems + [f"{gone} of {may_go} that may go are gone"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
