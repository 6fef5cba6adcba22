# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes pages about a run that need no network: an overview with plots, a table to search and sort, and a page for
each kernel with its PTX before and after beside the lines of the program, what became of each barrier, and why, and
the control-flow graph.
"""
import difflib
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile

from . import children, flow_graph, results
from .errors import Mistake
from .programs import find_program
from .source_text import Sources

HELP = "write pages about a run"
_PAGES = pathlib.Path(__file__).resolve().parent / "pages"
_SLOWEST = 10
_TIMEOUT = 120  # seconds for one ptxopt
_ENTRY = re.compile(r"^[^/\n]*\.entry\s+([\w$%]+)", re.MULTILINE)

_KERNELS = """
SELECT f.sha256, f.name, s.path, f.barriers, f.barriers_after, f.instructions, f.instructions_after,
       a.registers, b.registers, a.code, b.code
FROM function f JOIN source s USING (sha256) JOIN outcome o ON o.run = f.run AND o.sha256 = f.sha256
LEFT JOIN assembled a ON a.text = f.sha256 AND a.kernel = f.name AND a.tool = :tool
LEFT JOIN assembled b ON b.text = o.result AND b.kernel = f.name AND b.tool = :tool
WHERE f.run = :run AND f.kernel ORDER BY s.path, f.sha256, f.name"""


def add_arguments(parser):
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="where the pages are written; new, or a report")
    parser.add_argument("--results", default=results.DEFAULT, metavar="FILE[:RUN]", help="(default: %(default)s)")
    parser.add_argument("--ptxopt", metavar="PROGRAM", help="that ran (default: beside this program, or in PATH)")


def main(args):
    path, number = results.split(args.results)
    _require_own(args.folder)
    with results.Results.open(path) as found:
        report = Report(found, number, find_program("ptxopt", args.ptxopt), args.folder)
        count = report.write()
    print(f"{count} kernels: {args.folder / 'index.html'}")
    return 0


def _require_own(folder):
    """Never writes among the files of somebody else."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "data.js").exists():
        raise Mistake(f"{folder} is not empty, and no report")
    folder.mkdir(parents=True, exist_ok=True)


class Report:
    def __init__(self, found, number, ptxopt, folder):
        self.database, self.ptxopt, self.folder = found.database, ptxopt, folder
        self.run, _, self.version, self.flags = found.named_run(number)
        tool = self.database.execute("SELECT max(tool) FROM assembly").fetchone()[0]
        self.tool = tool or ""

    def write(self):
        rows = self.database.execute(_KERNELS, {"run": self.run, "tool": self.tool}).fetchall()
        (self.folder / "kernel").mkdir(exist_ok=True)
        root = os.path.commonpath([row[2] for row in rows]) if len({row[2] for row in rows}) > 1 else ""
        files, kernels = [], []
        index = {}
        for row in rows:
            sha256, name, path = row[:3]
            if sha256 not in index:
                index[sha256] = len(files)
                files.append(os.path.relpath(path, root) if root else path)
            page = f"kernel/{sha256[:16]}-{len(kernels)}.html"
            kernels.append([name, index[sha256], page, *row[3:]])
        self._pages(rows, kernels, files)
        self._overview(kernels, files)
        return len(kernels)

    # ---- the overview --------------------------------------------------------------------------

    def _overview(self, kernels, files):
        slowest = self.database.execute(
            "SELECT path, seconds FROM seconds JOIN source USING (sha256) WHERE run = ? AND what = 'ptxopt' "
            "ORDER BY seconds DESC LIMIT ?", (self.run, _SLOWEST)).fetchall()
        for row in kernels:  # what is known of one side only is not compared
            for k in range(3, len(row), 2):
                if row[k] is None or row[k + 1] is None:
                    row[k] = row[k + 1] = None
        slowest = [[os.path.basename(path), seconds] for path, seconds in slowest]
        data = "\n".join(f"const {name} = {json.dumps(value, separators=(',', ':'))};"
                         for name, value in (("KERNELS", kernels), ("FILES", files), ("SLOWEST", slowest)))
        (self.folder / "data.js").write_text(data.replace("</", "<\\/") + "\n")
        for name in ("style.css", "index.js"):
            shutil.copyfile(_PAGES / name, self.folder / name)
        sums = [(word, sum(row[k] for row in kernels if row[k] is not None), sum(row[k + 1] for row in kernels if row[k] is not None))
                for k, word in ((3, "barriers"), (5, "instructions"), (7, "registers"), (9, "bytes of code"))]
        tiles = "".join(f"<li>{word}<b>{old:,} → {new:,}</b><span class='dim'>{_percent(old, new)}</span></li>"
                        for word, old, new in sums if old)
        body = (f"<h1>ptxopt over {len(files)} files</h1><p class='dim'>{_escape(self.version)} "
                f"{_escape(self.flags)}{' and ' + _escape(self.tool) if self.tool else ''}</p>"
                f"<ul class='numbers'>{tiles}<li>kernels<b>{len(kernels):,}</b></li>{self._failures()}</ul>"
                "<div class='plots' id='plots'></div><h2>Kernels</h2>"
                "<label>Search <input type='search' id='search' placeholder='words of a name or a path; / jumps here'></label> "
                "<span class='dim' id='count' role='status'></span>"
                "<div class='table' id='table' role='table' tabindex='0' aria-label='kernels'></div>"
                "<script src='data.js'></script><script src='index.js'></script>")
        _write(self.folder / "index.html", "ptxopt: corpus report", body, "style.css")

    def _failures(self):
        failed, = self.database.execute("SELECT count(*) FROM checked WHERE run = ? AND status = 'failed'",
                                        (self.run,)).fetchone()
        ended, = self.database.execute("SELECT count(*) FROM outcome WHERE run = ? AND status NOT IN ('ok', 'error')",
                                       (self.run,)).fetchone()
        kind = "more" if failed + ended else "less"
        return f"<li>failures<b class='{kind}'>{failed + ended}</b></li>"

    # ---- a page for each kernel ----------------------------------------------------------------

    def _pages(self, rows, kernels, files):
        at = 0
        while at < len(rows):
            end = at
            while end < len(rows) and rows[end][0] == rows[at][0]:
                end += 1
            self._pages_of_file(rows[at][2], kernels[at:end], files[kernels[at][1]])
            at = end

    def _pages_of_file(self, path, kernels, shown_path):
        flags = shlex.split(self.flags)
        with tempfile.TemporaryDirectory() as folder:
            output, remarks, dot = (os.path.join(folder, name) for name in ("out.ptx", "remarks", "dot"))
            ended = children.run([self.ptxopt, *flags, path, "-o", output, "-q", f"--remarks={remarks}",
                                  f"--dot-cfg={dot}"], _TIMEOUT)
            if ended.how != "ok":
                raise Mistake(f"{path}: {ended.message}")
            before, after = (pathlib.Path(p).read_text(errors="replace").split("\n") for p in (path, output))
            said = [json.loads(line) for line in open(remarks, encoding="utf-8")]
            graphs = flow_graph.graphs(pathlib.Path(dot).read_text(errors="replace"))
        sources = Sources(before, path)
        for kernel in kernels:
            name = kernel[0]
            body = (f"<p><a href='../index.html'>All kernels</a></p><h1>{_escape(name)}</h1>"
                    f"<p class='dim'>{_escape(shown_path)}</p>{_numbers(kernel)}"
                    f"{_fates([r for r in said if r['function'] == name])}"
                    f"{_diff(_lines_of(before, name), _lines_of(after, name), _removed_lines(said), sources)}"
                    f"{_graph(graphs.get(name))}")
            _write(self.folder / kernel[2], name, body, "../style.css")


def _lines_of(lines, name):
    """(number of the first line, the lines) of an entry, to the brace in the first column that ends it."""
    for k, line in enumerate(lines):
        match = _ENTRY.match(line)
        if match and match.group(1) == name:
            end = next((e for e in range(k, len(lines)) if lines[e].startswith("}")), len(lines) - 1)
            return k + 1, lines[k:end + 1]
    return 1, []


def _numbers(kernel):
    cells = []
    for k, word in ((3, "barriers"), (5, "instructions"), (7, "registers"), (9, "bytes of code")):
        if kernel[k] is not None and kernel[k + 1] is not None:
            cells.append(f"<li>{word}<b>{kernel[k]:,} → {kernel[k + 1]:,}</b></li>")
    return f"<ul class='numbers'>{''.join(cells)}</ul>"


def _fates(remarks):
    """The last word of the passes on each barrier, wait and fence."""
    fates = {}
    for remark in remarks:
        if remark["ptx"] and (remark["details"].get("outcome") or remark["pass"] == "dead-wait"):
            line = remark["ptx"]["line"]
            if line not in fates or remark["kind"] == "passed":
                fates[line] = remark
    if not fates:
        return "<p>Nothing in it synchronises, or no pass looked at it.</p>"
    rows = []
    for line, remark in sorted(fates.items()):
        source = remark["source"]
        where = f"{os.path.basename(source['file'])}:{source['line']}" if source else ""
        outcome = remark["details"].get("outcome") or ("removed" if remark["kind"] == "passed" else "kept")
        rows.append(f"<tr><td class='n'><a href='#l{line}'>{line}</a></td><td>{_escape(where)}</td>"
                    f"<td class='{'less' if outcome != 'kept' else ''}'>{_escape(outcome)}</td>"
                    f"<td class='why'>{_escape(remark['message'])}</td></tr>")
    return ("<h2>Barriers, waits and fences</h2><div class='scroll'><table><tr><th class='n'>line</th><th>source</th>"
            f"<th>outcome</th><th>why</th></tr>{''.join(rows)}</table></div>")


def _removed_lines(remarks):
    return {r["ptx"]["line"] for r in remarks
            if r["ptx"] and r["kind"] == "passed" and (r["details"].get("outcome") == "removed" or r["pass"] == "dead-wait")}


def _graph(graph):
    if graph is None:
        return ""
    return ("<h2>Control flow of the result</h2><p class='dim'>Full barriers divide the kernel into regions, whose "
            "numbers are in colour. A block leads to its lines.</p>" + flow_graph.svg(graph))


def _diff(before, after, removed, sources):
    """`removed`: lines of which a remark says that they went, so that no equal line is shown in their place."""
    (first, old), (first_after, new) = before, after
    places = sources.of(old)
    shown = [place if k == 0 or place != places[k - 1] else None for k, place in enumerate(places)]
    keys = [(line, first + k in removed) for k, line in enumerate(old)]
    matcher = difflib.SequenceMatcher(None, keys, [(line, False) for line in new], autojunk=False)
    rows = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            rows += [_code("", first + k, first_after + j + k - i, old[k], shown[k]) for k in range(i, i_end)]
        else:
            rows += [_code("gone", first + k, "", old[k], shown[k]) for k in range(i, i_end)]
            rows += [_code("came", "", first_after + k, new[k], None) for k in range(j, j_end)]
    if not any(places):
        rows = [row.replace("<td class='of'></td>", "") for row in rows]
    return f"<h2>PTX, before and after</h2><div class='scroll'><table class='code'>{''.join(rows)}</table></div>"


def _code(kind, old, new, line, source):
    anchor = f" id='l{old}'" if old else ""
    of = f"<b>{_escape(source[0])}</b> {_escape(source[1].strip())}" if source else ""
    return (f"<tr class='{kind}'{anchor}><td class='n'>{old}</td><td class='n'>{new}</td><td>{_escape(line)}</td>"
            f"<td class='of'>{of}</td></tr>")


# ---- HTML --------------------------------------------------------------------------------------


def _percent(old, new):
    return f"{100 * (new - old) / old:+.2f} %"


def _escape(text):
    return html.escape(str(text), quote=True)


def _write(path, title, body, style):
    path.write_text(f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{_escape(title)}</title>"
                    "<meta name='viewport' content='width=device-width, initial-scale=1'>"
                    f"<link rel='stylesheet' href='{style}'></head><body><main>{body}</main></body></html>\n",
                    encoding="utf-8")
