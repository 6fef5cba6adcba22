#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drop-in for ptxas between a caller and a ptxas that writes down what it was given.

usage: drop_in_test.py PROBE
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROBE = pathlib.Path(sys.argv.pop(1)).resolve()

PLAIN = ".version 9.0\n.target sm_90\n"
BETTER = PLAIN + "// kept\n"
WORSE = PLAIN + "//! drop\n// gone\n// kept\n"
TRITON_VARIABLES = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")


class DropIn(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tmp = self.folder / "tmp"
        self.tmp.mkdir()
        self.work = self.folder / "work"
        self.work.mkdir()
        self.log = self.folder / "log"
        self.awake = self.folder / "awake"
        self.fake = self.folder / "real" / "ptxas"
        self.fake.parent.mkdir()
        shutil.copy(HERE / "fake_ptxas.py", self.fake)
        self.fake.chmod(0o755)
        self.environment = dict(
            os.environ, TMPDIR=str(self.tmp), PTXOPT_PTXAS=str(self.fake),
            FAKE_PTXAS_LOG=str(self.log), FAKE_PTXAS_AWAKE=str(self.awake))
        for name in ("PTXOPT_PTXAS_VISITED", *TRITON_VARIABLES):
            self.environment.pop(name, None)

    def tearDown(self):
        self.assertEqual(list(self.tmp.iterdir()), [], "something was left behind")

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def call(self, words, program=PROBE, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        options.setdefault("stderr", subprocess.PIPE)
        words = shlex.split(words) if isinstance(words, str) else words
        return subprocess.run([program] + words, cwd=self.work, env=self.environment,
                              stdout=subprocess.PIPE, text=True, timeout=60, **options)

    def calls(self):
        """What the fake was given, call by call."""
        if not self.log.exists():
            return []
        calls = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.log.unlink()
        return calls

    def assert_quiet(self, result, code=0):
        self.assertEqual((result.returncode, result.stdout, result.stderr), (code, "", ""))

    # ---- what reaches ptxas

    def test_every_producer(self):
        for words, name in (
                ("-arch=sm_90 -m64 F.ptx -o F.sm_90.cubin", "F.ptx"),
                ("-arch=compute_90 -m64 -v -O2 -maxrregcount=64 --generate-line-info F.ptx",
                 "F.ptx"),
                ("-split-compile=2 -arch=sm_90 -m64 -split-compile=2 F.ptx -o F.cubin", "F.ptx"),
                ("-arch=sm_100 -m64 --def-load-cache=cg --fmad false F.ptx -o F.cubin", "F.ptx"),
                ("-m64 -O2 --gpu-name sm_80 --output-file k.o F.s", "F.s"),
                ("-lineinfo -v --regAllocOptLevel=2 --gpu-name=sm_90a F.ptx -o F.ptx.o", "F.ptx"),
                ("F -o G -arch=sm_90a --warn-on-spills", "F"),
                ("-arch sm_90a F.ptx -o F.bin --opt-level 3 --enable-extended-smem=true "
                 "--nv-host=H.o -uumn", "F.ptx")):
            with self.subTest(words):
                self.write(name, WORSE)
                self.assert_quiet(self.call(words))
                [call] = self.calls()
                given = call["words"]
                expected = shlex.split(words)
                place = expected.index(name)
                self.assertEqual(pathlib.Path(given[place]).name, name)
                self.assertEqual(call["texts"], {given[place]: BETTER})
                given[place] = name
                self.assertEqual(given, expected)
                self.assertEqual((self.work / name).read_text(), WORSE)

    def test_text_without_a_change_goes_by_its_own_name(self):
        self.write("F.ptx", PLAIN)
        self.assert_quiet(self.call("-arch=sm_90 F.ptx -o F.cubin"))
        [call] = self.calls()
        self.assertEqual(call["words"], shlex.split("-arch=sm_90 F.ptx -o F.cubin"))

    def test_debug_text_is_left_alone(self):
        self.write("F.ptx", WORSE)
        words = ("-arch=sm_90 -m64 --compile-only -g --dont-merge-basicblocks --return-at-end "
                 "F.ptx -o F.cubin")
        self.assert_quiet(self.call(words))
        [call] = self.calls()
        self.assertEqual((call["words"], call["texts"]), (shlex.split(words), {"F.ptx": WORSE}))

    def test_input_as_string_goes_through(self):
        self.call(["--input-as-string", ".version 99.99"])
        [call] = self.calls()
        self.assertEqual(call["words"], ["--input-as-string", ".version 99.99"])

    def test_unknown_options_go_through(self):
        self.write("F.ptx", WORSE)
        self.write("value", "no text of PTX")
        self.assertEqual(self.call("--brand-new value -another=1 F.ptx").returncode, 0)
        [call] = self.calls()
        self.assertEqual(call["words"][:3], ["--brand-new", "value", "-another=1"])
        self.assertEqual(call["texts"][call["words"][3]], BETTER)

    def test_several_inputs_of_one_name(self):
        for folder in "abc":
            self.write(f"{folder}/F.ptx", f"{PLAIN if folder == 'b' else WORSE}//{folder}\n")
        self.assert_quiet(self.call("a/F.ptx b/F.ptx c/F.ptx -o out"))
        [call] = self.calls()
        self.assertEqual(list(call["texts"].values()),
                         [BETTER + "//a\n", PLAIN + "//b\n", BETTER + "//c\n"])
        self.assertEqual(call["words"][1], "b/F.ptx")

    def test_options_file(self):
        self.write("one", "-arch=sm_90\n\"F x.ptx\"\n-optf two")
        self.write("two", "-v")
        self.write("F x.ptx", WORSE)
        self.assert_quiet(self.call("--options-file=one -o out"))
        [call] = self.calls()
        self.assertEqual([call["words"][i] for i in (0, 2, 3, 4)],
                         ["-arch=sm_90", "-v", "-o", "out"])
        self.assertEqual(call["texts"], {call["words"][1]: BETTER})

    def test_standard_input(self):
        for text, expected in ((WORSE, BETTER), (PLAIN, PLAIN), ("junk", "junk")):
            for word in ("-", "/dev/stdin"):
                with self.subTest(text=text, word=word):
                    self.assert_quiet(self.call([word, "-o", "out"], input=text))
                    [call] = self.calls()
                    self.assertEqual((call["words"], call["texts"]),
                                     ([word, "-o", "out"], {word: expected}))

    def test_missing_input_and_directory(self):
        result = self.call("absent.ptx")
        self.assertEqual((result.returncode, result.stderr),
                         (255, "ptxas fatal   : Input file 'absent.ptx' could not be opened\n"))
        (self.work / "folder").mkdir()
        self.assertEqual(self.call("folder").returncode, 255)

    # ---- what reaches the caller

    def test_version_with_one_more_line(self):
        result = self.call("--version")
        alone = self.call("--version", program=self.fake)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (0, alone.stdout + "probe 1.0\n", ""))

    def test_messages_name_the_callers_file(self):
        self.write("a/F.ptx", WORSE + "//# warn\n")
        result = self.call("a/F.ptx")
        self.assertEqual(result.stderr, "ptxas a/F.ptx, line 1; warning : told to\n")
        self.assertEqual(result.stdout, "a/F.ptx on standard output\n")

    def test_messages_keep_their_order_in_one_stream(self):
        self.write("F.ptx", WORSE + "//# warn\n")
        result = self.call("F.ptx", stderr=subprocess.STDOUT)
        alone = self.call("F.ptx", program=self.fake, stderr=subprocess.STDOUT)
        self.assertEqual(result.stdout, alone.stdout)

    def test_exit_status(self):
        for text in (PLAIN, WORSE):
            self.write("F.ptx", text + "//# exit 7\n")
            self.assert_quiet(self.call("F.ptx"), code=7)
            self.write("F.ptx", text + "//# signal 9\n")
            self.assert_quiet(self.call("F.ptx"), code=-signal.SIGKILL)

    def test_an_error_is_reported_for_the_text_as_it_was(self):
        self.write("F.ptx", WORSE + "spoiled\n")
        result = self.call("F.ptx")
        self.assertEqual((result.returncode, result.stderr),
                         (255, "ptxas F.ptx, line 1; error   : Parsing error\n"))
        self.assertEqual(self.calls()[-1]["texts"], {"F.ptx": WORSE + "spoiled\n"})

    def test_a_refused_result_gives_way_to_the_text_as_it_was(self):
        self.write("F.ptx", WORSE + "//! spoil\n//# warn\n")
        result = self.call("F.ptx -o out")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(
            result.stderr,
            "ptxas F.ptx, line 1; warning : told to\n"
            "ptxopt-ptxas: warning: F.ptx: assembled as it was: ptxas refused the optimized text\n")
        self.assertEqual((self.work / "out").read_text(), WORSE + "//! spoil\n//# warn\n")

    def test_a_refused_result_of_standard_input(self):
        result = self.call("- -o out", input=WORSE + "//! spoil\n")
        self.assertEqual(
            (result.returncode, result.stderr),
            (0, "ptxopt-ptxas: warning: standard input: assembled as it was: "
                "ptxas refused the optimized text\n"))
        self.assertEqual((self.work / "out").read_text(), WORSE + "//! spoil\n")

    def test_a_failing_optimizer_warns_once(self):
        for how, why in (("fail", "1:1: error: told to fail"),
                         ("crash", "the optimizer crashed with signal 6")):
            self.write("F.ptx", WORSE + f"//! {how}\n")
            result = self.call("F.ptx")
            self.assertEqual(
                (result.returncode, result.stderr),
                (0, f"ptxopt-ptxas: warning: F.ptx: assembled as it was: {why}\n"))
            self.assertEqual(self.calls()[-1]["texts"], {"F.ptx": WORSE + f"//! {how}\n"})

    def test_one_bad_input_does_not_spoil_the_others(self):
        self.write("a.ptx", WORSE + "//! crash\n")
        self.write("b.ptx", WORSE)
        self.assertEqual(self.call("a.ptx b.ptx").stderr.count("warning"), 1)
        self.assertEqual(list(self.calls()[-1]["texts"].values()), [WORSE + "//! crash\n", BETTER])

    def test_no_place_for_temporary_files(self):
        self.write("F.ptx", WORSE)
        self.environment["TMPDIR"] = str(self.folder / "absent")
        result = self.call("F.ptx")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("ptxopt-ptxas: warning:"), 1)
        self.assertEqual(self.calls()[-1]["texts"], {"F.ptx": WORSE})

    def test_a_closed_output_does_no_harm(self):
        self.write("F.ptx", WORSE + "//# warn\n")
        process = subprocess.Popen([PROBE, "F.ptx"], cwd=self.work, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.close()
        self.assertIn(process.wait(60), (0, -signal.SIGPIPE))

    def test_a_warning_names_the_source(self):
        self.write("F.ptx", PLAIN + '\t.file 1 "/src/k.cu"\n//! fail\n')
        self.assertIn("warning: F.ptx (of /src/k.cu): assembled as it was", self.call("F.ptx").stderr)

    def test_help_has_a_section_of_ours(self):
        result = self.call("--help")
        alone = self.call("--help", program=self.fake)
        self.assertEqual((result.returncode, result.stdout),
                         (0, alone.stdout + "help of the probe\n"))

    # ---- PTXOPT_STRICT

    def test_strict(self):
        self.environment["PTXOPT_STRICT"] = "1"
        for how, why in (("fail", "1:1: error: told to fail"),
                         ("crash", "the optimizer crashed with signal 6")):
            self.write("F.ptx", WORSE + f"//! {how}\n")
            result = self.call("F.ptx -o out")
            self.assertEqual(
                (result.returncode, result.stderr),
                (1, f"ptxopt-ptxas: error: F.ptx: {why} (PTXOPT_STRICT makes this an error)\n"))
            self.assertEqual(self.calls(), [])
        self.write("F.ptx", WORSE + "//! spoil\n")
        result = self.call("F.ptx -o out")
        self.assertEqual(result.returncode, 1)
        self.assertIn("F.ptx: ptxas refused the optimized text", result.stderr)
        self.write("F.ptx", WORSE)
        self.assert_quiet(self.call("F.ptx -o out"))

    def test_misspelt_variables(self):
        self.write("F.ptx", WORSE)
        self.environment["PTXOPT_FLAG"] = "-O3"
        self.environment["PTXOPT_OF_ANOTHER_PROGRAM"] = "1"
        problem = "PTXOPT_FLAG is no variable of ptxopt-ptxas; did you mean PTXOPT_FLAGS?"
        for words in ("F.ptx", "--version"):
            result = self.call(words)
            self.assertEqual((result.returncode, result.stderr),
                             (0, f"ptxopt-ptxas: warning: {problem}\n"))
        self.environment["PTXOPT_STRICT"] = "1"
        result = self.call("F.ptx")
        self.assertEqual(
            (result.returncode, result.stderr),
            (1, f"ptxopt-ptxas: error: {problem} (PTXOPT_STRICT makes this an error)\n"))

    # ---- PTXOPT_LOG

    def entries(self):
        path = self.folder / "log of the build"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def keep_log(self):
        self.environment["PTXOPT_LOG"] = str(self.folder / "log of the build")

    def test_log(self):
        self.keep_log()
        self.write("a.ptx", WORSE + '\t.file\t1 "k.cu"\n')
        self.write("b.ptx", PLAIN)
        self.write("c.ptx", WORSE + "//! crash\n")
        self.write("d.ptx", WORSE + "//! spoil\n")
        self.write("e.ptx", WORSE)
        self.write("f", "no text of PTX")
        for words in ("a.ptx b.ptx f", "c.ptx", "d.ptx", "-g e.ptx", "--version"):
            self.assertEqual(self.call(words).returncode, 0)
        entries = self.entries()
        self.assertEqual([(e["input"], e["outcome"], e.get("reason")) for e in entries],
                         [("a.ptx", "optimized", None), ("b.ptx", "unchanged", None),
                          ("c.ptx", "fallback", "the optimizer crashed with signal 6"),
                          ("d.ptx", "fallback", "ptxas refused the optimized text"),
                          ("e.ptx", "left alone", "-g")])
        first = entries[0]
        self.assertEqual([first[name] for name in (
            "source", "kernels", "barriersBefore", "barriersAfter", "instructionsBefore",
            "instructionsAfter", "flags", "ptxas")],
            ["k.cu", 1, 2, 1, 9, 8, "as the text says", str(self.fake)])
        self.assertRegex(first["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        # What was refused is no gain.
        self.assertEqual(entries[3]["barriersAfter"], 2)

    def test_log_of_many_at_once(self):
        self.keep_log()
        for i in range(40):
            self.write(f"{i}.ptx", WORSE + f"//{'x' * 1000}\n")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: self.call(f"{i}.ptx -o {i}.out"), range(40)))
        self.assertEqual(sorted(e["input"] for e in self.entries()),
                         sorted(f"{i}.ptx" for i in range(40)))

    def test_log_that_cannot_be_written(self):
        self.environment["PTXOPT_LOG"] = str(self.folder / "absent" / "log")
        self.write("F.ptx", WORSE)
        result = self.call("F.ptx")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("ptxopt-ptxas: warning: PTXOPT_LOG"), 1)
        self.environment["PTXOPT_STRICT"] = "1"
        self.assertEqual(self.call("F.ptx").returncode, 1)

    # ---- signals, many at once

    def test_signals_end_it_without_a_trace(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for text in (WORSE + "//# sleep\n", PLAIN + "//# sleep\n"):
                with self.subTest(signal=number, text=text):
                    self.write("F.ptx", text)
                    self.awake.unlink(missing_ok=True)
                    process = subprocess.Popen([PROBE, "F.ptx"], cwd=self.work,
                                               env=self.environment, stderr=subprocess.DEVNULL)
                    deadline = time.monotonic() + 30
                    while not self.awake.exists() and time.monotonic() < deadline:
                        time.sleep(0.01)
                    process.send_signal(number)
                    self.assertNotEqual(process.wait(30), 0)
                    self.assertEqual(list(self.tmp.iterdir()), [])

    def test_a_signal_ends_a_long_optimization(self):
        self.write("F.ptx", WORSE + "//! hang\n")
        process = subprocess.Popen([PROBE, "F.ptx"], cwd=self.work, env=self.environment)
        time.sleep(0.3)
        process.terminate()
        self.assertEqual(process.wait(30), -signal.SIGTERM)
        self.assertEqual(self.calls(), [])

    def test_ignored_signals_stay_ignored(self):
        self.write("F.ptx", WORSE + "//! hang\n")
        process = subprocess.Popen(
            [PROBE, "F.ptx"], cwd=self.work, env=self.environment,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.terminate()
        process.wait(30)

    def test_many_at_once(self):
        count = 40
        for i in range(count):
            self.write(f"{i}/F.ptx", WORSE + f"//{i}\n")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda i: self.call(f"{i}/F.ptx -o {i}.out"), range(count)))
        for i, result in enumerate(results):
            self.assert_quiet(result)
            self.assertEqual((self.work / f"{i}.out").read_text(), BETTER + f"//{i}\n")

    # ---- which ptxas

    def test_the_next_on_path(self):
        self.write("F.ptx", PLAIN)
        del self.environment["PTXOPT_PTXAS"]
        for name, make in (("link", lambda path: path.symlink_to(PROBE)),
                           ("copy of the file system", lambda path: os.link(PROBE, path))):
            with self.subTest(name):
                folder = pathlib.Path(tempfile.mkdtemp(dir=PROBE.parent))
                self.addCleanup(shutil.rmtree, folder)
                make(folder / "ptxas")
                (folder / "folder").mkdir()
                (folder / "folder" / "ptxas").mkdir()
                unusable = folder / "unusable"
                unusable.mkdir()
                (unusable / "ptxas").write_text("not a program")
                self.environment["PATH"] = ":".join(
                    [str(folder), str(folder / "folder"), str(unusable), str(self.fake.parent),
                     os.environ["PATH"]])
                self.assert_quiet(self.call("F.ptx", program=folder / "ptxas"))
                self.assertEqual(self.calls()[-1]["program"], str(self.fake))

    def test_the_first_word(self):
        """As nvcc --ptxas-prefix has it."""
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        for word, path in ((str(self.fake), os.environ["PATH"]),
                           ("ptxas", f"{self.fake.parent}:{os.environ['PATH']}")):
            with self.subTest(word):
                self.environment["PATH"] = path
                self.assert_quiet(self.call([word, "-arch=sm_90", "F.ptx"]))
                [call] = self.calls()
                self.assertEqual(call["program"], str(self.fake))
                self.assertEqual(call["words"][0], "-arch=sm_90")
                self.assertEqual(list(call["texts"].values()), [BETTER])

    def test_the_one_of_the_wheel_that_called(self):
        """Triton and XLA would run the ptxas of their wheel, and not one of PATH."""
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        own, _ = self.make_wheel()
        other = self.folder / "other" / "ptxas"
        other.parent.mkdir()
        shutil.copy(self.fake, other)
        self.environment["PATH"] = f"{other.parent}:{os.environ['PATH']}"
        self.assert_quiet(self.call_from_triton(PROBE, "F.ptx"))
        self.assertEqual(self.calls()[-1]["program"], str(own))
        self.assert_quiet(self.call("F.ptx"))
        self.assertEqual(self.calls()[-1]["program"], str(other))
        # One of another release that the user names is taken, but not without a word.
        self.environment["PTXOPT_PTXAS"] = str(other)
        self.assertEqual(self.call_from_triton(PROBE, "--version").stderr.count("warning"), 0)
        for release, how in (("12.4", "older"), ("13.7", "newer")):
            self.set_release(other, release)
            result = self.call_from_triton(PROBE, "--version")
            self.assertEqual(result.returncode, 0)
            self.assertIn(f"{other} is release {release}, {how} than {own}, release 13.0",
                          result.stderr)

    def make_wheel(self):
        """The two programs of Triton's wheel, the second absent."""
        packages = self.folder / "lib" / "python3.11" / "site-packages"
        own = packages / "triton" / "backends" / "nvidia" / "bin" / "ptxas"
        self.libtriton = packages / "triton" / "_C" / "libtriton.so"
        for path in (own, self.libtriton):
            path.parent.mkdir(parents=True)
        shutil.copy(self.fake, own)
        self.libtriton.write_bytes(b"x" * 5000)
        return own, own.with_name("ptxas-blackwell")

    def set_release(self, path, release):
        shutil.copy(self.fake, path)
        path.write_text(path.read_text().replace("release 13.0", f"release {release}"))

    def call_from_triton(self, *words):
        """As a process that has loaded Triton's library."""
        program = ("import mmap, subprocess, sys\n"
                   f"library = open({str(self.libtriton)!r}, 'rb')\n"
                   "kept = mmap.mmap(library.fileno(), 0, access=mmap.ACCESS_READ)\n"
                   "sys.exit(subprocess.run(sys.argv[1:]).returncode)\n")
        return self.call(["-c", program, *map(str, words)], program=sys.executable)

    def test_each_of_the_two_of_triton(self):
        """The very ptxas that Triton would run, by the name of the variable that led here."""
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        plain, blackwell = self.make_wheel()
        self.set_release(plain, "12.9")
        self.set_release(blackwell, "13.4")
        second = self.folder / "ptxopt-ptxas-blackwell"
        second.symlink_to(PROBE)
        for variables, called, expected in (
                ((PROBE, None), PROBE, plain), ((None, PROBE), PROBE, blackwell),
                ((PROBE, second), PROBE, plain), ((PROBE, second), second, blackwell),
                ((second, PROBE), PROBE, blackwell), ((second, PROBE), second, plain),
                ((None, None), PROBE, plain), ((None, None), second, blackwell)):
            with self.subTest(variables=variables, called=called):
                for name, value in zip(TRITON_VARIABLES, variables):
                    self.environment.pop(name, None)
                    if value:
                        self.environment[name] = str(value)
                result = self.call_from_triton(called, "--version")
                self.assertEqual(result.stderr, "")
                self.assertIn("release 12.9" if expected == plain else "release 13.4",
                              result.stdout)
                self.assert_quiet(self.call_from_triton(called, "F.ptx"))
                self.assertEqual(self.calls()[-1]["program"], str(expected))

    def test_one_name_for_both_of_triton(self):
        """There is no telling which it means, and that is said where Triton shows it."""
        del self.environment["PTXOPT_PTXAS"]
        plain, blackwell = self.make_wheel()
        self.set_release(plain, "12.9")
        self.environment.update({name: str(PROBE) for name in TRITON_VARIABLES})
        self.assertEqual(self.call_from_triton(PROBE, "--version").stderr, "")
        self.set_release(blackwell, "13.4")
        result = self.call_from_triton(PROBE, "--version")
        self.assertEqual(result.returncode, 0)
        self.assertIn("release 13.4", result.stdout)
        self.assertIn(f"release 13.4, newer than {plain}, release 12.9", result.stderr)

    def test_triton_hears_of_a_ptxas_that_is_not_there(self):
        """Without an answer to --version it would take its own ptxas and say nothing."""
        self.write("F.ptx", WORSE)
        self.make_wheel()
        self.environment["PTXOPT_PTXAS"] = str(self.folder / "absent")
        result = self.call_from_triton(PROBE, "--version")
        self.assertEqual(result.returncode, 0)
        self.assertIn("release 13.0", result.stdout)
        self.assertIn("absent is not a program", result.stderr)
        result = self.call_from_triton(PROBE, "F.ptx")
        self.assertEqual(result.returncode, 127)
        self.assertIn("absent is not a program", result.stderr)

    def test_the_one_of_the_virtual_environment(self):
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        if os.path.exists("/usr/local/cuda/bin/ptxas"):
            self.skipTest("there is one in its usual place")
        packages = self.folder / "lib" / "python3.12" / "site-packages"
        own = packages / "nvidia" / "cuda_nvcc" / "bin" / "ptxas"
        own.parent.mkdir(parents=True)
        shutil.copy(self.fake, own)
        self.environment["PATH"] = "/usr/bin:/bin"
        self.environment["VIRTUAL_ENV"] = str(self.folder)
        self.assert_quiet(self.call("F.ptx"))
        self.assertEqual(self.calls()[-1]["program"], str(own))

    def test_two_copies_do_not_call_each_other_for_ever(self):
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        folders = [self.folder / "one", self.folder / "two"]
        for folder in folders:
            folder.mkdir()
            shutil.copy(PROBE, folder / "ptxas")
        self.environment["PATH"] = ":".join(
            [str(folder) for folder in folders] + [str(self.fake.parent), os.environ["PATH"]])
        self.assert_quiet(self.call("F.ptx", program=folders[0] / "ptxas"))
        self.assertEqual(len(self.calls()), 1)

    def test_a_text_has_its_turn_once(self):
        """Also where the ptxas on PATH is a script that calls the drop-in."""
        self.keep_log()
        self.write("F.ptx", WORSE)
        del self.environment["PTXOPT_PTXAS"]
        script = self.folder / "script" / "ptxas"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec "{PROBE}" "{self.fake}" "$@"\n')
        script.chmod(0o755)
        self.environment["PATH"] = f"{script.parent}:{os.environ['PATH']}"
        self.assert_quiet(self.call("F.ptx"))
        self.assertEqual([entry["outcome"] for entry in self.entries()], ["optimized"])
        self.assertEqual(list(self.calls()[0]["texts"].values()), [BETTER])
        self.assertEqual(self.call("--version").stdout.count("probe 1.0"), 1)

    def test_a_script_that_leads_back(self):
        self.write("F.ptx", WORSE)
        script = self.folder / "script" / "ptxas"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec "{PROBE}" "$@"\n')
        script.chmod(0o755)
        self.environment["PTXOPT_PTXAS"] = str(script)
        result = self.call("F.ptx")
        self.assertEqual(result.returncode, 127)
        self.assertIn("leads back", result.stderr)
        del self.environment["PTXOPT_PTXAS"]
        self.environment["PATH"] = f"{script.parent}:{self.fake.parent}:{os.environ['PATH']}"
        self.assert_quiet(self.call("F.ptx"))
        self.assertEqual(len(self.calls()), 1)

    def test_no_ptxas(self):
        self.environment["PTXOPT_PTXAS"] = str(self.folder / "absent")
        result = self.call("F.ptx")
        self.assertEqual(result.returncode, 127)
        self.assertIn("is not a program", result.stderr)
        del self.environment["PTXOPT_PTXAS"]
        self.environment["PATH"] = str(self.folder)
        if not os.path.exists("/usr/local/cuda/bin/ptxas"):
            result = self.call("F.ptx")
            self.assertEqual(result.returncode, 127)
            self.assertIn("no ptxas on PATH", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
