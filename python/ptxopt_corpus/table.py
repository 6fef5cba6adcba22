# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs as a text that can be kept beside the sources: one line for each file; with --functions for each function that a
run changes, or about which a column says something; or with --sums for each run, over the files that all of them have.

--columns has names with commas between them; each is a column for the input, and one for each run:

    instructions, barriers       in the PTX
    registers, spills, code      what ptxas makes of it (run --check=ptxas); of a file the most registers, and sums
    kept, removed, guarded, weakened, passed, missed
                                 how often ptxopt says so of a barrier, or that a pass did a thing or nearly did
    why                          why barriers are kept, with how many each (these and the next: run --check=remarks)
    PASS.NAME                    that counter of --stats; not of functions
    anything else                the sum of that number in the details of the remarks (ptxopt --remarks)

NAME@LABEL+LABEL is only for these runs, beside the input.  --run=LABEL=OPTIONS is the last run with these options
(--launches too), and may be repeated; LABEL ends the names of its columns.  With --sums it is the name of its line, and
the input has a line too.

--against holds the runs against such a text and prints what moved; the exit status is then 2.  What the runs did not
measure is not compared: so a quick check may give ptxas only some of the files (`run --sample`).
"""
import collections
import os
import pathlib
import re
import shlex
import tempfile

from . import results
from .errors import Mistake

HELP = "write runs as a text, or hold them against one"
MOVED = 2
_COUNTED = ("instructions", "barriers")
_MEASURED = ("registers", "spills", "code")
_OUTCOMES = ("kept", "removed", "guarded", "weakened", "passed", "missed")
_WHY = "why"
_DEFAULT = ",".join(_COUNTED + _MEASURED)
_UNKNOWN = "-"
_REFUSED = "refused"
_FILE, _FUNCTION, _RUN = "file", "function", "run"  # what lines are of
_HEAD = "#"  # before the ptxas of the figures
_COLUMN = re.compile(r"([\w-]+(?:\.[\w-]+)?)(?:@([\w+]+))?$")
_INPUT = "input"


def add_arguments(parser):
    parser.add_argument("--results", default=results.DEFAULT, metavar="FILE[:RUN]", help="(default: %(default)s)")
    parser.add_argument("--run", action="append", default=[], metavar="LABEL=OPTIONS",
                        help="the last run with these options of ptxopt (repeatable; default: one run, out)")
    lines = parser.add_mutually_exclusive_group()
    lines.add_argument("--functions", action="store_true", help="a line for each function instead of each file")
    lines.add_argument("--sums", action="store_true", help="a line for each run")
    parser.add_argument("--columns", default=_DEFAULT, metavar="LIST", help="(default: %(default)s)")
    parser.add_argument("--root", default=".", metavar="DIR", help="paths in the text are relative to it (default: %(default)s)")
    parser.add_argument("--ptxas", metavar="NAME", help="whose figures: 'ptxas 13.0', if there are several")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-o", "--output", metavar="FILE", help="(default: standard output)")
    what.add_argument("--against", metavar="FILE", type=pathlib.Path, help="compare with this text")


def main(args):
    path, number = results.split(args.results)
    with results.Results.open(path) as found:
        runs = _runs(found, number, args.run)
        table = Table(found, runs, _tool(found, args.ptxas), args.columns,
                      _FUNCTION if args.functions else _RUN if args.sums else _FILE)
        rows = table.rows(args.root)
    if args.against:
        return _compare(table, rows, *_read(args.against, table))
    if args.output:
        _write(args.output, table.text(rows))
    else:
        print(table.text(rows), end="")
    return 0


def _runs(found, number, named):
    """{label: number of the run}"""
    if not named:
        return {"out": found.named_run(number)[0]}
    runs = {}
    for text in named:
        label, equals, flags = text.partition("=")
        if not equals or not re.fullmatch(r"\w+", label) or label in runs:
            raise Mistake(f"--run: '{text}' is not LABEL=OPTIONS with a label of its own")
        runs[label] = found.run_with(shlex.join(shlex.split(flags)))
    return runs


def _tool(found, named):
    """The ptxas of the figures; "" if there is none."""
    tools = [row[0] for row in found.database.execute("SELECT DISTINCT tool FROM assembly ORDER BY tool")]
    if named and named not in tools:
        raise Mistake(f"--ptxas: there are no figures of '{named}'" + (f"; there are {', '.join(tools)}" if tools else ""))
    if not named and len(tools) > 1:
        raise Mistake(f"--ptxas must name one of {', '.join(tools)}")
    return named or (tools[0] if tools else "")


class Table:
    """The columns of a text, and its lines.  A line is {column: text}, by (path, function), (path,) or (label of a run,)."""

    def __init__(self, found, runs, tool, columns, lines):
        self.database, self.runs, self.lines = found.database, runs, lines
        self.is_of_functions = lines == _FUNCTION
        self.columns = {}  # {name in the text: (what, label or "")}
        for text in columns.split(","):
            match = _COLUMN.match(text)
            labels = match[2].split("+") if match and match[2] else list(runs)
            if not match or not set(labels) <= set(runs):
                raise Mistake(f"--columns: '{text}' is not NAME or NAME@LABEL with the label of a run")
            if "." in match[1] and self.is_of_functions:
                raise Mistake(f"--columns: --stats has no '{match[1]}' of functions")
            has_input = match[1] in _COUNTED + _MEASURED
            for label in ([""] if has_input else []) + labels:
                self.columns[match[1] + ("_" + label if label else "")] = (match[1], label)
        self.tool = tool if any(what in _MEASURED for what, _ in self.columns.values()) else ""
        self.keys = {_FILE: ["file"], _FUNCTION: ["file", "function"], _RUN: ["run"]}[lines]
        # Of sums, what is a column of each run is one column.
        self.heads = list(dict.fromkeys(what for what, _ in self.columns.values())) if lines == _RUN else list(self.columns)

    def rows(self, root):
        rows = self._rows(root)
        return self._sums(rows) if self.lines == _RUN else rows

    def _sums(self, rows):
        sums = {}
        for side in ["", *self.runs]:
            places = {what: name for name, (what, label) in self.columns.items() if label == side}
            numbers = {what: [int(row[name]) for row in rows.values() if row[name].isdigit()] for what, name in places.items()}
            sums[(side or _INPUT,)] = {what: str(sum(numbers[what])) if numbers.get(what) else _UNKNOWN for what in self.heads}
        return sums

    def _rows(self, root):
        paths = {sha256: os.path.relpath(path, root) for sha256, path in self.database.execute("SELECT sha256, path FROM source")}
        outcomes = {label: dict(self.database.execute("SELECT sha256, iif(status = 'ok', result, NULL) FROM outcome "
                                                      "WHERE run = ?", (run,))) for label, run in self.runs.items()}
        known = set.intersection(*map(set, outcomes.values()))  # files that all runs have
        cells = collections.defaultdict(dict)  # {(sha256, function): {(what, label): text}}
        for label, run in self.runs.items():
            self._add_counts(cells, label, run, outcomes[label])
            self._add_remarks(cells, label, run)
            self._add_counters(cells, label, run)
        self._add_figures(cells, outcomes)
        remarked = {label: {sha256 for sha256, in self.database.execute(
            "SELECT sha256 FROM checked WHERE run = ? AND name = 'remarks'", (run,))} for label, run in self.runs.items()}
        rows = {}
        for (sha256, function), of_line in cells.items():
            row = {name: of_line.get((what, label)) or
                   ("0" if what in _OUTCOMES and sha256 in remarked[label] else _UNKNOWN)
                   for name, (what, label) in self.columns.items()}
            if sha256 in known and (not self.is_of_functions or self._is_told(row)):
                rows[(paths[sha256], function or _UNKNOWN) if self.is_of_functions else (paths[sha256],)] = row
        return rows

    def _is_told(self, row):
        """Whether a run changes a function, or has something to say of it."""
        for name, (what, label) in self.columns.items():
            if what in _COUNTED and row[name] != row[what]:
                return True
            if what not in _COUNTED + _MEASURED and row[name] not in (_UNKNOWN, "0"):
                return True
        return False

    def _add_counts(self, cells, label, run, results_of):
        if not self.is_of_functions:
            for sha256, result in results_of.items():
                text = _UNKNOWN if result is None else "0"
                cells[sha256, ""].update({(what, side): text for what in _COUNTED for side in ("", label)})
        for sha256, function, *counts in self.database.execute(
                f"SELECT sha256, {self._of('name')}, sum(instructions), sum(instructions_after), sum(barriers), "
                "sum(barriers_after) FROM function WHERE run = ? GROUP BY 1, 2", (run,)):
            places = ((what, side) for what in _COUNTED for side in ("", label))
            gone = _UNKNOWN if self.is_of_functions else "0"
            cells[sha256, function].update({place: gone if count is None else str(count) for place, count in zip(places, counts)})

    def _add_remarks(self, cells, label, run):
        reasons = collections.defaultdict(collections.Counter)
        counts = collections.Counter()
        for sha256, function, outcome, reason, count in self.database.execute(
                f"SELECT sha256, {self._of('function')}, outcome, reason, sum(count) FROM said WHERE run = ? "
                "GROUP BY 1, 2, 3, 4", (run,)):
            counts[sha256, function, outcome] += count
            if outcome == "kept":
                reasons[sha256, function][reason] += count
        for (sha256, function, outcome), count in counts.items():
            cells[sha256, function][outcome, label] = str(count)
        for line, by_reason in reasons.items():
            cells[line][_WHY, label] = ", ".join(f"{reason} {count}" for reason, count in sorted(by_reason.items()))
        for sha256, function, name, value in self.database.execute(
                f"SELECT sha256, {self._of('function')}, name, sum(value) FROM amount WHERE run = ? GROUP BY 1, 2, 3", (run,)):
            cells[sha256, function][name, label] = str(value)

    def _add_counters(self, cells, label, run):
        named = sorted(what for what, of in self.columns.values() if "." in what and of == label)
        for what in named:
            for sha256, value in self.database.execute(
                    "SELECT sha256, value FROM counter WHERE run = ? AND pass = ? AND name = ?", (run, *what.split("."))):
                cells[sha256, ""][what, label] = str(value)

    def _add_figures(self, cells, outcomes):
        """What ptxas makes of the inputs and of the results of the runs."""
        accepted = dict(self.database.execute("SELECT text, ok FROM assembly WHERE tool = ?", (self.tool,)))
        figures = collections.defaultdict(dict)  # {text: {function: (registers, spills, code)}}
        for text, function, *numbers in self.database.execute(
                f"SELECT text, {self._of('kernel')}, max(registers), sum(spills), sum(code) FROM assembled WHERE tool = ? "
                "GROUP BY 1, 2", (self.tool,)):
            figures[text][function] = numbers
        none = (None if self.is_of_functions else 0,) * len(_MEASURED)
        for (sha256, function), line in cells.items():
            if not accepted.get(sha256):
                continue
            for side, text in (("", sha256), *((label, results_of.get(sha256)) for label, results_of in outcomes.items())):
                if accepted.get(text) == 0:
                    line.update({(what, side): _REFUSED for what in _MEASURED})
                elif text in accepted:
                    numbers = figures[text].get(function, none)
                    line.update({(what, side): _UNKNOWN if number is None else str(number)
                                 for what, number in zip(_MEASURED, numbers)})

    def _of(self, column):
        """The function of a row: none where a line is for a file."""
        return column if self.is_of_functions else "''"

    # ---- the text ------------------------------------------------------------------------------

    def head(self):
        return "\t".join([*self.keys, *self.heads])

    def text(self, rows):
        lines = [f"{_HEAD} {self.tool}".strip(), self.head()]
        lines += ["\t".join([*key, *row.values()]) for key, row in sorted(rows.items())]
        return "\n".join(lines) + "\n"


def _write(path, text):
    folder = os.path.dirname(os.path.abspath(path))
    handle, part = tempfile.mkstemp(dir=folder, prefix=".part-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(part, 0o644)
    os.replace(part, path)


def _read(path, table):
    """(ptxas, rows) of a text with these columns."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) < 2 or not lines[0].startswith(_HEAD) or lines[1].partition("\t")[0] not in (_FILE, _RUN):
        raise Mistake(f"{path}: this is no table of `ptxopt-corpus table`")
    if lines[1] != table.head():
        raise Mistake(f"{path}:2: there are other columns than '{' '.join(table.head().split())}'")
    rows, keys = {}, len(table.keys)
    for number, line in enumerate(lines[2:], start=3):
        cells = line.split("\t")
        if len(cells) != keys + len(table.heads):
            raise Mistake(f"{path}:{number}: there are {len(cells) - keys} columns instead of {len(table.heads)}")
        rows[tuple(cells[:keys])] = dict(zip(table.heads, cells[keys:]))
    return lines[0][len(_HEAD):].strip(), rows


def _compare(table, rows, expected_tool, expected):
    if table.tool != expected_tool:
        print(f"the text has figures of {expected_tool or 'no ptxas'}, the run those of {table.tool or 'none'}: "
              "only counts are compared")
    whats = {name: what for name, (what, _) in table.columns.items()}
    measured = {name for name in table.heads if whats.get(name, name) in _MEASURED}
    moved = [(key, "line", "not in the text", "new") for key in rows if key not in expected]
    moved += [(key, "line", "in the text", "gone") for key in expected if key not in rows]
    for key in rows.keys() & expected.keys():
        for column, new in rows[key].items():
            old = expected[key][column]
            is_known = column not in measured or (new != _UNKNOWN and table.tool == expected_tool)
            if new != old and is_known:
                moved.append((key, column, old, new))
    for key, column, old, new in sorted(moved):
        change = f"  {int(new) - int(old):+}" if old.isdigit() and new.isdigit() else ""
        print(f"{'  '.join(key)}  {column}: {old} -> {new}{change}")
    seen = sum(any(row[column] != _UNKNOWN for column in measured) for row in rows.values())
    print(f"{len(rows)} {table.lines}s, {seen} of them with figures of ptxas: "
          f"{len(moved)} values moved")
    return MOVED if moved else 0
