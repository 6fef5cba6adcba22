#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels under random facts of their launches, some of them false (docs/launches.md).

Usage: random_launches.py --random-kernels PROGRAM --ptxopt PROGRAM --ptxrun PROGRAM
                          [--ptxas PROGRAM] [--seed N] [--count N] [--out FOLDER]

Each kernel gets true facts, and others that are false in one number: of the block, the grid, the
dynamic shared memory or an argument.  With true facts the result, trusted or enforced, must do what
the kernel did.  With --enforce and a false fact the launch must be refused, as the driver would, or
trap, or do what the kernel did: nothing else.  Prints a line of counts; the exit status is 1 if
something else happened.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

BIASES = ["none", "barriers", "redundancy", "phis", "addresses", "leaders", "variables", "pointers",
          "rules"]
LAUNCH = "// LAUNCH: "


def output(*command):
    return subprocess.run(command, capture_output=True, text=True)


class Outcome:
    """What ptxrun says of a launch."""

    def __init__(self, ptxrun, path):
        result = output(ptxrun, path, "--json", "--step-limit", "2000000")
        self.is_refused = result.returncode == 1 and "the kernel takes a block" in result.stderr
        if self.is_refused:
            return
        if not result.stdout:
            sys.exit(f"ptxrun: {result.stderr}")
        report = json.loads(result.stdout)
        self.kinds = {finding["kind"] for finding in report["findings"]}
        self.outcomes = report["outcomes"]

    @property
    def traps(self):
        return not self.is_refused and "trap" in self.kinds


def numbers_of(launch):
    """The arguments that are one number, by name."""
    numbers = {}
    for k, argument in enumerate(launch["args"]):
        kind, _, value = argument.partition(":")
        if kind[0] in "us" and kind[1:].isdigit() and "," not in value:
            numbers[f"arg{k}"] = int(value)
        elif kind in ("f32", "f64"):
            numbers[f"arg{k}"] = float(value)
    return numbers


def true_facts(launch, draw):
    facts = {"block": launch["block"], "grid": launch["grid"], "shared": launch["shared"],
             "args": numbers_of(launch)}
    kept = {name: fact for name, fact in facts.items() if draw.random() < 0.7}
    if "block" not in kept and draw.random() < 0.5:
        threads = 1
        for extent in launch["block"]:
            threads *= extent
        kept["max_threads"] = threads
    return kept


def falsified(facts, draw):
    """One number of it is another one; None if there is none."""
    facts = json.loads(json.dumps(facts))
    places = [(facts[name], k) for name in ("block", "grid") if name in facts
              for k in range(len(facts[name]))]
    places += [(facts, name) for name in ("shared", "max_threads") if name in facts]
    places += [(facts["args"], name) for name in facts.get("args", {})]
    if not places:
        return None
    where, name = draw.choice(places)
    least = 0 if where is facts.get("args") or name == "shared" else 1
    old = where[name]
    where[name] = draw.choice([value for value in (old + 1, old - 1, 2 * old + 1, 1)
                               if value >= least and value != old])
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for program in ("random-kernels", "ptxopt", "ptxrun"):
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    counts = dict.fromkeys(("same", "refused", "trapped", "inconclusive", "failed"), 0)

    def judge(seed, text, facts, is_true, flags):
        original = folder / "in.ptx"
        original.write_text(text)
        result = folder / "out.ptx"
        (folder / "launch.json").write_text(json.dumps({"kernels": facts}))
        made = output(options.ptxopt, original, "-o", result, "--launch", folder / "launch.json",
                      *flags)
        problem = made.stderr if made.returncode != 0 else None
        if problem is None and options.ptxas:
            assembled = output(options.ptxas, "-arch=sm_90", result, "-o", folder / "out.cubin")
            # It crashes on some kernels as they are.
            crashes = output(options.ptxas, "-arch=sm_90", original, "-o", folder / "in.cubin").returncode
            problem = assembled.stderr if assembled.returncode != 0 and not crashes else None
        if problem is None:
            before, after = Outcome(options.ptxrun, original), Outcome(options.ptxrun, result)
            if before.kinds:
                counts["inconclusive"] += 1
            elif not after.is_refused and (after.outcomes, after.kinds) == (before.outcomes, set()):
                counts["same"] += 1
            elif not is_true and after.is_refused:
                counts["refused"] += 1
            elif not is_true and after.traps:
                counts["trapped"] += 1
            else:
                problem = "another result"
        if problem is not None:
            counts["failed"] += 1
            print(f"seed {seed}: {problem.strip()} with {json.dumps(facts)} {' '.join(flags)}")
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                (options.out / f"{seed}.ptx").write_text(text)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(options.seed, options.seed + options.count):
            draw = random.Random(seed)
            text = output(options.random_kernels, "--print", "--seed", str(seed), "--bias",
                          BIASES[seed % len(BIASES)]).stdout
            line = next(line for line in text.splitlines() if line.startswith(LAUNCH))
            launch = json.loads(line[len(LAUNCH):])
            facts = true_facts(launch, draw)
            level = draw.choice(["-O1", "-O2", "-O3"])
            for flags in ([level], [level, "--enforce"]):
                judge(seed, text, {launch["kernel"]: facts}, True, flags)
            false = falsified(facts, draw)
            if false is not None:
                judge(seed, text, {launch["kernel"]: false}, False, [level, "--enforce"])
    print(f"{options.count} kernels: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
