#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work of global-opt grows: module_variables.py PTXOPT

Modules with 1,000, 10,000 and 30,000 variables, accesses, blocks or functions, of several kinds, run
under callgrind; --large goes on to one function of 1,000,000 loads and one of 50,000 blocks.  Prints
instructions of the pass, without reading and writing the text, for each; and fails if n times as
many take more than 1.3 n times the instructions.
"""
import sys
import tempfile

from barrier_chain import MOST_GROWTH, instructions

SIZES = [1_000, 10_000, 30_000]
HEAD = [".version 8.0", ".target sm_80", ".address_size 64"]


def kernel(body, name="k"):
    return [f".visible .entry {name}(.param .u64 p) .reqntid 64", "{", ".reg .b32 %r<9>;",
            ".reg .b64 %rd<9>;", ".reg .pred %q<3>;", "mov.u32 %r1, %tid.x;", *body, "ret;", "}"]


def one_variable(count):
    body = [f"ld.shared.u32 %r2, [s+{k % 16 * 8}];" for k in range(count)]
    return [".shared .align 8 .b8 s[128];", *kernel(body)]


def kept_whole(count):
    body = [f"ld.shared.u32 %r2, [s+{k * 8}];" for k in range(count)]
    return [f".shared .align 8 .b8 s[{count * 8}];", *kernel(body)]


def split(count):
    declared = [f".shared .align 8 .b8 s{k}[32];" for k in range(count)]
    body = [line for k in range(count)
            for line in (f"ld.shared.u32 %r2, [s{k}+8];", f"st.shared.u32 [s{k}+8], %r2;")]
    return [*declared, *kernel(body)]


def unread(count):
    declared = ".shared .b32 " + ", ".join(f"s{k}" for k in range(count)) + ";"
    return [declared, *kernel([f"st.shared.u32 [s{k}], 1;" for k in range(count)])]


def slots(count):
    declared = [f".shared .align 4 .b8 s{k}[256];" for k in range(count)]
    body = [line for k in range(count)
            for line in (f"mov.u32 %r2, s{k};", "mad.lo.u32 %r3, %r1, 4, %r2;",
                         "st.shared.u32 [%r3], %r1;", "ld.shared.u32 %r4, [%r3+4];")]
    return [*declared, *kernel(body)]


def blocks(count):
    body = [line for k in range(count // 2)
            for line in (f"setp.eq.u32 %q1, %r1, {k};", f"@%q1 bra L{k};",
                         "mov.u32 %r2, s;", f"st.shared.u32 [%r2+{k % 8 * 8}], {k};", f"L{k}:",
                         f"ld.shared.u32 %r3, [s+{k % 8 * 8}];")]
    return [".shared .align 8 .b8 s[64];", *kernel(body)]


def chain(count):
    body = [f".reg .b32 %a<{count + 2}>;", "mov.u32 %a0, s;"]
    body += [f"add.u32 %a{k + 1}, %a{k}, {8 if k % 2 else -8};" for k in range(count)]
    body += ["st.shared.u32 [%a0+8], 1;", f"ld.shared.u32 %r2, [%a{count // 2 * 2}+8];"]
    return [".shared .align 8 .b8 s[64];", *kernel(body)]


def folded(count):
    declared = [f".global .align 4 .u32 g{k} = {k};" for k in range(count)]
    return [*declared, *kernel([f"ld.global.u32 %r2, [g{k}];" for k in range(count)])]


def merged(count):
    declared = [f".global .align 4 .b8 g{k}[{300 + k // 2 % 900 * 4}] = {{1, {k % 7}}};"
                for k in range(count)]
    body = [line for k in range(count)
            for line in (f"mov.u64 %rd1, g{k};", "mad.wide.u32 %rd2, %r1, 4, %rd1;",
                         "ld.global.u32 %r2, [%rd2];")]
    return [*declared, *kernel(body)]


def kernels(count):
    text = []
    for k in range(count // 10):
        text += kernel([".shared .align 8 .b8 mine[64];", "st.shared.u32 [mine+8], 1;",
                        "ld.shared.u32 %r2, [mine+8];", "st.shared.u32 [both], 1;"], f"k{k}")
    return [".shared .b32 both;", *text]


def functions(count):
    text = [".func f0() { ret; }"]
    for k in range(1, count // 10):
        text += [f".func f{k}()", "{", ".shared .align 8 .b8 mine[64];", "st.shared.u32 [mine+8], 1;",
                 f"call f{k - 1};", "ret;", "}"]
    return [*text, *kernel([f"call f{count // 10 - 1};"])]


KINDS = [  # name, what is made, whether it is a whole program
    ("accesses of one variable", one_variable, False),
    ("accesses of one variable with too many fields", kept_whole, False),
    ("variables that are split", split, False),
    ("variables of one declaration that nobody reads", unread, False),
    ("arrays of slots that are none", slots, False),
    ("blocks", blocks, False),
    ("additions to one address", chain, False),
    ("loads that are folded", folded, True),
    ("constants, some of them equal", merged, True),
    ("kernels", kernels, False),
    ("functions that call each other", functions, False),
]


def cost(ptxopt, make, size, is_whole):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write("\n".join(HEAD + make(size)) + "\n")
        file.flush()
        passes = "global-opt<whole-program>" if is_whole else "global-opt"
        return instructions(ptxopt, passes, file.name) - instructions(ptxopt, "", file.name)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--large"]
    sizes = SIZES
    grows = False
    for name, make, is_whole in KINDS:
        if "--large" in sys.argv and make in (one_variable, blocks):
            # One function: 1,000,000 loads, and 50,000 blocks.
            sizes = SIZES + [1_000_000] if make is one_variable else [1_000, 10_000, 50_000]
        costs = [cost(arguments[0], make, size, is_whole) for size in sizes]
        growth = [b / a / (n / m) for a, b, m, n in zip(costs, costs[1:], sizes, sizes[1:])]
        grows |= max(growth) > MOST_GROWTH
        each = ", ".join(f"{c // size:,}" for c, size in zip(costs, sizes))
        times = ", ".join(f"{g:.2f}" for g in growth)
        print(f"{name}: {each} instructions each; grows {times} times as fast", flush=True)
        sizes = SIZES
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
