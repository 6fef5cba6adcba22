# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds global-opt against what a file says about its lines.

    // goes                 the statement is taken out, and its line with it
    // stays                it is as it was
    // becomes: TEXT        it was edited in place and is this now, blanks aside
    // adds: TEXT           (on a line of its own) a line that was not there before
Text after `goes` and `stays` is for the reader.

What comes out must parse, be left as it is by a second run, do what the input did (`ptxrun --compare`
for each LAUNCH line), and be accepted by every ptxas that is given, if the input is; and so must
what comes out when the run stops after 1, 2, 3, ... changes.  Arguments after -- are for ptxopt.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"^(?P<code>.*?)//\s*(?P<word>goes|stays|becomes:)(?P<rest>.*)$")
ADDED = re.compile(r"^\s*//\s*adds:\s*(?P<text>.*)$")
LAUNCH = re.compile(r'^// LAUNCH: .*"kernel": *"([^"]+)"', re.MULTILINE)
MOST_CHANGES = 400


def squeezed(text):
    return re.sub(r"\s+", "", text)


class Checker:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.faults = []
        with open(arguments.file) as file:
            self.lines = file.read().split("\n")
        # Each marked line is found again by its number.
        self.marks = {}
        numbered = []
        for number, line in enumerate(self.lines, 1):
            match = MARK.match(line)
            if match and match["code"].strip():
                self.marks[number] = match
                line = f"{line} @{number}@"
            numbered.append(line)
        self.input = os.path.join(folder, os.path.basename(arguments.file))
        with open(self.input, "w") as file:
            file.write("\n".join(numbered))
        self.numbered = numbered

    def fault(self, text):
        self.faults.append(f"{self.arguments.file}: {text}")

    def optimize(self, source, name, *more):
        output = os.path.join(self.folder, name)
        command = [self.arguments.ptxopt, "-q", "--passes=" + self.arguments.passes, source, "-o",
                   output, "--verify-each", *self.arguments.options, *more]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            self.fault(f"ptxopt {' '.join(more)}: {run.stdout}{run.stderr}")
            return None, None
        with open(output) as file:
            return output, file.read()

    def check_lines(self, text):
        lines = text.split("\n")
        squeezed_lines = {squeezed(line) for line in lines}
        for number, match in self.marks.items():
            found = [line for line in lines if f"@{number}@" in line]
            if match["word"] == "goes":
                if found:
                    self.fault(f"line {number} did not go: {found[0]}")
            elif match["word"] == "stays":
                if found != [self.numbered[number - 1]]:
                    self.fault(f"line {number} did not stay as it was: {found}")
            else:
                code = found[0].split("//")[0] if found else ""
                if squeezed(code) != squeezed(match["rest"]):
                    self.fault(f"line {number} became {code!r}")
        before = {squeezed(line) for line in self.lines}
        for number, line in enumerate(self.lines, 1):
            added = ADDED.match(line)
            if not added:
                continue
            wanted = squeezed(added["text"])
            if wanted not in squeezed_lines or wanted in before:
                self.fault(f"line {number}: this was not added")

    def same(self, output, what):
        for kernel in LAUNCH.findall("\n".join(self.lines)):
            command = [self.arguments.ptxrun, "--compare", self.input, output, "--kernel", kernel,
                       "--schedules", "3"]
            if any("whole-program" in option for option in self.arguments.options):
                command.append("--own-variables")
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                said = (run.stdout + run.stderr)[:500]
                self.fault(f"{what}: {kernel}: {said}")

    def assemble(self, output, what):
        for ptxas in self.arguments.ptxas:
            def accepts(path):
                run = subprocess.run([ptxas, "-c", "-arch=sm_90", path, "-o", "/dev/null"],
                                     capture_output=True, text=True)
                return run.returncode == 0, run.stdout + run.stderr
            accepted, message = accepts(output)
            if not accepted:
                was = "" if accepts(self.input)[0] else " (nor the input)"
                self.fault(f"{what}: {ptxas} does not accept it{was}: {message}")

    def run(self):
        output, text = self.optimize(self.input, "out.ptx")
        if text is None:
            return
        self.check_lines(text)
        self.same(output, "result")
        self.assemble(output, "result")
        _, again = self.optimize(output, "again.ptx")
        if again is not None and again != text:
            self.fault("a second run changes the result")
        if self.arguments.no_bisect:
            return
        for limit in range(MOST_CHANGES):
            output, partial = self.optimize(self.input, "part.ptx", f"--opt-bisect-limit={limit}")
            if partial is None or partial == text:
                break
            self.same(output, f"after {limit} changes")
            self.assemble(output, f"after {limit} changes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas", action="append", default=[])
    parser.add_argument("--passes", default="global-opt")
    parser.add_argument("--no-bisect", action="store_true")
    parser.add_argument("file")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments, folder)
        checker.run()
    print("\n".join(checker.faults[:20]))
    if not checker.marks:
        print(f"{arguments.file}: no line says what becomes of it")
    return 1 if checker.faults or not checker.marks else 0


if __name__ == "__main__":
    sys.exit(main())
