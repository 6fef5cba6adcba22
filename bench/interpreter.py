#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast ptxrun is: thread-instructions a second, and host instructions for each of them.

Usage: interpreter.py [--counts] PTXRUN

Kernels of the corpus, each on two grids, one with four times as many CTAs, without and with race
detection.  Rates are of the larger grid, from the processor time of the best of two runs, the
start of the program included.  Host instructions do not depend on what else the machine does; they
come from callgrind where valgrind is installed, on smaller grids.  If a thread-instruction costs
more than GROWTH times as much with four times the CTAs, the exit status is 1: the time is to grow
with the work, whatever the number of CTAs.  --counts leaves out the rates.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUNS = 2
GROWTH = 1.25
CORPUS = pathlib.Path(__file__).parent.parent / "corpus/ptx/nvcc/sm_80"


def tiled(side):
    """matmul of 32 side by 32 side, a CTA for each tile."""
    n = 32 * side
    size = 4 * n * n
    return ["--block", "32,32", "--grid", f"{side},{side}", "--arg", f"buffer:{size}:small:f32:1",
            "--arg", f"buffer:{size}:small:f32:2", "--arg", f"buffer:{size}", "--arg", f"s32:{n}"]


def reduce(side):
    ctas = side * side
    n = 512 * ctas
    return ["--block", "256", "--grid", str(ctas), "--shared", "1024",
            "--arg", f"buffer:{4 * n}:small:f32:1", "--arg", f"buffer:{4 * ctas}",
            "--arg", f"s32:{n}"]


def histogram(side):
    ctas = side * side
    n = 1024 * ctas
    return ["--block", "256", "--grid", str(ctas), "--arg", f"buffer:{n}:random:u8:1",
            "--arg", "buffer:1024", "--arg", f"s32:{n}"]


def transpose(side):
    n = 32 * side
    return ["--block", "32,8", "--grid", f"{side},{side}", "--arg", f"buffer:{4 * n * n}",
            "--arg", f"buffer:{4 * n * n}:random:f32:1", "--arg", f"s32:{n}"]


def stencil(side):
    n = 16 * side
    return ["--block", "16,16", "--grid", f"{side},{side}",
            "--arg", f"buffer:{4 * n * n}:small:f32:1", "--arg", f"buffer:{4 * n * n}",
            "--arg", f"s32:{n}", "--arg", f"s32:{n}"]


# Name, file, kernel, launch, sides of the grids that are counted (the larger is twice as wide) and
# of the one that is timed.
KERNELS = [
    ("matmul", "matmul", "_Z11matmulTiledILi32EEvPKfS1_Pfi", tiled, 2, 10),
    ("reduction", "reduce_shared", "_Z16reduceSequentialPKfPfi", reduce, 3, 32),
    ("histogram", "histogram", "_Z15histogramSharedPKhPji", histogram, 2, 12),
    ("transpose", "transpose", "_Z14transposeTiledPfPKfi", transpose, 4, 32),
    ("stencil", "stencil_2d", "_Z6jacobiPKfPfii", stencil, 4, 48),
]


def command(ptxrun, kernel, side, flags):
    _, file, symbol, launch, _, _ = kernel
    return [ptxrun, str(CORPUS / f"{file}.ptx"), "--kernel", symbol, *launch(side), "--step-limit",
            "10000000000", "--json", *flags]


def processor_seconds(arguments):
    """Seconds of one run for each thread-instruction."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(arguments, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(arguments)}")
        output.seek(0)
        return (usage.ru_utime + usage.ru_stime) / json.load(output)["steps"]


def host_instructions(arguments):
    """(host instructions, thread-instructions) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *arguments],
            capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), json.loads(result.stdout)["steps"]


def costs(ptxrun, kernel, flags):
    """Host instructions for each thread-instruction: of a grid, and of one with four times as many
    CTAs.  What a launch of one CTA costs, the start of the program, is not part of it."""
    small = kernel[4]
    start, first, second = (host_instructions(command(ptxrun, kernel, side, flags))
                            for side in (1, small, 2 * small))
    return tuple((run[0] - start[0]) / (run[1] - start[1]) for run in (first, second))


def main():
    arguments = [word for word in sys.argv[1:] if word != "--counts"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    ptxrun = arguments[0]
    times = len(arguments) == len(sys.argv) - 1
    counts = shutil.which("valgrind") is not None
    print(f"{'kernel':10} {'races':6} {'M/s':>7} {'host instructions':>18} {'4 x CTAs':>9}")
    grows = []
    for kernel in KERNELS:
        for label, flags in (("off", ["--no-races"]), ("on", [])):
            line = f"{kernel[0]:10} {label:6}"
            if times:
                arguments = command(ptxrun, kernel, kernel[5], flags)
                seconds = min(processor_seconds(arguments) for _ in range(RUNS))
                line += f" {1e-6 / seconds:7.1f}"
            else:
                line += " " * 8
            if counts:
                first, second = costs(ptxrun, kernel, flags)
                line += f" {first:18.1f} {second:9.1f}"
                if second > GROWTH * first:
                    grows.append(f"{kernel[0]}, races {label}")
            print(line, flush=True)
    if grows:
        sys.exit(f"a thread-instruction costs more with more CTAs: {'; '.join(grows)}")


if __name__ == "__main__":
    main()
