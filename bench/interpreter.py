#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast ptxrun is: thread-instructions a second, and host instructions for each of them.

Usage: interpreter.py PTXRUN

Two loops of integer code, one in registers and one with a load and a store of shared memory in
every turn, each without and with race detection.  Rates come from the processor time that a long
run takes more than a short one, each the best of several; host instructions, which do not depend on
what else the machine does, come from callgrind where valgrind is installed, as the same difference.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUNS = 5
TIMED = (1_000, 61_000)  # turns of the short and of the long run: 123 million thread-instructions
COUNTED = (100, 600)

KERNEL = """\
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 turns)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 words[1024];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, words;
  mad.lo.u32 %r3, %r2, 4, %r3;
  st.shared.u32 [%r3], %r2;
  mov.u32 %r4, 0;
  mov.u32 %r5, 1;
loop:
BODY
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, %r1;
  @%p bra loop;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  st.global.u32 [%rd2], %r5;
  ret;
}
"""
BODIES = {
    "integer": """\
  mad.lo.u32 %r5, %r5, 1664525, %r4;
  shl.b32 %r6, %r5, 7;
  xor.b32 %r5, %r5, %r6;
  shr.u32 %r7, %r5, 9;
  add.u32 %r5, %r5, %r7;""",
    "shared": """\
  ld.shared.u32 %r6, [%r3];
  mad.lo.u32 %r5, %r5, 1664525, %r6;
  xor.b32 %r5, %r5, %r4;
  shr.u32 %r7, %r5, 9;
  st.shared.u32 [%r3], %r7;""",
}


def command(ptxrun, path, turns, flags):
    return [ptxrun, str(path), "--block", "256", "--arg", "buffer:1024", "--arg", f"u32:{turns}",
            "--step-limit", "1000000000", "--json", *flags]


def processor_seconds(arguments):
    """(seconds, thread-instructions) of one run."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(arguments, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(arguments)}")
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, json.load(output)["steps"]


def host_instructions(arguments):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *arguments],
            capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), json.loads(result.stdout)["steps"]


def cost(measure, runs, ptxrun, path, turns, flags):
    """What each thread-instruction of the loop costs."""
    short, long = (min(measure(command(ptxrun, path, n, flags)) for _ in range(runs))
                   for n in turns)
    return (long[0] - short[0]) / (long[1] - short[1])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ptxrun = sys.argv[1]
    counts = shutil.which("valgrind") is not None
    print(f"{'loop':8} {'races':6} {'M/s':>7} {'host instructions':>18}")
    with tempfile.TemporaryDirectory() as folder:
        for name, body in BODIES.items():
            path = pathlib.Path(folder, f"{name}.ptx")
            path.write_text(KERNEL.replace("BODY", body))
            for label, flags in (("off", ["--no-races"]), ("on", [])):
                seconds = cost(processor_seconds, RUNS, ptxrun, path, TIMED, flags)
                line = f"{name:8} {label:6} {1e-6 / seconds:7.1f}"
                if counts:
                    count = cost(host_instructions, 1, ptxrun, path, COUNTED, flags)
                    line += f" {count:18.1f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
