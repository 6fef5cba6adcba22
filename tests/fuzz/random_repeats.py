#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts waits, fences and cluster barriers twice into kernels that run, and compares before and after dead-wait.

Usage: random_repeats.py --ptxopt PROGRAM --ptxrun PROGRAM [--seed N] [--count N] [--out FOLDER] FOLDER...

The kernels are those of the PTX files below the folders that describe a launch. Each gets one to six
statements more: a loop that waits on an mbarrier once more, at once or some statements later; a pair of
cluster barriers; a fence, wait or commit that is there, or another one, at any place, under a guard or
not. What dead-wait alone, -O2 or -O3 makes of it must do the same. A kernel that is wrong to begin with
proves nothing, and is counted as inconclusive.

Then one wait or fence of the result is taken out by hand: the last figure says how often that is seen. A run in
which it never is fails, since it would see no fault.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

VERDICTS = {0: "the same", 2: "DIFFERENT", 3: "inconclusive", 1: "not run"}
LAUNCH = re.compile(r"^// LAUNCH: (\{.*\})$", re.MULTILINE)
LOOP = re.compile(r"^\s*([\w$]+):\s*\n(\s*mbarrier\.(?:try|test)_wait\.parity[^\n]*;[^\n]*)\n"
                  r"(\s*@!?%?[\w$]+ bra(?:\.uni)? \1;[^\n]*)\n", re.MULTILINE)
PAIR = re.compile(r"^\s*barrier\.cluster\.arrive[^\n]*;[^\n]*\n\s*barrier\.cluster\.wait[^\n]*;[^\n]*\n", re.MULTILINE)
GUARD = r"(?:@!?%?[\w$]+\s+)?"
STATEMENT = re.compile(
    rf"^\s*{GUARD}(?:cp\.async\.(?:bulk\.)?(?:commit_group|wait_group|wait_all)|fence\b|membar|bar\.warp"
    r"|griddepcontrol\.wait|tcgen05\.(?:wait|fence)|wgmma\.fence)[^\n]*;[^\n]*$")
INSTRUCTION = re.compile(rf"^\s+{GUARD}[a-z][\w.:]*(?:\s[^\n]*)?;")
PREDICATE = re.compile(r"^\s+setp[\w.]*\s+(%[\w$]+),")
OTHERS = ["membar.gl;", "membar.cta;", "membar.sys;", "fence.acq_rel.gpu;", "fence.proxy.async;",
          "fence.proxy.async.shared::cta;"]
WORDS = ("fence", "membar", "mbarrier", "barrier.cluster", "cp.async")
MOST_BYTES = 120_000
STEPS = "1000000"


def code(line):
    return line.split("//")[0].rstrip()


def repeat_loop(text, rng):
    loops = list(LOOP.finditer(text))
    if not loops:
        return None
    loop = rng.choice(loops)
    label, at = f"AGAIN{rng.randrange(10**9)}", loop.end()
    if rng.random() < 0.4:
        at += sum(len(line) + 1 for line in text[at:].split("\n")[:rng.randint(1, 6)])
    branch = code(loop[3]).replace(f"{loop[1]};", f"{label};")
    return f"{text[:at]}{label}:\n{code(loop[2])}\n{branch}\n{text[at:]}"


def repeat_pair(text, rng):
    pairs = list(PAIR.finditer(text))
    if not pairs:
        return None
    pair = rng.choice(pairs)
    again = "\n".join(map(code, pair[0].split("\n")))
    if rng.random() < 0.3 and ".relaxed" not in again and ".release" not in again:
        again = again.replace(".arrive", ".arrive.relaxed")
    at = pair.end() if rng.random() < 0.6 else pair.start()
    return text[:at] + again + text[at:]


def guarded(statement, lines, at, rng):
    """Under a predicate that is set some lines above."""
    predicates = [m[1] for m in map(PREDICATE.match, lines[max(0, at - 60):at]) if m]
    if not predicates or rng.random() < 0.5 or statement.startswith(("bar.warp", "wgmma", "tcgen05")):
        return statement
    return f"@{'!' if rng.random() < 0.3 else ''}{rng.choice(predicates)} {statement}"


def add_statement(text, rng):
    lines = text.split("\n")
    places = [k for k, line in enumerate(lines) if INSTRUCTION.match(line) and not line.strip().startswith(".")]
    known = [k for k, line in enumerate(lines) if STATEMENT.match(line)]
    if not places:
        return None
    if known and rng.random() < 0.6:
        at = rng.choice(known)
        statement = code(lines[at]).strip()
        if rng.random() < 0.5:
            statement = re.sub(rf"^{GUARD}", "", statement)
    else:
        at, statement = rng.choice(places), rng.choice(OTHERS)
    if not statement.startswith("@"):
        statement = guarded(statement, lines, at, rng)
    at += rng.choice([0, 1, 1, rng.randint(1, 8)])
    behind = [k for k in places if k >= at]
    if not behind:
        return None
    lines[behind[0]:behind[0]] = ["\t" + statement] * rng.choice([1, 1, 2])
    return "\n".join(lines)


def changed(text, rng):
    """None if nothing fitted."""
    before = text
    for _ in range(rng.randint(1, 6)):
        change = rng.choices([repeat_loop, repeat_pair, add_statement], [35, 15, 50])[0]
        text = change(text, rng) or text
    return text if text != before else None


def without_one(text, rng):
    lines = text.split("\n")
    known = [k for k, line in enumerate(lines) if STATEMENT.match(line)]
    if not known:
        return None
    del lines[rng.choice(known)]
    return "\n".join(lines)


def compare(ptxrun, before, after, kernel):
    try:
        run = subprocess.run([ptxrun, "--compare", before, after, "--kernel", kernel, "--schedules", "8", "--step-limit",
                              STEPS, "--strict-proxies"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "inconclusive"
    return VERDICTS.get(run.returncode, "not run")


def files_below(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.ptx")):
            text = path.read_text(errors="replace")
            if LAUNCH.search(text) and any(word in text for word in WORDS) and len(text) < MOST_BYTES:
                yield path, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path, help="where kernels go that differ")
    arguments = parser.parse_args()
    files = list(files_below(arguments.folders))
    counts, removed, seen = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        before, after, broken = (f"{folder}/{name}.ptx" for name in ("before", "after", "broken"))
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            rng = random.Random(seed)
            path, text = rng.choice(files)
            kernel = rng.choice(sorted({json.loads(m).get("kernel", "") for m in LAUNCH.findall(text)}))
            new = changed(text, rng)
            if new is None or not kernel:
                continue
            pathlib.Path(before).write_text(new)
            how = rng.choice(["--passes=dead-wait", "-O2", "-O3"])
            done = subprocess.run([arguments.ptxopt, how, "-q", "--verify-each", "--remarks=-", before, "-o", after],
                                  capture_output=True, text=True)
            if done.returncode:
                counts["not PTX"] += 1
                if "internal" in done.stderr:
                    sys.exit(f"seed {seed}: {path}: {done.stderr}")
                continue
            for remark in map(json.loads, done.stdout.splitlines()):
                if remark["pass"] == "dead-wait" and remark["kind"] == "passed":
                    removed[remark["message"].split(": ", 1)[1]] += 1
            verdict = compare(arguments.ptxrun, before, after, kernel)
            counts[verdict] += 1
            if verdict == "DIFFERENT":
                print(f"seed {seed}: {how}: {kernel} of {path}", flush=True)
                if arguments.out:
                    arguments.out.mkdir(parents=True, exist_ok=True)
                    for name in (before, after):
                        (arguments.out / f"{seed}_{pathlib.Path(name).name}").write_text(pathlib.Path(name).read_text())
            less = without_one(pathlib.Path(after).read_text(), rng)
            if verdict == "the same" and less:
                pathlib.Path(broken).write_text(less)
                seen[compare(arguments.ptxrun, after, broken, kernel) == "DIFFERENT"] += 1
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    for why, count in removed.most_common():
        print(f"{count:6} removed: {why}")
    print(f"{seen[True]} of {seen.total()} that are taken out by hand are seen")
    return 2 if counts["DIFFERENT"] else 1 if not seen[True] else 0


if __name__ == "__main__":
    sys.exit(main())
