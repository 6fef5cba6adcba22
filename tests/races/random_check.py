#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels without races, and with a needed barrier deleted, as ptxcheck sees them.

Usage: random_check.py --random-kernels PROGRAM --ptxcheck PROGRAM [--seed N] [--count N] [--out FOLDER]

The kernels of random_kernels that are not wild do not race in their launch: for its block ptxcheck must report
nothing as certain, but what needs another number for the parameter n.  Then one barrier that the generator marks
as needed is deleted, drawn by the seed.  How often ptxcheck reports something that it did not report before is counted; a run in which it
never does fails, since it would see no mistake.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

BIASES = ["none", "barriers", "redundancy", "phis", "addresses", "leaders", "variables", "pointers", "rules",
          "async", "heap"]
LAUNCH = "// LAUNCH: "
NEEDED = "// needed barrier"
STATUSES = (0, 3, 4)  # without findings, possible ones only, certain ones


def findings(ptxcheck, path, block):
    """The findings of the only kernel of the file."""
    made = subprocess.run([ptxcheck, "--json", "--block", ",".join(map(str, block)), path], capture_output=True,
                          text=True)
    if made.returncode not in STATUSES:
        sys.exit(f"{path}: ptxcheck exits with {made.returncode}: {made.stderr.strip()}")
    return json.loads(made.stdout)["files"][0]["kernels"][0]["findings"]


def is_certain(finding):
    """Of the launch: the kernels have one parameter that is a number, and it may be another one there."""
    return finding["certainty"] == "certain" and not any(
        detail.startswith("if n = ") for detail in finding.get("details", []))


def without_one(text, draw):
    """None if no barrier is marked."""
    lines = text.splitlines(keepends=True)
    marked = [k for k, line in enumerate(lines) if line.rstrip().endswith(NEEDED)]
    if not marked:
        return None
    gone = draw.choice(marked)
    # The other lines keep their numbers.
    return "".join("\n" if k == gone else line for k, line in enumerate(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random-kernels", required=True)
    parser.add_argument("--ptxcheck", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for what fails")
    options = parser.parse_args()
    counts = dict.fromkeys(("possible", "failed", "barriers deleted", "noticed", "noticed as certain"), 0)
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "k.ptx"
        for seed in range(options.seed, options.seed + options.count):
            draw = random.Random(seed)
            text = subprocess.run([options.random_kernels, "--print", "--wild", "0", "--seed", str(seed), "--bias",
                                   BIASES[seed % len(BIASES)]], capture_output=True, text=True, check=True).stdout
            line = next(line for line in text.splitlines() if line.startswith(LAUNCH))
            launch = json.loads(line[len(LAUNCH):])
            block = launch["block"] if isinstance(launch["block"], list) else [launch["block"]]
            path.write_text(text)
            before = findings(options.ptxcheck, path, block)
            if any(map(is_certain, before)):
                counts["failed"] += 1
                print(f"seed {seed}: a certain finding in a kernel that does not race")
                if options.out:
                    options.out.mkdir(parents=True, exist_ok=True)
                    (options.out / f"{seed}.ptx").write_text(text)
                continue
            counts["possible"] += bool(before)
            wrong = without_one(text, draw)
            if wrong is None:
                continue
            path.write_text(wrong)
            counts["barriers deleted"] += 1
            new = [finding for finding in findings(options.ptxcheck, path, block) if finding not in before]
            counts["noticed"] += bool(new)
            counts["noticed as certain"] += any(map(is_certain, new))
    print(f"{options.count} kernels: " + ", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts["failed"] or not counts["noticed"] else 0


if __name__ == "__main__":
    sys.exit(main())
