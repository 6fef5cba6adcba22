#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work of dead-sync grows: barrier_chain.py PTXOPT

Chains of 100, 1,000 and 10,000 barriers with as many accesses, of several kinds, run under callgrind.
Prints instructions of the pass, without reading and writing the text, per barrier; and fails if ten
times the barriers take more than 13 times the instructions.
"""
import re
import subprocess
import sys
import tempfile

SIZES = [100, 1_000, 10_000]
MOST_GROWTH = 1.3


def read_few(k):
    return [f"ld.shared.u32 %r1, [A{k % 4}];"]


def write_few(k):
    return [f"st.shared.u32 [A{k % 2}], 1;"]


def write_distinct(k):
    return [f"st.shared.u32 [A{k}], 1;"]


def write_slots(k):
    return [f"st.shared.u32 [%r2+{1024 * k}], 1;"]


def write_and_read_slots(k):
    return [f"st.shared.u32 [%r2+{1024 * k}], 1;", f"ld.shared.u32 %r1, [%r2+{1024 * k + 4}];"]


def needed(k):
    return [f"st.shared.u32 [A{k}], 1;", "bar.sync 0;", f"ld.shared.u32 %r1, [A{k}];"]


def branches(k):
    return [f"setp.eq.u32 %q1, %r8, {k};", f"@%q1 bra X{k};", f"st.shared.u32 [A{k % 4}], 1;",
            f"X{k}:", f"ld.shared.u32 %r1, [A{3 - k % 4}];"]


KINDS = [  # name, what stands in front of each barrier, objects, in a loop
    ("reads of few objects", read_few, 4, False),
    ("writes of few objects", write_few, 2, False),
    ("all-distinct objects", write_distinct, None, False),
    ("all-distinct objects in a loop", write_distinct, None, True),
    ("all-distinct slots of one array", write_slots, 1, False),
    ("all-distinct slots in a loop", write_slots, 1, True),
    ("slots and their neighbours", write_and_read_slots, 1, False),
    ("every second one needed", needed, None, False),
    ("branches", branches, 4, False),
]


def chain(count, make, objects, in_loop):
    lines = [".version 8.0", ".target sm_80", ".address_size 64"]
    lines += [f".shared .align 4 .b8 A{k}[4];" for k in range(objects or count)]
    lines += [".visible .entry k(.param .u32 n) .reqntid 256", "{", ".reg .b32 %r<9>;",
              ".reg .pred %q<3>;", "ld.param.u32 %r8, [n];", "mov.u32 %r1, %tid.x;", "mov.u32 %r2, A0;",
              "mad.lo.u32 %r2, %r1, 4, %r2;"]
    lines += ["LOOP:"] if in_loop else []
    for k in range(count):
        lines += [*make(k), "bar.sync 0;"]
    if in_loop:
        lines += ["add.u32 %r8, %r8, 1;", "setp.lt.u32 %q1, %r8, 99;", "@%q1 bra LOOP;"]
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def instructions(ptxopt, passes, path):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", ptxopt, "-q", "-j1",
               f"--passes={passes}", path, "-o", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main():
    grows = False
    for name, *kind in KINDS:
        costs = []
        for size in SIZES:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                file.write(chain(size, *kind))
                file.flush()
                costs.append(instructions(sys.argv[1], "dead-sync", file.name) -
                             instructions(sys.argv[1], "", file.name))
        growth = [b / a / 10 for a, b in zip(costs, costs[1:])]
        grows |= max(growth) > MOST_GROWTH
        each = ", ".join(f"{cost // size:,}" for cost, size in zip(costs, SIZES))
        print(f"{name}: {each} instructions a barrier; grows {growth[0]:.2f} and {growth[1]:.2f} "
              "times as fast as the chain")
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
