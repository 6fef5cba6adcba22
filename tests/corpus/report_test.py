# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus report: report_test.py PTXOPT

With Chromium the pages are looked at in the browser: they load without errors, search finds a kernel, a barrier's
witness is there, and 10,000 kernels open quickly.  Without it that part is skipped.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import run_test
from run_test import KERNELS, corpus

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Puts what a page is after its scripts have run, and what went wrong, into its title.
PROBE = """<script>
window.addEventListener("error", (event) => document.body.dataset.fault = event.message);
window.addEventListener("load", () => { %s });
</script>"""


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def make(self):
        ptx = self.folder / "ptx"
        ptx.mkdir()
        for name in ("redundant_barriers", "scan_block"):
            shutil.copy(KERNELS / f"{name}.ptx", ptx)
        corpus("run", "ptx", "--ptxopt", run_test.PTXOPT, "--check=remarks", "--memory=0", cwd=self.folder)
        said = corpus("report", "pages", "--ptxopt", run_test.PTXOPT, cwd=self.folder)
        self.assertIn("kernels: pages/index.html", said)
        return self.folder / "pages"

    def browse(self, page, script):
        """The page as the browser has it, after `script` has run in it."""
        text = page.read_text()
        probed = page.with_name("probed.html")
        probed.write_text(text.replace("<head>", "<head>" + PROBE % script, 1))
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile",
                               "--virtual-time-budget=8000", "--dump-dom", probed.as_uri()], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("data-fault", done.stdout.split("<main>")[0])
        return done.stdout

    def test_pages(self):
        pages = self.make()
        data = (pages / "data.js").read_text()
        kernels = json.loads(re.search(r"const KERNELS = (.*);", data)[1])
        five = next(row for row in kernels if row[0] == "_Z10fiveInARowPKiPi")
        self.assertEqual(five[3:5], [5, 1])
        kept = json.loads(re.search(r"const KEPT = (.*);", data)[1])
        self.assertEqual(sum(count for _, count, _ in kept), sum(row[4] for row in kernels))
        self.assertIn("write/read", [reason for reason, *_ in kept])
        page = (pages / five[2]).read_text()
        self.assertIn("two threads meet without it:\nthread (", page)
        self.assertEqual(page.count("<tr class='gone'"), 4)
        self.assertIn("<nav><a href='../index.html'>All kernels</a></nav>", page)
        self.assertIn("control-flow graph, blocks: 1, edges: 1", page)
        scan = next(row for row in kernels if "scan" in row[0].lower())
        blocks = re.search(r"control-flow graph, blocks: (\d+)", (pages / scan[2]).read_text())
        self.assertGreater(int(blocks[1]), 1)
        self.assertEqual(len(list((pages / "kernel").glob("*.html"))), len(kernels))
        for path in pages.rglob("*.html"):
            text = path.read_text()
            self.assertNotRegex(text, r"(src|href)=['\"]https?:")
            for link in re.findall(r"(?:src|href)=['\"]([^'\"#]+)", text):
                self.assertTrue((path.parent / link).exists(), f"{path}: {link}")
        # With facts of launches, which the results have, and whose file may go.
        facts = self.folder / "facts.json"
        facts.write_text(json.dumps({"kernels": {"_Z10fiveInARowPKiPi": {"block": 1}}}))
        corpus("run", "ptx", "--ptxopt", run_test.PTXOPT, "--launches=facts.json", "--check=none", "--memory=0", cwd=self.folder)
        facts.unlink()
        corpus("report", "known", "--ptxopt", run_test.PTXOPT, cwd=self.folder)
        self.assertIn("--launches=facts.json", (self.folder / "known" / "index.html").read_text())
        page, = (path for path in (self.folder / "known" / "kernel").glob("*.html") if "<h1>fiveInARow" in path.read_text())
        self.assertGreater(page.read_text().count("<tr class='gone'"), 5)
        # Again into the same folder, but not among other files.
        corpus("report", "pages", "--ptxopt", run_test.PTXOPT, cwd=self.folder)
        (self.folder / "other").mkdir()
        (self.folder / "other" / "file").touch()
        self.assertIn("is not empty", corpus("report", "other", "--ptxopt", run_test.PTXOPT, cwd=self.folder, expect=1))

    def test_what_is_not_of_the_run_is_not_shown(self):
        pages = self.make()
        other = self.folder / "ptxopt"
        other.write_text(f"#!/bin/sh\nexec {run_test.PTXOPT} \"$@\"\n")
        other.chmod(0o755)
        self.assertIn("is not the ptxopt of run 1", corpus("report", "pages", "--ptxopt", other, cwd=self.folder, expect=1))
        with (self.folder / "ptx" / "scan_block.ptx").open("a") as file:
            file.write("// changed")
        (self.folder / "ptx" / "redundant_barriers.ptx").unlink()
        corpus("report", "pages", "--ptxopt", run_test.PTXOPT, cwd=self.folder)
        for path in (pages / "kernel").glob("*.html"):
            self.assertIn("has gone, or has changed since the run", path.read_text())

    def test_lines_of_the_program(self):
        """Beside the PTX, from a file above its folder; of a file that is no source, nothing."""
        (self.folder / "ptx").mkdir()
        text = (KERNELS.parent / "sm_90_lineinfo" / "redundant_barriers.ptx").read_text()
        (self.folder / "ptx" / "k.ptx").write_text(text)
        (self.folder / "cuda").mkdir()
        lines = [f"line {number} <of> it" for number in range(1, 200)]
        (self.folder / "cuda" / "redundant_barriers.cu").write_text("\n".join(lines))
        (self.folder / "secret").write_text("\n".join(["secret"] * 200))
        (self.folder / "ptx" / "other.ptx").write_text(text.replace("cuda/redundant_barriers.cu", "secret"))
        corpus("run", "ptx", "--ptxopt", run_test.PTXOPT, "--check=none", "--memory=0", cwd=self.folder)
        corpus("report", "pages", "--ptxopt", run_test.PTXOPT, cwd=self.folder)
        pages = [path.read_text() for path in (self.folder / "pages" / "kernel").glob("*.html")]
        self.assertTrue(any("<b>redundant_barriers.cu:7</b> line 7 &lt;of&gt; it" in page for page in pages))
        self.assertTrue(any("<b>secret:7</b> <" in page for page in pages))

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_in_the_browser(self):
        pages = self.make()
        found = self.browse(pages / "index.html", "search.value = 'fiveIn'; search.dispatchEvent(new Event('input'));")
        self.assertIn("1 of ", found)
        self.assertIn("_Z10fiveInARowPKiPi", found)
        self.assertIn("Barriers that stay", found)
        self.assertIn("<rect", found)
        kernel = re.search(r'href="(kernel/[^"]+[.]html)"', found)[1]
        self.assertIn("two threads meet without it:", self.browse(pages / kernel, ""))

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_ten_thousand_kernels(self):
        pages = self.make()
        data = (pages / "data.js").read_text()
        row = json.loads(re.search(r"const KERNELS = (.*);", data)[1])[0]
        rows = [[f"{row[0]}_{k}", *row[1:3], k % 7, 0, 100 + k, 90 + k, k % 255, k % 200, 256 * k, 128 * k] for k in range(10_000)]
        (pages / "data.js").write_text(re.sub(r"const KERNELS = .*;", lambda _: f"const KERNELS = {json.dumps(rows)};", data))
        found = self.browse(pages / "index.html", "document.body.dataset.took = performance.now();")
        self.assertIn("10000 of 10000 kernels", found)
        self.assertLess(len(re.findall('class="row"', found)), 200)  # only those in sight
        took = float(re.search(r'data-took="([\d.]+)"', found)[1])
        print(f"10,000 kernels: {took:.0f} ms", file=sys.stderr)


if __name__ == "__main__":
    run_test.PTXOPT = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
