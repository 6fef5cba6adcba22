#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes each synchronisation of the corpus's asynchronous kernels, one at a time, and runs the rest.

    sync_deletions.py --ptxrun PTXRUN             the files and lines that the table does not have so
    sync_deletions.py --ptxrun PTXRUN --write     writes corpus/expected/sync_deletions.tsv
    sync_deletions.py --ptxrun PTXRUN --missing   runs the kernels only that the table does not have
    sync_deletions.py --explain                   only the columns from sync_deletions_why.tsv anew

The kernels are those with a described launch (LAUNCH) that use an mbarrier, a bulk or tensor copy,
wgmma or tcgen05.  A barrier, an mbarrier operation, a wait, a fence or a commit is taken out; a
wait that gives a predicate is always true instead.  ptxrun sees the deletion if it has a finding
that the whole kernel does not have, or another result, under 14 schedules, with --strict-proxies:
a fence that the letter of the manual asks for is needed.  Where it does not see it, the
columns `verdict` and `why` come from sync_deletions_why.tsv: from the first of its lines whose
patterns fit the place (FILE:KERNEL:LINE), the statement, and what stands above and below it.  These
are the two nearest statements in the text that access memory, synchronise or branch, and labels, by
their opcodes; @ is a guard.  The verdict is one of VERDICTS.

The table is written after each kernel, the quickest first: what is done is kept.
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
    r"(?:^|[{;])\s*(?P<statement>(?P<guard>@!?%?[\w$]+\s+)?(?P<name>"
    r"(bar|barrier)\.\w+|mbarrier\.\w+|fence\b|membar\b|griddepcontrol\.\w+|"
    r"wgmma\.(fence|commit_group|wait_group)|"
    r"cp\.async\.(bulk\.)?(commit_group|wait_group|wait_all|mbarrier)|"
    r"tcgen05\.(commit|wait|fence|dealloc|relinquish_alloc_permit)"
    r")(?P<rest>[^;]*);)")
EVENT = re.compile(
    r"^\s*\{?\s*(?P<guard>@!?%?[\w$]+\s+)?(?P<name>"
    r"(ld|st|atom|red|ldmatrix|stmatrix|cp|tcgen05|wgmma|bar|barrier|mbarrier|fence|membar|"
    r"griddepcontrol|setmaxnreg|clusterlaunchcontrol|tensormap|ret|bra|brx|exit|trap|call)\b"
    r"[\w.:]*)|(?P<label>^[\w$]+:)")
STRICT = ("--strict-proxies",)
PATIENCE = 10  # so many times the steps of the whole kernel are too many
WAIT = re.compile(r"mbarrier\.(test|try)_wait")
VERDICTS = {
    "goes": "the kernel is right without it under every launch",
    "launch": "needed, but under this launch its absence does no harm",
    "unseen": "needed, and ptxrun does not look at what goes wrong",
}


def deletions(text, kernel):
    """(line from 1, statement, text without it, text with a trap) for each synchronisation."""
    lines = text.split("\n")
    inside = False
    for number, line in enumerate(lines):
        entry = re.search(r"\.(entry|func)\b.*?([\w$.]+)\s*\(", line)
        if entry:
            inside = entry.group(2) == kernel
        match = SYNCHRONISES.search(line)
        if not inside or not match or "//" in line[:match.start("statement")]:
            continue
        without = ""
        if WAIT.match(match["name"]):
            result = match["rest"].split()[1].rstrip(",")
            without = f"{match['guard'] or ''}setp.eq.b32 {result}, 0, 0;"
        statement = match["statement"]
        texts = ["\n".join(lines[:number] + [line.replace(statement, other, 1)] + lines[number + 1:])
                 for other in (without, f"{match['guard'] or ''}trap;")]
        yield number + 1, " ".join(statement.split()).rstrip(";"), *texts


def run(ptxrun, path, kernel, schedules, limit, options=()):
    """The report of a run: the findings with their lines, the checksums of outcomes, the steps."""
    command = [ptxrun, path, "--kernel", kernel, "--schedules", str(schedules), "--json",
               "--step-limit", str(limit), *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{path}: {done.stderr}")
    return ({(f["kind"], *((f[place] or {}).get("line") for place in ("place", "other")))
             for f in report["findings"]},
            {o["checksum"] for o in report["outcomes"]},
            report["steps"] // report["runs"])


def judge(arguments, case, deletion):
    """A row of the table, without its verdict."""
    line, statement, without, with_trap = deletion
    usual, outcomes, steps = case.whole
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(case.path))

        def see(text, schedules):
            with open(path, "w") as out:
                out.write(text)
            findings, found, _ = run(arguments.ptxrun, path, case.kernel, schedules,
                                     PATIENCE * steps, STRICT)
            kinds = sorted({kind for kind, *_ in findings - usual})
            return kinds or (["other-result"] if found - outcomes else [])

        seen = see(without, 2) or see(without, arguments.schedules)
        if not seen and "trap" not in see(with_trap, 2):
            seen = ["not-executed"]
    return [case.file, case.kernel, str(line), statement, " ".join(seen) or "nothing"]


Case = collections.namedtuple("Case", "path file text kernel whole")


def cases(filter_text):
    """The kernels with asynchronous operations and a described launch, not yet run."""
    for base, folders, names in os.walk(os.path.join(SOURCE_DIR, "corpus", "ptx")):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".ptx")):
            path = os.path.join(base, name)
            with open(path, errors="replace") as file:
                text = file.read()
            relative = os.path.relpath(path, SOURCE_DIR)
            if filter_text not in relative or not ASYNCHRONOUS.search(text):
                continue
            for launch in re.findall(r"^// LAUNCH: (\{.*\})$", text, re.M):
                described = json.loads(launch)
                kernel = described.get("kernel") or re.search(r"\.entry\s+([\w$]+)", text)[1]
                yield Case(path, relative, text, kernel, None)


def quickest_first(arguments, known):
    """The kernels that ptxrun can run, with the report of the whole kernel."""
    runnable = []
    for case in cases(arguments.filter):
        if arguments.missing and (case.file, case.kernel) in known:
            continue
        whole = run(arguments.ptxrun, case.path, case.kernel, arguments.schedules, 20_000_000,
                    STRICT)
        if "unsupported" not in {kind for kind, *_ in whole[0]}:
            runnable.append(case._replace(whole=whole))
    return sorted(runnable, key=lambda c: c.whole[2] * len(list(deletions(c.text, c.kernel))))


def neighbours(lines, number, step):
    """The opcodes of the two nearest events above (step -1) or below (1) a line, in text order."""
    found = []
    number += step
    while 0 <= number < len(lines) and len(found) < 2:
        match = EVENT.match(lines[number])
        if match and match["label"]:
            name = "" if "tmp" in match["label"] else "LABEL"
        elif match:
            name = ("@" if match["guard"] else "") + match["name"]
        else:
            name = ""
        if name and not name.startswith("ld.param") and name not in found[-1:]:
            found.append(name)
        number += step
    return " ".join(found[::step])


def read_rows(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def explain(rows):
    """Sets the verdict and the reason of the rows; returns complaints."""
    reasons = [(*line[:4], (line[4], line[5])) for line in read_rows(REASONS)]
    texts = {}
    complaints = []
    used = set()
    for row in rows:
        row[5:] = ["", ""]
        if row[4] != "nothing":
            continue
        if row[0] not in texts:
            with open(os.path.join(SOURCE_DIR, row[0]), errors="replace") as file:
                texts[row[0]] = file.read().split("\n")
        number = int(row[2]) - 1
        place = (":".join(row[:3]), row[3], neighbours(texts[row[0]], number, -1),
                 neighbours(texts[row[0]], number, 1))
        fitting = (k for k, reason in enumerate(reasons)
                   if all(map(fnmatch.fnmatchcase, place, reason)))
        which = next(fitting, None)
        if which is None:
            complaints.append("not explained: " + "\t".join(place))
            continue
        used.add(which)
        row[5:] = reasons[which][4]
    return complaints, ["explains nothing: " + "\t".join(reason[:4])
                        for k, reason in enumerate(reasons) if k not in used]


def head(rows):
    seen = [row[4] for row in rows]
    dead = seen.count("not-executed")
    verdicts = collections.Counter(row[5] for row in rows)
    needed = len(rows) - dead - verdicts["goes"]
    return ["# Made by tests/tools/sync_deletions.py --write",
            f"# {len(rows)} deletions in {len({(r[0], r[1]) for r in rows})} kernels: "
            f"{len(rows) - dead - seen.count('nothing')} seen, {seen.count('nothing')} not seen, "
            f"{dead} where no thread comes",
            f"# of those not seen: {verdicts['goes']} may go, {verdicts['launch']} do no harm under "
            f"the launch, {verdicts['unseen']} are not looked for; of {needed} that are needed, "
            f"{(len(rows) - dead - seen.count('nothing')) / max(needed, 1):.1%} are seen",
            "# file\tkernel\tline\tdeleted\tseen\tverdict\twhy"]


def write(rows):
    rows.sort(key=lambda row: (row[0], row[1], int(row[2])))
    with open(TABLE, "w") as out:
        out.write("\n".join(head(rows) + ["\t".join(row) for row in rows]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxrun")
    parser.add_argument("--schedules", type=int, default=14)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--explain", action="store_true")
    arguments = parser.parse_args()

    table = read_rows(TABLE)
    if arguments.explain:
        complaints, idle = explain(table)
        write(table)
        print("\n".join(complaints + idle + head(table)[1:3]))
        return 1 if complaints or idle else 0

    writes = arguments.write or arguments.missing
    before = {"\t".join(row) for row in table}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case in quickest_first(arguments, {(row[0], row[1]) for row in table}):
            new = list(pool.map(lambda d, c=case: judge(arguments, c, d),
                                deletions(case.text, case.kernel)))
            rows += new
            if writes:
                table = [r for r in table if (r[0], r[1]) != (case.file, case.kernel)] + new
                explain(table)
                write(table)
    complaints, _ = explain(rows)
    if not writes:
        complaints += [f"not in the table: {line}" for line in map("\t".join, rows)
                       if line not in before]
    print("\n".join(complaints + head(rows)[1:3]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
