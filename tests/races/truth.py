#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the answers of the comments in cuda/*.cu by running every kernel in ptxrun.

Each kernel runs with its launch under seven schedules, one of each policy.  A racy kernel must have a finding
of its kind, and a race-free one no finding and one outcome.  No kernel may do anything else that is wrong.
"""
import argparse
import collections
import json
import subprocess
import sys
import time

import manifest

SCHEDULES = 7
# What a racy kernel may have beside the finding of its kind.  The other kinds (out of bounds, misaligned,
# trap, unsupported, step limit) mean a mistake in the benchmark.
CONSEQUENCES = {"data-race", "proxy-race", "uninitialised", "barrier-divergence", "barrier-mismatch", "deadlock",
                "mbarrier-object", "mbarrier-phase", "copy-in-flight"}


def run(ptxrun, ptx, kernels, schedules):
    """What ptxrun says of the launches of a file, in their order."""
    launches = [kernel.launch | {"kernel": symbol} for kernel, symbol in kernels]
    head = "".join(f"// LAUNCH: {json.dumps(launch)}\n" for launch in launches)
    with open(ptx, encoding="utf-8") as file:
        text = head + file.read()
    command = [ptxrun, "-", "--json", "--schedules", str(schedules), "--step-limit", "4000000"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{ptx}: {done.stderr}")
    return result.get("launches", [result])


def wrong(kernel, result):
    """Why the answer is not what was seen, or None."""
    kinds = collections.Counter(finding["kind"] for finding in result["findings"])
    if len(result["outcomes"]) > 1:
        kinds["outcomes"] = len(result["outcomes"])
    text = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "nothing"
    others = set(kinds) - CONSEQUENCES - {"outcomes"}
    if others:
        return f"has {text}"
    if not kernel.racy() or not kernel.visible:
        return f"expected nothing, has {text}" if set(kinds) - kernel.seen else None
    return None if kernel.seen & set(kinds) else f"expected {' or '.join(sorted(kernel.seen))}, has {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxrun", required=True, help="the program")
    parser.add_argument("--filter", default="", help="only files whose name contains this text")
    parser.add_argument("--schedules", type=int, default=SCHEDULES, help="runs of each kernel (default: 7)")
    options = parser.parse_args()
    start, errors, totals = time.monotonic(), [], collections.Counter()
    columns = ("racy", "not seen", "race-free", "wrong")

    def show(file, target, counts):
        print(f"{file:16} {target:6}" + "".join(f" {counts[column]:>9}" for column in columns))

    show("file", "target", {column: column for column in columns})
    for target, file, ptx, kernels in manifest.programs():
        if options.filter not in file:
            continue
        results = run(options.ptxrun, ptx, kernels, options.schedules)
        row = collections.Counter()
        for (kernel, symbol), result in zip(kernels, results, strict=True):
            row["racy"] += kernel.racy()
            row["not seen"] += kernel.racy() and not kernel.visible
            row["race-free"] += not kernel.racy()
            message = wrong(kernel, result)
            if message:
                row["wrong"] += 1
                errors.append(f"{file}.cu, sm_{target}: {kernel.name}: {message}")
        totals += row
        show(file, f"sm_{target}", row)
    show("total", "", totals)
    print(f"{time.monotonic() - start:.1f} s")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
