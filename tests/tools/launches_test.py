# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-launches reads profiles in the forms that are documented, and ptxopt takes what it writes.

Usage: launches_test.py SCRIPT PTXOPT
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z3sumPKfPfi(.param .u64 a, .param .u64 b, .param .u32 n)
{
\t.reg .b32 %r<3>;
\tmov.u32 %r1, %ntid.x;
\tmov.u32 %r2, %nctaid.x;
\tret;
}
"""


class Launches(unittest.TestCase):
    script = ptxopt = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *words):
        return subprocess.run([sys.executable, self.script, *words], capture_output=True, text=True)

    def facts(self, *profiles):
        result = self.run_script(*profiles)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)["kernels"]

    def nsys(self, launches, names=("demangledName", "shortName")):
        """The table as nsys export --type=sqlite documents it, with the columns that matter."""
        path = self.folder / "50 %25 #1?.sqlite"
        path.unlink(missing_ok=True)
        database = sqlite3.connect(path)
        extents = ", ".join(f"{of}{axis} INTEGER" for of in ("grid", "block") for axis in "XYZ")
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        database.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "
                         f"{', '.join(name + ' INTEGER' for name in names)}, {extents}, "
                         "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER)")
        for k, (kernel, grid, block, shared) in enumerate(launches):
            database.execute("INSERT INTO StringIds VALUES (?, ?)", (k, kernel))
            database.execute(
                f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({', '.join('?' * (9 + len(names)))})",
                (k, *[k] * len(names), *grid, *block, 0, shared))
        database.commit()
        database.close()
        return path

    def test_nsys(self):
        path = self.nsys([("sum(const float *, float *, int)", (4, 1, 1), (256, 1, 1), 0),
                          ("sum(const float *, float *, int)", (4, 1, 1), (256, 1, 1), 1024),
                          ("other()", (1, 2, 1), (32, 2, 1), 0),
                          ("other()", (1, 1, 1), (64, 2, 1), 0)])
        facts = self.facts(path)
        self.assertEqual(facts, {
            "sum(const float *, float *, int)": {"block": [256, 1, 1], "grid": [4, 1, 1], "launches": 2},
            "other()": {"max_threads": 128, "shared": 0, "launches": 2}})

    def test_mangled_names_come_first(self):
        path = self.nsys([("_Z3sumPKfPfi", (4, 1, 1), (256, 1, 1), 0)],
                         ("demangledName", "mangledName"))
        self.assertEqual(list(self.facts(path)), ["_Z3sumPKfPfi"])

    def test_ptxopt_takes_it(self):
        path = self.nsys([("sum(const float *, float *, int)", (4, 1, 1), (256, 1, 1), 0)])
        kernel = self.folder / "k.ptx"
        kernel.write_text(KERNEL)
        written = self.folder / "launches.json"
        self.assertEqual(self.run_script(path, "-o", written).returncode, 0)
        result = subprocess.run([self.ptxopt, "-O0", "--launch", written, "--enforce", kernel],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\n.reqntid 256, 1, 1\n{", result.stdout)
        self.assertIn("mov.u32 \t%r1, 256;", result.stdout)
        self.assertIn("mov.u32 \t%r2, 4;", result.stdout)
        self.assertIn("%nctaid.x;", result.stdout)  # the test
        self.assertEqual(result.stdout.count("trap;"), 1)

    def test_ncu(self):
        raw = self.folder / "raw.csv"
        raw.write_text(
            '==PROF== Connected to process 1\n'
            '"ID","Process ID","Kernel Name","Block Size","Grid Size",'
            '"launch__shared_mem_per_block_dynamic"\n'
            '"","","","","","byte/block"\n'
            '"0","1","sum(const float *, float *, int)","(256, 1, 1)","(4, 1, 1)","2,048"\n'
            '"1","1","sum(const float *, float *, int)","(256, 1, 1)","(8, 1, 1)","2,048"\n')
        self.assertEqual(self.facts(raw), {"sum(const float *, float *, int)": {
            "block": [256, 1, 1], "shared": 2048, "launches": 2}})
        details = self.folder / "details.csv"
        head = '"{}","1","k","(32, 1, 1)","(1, 1, 1)",'
        details.write_text(
            '"ID","Process ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit",'
            '"Metric Value"\n' +
            head.format(0) + '"Registers Per Thread","register/thread","16"\n' +
            head.format(0) + '"Dynamic Shared Memory Per Block","Kbyte/block","1.02"\n' +
            head.format(1) + '"Registers Per Thread","register/thread","16"\n')
        # 1.02 Kbyte may be 1,020 bytes or 1,024.
        self.assertEqual(self.facts(details), {"k": {
            "block": [32, 1, 1], "grid": [1, 1, 1], "launches": 2}})

    def test_triton(self):
        path = self.folder / "k.json"
        path.write_text(json.dumps({"name": "k", "num_warps": 4, "shared": 4096,
                                    "target": {"backend": "cuda", "arch": 90, "warp_size": 32}}))
        self.assertEqual(self.facts(path), {"k": {"block": [128, 1, 1], "shared": 4096}})

    def test_several_profiles(self):
        one = self.nsys([("k", (4, 1, 1), (256, 1, 1), 0)])
        other = self.folder / "k.json"
        other.write_text(json.dumps({"name": "k", "num_warps": 4, "shared": 0}))
        self.assertEqual(self.facts(one, other), {"k": {"max_threads": 256, "shared": 0, "launches": 1}})

    def test_output(self):
        path = self.nsys([("k", (4, 1, 1), (256, 1, 1), 0)])
        before = sorted(self.folder.iterdir())
        absent = self.folder / "absent" / "l.json"
        result = self.run_script(path, "-o", absent)
        self.assertEqual((result.returncode, result.stderr), (1, f"{absent}: error: No such file or directory\n"))
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertEqual(self.run_script(path, "-o", "/dev/stdout").stdout, self.run_script(path).stdout)
        file, link = self.folder / "l.json", self.folder / "link.json"
        link.symlink_to(file)
        self.assertEqual(self.run_script(path, "-o", link).returncode, 0)
        self.assertEqual(file.read_text(), self.run_script(path).stdout)
        self.assertEqual(sorted(self.folder.iterdir()), sorted([*before, file, link]))

    def test_mistakes(self):
        empty = self.folder / "empty.sqlite"
        sqlite3.connect(empty).execute("CREATE TABLE T (a)")
        texts = {"empty.sqlite": "it has no table", "absent": "No such file", "text": "not a table",
                 "broken.json": "not JSON", "other.json": "not the metadata", "bytes": "neither SQLite"}
        (self.folder / "text").write_text("hello\n")
        (self.folder / "broken.json").write_text("{")
        (self.folder / "other.json").write_text("{}")
        (self.folder / "bytes").write_bytes(b"\xff\xfe\x00")
        for name, text in texts.items():
            result = self.run_script(self.folder / name)
            self.assertEqual((result.returncode, result.stdout), (1, ""), name)
            self.assertTrue(result.stderr.startswith(f"{self.folder / name}: error: {text}"), result.stderr)


if __name__ == "__main__":
    Launches.ptxopt = sys.argv.pop()
    Launches.script = sys.argv.pop()
    unittest.main()
