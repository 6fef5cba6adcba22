"""Holds dead-sync against what the kernels of a file say about their barriers.

Each barrier has a comment on its line:
    // goes                 removed at every precision
    // goes: objects        removed from that precision on
    // goes: only flags     removed at that precision, needed where another one has gone
    // stays                kept; taking it out by hand makes a difference that ptxrun sees
    // stays, unseen: WHY   kept; ptxrun cannot see the difference
Text behind these words is for the reader.  Every kernel with a LAUNCH comment must do what it did
before, as `ptxrun --compare` sees it; with --values by its results alone (ptxrun takes the end of a
thread for no synchronisation, and programs do).  With --ptxas the results must be accepted.
"""
import argparse
import re
import subprocess
import sys
import tempfile

PRECISIONS = ["flags", "objects", "affine"]
MARK = re.compile(r"\bbar(rier)?\.[^/]*;[^/]*//\s*(?P<word>goes|stays)(?P<rest>.*)$")
LAUNCH = re.compile(r'^// LAUNCH: .*"kernel": *"([^"]+)"')


class Barrier:
    def __init__(self, line, text, word, rest):
        self.line, self.text = line, text
        match = re.match(r":\s*(only )?(\w+)", rest)
        named = match and match.group(2) in PRECISIONS
        first = PRECISIONS.index(match.group(2)) if named else 0
        last = first if named and match.group(1) else len(PRECISIONS) - 1
        self.removed_at = range(first, last + 1) if word == "goes" else range(0)
        self.seen = not rest.lstrip().startswith(", unseen")

    def is_removed(self, precision):
        return precision in self.removed_at


def read(path):
    with open(path) as file:
        return file.read().split("\n")


def barriers_of(lines):
    found = []
    for number, text in enumerate(lines):
        match = MARK.search(text)
        if match:
            found.append(Barrier(number, text, match["word"], match["rest"]))
        elif re.match(r"\s*(@!?\S+\s+)?bar(rier)?\.(cta\.)?(sync|red|arrive)", text):
            sys.exit(f"line {number + 1}: what becomes of this barrier is not said")
    return found


def write(path, lines):
    with open(path, "w") as file:
        file.write("\n".join(lines))


class Checker:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.lines = read(arguments.file)
        self.barriers = barriers_of(self.lines)
        self.launches = [m.group(1) for m in map(LAUNCH.match, self.lines) if m]
        self.options = ["--no-races"] if arguments.values else []
        self.problems = []

    def optimize(self, precision):
        out = f"{self.folder}/{precision}.ptx"
        step = f"--passes=dead-sync<precision={precision}>"
        subprocess.run([self.arguments.ptxopt, "-q", "--verify-each", step, self.arguments.file,
                        "-o", out], check=True)
        return out

    # ptxrun's verdict on FILE against the input, for the kernels that the comments launch.
    def compare(self, path, kernels):
        worst, text = 0, ""
        for kernel in kernels:
            run = subprocess.run([self.arguments.ptxrun, "--compare", self.arguments.file, path,
                                  "--kernel", kernel, "--schedules",
                                  str(self.arguments.schedules), *self.options],
                                 capture_output=True, text=True)
            if run.returncode:
                worst, text = run.returncode, run.stdout + run.stderr
                break
        return worst, text

    def check_removed(self, precision, out):
        index = PRECISIONS.index(precision)
        left = [line for line in read(out) if MARK.search(line)]
        expected = [b.text for b in self.barriers if not b.is_removed(index)]
        for text in set(left) | set(expected):
            if left.count(text) != expected.count(text):
                what = "kept" if left.count(text) > expected.count(text) else "removed"
                self.problems.append(f"{precision}: {what}, but should not be: {text.strip()}")

    def kernel_around(self, line):
        name = None
        for text in self.lines[:line]:
            match = re.search(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)", text)
            if match and not text.startswith("//"):
                name = match.group(1)
        return name

    def check_needed(self, precision, out):
        index = PRECISIONS.index(precision)
        lines = read(out)
        for barrier in self.barriers:
            if barrier.is_removed(index) or not barrier.seen:
                continue
            kernel = self.kernel_around(barrier.line)
            kernels = [kernel] if kernel in self.launches else self.launches
            at = [k for k, text in enumerate(lines) if text == barrier.text]
            if len(at) != 1:
                self.problems.append(f"give it a comment of its own: {barrier.text.strip()}")
                continue
            path = f"{self.folder}/without.ptx"
            write(path, lines[:at[0]] + lines[at[0] + 1:])
            verdict, text = self.compare(path, kernels)
            if verdict != 2:
                self.problems.append(f"line {barrier.line + 1} of {kernel}: without it nothing "
                                     f"changes ({verdict}): {barrier.text.strip()}\n{text}")

    def check_accepted(self, path):
        run = subprocess.run([self.arguments.ptxas, "-arch", self.arguments.arch, path, "-o",
                              f"{self.folder}/out.cubin"], capture_output=True, text=True)
        if run.returncode:
            self.problems.append("ptxas: " + run.stderr)

    def run(self):
        for precision in PRECISIONS:
            out = self.optimize(precision)
            self.check_removed(precision, out)
            if self.arguments.ptxas:
                self.check_accepted(out)
                continue
            verdict, text = self.compare(out, self.launches)
            if verdict:
                self.problems.append(f"{precision}: ptxrun says {verdict}: {text}")
        if not self.arguments.ptxas:
            self.check_needed(PRECISIONS[-1], out)
        return self.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas", help="only check that it accepts the results")
    parser.add_argument("--values", action="store_true", help="look for no races")
    parser.add_argument("--schedules", type=int, default=20)
    arguments = parser.parse_args()
    targets = [line.split()[1].rstrip(",") for line in read(arguments.file)
               if line.startswith(".target")]
    arguments.arch = targets[0]
    with tempfile.TemporaryDirectory() as folder:
        problems = Checker(arguments, folder).run()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
