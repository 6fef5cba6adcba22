#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in over a real ptxas: the same cubin and messages as ptxas alone on the better text.

usage: drop_in_ptxas_test.py PTXOPT-PTXAS PTXOPT
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import compilers

PTXOPT = pathlib.Path(sys.argv.pop(2)).resolve()
DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()

KERNEL = """.version 7.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 p)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\t.shared .align 4 .b8 s[4096];
\t.loc 1 1 1
\tmov.u32 %r1, %tid.x;
\tld.param.u64 %rd1, [p];
\tst.shared.u32 [s], %r1;
\tbar.sync 0;
\tbar.sync 0;
\tld.shared.u32 %r1, [s+4];
\tst.global.u32 [%rd1], %r1;
\tret;
}
"""


class Ptxas(compilers.CompilerTest):
    real_ptxas = compilers.ptxas_or_skip()

    def setUp(self):
        super().setUp()
        self.environment["PTXOPT_PTXAS"] = str(self.real_ptxas)
        (self.work / "k.ptx").write_text(KERNEL)
        (self.work / "better").mkdir()
        self.run_quietly(PTXOPT, "-O1", "k.ptx", "-o", "better/k.ptx")
        better = (self.work / "better" / "k.ptx").read_text()
        self.assertEqual(better.count("bar.sync"), 1)

    def call(self, program, folder, *words):
        result = subprocess.run([program, *words, "k.ptx", "-o", "k.cubin"], text=True,
                                cwd=self.work / folder, env=self.environment, timeout=60,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        cubin = self.work / folder / "k.cubin"
        code = cubin.read_bytes() if cubin.exists() else None
        times = re.compile(r"\d+\.\d+ ms")
        return result.returncode, times.sub("", result.stdout), times.sub("", result.stderr), code

    def test_as_on_the_better_text(self):
        for words in ([], ["-v"], ["-lineinfo"], ["-O0"], ["-c"], ["-maxrregcount", "32"]):
            with self.subTest(words):
                alone = self.call(self.real_ptxas, "better", "-arch=sm_90", *words)
                self.assertEqual(alone[0], 0)
                self.assertEqual(self.call(DROP_IN, ".", "-arch=sm_90", *words), alone)

    def test_as_on_the_same_text(self):
        """With -g, and where ptxas says no."""
        for words in (["-arch=sm_90", "-g"], ["-arch=sm_1"], ["-arch=sm_90", "--no-such-option"],
                      ["-arch=sm_90", "-maxrregcount", "x"]):
            with self.subTest(words):
                (self.work / "k.cubin").unlink(missing_ok=True)
                alone = self.call(self.real_ptxas, ".", *words)
                (self.work / "k.cubin").unlink(missing_ok=True)
                self.assertEqual(self.call(DROP_IN, ".", *words), alone)

    def test_errors_in_the_text(self):
        (self.work / "k.ptx").write_text(KERNEL.replace("st.shared.u32", "st.shared.u31"))
        alone = self.call(self.real_ptxas, ".", "-arch=sm_90")
        self.assertNotEqual(alone[0], 0)
        self.assertEqual(self.call(DROP_IN, ".", "-arch=sm_90"), alone)

    def test_newer_and_broken_versions(self):
        for text in (KERNEL.replace(".version 7.0", ".version 99.9"), ""):
            (self.work / "k.ptx").write_text(text)
            self.assertEqual(self.call(DROP_IN, ".", "-arch=sm_90"),
                             self.call(self.real_ptxas, ".", "-arch=sm_90"))

    def test_for_an_older_ptxas(self):
        """A version that no ptxas knows: restated it is the better text, unless it needs more."""
        self.environment["PTXOPT_FLAGS"] = "-O1 --for=ptx7.0"
        newer = KERNEL.replace(".version 7.0", ".version 9.9")
        (self.work / "k.ptx").write_text(newer)
        self.assertEqual(self.call(DROP_IN, ".", "-arch=sm_90"),
                         self.call(self.real_ptxas, "better", "-arch=sm_90"))
        (self.work / "k.ptx").write_text(newer.replace("bar.sync 0", "bar.sync 0;\n\tfence.proxy.async"))
        (self.work / "k.cubin").unlink()
        status, _, messages, _ = self.call(DROP_IN, ".", "-arch=sm_90")
        self.assertNotEqual(status, 0)
        self.assertRegex(messages,
                         "k.ptx:1[56]:2: error: 'fence.proxy.async' needs PTX 8.0.* .k.cu:1.; --for")
        self.assertIn("Unsupported .version 9.9", messages)
        self.environment["PTXOPT_STRICT"] = "1"
        status, _, messages, _ = self.call(DROP_IN, ".", "-arch=sm_90")
        self.assertEqual(status, 1)
        self.assertNotIn("Unsupported", messages)

    def test_version(self):
        alone = self.run_quietly(self.real_ptxas, "--version")
        answer = self.run_quietly(DROP_IN, "--version")
        self.assertTrue(answer.startswith(alone))
        self.assertRegex(answer[len(alone):], r"\Aptxopt \d+\.\d+\.\d+ -O1\n\Z")

    def test_flags_that_are_none(self):
        self.environment["PTXOPT_FLAGS"] = "--no-such-flag"
        status, _, messages, code = self.call(DROP_IN, ".", "-arch=sm_90")
        self.assertEqual(status, 0)
        self.assertEqual(messages.count("ptxopt-ptxas: warning:"), 1)
        self.assertIn("PTXOPT_FLAGS", messages)
        self.assertEqual(code, self.call(self.real_ptxas, ".", "-arch=sm_90")[3])

    def test_flags_are_quoted_as_for_a_shell(self):
        (self.work / "my assumptions").write_text("k: assume-1d\n")
        for flags in ("-O1 --assumptions='my assumptions'", '-O1 --assumptions="my assumptions"',
                      "-O1 --assumptions=my\\ assumptions"):
            self.environment["PTXOPT_FLAGS"] = flags
            self.assertEqual(self.call(DROP_IN, ".", "-arch=sm_90"),
                             self.call(self.real_ptxas, "better", "-arch=sm_90"))
        self.environment["PTXOPT_FLAGS"] = "-O1 '"
        self.assertIn("a quote is not closed", self.call(DROP_IN, ".", "-arch=sm_90")[2])

    def test_launches(self):
        # Who caches cubins by this line gets no code that other facts made.
        lines = set()
        for block in (32, 64):
            (self.work / "l.json").write_text(json.dumps({"kernels": {"k": {"block": block}}}))
            self.environment["PTXOPT_FLAGS"] = "-O1 --launch=l.json --enforce"
            status, output, messages, code = self.call(DROP_IN, ".", "-arch=sm_90")
            self.assertEqual((status, output, messages), (0, "", ""))
            # With .reqntid ptxas writes other code.
            self.assertNotEqual(code, self.call(self.real_ptxas, "better", "-arch=sm_90")[3])
            lines.add(self.run_quietly(DROP_IN, "--version"))
        self.assertEqual(len(lines), 2)
        self.environment["PTXOPT_FLAGS"] = "-O1 --enforce"
        self.assertIn("--enforce needs --launch=FILE", self.call(DROP_IN, ".", "-arch=sm_90")[2])

    def test_flags_without_a_meaning_are_refused(self):
        for flag in ("--stats", "--diff", "--check", "-o x", "-v", "-q", "--output-dir=x", "k.ptx",
                     "--help", "--version", "--list-passes", "--explain-barriers", "--facts=x", "--sarif=x",
                     "--opt-record=x", "--dot-cfg=x", "--html=x", "--time-passes", "--remarks=-", "--print-after=all",
                     "--whole-program --host-symbols=k.ptx", "--assumptions=absent"):
            with self.subTest(flag):
                self.environment["PTXOPT_FLAGS"] = flag
                status, output, messages, _ = self.call(DROP_IN, ".", "-arch=sm_90")
                self.assertEqual((status, output), (0, ""))
                self.assertEqual(messages.count("assembled as it was: PTXOPT_FLAGS="), 1, messages)
                self.assertTrue(self.run_quietly(DROP_IN, "--version"))
                self.environment["PTXOPT_STRICT"] = "1"
                (self.work / "k.cubin").unlink()
                status, _, messages, code = self.call(DROP_IN, ".", "-arch=sm_90")
                self.assertEqual((status, code), (1, None))
                del self.environment["PTXOPT_STRICT"]

    def test_remarks(self):
        self.environment["PTXOPT_FLAGS"] = "-O1 --remarks=remarks.json"
        for _ in range(2):
            self.call(DROP_IN, ".", "-arch=sm_90")
        lines = (self.work / "remarks.json").read_text().splitlines()
        self.assertGreaterEqual(len(lines), 2)
        self.assertTrue(all(json.loads(line)["function"] == "k" for line in lines))

    def test_log_and_summary(self):
        self.environment["PTXOPT_LOG"] = "log"
        self.call(DROP_IN, ".", "-arch=sm_90")
        self.call(DROP_IN, ".", "-arch=sm_90", "-g")
        entry = json.loads((self.work / "log").read_text().splitlines()[0])
        self.assertEqual([entry[name] for name in ("outcome", "source", "flags", "kernels",
                                                   "barriersBefore", "barriersAfter")],
                         ["optimized", "k.cu", "-O1", 1, 2, 1])
        table = self.run_quietly(DROP_IN, "--summary", "log")
        self.assertRegex(table, r"optimized +1 +1 +2 -> 1 ")
        self.assertRegex(table, r"left alone +1 ")
        self.assertRegex(table, r"1  left alone: -g")
        result = subprocess.run([DROP_IN, "--summary", "absent"], capture_output=True, text=True,
                                cwd=self.work)
        self.assertEqual(result.returncode, 1)
        self.assertIn("absent", result.stderr)

    def test_doctor(self):
        def doctor():
            result = subprocess.run([DROP_IN, "--doctor"], capture_output=True, text=True,
                                    cwd=self.work, env=self.environment)
            return result.returncode, result.stdout
        status, text = doctor()
        self.assertEqual(status, 0, text)
        self.assertIn(str(self.real_ptxas), text)
        self.assertIn("probe     loses its barrier, and ptxas takes it", text)
        self.environment["PTXOPT_FLAGS"] = "-O0"
        self.assertIn("keeps both", doctor()[1])
        self.environment["PTXOPT_FLAGS"] = "--no-such-flag"
        status, text = doctor()
        self.assertEqual(status, 1)
        self.assertIn("flags     WRONG: PTXOPT_FLAGS='--no-such-flag'", text)
        self.environment["PTXOPT_PTXAS"] = "/absent"
        self.assertIn("ptxas     WRONG: PTXOPT_PTXAS=/absent is not a program", doctor()[1])

    def test_help(self):
        alone = self.run_quietly(self.real_ptxas, "--help")
        answer = self.run_quietly(DROP_IN, "--help")
        self.assertTrue(answer.startswith(alone))
        for word in ("--doctor", "--summary", "PTXOPT_FLAGS", "PTXOPT_LOG", "PTXOPT_STRICT",
                     "PTXOPT_PTXAS"):
            self.assertIn(word, answer[len(alone):])

    def test_a_link_called_ptxas(self):
        folder = self.work / "bin"
        folder.mkdir()
        (folder / "ptxas").symlink_to(DROP_IN)
        del self.environment["PTXOPT_PTXAS"]
        real = pathlib.Path(shutil.which(self.real_ptxas)).parent
        self.environment["PATH"] = f"{folder}:{real}:/usr/bin:/bin"
        self.assertEqual(self.call("ptxas", ".", "-arch=sm_90"),
                         self.call(self.real_ptxas, "better", "-arch=sm_90"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
