# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the barrier passes against what the kernels of a file say about their barriers.

Each barrier has a comment on its line:
    // goes                 removed at every precision
    // goes: objects        removed from that precision on
    // goes: only flags     removed at that precision, needed where another one has gone
    // guarded              kept, but dead-sync<guard> leaves it out of some launches
    // weakened             kept, but warp-sync makes bar.warp.sync of it
    // stays                kept; taking it out by hand makes a difference that ptxrun sees
    // stays, unseen: WHY   kept; ptxrun cannot see the difference (also: guarded, weakened)
    // goes: assuming A, B  needs these of the assumptions that an ASSUME comment gives as options
Text after these words is for the reader.  Every kernel with a LAUNCH comment must do what it did
before, as `ptxrun --compare` sees it; with --values by its results alone (ptxrun takes the end of a
thread for no synchronisation, and programs do).  With --ptxas the results must be accepted.

With an ASSUME comment dead-sync runs without and with those options, at its finest precision, and its
remarks must name the assumptions.  The launches are such that they are true.

--guard and --warp-sync try that pass alone, not dead-sync at its precisions.  With --guard every
kernel is launched in one row, which leaves guarded barriers out, and in several, which executes
them: without a guarded barrier those of several rows must differ, without one that stays those of
one row.  Comments with options of ptxrun can say other launches of both kinds:

    // LEAVES OUT: --arg buffer:4K --arg buffer:4K
    // EXECUTES: --arg buffer:8K --arg &arg0+4

With --warp-sync no weakened barrier may be left out, and one that stays may not be weakened by hand
either.
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile

PRECISIONS = ["flags", "objects", "affine"]
WORDS = "goes|guarded|weakened|stays"
MARK = re.compile(rf"\bbar(rier)?\.[^/]*;[^/]*//\s*(?P<word>{WORDS})(?P<rest>.*)$")
BARRIER = re.compile(r"\s*(@!?\S+\s+)?bar(rier)?\.(cta\.)?(sync|red|arrive)")
ASSUME = re.compile(r"^// ASSUME: (.*)")
LAUNCH = re.compile(r'^// LAUNCH: .*"kernel": *"([^"]+)"')
KIND = re.compile(r"^// (LEAVES OUT|EXECUTES): (.*)")
ONE_ROW = [["--block", "64"]]
SEVERAL_ROWS = [["--block", "32,2"], ["--block", "4,4,4"]]


class Barrier:
    def __init__(self, line, text, word, rest):
        self.line, self.text, self.word = line, text, word
        assuming = re.match(r":\s*assuming (.*)", rest)
        self.assumptions = assuming.group(1).split(", ") if assuming else []
        match = re.match(r":\s*(only )?(\w+)", rest)
        named = match and match.group(2) in PRECISIONS
        first = PRECISIONS.index(match.group(2)) if named else 0
        last = first if named and match.group(1) else len(PRECISIONS) - 1
        self.removed_at = range(first, last + 1) if word == "goes" else range(0)
        self.seen = not rest.lstrip().startswith(", unseen")
        self.comment = text[text.index("//"):]


class Mode:
    """A way to call ptxopt, and what it does to a barrier."""

    # Launches: lists of options of ptxrun, of those that leave out guarded barriers and of others.
    def __init__(self, name, passes, fate_of, leaving_out=([],), executing=(), options=()):
        self.name, self.passes, self.fate_of, self.options = name, passes, fate_of, options
        self.leaving_out, self.executing = list(leaving_out), list(executing)

    @property
    def launches(self):
        return self.leaving_out + self.executing


def of_precision(index):
    def fate_of(barrier):
        return "removed" if index in barrier.removed_at else "kept"
    name = PRECISIONS[index]
    return Mode(name, f"dead-sync<precision={name}>", fate_of)


def of_guard(barrier):
    return {"goes": "removed", "guarded": "guarded"}.get(barrier.word, "kept")


def of_warp_sync(barrier):
    return "weakened" if barrier.word == "weakened" else "kept"


def of_assumptions(options):
    def fate_of(barrier):
        removed = barrier.word == "goes" and (options or not barrier.assumptions)
        return "removed" if removed else "kept"
    return Mode("assuming" if options else "alone", "dead-sync", fate_of, options=options)


GUARD = Mode("guard", "dead-sync<guard>", of_guard, ONE_ROW, SEVERAL_ROWS)
WARP_SYNC = Mode("warp-sync", "warp-sync", of_warp_sync)


def read(path):
    with open(path) as file:
        return file.read().split("\n")


def barriers_of(lines):
    found = []
    for number, text in enumerate(lines):
        match = MARK.search(text)
        if match:
            found.append(Barrier(number, text, match["word"], match["rest"]))
        elif BARRIER.match(text):
            sys.exit(f"line {number + 1}: what becomes of this barrier is not said")
    return found


def write(path, lines):
    with open(path, "w") as file:
        file.write("\n".join(lines))


def fate_in(line):
    if re.match(r"\s*@%p_(many_rows|other_block|may_meet|either)_* bar", line):
        return "guarded"
    return "weakened" if re.match(r"\s*bar\.warp\.sync", line) else "kept"


class Checker:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.lines = read(arguments.file)
        self.barriers = barriers_of(self.lines)
        self.launches = [m.group(1) for m in map(LAUNCH.match, self.lines) if m]
        self.options = ["--no-races"] if arguments.values else []
        self.problems = []

    def optimize(self, mode):
        out = f"{self.folder}/{mode.name}.ptx"
        subprocess.run([self.arguments.ptxopt, "-q", "--verify-each", f"--passes={mode.passes}",
                        *mode.options, f"--remarks={self.folder}/remarks", self.arguments.file, "-o",
                        out], check=True)
        if mode.options:
            self.check_assumptions()
        return out

    def check_assumptions(self):
        with open(f"{self.folder}/remarks") as file:
            named = {r["ptx"]["line"]: r["assumptions"] for r in map(json.loads, file)
                     if r["kind"] == "passed"}
        for barrier in self.barriers:
            names = named.get(barrier.line + 1, [])
            if names != barrier.assumptions:
                self.problems.append(f"named are {names}: {barrier.text.strip()}")

    # ptxrun's verdict on FILE against the input, for the kernels that the comments launch.
    def limits(self):
        limit = self.arguments.step_limit
        return ["--step-limit", limit] if limit else []

    def compare(self, path, kernels, launches):
        for kernel in kernels:
            for launch in launches:
                run = subprocess.run([self.arguments.ptxrun, "--compare", self.arguments.file, path,
                                      "--kernel", kernel, "--schedules",
                                      str(self.arguments.schedules), *self.limits(), *self.options,
                                      *launch],
                                     capture_output=True, text=True)
                if run.returncode:
                    return run.returncode, run.stdout + run.stderr
        return 0, ""

    def check_fates(self, mode, out):
        left = [(line[line.index("//"):], fate_in(line)) for line in read(out) if MARK.search(line)]
        expected = [(b.comment, mode.fate_of(b)) for b in self.barriers
                    if mode.fate_of(b) != "removed"]
        for one in set(left) | set(expected):
            if left.count(one) != expected.count(one):
                what = "is" if left.count(one) > expected.count(one) else "should be"
                self.problems.append(f"{mode.name}: {what} {one[1]}: {one[0]}")

    def kernel_around(self, line):
        name = None
        for text in self.lines[:line]:
            match = re.search(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)", text)
            if match and not text.startswith("//"):
                name = match.group(1)
        return name

    # What a line could wrongly become, and the launches that must see it.
    def wrong_lines(self, mode, fate, line):
        if mode is GUARD:
            return [("", mode.executing if fate == "guarded" else mode.leaving_out)]
        if mode is WARP_SYNC and fate == "kept":
            return [(re.sub(r"bar(rier)?\.[^;]*;", "bar.warp.sync -1;", line), mode.launches)]
        return [("", mode.launches)]

    def check_needed(self, mode, out):
        lines = read(out)
        for barrier in self.barriers:
            fate = mode.fate_of(barrier)
            if fate == "removed" or not barrier.seen:
                continue
            kernel = self.kernel_around(barrier.line)
            kernels = [kernel] if kernel in self.launches else self.launches
            at = [k for k, text in enumerate(lines)
                  if text.endswith(barrier.comment) and fate_in(text) == fate]
            if fate == "kept":
                at = [k for k in at if lines[k] == barrier.text]
            if len(at) != 1:
                self.problems.append(f"give it a comment of its own: {barrier.text.strip()}")
                continue
            for line, launches in self.wrong_lines(mode, fate, lines[at[0]]):
                path = f"{self.folder}/wrong.ptx"
                write(path, lines[:at[0]] + [line] * bool(line) + lines[at[0] + 1:])
                verdict, text = self.compare(path, kernels, launches)
                if verdict != 2:
                    instead = f"with {line.strip()}" if line else "without it"
                    self.problems.append(f"line {barrier.line + 1} of {kernel}: {instead} nothing "
                                         f"changes ({verdict}): {barrier.text.strip()}\n{text}")

    def check_accepted(self, path):
        run = subprocess.run([self.arguments.ptxas, "-arch", self.arguments.arch, path, "-o",
                              f"{self.folder}/out.cubin"], capture_output=True, text=True)
        if run.returncode:
            self.problems.append("ptxas: " + run.stderr)

    def run(self, modes):
        for mode in modes:
            out = self.optimize(mode)
            self.check_fates(mode, out)
            if self.arguments.ptxas:
                self.check_accepted(out)
                continue
            verdict, text = self.compare(out, self.launches, mode.launches)
            if verdict:
                self.problems.append(f"{mode.name}: ptxrun says {verdict}: {text}")
        if not self.arguments.ptxas:
            self.check_needed(modes[-1], out)
        return self.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--step-limit", help="of ptxrun: without a barrier threads may wait for ever")
    parser.add_argument("--ptxas", help="only check that it accepts the results")
    parser.add_argument("--guard", action="store_const", const=GUARD, dest="mode")
    parser.add_argument("--warp-sync", action="store_const", const=WARP_SYNC, dest="mode")
    parser.add_argument("--values", action="store_true", help="look for no races")
    parser.add_argument("--schedules", type=int, default=20)
    arguments = parser.parse_args()
    modes = [arguments.mode] if arguments.mode else list(map(of_precision, range(len(PRECISIONS))))
    lines = read(arguments.file)
    kinds = [match.groups() for match in map(KIND.match, lines) if match]
    if kinds and arguments.mode is GUARD:
        GUARD.leaving_out = [shlex.split(o) for kind, o in kinds if kind == "LEAVES OUT"]
        GUARD.executing = [shlex.split(o) for kind, o in kinds if kind == "EXECUTES"]
    for match in filter(None, map(ASSUME.match, lines)):
        modes = [of_assumptions([]), of_assumptions(shlex.split(match.group(1)))]
    targets = [line.split()[1].rstrip(",") for line in lines if line.startswith(".target")]
    arguments.arch = targets[0]
    with tempfile.TemporaryDirectory() as folder:
        problems = Checker(arguments, folder).run(modes)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
