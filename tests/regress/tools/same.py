# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pipelines over a file and checks that every kernel with a LAUNCH comment does what it did.

Each --passes is one pipeline.  The verifier looks after each pass, `ptxrun --compare` at the results,
and ptxas, where --ptxas names one, at the text.
"""
import argparse
import re
import subprocess
import sys
import tempfile

LAUNCH = re.compile(r'^// LAUNCH: .*"kernel": *"([^"]+)"', re.MULTILINE)
TARGET = re.compile(r"^\.target\s+(\w+)", re.MULTILINE)


def read(path):
    with open(path) as file:
        return file.read()


def check(arguments, passes, folder):
    out = f"{folder}/out.ptx"
    subprocess.run([arguments.ptxopt, "-q", "--verify-each", "--passes", passes, arguments.file,
                    "-o", out], check=True)
    problems = []
    text = read(arguments.file)
    kernels = LAUNCH.findall(text)
    if not kernels and not arguments.ptxas:
        problems.append(f"{arguments.file}: no line `// LAUNCH:`, so nothing is compared")
    for kernel in kernels:
        run = subprocess.run([arguments.ptxrun, "--compare", arguments.file, out, "--kernel", kernel,
                              "--schedules", str(arguments.schedules)],
                             capture_output=True, text=True)
        if run.returncode:
            problems.append(f"{passes}: {kernel}:\n{run.stdout}{run.stderr}")
    if arguments.ptxas:
        target = TARGET.search(text).group(1)
        run = subprocess.run([arguments.ptxas, "-arch", target, out, "-o", f"{folder}/out.cubin"],
                             capture_output=True, text=True)
        if run.returncode:
            problems.append(f"{passes}: ptxas: {run.stdout}{run.stderr}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--passes", action="append", required=True)
    parser.add_argument("--schedules", type=int, default=4)
    parser.add_argument("file")
    arguments = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for passes in arguments.passes:
            problems += check(arguments, passes, folder)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
