#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work of early-cse grows: redundancy.py PTXOPT [--large]

Functions with 1,000, 10,000 and 100,000 instructions or 500, 5,000 and 50,000 blocks, of several kinds,
run under callgrind in both forms; --large goes on to 1,000,000 instructions.  Prints instructions of
the pass, without reading and writing the text, for each; and fails if ten times as many take more
than 13 times the instructions.
"""
import sys
import tempfile

from barrier_chain import MOST_GROWTH, instructions

HEAD = [".version 8.3", ".target sm_80", ".address_size 64"]
FORMS = ["early-cse", "early-cse<memssa>"]


def straight(k):
    """Every fourth one is new; loads, and stores to other addresses."""
    return [f"add.u32 %r{3 * k + 12}, %r{3 * k + 9}, {k % 5000};",
            f"ld.global.u32 %r{3 * k + 13}, [%rd2+{k % 5000 * 4}];",
            f"st.global.u32 [%rd2+{k * 7 % 5000 * 4}], %r{3 * k + 13};",
            f"xor.b32 %r{3 * k + 14}, %r1, {k % 5000};"]


def stores_apart(k):
    """Nothing ever changes what the load gives, but that must be asked."""
    return [f"st.shared.u32 [%r2+{k % 16000 * 4}], %r1;", "ld.global.u32 %r3, [%rd2];",
            f"st.global.u32 [%rd3+{k % 16000 * 4}], %r3;", "add.u32 %r4, %r4, %r3;"]


def diamonds(k):
    """Two blocks."""
    return [f"setp.gt.u32 %p1, %r1, {k % 31};", f"@%p1 bra L{k};", f"add.u32 %r2, %r2, {k};",
            f"st.local.u32 [own+{k % 8 * 4}], %r2;", f"L{k}:",
            f"ld.local.u32 %r3, [own+{(k + 3) % 16 * 4}];", "add.u32 %r2, %r2, %r3;",
            f"xor.b32 %r4, %r1, {k % 7};", "add.u32 %r2, %r2, %r4;"]


def barriers(k):
    """Two blocks, with a barrier in front of them."""
    return ["bar.sync 0;", f"ld.shared.u32 %r3, [S+{k % 8 * 4}];", *diamonds(k)]


def loops(k):
    return [f"L{k}:", "ld.local.u32 %r3, [own];", "add.u32 %r2, %r2, %r3;",
            f"st.local.u32 [own+{k % 15 * 4 + 4}], %r2;", f"setp.lt.u32 %p1, %r2, {k};",
            f"@%p1 bra L{k};", "xor.b32 %r4, %r1, 5;"]


KINDS = [  # name, what is repeated, how many of what is counted that makes
    ("instructions in one block", straight, 4),
    ("loads among stores elsewhere", stores_apart, 4),
    ("blocks that meet", diamonds, 0.5),
    ("barriers and blocks that meet", barriers, 0.5),
    ("loops", loops, 0.5),
]


def function(count, make):
    registers = [".reg .pred %p<4>;", f".reg .b32 %r<{3 * count + 20}>;", ".reg .b64 %rd<9>;"]
    return [*HEAD, ".shared .align 8 .b8 S[64];", ".visible .entry k(.param .u64 p)", "{",
            ".local .align 8 .b8 own[64];", *registers, "ld.param.u64 %rd1, [p];",
            "ld.param.u64 %rd3, [p];", "mov.u32 %r1, %tid.x;", "mov.u32 %r9, %tid.x;",
            "mad.wide.u32 %rd2, %r1, 4, %rd1;", "mov.u32 %r2, 0;", "mov.u32 %r4, 0;",
            *(line for k in range(count) for line in make(k)),
            "st.global.v2.u32 [%rd2], {%r2, %r4};", "ret;", "}"]


def main():
    grows = False
    for name, make, each in KINDS:
        sizes = [1_000, 10_000, 100_000] if each > 1 else [500, 5_000, 50_000]
        if "--large" in sys.argv and each > 1:
            sizes.append(1_000_000)
        costs = {form: [] for form in FORMS}
        for size in sizes:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                count = int(size / each) if each > 1 else size // 2
                file.write("\n".join(function(count, make)) + "\n")
                file.flush()
                without = instructions(sys.argv[1], "", file.name)
                for form in FORMS:
                    costs[form].append(instructions(sys.argv[1], form, file.name) - without)
        for form, of_form in costs.items():
            growth = [b / a / 10 for a, b in zip(of_form, of_form[1:])]
            grows |= max(growth) > MOST_GROWTH
            per = ", ".join(f"{cost // size:,}" for cost, size in zip(of_form, sizes))
            print(f"{name}, {form}: {per} instructions for each; grows "
                  + ", ".join(f"{g:.2f}" for g in growth) + " times as fast", flush=True)
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
