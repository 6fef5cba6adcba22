#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole runs of ptxopt at each level, in turn with ptxas on the same file.

A figure is the median, over several rounds, of the processor time (user and system) of a process, and of
its share of the time that ptxas -O3 takes in the same round.  The levels take turns to be the first, which
finds the caches that ptxas has left.  ptxas is the one that PTXOPT_PTXAS names,
or the one on PATH; without one there are no shares.  --instructions counts instructions with valgrind
instead: each level and each pass alone, reading and printing included.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LEVELS = ["-O0", "-O1", "-O2", "-O3"]
PASSES = ["global-opt", "dead-sync<precision=objects>", "dead-sync", "early-cse", "early-cse<memssa>",
          "common-base"]
MAX_PTXAS_BYTES = 16 << 20


def seconds(command):
    """(processor time, peak memory in bytes)"""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def instructions(command):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1])


def time_file(ptxopt, ptxas, path, rounds, folder):
    size = path.stat().st_size
    times, shares, memory, ptxas_times = {}, {}, {}, []
    for number in range(rounds):
        in_round, first = {}, number % len(LEVELS)
        for level in LEVELS[first:] + LEVELS[:first]:
            in_round[level], memory[level] = seconds(
                [ptxopt, level, "-j1", path, "-o", f"{folder}/out.ptx"])
            times.setdefault(level, []).append(in_round[level])
        if ptxas is not None and size <= MAX_PTXAS_BYTES:
            of_ptxas, _ = seconds([ptxas, "-O3", "-arch=sm_80", path, "-o", f"{folder}/out.cubin"])
            ptxas_times.append(of_ptxas)
            for level in LEVELS:
                shares.setdefault(level, []).append(100 * in_round[level] / of_ptxas)
    line = f"{path.name:>10} {size / 1e6:6.2f} MB {memory['-O2'] / 1e6:5.0f} MB"
    if ptxas_times:
        line += f"  ptxas -O3 {statistics.median(ptxas_times):6.2f} s"
    for level in LEVELS:
        line += f"  {level} {statistics.median(times[level]) * 1e3:7.1f} ms"
        if shares:
            line += f" {statistics.median(shares[level]):5.2f} %"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ptxopt")
    parser.add_argument("folder", nargs="?", help="files of make_inputs.py; made anew without it")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--instructions", action="store_true")
    arguments = parser.parse_args()
    ptxas = os.environ.get("PTXOPT_PTXAS") or shutil.which("ptxas")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.folder or temporary)
        if not arguments.folder:
            maker = pathlib.Path(__file__).with_name("make_inputs.py")
            subprocess.run([sys.executable, maker, folder], check=True)
        for path in sorted(folder.glob("*.ptx"), key=lambda p: p.stat().st_size):
            if not arguments.instructions:
                time_file(arguments.ptxopt, ptxas, path, arguments.rounds, temporary)
                continue
            print(path.name)
            for option in LEVELS + [f"--passes={name}" for name in PASSES]:
                count = instructions([arguments.ptxopt, option, "-j1", path, "-o", "/dev/null"])
                print(f"  {option:40} {count / 1e6:8.1f} M", flush=True)


if __name__ == "__main__":
    main()
