#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual pages and the completions: every option of --help is in them, and shells take them.

usage: manuals_test.py SHARE-FOLDER PROGRAM-FOLDER
Where man, mandoc, zsh or fish is missing, its test is left out.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(2)).resolve()
SHARE = pathlib.Path(sys.argv.pop(1)).resolve()
WITH_TABLE = ("ptxcheck", "ptxopt", "ptxreduce", "ptxrun")


def run(*words, cwd=None):
    result = subprocess.run(words, text=True, cwd=cwd, timeout=120, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout


def passes():
    _, text = run(PROGRAMS / "ptxopt", "--list-passes")
    return set(re.findall(r"^([a-z][a-z-]+) +[A-Z]", text, re.MULTILINE))


def options_of_help(program):
    _, text = run(PROGRAMS / program, "--help")
    names = set()
    for line in re.findall(r"^  (-[^ {]*)", text, re.MULTILINE):
        names.update(line.split(","))
    return names


class Manuals(unittest.TestCase):
    def pages(self):
        return [SHARE / "man/man1" / f"{program}.1"
                for program in (*WITH_TABLE, "ptxopt-ptxas", "ptxopt-corpus", "ptxopt-launches", "ptxopt-make-nvcc-bin")]

    def test_pages_have_all_options(self):
        for program in WITH_TABLE:
            text = (SHARE / "man/man1" / f"{program}.1").read_text().replace("\\-", "-")
            names = options_of_help(program)
            self.assertIn("--version", names)
            self.assertEqual({name for name in names if f"\\fB{name}\\fR" not in text}, set(), program)

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "no man")
    def test_man(self):
        for page in self.pages():
            self.assertEqual(run("sh", "-c", 'man --warnings -l "$1" >/dev/null', "sh", page), (0, ""), page)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_mandoc(self):
        for page in self.pages():
            _, said = run("mandoc", "-T", "lint", page)
            # A date would be another with each build.
            found = [line for line in said.splitlines() if ": STYLE:" not in line and "missing date" not in line]
            self.assertEqual(found, [], page)


class Shells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        for name in ("a b.ptx", "notes.txt"):
            (self.work / name).touch()
        (self.work / "folder").mkdir()


class Bash(Shells):
    def complete(self, program, *words):
        """What is offered for the last of the words, as readline splits them."""
        script = (f'. "{SHARE}/bash-completion/completions/{program}"; COMP_WORDS=("$@"); '
                  f'COMP_CWORD=$(($# - 1)); _{program}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        status, said = run("bash", "--norc", "-c", script, "bash", program, *words, cwd=self.work)
        self.assertEqual(status, 0, said)
        return set(said.split("\n")) - {""}

    def test_names(self):
        self.assertEqual(self.complete("ptxopt", "--pas"), {"--passes="})
        self.assertEqual(self.complete("ptxopt", "-O"), {"-O", "-O0", "-O1", "-O2", "-O3"})
        self.assertEqual(self.complete("ptxrun", "--check"), {"--check-facts="})

    def test_every_option(self):
        for program in WITH_TABLE:
            offered = {name.rstrip("=") for name in self.complete(program, "-")}
            self.assertEqual(options_of_help(program) - offered, set(), program)

    def test_values(self):
        self.assertEqual(self.complete("ptxopt", "--passes", "="), passes())
        self.assertEqual(self.complete("ptxopt", "--passes", "=", "c"), {"common-base", "cssa"})
        self.assertEqual(self.complete("ptxopt", "--passes", "cssa,dead"), {"cssa,dead-sync", "cssa,dead-wait"})
        self.assertEqual(self.complete("ptxopt", "--disable-pass", "war"), {"warp-sync"})
        self.assertEqual(self.complete("ptxopt", "--print-after", "=", "a"), {"all"})
        self.assertEqual(self.complete("ptxopt", "-O", ""), {"0", "1", "2", "3"})
        self.assertEqual(self.complete("ptxopt", "--stats", "=", "j"), {"json"})
        self.assertEqual(self.complete("ptxopt", "--color", "="), {"auto", "always", "never"})
        self.assertEqual(self.complete("ptxrun", "--policy", "back"), {"backwards"})

    def test_files(self):
        self.assertEqual(self.complete("ptxopt", ""), {"a b.ptx", "folder"})
        self.assertEqual(self.complete("ptxopt", "--stats", ""), {"a b.ptx", "folder"})
        self.assertEqual(self.complete("ptxopt", "-o", "n"), {"notes.txt"})
        self.assertEqual(self.complete("ptxopt", "--output-dir", "="), {"folder"})
        self.assertEqual(self.complete("ptxopt", "--", ""), {"a b.ptx", "folder"})
        self.assertIn("bash", self.complete("ptxreduce", "a b.ptx", "--", "bas"))


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class Zsh(Shells):
    def test_specifications(self):
        """_arguments gets one specification for each name of an option."""
        for program in WITH_TABLE:
            script = f'_arguments() {{ print -rl -- "$@" }}; . {SHARE}/zsh/site-functions/_{program}'
            status, said = run("zsh", "-f", "-c", script)
            self.assertEqual(status, 0, said)
            names = set(re.findall(r"^(?:\*|\([^)]*\))?(-[^-\[+=]+|--[a-z0-9-]+?)(?:=-|=|\+)?\[", said, re.MULTILINE))
            self.assertEqual(options_of_help(program) - names, set(), program)
        status, said = run("zsh", "-f", "-n", SHARE / "zsh/site-functions/_ptxopt")
        self.assertEqual((status, said), (0, ""))


@unittest.skipUnless(shutil.which("fish"), "no fish")
class Fish(Shells):
    def complete(self, program, line):
        status, said = run("fish", "--no-config", "-c",
                           f'source {SHARE}/fish/vendor_completions.d/{program}.fish; complete -C "$argv"',
                           "--", f"{program} {line}", cwd=self.work)
        self.assertEqual(status, 0, said)
        return {entry.split("\t")[0] for entry in said.splitlines()}

    def test_values(self):
        self.assertEqual(self.complete("ptxopt", "--pas"), {"--passes"})
        self.assertEqual(self.complete("ptxopt", "--passes=cssa,dead"),
                         {"--passes=cssa,dead-sync", "--passes=cssa,dead-wait"})
        self.assertEqual(self.complete("ptxopt", "--disable-pass war"), {"warp-sync"})
        self.assertEqual(self.complete("ptxopt", "-O"), {"-O0", "-O1", "-O2", "-O3"})
        self.assertEqual(self.complete("ptxrun", "--policy back"), {"backwards"})
        for program in WITH_TABLE:
            offered = {name.rstrip("=") for name in self.complete(program, "--")}
            names = {name for name in options_of_help(program) if name.startswith("--")}
            self.assertEqual(names - offered, set(), program)

    def test_files(self):
        self.assertEqual(next(iter(sorted(self.complete("ptxopt", "a")))), "a b.ptx")


if __name__ == "__main__":
    unittest.main()
