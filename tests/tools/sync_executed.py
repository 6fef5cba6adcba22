#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often threads execute synchronisation, before and after -O2.

    sync_executed.py --ptxopt PTXOPT --ptxrun PTXRUN            the lines that the table does not have so
    sync_executed.py --ptxopt PTXOPT --ptxrun PTXRUN --write    writes corpus/expected/sync_executed.tsv

For every kernel of the corpus with a described launch and one of KINDS in its text, a counter in global
memory is raised beside each such statement, under its guard.  The table has a line for each kernel with,
for each kind, how many there are and how often a thread executes one, before and after.  A kernel that does
not come to an end within --seconds, or that ptxrun cannot run, is left out.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import second_opinion
import sync_deletions

TABLE = os.path.join(second_opinion.SOURCE_DIR, "corpus", "expected", "sync_executed.tsv")
KINDS = {
    "barriers": r"(bar|barrier)\.(cta\.)?(sync|red)\b",
    "warp barriers": r"bar\.warp\.sync\b",
    "waits": r"((cp\.async\.(bulk\.)?|wgmma\.)(wait_group|wait_all|commit_group)|tcgen05\.wait|"
             r"griddepcontrol\.wait)\b",
    "fences": r"(fence|membar|wgmma\.fence|tcgen05\.fence)\b",
}
STATEMENT = [re.compile(r"(@!?%?[\w$]+\s+)?" + kind) for kind in KINDS.values()]


def counted(text, kernel):
    """(the text with counters, [number of statements of each kind])"""
    lines = text.split("\n")
    numbers = [0] * len(KINDS)
    for number, statement, _, _ in sync_deletions.deletions(text, kernel):
        for kind, pattern in enumerate(STATEMENT):
            match = pattern.match(statement)
            if match:
                numbers[kind] += 1
                lines[number - 1] += f" {match[1] or ''}red.global.add.u32 [counted_{kind}], 1;"
    declarations = " ".join(f".global .align 4 .u32 counted_{kind};" for kind in range(len(KINDS)))
    header = re.compile(r"\.target\s+\w+(\s*,\s*\w+)*(\s*\.address_size\s+\d+)?")
    return header.sub(lambda match: f"{match[0]} {declarations}", "\n".join(lines), count=1), numbers


def executed(ptxrun, path, text, kernel, seconds):
    """[(number, executions) of each kind], or None"""
    text, numbers = counted(text, kernel)
    with open(path, "w") as out:
        out.write(text)
    prints = [f"--print=counted_{kind}:u32" for kind in range(len(KINDS))]
    try:
        done = subprocess.run([ptxrun, path, "--kernel", kernel, "--no-races", *prints], timeout=seconds,
                              capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return None
    counts = re.findall(r"^counted_\d: (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or len(counts) != len(KINDS):
        return None
    return list(zip(numbers, map(int, counts)))


def row_of(arguments, case):
    file, kernel, _ = case
    path = os.path.join(second_opinion.SOURCE_DIR, file)
    with open(path, errors="replace") as source:
        text = source.read()
    if not any(counted(text, kernel)[1]):
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, os.path.basename(file))
        subprocess.run([arguments.ptxopt, "-q", "-O2", path, "-o", made], check=True)
        with open(made, errors="replace") as result:
            after = result.read()
        counts = [executed(arguments.ptxrun, made, each, kernel, arguments.seconds)
                  for each in (text, after)]
    if None in counts:
        return None
    return [file, kernel, *(str(number) for pair in zip(*counts) for count in pair for number in count)]


def head(rows):
    lines = ["# Made by tests/tools/sync_executed.py --write"]
    for kind, name in enumerate(KINDS):
        before, times, after, still = (sum(int(row[2 + 4 * kind + k]) for row in rows) for k in range(4))
        lines.append(f"# {name}: {before} executed {times} times, after -O2 {after} executed {still} times: "
                     f"{(times - still) / max(1, times):.1%} are gone")
    return lines + ["# file\tkernel" + "".join(f"\t{name}\texecuted\tafter -O2\texecuted" for name in KINDS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", required=True, type=os.path.abspath)
    parser.add_argument("--ptxrun", required=True, type=os.path.abspath)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of a run")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()

    chosen = [case for case in second_opinion.cases()
              if case[0].startswith("corpus/") and arguments.filter in case[0]]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for row in pool.map(lambda case: row_of(arguments, case), chosen) if row]
    table = sync_deletions.read_rows(TABLE) if os.path.exists(TABLE) else []
    complaints = []
    if arguments.write:
        if arguments.filter:
            rows += [row for row in table if arguments.filter not in row[0]]
        rows.sort()
        with open(TABLE, "w") as out:
            out.write("\n".join(head(rows) + ["\t".join(row) for row in rows]) + "\n")
    else:
        complaints = ["not in the table: " + "\t".join(row) for row in rows if row not in table]
    print("\n".join(complaints + head(rows)[1:-1]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
