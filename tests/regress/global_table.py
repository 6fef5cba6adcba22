"""What global-opt does to the corpus, against corpus/expected/globals.tsv: prints what moved and fails if
anything did.

One line a kernel or function that changes, and one (function `-`) for what goes at module scope; once
as it is by default, and once (`_whole`) as if each file were a whole program and the host named none
of its variables.  First how many changes there are and the bytes of .shared, .local, .global and
.const that they save, and the instructions before and behind the pass; then what ptxas makes of it:
registers, bytes spilled, bytes of code, of shared memory, and (in the line of the module) of global
memory; compared where it is the release that the table was made with, for a subset of the files.  By
default no kernel may spill more, or lose a step of occupancy; --increases lists whatever became more.
"""
import json
import os
import re
import sys
import tempfile

import barrier_table
import base_table
import corpus
import corpus_table

TABLE = os.path.join(corpus.EXPECTED_DIR, "globals.tsv")
UNKNOWN = corpus_table.UNKNOWN
MODULE = "-"

RUNS = {"_out": "global-opt", "_whole": "global-opt<whole-program>"}
SAVED = ["shared", "local", "global", "const"]
FIGURES = ["registers", "spills", "code", "shared_memory", "global_memory"]
COUNTED = ["instructions"] + [what + side for side in RUNS
                              for what in ("changes", "instructions", *SAVED)]
MEASURED = [what + side for side in ("", *RUNS) for what in FIGURES]
COLUMNS = COUNTED + MEASURED


def optimize(ptxopt, files, folder):
    """{file name: {function: row}}, {(side, file name): path of the result}"""
    rows, outputs = {file.name: {} for file in files}, {}
    for side, passes in RUNS.items():
        for place, members in corpus.by_folder(files).items():
            log = os.path.join(folder, "remarks.json")
            results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, side),
                                         [f"--passes={passes}", "-q", f"--remarks={log}"])
            outputs.update({(side, name): path for name, path in results.items()})
            with open(log) as lines:
                for remark in map(json.loads, lines):
                    name = os.path.relpath(remark["ptx"]["file"] or members[0].path,
                                           corpus.CORPUS_DIR)
                    note(rows[name], side, remark)
    for file in files:
        before = base_table.instructions(file.path) if rows[file.name] else {}
        for side in RUNS if rows[file.name] else ():
            after = base_table.instructions(outputs[side, file.name])
            for function, row in rows[file.name].items():
                if function != MODULE:
                    row["instructions"] = str(before[function])
                    row["instructions" + side] = str(after[function])
    return rows, outputs


def note(rows, side, remark):
    if remark["kind"] == "missed":
        return
    function = remark["function"] or MODULE
    if remark["message"].startswith("Removed function"):
        function = MODULE
    row = rows.setdefault(function, dict.fromkeys(COLUMNS, UNKNOWN))
    if remark["kind"] == "passed":
        old = 0 if row["changes" + side] == UNKNOWN else int(row["changes" + side])
        row["changes" + side] = str(old + 1)
    else:
        row.update({what + side: remark["details"][what] for what in SAVED
                    if what in remark["details"]})


# ---- ptxas ---------------------------------------------------------------------------------------


def measure(ptxas, file, path, folder):
    """{kernel, or MODULE: [figure ...]}; None where ptxas refuses the file."""
    cubin = os.path.join(folder, path.replace("/", "_") + ".cubin")
    ok, messages = ptxas.assemble(file, path, cubin, "-v")
    if not ok:
        return None
    sizes = {name.removeprefix(".text."): size
             for name, (size, _) in corpus.code_sections(cubin).items()}
    os.unlink(cubin)
    found = {kernel: [*used, str(sizes.get(kernel, UNKNOWN)), "0", UNKNOWN]
             for kernel, used in barrier_table.resources(messages).items()}
    kernel = None
    for line in messages.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            kernel = match.group(1)
        elif (match := re.search(r"(\d+) bytes smem", line)) and kernel in found:
            found[kernel][FIGURES.index("shared_memory")] = match.group(1)
    memory = re.search(r"(\d+) bytes gmem", messages)
    code = sum(size for name, size in sizes.items() if not name.startswith("."))
    found[MODULE] = [UNKNOWN, UNKNOWN, str(code), UNKNOWN, memory.group(1) if memory else "0"]
    return found


def add_measures(ptxas, files, rows, outputs, folder, jobs):
    def work(file):
        seen, found = {}, []
        for path in (file.path, *(outputs[side, file.name] for side in RUNS)):
            with open(path, "rb") as text:
                content = text.read()
            if content not in seen:
                seen[content] = measure(ptxas, file, path, folder)
            found.append(seen[content])
        return found

    for file, found in zip(files, corpus.parallel(work, files, jobs)):
        for function, row in rows[file.name].items():
            numbers = []
            for of_file in found:
                missing = "refused" if of_file is None else UNKNOWN
                numbers += (of_file or {}).get(function, [missing] * len(FIGURES))
            row.update(zip(MEASURED, numbers))


# ---- the table -----------------------------------------------------------------------------------


def print_totals(rows):
    def total(column):
        return sum(int(row[column]) for row in rows.values() if row[column].isdigit())

    for side, passes in RUNS.items():
        changed = sum(row["changes" + side] != UNKNOWN or any(
            row[what + side] not in (UNKNOWN, "0") for what in SAVED) for row in rows.values())
        saved = ", ".join(f"{what} {total(what + side)}" for what in SAVED)
        print(f"{passes}: {changed} kernels, functions and modules, {total('changes' + side)} "
              f"changes; bytes saved: {saved}; "
              + ", ".join(f"{what} {total(what)} -> {total(what + side)}"
                          for what in ("instructions", *FIGURES)))


def main():
    parser = corpus.table_parser(__doc__, subset=15)
    parser.add_argument("--increases", action="store_true",
                        help="list what became more, by the table")
    arguments = parser.parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    release, expected = barrier_table.read_table(TABLE)
    ptxas = corpus.ptxas_for_table(arguments, release)

    measured = []
    with tempfile.TemporaryDirectory() as folder:
        by_file, outputs = optimize(arguments.ptxopt, files, folder)
        if ptxas is not None:
            measured = corpus.spread([f for f in files if by_file[f.name] and ptxas.accepts(f)],
                                     arguments.subset)
            add_measures(ptxas, measured, by_file, outputs, folder, arguments.jobs)
    rows = barrier_table.flat(by_file)
    if arguments.update:
        barrier_table.write_table(TABLE, ptxas.release, rows, COLUMNS)
        expected = rows

    names = {file.name for file in measured}
    moved = corpus_table.differences(
        expected, rows, lambda name: COLUMNS if name.split("\t")[0] in names else COUNTED)
    gone = [] if arguments.filter else sorted(set(expected) - set(rows))
    moved += [(name, "file", "in the table", "gone") for name in gone]
    if moved:
        corpus_table.print_moved(moved)
    more = base_table.increases(expected)
    listed = more + base_table.increases(expected, "_whole") if arguments.increases else more
    for name, what, before, after, allowed in listed:
        if arguments.increases or not allowed:
            print(f"{name}: {what} {before} -> {after}")
    print_totals(expected if arguments.increases else rows)
    return 1 if moved or not all(allowed for *_, allowed in more) else 0


if __name__ == "__main__":
    sys.exit(main())
