# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What early-cse does to each kernel of the corpus, against corpus/expected/redundancy.tsv: prints what
moved and fails if anything did.

One line a kernel or function that one of the two forms changes: instructions in PTX as it is, by
early-cse (plain) and by early-cse<memssa>; then what ptxas makes of these three: registers, bytes
spilled, bytes of code, compared where it is the release that the table was made with, for a subset of
the files.  None may spill more, or lose a step of occupancy; --increases lists whatever became more,
--by-producer prints sums.  --passes=PIPELINE stands in for early-cse<memssa>: compares with nothing.
"""
import os
import sys

import corpus
import kernel_table


class RedundancyTable(kernel_table.CountTable):
    path = os.path.join(corpus.EXPECTED_DIR, "redundancy.tsv")
    runs = {"_plain": ["--passes=early-cse"], "_memssa": ["--passes=early-cse<memssa>"]}
    patterns = {"instructions": kernel_table.INSTRUCTION}

    def print_sums(self, rows, label):
        super().print_sums(rows, label)
        for side in self.sides:
            pairs = [(int(row["registers"]), int(row["registers" + side])) for row in rows.values()
                     if row["registers"].isdigit() and row["registers" + side].isdigit()]
            print(f"  registers{side} fewer in {sum(b < a for a, b in pairs)}, more in "
                  f"{sum(b > a for a, b in pairs)}")


def main():
    table = RedundancyTable()
    parser = table.parser(__doc__)
    parser.add_argument("--passes", help="a pipeline instead of early-cse<memssa>")
    arguments = parser.parse_args()
    if arguments.passes:
        table.runs = table.runs | {"_memssa": [f"--passes={arguments.passes}"]}
    files = [f for f in corpus.files() if arguments.filter in f.name]
    return table.check(arguments, files, is_comparison=not arguments.passes)


if __name__ == "__main__":
    sys.exit(main())
