#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus run over many files: scale.py --ptxopt PTXOPT [--count N] [--check LIST] [--jobs N]

Makes N files of the corpus by a cheap mutation (kernels get other names, a number of each file another value, so that
no two texts or kernels are the same), runs over them, and prints how the memory of the runner grows and what it costs
beside its children; then kills a second run half-way, resumes it, and compares what both found.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from run_test import PROGRAM, SOURCE, content

LARGEST = 30_000  # bytes of a file that is mutated
ENTRY = re.compile(r"(\.entry\s+)([\w$]+)")
NUMBER = re.compile(r"(\bmov\.u32\s+%r\d+, )(\d{1,5})(;)")


def make_files(folder, count):
    sources = [path.read_text() for path in sorted((SOURCE / "corpus" / "ptx" / "nvcc").rglob("*.ptx"))
               if path.stat().st_size <= LARGEST]
    for k in range(count):
        text = ENTRY.sub(rf"\g<1>m{k}_\2", sources[k % len(sources)])
        text = NUMBER.sub(lambda m: f"{m[1]}{(int(m[2]) + k) % 100000}{m[3]}", text, count=1)
        path = folder / f"{k % 256:02x}" / f"{k}.ptx"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return sum(path.stat().st_size for path in folder.rglob("*.ptx"))


def processor_seconds(pid):
    """Of a process, and of the children that it has waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    tick = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / tick, (int(fields[13]) + int(fields[14])) / tick


def memory_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def command(arguments, files, results):
    found = [sys.executable, str(PROGRAM), "run", str(files), "--ptxopt", arguments.ptxopt, "--check", arguments.check,
             "--jobs", str(arguments.jobs), "--results", str(results)]
    for option in ("ptxas", "ptxrun"):
        if getattr(arguments, option):
            found += [f"--{option}", getattr(arguments, option)]
    return found


def watched(arguments, files, results):
    """Runs to the end.  Prints memory and cost as they grow; gives the last cost."""
    begun, cost, samples = time.monotonic(), (0, 0), []
    child = subprocess.Popen(command(arguments, files, results), stdout=subprocess.PIPE, text=True)
    said = []
    reader = threading.Thread(target=lambda: said.append(child.stdout.read()))
    reader.start()
    while child.poll() is None:
        try:
            samples.append(memory_mib(child.pid))
            cost = processor_seconds(child.pid)
        except (OSError, TypeError):
            break  # it is about to end
        time.sleep(0.2)
    reader.join()
    status = child.wait()
    quarter = max(1, len(samples) // 4)
    print(said[0].strip())
    print(f"status {status}, {time.monotonic() - begun:.0f} s; memory of the runner {samples[quarter - 1]:.0f} MiB after a "
          f"quarter, {max(samples):.0f} at most")
    print(f"processor time: runner {cost[0]:.1f} s, children {cost[1]:.1f} s: {100 * cost[0] / max(cost[1], 1e-9):.1f} % of the work")


def killed_and_resumed(arguments, files, results):
    child = subprocess.Popen(command(arguments, files, results), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    time.sleep(arguments.kill_after)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    subprocess.run(command(arguments, files, results), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--ptxrun")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--check", default="reprint")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kill-after", type=float, default=20, metavar="S")
    parser.add_argument("--once", action="store_true", help="without the run that is killed")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ptxopt-scale-"))
    try:
        files = folder / "ptx"
        files.mkdir()
        size = make_files(files, arguments.count)
        print(f"{arguments.count} files, {size / 1e6:.0f} MB, {arguments.jobs} jobs, --check={arguments.check}", flush=True)
        watched(arguments, files, folder / "whole.sqlite")
        if arguments.once:
            return 0
        killed_and_resumed(arguments, files, folder / "killed.sqlite")
        same = content(folder / "whole.sqlite") == content(folder / "killed.sqlite")
        print(f"killed after {arguments.kill_after:.0f} s and resumed: {'the same' if same else 'OTHER'} results")
        return 0 if same else 1
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
