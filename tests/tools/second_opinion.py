#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets the verdicts of ptxrun beside those of sentryward, another verifier of PTX.

For every kernel of tests/interp/ and of the corpus that describes its launch, ptxrun runs it under
several schedules with race detection, and sentryward judges the same launch statically.  The table
corpus/expected/second_opinion.tsv has one line for each launch:

    agree    both find it clean, or both find a race, or both find barriers that do not pair up
    cannot   one of them gives no verdict, and why
    differ   they give different verdicts; corpus/expected/second_opinion_why.tsv explains each

Findings that sentryward does not look for (bad addresses, reads of what nobody wrote) count as
clean here.

    second_opinion.py --ptxrun PTXRUN --write       makes the table again (20 minutes)
    second_opinion.py --ptxrun PTXRUN --write --filter triton    only the lines of some files
    second_opinion.py --ptxrun PTXRUN --sample 40   compares the litmus kernels and 40 others with it
    second_opinion.py --ptxopt PTXOPT --write       after optimization (20 minutes)

With --ptxopt, sentryward judges every launch on which the table has a verdict of it again, now with
what -O2 and -O3 make of the file.  The table corpus/expected/second_opinion_levels.tsv has a line
for each launch and level where it says something else then; second_opinion_levels_why.tsv explains
each.

sentryward is optional: `pip install sentryward`, on PATH or named by PTXOPT_SENTRYWARD.  Without it
the comparison is skipped (exit status 77).  In the comparison a verdict that ran out of time on one
side says nothing.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

import sentryward_judge as sentryward

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(SOURCE_DIR, "corpus", "expected", "second_opinion.tsv")
REASONS = os.path.join(SOURCE_DIR, "corpus", "expected", "second_opinion_why.tsv")
LEVEL_TABLE = os.path.join(SOURCE_DIR, "corpus", "expected", "second_opinion_levels.tsv")
LEVEL_REASONS = os.path.join(SOURCE_DIR, "corpus", "expected", "second_opinion_levels_why.tsv")
LEVELS = ("-O2", "-O3")
SKIPPED = 77

# What a finding of ptxrun is called here; the others are none that sentryward looks for.
CLASSES = {"data-race": "race", "barrier-divergence": "barrier", "barrier-mismatch": "barrier",
           "deadlock": "barrier", "step-limit": "barrier",
           "mbarrier-object": "barrier", "mbarrier-phase": "barrier", "tensor-memory": "barrier",
           "register-in-flight": "race", "proxy-race": "race"}

Row = collections.namedtuple("Row", "file kernel ptxrun sentryward outcome why")


def cases():
    """(file relative to the source, kernel, launch) of everything that describes its launch."""
    for folder in ("tests/interp", "corpus/ptx"):
        for base, folders, names in os.walk(os.path.join(SOURCE_DIR, folder)):
            folders.sort()
            for name in sorted(n for n in names if n.endswith(".ptx")):
                path = os.path.join(base, name)
                with open(path, errors="replace") as file:
                    text = file.read()
                seen = set()
                for launch in sentryward.launches(text):
                    kernel = sentryward.entry_of(text, launch).name
                    if kernel not in seen:  # --kernel takes the first description
                        yield os.path.relpath(path, SOURCE_DIR), kernel, launch
                    seen.add(kernel)


def judge_by_running(ptxrun, path, kernel, schedules, seconds):
    """(classes, text for the table); classes is None where there is no verdict."""
    command = [ptxrun, path, "--kernel", kernel, "--schedules", str(schedules), "--json",
               "--step-limit", "20000000"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace",
                             timeout=seconds)
        report = json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    except ValueError:
        return None, "no report"
    kinds = sorted({finding["kind"] for finding in report["findings"]})
    if {"unsupported", "trap", "assertion-failed"} & set(kinds):
        return None, " ".join(kinds)
    return {CLASSES[k] for k in kinds if k in CLASSES}, " ".join(kinds) or "clean"


def judge(case, arguments, command):
    file, kernel, launch = case
    path = os.path.join(SOURCE_DIR, file)
    classes, ours = judge_by_running(arguments.ptxrun, path, kernel, arguments.schedules, 300)
    theirs = sentryward.judge(command, path, launch, arguments.seconds)
    said = theirs.kind if theirs.kind != "none" else theirs.reason
    if classes is None or theirs.kind == "none":
        outcome = "cannot"
    else:
        same = theirs.kind in classes if classes else theirs.kind == "clean"
        outcome = "agree" if same else "differ"
    return Row(file, kernel, ours, said, outcome, "")


def read_rows(path, kind):
    rows = []
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                rows.append(kind(*line.rstrip("\n").split("\t")))
    return rows


Reason = collections.namedtuple("Reason", "pattern ptxrun sentryward text")


def explain(rows):
    """Fills in `why` from the file of reasons; returns the rows and the complaints."""
    reasons = read_rows(REASONS, Reason) if os.path.exists(REASONS) else []
    used, explained, complaints = set(), [], []
    for row in rows:
        if row.outcome == "differ":
            for reason in reasons:
                verdicts = (reason.ptxrun, reason.sentryward) == (row.ptxrun, row.sentryward)
                if verdicts and fnmatch.fnmatchcase(f"{row.file}:{row.kernel}", reason.pattern):
                    row = row._replace(why=reason.text)
                    used.add(reason)
                    break
            else:
                complaints.append(f"not explained: {row.file} {row.kernel}: "
                                  f"{row.ptxrun} / {row.sentryward}")
        explained.append(row)
    return explained, complaints, [r for r in reasons if r not in used]


def summary(rows):
    lines = []
    for name, part in (("tests/interp", [r for r in rows if r.file.startswith("tests/")]),
                       ("corpus", [r for r in rows if r.file.startswith("corpus/")])):
        outcomes = collections.Counter(r.outcome for r in part)
        lines.append(f"{name}: {len(part)} launches, {outcomes['agree']} agree, "
                     f"{outcomes['cannot']} cannot, {outcomes['differ']} differ")
    return lines


def merge(rows):
    """`rows`, and the old lines of the launches that they leave out and that still exist."""
    old = read_rows(TABLE, Row) if os.path.exists(TABLE) else []
    known = {(r.file, r.kernel): r._replace(why="") for r in old}
    known.update({(r.file, r.kernel): r for r in rows})
    everything = [(file, kernel) for file, kernel, _ in cases()]
    return [known[key] for key in everything if key in known]


def write(rows):
    with open(TABLE, "w") as file:
        file.write("# Made by tests/tools/second_opinion.py --write\n")
        for line in summary(rows):
            file.write(f"# {line}\n")
        file.write("# file\tkernel\tptxrun\tsentryward\toutcome\twhy\n")
        for row in rows:
            file.write("\t".join(row) + "\n")


def compare(rows):
    """Complaints about rows that are not as the table has them."""
    expected = {(r.file, r.kernel): r for r in read_rows(TABLE, Row)}
    complaints = []
    for row in rows:
        known = expected.get((row.file, row.kernel))
        if known is None:
            complaints.append(f"not in the table: {row.file} {row.kernel}")
        elif "timeout" not in row.sentryward + row.ptxrun + known.sentryward + known.ptxrun:
            # Findings that sentryward does not look for are no business of this table.
            if (row.outcome, row.sentryward) != (known.outcome, known.sentryward):
                complaints.append(f"{row.file} {row.kernel}: now {row.ptxrun} / {row.sentryward}, "
                                  f"the table says {known.ptxrun} / {known.sentryward}")
    return complaints


def explained_table(rows):
    """Writes the table with these rows new; returns complaints and a summary."""
    rows, complaints, unused = explain(merge(rows))
    write(rows)
    return complaints + [f"explains nothing: {r.pattern}" for r in unused], summary(rows)


def compare_runs(arguments, command):
    """Judges the launches with both programs; returns complaints and a summary."""
    chosen = [c for c in cases() if arguments.filter in c[0]]
    if arguments.sample:
        corpus = [c for c in chosen if c[0].startswith("corpus/")]
        step = max(1, len(corpus) // arguments.sample)
        chosen = [c for c in chosen if c not in corpus] + corpus[::step]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda case: judge(case, arguments, command), chosen))
    if arguments.write:
        return explained_table(rows)
    return compare(rows) + explain(rows)[1], summary(rows)


# ---- after optimization --------------------------------------------------------------------------

LevelRow = collections.namedtuple("LevelRow", "file kernel level before after why")
LevelReason = collections.namedtuple("LevelReason", "pattern before after text")


def judged_cases():
    """[(case, verdict of sentryward)], of the table."""
    verdicts = {(r.file, r.kernel): r.sentryward for r in read_rows(TABLE, Row)}
    found = [(case, verdicts.get(case[:2])) for case in cases()]
    return [(case, verdict) for case, verdict in found if verdict in sentryward.KINDS.values()]


def judge_levels(case, before, arguments, command):
    """[(level, verdict, or None if the level leaves the file as it is)]"""
    file, _, launch = case
    path = os.path.join(SOURCE_DIR, file)
    with open(path, errors="replace") as source:
        known = {source.read(): None}
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        for level in LEVELS:
            result = os.path.join(folder, os.path.basename(file))
            subprocess.run([arguments.ptxopt, "-q", level, path, "-o", result], check=True)
            with open(result, errors="replace") as made:
                text = made.read()
            if text not in known:
                said = sentryward.judge(command, result, launch, arguments.seconds)
                if said.reason.startswith("timeout"):
                    said = sentryward.judge(command, result, launch, 10 * arguments.seconds)
                known[text] = said.kind if said.kind != "none" else said.reason
            verdicts.append((level, known[text]))
    return verdicts


def explain_levels(rows):
    """Fills in `why`; returns the rows and the complaints."""
    reasons = read_rows(LEVEL_REASONS, LevelReason)
    explained, complaints = [], []
    for row in rows:
        place = f"{row.file}:{row.kernel}:{row.level}"
        why = next((r.text for r in reasons if (r.before, r.after) == (row.before, row.after)
                    and fnmatch.fnmatchcase(place, r.pattern)), "")
        explained.append(row._replace(why=why))
        if not why:
            complaints.append(f"not explained: {place}: {row.before}, then {row.after}")
    return explained, complaints


def compare_levels(arguments, command):
    """Judges what the levels make of the launches; returns complaints and a summary."""
    chosen = [(c, v) for c, v in judged_cases() if arguments.filter in c[0]]
    if arguments.sample:
        chosen = chosen[:: max(1, len(chosen) // arguments.sample)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda c: judge_levels(*c, arguments, command), chosen))
    rows, lines = [], []
    for level in LEVELS:
        after = [(*pair, dict(verdicts)[level]) for pair, verdicts in zip(chosen, found)]
        changed = [each for each in after if each[2] is not None]
        other = [LevelRow(*case[:2], level, before, now, "") for case, before, now in changed
                 if now != before]
        rows += other
        lines.append(f"{level}: {len(after)} launches with a verdict, {len(changed)} of changed "
                     f"files: {len(changed) - len(other)} have the same verdict, {len(other)} not")
    rows, complaints = explain_levels(sorted(rows))
    if arguments.write:
        with open(LEVEL_TABLE, "w") as out:
            out.write("# Made by tests/tools/second_opinion.py --ptxopt PTXOPT --write\n")
            out.writelines(f"# {line}\n" for line in lines)
            out.write("# " + "\t".join(LevelRow._fields) + "\n")
            out.writelines("\t".join(row) + "\n" for row in rows)
    else:
        table = read_rows(LEVEL_TABLE, LevelRow)
        complaints += [f"not in the table: {' '.join(row)}" for row in rows
                       if row not in table and "timeout" not in row.after]
    return complaints, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxrun")
    parser.add_argument("--ptxopt")
    parser.add_argument("--write", action="store_true", help="make the table again")
    parser.add_argument("--explain", action="store_true",
                        help="only take the explanations into the table again")
    parser.add_argument("--sample", type=int, default=0, help="launches of the corpus, 0 for all")
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("--schedules", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=20, help="time limit of sentryward")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.ptxopt and arguments.write and (arguments.filter or arguments.sample):
        parser.error("--ptxopt --write makes all of its table")

    complaints, lines = [], []
    if arguments.explain:
        complaints, lines = explained_table([])
    else:
        command = sentryward.find_command()
        if command is None:
            print("skipped: sentryward is not installed")
            return SKIPPED
        for each in filter(None, [arguments.ptxrun and compare_runs,
                                  arguments.ptxopt and compare_levels]):
            more, summed = each(arguments, command)
            complaints += more
            lines += summed
    print("\n".join(complaints + lines))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
