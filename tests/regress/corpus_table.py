# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxopt -O2 does to the corpus, against corpus/expected/statistics.tsv: prints what moved and
fails if anything did.  Columns of ptxas are compared where it is the release that the table was
made with, for a subset of the files."""
import filecmp
import json
import os
import sys
import tempfile

import corpus

TABLE = os.path.join(corpus.EXPECTED_DIR, "statistics.tsv")
COUNTED = ["instructions", "barriers"]
MEASURED = ["registers", "spills", "code"]
# Of each the value before and after.
COLUMNS = [name + side for name in COUNTED + MEASURED for side in ("", "_out")]
UNKNOWN = "-"


def count(ptxopt, files, folder):
    """({name: row}, {name: path of the result})"""
    results, errors = corpus.optimize(ptxopt, files, folder, ["-O2", "-q", "--stats=json"])
    by_path = {}
    for text in errors:
        start = text.find("{")
        if start >= 0:
            by_path.update({f["file"]: f for f in json.loads(text[start:])["files"] if f["ok"]})
    rows = {}
    for file in files:
        row = rows[file.name] = dict.fromkeys(COLUMNS, UNKNOWN)
        facts = by_path.get(file.path)
        if facts is None:
            continue
        for name in COUNTED:
            row[name] = str(facts["before"][name])
            row[name + "_out"] = str(facts["after"][name])
    return rows, results


def measure(ptxas, file, path, folder):
    """[registers, spills, code] as texts."""
    cubin = os.path.join(folder, path.replace("/", "_") + ".cubin")
    ok, messages = ptxas.assemble(file, path, cubin, "-v")
    if not ok:
        return ["refused"] * len(MEASURED)
    registers, spills = corpus.resources(messages)
    size = corpus.code_size(cubin)
    os.unlink(cubin)
    return [str(registers), str(spills), str(size)]


def add_measures(ptxas, files, rows, results, folder, jobs):
    def work(file):
        before = measure(ptxas, file, file.path, folder)
        result = results[file.name]
        if result is None or filecmp.cmp(file.path, result, shallow=False):
            return before, before
        return before, measure(ptxas, file, result, folder)

    for file, (before, after) in zip(files, corpus.parallel(work, files, jobs)):
        for name, old, new in zip(MEASURED, before, after):
            rows[file.name][name] = old
            rows[file.name][name + "_out"] = new


def read_table():
    """(release of ptxas or None, {name: row})"""
    if not os.path.exists(TABLE):
        return None, {}
    with open(TABLE) as table:
        first, head, *lines = table.read().splitlines()
    columns = head.split("\t")
    rows = {}
    for line in lines:
        name, *values = line.split("\t")
        rows[name] = dict(zip(columns[1:], values))
    return first.removeprefix("# ptxas "), rows


def write_table(release, rows):
    os.makedirs(os.path.dirname(TABLE), exist_ok=True)
    with open(TABLE, "w") as table:
        table.write(f"# ptxas {release}\n")
        table.write("\t".join(["file", *COLUMNS]) + "\n")
        for name in sorted(rows):
            table.write("\t".join([name, *(rows[name][c] for c in COLUMNS)]) + "\n")


def differences(expected, rows, columns):
    """[(file, column, expected, now)]"""
    moved = []
    for name, row in sorted(rows.items()):
        if name not in expected:
            moved.append((name, "file", "not in the table", "new"))
            continue
        for column in columns(name):
            if row[column] != expected[name].get(column, UNKNOWN):
                moved.append((name, column, expected[name].get(column, UNKNOWN), row[column]))
    return moved


def print_moved(moved):
    rows = [("file", "what", "expected", "now", "")]
    for name, column, old, new in moved:
        change = f"{int(new) - int(old):+}" if old.isdigit() and new.isdigit() else ""
        rows.append((name, column, old, new, change))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    for name, column, *numbers in rows:
        cells = [number.rjust(width) for number, width in zip(numbers, widths[2:])]
        print(name.ljust(widths[0]), column.ljust(widths[1]), *cells)


def print_totals(rows):
    def total(column):
        return sum(int(row[column]) for row in rows.values() if row[column].isdigit())

    parts = [f"{name} {total(name)} -> {total(name + '_out')}" for name in COUNTED + MEASURED[1:]
             if any(row[name] != UNKNOWN for row in rows.values())]
    print(f"{len(rows)} files: " + ", ".join(parts))


def main():
    parser = corpus.table_parser(__doc__, subset=150)
    arguments = parser.parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    release, expected = read_table()
    ptxas = corpus.ptxas_for_table(arguments, release)

    measured = []
    with tempfile.TemporaryDirectory() as folder:
        rows, results = count(arguments.ptxopt, files, folder)
        if ptxas is not None:
            measured = [f for f in files if ptxas.accepts(f)]
            measured = corpus.spread(measured, arguments.subset)
            add_measures(ptxas, measured, rows, results, folder, arguments.jobs)
    if arguments.update:
        write_table(ptxas.release, rows)

    names = {file.name for file in measured}
    counted = [name + side for name in COUNTED for side in ("", "_out")]
    moved = differences(expected, rows, lambda name: COLUMNS if name in names else counted)
    gone = [] if arguments.filter else sorted(set(expected) - set(rows))
    moved += [(name, "file", "in the table", "gone") for name in gone]
    if moved:
        print_moved(moved)
    print_totals(rows)
    return 1 if moved and not arguments.update else 0


if __name__ == "__main__":
    sys.exit(main())
