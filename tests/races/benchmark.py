#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks ptxcheck about every kernel, and compares what it says with the answers of the comments in cuda/*.cu.

results.tsv has the counts for each source file, each kind of mistake and each target, and kernels.tsv a row
for each kernel.  --write writes them; without it the committed ones must be the same.  ptxcheck learns of no
launch.
"""
import argparse
import collections
import difflib
import json
import os
import subprocess
import sys

import manifest

RESULTS = os.path.join(manifest.FOLDER, "results.tsv")
KERNELS = os.path.join(manifest.FOLDER, "kernels.tsv")
COLUMNS = ("racy", "found", "certain", "replayed", "race-free", "false certain", "false possible")
HEAD = ("file or kind", "target", *COLUMNS, "recall %", "precision %", "precision of certain %")
TIMEOUT = 300  # seconds for a file


def ask(ptxcheck, ptx):
    """The findings of each kernel of a file, by its symbol."""
    run = subprocess.run([ptxcheck, "--json", ptx], capture_output=True, text=True, timeout=TIMEOUT)
    name = os.path.relpath(ptx, manifest.FOLDER)
    if run.returncode not in (0, 3, 4):
        sys.exit(f"{name}: ptxcheck exits with {run.returncode}: {run.stderr.strip()}")
    result = json.loads(run.stdout)
    if result["version"] != 1 or len(result["files"]) != 1:
        sys.exit(f"{name}: one file of version 1 expected")
    found = {kernel["kernel"]: kernel["findings"] for kernel in result["files"][0]["kernels"]}
    certainties = {finding["certainty"] for findings in found.values() for finding in findings}
    status = 4 if "certain" in certainties else 3 if certainties else 0
    if status != run.returncode:
        sys.exit(f"{name}: ptxcheck exits with {run.returncode}, and its findings ask for {status}")
    return found


def verdict(findings):
    certainties = {finding["certainty"] for finding in findings}
    return "certain" if "certain" in certainties else "possible" if certainties else "none"


def counted(kernel, said, replayed):
    """The columns that a kernel adds 1 to."""
    if kernel.racy():
        columns = {"racy": True, "found": said != "none", "certain": said == "certain", "replayed": replayed}
        return [column for column, holds in columns.items() if holds]
    return ["race-free"] + [f"false {said}"] * (said != "none")


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def row(name, target, counts, columns=COLUMNS):
    """A line of results.tsv; a kind of mistake has no race-free kernels and so no precision."""
    false = counts["false certain"] + counts["false possible"]
    cells = [name, target, *(str(counts[column]) if column in columns else "-" for column in COLUMNS),
             percent(counts["found"], counts["racy"])]
    if columns == COLUMNS:
        cells += [percent(counts["found"], counts["found"] + false),
                  percent(counts["certain"], counts["certain"] + counts["false certain"])]
    else:
        cells += ["-", "-"]
    return "\t".join(cells)


def measure(ptxcheck):
    """The texts of the two tables."""
    files, kinds, totals = (collections.defaultdict(collections.Counter) for _ in range(3))
    kernels = ["file\tkernel\ttarget\tanswer\tkind\tverdict\tkinds found\treplay"]
    for target, file, ptx, entries in manifest.programs():
        found, target = ask(ptxcheck, ptx), f"sm_{target}"
        for kernel, symbol in entries:
            if symbol not in found:
                sys.exit(f"{file}, {target}: ptxcheck says nothing about {symbol}")
            findings = found[symbol]
            said = verdict(findings)
            replays = {finding["replay"] for finding in findings}
            columns = counted(kernel, said, "seen" in replays)
            totals[target].update(columns)
            totals["both"].update(columns)
            files[file, target].update(columns)
            if kernel.racy():
                kinds[kernel.kind, target].update(columns)
            replay = next((word for word in ("seen", "not-seen", "not-run") if word in replays), "-")
            reported = ",".join(sorted({finding["kind"] for finding in findings})) or "-"
            kernels.append("\t".join((file, kernel.name, target, kernel.answer, kernel.kind or "-", said,
                                      reported, replay)))
    results = ["\t".join(HEAD)]
    results += [row(f"{name}.cu", target, counts) for (name, target), counts in sorted(files.items())]
    results += [row(f"kind {name}", target, counts, COLUMNS[:4])
                for (name, target), counts in sorted(kinds.items())]
    results += [row("total", target, counts) for target, counts in sorted(totals.items(), reverse=True)]
    return {RESULTS: "\n".join(results) + "\n", KERNELS: "\n".join(kernels) + "\n"}


def differs(path, text):
    """Prints how the committed table differs, if it does."""
    name, old = os.path.basename(path), ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old = file.read()
    diff = list(difflib.unified_diff(old.splitlines(), text.splitlines(), name, f"{name} now", n=0,
                                     lineterm=""))
    print("".join(f"{line}\n" for line in diff[:60]), end="")
    return bool(diff)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxcheck", required=True, help="the program")
    parser.add_argument("--write", action="store_true", help="write the tables, and compare nothing")
    options = parser.parse_args()
    tables = measure(options.ptxcheck)
    lines = tables[RESULTS].splitlines()
    print("\n".join(lines[:1] + [line for line in lines if line.startswith("total")]))
    if options.write:
        for path, text in tables.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return 0
    return 1 if any([differs(path, text) for path, text in tables.items()]) else 0


if __name__ == "__main__":
    sys.exit(main())
