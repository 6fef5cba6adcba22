#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of the forms that --for lowers, for older targets, run beside the original in ptxrun.

    tests/retarget/random_kernels.py --forms ... --ptxopt ... --ptxrun ... [--ptxas 70=PATH ...] --count 200

Each kernel has 8 to 24 statements that --for can lower, in straight code, below branches and in loops, guarded
or not, whose operands are results of others, numbers, and values from memory, special ones among them.  Loads,
stores, atomics, copies and matrices are to memory of the thread or of the warp (memory_statements.py).  It is
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

import memory_statements
from compare import REGISTERS, SPECIALS, consume, forms, number, operands
from memory_statements import Memory, family

BLOCK = 64
KERNELS = 10  # in a file
COUNTS = {"%p": 4, "%b": 4, "%h": 8, "%r": 8, "%rd": 6, "%f": 8, "%fd": 4, "%q": 4}
NAME = re.compile(r"(%[a-z]+)\d+")


class Kernel:
    """The text of one kernel."""

    def __init__(self, rng, chosen):
        """`chosen`: statements to choose from, by what they do: `pure`, `memory`, `warp`, `copies`."""
        self.rng = rng
        self.chosen = chosen
        self.memory = Memory(rng, COUNTS)
        self.lines = []
        self.labels = 0

    def register(self, name):
        return self.memory.register(name)

    def operand(self, name):
        """A source: mostly a register, sometimes a number."""
        if name in ("%r", "%h") and self.rng.random() < 0.1:
            bits = 0xFFFF if name == "%h" else 0xFFFFFFFF
            return str(self.rng.choice(SPECIALS) & bits)
        if name == "%f" and self.rng.random() < 0.1:
            return f"0f{self.rng.choice(SPECIALS):08X}"
        return self.register(name)

    def statement(self, text):
        """The form with other operands."""
        mnemonic, words = text.rstrip(";").split(" ", 1)
        first = len(operands(text)[0])
        seen = 0

        def other(match):
            nonlocal seen
            seen += 1
            # ptxas takes no number for f16 and bf16, and in conversions.
            is_plain = not re.search("^cvt|f16|x2", mnemonic) and not set("[{") & set(words)
            return self.register(match[1]) if seen <= first or not is_plain else self.operand(match[1])

        return f"{mnemonic} {NAME.sub(other, words)};"

    def some(self, count, depth=0):
        """`count` statements; below a branch only those that one thread may run alone."""
        while count > 0:
            choice = self.rng.random()
            if depth < 2 and choice < 0.1 and count > 2:
                self.nested(self.rng.randrange(1, count), depth)
                count -= count // 2
            elif depth == 0 and choice < 0.25 and self.chosen["warp"]:
                self.lines += self.memory.warp_wide(self.of_a_family("warp"))
            elif choice < 0.5 and self.chosen["memory"]:
                self.lines.append(self.memory.guard() + self.memory.alone(self.of_a_family("memory")))
            elif choice < 0.55 and self.chosen["copies"]:
                self.lines += self.memory.copies(self.chosen["copies"], self.some_pure)
            else:
                self.lines += self.some_pure(1)
            count -= 1
            if self.rng.random() < 0.2:
                self.lines.append(f"setp.gt.s32 {self.register('%p')}, {self.register('%r')}, "
                                  f"{self.register('%r')};")

    def of_a_family(self, what):
        return self.rng.choice(self.rng.choice(self.chosen[what]))

    def some_pure(self, count=2):
        return [self.memory.guard() + self.statement(self.rng.choice(self.chosen["pure"])) for _ in range(count)]

    def nested(self, count, depth):
        label = f"L{self.labels}"
        self.labels += 1
        if self.rng.random() < 0.5:
            self.lines.append(f"@{self.register('%p')} bra {label};")
            self.some(count, depth + 1)
            self.lines.append(f"{label}:")
            return
        self.lines += [f"mov.u32 %i{depth}, 0;", f"{label}:"]
        self.some(min(count, 4), depth + 1)
        self.lines += [f"add.u32 %i{depth}, %i{depth}, 1;", f"setp.lt.u32 %more, %i{depth}, 3;",
                       f"@%more bra {label};"]

    def text(self, name):
        load = []
        for at, (register, many) in enumerate((r, n) for r, n in COUNTS.items()):
            for k in range(many):
                special = self.rng.choice(SPECIALS)
                load.append(f"ld.global.u32 %x, [%in+{(at * 8 + k) * 4}]; and.b32 %y, %x, 3; "
                            f"setp.eq.u32 %more, %y, 0; selp.b32 %x, {special}, %x, %more;")
                if register == "%p":
                    load.append(f"and.b32 %y, %x, 4; setp.eq.u32 {register}{k}, %y, 0;")
                elif register == "%b":
                    load.append(f"cvt.u8.u32 {register}{k}, %x;")
                elif register == "%h":
                    load.append(f"mov.b32 {{{register}{k}, %hx}}, %x;")
                elif register in ("%rd", "%fd"):
                    load.append(f"mov.b64 {register}{k}, {{%x, %x}};")
                elif register == "%q":
                    load.append(f"mov.b128 {register}{k}, {{%x, %y, %x, %sum}};")
                else:
                    load.append(f"mov.b32 {register}{k}, %x;")
        load = "\n\t".join(["", *load])
        self.some(self.rng.randrange(8, 25))
        store = "".join(consume(f"{register}{k}") for register, many in COUNTS.items() for k in range(many))
        declared = "\n".join(f"\t.reg {REGISTERS[r]} {r}<{n}>;" for r, n in COUNTS.items())
        body = "\n".join(line if line.endswith(":") else "\t" + line for line in self.lines)
        return f"""
.visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 mem)
{{
{declared}
	.reg .pred %more;
	.reg .b16 %hx;
	.reg .b32 %x, %y, %z, %w, %sum, %i0, %i1, %t;
	.reg .b64 %in, %out, %offset;{memory_statements.DECLARATIONS}
	ld.param{self.rng.choice(["", "::entry"])}.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %t, %tid.x; mul.wide.u32 %offset, %t, 256; add.u64 %in, %in, %offset;
	mul.wide.u32 %offset, %t, 4; add.u64 %out, %out, %offset;{memory_statements.start(BLOCK)}
	mov.u32 %sum, 1;{load}
{body}{store}{memory_statements.end(consume("%x"))}
	st.global.u32 [%out], %sum;
	ret;
}}
"""


ATOMIC_TYPES = {"and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "exch": "b32 b64", "cas": "b16 b32 b64",
                "inc": "u32", "dec": "u32", "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64",
                "add": "u32 s32 u64 f32 f64 f16 f16x2"}


def exists(statement):
    """Rows of the instruction table have more forms than there are."""
    words = statement.split(" ")[0].rstrip(";").split(".")
    elements = next((int(word[1]) for word in words if word in ("v2", "v4", "v8")), 1)
    bits = re.search(r"\.[busf](\d+)(x2)?$", ".".join(words))
    size = elements * int(bits[1]) * (2 if bits[2] else 1) if bits else 0
    if words[0] in ("atom", "red"):
        types = next(ATOMIC_TYPES[word] for word in words if word in ATOMIC_TYPES)
        return words[-1] in types.split() and size <= 128
    if words[0] not in ("ld", "st"):
        return True
    if {"const", "local", "param"} & {word.split("::")[0] for word in words}:
        return False  # the kernels have no such memory
    if "nc" in words and "global" not in words:
        return False
    is_wide = (elements, bits[1]) in ((4, "64"), (8, "32")) and not any(word.startswith("shared") for word in words)
    return size <= 128 or is_wide


def usable(form):
    """For the target of the kernels, and with the registers that they have."""
    return exists(form.statement) and all(name in COUNTS for name in NAME.findall(form.statement)) and \
        ("100" in form.target or number(form.target) <= 100) and not re.search(r"\d+a\b", form.target)


def is_not_after(version, other):
    return [int(part) for part in version.split(".")] <= [int(part) for part in other.split(".")]


def vector(register, count):
    kind, number = re.match(r"(%[a-z]+)(\d+)", register).groups()
    return "{" + ", ".join(f"{kind}{int(number) + k}" for k in range(count)) + "}"


def with_vectors(form):
    """Some rows have forms with vectors of different sizes, but one example."""
    mnemonic, _, words = form.statement.partition(" ")
    elements = re.search(r"\.[vx]([1248])\b", mnemonic)
    if elements:
        count = int(elements[1])
        words, changed = re.subn(r"\{([^,}]*)[^}]*\}", lambda old: vector(old[1], count), words)
        if not changed:
            words = re.sub(r"%[a-z]+\d+", lambda old: vector(old[0], count), words, count=1)
    if re.search(r"^mma\.\S*(k32\S*8\.s32|k64|k256)", mnemonic):
        words = words.replace("{%r10, %r11}", vector("%r10", 4)).replace("{%r20}", vector("%r20", 2))
    return form._replace(statement=f"{mnemonic} {words}".strip())


def example(statement):
    """One that is right for this form of the row."""
    if ".cg" in statement:
        statement = statement.replace(", 4;", ", 16;")
    return statement if "[smem]" in statement or ".shared" not in statement else statement.replace("[gmem]", "[smem]")


def taken(ptxas, folder, all_forms):
    """Those that ptxas takes: some rows of the instruction table have more forms than there are."""
    path = os.path.join(folder, "forms.ptx")
    declared = " ".join(f".reg {REGISTERS[r]} {r}<40>;" for r in COUNTS)
    opening = [".version 9.4", ".target sm_100f", ".address_size 64",
               ".global .align 128 .b8 gmem[256]; .shared .align 128 .b8 smem[256];", f".entry k() {{ {declared}"]
    result = []
    for at in range(0, len(all_forms), 1000):
        left = all_forms[at:at + 1000]
        while True:
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join([*opening, *(example(form.statement) for form in left), "ret; }", ""]))
            run = subprocess.run([ptxas, "-O0", "-arch=sm_100f", path, "-o", os.devnull], capture_output=True, text=True)
            wrong = {int(line) - len(opening) - 1 for line in re.findall(r"line (\d+); error", run.stderr)}
            left = [form for k, form in enumerate(left) if k not in wrong]
            if not wrong:
                break
        if run.returncode != 0:
            sys.exit(f"{ptxas}: {run.stderr}")
        result += left
    return result


def by_family(statements):
    families = collections.defaultdict(list)
    for statement in statements:
        families[family(statement)].append(statement)
    return list(families.values())


def choices(all_forms):
    """What kernels are made of."""
    pure = [form.statement for form in all_forms if form.is_pure and "createpolicy" not in form.statement]
    rest = [form.statement for form in all_forms if not form.is_pure]
    alone = [statement for statement in rest if family(statement) in memory_statements.ALONE]
    return {"pure": pure,
            "memory": by_family(alone) + [memory_statements.HINTED] * 2,
            "warp": by_family(s for s in rest if family(s) in memory_statements.WARP_WIDE),
            "copies": [s for s in rest if s.startswith("cp.async") and "[" in s]}


def check(options, folder, seed, chosen):
    """(kernels, lowerings, problems)"""
    rng = random.Random(seed)
    header = ".version 9.4\n.target sm_100f\n.address_size 64\n"
    kernels = [Kernel(rng, chosen).text(f"k{k}") for k in range(KERNELS)]
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
                                  f"buffer:{BLOCK * 4}", "--arg", f"buffer:{BLOCK * 512}:random:u32:{seed - k}",
                                  "--no-races", "--schedules", "2"], capture_output=True, text=True)
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
    all_forms = [with_vectors(form) for form in forms(options.forms)
                 if usable(form) and number(form.to_target) <= lowest and is_not_after(form.to_version, options.ptx)]
    if options.newest:
        with tempfile.TemporaryDirectory() as scratch:
            all_forms = taken(options.newest, scratch, all_forms)
    chosen = choices(all_forms)
    used = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = options.keep or temporary
        seeds = range(options.seed, options.seed + -(-options.count // KERNELS))
        for kernels, same, problems in pool.map(lambda s: check(options, folder, s, chosen), seeds):
            used["kernels"] += kernels
            used["same"] += same
            used["problems"] += len(problems)
            for problem in problems:
                print(problem, flush=True)
            if used["kernels"] % 1000 == 0:
                print(f"{used['kernels']} kernels: {used['same']} the same", flush=True)
    print(f"{used['kernels']} kernels of {len(all_forms)} forms, for sm_{', sm_'.join(options.targets)}: "
          f"{used['same']} the same, {used['problems']} problems")
    return 1 if used["problems"] or not used["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
