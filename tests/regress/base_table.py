# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What common-base does to each kernel of the corpus, against corpus/expected/bases.tsv: prints what moved
and fails if anything did.

One line a kernel that changes: accesses that have another base, then before and after the pass the
instructions (those that are fewer computed addresses), and what ptxas makes of it: registers, bytes
spilled, bytes of code; compared where it is the release that the table was made with, for a subset of
the files.  No kernel may spill more, or lose a step of occupancy; --increases lists whatever became more.
"""
import functools
import json
import os
import sys

import corpus
import kernel_table

PASSES = "common-base"


class BaseTable(kernel_table.KernelTable):
    path = os.path.join(corpus.EXPECTED_DIR, "bases.tsv")
    counted = ["accesses", "instructions", "instructions_out"]
    sides = ["_out"]
    passes = PASSES

    def optimize(self, ptxopt, files, folder):
        rows, outputs = {file.name: {} for file in files}, {}
        for members in corpus.by_folder(files).values():
            log = os.path.join(folder, "remarks.json")
            results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, "out"),
                                         [f"--passes={self.passes}", "-q", f"--remarks={log}"])
            outputs.update({("_out", name): path for name, path in results.items()})
            with open(log) as lines:
                for remark in map(json.loads, lines):
                    accesses = remark.get("details", {}).get("accesses")
                    if accesses is None:
                        continue
                    name = os.path.relpath(remark["ptx"]["file"], corpus.CORPUS_DIR)
                    row = rows[name].setdefault(remark["function"], self.row())
                    old = 0 if row["accesses"] == kernel_table.UNKNOWN else int(row["accesses"])
                    row["accesses"] = str(old + int(accesses))
        for file in files:
            if not rows[file.name]:
                continue
            before = kernel_table.instructions(file.path)
            after = kernel_table.instructions(outputs["_out", file.name])
            for function, row in rows[file.name].items():
                row["instructions"] = str(before[function])
                row["instructions_out"] = str(after[function])
        return rows, outputs

    def print_sums(self, rows, label):
        total = functools.partial(kernel_table.total, rows)

        def more_and_fewer(what):
            pairs = [(int(row[what]), int(row[what + "_out"])) for row in rows.values()
                     if row[what].isdigit() and row[what + "_out"].isdigit()]
            return (f"{what} in {sum(new < old for old, new in pairs)} less, "
                    f"in {sum(new > old for old, new in pairs)} more")

        print(f"{label}{len(rows)} functions changed, {total('accesses')} accesses have another base; "
              + ", ".join(f"{what} {total(what)} -> {total(what + '_out')}"
                          for what in ("instructions", *self.figures)))
        if total("code"):
            print("; ".join(more_and_fewer(what) for what in self.figures))


def main():
    table = BaseTable()
    parser = table.parser(__doc__)
    parser.add_argument("--passes", default=PASSES,
                        help="another pipeline: prints what it does, compares with nothing")
    arguments = parser.parse_args()
    table.passes = arguments.passes
    files = [f for f in corpus.files() if arguments.filter in f.name]
    return table.check(arguments, files, is_comparison=table.passes == PASSES)


if __name__ == "__main__":
    sys.exit(main())
