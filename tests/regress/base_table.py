"""What common-base does to each kernel of the corpus, against corpus/expected/bases.tsv: prints what moved
and fails if anything did.

One line a kernel that changes: accesses that have another base, then before and behind the pass the
instructions (those that are fewer computed addresses), and what ptxas makes of it: registers, bytes
spilled, bytes of code; compared where it is the release that the table was made with, for a subset of
the files.  No kernel may spill more, or lose a step of occupancy; --increases lists whatever became more.
"""
import collections
import json
import os
import re
import sys
import tempfile

import barrier_table
import corpus
import corpus_table

TABLE = os.path.join(corpus.CORPUS_DIR, "expected", "bases.tsv")
UNKNOWN = corpus_table.UNKNOWN

COUNTED = ["accesses", "instructions", "instructions_out"]
MEASURED = [what + side for side in ("", "_out") for what in ("registers", "spills", "code")]
COLUMNS = COUNTED + MEASURED

FUNCTION = re.compile(r"^[^/]*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)")
INSTRUCTION = re.compile(r"^\s*(?:@!?\S+\s+)?[a-z][\w.:]*[^/]*;")


def instructions(path):
    """{function: how many}"""
    counts, current = collections.Counter(), None
    with open(path, errors="replace") as text:
        for line in text:
            if match := FUNCTION.match(line):
                current = match.group(1)
            elif current and INSTRUCTION.match(line):
                counts[current] += 1
    return counts


def share(ptxopt, passes, files, folder):
    """{file name: {function: row}}, {file name: path of the result}"""
    rows, outputs = {file.name: {} for file in files}, {}
    for members in corpus.by_folder(files).values():
        log = os.path.join(folder, "remarks.json")
        results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, "out"),
                                     [f"--passes={passes}", "-q", f"--remarks={log}"])
        outputs.update(results)
        with open(log) as lines:
            for remark in map(json.loads, lines):
                accesses = remark.get("details", {}).get("accesses")
                if accesses is None:
                    continue
                name = os.path.relpath(remark["ptx"]["file"], corpus.CORPUS_DIR)
                row = rows[name].setdefault(remark["function"], dict.fromkeys(COLUMNS, UNKNOWN))
                old = 0 if row["accesses"] == UNKNOWN else int(row["accesses"])
                row["accesses"] = str(old + int(accesses))
    for file in files:
        if not rows[file.name]:
            continue
        before, after = instructions(file.path), instructions(outputs[file.name])
        for function, row in rows[file.name].items():
            row["instructions"] = str(before[function])
            row["instructions_out"] = str(after[function])
    return rows, outputs


def add_measures(ptxas, files, rows, outputs, folder, jobs):
    def work(file):
        return [barrier_table.measure(ptxas, file, path, folder)
                for path in (file.path, outputs[file.name])]

    for file, found in zip(files, corpus.parallel(work, files, jobs)):
        for function, row in rows[file.name].items():
            numbers = []
            for of_file in found:
                refused = ["refused"] * 3 if of_file is None else [UNKNOWN] * 3
                numbers += (of_file or {}).get(function, refused)
            row.update(zip(MEASURED, numbers))


def increases(rows, side="_out"):
    """[(name, what, before, after, whether that is allowed)]"""
    found = []
    for name, row in rows.items():
        for what in ("registers", "spills", "code"):
            before, after = row[what], row[what + side]
            if not before.isdigit() or not after.isdigit() or int(after) <= int(before):
                continue
            warps = barrier_table.warps_of_an_sm
            allowed = what == "code" or (what == "registers" and warps(after) == warps(before))
            found.append((name, what + side, before, after, allowed))
    return found


def print_totals(rows):
    def total(column):
        return sum(int(row[column]) for row in rows.values() if row[column].isdigit())

    def more_and_fewer(what):
        pairs = [(int(row[what]), int(row[what + "_out"])) for row in rows.values()
                 if row[what].isdigit() and row[what + "_out"].isdigit()]
        return (f"{what} in {sum(new < old for old, new in pairs)} less, "
                f"in {sum(new > old for old, new in pairs)} more")

    print(f"{len(rows)} functions changed, {total('accesses')} accesses have another base; "
          + ", ".join(f"{what} {total(what)} -> {total(what + '_out')}"
                      for what in ("instructions", "registers", "spills", "code")))
    if total("code"):
        print("; ".join(more_and_fewer(what) for what in ("registers", "spills", "code")))


def main():
    parser = corpus.table_parser(__doc__, subset=25)
    parser.add_argument("--increases", action="store_true",
                        help="list what became more, by the table")
    parser.add_argument("--passes", default="common-base",
                        help="another pipeline: prints what it does, compares with nothing")
    arguments = parser.parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    release, expected = barrier_table.read_table(TABLE)
    is_comparison = arguments.passes == "common-base"
    if not is_comparison and arguments.ptxas:
        ptxas = corpus.Ptxas(arguments.ptxas)
    else:
        ptxas = corpus.ptxas_for_table(arguments, release)

    measured = []
    with tempfile.TemporaryDirectory() as folder:
        by_file, outputs = share(arguments.ptxopt, arguments.passes, files, folder)
        if ptxas is not None:
            measured = corpus.spread([f for f in files if by_file[f.name] and ptxas.accepts(f)],
                                     arguments.subset)
            add_measures(ptxas, measured, by_file, outputs, folder, arguments.jobs)
    rows = barrier_table.flat(by_file)
    if arguments.update:
        barrier_table.write_table(TABLE, ptxas.release, rows, COLUMNS)
    if arguments.update or not is_comparison:
        expected = rows

    names = {file.name for file in measured}
    moved = corpus_table.differences(
        expected, rows, lambda name: COLUMNS if name.split("\t")[0] in names else COUNTED)
    gone = [] if arguments.filter else sorted(set(expected) - set(rows))
    moved += [(name, "file", "in the table", "gone") for name in gone]
    if moved:
        corpus_table.print_moved(moved)
    more = increases(expected)
    for name, what, before, after, allowed in more:
        if arguments.increases or not allowed:
            print(f"{name}: {what} {before} -> {after}")
    print_totals(expected if arguments.increases else rows)
    return 1 if moved or not all(allowed for *_, allowed in more) else 0


if __name__ == "__main__":
    sys.exit(main())
