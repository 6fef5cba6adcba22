#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole runs of ptxopt, with ptxas on the same files beside them.

Usage: whole_tool.py PTXOPT [FOLDER]

FOLDER holds the files of make_inputs.py; without it they are made anew.  Every figure is the median
of several runs of a whole process: processor time (user and system) and peak memory.  ptxas is the
one that PTXOPT_PTXAS names, or the one on PATH; without one its columns are empty.  Instruction
counts come from valgrind, where it is installed.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

RUNS = 5
SLOW_BYTES = 2 << 20  # ptxas runs once on larger files
MAX_PTXAS_BYTES = 16 << 20


def measure(command, runs):
    seconds, peak = [], 0
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}")
        seconds.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss)
    return statistics.median(seconds), peak * 1024


def instructions(command):
    if shutil.which("valgrind") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ptxopt = sys.argv[1]
    ptxas = os.environ.get("PTXOPT_PTXAS") or shutil.which("ptxas")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        if len(sys.argv) <= 2:
            maker = pathlib.Path(__file__).with_name("make_inputs.py")
            subprocess.run([sys.executable, maker, folder], check=True)
        print(f"{'file':>8} {'MB':>6}  {'-O0 ms':>8} {'MB/s':>6} {'x mem':>6}  {'-O2 ms':>8}"
              f"  {'ptxas -O0 s':>11} {'ptxas -O3 s':>11} {'-O0 %':>6} {'-O2 %':>6}")
        for path in sorted(folder.glob("*.ptx"), key=lambda p: p.stat().st_size):
            row(ptxopt, ptxas, path, temporary)
        smallest = min(folder.glob("*.ptx"), key=lambda p: p.stat().st_size)
        count = instructions([ptxopt, "-O0", smallest, "-o", "/dev/null"])
        if count is not None:
            print(f"\n{smallest.name}: {count / 1e6:.1f} M instructions for a whole -O0 run")


def row(ptxopt, ptxas, path, temporary):
    size = path.stat().st_size
    output = f"{temporary}/out.ptx"
    o0, memory = measure([ptxopt, "-O0", path, "-o", output], RUNS)
    o2, _ = measure([ptxopt, "-O2", path, "-o", output], RUNS)
    line = (f"{path.name:>8} {size / 1e6:6.2f}  {o0 * 1e3:8.1f} {size / 1e6 / o0:6.0f}"
            f" {memory / size:6.1f}  {o2 * 1e3:8.1f}")
    if ptxas is not None and size <= MAX_PTXAS_BYTES:
        runs = RUNS if size <= SLOW_BYTES else 1
        arguments = ["-arch=sm_80", path, "-o", f"{temporary}/out.cubin"]
        a0, _ = measure([ptxas, "-O0", *arguments], runs)
        a3, _ = measure([ptxas, "-O3", *arguments], runs)
        line += f"  {a0:11.2f} {a3:11.2f} {100 * o0 / a3:6.2f} {100 * o2 / a3:6.2f}"
    print(line, flush=True)


if __name__ == "__main__":
    main()
