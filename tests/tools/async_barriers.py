#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evidence for the marks of barriers in tests/regress/dead-sync/async (see check_barriers.py there).

    async_barriers.py --ptxrun PTXRUN                    complaints, and a table of what was seen
    async_barriers.py --ptxrun PTXRUN --ptxas PTXAS ...  each of these accepts each file, if it knows its target

The kernels are launched as their LAUNCH lines say.  The whole kernel runs with one result and without
findings (but those that LAUNCH has under `expect`).  So it does without all barriers that may go, and
without all but any one of an `either`.  Without a barrier that stays as well, ptxrun has another
finding or another result; if the mark says `unseen`, it has none.  A barrier that `weakens` may be a
bar.warp.sync.  A line `// OPTIONS: OPTIONS` of a file gives options of ptxrun.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from sync_deletions import PATIENCE, SOURCE_DIR, run

FOLDER = os.path.join(SOURCE_DIR, "tests", "regress", "dead-sync", "async")
sys.path.insert(0, FOLDER)
import check_barriers  # noqa: E402

STEPS = 5_000_000
IN_PLACE = re.compile(r"(@!?%?[\w$]+\s+)?bar(rier)?\.[^;]*;")


class Kernel:
    """A launch, and the barriers that it reaches by their marks."""

    def __init__(self, arguments, path, launch, lines, barriers):
        self.arguments, self.path, self.lines = arguments, path, lines
        self.name, self.expected = launch["kernel"], set(launch.get("expect", []))
        self.barriers = [b for b in barriers if b.function in self.reached()]
        options = [m[1].split() for m in map(re.compile("// OPTIONS: (.*)").match, lines) if m]
        self.options = sum(options, [])

    def reached(self):
        """The entry, and the functions that it calls (by their names, at any depth)."""
        bodies, name = collections.defaultdict(str), None
        for line in self.lines:
            code = line.split("//")[0]
            function = check_barriers.FUNCTION.search(code)
            name = function[2] if function else name
            bodies[name] += code + "\n"
        found, left = set(), [self.name]
        while left:
            name = left.pop()
            found.add(name)
            left += [f for f in bodies if f and f not in found
                     and re.search(rf"\bcall\b[^;]*\b{re.escape(f)}\b", bodies[name])]
        return found

    def run(self, without=(), weaker=(), limit=STEPS):
        """Findings, results and steps without some barriers, whose lines stay, empty."""
        lines = list(self.lines)
        for barrier in without:
            lines[barrier.line - 1] = ""
        for barrier in weaker:
            lines[barrier.line - 1] = IN_PLACE.sub("bar.warp.sync -1;", lines[barrier.line - 1])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(self.path))
            with open(path, "w") as out:
                out.write("\n".join(lines))
            return run(self.arguments.ptxrun, path, self.name, self.arguments.schedules, limit,
                       self.options)

    def differences(self, without=(), weaker=()):
        findings, results, _ = self.run(without, weaker, PATIENCE * self.steps)
        kinds = sorted({kind for kind, *_ in findings - self.findings})
        return kinds or (["other-result"] if results != self.results else [])

    def judge(self):
        """(barrier, what was seen without it, complaint) for each mark."""
        self.findings, self.results, self.steps = self.run()
        unexpected = {f"{kind}:{line}" for kind, line, _ in self.findings if kind not in self.expected}
        unexpected |= {f"not found: {e}" for e in self.expected - {kind for kind, *_ in self.findings}}
        if unexpected or len(self.results) > 1 and not self.expected:
            return [(None, "", f"{len(self.results)} results, {' '.join(sorted(unexpected))}")]
        goes = [b for b in self.barriers if b.word == "goes"]
        groups = list(check_barriers.groups_of(self.barriers).values())
        for each in [goes] + [goes + [b for b in group if b is not kept]
                              for group in groups for kept in group]:
            seen = self.differences(each)
            if seen:
                places = ", ".join(str(b.line) for b in each)
                return [(None, "", f"without lines {places}: {' '.join(seen)}")]
        goes += [b for group in groups for b in group[:-1]]
        return [(b, *self.judge_one(b, goes)) for b in self.barriers]

    def judge_one(self, barrier, goes):
        if barrier.word == "goes":
            return "", ""
        # In a function that several kernels call, one of them may need it.
        seen = " ".join(self.differences(goes + [barrier]))
        needed = not barrier.unseen and barrier not in goes
        if needed != bool(seen) and barrier not in goes:
            return seen, "nothing is seen without it" if needed else f"but seen: {seen}"
        if barrier.word == "weakens" and self.differences(goes, [barrier]):
            return seen, "bar.warp.sync will not do"
        return seen, ""


def kernels_of(arguments, path):
    barriers = check_barriers.barriers_of(path)
    with open(path) as file:
        lines = file.read().split("\n")
    launches = [json.loads(m[1]) for m in map(re.compile(r"// LAUNCH: (\{.*\})$").match, lines) if m]
    kernels = [Kernel(arguments, path, launch, lines, barriers) for launch in launches]
    reached = {b for kernel in kernels for b in kernel.barriers}
    if len(reached) != len(barriers):
        sys.exit(f"{path}: no launch reaches line {min(b.line for b in set(barriers) - reached)}")
    return kernels


def accepted(ptxas, path):
    """What ptxas says against a file; nothing if it does not know the version or the target."""
    with open(path) as file:
        target = re.search(r"^\.target (\w+)", file.read(), re.M)[1]
    done = subprocess.run([ptxas, f"-arch={target}", path, "-o", os.devnull], capture_output=True,
                          text=True)
    known = not re.search("Unsupported .version|Value .* is not defined for option", done.stderr)
    return [f"{path}: {ptxas}: {done.stderr}"] if done.returncode and known else []


def merge(rows):
    """One row for each barrier: complaints count only if every kernel that reaches it has one."""
    merged = {}
    for kernel, (barrier, seen, complaint) in rows:
        key = (kernel.path, barrier.line) if barrier else (kernel.path, kernel.name, complaint)
        before = merged.get(key)
        if not before or before[3] and not complaint:
            merged[key] = (kernel, barrier, seen, complaint)
    return merged.values()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=sorted(glob.glob(os.path.join(FOLDER, "*.ptx"))))
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas", nargs="*", default=[])
    parser.add_argument("--schedules", type=int, default=60)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    complaints = [c for path in arguments.files for p in arguments.ptxas for c in accepted(p, path)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        kernels = [k for path in arguments.files for k in kernels_of(arguments, path)]
        rows = [(kernel, row) for kernel, judged in zip(kernels, pool.map(Kernel.judge, kernels))
                for row in judged]
    counts = collections.Counter()
    print("file\tkernel\tline\tmark\trule\tseen")
    for kernel, barrier, seen, complaint in merge(rows):
        name = os.path.relpath(kernel.path, FOLDER)
        if complaint:
            line = f":{barrier.line}" if barrier else ""
            complaints.append(f"{name}{line}: {kernel.name}: {complaint}")
        if barrier:
            counts[barrier.word] += 1
            counts["unseen"] += bool(barrier.unseen)
            what = seen or (f"unseen: {barrier.unseen}" if barrier.unseen else "")
            print("\t".join([name, kernel.name, str(barrier.line), barrier.word, barrier.rule, what]))
    print("\n".join(complaints))
    print(f"{len(kernels)} launches; " + ", ".join(f"{counts[w]} {w}" for w in sorted(counts)))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
