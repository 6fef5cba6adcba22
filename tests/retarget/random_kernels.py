#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of the forms that --for lowers, for older targets, run beside the original in ptxrun.

    tests/retarget/random_kernels.py --forms ... --ptxopt ... --ptxrun ... [--ptxas 70=PATH ...] --count 200

Each kernel has 8 to 24 statements that --for can lower, in straight code, below branches and in loops, guarded
or not, whose operands are results of others, numbers, and values from memory, special ones among them.  It is
lowered for each of --targets; the results of all threads must be equal.  --ptxas TARGET=PATH names a ptxas that
must take what is written for that target; several may be given.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from compare import SPECIALS, consume, forms, is_taken, number, operands

BLOCK = 64
KERNELS = 10  # in a file
COUNTS = {"%p": 4, "%h": 6, "%r": 8, "%rd": 6, "%f": 6, "%fd": 2}
TYPES = {"%p": ".pred", "%h": ".b16", "%r": ".b32", "%rd": ".b64", "%f": ".f32", "%fd": ".f64"}
NAME = re.compile(r"(%[a-z]+)\d+")


class Kernel:
    """The text of one kernel."""

    def __init__(self, rng, statements, warp_statements):
        self.rng = rng
        self.statements = statements
        self.warp_statements = warp_statements
        self.lines = []
        self.labels = 0

    def register(self, name):
        return f"{name}{self.rng.randrange(COUNTS[name])}"

    def operand(self, name):
        """A source: mostly a register, sometimes a number."""
        if name in ("%r", "%h") and self.rng.random() < 0.1:
            bits = 0xFFFF if name == "%h" else 0xFFFFFFFF
            return str(self.rng.choice(SPECIALS) & bits)
        if name == "%f" and self.rng.random() < 0.1:
            return f"0f{self.rng.choice(SPECIALS):08X}"
        return self.register(name)

    def statement(self, text, may_have_numbers=True):
        """The form with other operands."""
        mnemonic, words = text.rstrip(";").split(" ", 1)
        first = len(operands(text)[0])
        seen = 0

        def other(match):
            nonlocal seen
            seen += 1
            # ptxas takes no number for f16 and bf16, and in conversions.
            is_plain = may_have_numbers and not re.search("^cvt|f16|x2", mnemonic) and not set("[{") & set(words)
            return self.register(match[1]) if seen <= first or not is_plain else self.operand(match[1])

        return f"{mnemonic} {NAME.sub(other, words)};"

    def some(self, count, depth=0):
        """`count` statements; below a branch only those that one thread may run alone."""
        while count > 0:
            choice = self.rng.random()
            if depth < 2 and choice < 0.1 and count > 2:
                self.nested(self.rng.randrange(1, count), depth)
                count -= count // 2 + 1
            elif depth == 0 and choice < 0.25 and self.warp_statements:
                self.lines.append("\t" + self.statement(self.rng.choice(self.warp_statements), False))
                count -= 1
            else:
                guard = ""
                if self.rng.random() < 0.3:
                    guard = f"@{self.rng.choice(['', '!'])}{self.register('%p')} "
                self.lines.append(f"\t{guard}{self.statement(self.rng.choice(self.statements))}")
                count -= 1
            if self.rng.random() < 0.2:
                self.lines.append(f"\tsetp.gt.s32 {self.register('%p')}, {self.register('%r')}, "
                                  f"{self.register('%r')};")

    def nested(self, count, depth):
        label = f"L{self.labels}"
        self.labels += 1
        if self.rng.random() < 0.5:
            self.lines.append(f"\t@{self.register('%p')} bra {label};")
            self.some(count, depth + 1)
            self.lines.append(f"{label}:")
            return
        self.lines += [f"\tmov.u32 %i{depth}, 0;", f"{label}:"]
        self.some(min(count, 4), depth + 1)
        self.lines += [f"\tadd.u32 %i{depth}, %i{depth}, 1;", f"\tsetp.lt.u32 %more, %i{depth}, 3;",
                       f"\t@%more bra {label};"]

    def text(self, name):
        load = []
        for at, (register, many) in enumerate((r, n) for r, n in COUNTS.items()):
            for k in range(many):
                special = self.rng.choice(SPECIALS)
                load.append(f"ld.global.u32 %x, [%in+{(at * 8 + k) * 4}]; and.b32 %y, %x, 3; "
                            f"setp.eq.u32 %more, %y, 0; selp.b32 %x, {special}, %x, %more;")
                if register == "%p":
                    load.append(f"and.b32 %y, %x, 4; setp.eq.u32 {register}{k}, %y, 0;")
                elif register == "%h":
                    load.append(f"mov.b32 {{{register}{k}, %hx}}, %x;")
                elif register in ("%rd", "%fd"):
                    load.append(f"mov.b64 {register}{k}, {{%x, %x}};")
                else:
                    load.append(f"mov.b32 {register}{k}, %x;")
        load = "\n\t".join(["", *load])
        self.some(self.rng.randrange(8, 25))
        store = "".join(consume(f"{register}{k}") for register, many in COUNTS.items() for k in range(many))
        declared = "\n".join(f"\t.reg {TYPES[r]} {r}<{n}>;" for r, n in COUNTS.items())
        body = "\n".join(self.lines)
        return f"""
.visible .entry {name}(.param .u64 in, .param .u64 out)
{{
{declared}
	.reg .pred %more;
	.reg .b16 %hx;
	.reg .b32 %x, %y, %z, %sum, %i0, %i1, %t;
	.reg .b64 %in, %out, %offset;
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %t, %tid.x; mul.wide.u32 %offset, %t, 256; add.u64 %in, %in, %offset;
	mul.wide.u32 %offset, %t, 4; add.u64 %out, %out, %offset;
	mov.u32 %sum, 1;{load}
{body}{store}
	st.global.u32 [%out], %sum;
	ret;
}}
"""


def usable(form):
    """Of registers and numbers only, and for the target of the kernels."""
    names = NAME.findall(form.statement)
    return "[" not in form.statement and all(name in COUNTS for name in names) and \
        ("100" in form.target or number(form.target) <= 100) and not re.search(r"\d+a\b", form.target)


def check(options, folder, seed, chosen, warp):
    """(kernels, lowerings, problems)"""
    rng = random.Random(seed)
    header = ".version 9.4\n.target sm_100f\n.address_size 64\n"
    kernels = [Kernel(rng, chosen, warp).text(f"k{k}") for k in range(KERNELS)]
    stem = os.path.join(folder, str(seed))
    with open(stem + ".ptx", "w", encoding="ascii") as file:
        file.write(header + "".join(kernels))
    problems, same = [], 0
    for target in options.targets:
        lowered = f"{stem}.{target}.ptx"
        made = subprocess.run([options.ptxopt, "-q", "-O0", f"--for=ptx{options.ptx},sm_{target}", stem + ".ptx",
                               "-o", lowered], capture_output=True, text=True)
        if made.returncode != 0:
            problems.append(f"seed {seed}, sm_{target}: {made.stderr[:300]}")
            continue
        for k in range(KERNELS):
            run = subprocess.run([options.ptxrun, "--compare", stem + ".ptx", lowered, "--kernel", f"k{k}", "--block",
                                  str(BLOCK), "--arg", f"buffer:{BLOCK * 256}:random:u32:{seed + k}", "--arg",
                                  f"buffer:{BLOCK * 4}", "--no-races"], capture_output=True, text=True)
            if run.returncode == 0:
                same += 1
            else:
                problems.append(f"seed {seed}, sm_{target}, k{k}: {(run.stdout + run.stderr)[:300]}")
        assembler = options.assemblers.get(target)
        if assembler:
            run = subprocess.run([assembler, f"-arch=sm_{target}", lowered, "-o", os.devnull],
                                 capture_output=True, text=True)
            if run.returncode != 0:
                problems.append(f"seed {seed}, sm_{target}: {run.stderr[:300]}")
    if not problems:
        for name in os.listdir(folder):
            if name.startswith(f"{seed}."):
                os.unlink(os.path.join(folder, name))
    return KERNELS, same, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", required=True)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--newest", help="a ptxas that says which forms there are")
    parser.add_argument("--ptxas", action="append", default=[], metavar="TARGET=PATH")
    parser.add_argument("--ptx", default="7.0", help="the version that is asked for")
    parser.add_argument("--targets", nargs="+", default=["70", "75", "80"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="kernels")
    parser.add_argument("--keep", help="a folder for the kernels of a failure")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.assemblers = dict(word.split("=", 1) for word in options.ptxas)
    lowest = min(int(target) for target in options.targets)
    all_forms = [form for form in forms(options.forms) if usable(form) and number(form.to_target) <= lowest]
    if options.newest:
        with tempfile.TemporaryDirectory() as scratch:
            all_forms = [form for form in all_forms if not form.is_pure or is_taken(options.newest, scratch, form)]
    chosen = [form.statement for form in all_forms if form.is_pure and "createpolicy" not in form.statement]
    warp = [form.statement for form in all_forms
            if not form.is_pure and form.statement.startswith(("redux", "elect", "match", "movmatrix"))]
    used = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = options.keep or temporary
        seeds = range(options.seed, options.seed + -(-options.count // KERNELS))
        for kernels, same, problems in pool.map(lambda s: check(options, folder, s, chosen, warp), seeds):
            used["kernels"] += kernels
            used["same"] += same
            used["problems"] += len(problems)
            for problem in problems:
                print(problem, flush=True)
            if used["kernels"] % 1000 == 0:
                print(f"{used['kernels']} kernels: {used['same']} the same", flush=True)
    print(f"{used['kernels']} kernels of {len(chosen) + len(warp)} forms, for sm_{', sm_'.join(options.targets)}: "
          f"{used['same']} the same, {used['problems']} problems")
    return 1 if used["problems"] or not used["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
