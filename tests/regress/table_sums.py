#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of a table of corpus/expected/ that has a line for each kernel or function: table_sums.py TABLE

Runs nothing: the tests of this folder keep the tables up to date.  First the sums of the columns that
count something in PTX.  Then, for each run of passes that the table has, the kernels for which ptxas
gives other figures than for the input, and how these differ.
"""
import argparse
import os

import corpus
import kernel_table

FIGURES = ["registers", "spills", "code"]


class Table(kernel_table.KernelTable):
    def __init__(self, name):
        super().__init__()
        self.path = os.path.join(corpus.EXPECTED_DIR, name + ".tsv")


def counted_columns(columns):
    """Those before what ptxas makes of the input, but for texts."""
    return columns[:columns.index("registers")]


def sides(columns):
    """What the names of columns end in that say what ptxas makes of a run of passes."""
    return [c.removeprefix("registers") for c in columns if c.startswith("registers_")]


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
    parts = [f"{column} {kernel_table.total(rows, column)}" for column in counted_columns(columns)
             if any(row[column].isdigit() for row in rows.values())]
    print(f"{label}{len(rows)} lines: {', '.join(parts)}")
    for side in sides(columns):
        print(f"  {side.removeprefix('_')}: {difference(rows, side)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="barriers, redundancy, bases, globals, levels or warp")
    parser.add_argument("--without", metavar="TEXT", help="leave out files whose name contains this")
    parser.add_argument("--by-producer", action="store_true", help="a sum for each compiler")
    arguments = parser.parse_args()
    release, rows = Table(arguments.table).read()
    if arguments.without:
        rows = {name: row for name, row in rows.items()
                if arguments.without not in name.split("\t")[0]}
    print(f"ptxas {release}")
    for label, part in kernel_table.parts(rows, arguments.by_producer):
        print_sums(part, label)


if __name__ == "__main__":
    main()
