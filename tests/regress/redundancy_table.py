"""What early-cse does to each kernel of the corpus, against corpus/expected/redundancy.tsv: prints what
moved and fails if anything did.

One line a kernel or function that one of the two forms changes: instructions in PTX as it is, by
early-cse (plain) and by early-cse<memssa>; then what ptxas makes of these three: registers, bytes
spilled, bytes of code, compared where it is the release that the table was made with, for a subset of
the files.  None may spill more, or lose a step of occupancy but for those in KNOWN; --increases lists
whatever became more, --by-producer prints sums.  --passes=PIPELINE stands in for early-cse<memssa>:
compares with nothing.
"""
import collections
import os
import sys
import tempfile

import barrier_table
import base_table
import corpus
import corpus_table

TABLE = os.path.join(corpus.CORPUS_DIR, "expected", "redundancy.tsv")
UNKNOWN = corpus_table.UNKNOWN

RUNS = {"_plain": "early-cse", "_memssa": "early-cse<memssa>"}
SIDES = ["", *RUNS]
COUNTED = ["instructions" + side for side in SIDES]
MEASURED = [what + side for side in SIDES for what in ("registers", "spills", "code")]
COLUMNS = COUNTED + MEASURED

# Increases that cost a step and are known.
KNOWN = {
    # clang -O0: what was reloaded from local memory for each use stays in registers; a fifth of the
    # code goes for it.
    ("ptx/clang/sm_80_O0/tridiagonal.ptx\t_Z23parallelCyclicReductionPKfS0_S0_S0_Pf",
     "registers_memssa"),
}


def count(ptxopt, files, folder, runs):
    """{file name: {function: row}} of functions that change, {(side, file name): path}"""
    rows, outputs = {file.name: {} for file in files}, {}
    for side, passes in runs.items():
        results, _ = corpus.optimize(ptxopt, files, os.path.join(folder, side),
                                     [f"--passes={passes}", "-q"])
        outputs.update({(side, name): path for name, path in results.items()})
    for file in files:
        before = base_table.instructions(file.path)
        after = {side: base_table.instructions(outputs[side, file.name]) for side in runs}
        for function, number in before.items():
            if all(after[side][function] == number for side in runs):
                continue
            row = rows[file.name][function] = dict.fromkeys(COLUMNS, UNKNOWN)
            row["instructions"] = str(number)
            for side in runs:
                row["instructions" + side] = str(after[side][function])
    return rows, outputs


def add_measures(ptxas, files, rows, outputs, folder, jobs):
    def work(file):
        return [barrier_table.measure(ptxas, file, path, folder)
                for path in (file.path, *(outputs[side, file.name] for side in RUNS))]

    for file, found in zip(files, corpus.parallel(work, files, jobs)):
        for function, row in rows[file.name].items():
            numbers = []
            for of_file in found:
                refused = ["refused"] * 3 if of_file is None else [UNKNOWN] * 3
                numbers += (of_file or {}).get(function, refused)
            row.update(zip(MEASURED, numbers))


def increases(rows):
    """[(name, what, before, after, whether that is allowed)]"""
    found = []
    warps = barrier_table.warps_of_an_sm
    for name, row in rows.items():
        for side in RUNS:
            for what in ("registers", "spills", "code"):
                before, after = row[what], row[what + side]
                if after == "refused" and before != "refused":
                    found.append((name, what + side, before, after, False))
                if not before.isdigit() or not after.isdigit() or int(after) <= int(before):
                    continue
                allowed = what == "code" or (what == "registers" and warps(after) == warps(before))
                allowed = allowed or (name, what + side) in KNOWN
                found.append((name, what + side, before, after, allowed))
    return found


def producer(name):
    """"nvcc -O0", by the folder of a file."""
    _, compiler, *folders = os.path.dirname(name).split("/")
    for word in ("O0", "debug", "O2", "lineinfo"):
        if folders and folders[0].endswith(word):
            return f"{compiler} {word}"
    return compiler


def print_totals(rows, label=""):
    def total(column):
        return sum(int(row[column]) for row in rows.values() if row[column].isdigit())

    parts = []
    for what in ("instructions", "registers", "spills", "code"):
        if any(row[what].isdigit() for row in rows.values()):
            parts.append(f"{what} " + " -> ".join(str(total(what + side)) for side in SIDES))
    for side in RUNS:
        pairs = [(int(row["registers"]), int(row["registers" + side])) for row in rows.values()
                 if row["registers"].isdigit() and row["registers" + side].isdigit()]
        parts.append(f"registers{side} fewer in {sum(b < a for a, b in pairs)}, more in "
                     f"{sum(b > a for a, b in pairs)}")
    print(f"{label}{len(rows)} functions: " + "; ".join(parts))


def main():
    parser = corpus.table_parser(__doc__, subset=40)
    parser.add_argument("--increases", action="store_true",
                        help="list what became more, by the table")
    parser.add_argument("--by-producer", action="store_true", help="sums, by the table")
    parser.add_argument("--passes", help="a pipeline instead of early-cse<memssa>")
    arguments = parser.parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    release, expected = barrier_table.read_table(TABLE)
    runs = dict(RUNS)
    if arguments.passes:
        runs["_memssa"] = arguments.passes
        ptxas = corpus.Ptxas(arguments.ptxas) if arguments.ptxas else None
    else:
        ptxas = corpus.ptxas_for_table(arguments, release)

    measured = []
    with tempfile.TemporaryDirectory() as folder:
        by_file, outputs = count(arguments.ptxopt, files, folder, runs)
        if ptxas is not None:
            measured = corpus.spread([f for f in files if by_file[f.name] and ptxas.accepts(f)],
                                     arguments.subset)
            add_measures(ptxas, measured, by_file, outputs, folder, arguments.jobs)
    rows = barrier_table.flat(by_file)
    if arguments.update:
        barrier_table.write_table(TABLE, ptxas.release, rows, COLUMNS)
    if arguments.update or arguments.passes:
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
    if arguments.by_producer:
        groups = collections.defaultdict(dict)
        for name, row in expected.items():
            groups[producer(name.split("\t")[0])][name] = row
        for group in sorted(groups):
            print_totals(groups[group], group + ": ")
    print_totals(expected)
    return 1 if moved or not all(allowed for *_, allowed in more) else 0


if __name__ == "__main__":
    sys.exit(main())
