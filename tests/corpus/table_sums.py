#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of a text of corpus/expected/ that has a line for each function: table_sums.py TABLE

Runs nothing: own_tables.py keeps the texts up to date.  First the sums of the columns that count
something in PTX.  Then, for each run of passes that ptxas saw, the kernels for which it gives other
figures than for the input, and how these differ.
"""
import argparse
import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "regress"))
import corpus

FIGURES = ["registers", "spills", "code"]


def read(path):
    """(the ptxas of the figures, {(file, function): row})"""
    with open(path) as table:
        first, head, *lines = table.read().splitlines()
    columns = head.split("\t")[2:]
    rows = {}
    for line in lines:
        name, function, *values = line.split("\t")
        rows[name, function] = dict(zip(columns, values))
    return first.removeprefix("# "), rows


def counted_columns(columns):
    """Those before what ptxas makes of the input."""
    return columns[:columns.index("registers")]


def sides(columns):
    """What the names of columns end in that say what ptxas makes of a run of passes."""
    return [c.removeprefix("registers") for c in columns if c.startswith("registers_")]


def total(rows, column):
    return sum(int(row[column]) for row in rows.values() if row[column].isdigit())


def difference(rows, side):
    """Over the kernels of which ptxas makes something else."""
    changed = []
    for row in rows.values():
        before, after = ([row[what + end] for what in FIGURES] for end in ("", side))
        if all(n.isdigit() for n in before + after) and before != after:
            changed.append([(int(old), int(new)) for old, new in zip(before, after)])
    registers, spills, code = zip(*changed) if changed else ([], [], [])
    more = [sum(new > old for old, new in pairs) for pairs in (registers, spills)]
    fewer = sum(new < old for old, new in registers)
    old, new = (sum(pair[k] for pair in code) for k in (0, 1))
    return (f"{len(changed)} kernels differ: code {old} -> {new} bytes; "
            f"registers more in {more[0]}, fewer in {fewer}; spills more in {more[1]}")


def print_sums(rows, label):
    columns = list(next(iter(rows.values())))
    parts = [f"{column} {total(rows, column)}" for column in counted_columns(columns)
             if any(row[column].isdigit() for row in rows.values())]
    kernels = {name: row for name, row in rows.items() if row["registers"].isdigit()}
    parts += [f"{what} " + ", ".join(str(total(kernels, what + side)) for side in ("", *sides(columns)))
              for what in FIGURES if what != "spills" and kernels]
    print(f"{label}{len(rows)} lines: {', '.join(parts)}")
    for side in sides(columns):
        print(f"  {side.removeprefix('_')}: {difference(rows, side)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="barriers, redundancy, bases, globals, levels or warp")
    parser.add_argument("--without", metavar="TEXT", help="leave out files whose name contains this")
    parser.add_argument("--by-producer", action="store_true", help="a sum for each compiler")
    arguments = parser.parse_args()
    ptxas, rows = read(os.path.join(corpus.EXPECTED_DIR, arguments.table + ".tsv"))
    print(ptxas)
    groups = collections.defaultdict(dict)
    for (name, function), row in rows.items():
        if not arguments.without or arguments.without not in name:
            groups[""][name, function] = row
            if arguments.by_producer:
                groups[corpus.producer(name) + ": "][name, function] = row
    for label, part in sorted(groups.items()):
        print_sums(part, label)


if __name__ == "__main__":
    main()
