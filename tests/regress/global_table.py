# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What global-opt does to the corpus, against corpus/expected/globals.tsv: prints what moved and fails if
anything did.

One line a kernel or function that changes, and one (function `-`) for what goes at module scope; once
as it is by default, and once (`_whole`) as if each file were a whole program and the host named none
of its variables.  First how many changes there are and the bytes of .shared, .local, .global and
.const that they save, and the instructions before and after the pass; then what ptxas makes of it:
registers, bytes spilled, bytes of code, of shared memory, and (in the line of the module) of global
memory; compared where it is the release that the table was made with, for a subset of the files.  By
default no kernel may spill more, or lose a step of occupancy; --increases lists whatever became more.
"""
import functools
import json
import os
import re
import sys

import corpus
import kernel_table

UNKNOWN = kernel_table.UNKNOWN
MODULE = "-"

RUNS = {"_out": "global-opt", "_whole": "global-opt<whole-program>"}
SAVED = ["shared", "local", "global", "const"]


class GlobalTable(kernel_table.KernelTable):
    path = os.path.join(corpus.EXPECTED_DIR, "globals.tsv")
    sides = list(RUNS)
    counted = ["instructions"] + [what + side for side in RUNS
                                  for what in ("changes", "instructions", *SAVED)]
    figures = ["registers", "spills", "code", "shared_memory", "global_memory"]
    subset = 15
    allowed_sides = ["_whole"]

    def optimize(self, ptxopt, files, folder):
        rows, outputs = {file.name: {} for file in files}, {}
        for side, passes in RUNS.items():
            for members in corpus.by_folder(files).values():
                log = os.path.join(folder, "remarks.json")
                results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, side),
                                             [f"--passes={passes}", "-q", f"--remarks={log}"])
                outputs.update({(side, name): path for name, path in results.items()})
                with open(log) as lines:
                    for remark in map(json.loads, lines):
                        name = os.path.relpath(remark["ptx"]["file"] or members[0].path,
                                               corpus.CORPUS_DIR)
                        self.note(rows[name], side, remark)
        for file in files:
            before = kernel_table.instructions(file.path) if rows[file.name] else {}
            for side in RUNS if rows[file.name] else ():
                after = kernel_table.instructions(outputs[side, file.name])
                for function, row in rows[file.name].items():
                    if function != MODULE:
                        row["instructions"] = str(before[function])
                        row["instructions" + side] = str(after[function])
        return rows, outputs

    def note(self, rows, side, remark):
        if remark["kind"] == "missed":
            return
        function = remark["function"] or MODULE
        if remark["message"].startswith("Removed function"):
            function = MODULE
        row = rows.setdefault(function, self.row())
        if remark["kind"] == "passed":
            old = 0 if row["changes" + side] == UNKNOWN else int(row["changes" + side])
            row["changes" + side] = str(old + 1)
        else:
            row.update({what + side: remark["details"][what] for what in SAVED
                        if what in remark["details"]})

    def measure(self, ptxas, file, path, folder):
        measured = kernel_table.measure(ptxas, file, path, folder)
        if measured is None:
            return None
        figures, messages, sizes = measured
        found = {kernel: [*numbers, "0", UNKNOWN] for kernel, numbers in figures.items()}
        kernel = None
        for line in messages.splitlines():
            if match := re.search(r"Compiling entry function '([^']+)'", line):
                kernel = match.group(1)
            elif (match := re.search(r"(\d+) bytes smem", line)) and kernel in found:
                found[kernel][self.figures.index("shared_memory")] = match.group(1)
        memory = re.search(r"(\d+) bytes gmem", messages)
        code = sum(size for name, size in sizes.items() if not name.startswith("."))
        found[MODULE] = [UNKNOWN, UNKNOWN, str(code), UNKNOWN, memory.group(1) if memory else "0"]
        return found

    def print_sums(self, rows, label):
        total = functools.partial(kernel_table.total, rows)
        for side, passes in RUNS.items():
            changed = sum(row["changes" + side] != UNKNOWN or any(
                row[what + side] not in (UNKNOWN, "0") for what in SAVED) for row in rows.values())
            saved = ", ".join(f"{what} {total(what + side)}" for what in SAVED)
            print(f"{label}{passes}: {changed} kernels, functions and modules, {total('changes' + side)} "
                  f"changes; bytes saved: {saved}; "
                  + ", ".join(f"{what} {total(what)} -> {total(what + side)}"
                              for what in ("instructions", *self.figures)))


if __name__ == "__main__":
    sys.exit(GlobalTable().main(__doc__))
