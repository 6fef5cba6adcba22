#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes each synchronisation of the corpus's asynchronous kernels, one at a time, and runs the rest.

    sync_deletions.py --ptxrun PTXRUN             the files and lines that the table does not have so
    sync_deletions.py --ptxrun PTXRUN --write     writes corpus/expected/sync_deletions.tsv

The kernels are those with a described launch (LAUNCH) that use an mbarrier, a bulk or tensor copy,
wgmma or tcgen05.  A barrier, an mbarrier operation, a wait, a fence or a commit is taken out; a
wait that gives a predicate is always true instead.  ptxrun sees the deletion if it has a finding
that the whole kernel does not have, or another result, under 14 schedules.  Where it does not, the
column `why` says why, from sync_deletions_why.tsv: a deletion that does no harm cannot be seen.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(SOURCE_DIR, "corpus", "expected", "sync_deletions.tsv")
REASONS = os.path.join(SOURCE_DIR, "corpus", "expected", "sync_deletions_why.tsv")

ASYNCHRONOUS = re.compile(r"\b(mbarrier|wgmma|tcgen05|cp\.async\.bulk)\.")
SYNCHRONISES = re.compile(
    r"^\s*(?P<guard>@!?%?[\w$]+\s+)?(?P<name>"
    r"(bar|barrier)\.\w+|mbarrier\.\w+|fence\b|membar\b|griddepcontrol\.\w+|"
    r"wgmma\.(fence|commit_group|wait_group)|"
    r"cp\.async\.(bulk\.)?(commit_group|wait_group|wait_all|mbarrier)|"
    r"tcgen05\.(commit|wait|fence|dealloc|relinquish_alloc_permit)"
    r")(?P<rest>[^;]*);")
PATIENCE = 10  # so many times the steps of the whole kernel are too many
WAIT = re.compile(r"mbarrier\.(test|try)_wait")


def deletions(text, kernel):
    """(line from 1, statement, text without it, text with a trap) for each synchronisation."""
    lines = text.split("\n")
    inside = False
    for number, line in enumerate(lines):
        entry = re.search(r"\.(entry|func)\b.*?([\w$.]+)\s*\(", line)
        if entry:
            inside = entry.group(2) == kernel
        match = SYNCHRONISES.match(line)
        if not inside or not match:
            continue
        without = ""
        if WAIT.match(match["name"]):
            result = match["rest"].split()[1].rstrip(",")
            without = f"{match['guard'] or ''}setp.eq.b32 {result}, 0, 0;"
        statement = match[0].strip()
        texts = ["\n".join(lines[:number] + [line.replace(statement, other, 1)] + lines[number + 1:])
                 for other in (without, f"{match['guard'] or ''}trap;")]
        yield number + 1, " ".join(statement.split()).rstrip(";"), *texts


def run(ptxrun, path, kernel, schedules, limit, options=()):
    """The report of a run: the findings, the checksums of outcomes, and the steps."""
    command = [ptxrun, path, "--kernel", kernel, "--schedules", str(schedules), "--json",
               "--step-limit", str(limit), *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{path}: {done.stderr}")
    return ({(f["kind"], (f["place"] or {}).get("line")) for f in report["findings"]},
            sorted(o["checksum"] for o in report["outcomes"]),
            report["steps"] // report["runs"])


def judge(arguments, file, kernel, whole, deletion):
    """A row of the table."""
    line, statement, without, with_trap = deletion
    usual, outcomes, steps = whole
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(file))

        def see(text, schedules):
            with open(path, "w") as out:
                out.write(text)
            findings, found, _ = run(arguments.ptxrun, path, kernel, schedules, PATIENCE * steps)
            kinds = sorted({kind for kind, _ in findings - usual})
            return kinds or (["other-result"] if found != outcomes else [])

        seen = see(without, 2) or see(without, arguments.schedules)
        if not seen and "trap" not in see(with_trap, 2):
            seen = ["not-executed"]
    return [file, kernel, str(line), statement, " ".join(seen) or "nothing"]


def cases(arguments):
    for base, folders, names in os.walk(os.path.join(SOURCE_DIR, "corpus", "ptx")):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".ptx")):
            path = os.path.join(base, name)
            with open(path, errors="replace") as file:
                text = file.read()
            relative = os.path.relpath(path, SOURCE_DIR)
            if arguments.filter not in relative or not ASYNCHRONOUS.search(text):
                continue
            for launch in re.findall(r"^// LAUNCH: (\{.*\})$", text, re.M):
                described = json.loads(launch)
                kernel = described.get("kernel") or re.search(r"\.entry\s+([\w$]+)", text)[1]
                yield path, relative, text, kernel


def table(arguments):
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, relative, text, kernel in cases(arguments):
            whole = run(arguments.ptxrun, path, kernel, arguments.schedules, 20_000_000)
            if "unsupported" in {kind for kind, _ in whole[0]}:
                continue
            rows += pool.map(lambda d, r=relative, k=kernel, w=whole: judge(arguments, r, k, w, d),
                             deletions(text, kernel))
    return rows


def read_rows(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def explain(rows):
    """Adds the column `why`; returns complaints."""
    reasons = read_rows(REASONS)
    complaints = []
    for row in rows:
        why = ""
        if row[4] == "nothing":
            why = next((text for pattern, statement, text in reasons
                        if fnmatch.fnmatchcase(f"{row[0]}:{row[1]}:{row[2]}", pattern)
                        and fnmatch.fnmatchcase(row[3], statement)), "")
            if not why:
                complaints.append(f"not explained: {':'.join(row[:3])}: {row[3]}")
        row.append(why)
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--schedules", type=int, default=14)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()

    rows = table(arguments)
    complaints = explain(rows)
    counts = collections.Counter(row[4] if row[4] in ("nothing", "not-executed") else "seen"
                                 for row in rows)
    lines = ["# Made by tests/tools/sync_deletions.py --write",
             f"# {len(rows)} deletions: {counts['seen']} seen, {counts['nothing']} not seen, "
             f"{counts['not-executed']} where no thread comes",
             "# file\tkernel\tline\tdeleted\tseen\twhy"]
    lines += ["\t".join(row) for row in rows]
    if arguments.write:
        with open(TABLE, "w") as out:
            out.write("\n".join(lines) + "\n")
    else:
        with open(TABLE) as file:
            known = set(file.read().split("\n"))
        complaints += [f"not in the table: {line}" for line in lines[3:] if line not in known]
    print("\n".join(complaints + [lines[1][2:]]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
