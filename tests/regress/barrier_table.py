"""What the barrier passes do to each kernel of the corpus, against corpus/expected/barriers.tsv: prints
what moved and fails if anything did, or if a barrier is kept without a reason.

One line a kernel or function with barriers: how many are left by dead-sync at each precision, how
many of those that are left dead-sync<guard> guards and warp-sync weakens, and why the others stay
(of two accesses, what they are).  Then what ptxas makes of the kernel as it is, and behind each
pass: registers, bytes spilled, bytes of code; compared where it is the release that the table was
made with, for a subset of the files.  No pass may cost spills or a step of occupancy, but for those in
KNOWN; --increases lists whatever became more.
"""
import collections
import json
import os
import re
import sys
import tempfile

import corpus
import corpus_table

UNKNOWN = corpus_table.UNKNOWN

# Column: passes.
RUNS = {
    "flags": "dead-sync<precision=flags>",
    "objects": "dead-sync<precision=objects>",
    "affine": "dead-sync",
    "guarded": "dead-sync<guard>",
    "weakened": "dead-sync,warp-sync",
}
COUNTED = ["barriers", *RUNS, "why"]
MEASURED = [f"{what}{side}" for side in ("", "_affine", "_guarded", "_weakened")
            for what in ("registers", "spills", "code")]
COLUMNS = COUNTED + MEASURED

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


def judge(ptxopt, files, folder):
    """{file name: {function: row}}, {(column, file name): path of the result}"""
    rows = {file.name: {} for file in files}
    names = {file.path: file.name for file in files}
    outputs = {}
    for column, passes in RUNS.items():
        remarks_of = collections.defaultdict(list)
        for place, members in corpus.by_folder(files).items():
            log = os.path.join(folder, "remarks.json")
            results, _ = corpus.optimize(ptxopt, members, os.path.join(folder, column),
                                         [f"--passes={passes}", "-q", f"--remarks={log}"])
            outputs.update({(column, name): path for name, path in results.items()})
            with open(log) as lines:
                for remark in map(json.loads, lines):
                        remarks_of[names[remark["ptx"]["file"]]].append(remark)
        for name, remarks in remarks_of.items():
            note(column, rows[name], remarks)
    return rows, outputs


def note(column, rows, remarks):
    kept, done = collections.Counter(), collections.Counter()
    total, reasons = collections.Counter(), collections.defaultdict(collections.Counter)
    for remark in remarks:
        function = remark["function"]
        word = remark["message"].split()[0]
        if remark["pass"] == "dead-sync":
            total[function] += 1
            kept[function] += word == "Kept"
            if word == "Kept":
                reasons[function][why(remark)] += 1
        done[function] += word in ("Guarded", "Weakened")
    for function in total:
        row = rows.setdefault(function, dict.fromkeys(COLUMNS, UNKNOWN))
        row["barriers"] = str(total[function])
        row[column] = str((done if column in ("guarded", "weakened") else kept)[function])
        if column == "affine":
            row["why"] = ", ".join(f"{word} {n}" for word, n in sorted(reasons[function].items()))


# ---- ptxas ---------------------------------------------------------------------------------------


def resources(messages):
    """{kernel: (registers, bytes spilled)} from the messages of ptxas -v."""
    found, kernel, spilled = {}, None, 0
    for line in messages.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            kernel, spilled = match.group(1), 0
        elif "bytes spill" in line:
            spilled += sum(int(n) for n in re.findall(r"(\d+) bytes spill", line))
        elif (match := re.search(r"Used (\d+) registers", line)) and kernel:
            found[kernel] = (match.group(1), str(spilled))
    return found


def measure(ptxas, file, path, folder):
    """{kernel: [registers, spills, code]}"""
    cubin = os.path.join(folder, path.replace("/", "_") + ".cubin")
    ok, messages = ptxas.assemble(file, path, cubin, "-v")
    if not ok:
        return None
    sizes = {name.removeprefix(".text."): size
             for name, (size, _) in corpus.code_sections(cubin).items()}
    os.unlink(cubin)
    return {kernel: [*used, str(sizes.get(kernel, UNKNOWN))]
            for kernel, used in resources(messages).items()}


def add_measures(ptxas, files, rows, outputs, folder, jobs):
    def work(file):
        seen, found = {}, []
        for column in (None, "affine", "guarded", "weakened"):
            path = file.path if column is None else outputs[column, file.name]
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
                refused = ["refused"] * 3 if of_file is None else [UNKNOWN] * 3
                numbers += (of_file or {}).get(function, refused)
            row.update(zip(MEASURED, numbers))


# ---- what must not become more -------------------------------------------------------------------


def warps_of_an_sm(registers):
    """Registers are given to warps in units of 256; of 65,536, at most 64 warps, four at a time."""
    unit = (int(registers) * 32 + 255) // 256 * 256
    return min(64, 65536 // max(unit, 256) // 4 * 4)


# Increases that cost a step and are known.
KNOWN = {
    # The loads of several steps of a sort, once no CTA barrier stands between them.
    ("ptx/jax/sm_80/sort_rows.ptx\tsort_6_1", "registers_weakened"),
}


def increases(rows):
    """[(name, what, before, after, whether that is allowed)]"""
    found = []
    for name, row in rows.items():
        for side in ("_affine", "_guarded", "_weakened"):
            for what in ("registers", "spills", "code"):
                before, after = row[what], row[what + side]
                if not before.isdigit() or not after.isdigit() or int(after) <= int(before):
                    continue
                allowed = what == "code" or (what == "registers" and
                                             warps_of_an_sm(after) == warps_of_an_sm(before))
                allowed = allowed or (name, what + side) in KNOWN
                found.append((name, what + side, before, after, allowed))
    return found


# ---- the table -----------------------------------------------------------------------------------


def flat(rows):
    return {f"{name}\t{function}": row for name, of_file in rows.items()
            for function, row in of_file.items()}


def read_table(path):
    """(release of ptxas or None, {file and function: row})"""
    if not os.path.exists(path):
        return None, {}
    with open(path) as table:
        first, head, *lines = table.read().splitlines()
    columns = head.split("\t")[2:]
    rows = {}
    for line in lines:
        name, function, *values = line.split("\t")
        rows[f"{name}\t{function}"] = dict(zip(columns, values))
    return first.removeprefix("# ptxas "), rows


def write_table(path, release, rows, columns=None):
    columns = columns or COLUMNS
    with open(path, "w") as table:
        table.write(f"# ptxas {release}\n")
        table.write("\t".join(["file", "function", *columns]) + "\n")
        for name in sorted(rows):
            table.write("\t".join([name, *(rows[name][c] for c in columns)]) + "\n")


def print_totals(rows):
    def total(column):
        return sum(int(row[column]) for row in rows.values() if row[column].isdigit())

    print(f"{len(rows)} functions, {total('barriers')} barriers; left by flags {total('flags')}, "
          f"objects {total('objects')}, affine {total('affine')}; of these guarded "
          f"{total('guarded')}, weakened {total('weakened')}")
    if total("code"):
        print("bytes of code: " + ", ".join(
            f"{side or 'before'} {total('code' + ('_' + side if side else ''))}"
            for side in ("", "affine", "guarded", "weakened")))


def parser(description):
    result = corpus.table_parser(description, subset=25)
    result.add_argument("--increases", action="store_true",
                        help="list what became more, by the table")
    return result


def check(arguments, files, table):
    """Holds the table against what the passes do to the files now; returns the exit status."""
    release, expected = read_table(table)
    ptxas = corpus.ptxas_for_table(arguments, release)
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        by_file, outputs = judge(arguments.ptxopt, files, folder)
        if ptxas is not None:
            measured = corpus.spread([f for f in files if by_file[f.name] and ptxas.accepts(f)],
                                     arguments.subset)
            add_measures(ptxas, measured, by_file, outputs, folder, arguments.jobs)
    rows = flat(by_file)
    if arguments.update:
        write_table(table, ptxas.release, rows)
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


def main():
    arguments = parser(__doc__).parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    return check(arguments, files, os.path.join(corpus.EXPECTED_DIR, "barriers.tsv"))


if __name__ == "__main__":
    sys.exit(main())
