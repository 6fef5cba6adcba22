# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What early-cse does to each kernel of the corpus, against corpus/expected/redundancy.tsv: prints what
moved and fails if anything did.

One line a kernel or function that one of the two forms changes: instructions in PTX as it is, by
early-cse (plain) and by early-cse<memssa>; then what ptxas makes of these three: registers, bytes
spilled, bytes of code, compared where it is the release that the table was made with, for a subset of
the files.  None may spill more, or lose a step of occupancy; --increases lists whatever became more,
--by-producer prints sums.  --passes=PIPELINE stands in for early-cse<memssa>: compares with nothing.
"""
import collections
import os
import sys

import corpus
import kernel_table

RUNS = {"_plain": "early-cse", "_memssa": "early-cse<memssa>"}


class RedundancyTable(kernel_table.KernelTable):
    path = os.path.join(corpus.EXPECTED_DIR, "redundancy.tsv")
    sides = list(RUNS)
    counted = ["instructions" + side for side in ("", *RUNS)]
    subset = 40
    runs = RUNS
    by_producer = False

    def optimize(self, ptxopt, files, folder):
        """Functions that change."""
        rows, outputs = {file.name: {} for file in files}, {}
        for side, passes in self.runs.items():
            results, _ = corpus.optimize(ptxopt, files, os.path.join(folder, side),
                                         [f"--passes={passes}", "-q"])
            outputs.update({(side, name): path for name, path in results.items()})
        for file in files:
            before = kernel_table.instructions(file.path)
            after = {side: kernel_table.instructions(outputs[side, file.name]) for side in RUNS}
            for function, number in before.items():
                if all(after[side][function] == number for side in RUNS):
                    continue
                row = rows[file.name][function] = self.row()
                row["instructions"] = str(number)
                for side in RUNS:
                    row["instructions" + side] = str(after[side][function])
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
        for what in ("instructions", *self.figures):
            if any(row[what].isdigit() for row in rows.values()):
                sums = [str(kernel_table.total(rows, what + side)) for side in ("", *RUNS)]
                parts.append(f"{what} " + " -> ".join(sums))
        for side in RUNS:
            pairs = [(int(row["registers"]), int(row["registers" + side])) for row in rows.values()
                     if row["registers"].isdigit() and row["registers" + side].isdigit()]
            parts.append(f"registers{side} fewer in {sum(b < a for a, b in pairs)}, more in "
                         f"{sum(b > a for a, b in pairs)}")
        print(f"{label}{len(rows)} functions: " + "; ".join(parts))


def main():
    table = RedundancyTable()
    parser = table.parser(__doc__)
    parser.add_argument("--by-producer", action="store_true", help="sums")
    parser.add_argument("--passes", help="a pipeline instead of early-cse<memssa>")
    arguments = parser.parse_args()
    table.by_producer = arguments.by_producer
    if arguments.passes:
        table.runs = RUNS | {"_memssa": arguments.passes}
    files = [f for f in corpus.files() if arguments.filter in f.name]
    return table.check(arguments, files, is_comparison=not arguments.passes)


if __name__ == "__main__":
    sys.exit(main())
