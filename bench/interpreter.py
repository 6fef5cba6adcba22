#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast ptxrun is: thread-instructions a second, and host instructions for each of them.

Usage: interpreter.py [--counts | --products] PTXRUN

Kernels of the corpus, each on two grids, one with four times as many CTAs, without and with race
detection.  Rates are of the larger grid, from the processor time of the best of two runs, the
start of the program included.  Host instructions do not depend on what else the machine does; they
come from callgrind where valgrind is installed, on smaller grids.  If a thread-instruction costs
more than GROWTH times as much with four times the CTAs, the exit status is 1: the time is to grow
with the work, whatever the number of CTAs.  --counts leaves out the rates.

--products times something else: Triton's product of two matrices of 256 x 256 halves, copied by
tensor maps (TMA), with wgmma (sm_90) and with tcgen05 (sm_100), with race detection.  Processor
seconds of the best of two runs, under one schedule and under seven.  The exit status is 1 if there
is a finding, if a result is wrong, or if one schedule takes more than PRODUCT_SECONDS.
"""

import json
import operator
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

RUNS = 2
GROWTH = 1.25
PRODUCT_SECONDS = 60
PTX = pathlib.Path(__file__).parent.parent / "corpus/ptx"
CORPUS = PTX / "nvcc/sm_80"


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
    """Seconds of one run, and its thread-instructions."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(arguments, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(arguments)}")
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, json.load(output)["steps"]


SIDE = 256  # of the matrices of a product, in CTAs of TILE x TILE
TILE = 128


def product_command(ptxrun, target, folder):
    size = 2 * SIDE * SIDE
    result = [ptxrun, str(PTX / "triton" / target / "matmul_descriptor.ptx"), "--kernel",
              "matmul_descriptor", "--block", "128", "--grid", f"{SIDE // TILE},{SIDE // TILE}",
              "--shared", "128K", "--step-limit", "10000000000", "--json"]
    for name, content, box in (("x", ":small:f16:1:8", "64,128"), ("y", ":small:f16:2:8", "64,64"),
                               ("z", "", "64,128")):
        result += ["--buffer", f"{name}=buffer:{size}{content}",
                   "--save", f"{name}:{folder}/{name}",
                   "--arg", f"tensormap:&{name}:f16:{SIDE},{SIDE}:box={box}:swizzle=128B"]
        for number in (f"u32:{SIDE}", f"u32:{SIDE}", f"u64:{SIDE}", "u64:1"):
            result += ["--arg", number]
    return result + ["--arg", f"u32:{SIDE}", "--arg", "u64:0", "--arg", "u64:0"]


def is_product(folder):
    """Whether z = x y, at one in seven elements; the numbers are so small that sums are exact."""
    x, y, z = (struct.unpack(f"<{SIDE * SIDE}e", (pathlib.Path(folder) / name).read_bytes())
               for name in "xyz")
    return all(
        struct.pack("<e", sum(map(operator.mul, x[SIDE * row:SIDE * (row + 1)], y[column::SIDE])))
        == struct.pack("<e", z[SIDE * row + column])
        for row, column in (divmod(k, SIDE) for k in range(0, SIDE * SIDE, 7)))


def time_products(ptxrun):
    print(f"{'product':10} {'schedules':>9} {'seconds':>8} {'thread-instructions':>20}")
    for target in ("sm_90", "sm_100"):
        with tempfile.TemporaryDirectory() as folder:
            for schedules in (1, 7):
                command_line = product_command(ptxrun, target, folder)
                command_line += ["--schedules", str(schedules)]
                seconds, steps = min(processor_seconds(command_line) for _ in range(RUNS))
                print(f"{target:10} {schedules:9} {seconds:8.2f} {steps:20}", flush=True)
                if schedules == 1 and seconds > PRODUCT_SECONDS:
                    sys.exit(f"{target}: more than {PRODUCT_SECONDS} s")
            if not is_product(folder):
                sys.exit(f"{target}: a wrong result")


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
    arguments = [word for word in sys.argv[1:] if word not in ("--counts", "--products")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    ptxrun = arguments[0]
    if "--products" in sys.argv:
        return time_products(ptxrun)
    times = len(arguments) == len(sys.argv) - 1
    counts = shutil.which("valgrind") is not None
    print(f"{'kernel':10} {'races':6} {'M/s':>7} {'host instructions':>18} {'4 x CTAs':>9}")
    grows = []
    for kernel in KERNELS:
        for label, flags in (("off", ["--no-races"]), ("on", [])):
            line = f"{kernel[0]:10} {label:6}"
            if times:
                arguments = command(ptxrun, kernel, kernel[5], flags)
                seconds, steps = min(processor_seconds(arguments) for _ in range(RUNS))
                line += f" {1e-6 * steps / seconds:7.1f}"
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
    return None


if __name__ == "__main__":
    main()
