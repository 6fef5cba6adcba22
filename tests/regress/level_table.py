#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What -O2 and -O3 do to each kernel of the corpus, against corpus/expected/levels.tsv: prints what moved
and fails if anything did.

One line a kernel or function that one of the levels changes: instructions and CTA barriers in PTX as it
is, by -O2 and by -O3; then what ptxas makes of these three: registers, bytes spilled, bytes of code,
compared where it is the release that the table was made with, for a subset of the files.  None may spill
more or lose a step of occupancy; --increases lists whatever became more, --by-producer prints sums.
"""
import collections
import os
import re
import sys

import corpus
import kernel_table

BARRIER = re.compile(r"^\s*(?:@!?\S+\s+)?bar(?:rier)?(?:\.cta)?\.(?:sync|red)\b")
LEVELS = {"_O2": "-O2", "_O3": "-O3"}


def counts(path):
    """{function: (instructions, barriers)}"""
    found, current = collections.defaultdict(lambda: [0, 0]), None
    with open(path, errors="replace") as text:
        for line in text:
            if match := kernel_table.FUNCTION.match(line):
                current = match.group(1)
            elif current and kernel_table.INSTRUCTION.match(line):
                found[current][0] += 1
                found[current][1] += bool(BARRIER.match(line))
    return found


class LevelTable(kernel_table.KernelTable):
    path = os.path.join(corpus.EXPECTED_DIR, "levels.tsv")
    sides = list(LEVELS)
    counted = [what + side for what in ("instructions", "barriers") for side in ("", *LEVELS)]
    subset = 40
    by_producer = False

    def optimize(self, ptxopt, files, folder):
        """Functions that change."""
        rows, outputs = {file.name: {} for file in files}, {}
        for side, level in LEVELS.items():
            results, _ = corpus.optimize(ptxopt, files, os.path.join(folder, side), [level, "-q"])
            outputs.update({(side, name): path for name, path in results.items()})
        for file in files:
            found = {side: counts(outputs[side, file.name]) for side in LEVELS}
            found[""] = counts(file.path)
            for function, before in found[""].items():
                if all(function in found[side] and found[side][function] == before
                       for side in LEVELS):
                    continue
                row = rows[file.name][function] = self.row()
                for side, of_side in found.items():
                    if function in of_side:
                        row["instructions" + side], row["barriers" + side] = map(
                            str, of_side[function])
        return rows, outputs

    def print_totals(self, rows):
        if self.by_producer:
            groups = collections.defaultdict(dict)
            for name, row in rows.items():
                groups[kernel_table.producer(name.split("\t")[0])][name] = row
            for group in sorted(groups):
                self.print_sums(groups[group], group + ": ")
        self.print_sums(rows)

    def print_sums(self, rows, label=""):
        parts = []
        for what in ("instructions", "barriers", *self.figures):
            if any(row[what].isdigit() for row in rows.values()):
                sums = [str(kernel_table.total(rows, what + side)) for side in ("", *LEVELS)]
                parts.append(f"{what} " + " -> ".join(sums))
        print(f"{label}{len(rows)} functions: " + "; ".join(parts))


def main():
    table = LevelTable()
    parser = table.parser(__doc__)
    parser.add_argument("--by-producer", action="store_true", help="sums")
    arguments = parser.parse_args()
    table.by_producer = arguments.by_producer
    return table.check(arguments, [f for f in corpus.files() if arguments.filter in f.name])


if __name__ == "__main__":
    sys.exit(main())
