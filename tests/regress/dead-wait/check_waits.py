# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds dead-wait against the marks of waits and fences, and the marks against ptxrun.

    check_waits.py --ptxopt PTXOPT --ptxrun PTXRUN [--ptxas PTXAS] FILE

Each wait, commit and fence of the file has a mark, a comment on its line:
    // goes: WHY (RULE)                removed
    // stays: WHY (RULE)               kept.  Without it, and without all that goes, ptxrun has another
                                       finding or another result than with it
    // stays, unseen: WHY (RULE)       kept, and ptxrun cannot see the difference
Waits on an mbarrier and barriers of the cluster may have one.  The branches of a loop around a wait
have a comment `// with it`, and so has the barrier.cluster.wait of an arrival.
The kernels run as their LAUNCH lines say, with --strict-proxies and the options of a line
`// OPTIONS: OPTIONS`: before and after with one result and without findings (but those that LAUNCH has
under `expect`).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

WAIT = re.compile(
    r"^\s*(@!?%?[\w$]+\s+)?(cp\.async\.(bulk\.)?(commit_group|wait_group|wait_all)|wgmma\.(fence|commit_group|wait_group)"
    r"|tcgen05\.(wait|fence)|fence\b|membar|bar\.warp|griddepcontrol\.wait)")
OTHER = re.compile(r"^\s*(mbarrier\.(try|test)_wait|barrier\.cluster)")  # with a mark or without
WITH_IT = re.compile(r"// with it$")
MARK = re.compile(r"//\s*(?P<word>stays|goes)(?P<unseen>, unseen)?: (?P<why>.*\(H[\d., H]+\))$")
ENTRY = re.compile(r"\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)\s*\(")
STEPS = 1_000_000


class Wait:
    def __init__(self, line, kernel, match):
        self.line, self.kernel = line, kernel  # None: in a function
        self.goes, self.unseen, self.why = match["word"] == "goes", bool(match["unseen"]), match["why"]


def is_judged(line):
    return WAIT.match(line) or OTHER.match(line) and MARK.search(line.rstrip())


def waits_of(path, lines):
    found, kernel = [], None
    for number, line in enumerate(lines, 1):
        entry = ENTRY.search(line.split("//")[0])
        kernel = (entry[2] if entry[1] == "entry" else None) if entry else kernel
        match = MARK.search(line.rstrip())
        if is_judged(line):
            if not match:
                sys.exit(f"{path}:{number}: what becomes of it, and by which rule?")
            found.append(Wait(number, kernel, match))
    return found


def run(arguments, folder, lines, kernel, options):
    """(kinds of findings and their lines, results)"""
    path = os.path.join(folder, "k.ptx")
    with open(path, "w") as out:
        out.write("\n".join(lines))
    done = subprocess.run([arguments.ptxrun, path, "--kernel", kernel, "--schedules", str(arguments.schedules),
                           "--strict-proxies", "--step-limit", str(STEPS), "--json", *options],
                          capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{done.stderr}\n{arguments.file}: {kernel}")
    findings = {(f["kind"], *((f[place] or {}).get("line") for place in ("place", "other")))
                for f in report["findings"]}
    return findings, {o["checksum"] for o in report["outcomes"]}


def without(lines, waits):
    dropped = {wait.line for wait in waits}
    for number, line in enumerate(lines, 1):
        if number - 1 in dropped and WITH_IT.search(line):
            dropped.add(number)
    return ["" if number in dropped else line for number, line in enumerate(lines, 1)]


def judge(arguments, folder, lines, launch, waits, options):
    """Complaints about the marks of one kernel."""
    kernel = launch["kernel"]
    expected = set(launch.get("expect", []))
    whole = run(arguments, folder, lines, kernel, options)
    kinds = {kind for kind, *_ in whole[0]}
    if kinds - expected or len(whole[1]) > 1 and not expected:
        return [f"{kernel}: {len(whole[1])} results, {sorted(whole[0])}"]
    gone = [wait for wait in waits if wait.goes]
    left = without(lines, gone)
    if run(arguments, folder, left, kernel, options) != whole:
        return [f"{kernel}: without what goes it does something else"]
    problems = []
    for wait in waits:
        if wait.goes:
            continue
        findings, results = run(arguments, folder, without(left, [wait]), kernel, options)
        seen = sorted({kind for kind, *_ in findings - whole[0]}) or (["another result"] if results - whole[1] else [])
        if bool(seen) == wait.unseen:
            problems.append(f"line {wait.line}: {wait.why}: without it: {' '.join(seen) or 'nothing'}")
    return problems


def removed_by(arguments, folder, lines, before):
    out, remarks = os.path.join(folder, "out.ptx"), os.path.join(folder, "remarks")
    subprocess.run([arguments.ptxopt, "-q", "--verify-each", "--passes=dead-wait", f"--remarks={remarks}",
                    arguments.file, "-o", out], check=True)
    with open(remarks) as file:
        removed = {r["ptx"]["line"] for r in map(json.loads, file) if r["kind"] == "passed"}
    # The wait of a pair has a remark of its own.
    removed -= {line for line in removed if WITH_IT.search(lines[line - 1])}
    with open(out) as file:
        left = sum(bool(is_judged(line)) for line in file)
    if before - left != len(removed):
        sys.exit(f"{arguments.file}: {len(removed)} remarks, but of {before} statements are {left} left")
    return out, removed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--schedules", type=int, default=14)
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        lines = file.read().split("\n")
    waits = waits_of(arguments.file, lines)
    options = sum((m[1].split() for m in map(re.compile("// OPTIONS: (.*)").match, lines) if m), [])
    with tempfile.TemporaryDirectory() as folder:
        out, removed = removed_by(arguments, folder, lines, len(waits))
        problems = [f"line {w.line}: {'kept' if w.goes else 'removed'}: {w.why}"
                    for w in waits if w.goes != (w.line in removed)]
        launches = [json.loads(m[1]) for m in map(re.compile(r"// LAUNCH: (\{.*\})$").match, lines) if m]
        for launch in launches:
            of_kernel = [w for w in waits if w.kernel == launch["kernel"]]
            problems += judge(arguments, folder, lines, launch, of_kernel, options)
        if {w.kernel for w in waits if w.kernel} - {launch["kernel"] for launch in launches}:
            problems.append("a kernel has no line LAUNCH")
        target = re.search(r"^\.target (\w+)", "\n".join(lines), re.M)[1]
        for path in (arguments.file, out) if arguments.ptxas else ():
            done = subprocess.run([arguments.ptxas, f"-arch={target}", path, "-o", os.devnull],
                                  capture_output=True, text=True)
            problems += [done.stderr] if done.returncode else []
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
