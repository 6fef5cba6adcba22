# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes pages about a run that need no network: an overview with plots, a table to search and sort, and a page for
each kernel, which `ptxopt --html` makes.
"""
import hashlib
import html
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile

from . import children, results
from .errors import Mistake
from .programs import digest_of, find_program

HELP = "write pages about a run"
_PAGES = pathlib.Path(__file__).resolve().parent / "pages"
_SLOWEST = 10  # files in a plot
_REASONS = 12
_TIMEOUT = 120  # seconds for one ptxopt
_STYLE = "style.css"  # of ptxopt's pages, in the folder of the kernels
_NAV = re.compile(r"<nav>.*?</nav>", re.DOTALL)

_KERNELS = """
SELECT f.sha256, f.name, s.path, f.barriers, f.barriers_after, f.instructions, f.instructions_after,
       a.registers, b.registers, a.code, b.code, o.launch
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
        self.run = found.named_run(number)
        if self.run.program != digest_of(ptxopt):
            raise Mistake(f"{ptxopt} is not the ptxopt of run {self.run.number} ({self.run.version}): the pages would not say "
                          "what that one did; --ptxopt names another")
        tool = self.database.execute("SELECT max(tool) FROM assembly").fetchone()[0]
        self.tool = tool or ""

    def write(self):
        rows = self.database.execute(_KERNELS, {"run": self.run.number, "tool": self.tool}).fetchall()
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
            kernels.append([name, index[sha256], page, *row[3:-1]])
        self._pages(rows, kernels)
        self._overview(kernels, files)
        return len(kernels)

    # ---- the overview --------------------------------------------------------------------------

    def _overview(self, kernels, files):
        for row in kernels:  # what is known of one side only is not compared
            for k in range(3, len(row), 2):
                if row[k] is None or row[k + 1] is None:
                    row[k] = row[k + 1] = None
        data = "\n".join(f"const {name} = {json.dumps(value, separators=(',', ':'))};"
                         for name, value in (("KERNELS", kernels), ("FILES", files), ("KEPT", self._kept()), ("SLOWEST", self._slowest())))
        (self.folder / "data.js").write_text(data.replace("</", "<\\/") + "\n")
        for name in ("index.css", "index.js"):
            shutil.copyfile(_PAGES / name, self.folder / name)
        sums = [(word, sum(row[k] for row in kernels if row[k] is not None), sum(row[k + 1] for row in kernels if row[k] is not None))
                for k, word in ((3, "barriers"), (5, "instructions"), (7, "registers"), (9, "bytes of code"))]
        tiles = "".join(f"<li>{word}<b>{old:,} → {new:,}</b><span class='dim'>{_percent(old, new)}</span></li>"
                        for word, old, new in sums if old)
        body = (f"<h1>ptxopt over {len(files)} files</h1><p class='dim'>{_escape(self.run.version)} "
                f"{_escape(self.run.options)}{' and ' + _escape(self.tool) if self.tool else ''}</p>"
                f"<ul class='numbers'>{tiles}<li>kernels<b>{len(kernels):,}</b></li>{self._failures()}</ul>"
                "<div class='plots' id='plots'></div><h2>Kernels</h2>"
                "<label>Search <input type='search' id='search' placeholder='words of a name or a path; / jumps here'></label> "
                "<span class='dim' id='count' role='status'></span>"
                "<div class='table' id='table' role='table' tabindex='0' aria-label='kernels'></div>"
                "<script src='data.js'></script><script src='index.js'></script>")
        _write(self.folder / "index.html", "ptxopt: corpus report", body, f"kernel/{_STYLE}", "index.css")

    def _kept(self):
        """Reason, number and text of the barriers that dead-sync keeps, if the run has its remarks."""
        rows = self.database.execute("SELECT reason, sum(count) FROM said WHERE run = ? AND pass = 'dead-sync' AND outcome = 'kept' "
                                     "GROUP BY reason ORDER BY 2 DESC, 1 LIMIT ?", (self.run.number, _REASONS))
        return [[reason.replace("read and write", "read+write"), count, f"{count:,}"] for reason, count in rows]

    def _slowest(self):
        """Name, value and text of some files: by instructions, which `--check=time` counts, or by time."""
        costs = self.database.execute("SELECT path, instructions FROM cost JOIN source USING (sha256) WHERE run = ? "
                                      "ORDER BY instructions DESC LIMIT ?", (self.run.number, _SLOWEST)).fetchall()
        if costs:
            return [[os.path.basename(path), cost, f"{cost / 1e6:.1f} M instr."] for path, cost in costs]
        times = self.database.execute("SELECT path, min(seconds) FROM seconds JOIN source USING (sha256) WHERE run = ? AND "
                                      "what LIKE 'ptxopt%' GROUP BY path ORDER BY 2 DESC LIMIT ?", (self.run.number, _SLOWEST))
        return [[os.path.basename(path), seconds, f"{1000 * seconds:.0f} ms"] for path, seconds in times]

    def _failures(self):
        failed, = self.database.execute("SELECT count(*) FROM checked WHERE run = ? AND status = 'failed'",
                                        (self.run.number,)).fetchone()
        ended, = self.database.execute("SELECT count(*) FROM outcome WHERE run = ? AND status NOT IN ('ok', 'error')",
                                       (self.run.number,)).fetchone()
        kind = "more" if failed + ended else "less"
        return f"<li>failures<b class='{kind}'>{failed + ended}</b></li>"

    # ---- a page for each kernel ----------------------------------------------------------------

    def _pages(self, rows, kernels):
        for _, of_file in itertools.groupby(zip(rows, kernels), key=lambda pair: pair[0][0]):
            of_file = list(of_file)
            sha256, _, path, *_, launch = of_file[0][0]
            with tempfile.TemporaryDirectory() as made:
                pages = self._made(sha256, path, launch, pathlib.Path(made))
                for _, kernel in of_file:
                    self._page(kernel, pages.get(kernel[0]), path)

    def _made(self, sha256, path, launch, folder):
        """By the name of a function, the page that ptxopt makes of it; none if the file is another one now."""
        try:
            if hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() != sha256:
                return {}
        except OSError:
            return {}
        flags = shlex.split(self.run.flags)
        if launch:
            facts, = self.database.execute("SELECT facts FROM launch WHERE sha256 = ?", (launch,)).fetchone()
            (folder / "launch.json").write_text(facts, encoding="utf-8")
            flags.append(f"--launch={folder / 'launch.json'}")
        ended = children.run([self.ptxopt, *flags, path, f"--html={folder}/", "--stats=json", "-q"], _TIMEOUT)
        if ended.how != "ok":
            raise Mistake(f"{path}: {ended.message}")
        style = self.folder / "kernel" / _STYLE
        if not style.exists():
            shutil.copyfile(folder / _STYLE, style)
        functions = json.loads(ended.err[ended.err.index("{\n"):])["files"][0]["functions"]
        return {function["name"]: folder / f"{os.path.basename(path)}.{number}.html"
                for number, function in enumerate(functions, start=1)}

    def _page(self, kernel, made, path):
        head = "<nav><a href='../index.html'>All kernels</a></nav>"
        if made is None:
            body = f"{head}<h1>{_escape(kernel[0])}</h1><p>{_escape(path)} has gone, or has changed since the run.</p>"
            _write(self.folder / kernel[2], kernel[0], body, _STYLE)
            return
        text = made.read_text(encoding="utf-8", errors="surrogateescape")
        text = _NAV.sub(head, text, count=1).replace("</ul>", f"{_figures(kernel)}</ul>", 1)
        (self.folder / kernel[2]).write_text(text, encoding="utf-8", errors="surrogateescape")


def _figures(kernel):
    """What ptxas said, which ptxopt does not know."""
    cells = []
    for k, word in ((7, "registers"), (9, "bytes of code")):
        if kernel[k] is not None and kernel[k + 1] is not None:
            cells.append(f"<li>{word}<b>{kernel[k]:,} → {kernel[k + 1]:,}</b></li>")
    return "".join(cells)


# ---- HTML --------------------------------------------------------------------------------------


def _percent(old, new):
    return f"{100 * (new - old) / old:+.2f} %"


def _escape(text):
    return html.escape(str(text), quote=True)


def _write(path, title, body, *styles):
    links = "".join(f"<link rel='stylesheet' href='{style}'>" for style in styles)
    path.write_text(f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{_escape(title)}</title>"
                    "<meta name='viewport' content='width=device-width, initial-scale=1'>"
                    f"{links}</head><body><main>{body}</main></body></html>\n",
                    encoding="utf-8")
