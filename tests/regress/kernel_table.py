# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of corpus/expected/ with a line for each kernel or function: what passes do to it, and what
ptxas makes of it before and after them.  A script for each table says what is counted."""
import collections
import os
import re
import tempfile

import corpus

UNKNOWN = "-"


class KernelTable:
    """What the tables have in common; a script derives from it and calls main()."""

    path = None  # of the table
    counted = []  # columns that need no ptxas
    sides = []  # what the columns of each run of passes end in; those of the input end in nothing
    figures = ["registers", "spills", "code"]  # of ptxas, for the input and for each side
    subset = 25  # files that ptxas sees by default
    allowed_sides = []  # that may lose steps and spill

    def __init__(self):
        self.measured = [what + side for side in ("", *self.sides) for what in self.figures]
        self.columns = [*self.counted, *self.measured]

    def row(self):
        return dict.fromkeys(self.columns, UNKNOWN)

    def optimize(self, ptxopt, files, folder):
        """{file name: {function: row}}, {(side, file name): path of the result}"""
        raise NotImplementedError

    def measure(self, ptxas, file, path, folder):
        """{function: [figure ...]}; None where ptxas refuses the file."""
        found = measure(ptxas, file, path, folder)
        return found and found[0]

    def print_sums(self, rows, label):
        raise NotImplementedError

    # ---- command line --------------------------------------------------------------------------

    def parser(self, description):
        result = corpus.table_parser(description, self.subset)
        result.add_argument("--increases", action="store_true",
                            help="list what became more, by the table")
        result.add_argument("--by-producer", action="store_true", help="print sums for each producer too")
        return result

    def main(self, description):
        arguments = self.parser(description).parse_args()
        return self.check(arguments, [f for f in corpus.files() if arguments.filter in f.name])

    def check(self, arguments, files, is_comparison=True):
        """Holds the table against what the passes do to the files now; returns the exit status.
        `is_comparison`: else it prints what these passes do, and compares with nothing."""
        release, expected = self.read()
        if is_comparison:
            ptxas = corpus.ptxas_for_table(arguments, release)
        else:
            ptxas = corpus.Ptxas(arguments.ptxas) if arguments.ptxas else None
        rows, seen_by_ptxas = self.make(arguments, files, ptxas)
        if arguments.update:
            self.write(ptxas.release, rows)
        if arguments.update or not is_comparison:
            expected = rows

        moved = differences(
            expected, rows,
            lambda name: self.columns if name.split("\t")[0] in seen_by_ptxas else self.counted)
        gone = [] if arguments.filter else sorted(set(expected) - set(rows))
        moved += [(name, "file", "in the table", "gone") for name in gone]
        if moved:
            print_moved(moved)
        more = self.increases(expected)
        for name, what, before, after, allowed in more:
            if arguments.increases or not allowed:
                print(f"{name}: {what} {before} -> {after}")
        for label, part in parts(expected if arguments.increases else rows, arguments.by_producer):
            self.print_sums(part, label)
        return 1 if moved or not all(allowed for *_, allowed in more) else 0

    # ---- rows ----------------------------------------------------------------------------------

    def make(self, arguments, files, ptxas):
        """({file and function: row}, names of the files that ptxas saw)"""
        measured = []
        with tempfile.TemporaryDirectory() as folder:
            by_file, outputs = self.optimize(arguments.ptxopt, files, folder)
            if ptxas is not None:
                measured = corpus.spread(
                    [f for f in files if by_file[f.name] and ptxas.accepts(f)], arguments.subset)
                self.add_measures(ptxas, measured, by_file, outputs, folder, arguments.jobs)
        rows = {f"{name}\t{function}": row for name, of_file in by_file.items()
                for function, row in of_file.items()}
        return rows, {file.name for file in measured}

    def add_measures(self, ptxas, files, rows, outputs, folder, jobs):
        def work(file):
            seen, found = {}, []
            for path in (file.path, *(outputs[side, file.name] for side in self.sides)):
                with open(path, "rb") as text:
                    content = text.read()
                if content not in seen:
                    seen[content] = self.measure(ptxas, file, path, folder)
                found.append(seen[content])
            return found

        for file, found in zip(files, corpus.parallel(work, files, jobs)):
            for function, row in rows[file.name].items():
                numbers = []
                for of_file in found:
                    missing = "refused" if of_file is None else UNKNOWN
                    numbers += (of_file or {}).get(function, [missing] * len(self.figures))
                row.update(zip(self.measured, numbers))

    def increases(self, rows):
        """[(name, column, before, after, whether that is allowed)]"""
        found = []
        for name, row in rows.items():
            for side in self.sides:
                for what in ("registers", "spills", "code"):
                    column, before, after = what + side, row[what], row[what + side]
                    if after == "refused" and before != "refused":
                        found.append((name, column, before, after, False))
                    if not before.isdigit() or not after.isdigit() or int(after) <= int(before):
                        continue
                    is_step = what == "registers" and warps_of_an_sm(after) < warps_of_an_sm(before)
                    allowed = what != "spills" and not is_step or side in self.allowed_sides
                    found.append((name, column, before, after, allowed))
        return found

    # ---- the file ------------------------------------------------------------------------------

    def read(self):
        """(release of ptxas or None, {file and function: row})"""
        if not os.path.exists(self.path):
            return None, {}
        with open(self.path) as table:
            first, head, *lines = table.read().splitlines()
        columns = head.split("\t")[2:]
        rows = {}
        for line in lines:
            name, function, *values = line.split("\t")
            rows[f"{name}\t{function}"] = dict(zip(columns, values))
        return first.removeprefix("# ptxas "), rows

    def write(self, release, rows):
        with open(self.path, "w") as table:
            table.write(f"# ptxas {release}\n")
            table.write("\t".join(["file", "function", *self.columns]) + "\n")
            for name in sorted(rows):
                table.write("\t".join([name, *(rows[name][c] for c in self.columns)]) + "\n")


class CountTable(KernelTable):
    """A table of how often `patterns` match in the functions that a run of ptxopt changes."""

    runs = {}  # {side: options of ptxopt}
    patterns = {}  # {column: pattern}; the others count only lines that match the first too
    subset = 40

    def __init__(self):
        self.sides = list(self.runs)
        self.counted = [column + side for column in self.patterns for side in ("", *self.runs)]
        super().__init__()

    def optimize(self, ptxopt, files, folder):
        rows, outputs = {file.name: {} for file in files}, {}
        for side, options in self.runs.items():
            results, _ = corpus.optimize(ptxopt, files, os.path.join(folder, side), [*options, "-q"])
            outputs.update({(side, name): path for name, path in results.items()})
        for file in files:
            before = counts(file.path, self.patterns.values())
            after = {side: counts(outputs[side, file.name], self.patterns.values())
                     for side in self.runs}
            for function, numbers in before.items():
                if all(of_side.get(function) == numbers for of_side in after.values()):
                    continue
                row = rows[file.name][function] = self.row()
                for side, of_side in {"": before, **after}.items():
                    for column, number in zip(self.patterns, of_side.get(function, ())):
                        row[column + side] = str(number)
        return rows, outputs

    def print_sums(self, rows, label):
        sums = [f"{what} " + " -> ".join(str(total(rows, what + side)) for side in ("", *self.runs))
                for what in (*self.patterns, *self.figures)
                if any(row[what].isdigit() for row in rows.values())]
        print(f"{label}{len(rows)} functions: " + "; ".join(sums))


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


def total(rows, column):
    return sum(int(row[column]) for row in rows.values() if row[column].isdigit())


def producer(name):
    """The producer of a file by its folder, such as "nvcc O0"."""
    _, compiler, *folders = os.path.dirname(name).split("/")
    for word in ("O0", "debug", "O2", "lineinfo"):
        if folders and folders[0].endswith(word):
            return f"{compiler} {word}"
    return compiler


def parts(rows, by_producer):
    """Yields (label, rows) for each producer if they are asked for, and for all together."""
    if by_producer:
        groups = collections.defaultdict(dict)
        for name, row in rows.items():
            groups[producer(name.split("\t")[0])][name] = row
        for group in sorted(groups):
            yield group + ": ", groups[group]
    yield "", rows


# ---- text ----------------------------------------------------------------------------------------

FUNCTION = re.compile(r"^[^/]*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)")
INSTRUCTION = re.compile(r"^\s*(?:@!?\S+\s+)?[a-z][\w.:]*[^/]*;")


def counts(path, patterns):
    """{function: [lines that match each pattern]} of functions with a line that matches the first; the
    others count only such lines."""
    first, *others = patterns
    found, current = {}, None
    with open(path, errors="replace") as text:
        for line in text:
            if match := FUNCTION.match(line):
                current = match.group(1)
            elif current and first.match(line):
                numbers = found.setdefault(current, [0] * (1 + len(others)))
                numbers[0] += 1
                for k, pattern in enumerate(others, start=1):
                    numbers[k] += bool(pattern.match(line))
    return found


def instructions(path):
    """{function: how many}, 0 for all others"""
    return collections.Counter({function: number for function, (number,)
                                in counts(path, [INSTRUCTION]).items()})


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
    """({kernel: [registers, spills, code]}, messages of ptxas -v, {section: bytes of code}); None where
    ptxas refuses the file."""
    cubin = os.path.join(folder, path.replace("/", "_") + ".cubin")
    ok, messages = ptxas.assemble(file, path, cubin, "-v")
    if not ok:
        return None
    sizes = {name.removeprefix(".text."): size
             for name, (size, _) in corpus.code_sections(cubin).items()}
    os.unlink(cubin)
    figures = {kernel: [*used, str(sizes.get(kernel, UNKNOWN))]
               for kernel, used in resources(messages).items()}
    return figures, messages, sizes


def warps_of_an_sm(registers):
    """Registers are given to warps in units of 256; of 65,536, at most 64 warps, four at a time."""
    unit = (int(registers) * 32 + 255) // 256 * 256
    return min(64, 65536 // max(unit, 256) // 4 * 4)
