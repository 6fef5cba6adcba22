# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the barrier passes do to each kernel of the corpus, against corpus/expected/barriers.tsv: prints
what moved and fails if anything did, or if a barrier is kept without a reason.

One line a kernel or function with barriers: how many are left by dead-sync at each precision, how
many of those that are left dead-sync<guard> guards and warp-sync weakens, and why the others stay
(of two accesses, what they are).  Then what ptxas makes of the kernel as it is, and after each
pass: registers, bytes spilled, bytes of code; compared where it is the release that the table was
made with, for a subset of the files.  No pass may cost spills or a step of occupancy; --increases
lists whatever became more.
"""
import collections
import functools
import json
import os
import re
import sys

import corpus
import kernel_table

# Column: passes.
RUNS = {
    "flags": "dead-sync<precision=flags>",
    "objects": "dead-sync<precision=objects>",
    "affine": "dead-sync",
    "guarded": "dead-sync<guard>",
    "weakened": "dead-sync,warp-sync",
}
# How a remark begins, in one word.
REASONS = {
    "not all threads of the CTA take part": "partial",
    "it is not proved that all threads": "divergent",
    "its id is, or may be, used": "id",
    "its result is data": "data",
    "code next to it depends on when": "timing",
    "a comment asks for it": "asked",
    "a loop around it loads": "loop",
    "no path leads to it": "unreached",
    "not all callers of": "callers",
    "nothing in this module calls": "callers",
}
# What stands on one side of it, where that is more than a word or two.
SIDES = {
    "access that may wait for another CTA": "polling",
    "fence wider than the CTA": "wide fence",
    "synchronising instruction": "synchronisation",
    "call that may synchronise": "call",
    "instruction that ptxopt does not know": "unknown",
}


def why(remark):
    """The reason of a barrier that stays."""
    sides = re.findall(r"^(?:above|below): (.*?)(?: \.| \[| at line |$)", remark["message"],
                       re.MULTILINE)
    if len(sides) == 2:
        return "/".join(SIDES.get(side, side).replace(" ", "-") for side in sides)
    reason = re.search(r" in function \S+: (.*)", remark["message"]).group(1)
    if re.match(r"\S+ (may call itself|is called by)", reason):
        return "callers"
    for start, word in REASONS.items():
        if reason.startswith(start):
            return word
    sys.exit("no reason for a barrier that stays: " + remark["message"])


class BarrierTable(kernel_table.KernelTable):
    path = os.path.join(corpus.EXPECTED_DIR, "barriers.tsv")
    counted = ["barriers", *RUNS, "why"]
    sides = ["_affine", "_guarded", "_weakened"]

    def optimize(self, ptxopt, files, folder):
        rows = {file.name: {} for file in files}
        names = {file.path: file.name for file in files}
        outputs = {}
        for column, passes in RUNS.items():
            remarks_of = collections.defaultdict(list)
            for members in corpus.by_folder(files).values():
                log = os.path.join(folder, "remarks.json")
                results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, column),
                                             [f"--passes={passes}", "-q", f"--remarks={log}"])
                outputs.update({("_" + column, name): path for name, path in results.items()})
                with open(log) as lines:
                    for remark in map(json.loads, lines):
                        remarks_of[names[remark["ptx"]["file"]]].append(remark)
            for name, remarks in remarks_of.items():
                self.note(column, rows[name], remarks)
        return rows, outputs

    def note(self, column, rows, remarks):
        kept, done = collections.Counter(), collections.Counter()
        barriers, reasons = collections.Counter(), collections.defaultdict(collections.Counter)
        for remark in remarks:
            function = remark["function"]
            word = remark["message"].split()[0]
            if remark["pass"] == "dead-sync":
                barriers[function] += 1
                kept[function] += word == "Kept"
                if word == "Kept":
                    reasons[function][why(remark)] += 1
            done[function] += word in ("Guarded", "Weakened")
        for function, count in barriers.items():
            row = rows.setdefault(function, self.row())
            row["barriers"] = str(count)
            row[column] = str((done if column in ("guarded", "weakened") else kept)[function])
            if column == "affine":
                row["why"] = ", ".join(f"{word} {n}"
                                       for word, n in sorted(reasons[function].items()))

    def print_sums(self, rows, label):
        total = functools.partial(kernel_table.total, rows)
        print(f"{label}{len(rows)} functions, {total('barriers')} barriers; left by flags {total('flags')}, "
              f"objects {total('objects')}, affine {total('affine')}; of these guarded "
              f"{total('guarded')}, weakened {total('weakened')}")
        if total("code"):
            print("bytes of code: " + ", ".join(
                f"{side.removeprefix('_') or 'before'} {total('code' + side)}"
                for side in ("", *self.sides)))


if __name__ == "__main__":
    sys.exit(BarrierTable().main(__doc__))
