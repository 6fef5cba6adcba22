# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus run, compare and bisect, on small files: run_test.py PTXOPT PTXRUN PTXREDUCE"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = SOURCE / "scripts" / "corpus.py"
KERNELS = SOURCE / "corpus" / "ptx" / "nvcc" / "sm_80"
TABLES = ("source", "run", "launch", "outcome", "function", "counter", "checked", "assembly", "assembled", "said", "amount", "cost")
PTXOPT = PTXRUN = PTXREDUCE = ""

# A ptxopt that does what the first lines of its files ask for, and is the real one else.
WRAPPER = """#!{python}
import os, re, subprocess, sys, time
arguments = sys.argv[1:]
files = [a for a in arguments if a.endswith(".ptx") and os.path.exists(a)]
firsts = [open(file, errors="replace").readline() for file in files]
def asks(word):
    return any("// " + word in first for first in firsts)
if asks("ABORT"):
    os.abort()
if asks("HANG"):
    time.sleep(1000)
if asks("EAT"):
    eaten = bytearray(8 << 30)
status = subprocess.run([{ptxopt!r}, *arguments]).returncode
limit = next((int(a.split("=")[1]) for a in arguments if a.startswith("--opt-bisect-limit=")), 3)
folder = next((a.split("=")[1] for a in arguments if a.startswith("--output-dir=")), None)
for file, first in zip(files, firsts):
    if "// REPORT" in first:
        print("a.cpp:1:2: runtime error: a number that is too large", file=sys.stderr)
    out = os.path.join(folder, os.path.basename(file)) if folder else arguments[arguments.index("-o") + 1]
    if "// DROP" in first and limit >= 3 and "-O0" not in arguments and out != os.devnull:
        text = re.sub(r"\\n\\tst\\.global[^\\n]*", "\\n", open(out).read(), count=1)
        open(out, "w").write(text)
sys.exit(status)
"""


def corpus(*arguments, cwd, expect=0):
    done = subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    if done.returncode != expect:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def content(path):
    """Everything but times, which no two runs share."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.ptx = self.folder / "ptx"
        self.ptx.mkdir()
        self.wrapper = self.folder / "ptxopt"
        self.wrapper.write_text(WRAPPER.format(python=sys.executable, ptxopt=PTXOPT))
        self.wrapper.chmod(0o755)

    def take(self, *names):
        for name in names:
            shutil.copy(KERNELS / f"{name}.ptx", self.ptx)

    def write(self, name, first, kernel="redundant_barriers"):
        (self.ptx / name).write_text(first + "\n" + (KERNELS / f"{kernel}.ptx").read_text())

    def run_corpus(self, *arguments, expect=0, ptxopt=PTXOPT, results="r.sqlite"):
        # Address spaces of programs with sanitizers are large.
        return corpus("run", self.ptx, "--ptxopt", ptxopt or PTXOPT, "--ptxrun", PTXRUN, "--results", results, "--memory=0",
                      *arguments, cwd=self.folder, expect=expect)

    def fake_ptxas(self, body):
        """A ptxas, which has the path of the text in `text`."""
        path = self.folder / "ptxas"
        path.write_text(f"""#!{sys.executable}
import sys
if sys.argv[1] == "--version":
    sys.exit(print("Cuda compilation tools, release 13.0, V13.0.1"))
if sys.argv[1] == "--help":
    sys.exit(print("'sm_75','sm_80','sm_90'"))
text = next(a for a in sys.argv if a.endswith(".ptx"))
{body}
open(sys.argv[sys.argv.index("-o") + 1], "w").close()
""")
        path.chmod(0o755)
        return path

    def outcomes(self, results):
        try:
            return self.rows("SELECT count(*) FROM outcome", results)[0][0]
        except sqlite3.OperationalError:  # there is no table yet
            return 0

    def rows(self, query, results="r.sqlite"):
        with contextlib.closing(sqlite3.connect(self.folder / results)) as database:
            return database.execute(query).fetchall()


class Run(Case):
    def test_checks_pass_and_are_not_done_again(self):
        self.take("redundant_barriers", "scan_block", "bfs")
        said = self.run_corpus("--check=reprint,idempotent,run", ptxopt=self.wrapper)
        self.assertIn("3 files: 3 ok", said)
        self.assertIn("run: 3 ok", said)
        before = content(self.folder / "r.sqlite")
        times = self.rows("SELECT count(*) FROM seconds")
        self.assertEqual(said, self.run_corpus("--check=reprint,idempotent,run", ptxopt=self.wrapper))
        self.assertEqual(before, content(self.folder / "r.sqlite"))
        self.assertEqual(times, self.rows("SELECT count(*) FROM seconds"))
        kernels = self.rows("SELECT name, barriers, barriers_after FROM function WHERE name LIKE '%fiveInARow%'")
        self.assertEqual(kernels, [("_Z10fiveInARowPKiPi", 5, 1)])
        # Another check of the same files runs only that check.
        self.assertIn("time: 3 ok", self.run_corpus("--check=time", ptxopt=self.wrapper))

    @unittest.skipIf("PTXOPT_SANITIZED" in os.environ, "it takes more address space than the limit of the test")
    def test_what_fails_is_named(self):
        self.take("scan_block")
        self.write("aborts.ptx", "// ABORT")
        self.write("hangs.ptx", "// HANG")
        self.write("eats.ptx", "// EAT")
        self.write("drops.ptx", "// DROP")
        (self.ptx / "broken.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.entry k( {\n")
        said = self.run_corpus("--check=run", "--timeout=3", "--memory=2048", ptxopt=self.wrapper, expect=2)
        statuses = dict(self.rows("SELECT substr(path, instr(path, 'ptx/') + 4), status FROM outcome "
                                  "JOIN source USING (sha256)"))
        self.assertEqual({name: statuses[name] for name in ("aborts.ptx", "hangs.ptx", "broken.ptx", "scan_block.ptx")},
                         {"aborts.ptx": "crash", "hangs.ptx": "timeout", "broken.ptx": "error", "scan_block.ptx": "ok"})
        self.assertEqual(statuses["eats.ptx"], "error")  # the wrapper's MemoryError
        self.assertIn("aborts.ptx: crash: ended by SIGABRT", said)
        self.assertIn("hangs.ptx: timeout: ran out of time", said)
        self.assertIn("drops.ptx: run: _Z", said)
        # Files that were set aside are left alone until --retry.
        self.write("hangs.ptx", "// HANG")
        begun = time.monotonic()
        self.run_corpus("--check=run", "--timeout=100", ptxopt=self.wrapper, expect=2)
        self.assertLess(time.monotonic() - begun, 90)

    def test_files_together_give_what_they_give_alone(self):
        self.take("bfs", "redundant_barriers", "scan_block", "reduce_shuffle", "histogram")
        for k, first in enumerate(("// ABORT", "// DROP", "// REPORT", "// fine")):
            self.write(f"{k}.ptx", first)
        (self.ptx / "broken.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.entry k( {\n")
        (self.ptx / "again").mkdir()  # the name of a file that is there already
        (self.ptx / "again" / "0.ptx").write_text("// also fine\n" + (KERNELS / "bfs.ptx").read_text())
        options = ["--check=reprint,idempotent,sanitize,run", "--jobs=1", "--memory=0", "--ptxopt", self.wrapper, "--sanitized-ptxopt",
                   self.wrapper, "--ptxrun", PTXRUN]
        files = sorted(self.ptx.rglob("*.ptx"))
        for file in files:
            fails = file.name in ("0.ptx", "1.ptx", "2.ptx") and file.parent == self.ptx
            corpus("run", file, *options, "--results=alone.sqlite", cwd=self.folder, expect=2 if fails else 0)
        # Each folder 40 times makes batches that hold all of it.
        said = corpus("run", *[self.ptx] * 40, *options, "--results=r.sqlite", cwd=self.folder, expect=2)
        self.assertIn("sanitize: 1 failed, 8 ok", said)
        self.assertIn("a number that is too large", said)
        self.assertEqual(content(self.folder / "alone.sqlite"), content(self.folder / "r.sqlite"))

    def test_files_together_are_no_program(self):
        head = ".version 8.0\n.target sm_80\n.address_size 64\n"
        (self.ptx / "defines.ptx").write_text(head + ".visible .const .align 4 .u32 weight = 7;\n.visible .entry k() { ret; }\n")
        (self.ptx / "reads.ptx").write_text(head + """.extern .const .align 4 .u32 weight;
.visible .entry k(.param .u64 k_0)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [k_0];
	ld.const.u32 %r1, [weight];
	st.global.u32 [%rd1], %r1;
	ret;
}
""")
        passes = "--passes=global-opt<whole-program>"
        corpus("run", self.ptx / "defines.ptx", "--ptxopt", PTXOPT, passes, "--results=one.sqlite", cwd=self.folder)
        corpus("run", *[self.ptx] * 40, "--ptxopt", PTXOPT, passes, "--jobs=1", "--results=r.sqlite", cwd=self.folder)
        changed = "SELECT changed FROM outcome JOIN source USING (sha256) WHERE path LIKE '%defines.ptx'"
        self.assertEqual(self.rows(changed), [(1,)])
        with contextlib.closing(sqlite3.connect(self.folder / "one.sqlite")) as database:
            self.assertEqual(database.execute(changed).fetchall(), [(1,)])

    def test_another_program_checks_again(self):
        self.take("scan_block")
        for schedules, by in ((2, "2 schedules"), (3, "3 schedules")):
            self.run_corpus("--check=run", f"--schedules={schedules}")
            (found,), = self.rows("SELECT by FROM checked")
            self.assertTrue(found.endswith(by), found)

    def test_killed_and_resumed(self):
        names = [path.stem for path in sorted(KERNELS.glob("*.ptx"))][:24]
        self.take(*names)
        whole = self.run_corpus("--check=reprint,idempotent", "--jobs=1", results="whole.sqlite")
        child = subprocess.Popen([sys.executable, PROGRAM, "run", self.ptx, "--ptxopt", PTXOPT, "--check=reprint,idempotent",
                                  "--jobs=1", "--results", "killed.sqlite"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                 start_new_session=True)
        while self.outcomes("killed.sqlite") == 0 and child.poll() is None:
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.assertIn(self.outcomes("killed.sqlite"), range(1, 24), "it was killed too early or too late")
        resumed = self.run_corpus("--check=reprint,idempotent", "--jobs=2", results="killed.sqlite")
        self.assertEqual(resumed.replace("killed", "whole"), whole)
        self.assertEqual(content(self.folder / "whole.sqlite"), content(self.folder / "killed.sqlite"))

    def test_interrupted(self):
        for k in range(8):
            self.write(f"hangs{k}.ptx", f"// HANG {k}")
        child = subprocess.Popen([sys.executable, PROGRAM, "run", self.ptx, "--ptxopt", self.wrapper], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        self.assertNotIn("Traceback", said)
        self.rows("SELECT * FROM run", results="ptxopt-corpus.sqlite")

    def test_parquet(self):
        self.take("bfs")
        try:
            from pyarrow import parquet
        except ImportError:
            self.assertIn("--parquet needs pyarrow", self.run_corpus("--check=none", "--parquet=pq", expect=1))
            return
        self.run_corpus("--check=reprint", "--parquet=pq")
        for table in TABLES:
            rows = [tuple(row.values()) for row in parquet.read_table(self.folder / "pq" / f"{table}.parquet").to_pylist()]
            self.assertEqual(sorted(rows), sorted(self.rows(f"SELECT * FROM {table}")), table)

    def test_a_text_that_ptxas_refuses(self):
        self.take("redundant_barriers")
        refuses = self.fake_ptxas('sys.exit("ptxas fatal: I take nothing")')
        arguments = ("--check=ptxas", "--ptxas", refuses)
        self.assertIn("ptxas 13.0: 1 skipped", self.run_corpus("--flags=-O2", *arguments))
        # Another run meets the refusal of the same text again.
        self.assertIn("ptxas 13.0: 1 skipped", self.run_corpus("--flags=-O3", *arguments))
        self.fake_ptxas('"/out/" in text and sys.exit("ptxas fatal: not this one")')
        self.assertIn("ptxas 13.0: 1 failed", self.run_corpus("--flags=-O1", *arguments, expect=2))

    def test_mistakes(self):
        self.assertIn("no files of PTX", self.run_corpus(expect=1))
        self.take("bfs")
        self.assertIn("'nonsense' is none of", self.run_corpus("--check=nonsense", expect=1))
        self.assertIn("needs --sanitized-ptxopt", self.run_corpus("--check=sanitize", expect=1))
        self.assertIn("no such program", self.run_corpus(ptxopt="/nowhere/ptxopt", expect=1))
        (self.folder / "r.sqlite").write_text("this is no database, whatever its name may say\n" * 40)
        self.assertIn("r.sqlite cannot be used: ", self.run_corpus(expect=1))


class Launches(Case):
    OWN_SLOT = "_Z7ownSlotPKiPi"  # of redundant_barriers; of its barriers one thread needs none
    ONE_THREAD = {OWN_SLOT: {"block": 1}}
    FALSE = {"_Z11privateOnlyPfi": {"args": [None, 7]}}  # the file launches it with 5

    def setUp(self):
        super().setUp()
        self.take("redundant_barriers", "scan_block", "bfs")
        (self.ptx / "sm").mkdir()
        (self.ptx / "sm" / "bfs.ptx").write_text("// another\n" + (KERNELS / "bfs.ptx").read_text())

    def know(self, name, kernels, folder="facts"):
        path = self.folder / folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"kernels": kernels}))

    def barriers(self, results="r.sqlite"):
        return self.rows(f"SELECT run, barriers_after FROM function WHERE name = '{self.OWN_SLOT}' ORDER BY run", results)

    def without_facts(self, results):
        """Facts that no file has any more stay in the results."""
        return {table: rows for table, rows in content(self.folder / results).items() if table != "launch"}

    def test_facts_are_part_of_the_key(self):
        self.know("redundant_barriers", self.ONE_THREAD)
        self.know("sm/bfs", {"not_in_it": {"block": 64}})
        checks = "--check=reprint,idempotent,remarks"
        self.run_corpus(checks)
        self.assertIn("launches: facts for 2 of them", self.run_corpus(checks, "--launches=facts"))
        (_, alone), (_, known) = self.barriers()
        self.assertLess(known, alone)
        with contextlib.closing(sqlite3.connect(self.folder / "r.sqlite")) as database:
            database.execute("UPDATE outcome SET message = 'of before'")
            database.commit()
        other = {self.OWN_SLOT: {"block": 64}}
        self.know("redundant_barriers", other)
        self.run_corpus(checks, "--launches", "./facts/")  # the same folder
        self.assertEqual(self.rows("SELECT path LIKE '%redundant_barriers.ptx', message FROM outcome JOIN source USING (sha256) "
                                   "WHERE run = 2 ORDER BY 1"), [(0, "of before")] * 3 + [(1, "")])
        with contextlib.closing(sqlite3.connect(self.folder / "r.sqlite")) as database:
            database.execute("UPDATE outcome SET message = ''")
            database.commit()
        self.run_corpus(checks, results="new.sqlite")
        self.run_corpus(checks, "--launches=facts", results="new.sqlite")
        self.assertEqual(self.without_facts("r.sqlite"), self.without_facts("new.sqlite"))
        # Nor does a file keep what is not known any more.
        shutil.rmtree(self.folder / "facts")
        (self.folder / "facts").mkdir()
        self.assertIn("launches: facts for 0 of them", self.run_corpus(checks, "--launches=facts"))
        self.assertEqual(self.barriers(), [(1, alone), (2, alone)])

    def test_facts_of_all_and_of_each(self):
        self.know("all", self.ONE_THREAD, folder="one")
        for name in ("redundant_barriers", "scan_block", "bfs", "sm/bfs"):
            self.know(name, self.ONE_THREAD)
        several = {self.OWN_SLOT: {"block": 1}, "_Z8trailingPKiPi": {"block": 256}}
        self.know("redundant_barriers", several, folder="some")
        for options in (["--flags=-O2"], ["--flags=-O2 --enforce"]):
            for k, path in enumerate(("one/all.json", "facts", "some")):
                self.run_corpus("--jobs=1", f"--launches={path}", *options, results=f"{k}.sqlite")
        facts, of_each = (self.without_facts(f"{k}.sqlite") for k in (0, 1))
        self.assertEqual({**facts, "run": []}, {**of_each, "run": []})
        self.assertEqual(self.barriers("0.sqlite")[0], self.barriers("2.sqlite")[0])
        self.assertIn("launches: facts for 1 of them", self.run_corpus("--launches=some"))

    def test_a_broken_file(self):
        self.know("redundant_barriers", {self.OWN_SLOT: {"bloc": 1}})
        said = self.run_corpus("--launches=facts", expect=2)
        self.assertIn("redundant_barriers.ptx: bad-launch: ", said)
        self.assertIn(f"{self.folder}/facts/redundant_barriers.json:1:", said)
        self.assertIn('there is no fact "bloc"', said)
        self.assertIn("4 files: 1 bad-launch, 3 ok", said)
        self.know("redundant_barriers", self.ONE_THREAD)
        self.assertIn("4 files: 4 ok", self.run_corpus("--launches=facts"))

    def test_mistakes(self):
        (self.folder / "broken.json").write_text('{"kernels": {"k": }}')
        said = self.run_corpus("--launches=broken.json", expect=1)
        self.assertRegex(said, r"--launches: \S*/broken.json:1:\d+: error: not JSON")
        self.assertIn("nowhere: no such file or folder", self.run_corpus("--launches=nowhere", expect=1))
        self.assertIn("--launches=PATH gives facts", self.run_corpus("--flags=-O2 --launch=broken.json", expect=1))
        self.assertFalse((self.folder / "r.sqlite").exists())

    def test_a_launch_is_not_made_up_against_facts(self):
        for path in self.ptx.rglob("*.ptx"):
            if path.stem != "redundant_barriers":
                path.unlink()
        self.know("redundant_barriers", {"_Z11privateOnlyPfi": {"args": [None, 5]}})
        self.assertIn("run: 1 ok", self.run_corpus("--launches=facts", "--check=run"))
        self.know("redundant_barriers", self.FALSE)
        self.assertIn("run: _Z11privateOnlyPfi", self.run_corpus("--launches=facts", "--check=run", expect=2))
        path = self.ptx / "redundant_barriers.ptx"
        path.write_text(path.read_text().replace("// LAUNCH:", "// was:"))
        self.assertIn("run: 1 inconclusive", self.run_corpus("--launches=facts", "--check=run"))

    def test_bisect(self):
        self.know("false", self.FALSE)
        file = self.folder / "one.ptx"
        lines = (KERNELS / "redundant_barriers.ptx").read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if not line.startswith("// LAUNCH") or "privateOnly" in line))
        options = ["bisect", file, "--ptxrun", PTXRUN, "--ptxopt", PTXOPT, "--memory=0"]
        self.assertIn("nothing fails", corpus(*options, cwd=self.folder, expect=2))
        self.assertIn("it fails before the first change", corpus(*options, "--launches=facts/false.json", cwd=self.folder))
        # What ptxreduce asks.
        corpus(*options, "--still-fails", "--launches=facts/false.json", cwd=self.folder)
        self.assertIn("is a folder", corpus(*options, "--launches=facts", cwd=self.folder, expect=1))


class Compare(Case):
    def test_what_moved(self):
        self.take("redundant_barriers", "scan_block")
        self.run_corpus("--flags=-O0", "--check=none")
        self.run_corpus("--flags=-O2", "--check=none")
        said = corpus("compare", "r.sqlite:1", "r.sqlite:2", cwd=self.folder)
        self.assertIn("2 files in both", said)
        document = json.loads(corpus("compare", "r.sqlite:1", "r.sqlite:2", "--json", cwd=self.folder))
        barriers = document["metrics"]["barriers"]
        self.assertGreater(barriers["old"], barriers["new"])
        self.assertEqual(barriers["more"], 0)
        moved = {kernel["kernel"]: (kernel["old"], kernel["new"]) for kernel in document["kernels"]["barriers"]}
        self.assertEqual(moved["_Z10fiveInARowPKiPi"], (5, 1))
        self.assertEqual(document["failures"], {"new": [], "gone": [], "stay": 0})
        corpus("compare", "r.sqlite:1", "r.sqlite:2", "--fail-on=barriers=0,instructions=1%,failures=0", cwd=self.folder)
        said = corpus("compare", "r.sqlite:2", "r.sqlite:1", "--fail-on=barriers=0%", cwd=self.folder, expect=2)
        self.assertIn("limit: barriers grew by", said)
        said = corpus("compare", "r.sqlite:2", "r.sqlite:1", "--fail-on=each:barriers=5", cwd=self.folder, expect=2)
        self.assertIn("limit: each:barriers grew by 6, the limit is 5", said)
        corpus("compare", "r.sqlite:2", "r.sqlite:1", "--fail-on=each:barriers=6", cwd=self.folder)

    def test_failures(self):
        self.write("drops.ptx", "// DROP")
        self.run_corpus("--check=run", results="old.sqlite")
        self.run_corpus("--check=run", results="new.sqlite", ptxopt=self.wrapper, expect=2)
        said = corpus("compare", "old.sqlite", "new.sqlite", "--fail-on=failures=0", cwd=self.folder, expect=2)
        self.assertIn("failures: 1 new, 0 gone, 0 stay", said)
        self.assertIn("failures: 0 new, 1 gone", corpus("compare", "new.sqlite", "old.sqlite", cwd=self.folder))

    def test_mistakes(self):
        self.take("bfs")
        self.run_corpus("--check=none")
        for arguments, text in ((["nowhere", "r.sqlite"], "nowhere: no such file"),
                                (["r.sqlite", "r.sqlite"], "are the same run"),
                                (["r.sqlite:1", "r.sqlite:7"], "there is no run 7"),
                                (["r.sqlite", "r.sqlite", "--fail-on=nonsense=1"], "'nonsense=1' is not METRIC=N"),
                                (["r.sqlite", "r.sqlite", "--fail-on=each:code=1%"], "'each:code=1%' is not METRIC=N"),
                                (["r.sqlite", "r.sqlite", "--fail-on=each:failures=1"], "'each:failures=1' is not METRIC")):
            self.assertIn(text, corpus("compare", *arguments, cwd=self.folder, expect=1))


class Table(Case):
    def table(self, *arguments, expect=0):
        return corpus("table", "--results=r.sqlite", "--root=ptx", *arguments, cwd=self.folder, expect=expect)

    def test_text_and_what_moved(self):
        self.take("redundant_barriers", "scan_block", "bfs")
        self.run_corpus("--check=none")
        self.table("-o", "t.tsv")
        text = (self.folder / "t.tsv").read_text()
        self.assertEqual(text, self.table())
        self.assertIn("3 files, 0 of them with figures of ptxas: 0 values moved", self.table("--against=t.tsv"))
        row = next(line for line in text.splitlines() if line.startswith("scan_block.ptx"))
        cells = row.split("\t")
        cells[1] = str(int(cells[1]) + 5)
        moved = text.replace(row, "\t".join(cells)).replace("bfs.ptx", "other.ptx")
        (self.folder / "moved.tsv").write_text(moved)
        said = self.table("--against=moved.tsv", expect=2)
        self.assertIn(f"scan_block.ptx  instructions: {cells[1]} -> {int(cells[1]) - 5}  -5", said)
        self.assertIn("bfs.ptx  line: not in the text -> new", said)
        self.assertIn("other.ptx  line: in the text -> gone", said)

    def test_functions_in_several_runs(self):
        self.take("redundant_barriers", "scan_block")
        self.run_corpus("--passes=dead-sync<precision=flags>", "--check=remarks")
        self.run_corpus("--passes=dead-sync", "--check=none")
        of_functions = ("--functions", "--run=flags=--passes=dead-sync<precision=flags>", "--run=all=--passes=dead-sync",
                        "--columns=barriers,kept@flags,removed@flags,why@flags,kept@all")
        self.table(*of_functions, "-o", "t.tsv")
        _, head, *lines = (self.folder / "t.tsv").read_text().splitlines()
        self.assertEqual(head.split("\t"), ["file", "function", "barriers", "barriers_flags", "barriers_all", "kept_flags",
                                            "removed_flags", "why_flags", "kept_all"])
        rows = {line.split("\t")[1]: line.split("\t")[2:] for line in lines}
        # Five in a row in front of code without accesses to shared memory; the last run was not asked for its remarks.
        five = rows["_Z10fiveInARowPKiPi"]
        self.assertEqual([five[k] for k in (0, 2, 6)], ["5", "1", "-"])
        for before, flags, _, kept, removed, why, _ in rows.values():
            self.assertEqual((int(flags), int(removed)), (int(kept), int(before) - int(kept)))
            self.assertEqual(int(kept), sum(int(part.split()[-1]) for part in why.split(", ") if part != "-"), why)
        self.assertIn("0 values moved", self.table(*of_functions, "--against=t.tsv"))
        self.assertIn("there are other columns", self.table("--against=t.tsv", expect=1))

    def test_sums(self):
        self.take("redundant_barriers", "scan_block")
        (self.folder / "facts.json").write_text(json.dumps({"kernels": Launches.ONE_THREAD}))
        passes = "--passes=dead-sync,warp-sync"
        self.run_corpus(passes, "--check=none")
        self.run_corpus(passes, "--check=none", "--launches=facts.json")
        sums = ("--sums", f"--run=plain={passes}", f"--run=one={passes} --launches=facts.json",
                "--columns=barriers,dead-sync.barriers-removed,code")
        head, *lines = [line.split("\t") for line in self.table(*sums).splitlines()[1:]]
        self.assertEqual(head, ["run", "barriers", "dead-sync.barriers-removed", "code"])
        (_, *of_input), (_, *one), (_, *plain) = lines
        self.assertEqual([line[0] for line in lines], ["input", "one", "plain"])
        self.assertEqual(of_input[1:], ["-", "-"])
        for barriers, removed, _ in (one, plain):
            self.assertEqual(int(of_input[0]) - int(barriers), int(removed))
        self.assertGreater(int(one[1]), int(plain[1]))
        self.table(*sums, "-o", "t.tsv")
        self.assertIn("3 runs, 0 of them with figures of ptxas: 0 values moved", self.table(*sums, "--against=t.tsv"))
        text = (self.folder / "t.tsv").read_text()
        (self.folder / "t.tsv").write_text(text.replace(f"plain\t{plain[0]}", "plain\t1000"))
        self.assertIn(f"plain  barriers: 1000 -> {plain[0]}", self.table(*sums, "--against=t.tsv", expect=2))
        self.assertIn("--stats has no 'dead-sync.barriers-removed' of functions",
                      self.table("--functions", "--columns=dead-sync.barriers-removed", expect=1))

    def test_amounts_are_sums_of_details(self):
        (self.ptx / "stack.ptx").write_text(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_0)
{
	.local .align 4 .b8 slots[64];
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [k_0];
	st.local.u32 [slots+4], 7;
	ld.local.u32 %r1, [slots+4];
	st.global.u32 [%rd1], %r1;
	ret;
}
""")
        self.run_corpus("--passes=global-opt", "--check=remarks")
        _, head, line = self.table("--functions", "--columns=passed,local").splitlines()
        self.assertEqual((head, line), ("file\tfunction\tpassed_out\tlocal_out", "stack.ptx\tk\t1\t60"))

    def test_remarks_of_files_together_are_those_of_each(self):
        self.take("redundant_barriers", "scan_block", "bfs", "transpose")
        self.run_corpus("--flags=-O2", "--check=remarks", "--jobs=1", results="all.sqlite")
        for path in sorted(self.ptx.glob("*.ptx")):
            corpus("run", path, "--ptxopt", PTXOPT, "--flags=-O2", "--check=remarks", "--results=one.sqlite", cwd=self.folder)
        self.assertEqual(content(self.folder / "all.sqlite"), content(self.folder / "one.sqlite"))
        self.assertTrue(content(self.folder / "one.sqlite")["said"])

    def test_a_file_that_is_refused_now(self):
        self.take("bfs", "scan_block")
        self.run_corpus("--check=none")
        self.table("-o", "t.tsv")
        (self.ptx / "bfs.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.entry k( {\n")
        (self.folder / "r.sqlite").unlink()
        self.run_corpus("--check=none")
        self.assertIn("instructions_out: ", self.table("--against=t.tsv", expect=2))

    def test_sample(self):
        self.take(*[path.stem for path in sorted(KERNELS.glob("*.ptx"))][:10])
        self.assertIn("3 files: 3 ok", self.run_corpus("--check=none", "--sample=3"))
        self.assertEqual(self.rows("SELECT count(*) FROM outcome"), [(3,)])
        self.run_corpus("--check=none", "--sample=3")
        self.assertEqual(self.rows("SELECT count(*) FROM outcome"), [(3,)])
        self.assertIn("10 files: 10 ok", self.run_corpus("--check=none", "--sample=30"))

    def test_mistakes(self):
        self.take("bfs")
        self.run_corpus("--check=none")
        (self.folder / "t.tsv").write_text("no table\n")
        self.assertIn("t.tsv: this is no table", self.table("--against=t.tsv", expect=1))
        self.assertIn("there are no figures of 'ptxas 1.0'", self.table("--ptxas=ptxas 1.0", expect=1))
        self.assertIn("there is no run with the options '-O3'; there are ''", self.table("--run=a=-O3", expect=1))
        for option, text in (("--run=-O2", "'-O2' is not LABEL=OPTIONS"), ("--columns=code@other", "'code@other' is not NAME"),
                             ("--columns=", "'' is not NAME")):
            self.assertIn(text, self.table(option, expect=1))


class Bisect(Case):
    def test_the_change_and_a_small_file(self):
        self.write("drops.ptx", "// DROP")
        options = ["bisect", self.ptx / "drops.ptx", "--ptxrun", PTXRUN, "--ptxreduce", PTXREDUCE]
        self.assertIn("nothing fails", corpus(*options, "--ptxopt", PTXOPT, cwd=self.folder, expect=2))
        said = corpus(*options, "--ptxopt", self.wrapper, cwd=self.folder)
        self.assertIn("change 3 is the first with which it fails: dead-sync: Removed dead synch", said)


def main():
    global PTXOPT, PTXRUN, PTXREDUCE
    PTXOPT, PTXRUN, PTXREDUCE = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)


if __name__ == "__main__":
    main()
