#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package on the library of this build.  PTXOPT_LIBRARY names that."""
import concurrent.futures
import copy
import doctest
import os
import pathlib
import pickle
import platform
import random
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

import api_fuzz
import ptxopt

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent.parent / "corpus" / "ptx"
TWO_BARRIERS = """.version 7.0
.target sm_80
.address_size 64
.visible .entry two(.param .u64 out)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [out];
	bar.sync 0;
	bar.sync 0;
	st.global.u32 [%rd1], 1;
	ret;
}
"""
# Every thread reads what its neighbour wrote: this barrier orders something if there are two threads.
NEIGHBOUR = """.version 7.0
.target sm_80
.address_size 64
.visible .entry neighbour(.param .u64 out)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<4>;
	.shared .b32 s[1024];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, s;
	add.u32 %r2, %r2, %r3;
	st.shared.u32 [%r2], %r1;
	bar.sync 0;
	xor.b32 %r4, %r2, 4;
	ld.shared.u32 %r5, [%r4];
	st.global.u32 [%rd1], %r5;
	ret;
}
"""


class Optimize(unittest.TestCase):
    def test_counts_text_and_diff(self):
        result = ptxopt.optimize(TWO_BARRIERS)
        self.assertTrue(result.changed)
        self.assertEqual((result.before.barriers, result.after.barriers), (2, 0))
        self.assertNotIn("bar.sync", result.text)
        self.assertEqual(str(result), result.text)
        self.assertIn("-\tbar.sync 0;", result.diff())
        self.assertEqual(result.statistics["dead-sync"]["barriers-removed"], 2)

    def test_level_0_changes_nothing(self):
        result = ptxopt.optimize(TWO_BARRIERS, level=0)
        self.assertFalse(result.changed)
        self.assertEqual(result.text, TWO_BARRIERS)
        self.assertEqual(result.diff(), "")

    def test_passes_limit_and_kept_kernels(self):
        self.assertEqual(ptxopt.optimize(TWO_BARRIERS, passes="dead-sync", limit=1).after.barriers, 1)
        self.assertEqual(ptxopt.optimize(TWO_BARRIERS, disable=["dead-sync"]).after.barriers, 2)
        self.assertEqual(ptxopt.optimize(TWO_BARRIERS, keep_kernels=["two"]).after.barriers, 2)

    def test_assumptions(self):
        self.assertEqual(ptxopt.optimize(NEIGHBOUR).after.barriers, 1)
        for assume in ({"neighbour": "block-dim=1,1,1"}, {"neighbour": ["block-dim=1,1,1"], "other": []}):
            self.assertEqual(ptxopt.optimize(NEIGHBOUR, assume=assume).after.barriers, 0, assume)
        for assume in ({"other": "block-dim=1,1,1"}, "assume=cuda", ["assume=cuda"], {}):
            self.assertEqual(ptxopt.optimize(NEIGHBOUR, assume=assume).after.barriers, 1, assume)
        with self.assertRaises(ptxopt.Error) as raised:
            ptxopt.optimize(NEIGHBOUR, assume="block-dim=1,1,1")
        self.assertIn("block-dim is about one kernel", str(raised.exception))

    def test_launches(self):
        for block in (1, (1, 1, 1), [1]):
            launch = {"neighbour": {"block": block}}
            self.assertEqual(ptxopt.optimize(NEIGHBOUR, launch=launch).after.barriers, 0)
            self.assertIn("removed", ptxopt.explain(NEIGHBOUR, launch=launch))
        self.assertEqual(ptxopt.optimize(NEIGHBOUR, launch={"other": {"block": 1}}).after.barriers, 1)
        self.assertEqual(ptxopt.optimize(NEIGHBOUR, launch={}).after.barriers, 1)
        result = ptxopt.optimize(NEIGHBOUR, launch={"neighbour": {"block": 1}}, enforce=True)
        self.assertEqual(result.after.barriers, 0)
        self.assertIn(".reqntid 1, 1, 1", str(result))
        for options, words in (({"launch": {"k": {"gird": 1}}}, r'launches, line 1, column 14: .*no fact "gird"'),
                               ({"dispatch": True}, "dispatch needs enforce")):
            with self.assertRaisesRegex(ptxopt.Error, words):
                ptxopt.optimize(NEIGHBOUR, **options)
        for launch, words in (({"k": {"block": 0}}, "must not be 0"), ({"k": {"block": (1, 2, 3, 4)}}, "one to three")):
            with self.assertRaisesRegex(ValueError, words):
                ptxopt.optimize(NEIGHBOUR, launch=launch)

    def test_numbers_are_integers(self):
        for options in ({"level": 2.0}, {"level": "2"}, {"threads": 1.0}, {"limit": 1.0}):
            with self.assertRaises(TypeError):
                ptxopt.optimize(NEIGHBOUR, **options)

    def test_remarks(self):
        self.assertEqual(list(ptxopt.optimize(NEIGHBOUR).remarks), [])
        remarks = ptxopt.optimize(NEIGHBOUR, remarks=True).remarks
        self.assertIn("missed", {remark["kind"] for remark in remarks})

    def test_retarget(self):
        result = ptxopt.optimize(TWO_BARRIERS, retarget="ptx6.5,sm_70")
        self.assertIn(".version 6.5", result.text)
        self.assertIn(".target sm_70", result.text)
        with self.assertRaises(ptxopt.Error) as raised:
            ptxopt.optimize(TWO_BARRIERS.replace("ret;", "barrier.cluster.arrive; ret;")
                            .replace("7.0", "8.0").replace("sm_80", "sm_90"), retarget="sm_80", name="k.ptx")
        self.assertRegex(str(raised.exception), r"k\.ptx:11:2: error: 'barrier\.cluster\.arrive' needs sm_90")

    def test_bytes_that_are_no_text_stay(self):
        text = TWO_BARRIERS.encode() + b"// \xff\xfe\n"
        result = ptxopt.optimize(text)
        self.assertEqual(result.text.encode(errors="surrogateescape")[-6:], b"// \xff\xfe\n"[-6:])
        self.assertEqual(ptxopt.optimize(result.text).text, result.text)

    def test_wrong_texts(self):
        with self.assertRaises(ptxopt.Error) as raised:
            ptxopt.optimize(TWO_BARRIERS + "}", name="broken.ptx")
        self.assertEqual(raised.exception.diagnostics[0].line, 13)
        self.assertTrue(str(raised.exception).startswith("broken.ptx:13:1: error: "), raised.exception)

    def test_wrong_options(self):
        for options, words in (({"level": 4}, "level"), ({"passes": "no-such-pass"}, "no-such-pass"),
                               ({"disable": ["no-such-pass"]}, "no-such-pass"),
                               ({"assume": "no-such-assumption"}, "no-such-assumption"),
                               ({"retarget": "sm_1"}, "sm_1"), ({"threads": -1}, "threads"),
                               ({"limit": -1}, "limit"), ({"passes": "a\0b"}, "NUL")):
            with self.assertRaises(ValueError, msg=options) as raised:
                ptxopt.optimize(TWO_BARRIERS, **options)
            self.assertIn(words, str(raised.exception))
        for options in ({"disable": "dead-sync"}, {"keep_kernels": "two"}, {"passes": 3}):
            with self.assertRaises(TypeError, msg=options):
                ptxopt.optimize(TWO_BARRIERS, **options)


class Reports(unittest.TestCase):
    def test_needs(self):
        needs = ptxopt.needs(TWO_BARRIERS.replace("ret;", "nanosleep.u32 5;\n\tret;"))
        self.assertEqual((needs.version, needs.target), ("6.3", "sm_70"))
        self.assertEqual((needs.stated_version, needs.stated_target), ("7.0", "sm_80"))
        self.assertEqual([(one.line, one.what) for one in needs.needed_by], [(11, "nanosleep.u32")])
        self.assertEqual(str(needs), "PTX 6.3 and sm_70")

    def test_explain(self):
        text = ptxopt.explain(NEIGHBOUR, name="k.ptx")
        self.assertIn("neighbour", text)
        self.assertIn("kept", text)
        self.assertIn("removed", ptxopt.explain(TWO_BARRIERS))
        with self.assertRaises(ptxopt.Error):
            ptxopt.explain("bad")

    def test_version(self):
        self.assertRegex(ptxopt.version(), r"^\d+\.\d+\.\d+$")


class Run(unittest.TestCase):
    def setUp(self):
        self.neighbour = ptxopt.load(NEIGHBOUR, name="k.ptx")["neighbour"]

    def test_kernels_of_a_module(self):
        module = ptxopt.load(TWO_BARRIERS + NEIGHBOUR.partition(".address_size 64")[2])
        self.assertEqual(list(module.kernels), ["two", "neighbour"])
        self.assertEqual(len(module), 2)
        self.assertEqual(module["two"].parameters, (ptxopt.Parameter("out", ".u64", 8),))
        with self.assertRaisesRegex(KeyError, "no kernel called 'three': there are two, neighbour"):
            module["three"]
        with self.assertRaisesRegex(ptxopt.Error, "k.ptx:1:"):
            ptxopt.load("bad", name="k.ptx")

    def test_names_of_the_source(self):
        names = {"_Z3sumILi4EEvPi": "four", "_Z3sumILi8EEvPi": "eight", "_Z4swapPi": "swap"}
        kernels = "".join(TWO_BARRIERS.partition(".address_size 64")[2].replace("two", name) for name in names)
        module = ptxopt.load(TWO_BARRIERS + kernels)
        self.assertEqual(module["swap"].name, "_Z4swapPi")
        self.assertEqual(module["void sum<4>(int*)"].name, "_Z3sumILi4EEvPi")
        self.assertIn("swap", module)
        self.assertNotIn("sum", module)
        with self.assertRaisesRegex(KeyError, "several kernels called 'sum'"):
            module["sum"]

    def test_a_parameter_of_an_unknown_type(self):
        kernel = ptxopt.load(TWO_BARRIERS.replace("out)", "out, .param .u7 what)"))["two"]
        with self.assertRaisesRegex(TypeError, "does not know"):
            kernel[1](bytearray(4), 1)

    def test_blocks_that_a_gpu_refuses(self):
        kernel = ptxopt.load(TWO_BARRIERS.replace("out)", "out) .reqntid 4"))["two"]
        with self.assertRaisesRegex(ValueError, r"requires a block of \[4\]"):
            kernel[1, 8](bytearray(4))
        kernel = ptxopt.load(TWO_BARRIERS.replace("out)", "out) .maxntid 1, 1"))["two"]
        with self.assertRaisesRegex(ValueError, "allows 1 threads"):
            kernel[1, 8](bytearray(4))
        self.assertTrue(kernel[1](bytearray(4)).completed)

    def test_results_in_place(self):
        out = bytearray(b"\xff" * 8)
        run = ptxopt.load(TWO_BARRIERS)["two"][1, 1](memoryview(out)[:4])
        self.assertEqual((run.completed, run.findings, run.steps), (True, [], 5))
        self.assertEqual(out, b"\1\0\0\0" + b"\xff" * 4)

    def test_findings(self):
        out = bytearray(4)
        with self.assertRaises(ptxopt.KernelError) as raised:
            self.neighbour[1, 64](out)
        finding = raised.exception.findings[0]
        self.assertEqual((finding.kind, finding.place.line, finding.other.line), ("data-race", 18, 18))
        self.assertIn("[data-race]", str(raised.exception))
        run = self.neighbour[1, 64](out, check="return", schedules=3)
        self.assertEqual([one.kind for one in run.findings], ["data-race"])
        self.assertEqual(self.neighbour[1, 64](out, races=False).findings, [])
        # What ends a run leaves the array as it was.
        out = bytearray(b"12")
        run = ptxopt.load(TWO_BARRIERS)["two"][1, 1](out, check="return")
        self.assertEqual(([one.kind for one in run.findings], run.completed, out), (["out-of-bounds"], False, b"12"))
        run = self.neighbour[1, 1](bytearray(4), check="return", step_limit=3)
        self.assertEqual([one.kind for one in run.findings], ["step-limit"])

    def test_wrong_arguments(self):
        out = bytearray(4)
        for arguments, error, words in (((), TypeError, r"takes 1 arguments \(\.u64 out\), not 0"),
                                        ((1.5,), TypeError, "out is a .u64, not a float"),
                                        ((2**64,), OverflowError, "does not fit"),
                                        (("text",), TypeError, "not a str"),
                                        ((b"text",), ValueError, "read-only")):
            with self.assertRaisesRegex(error, words):
                self.neighbour[1, 1](*arguments)
        with self.assertRaisesRegex(ptxopt.Error, "1 to 1024 threads"):
            self.neighbour[1, 2000](out)
        for key, error in ((1.5, TypeError), ((1, 2, 3, 4), ValueError), (-1, ValueError), ((1, "x"), TypeError), (0, ValueError),
                           ((1, 0), ValueError)):
            with self.assertRaises(error, msg=key):
                self.neighbour[key](out)
        for wrong in (3, None, ["text"]):
            with self.assertRaises(TypeError):
                ptxopt.load(wrong)
        with self.assertRaisesRegex(ValueError, "check"):
            self.neighbour[1, 1](out, check="no")


class Copies(unittest.TestCase):
    """Of what other processes get."""

    def test_modules_and_kernels(self):
        module = ptxopt.load(NEIGHBOUR)
        for made in (copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            self.check(next(iter(made)))
        for made in (copy.copy(next(iter(module))), pickle.loads(pickle.dumps(next(iter(module))))):
            self.check(made)
        self.check(next(iter(module)))

    def check(self, kernel):
        self.assertEqual([one.kind for one in kernel[1, 2](bytearray(8), check="return").findings], ["data-race"])

    def test_errors(self):
        for cause in (lambda: ptxopt.optimize("bad"), lambda: next(iter(ptxopt.load(NEIGHBOUR)))[1, 2](bytearray(8))):
            with self.assertRaises((ptxopt.Error, ptxopt.KernelError)) as caught:
                cause()
            again = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(again), str(again)), (type(caught.exception), str(caught.exception)))


class WrongLibrary(unittest.TestCase):
    def error(self, content):
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "libptxopt.so"
            library.write_bytes(content)
            run = subprocess.run([sys.executable, "-c", "import ptxopt"], capture_output=True, text=True, check=False,
                                 env={**os.environ, "PTXOPT_LIBRARY": str(library)})
        self.assertEqual(run.returncode, 1)
        return run.stderr.splitlines()[-1]

    def test_errors_say_what_to_do(self):
        content = bytearray(pathlib.Path(os.environ["PTXOPT_LIBRARY"]).read_bytes()[:4096])
        other, number = ("aarch64", 183) if platform.machine() == "x86_64" else ("x86_64", 62)
        content[18:20] = number.to_bytes(2, "little")
        self.assertIn(f"it is for {other}, and this Python for {platform.machine()}", self.error(content))
        self.assertRegex(self.error(b"bad"), "cannot load .*; PTXOPT_LIBRARY can name another library$")


class Robust(unittest.TestCase):
    def files(self, count):
        found = sorted(CORPUS.rglob("*.ptx"))
        return [path.read_bytes() for path in random.Random(1).sample(found, count)]

    def test_eight_threads_get_what_one_gets(self):
        texts = self.files(12)
        expected = [ptxopt.optimize(text, level=3, remarks=True) for text in texts]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for made, want in zip(pool.map(lambda text: ptxopt.optimize(text, level=3, remarks=True), texts * 4),
                                  expected * 4):
                self.assertEqual((made.text, made.remarks, made.statistics), (want.text, want.remarks, want.statistics))

    def test_nested_text_in_a_thread_with_a_small_stack(self):
        before = threading.stack_size(1 << 20)
        try:
            for inner in ("{" * 900 + "}" * 900, "{" * 5000, f"mov.b32 %r1, {'(' * 900}5{')' * 900};",
                          "mov.b32 %r1, " + "(" * 5000):
                text = TWO_BARRIERS.replace("ret;", f".reg .b32 %r<2>; {inner} ret;")
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    try:
                        pool.submit(ptxopt.optimize, text).result()
                    except ptxopt.Error as error:
                        self.assertIn("nested too deeply", str(error))
        finally:
            threading.stack_size(before)

    def test_random_calls(self):
        texts = api_fuzz.texts()
        for number in range(500):
            api_fuzz.call(number, texts)

    def test_memory_does_not_grow(self):
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB

        def run(count):
            for _ in range(count):
                ptxopt.optimize(NEIGHBOUR, level=3, remarks=True)
                try:
                    ptxopt.optimize("bad")
                except ptxopt.Error:
                    pass
        run(200)
        before = peak()
        run(int(os.environ.get("PTXOPT_MEMORY_CALLS", "2000")))
        self.assertLess(peak() - before, 4096)


def load_tests(_loader, tests, _pattern):
    tests.addTests(doctest.DocTestSuite(ptxopt))
    return tests


if __name__ == "__main__":
    unittest.main()
