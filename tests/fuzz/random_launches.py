#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels under random facts of their launches, some of them false (docs/launches.md).

Usage: random_launches.py --random-kernels PROGRAM --ptxopt PROGRAM --ptxrun PROGRAM
                          [--ptxas PROGRAM] [--bias NAME ...] [--seed N] [--count N] [--out FOLDER]

Each kernel gets true facts, and others that are false in one number: of the block, the grid, the
cluster, the dynamic shared memory, an argument or a bound of it.  With true facts the result,
trusted, enforced or dispatched, must do what the kernel did.  With --enforce and a false fact the
launch must be refused, as the driver would, or trap, or do what the kernel did: nothing else.  With
--dispatch it must not trap, unless a warning says that there is no second path.  Prints a line of
counts; the exit status is 1 if something else happened.
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


def true_range(number, draw):
    """Bounds and a factor of an integer."""
    bounds = {"min": number - draw.choice([0, 1, 7, 1000]), "max": number + draw.choice([0, 1, 7]),
              "multiple_of": draw.choice([1, number & -number or 8])}
    if number >= 0:
        bounds["min"] = max(bounds["min"], 0)
    return {name: bound for name, bound in bounds.items() if draw.random() < 0.7}


def true_arguments(launch, draw):
    arguments = {}
    for name, number in numbers_of(launch).items():
        is_integer = isinstance(number, int)
        arguments[name] = true_range(number, draw) if is_integer and draw.random() < 0.5 else number
    for k, argument in enumerate(launch["args"]):
        if argument.startswith("buffer") and draw.random() < 0.3:
            arguments[f"arg{k}"] = {"align": 16}
    return arguments


def launch_of(text):
    """What the text says of its launch, each shape as a list."""
    line = next(line for line in text.splitlines() if line.startswith(LAUNCH))
    launch = json.loads(line[len(LAUNCH):])
    for name in ("block", "grid"):
        if isinstance(launch[name], int):
            launch[name] = [launch[name]]
    launch.setdefault("shared", 0)
    return launch


def true_facts(launch, draw):
    facts = {"block": launch["block"], "grid": launch["grid"], "shared": launch["shared"],
             "cluster": launch.get("cluster", [1, 1, 1]), "args": true_arguments(launch, draw)}
    kept = {name: fact for name, fact in facts.items() if draw.random() < 0.7}
    if "block" not in kept and draw.random() < 0.5:
        threads = 1
        for extent in launch["block"]:
            threads *= extent
        kept["max_threads"] = threads
    return kept


def falsify_range(bounds, number):
    """Excludes the number."""
    if "max" in bounds and number > 0:
        bounds["max"] = number - 1
        bounds.pop("min", None)
        bounds.pop("multiple_of", None)
    elif number % 2:
        bounds["multiple_of"] = 2
    else:
        bounds.clear()
        bounds["min"] = number + 1


def falsified(facts, launch, draw):
    """One number of it is another one; None if there is none."""
    facts = json.loads(json.dumps(facts))
    numbers = numbers_of(launch)
    ranges = [name for name, known in facts.get("args", {}).items()
              if isinstance(known, dict) and name in numbers]
    if ranges and draw.random() < 0.4:
        name = draw.choice(ranges)
        falsify_range(facts["args"][name], numbers[name])
        return facts
    places = [(facts[name], k) for name in ("block", "grid", "cluster") if name in facts
              for k in range(len(facts[name]))]
    places += [(facts, name) for name in ("shared", "max_threads") if name in facts]
    places += [(facts["args"], name) for name, known in facts.get("args", {}).items()
               if not isinstance(known, dict)]
    if not places:
        return None
    where, name = draw.choice(places)
    least = 0 if where is facts.get("args") or name == "shared" else 1
    old = where[name]
    where[name] = draw.choice([value for value in (old + 1, old - 1, 2 * old + 1, 1)
                               if value >= least and value != old])
    return facts


def is_dispatched(warnings, flags):
    return "--dispatch" in flags and "no second path" not in warnings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for program in ("random-kernels", "ptxopt", "ptxrun"):
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--bias", nargs="+", default=BIASES, help="of the kernels, in turn")
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
            elif not is_true and after.traps and not is_dispatched(made.stderr, flags):
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
                          options.bias[seed % len(options.bias)]).stdout
            launch = launch_of(text)
            facts = true_facts(launch, draw)
            level = draw.choice(["-O1", "-O2", "-O3"])
            enforced = [level, "--enforce"]
            dispatched = [*enforced, "--dispatch"]
            for flags in ([level], enforced, dispatched):
                judge(seed, text, {launch["kernel"]: facts}, True, flags)
            false = falsified(facts, launch, draw)
            for flags in (enforced, dispatched) if false is not None else ():
                judge(seed, text, {launch["kernel"]: false}, False, flags)
    print(f"{options.count} kernels: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
