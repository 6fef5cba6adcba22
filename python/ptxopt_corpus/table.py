# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One line for each file of a run, in a text that can be kept beside the sources: instructions, barriers, the most
registers of a kernel, spilled bytes and bytes of code, each before and after.

--against holds the run against such a text and prints what moved; the exit status is then 2.  What the run did not
measure is not compared: so a quick check may give ptxas only some of the files (`run --sample`).
"""
import os
import pathlib
import tempfile

from . import results
from .errors import Mistake

HELP = "write a run as a text, or hold it against one"
MOVED = 2
_COUNTED = ("instructions", "barriers")
_MEASURED = ("registers", "spills", "code")
_COLUMNS = tuple(name + side for name in _COUNTED + _MEASURED for side in ("", "_out"))
_ALWAYS = tuple(name + side for name in _COUNTED for side in ("", "_out"))  # known of each file that ptxopt takes
_UNKNOWN = "-"
_HEAD = "# "  # before the ptxas of the figures

_QUERY = """
WITH figures AS (SELECT text, max(registers) AS registers, sum(spills) AS spills, sum(code) AS code
                 FROM assembled WHERE tool = :tool GROUP BY text),
counts AS (SELECT sha256, sum(instructions) AS i, total(instructions_after) AS i_after, sum(barriers) AS b,
           total(barriers_after) AS b_after FROM function WHERE run = :run GROUP BY sha256)
SELECT path, status, ifnull(i, 0), ifnull(i_after, 0), ifnull(b, 0), ifnull(b_after, 0),
       x.registers, y.registers, x.spills, y.spills, x.code, y.code, old.ok, new.ok
FROM outcome o JOIN source USING (sha256) LEFT JOIN counts USING (sha256)
LEFT JOIN assembly old ON old.text = sha256 AND old.tool = :tool
LEFT JOIN assembly new ON new.text = o.result AND new.tool = :tool
LEFT JOIN figures x ON x.text = sha256 LEFT JOIN figures y ON y.text = o.result
WHERE run = :run ORDER BY path"""


def add_arguments(parser):
    parser.add_argument("--results", default=results.DEFAULT, metavar="FILE[:RUN]", help="(default: %(default)s)")
    parser.add_argument("--root", default=".", metavar="DIR", help="paths in the text are relative to it (default: %(default)s)")
    parser.add_argument("--ptxas", metavar="NAME", help="whose figures: 'ptxas 13.0', if there are several")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-o", "--output", metavar="FILE", help="(default: standard output)")
    what.add_argument("--against", metavar="FILE", type=pathlib.Path, help="compare with this text")


def main(args):
    path, number = results.split(args.results)
    with results.Results.open(path) as found:
        run = found.named_run(number)[0]
        tool = _tool(found, args.ptxas)
        rows = _rows(found, run, tool, args.root)
    if args.against:
        return _compare(rows, tool, *_read(args.against))
    text = _text(rows, tool)
    if args.output:
        _write(args.output, text)
    else:
        print(text, end="")
    return 0


def _tool(found, named):
    """The ptxas of the figures; "" if there is none."""
    tools = [row[0] for row in found.database.execute("SELECT DISTINCT tool FROM assembly ORDER BY tool")]
    if named and named not in tools:
        raise Mistake(f"--ptxas: there are no figures of '{named}'" + (f"; there are {', '.join(tools)}" if tools else ""))
    if not named and len(tools) > 1:
        raise Mistake(f"--ptxas must name one of {', '.join(tools)}")
    return named or (tools[0] if tools else "")


def _rows(found, run, tool, root):
    """{path: {column: text}}"""
    rows = {}
    for path, status, *values in found.database.execute(_QUERY, {"tool": tool, "run": run}):
        counted, figures, assembled = values[:4], values[4:10], values[10:]
        cells = [str(int(value)) if status == "ok" else _UNKNOWN for value in counted]
        for k, value in enumerate(figures):
            is_accepted, is_result_accepted = assembled
            if not is_accepted or k % 2 and is_result_accepted is None:
                cells.append(_UNKNOWN)
            else:
                cells.append(str(value or 0) if k % 2 == 0 or is_result_accepted else "refused")
        rows[os.path.relpath(path, root)] = dict(zip(_COLUMNS, cells))
    return rows


def _text(rows, tool):
    lines = [_HEAD + tool, "\t".join(["file", *_COLUMNS])]
    lines += ["\t".join([path, *row.values()]) for path, row in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def _write(path, text):
    folder = os.path.dirname(os.path.abspath(path))
    handle, part = tempfile.mkstemp(dir=folder, prefix=".part-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(part, 0o644)
    os.replace(part, path)


def _read(path):
    """(ptxas, rows) of a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) < 2 or not lines[0].startswith(_HEAD) or lines[1].split("\t") != ["file", *_COLUMNS]:
        raise Mistake(f"{path}: this is no table of `ptxopt-corpus table`")
    rows = {}
    for number, line in enumerate(lines[2:], start=3):
        name, *cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise Mistake(f"{path}:{number}: there are {len(cells)} columns instead of {len(_COLUMNS)}")
        rows[name] = dict(zip(_COLUMNS, cells))
    return lines[0][len(_HEAD):], rows


def _compare(rows, tool, expected_tool, expected):
    if tool != expected_tool:
        print(f"the text has figures of {expected_tool or 'no ptxas'}, the run those of {tool or 'none'}: only counts are compared")
    columns = _COLUMNS if tool == expected_tool else _ALWAYS
    moved = [(path, "file", "not in the text", "new") for path in rows if path not in expected]
    moved += [(path, "file", "in the text", "gone") for path in expected if path not in rows]
    for path in rows.keys() & expected.keys():
        moved += [(path, column, expected[path][column], rows[path][column]) for column in columns
                  if rows[path][column] != expected[path][column]
                  and (rows[path][column] != _UNKNOWN or column in _ALWAYS)]
    for path, column, old, new in sorted(moved):
        change = f"  {int(new) - int(old):+}" if old.isdigit() and new.isdigit() else ""
        print(f"{path}  {column}: {old} -> {new}{change}")
    measured = sum(row["code"] != _UNKNOWN for row in rows.values())
    print(f"{len(rows)} files, {measured} of them with figures of ptxas: {len(moved)} values moved")
    return MOVED if moved else 0
