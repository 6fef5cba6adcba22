#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `ptxopt-ptxas --doctor` and `--summary` say, with stand-ins for nvcc, ptxas and Triton.

usage: doctor_test.py PTXOPT-PTXAS MAKE-NVCC-BIN
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MAKE_NVCC_BIN = pathlib.Path(sys.argv.pop(2)).resolve()
DROP_IN = pathlib.Path(sys.argv.pop(1)).resolve()
BLACKWELL = DROP_IN.with_name("ptxopt-ptxas-blackwell")

# Prints the part of its plan that the doctor reads.
NVCC = """#!/bin/sh
prefix=$(printf '%s' "$NVCC_PREPEND_FLAGS $NVCC_APPEND_FLAGS" | sed -n 's/.*--ptxas-prefix[= ]//p')
here=$(dirname "$0")
exec >&2
echo '#$ _HERE_='"$here"
echo "#$ PATH=$here:$PATH"
echo '#$ "$CICC_PATH/cicc" -arch=compute_75'
echo "#$ $prefix ptxas -arch=sm_75 -m64 x.ptx"
"""


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="not-older-"))  # a path proves nothing
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.ptxas = self.bin / "ptxas"
        self.make_ptxas(self.ptxas, "13.0")
        self.make_program(self.bin / "nvcc", NVCC)
        (self.bin / "nvcc.profile").write_text("TOP = $(_HERE_)/..\n")
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "TMPDIR": str(self.folder),
                            "PTXOPT_PTXAS": str(self.ptxas), "FAKE_PTXAS_LOG": "/dev/null"}

    def make_program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def make_ptxas(self, path, release):
        text = (HERE / "fake_ptxas.py").read_text().replace("release 13.0", f"release {release}")
        self.make_program(path, text.replace("#!/usr/bin/env python3", f"#!{sys.executable}", 1))

    def make_triton(self):
        """A Python on PATH with a Triton that has both programs."""
        packages = self.folder / "site-packages"
        for name, release in (("ptxas", "12.9"), ("ptxas-blackwell", "13.4")):
            self.make_ptxas(packages / "triton/backends/nvidia/bin" / name, release)
        self.make_program(self.bin / "python3", f"#!/bin/sh\necho '{packages}'\n")
        del self.environment["PTXOPT_PTXAS"]
        return packages / "triton/backends/nvidia/bin"

    def doctor(self, what, program=DROP_IN, **variables):
        """The exit status, and the lines about one thing."""
        result = subprocess.run([program, "--doctor"], capture_output=True, text=True, timeout=60,
                                cwd=self.folder, env={**self.environment, **variables}, check=False)
        lines = re.findall(rf"^{what} +(.*)$", result.stdout, re.MULTILINE)
        return result.returncode, lines

    def one(self, what, *arguments, **variables):
        status, lines = self.doctor(what, *arguments, **variables)
        self.assertEqual(len(lines), 1, lines)
        return status, lines[0]

    # ---- nvcc

    def test_nvcc_without_a_prefix(self):
        status, line = self.one("nvcc")
        self.assertEqual(status, 0)
        self.assertIn(f"does not call this; set NVCC_APPEND_FLAGS='--ptxas-prefix={DROP_IN}'", line)

    def test_nvcc_with_a_prefix(self):
        for name in ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"):
            for separator in "= ":
                status, line = self.one("nvcc", **{name: f"--ptxas-prefix{separator}{DROP_IN}"})
                self.assertEqual(status, 0)
                self.assertIn(f"calls this through {name}", line)

    def test_nvcc_with_a_prefix_that_is_no_program(self):
        status, line = self.one("nvcc", NVCC_APPEND_FLAGS="--ptxas-prefix=foo")
        self.assertEqual(status, 1)
        self.assertRegex(line, "WRONG: .* NVCC_APPEND_FLAGS makes it run `foo ptxas`, which fails: "
                               ".*foo: not found")

    def test_nvcc_with_a_prefix_that_is_another_program(self):
        status, line = self.one("nvcc", NVCC_PREPEND_FLAGS="--ptxas-prefix=/usr/bin/env")
        self.assertEqual(status, 1)
        self.assertRegex(line, "WRONG: .* NVCC_PREPEND_FLAGS .* which does not call this")

    def test_nvcc_that_takes_no_prefix(self):
        self.make_program(self.bin / "nvcc", "#!/bin/sh\necho 'fatal: no prefix' >&2\nexit 1\n")
        self.assertEqual(self.one("nvcc")[0], 0)
        status, line = self.one("nvcc", NVCC_APPEND_FLAGS="--ptxas-prefix=/a b/ptxopt-ptxas")
        self.assertEqual(status, 1)
        self.assertIn("fatal: no prefix", line)

    def test_nvcc_in_a_folder_of_links(self):
        links = self.folder / "links"
        made = subprocess.run([MAKE_NVCC_BIN, links, self.bin / "nvcc", DROP_IN], check=False,
                              capture_output=True, text=True, env=self.environment)
        self.assertEqual(made.returncode, 0, made.stderr)
        del self.environment["PTXOPT_PTXAS"]
        self.environment["PATH"] = f"{links}:{self.environment['PATH']}"
        status, line = self.one("nvcc")
        self.assertEqual(status, 0)
        self.assertIn(f"calls this through {links}/ptxas", line)
        self.assertIn("it calls this, and then the real one", self.one("ptxas")[1])

    def test_the_script_takes_the_program_that_is_installed(self):
        """Beside the script, else on PATH, and not first that of a build folder."""
        installed = self.folder / "installed"
        other = self.folder / "other"
        for place in (other / "ptxopt-ptxas", installed / "ptxopt-ptxas"):
            script = installed / "ptxopt-make-nvcc-bin"
            script.parent.mkdir(exist_ok=True)
            shutil.copy(MAKE_NVCC_BIN, script)
            self.make_program(self.folder / "build/release/bin/ptxopt-ptxas", "#!/bin/sh\n")
            self.make_program(place, "#!/bin/sh\n")
            environment = {**self.environment, "PATH": f"{other}:{self.environment['PATH']}"}
            made = subprocess.run([script, self.folder / "links", self.bin / "nvcc"], check=False,
                                  capture_output=True, text=True, env=environment)
            self.assertEqual(made.stdout,
                             f"{self.folder}/links/nvcc assembles through {place}\n", made.stderr)

    def test_advice_for_a_path_with_a_space(self):
        program = self.folder / "with space" / "ptxopt-ptxas"
        program.parent.mkdir()
        shutil.copy(DROP_IN, program)
        _, line = self.one("nvcc", program)
        advice = shlex.split(line.split("; set ")[1])
        self.assertEqual(advice, [f'NVCC_APPEND_FLAGS=--ptxas-prefix="{program}"'])
        status, line = self.one("nvcc", program, **dict(word.split("=", 1) for word in advice))
        self.assertEqual(status, 0)
        self.assertIn("calls this through NVCC_APPEND_FLAGS", line)

    # ---- ccache, variables

    def test_ccache(self):
        self.make_program(self.bin / "ccache", "#!/bin/sh\n")
        status, line = self.one("ccache")
        self.assertEqual(status, 0)
        self.assertIn("export CCACHE_NAMESPACE=", line)
        version = subprocess.run([DROP_IN, "--version"], env=self.environment, text=True,
                                 capture_output=True, check=True).stdout.splitlines()[-1]
        status, line = self.one("ccache", CCACHE_NAMESPACE=version)
        self.assertEqual(status, 0)
        self.assertIn("keeps these flags apart", line)
        status, line = self.one("ccache", CCACHE_NAMESPACE=version, PTXOPT_FLAGS="-O1")
        self.assertEqual(status, 1)
        self.assertIn(f"WRONG: {self.bin}/ccache: CCACHE_NAMESPACE='{version}'", line)

    def test_misspelt_variables(self):
        status, lines = self.doctor("variable", PTXOPT_FLAG="-O3", PTXOPT_LOGS="x",
                                    PTXOPT_SOMETHING_ELSE="1")
        self.assertEqual(status, 1)
        self.assertEqual(lines, [
            "WRONG: PTXOPT_FLAG is no variable of ptxopt-ptxas; did you mean PTXOPT_FLAGS?",
            "WRONG: PTXOPT_LOGS is no variable of ptxopt-ptxas; did you mean PTXOPT_LOG?",
            "PTXOPT_SOMETHING_ELSE is no variable of ptxopt-ptxas"])
        self.assertEqual(self.doctor("variable", PTXOPT_FLAGS="-O3", PTXOPT_PTXAS_VISITED=""),
                         (0, []))

    # ---- Triton

    def test_triton_takes_its_own(self):
        own = self.make_triton()
        status, (plain, blackwell) = self.doctor("Triton")
        self.assertEqual(status, 0)
        self.assertIn(f"runs its own {own}/ptxas, release 12.9; TRITON_PTXAS_PATH={DROP_IN}", plain)
        self.assertIn(f"runs its own {own}/ptxas-blackwell, release 13.4; "
                      f"TRITON_PTXAS_BLACKWELL_PATH={BLACKWELL}", blackwell)
        for release in ("12.9", "13.4"):
            self.assertIn(f"release {release}", str(self.doctor(" +for Triton alone:")[1]))

    def test_triton_calls_this(self):
        own = self.make_triton()
        status, (plain, blackwell) = self.doctor(
            "Triton", TRITON_PTXAS_PATH=str(DROP_IN), TRITON_PTXAS_BLACKWELL_PATH=str(BLACKWELL))
        self.assertEqual(status, 0)
        self.assertIn(f"calls this through TRITON_PTXAS_PATH, which runs {own}/ptxas, release 12.9",
                      plain)
        self.assertIn("calls this through TRITON_PTXAS_BLACKWELL_PATH, which runs "
                      f"{own}/ptxas-blackwell, release 13.4", blackwell)

    def test_triton_does_not_say_which_it_means(self):
        self.make_triton()
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(DROP_IN),
                                         TRITON_PTXAS_BLACKWELL_PATH=str(DROP_IN))
        self.assertEqual(status, 1)
        self.assertIn("WRONG", plain)
        self.assertIn("release 13.4, newer than", plain)

    def test_triton_with_a_path_that_leads_nowhere(self):
        own = self.make_triton()
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH="/absent/x")
        self.assertEqual(status, 1)
        self.assertIn("WRONG", plain)
        self.assertIn("TRITON_PTXAS_PATH=/absent/x does not exist, so Triton runs its own "
                      f"{own}/ptxas", plain)
        broken = self.folder / "broken"
        self.make_program(broken, "#!/bin/sh\nexit 1\n")
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(broken))
        self.assertEqual(status, 1)
        self.assertIn("does not say its version, so Triton runs its own", plain)

    def test_triton_with_a_script(self):
        self.make_triton()
        script = self.folder / "script"
        self.make_program(script, f'#!/bin/sh\nexec "{DROP_IN}" "$@"\n')
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(script))
        self.assertEqual(status, 0)
        self.assertIn("calls this through TRITON_PTXAS_PATH", plain)
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(self.ptxas))
        self.assertEqual(status, 0)
        self.assertIn("is another program, which does not call this", plain)

    def test_triton_with_another_release(self):
        own = self.make_triton()
        for release, expected in (("11.8", 1), ("13.9", 0)):
            other = self.folder / "other" / "ptxas"
            self.make_ptxas(other, release)
            status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(DROP_IN),
                                             PTXOPT_PTXAS=str(other))
            self.assertEqual(status, expected)
            self.assertIn(f"it is release {release}, {'older' if expected else 'newer'} than "
                          f"{own}/ptxas, release 12.9", plain)

    def test_triton_with_a_ptxas_that_is_not_there(self):
        self.make_triton()
        status, (plain, _) = self.doctor("Triton", TRITON_PTXAS_PATH=str(DROP_IN),
                                         PTXOPT_PTXAS="/absent")
        self.assertEqual(status, 1)
        self.assertIn("and then fails: PTXOPT_PTXAS=/absent is not a program", plain)

    # ---- the options themselves

    def run_own(self, *words):
        result = subprocess.run([DROP_IN, *words], capture_output=True, text=True, timeout=60,
                                cwd=self.folder, env=self.environment, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_own_options_are_used_as_described(self):
        for words, what in ((["--summary"], "--summary takes one FILE"),
                            (["--summary", "a", "b"], "--summary takes one FILE"),
                            (["--doctor", "x"], "--doctor takes no arguments")):
            status, text = self.run_own(*words)
            self.assertEqual(status, 1)
            self.assertTrue(text.startswith(f"ptxopt-ptxas: error: {what}"), text)

    def test_summary_of_a_build_that_did_not_come_here(self):
        status, text = self.run_own("--summary", "absent")
        self.assertEqual(status, 1)
        self.assertIn("absent: there is no such log: no compiler has called ptxopt-ptxas", text)
        log = self.folder / "log"
        log.write_text("")
        self.assertIn("note: no compiler has called ptxopt-ptxas", self.run_own("--summary", log)[1])
        probe = {"outcome": "unchanged", "kernels": 0}
        log.write_text(json.dumps(probe) + "\n")
        status, text = self.run_own("--summary", log)
        self.assertEqual(status, 0)
        self.assertIn("note: no text has a kernel: these are probes", text)
        self.assertIn("CMAKE_CUDA_FLAGS", text)
        log.write_text(json.dumps(probe) + "\n" + json.dumps({**probe, "kernels": 1}) + "\n")
        self.assertNotIn("note:", self.run_own("--summary", log)[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
