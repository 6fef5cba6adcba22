#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work of common-base grows: address_bases.py PTXOPT [--large]

Functions with 1,000, 10,000 and 100,000 instructions or 500, 5,000 and 50,000 blocks, of several kinds,
run under callgrind; --large goes on to 1,000,000 instructions.  Prints instructions of the pass and of the
analyses that it needs, without reading and writing the text, for each; and fails if ten times as many take
more than 13 times the instructions.
"""
import sys
import tempfile

from barrier_chain import MOST_GROWTH, instructions

HEAD = [".version 8.3", ".target sm_80", ".address_size 64"]
START = ["ld.param.u64 %rd1, [p];", "mov.u32 %r1, %tid.x;", "mad.wide.u32 %rd2, %r1, 4096, %rd1;",
         "add.s64 %rd3, %rd2, 64;", "add.s64 %rd4, %rd2, 128;", "mov.u32 %r2, 0;",
         "setp.lt.u32 %p2, %r1, 9;"]


def offsets(k):
    """Ever further from one base."""
    at = f"%rd{k + 9}"
    return [f"add.s64 {at}, %rd2, {k % 1000 * 4};", f"ld.global.u32 %r3, [{at}];",
            "add.u32 %r2, %r2, %r3;", f"st.global.u32 [{at}+4], %r2;"]


def groups(k):
    """Each round has its base."""
    first, second = f"%rd{2 * k + 9}", f"%rd{2 * k + 10}"
    return [f"mad.wide.u32 {first}, %r2, 4, %rd1;", f"add.s64 {second}, {first}, 8;",
            f"ld.global.u32 %r2, [{first}];", f"st.global.u32 [{second}], %r2;"]


def arms(k):
    """Three blocks; both arms compute the same address."""
    first, second = f"%rd{2 * k + 9}", f"%rd{2 * k + 10}"
    return [f"@%p2 bra A{k};", f"mad.wide.u32 {first}, %r1, {k % 500 * 8 + 4}, %rd1;",
            f"st.global.u32 [{first}], %r1;", f"bra B{k};", f"A{k}:",
            f"mad.wide.u32 {second}, %r1, {k % 500 * 8 + 4}, %rd1;",
            f"st.global.u32 [{second}+4], %r1;", f"B{k}:"]


def loops(k):
    """Two blocks; three pointers that are stepped by what is loaded, from loop to loop."""
    return [f"L{k}:", "ld.global.u32 %r3, [%rd2];", "st.global.u32 [%rd3], %r3;",
            "st.global.u32 [%rd4+8], %r3;", "and.b32 %r4, %r3, 4;", "cvt.u64.u32 %rd5, %r4;",
            "add.s64 %rd2, %rd2, %rd5;", "add.s64 %rd3, %rd3, %rd5;", "add.s64 %rd4, %rd4, %rd5;",
            "setp.eq.u32 %p1, %r3, 7;", f"@%p1 bra L{k};", "xor.b32 %r5, %r1, 5;"]


def split_loops(k):
    """One of the three goes its own way, so that what comes after it is looked at again."""
    lines = loops(k)
    return [*lines[:6], "@%p2 add.s64 %rd3, %rd3, 4;" if k % 7 == 3 else "", *lines[6:]]


def guards(k):
    """No block; two pointers under one guard."""
    return ["ld.global.u32 %r3, [%rd2];", "and.b32 %r4, %r3, 4;", "cvt.u64.u32 %rd5, %r4;",
            "@%p2 add.s64 %rd2, %rd2, %rd5;", "@%p2 add.s64 %rd3, %rd3, %rd5;",
            "st.global.u32 [%rd3], %r3;"]


def calls(k):
    """Two blocks; a call in every second one."""
    call = ["call.uni (%r2), f, (%r1);"] if k % 2 else []
    return [*arms(k)[:4], *call, *arms(k)[4:]]


KINDS = [  # name, what is repeated, how many of what is counted that makes
    ("accesses of one group", offsets, 4),
    ("accesses of as many groups", groups, 4),
    ("pointers under guards", guards, 6),
    ("arms", arms, 0.5),
    ("arms with calls", calls, 0.5),
    ("pointers in loops", loops, 0.5),
    ("pointers in loops that part", split_loops, 0.5),
]


def function(count, make):
    return [*HEAD, ".func (.reg .b32 %o) f(.reg .b32 %i)", "{", "add.u32 %o, %i, 1;", "ret;", "}",
            ".visible .entry k(.param .u64 p)", "{", ".reg .pred %p<4>;", ".reg .b32 %r<9>;",
            f".reg .b64 %rd<{2 * count + 20}>;", *START,
            *(line for k in range(count) for line in make(k)),
            "st.global.u32 [%rd1], %r2;", "ret;", "}"]


def main():
    grows = False
    for name, make, each in KINDS:
        sizes = [1_000, 10_000, 100_000] if each > 1 else [500, 5_000, 50_000]
        if "--large" in sys.argv and each > 1:
            sizes.append(1_000_000)
        costs = []
        for size in sizes:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                count = int(size / each) if each > 1 else size // 2
                file.write("\n".join(function(count, make)) + "\n")
                file.flush()
                without = instructions(sys.argv[1], "", file.name)
                costs.append(instructions(sys.argv[1], "common-base", file.name) - without)
        growth = [b / a / 10 for a, b in zip(costs, costs[1:])]
        grows |= max(growth) > MOST_GROWTH
        per = ", ".join(f"{cost // size:,}" for cost, size in zip(costs, sizes))
        print(f"{name}: {per} instructions for each; grows "
              + ", ".join(f"{g:.2f}" for g in growth) + " times as fast", flush=True)
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
