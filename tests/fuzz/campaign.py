#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A long run of random kernels, which may be stopped and started again.

    tests/fuzz/campaign.py build/release/bin/random_kernels -j 2
    tests/fuzz/campaign.py build/release/bin/random_kernels --summary

Runs what PLAN says, a chunk at a time, and adds a line to campaign.tsv for each chunk that is done.  Each
kernel goes through one pipeline, drawn by its seed from every pass, option and level, under one policy of the
scheduler and, every other time, with all assumptions that hold for it (random_kernels --draw 1 --assume);
what analyses and passes claim of it is checked while it runs.  The kind `async` takes two pipelines, drawn from
those that look at barriers, under three policies.  The kind `corpus` changes kernels of corpus/ at
random, and puts each through four pipelines under two policies.

The status is 2 if a chunk has a failure; its output is kept in campaign.found/.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE_DIR = os.path.dirname(os.path.dirname(HERE))
CHUNK = 2500
FIRST_SEED = 1_000_001
# Kernels of each kind.
PLAN = {"none": 70_000, "barriers": 70_000, "redundancy": 60_000, "phis": 50_000, "addresses": 50_000,
        "leaders": 40_000, "variables": 60_000, "pointers": 30_000, "rules": 70_000,
        "async": 40_000, "corpus": 20_000}
# Of these, only what looks at barriers, under three policies.
ASYNC = ["dead-sync", "dead-sync,warp-sync", "dead-sync<guard>,warp-sync", "O2", "O3"]
STATED = {"addresses", "leaders"}  # of these, every other chunk states the launch in the text
COLUMNS = ["kind", "first seed", "count", "version", "same", "failed", "inconclusive", "changed",
           "claims", "million steps", "seconds"]


def command(program, kind, seed, count):
    words = [program, "--seed", str(seed), "--count", str(count), "--out", f"campaign.found/{kind}"]
    if kind == "corpus":
        return [*words, "--draw", "4", "--schedules", "2", "--audit", "2",
                "--corpus", os.path.join(SOURCE_DIR, "corpus", "ptx")]
    if kind == "async":
        pipelines = [word for pipeline in ASYNC for word in ("--pipeline", pipeline)]
        return [*words, "--draw", "2", "--schedules", "3", "--audit", "1", "--bias", kind, "--assume", *pipelines]
    stated = ["--stated"] if kind in STATED and seed // CHUNK % 2 else []
    return [*words, "--draw", "1", "--schedules", "1", "--audit", "1", "--bias", kind, "--assume",
            *stated]


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def run_chunk(program, version, kind, seed, count):
    """(row of the table, output if something failed)"""
    start = time.monotonic()
    run = subprocess.run(command(program, kind, seed, count), capture_output=True, text=True,
                         errors="replace")
    if run.returncode not in (0, 2):
        sys.exit(f"campaign: {program}: status {run.returncode}\n{run.stderr}")
    output = run.stdout
    values = [kind, seed, count, version, number(r"same (\d+)", output),
              number(r"failed (\d+)", output), number(r"inconclusive (\d+)", output), number(r"changed (\d+)", output),
              number(r"claims checked (\d+)", output),
              number(r"(\d+)\s+million", output), round(time.monotonic() - start)]
    return "\t".join(map(str, values)), output if run.returncode == 2 else ""


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line[0].islower()][1:]


def todo(path):
    """Chunks that the table does not have, the kinds in turn."""
    done = {(row[0], int(row[1])) for row in rows_of(path)}
    chunks = []
    for kind, total in PLAN.items():
        of_kind = [(kind, FIRST_SEED + k, min(CHUNK, total - k)) for k in range(0, total, CHUNK)]
        chunks += [(k / total, *one) for k, one in enumerate(of_kind) if one[:2] not in done]
    return [one[1:] for one in sorted(chunks)]


def summary(path):
    totals = {}
    for row in rows_of(path):
        values = [int(row[2]), *map(int, row[4:])]
        totals[row[0]] = [a + b for a, b in zip(totals.get(row[0], [0] * len(values)), values)]
    totals["all"] = [sum(column) for column in zip(*totals.values())]
    print("| kind | kernels | same | failed | inconclusive | changed | claims checked | "
          "million thread-instructions | seconds |")
    print("|---" * 9 + "|")
    for kind, values in totals.items():
        print(f"| {kind} | " + " | ".join(f"{value:,}" for value in values) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("random_kernels")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--table", default=os.path.join(HERE, "campaign.tsv"))
    parser.add_argument("--kinds", nargs="+", choices=PLAN, help="these only")
    parser.add_argument("--summary", action="store_true", help="print totals of the table")
    arguments = parser.parse_args()
    if arguments.summary:
        summary(arguments.table)
        return
    version = subprocess.run(["git", "-C", SOURCE_DIR, "describe", "--always", "--dirty"],
                             capture_output=True, text=True).stdout.strip()
    if not os.path.exists(arguments.table):
        with open(arguments.table, "w", encoding="utf-8") as table:
            table.write("\t".join(COLUMNS) + "\n")
    os.makedirs("campaign.found", exist_ok=True)
    chunks = [c for c in todo(arguments.table) if not arguments.kinds or c[0] in arguments.kinds]
    lock = threading.Lock()
    failed = False

    def one(chunk):
        nonlocal failed
        row, output = run_chunk(arguments.random_kernels, version, *chunk)
        with lock, open(arguments.table, "a", encoding="utf-8") as table:
            table.write(row + "\n")
            failed = failed or bool(output)
        if output:
            with open(f"campaign.found/{chunk[0]}-{chunk[1]}.txt", "w", encoding="utf-8") as file:
                file.write(output)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, chunks))
    sys.exit(2 if failed else 0)


if __name__ == "__main__":
    main()
