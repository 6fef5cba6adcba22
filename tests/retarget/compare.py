#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each instruction that --for can lower, and what takes its place, on the same operands in ptxrun.

    tests/retarget/compare.py --forms build/release/bin/retarget_forms --ptxopt ... --ptxrun ... [--ptxas ...]

This is for instructions that only compute.  One source of 16 bits gets all 65,536 values; other sources get
--samples values: random bits, random bits with the exponents of f16, all special values and what is near to
them, and what is near to the middle of two numbers with fewer bits.  Each instruction runs without a guard, with
one, and with one and its results in registers of its sources.  The results of all samples must be equal bit for
bit.  Each form is lowered for several targets, and ptxas, where there is one, must take the result.  Forms that
move memory or wait for other threads have kernels of their own in tests/regress/retarget.

--long N gives N samples to each form with more than 16 bits of sources, without the guards, and many forms to a
kernel, which then makes their operands only once.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

REGISTERS = {"%p": ".pred", "%b": ".b8", "%h": ".b16", "%r": ".b32", "%rd": ".b64", "%f": ".f32", "%fd": ".f64",
             "%q": ".b128"}
TARGETS = ["50", "53", "60", "70", "75", "80", "86", "89", "90", "100"]
THREADS = 1024
GROUP = 32  # forms in a kernel of a long run
OLDEST_OF_PTXAS = 75  # target, and the newest version
NEWEST_OF_PTXAS = "9.0"  # that every ptxas knows which the tests are run with
# Signs, zeros, the smallest and largest numbers of each type, infinities, NaN with and without a payload.
SPECIALS = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,
    0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF,
    0x7F7F7FFF, 0x7F7F8000, 0x7F7F8001, 0x3F808000, 0x3F818000, 0x3F807FFF, 0x3F808001, 0x00008000,
    0x00018000, 0x477FE000, 0x477FEFFF, 0x477FF000, 0xC77FF000, 0x38800000, 0x387FC000, 0x33800000,
    0x33000000, 0x33000001, 0x43E00000, 0x43E80000, 0x43F00000, 0x47600000, 0x47700000, 0xC7700000,
    0x40C00000, 0x40E00000, 0x41E00000, 0x40F00000, 0x3E800000, 0x3E000000, 0x3C800000, 0x3B000000,
    0x00003C00, 0x80003C00, 0x7C00FC00, 0x7E00FE00, 0x7FFF7FFF, 0x7BFFFBFF, 0x00010001, 0x80010001,
    0x03FF0400, 0x83FF8400, 0x7F80FF80, 0x7FC0FFC0, 0x7F7FFF7F, 0x00800080, 0x007F807F, 0x3F803F80]

Form = collections.namedtuple("Form", "statement version target to_version to_target is_pure becomes")


def forms(program):
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        fields = line.split("\t")
        yield Form(*fields[:5], fields[5] == "pure", fields[6])


def first_target(requirement):
    return requirement.split("|")[0]


def number(target):
    return int(re.match(r"\d+", target).group())


def operands(statement):
    """(registers that are written, registers that are read)"""
    words = statement.split(" ", 1)[1].rstrip(";")
    written, read = words.split(", ", 1) if ", " in words else (words, "")
    if written.startswith("{"):
        written, read = re.match(r"(\{.*?\}), (.*)", words).groups()
    names = re.compile(r"%[a-z]+\d+")
    return names.findall(written), list(dict.fromkeys(names.findall(read)))


def kind(register):
    return register.rstrip("0123456789")


def produce(register, index, is_only, has_halves):
    """Statements that give a source its value for sample %n."""
    mix = f"""
	mad.lo.u32 %x, %n, 0x9E3779B1, {0x85EBCA6B * (index + 1) & 0xFFFFFFFF};
	shr.u32 %y, %x, 15; xor.b32 %x, %x, %y; mul.lo.u32 %x, %x, 0x2C1B3C6D;
	shr.u32 %y, %x, 12; xor.b32 %x, %x, %y; mul.lo.u32 %x, %x, 0x297A2D39;
	shr.u32 %y, %x, 15; xor.b32 %x, %x, %y;
	mad.lo.u32 %y, %x, 0x846CA68B, 0x1234567; shr.u32 %z, %y, 16; xor.b32 %y, %y, %z;
	and.b32 %z, %y, 252; mov.u64 %at, specials; cvt.u64.u32 %wide, %z; add.u64 %at, %at, %wide;
	ld.const.u32 %s, [%at];
	and.b32 %z, %y, 3;
	setp.eq.u32 %is1, %z, 1; selp.b32 %w, %s, %x, %is1;
	setp.eq.u32 %is1, %z, 2; and.b32 %z, %x, 7; add.u32 %z, %z, %s; sub.u32 %z, %z, 3;
	selp.b32 %w, %z, %w, %is1;
	and.b32 %z, %y, 3; setp.eq.u32 %is1, %z, 3;
	bfe.u32 %z, %y, 8, 5; add.u32 %z, %z, 112; bfi.b32 %z, %z, %x, 23, 8;
	bfe.u32 %s, %y, 13, 2; setp.eq.u32 %is2, %s, 0; add.u32 %s, %s, 0x7FFE; bfi.b32 %s, %s, %z, 0, 16;
	selp.b32 %z, %z, %s, %is2; selp.b32 %w, %z, %w, %is1;
	bfe.u32 %s, %y, 18, 5; shr.u32 %z, %w, %s; or.b32 %z, %z, 1; shl.b32 %z, %z, %s;
	bfe.u32 %s, %y, 23, 2; add.u32 %z, %z, %s; sub.u32 %z, %z, 1;
	bfe.u32 %s, %y, 15, 2; setp.eq.u32 %is1, %s, 0; selp.b32 %w, %z, %w, %is1;
	bfe.u32 %z, %x, 3, 9; or.b32 %z, %z, 1; bfe.u32 %s, %y, 18, 5; shl.b32 %z, %z, %s;
	bfe.u32 %s, %y, 23, 2; add.u32 %z, %z, %s; sub.u32 %z, %z, 1;
	bfe.u32 %s, %y, 15, 4; setp.eq.u32 %is1, %s, 1; selp.b32 %w, %z, %w, %is1;"""
    if has_halves and kind(register) in ("%h", "%r"):
        # What is special as f32 is so as a half too if that gets the upper one: the upper one twice, both
        # exchanged, the lower one twice, or as they are.
        mix += """
	bfe.u32 %z, %y, 26, 2; shl.b32 %z, %z, 3; mov.b32 %s, 0x54107632; shf.r.wrap.b32 %s, %s, %s, %z;
	prmt.b32 %w, %w, %w, %s;"""
    if kind(register) in ("%h", "%b"):
        move = f"cvt.u8.u32 {register}, " if kind(register) == "%b" else f"mov.b32 {{{register}, %hx}}, "
        return ("" if is_only else mix) + f"\n\t{move}{'%n' if is_only else '%w'};"
    if kind(register) in ("%rd", "%fd"):
        # Also numbers near to those that f32 and bf16 have, and to the middle of two.
        return mix + "\n\tmov.b32 %v, %w;" + mix.replace("%n,", "%x,") + f"""
	mov.b64 %wide, {{%v, %w}};
	bfe.u32 %z, %y, 5, 9; or.b32 %z, %z, 1; cvt.u64.u32 %at, %z; bfe.u32 %s, %y, 17, 6; shl.b64 %at, %at, %s;
	bfe.u32 %z, %y, 28, 2; setp.eq.u32 %is1, %z, 0; selp.b64 %wide, %at, %wide, %is1;
	mov.b32 %single, %w; cvt.f64.f32 %double, %single; mov.b64 %at, %double;
	setp.eq.u32 %is1, %z, 1; selp.b64 %wide, %at, %wide, %is1;
	and.b32 %s, %y, 3; setp.lt.u32 %is1, %z, 2; selp.b32 %s, %s, 1, %is1; cvt.u64.u32 %at, %s;
	add.u64 %wide, %wide, %at; sub.u64 %wide, %wide, 1; mov.b64 {register}, %wide;"""
    if kind(register) == "%q":
        return mix + f"\n\tmov.b128 {register}, {{%n, %w, %x, %w}};"
    if kind(register) == "%p":
        return mix + f"\n\tand.b32 %z, %x, 1; setp.ne.u32 {register}, %z, 0;"
    return mix + f"\n\tmov.b32 {register}, %w;"


def consume(register, total="%sum"):
    """Statements that add a result to a total."""
    if kind(register) == "%h":
        take = [f"mov.b32 %z, {{{register}, {register}}};"]
    elif kind(register) == "%b":
        take = [f"cvt.u32.u8 %z, {register};"]
    elif kind(register) in ("%rd", "%fd"):
        take = [f"mov.b64 {{%z, %y}}, {register};", "mad.lo.u32 %z, %y, 0x01000193, %z;"]
    elif kind(register) == "%q":
        take = [f"mov.b128 {{%z, %y, %x, %w}}, {register};",
                *(f"mad.lo.u32 %z, {word}, 0x01000193, %z;" for word in ("%y", "%x", "%w"))]
    elif kind(register) == "%p":
        take = [f"selp.b32 %z, 1, 0, {register};"]
    else:
        take = [f"mov.b32 %z, {register};"]
    return "\n\t" + " ".join(take) + f" mad.lo.u32 {total}, {total}, 0x01000193, %z; shf.l.wrap.b32 {total}, {total}, {total}, 7;"


def start(register):
    """Statements that give a result its value before: what has a guard may leave it."""
    if kind(register) == "%b":
        return f"\n\tcvt.u8.u32 {register}, %n;"
    if kind(register) == "%h":
        return f"\n\tmov.b32 {{{register}, %hx}}, %n;"
    if kind(register) in ("%rd", "%fd"):
        return f"\n\tmov.b64 {register}, {{%n, %n}};"
    if kind(register) == "%q":
        return f"\n\tmov.b128 {register}, {{%n, %n, %n, %n}};"
    if kind(register) == "%p":
        return f"\n\tsetp.eq.u32 {register}, %n, 0;"
    return f"\n\tmov.b32 {register}, %n;"


def over_a_source(statement, written, read):
    """The statement with results in registers of its sources, and those registers."""
    results, left = [], list(reversed(read))
    for register in written:
        same = next((other for other in left if kind(other) == kind(register)), register)
        results.append(same)
        left = [other for other in left if other != same]
    mnemonic, operands = statement.split(" ", 1)
    for register, result in zip(written, results):
        operands = re.sub(re.escape(register) + r"\b", result, operands, count=1)
    return f"{mnemonic} {operands}", results


Operands = collections.namedtuple("Operands", "written read is_only has_halves")


def operands_of(statement):
    """What operands the samples of a form are made for; forms that agree in it can have the same samples."""
    written, read = operands(statement)
    is_only = len(read) == 1 and kind(read[0]) in ("%h", "%b")
    return Operands(tuple(written), tuple(read), is_only, "x2" in statement or "16" in statement)


def with_guards(statement):
    """The statement without a guard, with one, and with one and over its sources."""
    written, read = operands(statement)
    text = f"\n\t{statement}" + "".join(map(consume, written)) + "".join(map(start, written))
    text += f"\n\tand.b32 %z, %n, 2; setp.eq.u32 %is1, %z, 0;\n\t@%is1 {statement}" + "".join(map(consume, written))
    changed, results = over_a_source(statement, written, read)
    guard = next((register for register in results if kind(register) == "%p"), "%is1")
    return text + f"\n\t@!{guard} {changed}" + "".join(map(consume, results))


def kernel(statements, samples):
    """A kernel k of statements with the same operands, which writes a total of all results for each statement.
    Where it is one statement, it runs with guards too."""
    shared = operands_of(statements[0])
    count = 65536 if shared.is_only else samples
    body = "".join(produce(register, k, shared.is_only, shared.has_halves) for k, register in enumerate(shared.read))
    if len(statements) == 1:
        body += with_guards(statements[0])
    else:
        body += "".join(f"\n\t{statement}" + "".join(consume(register, f"%sum{k}") for register in shared.written)
                        for k, statement in enumerate(statements))
    totals = ["%sum"] if len(statements) == 1 else [f"%sum{k}" for k in range(len(statements))]
    start_totals = "\n\t".join(f"mov.u32 {total}, 1;" for total in totals)
    store_totals = "\n\t".join(f"st.global.u32 [%to+{k * THREADS * 4}], {total};" for k, total in enumerate(totals))
    used = {kind(register) for register in (*shared.written, *shared.read)}
    declared = "".join(f"\n\t.reg {type} {name}<8>;" for name, type in REGISTERS.items() if name in used)
    return f"""
.visible .entry k(.param .u64 out)
{{{declared}
	.reg .pred %is1, %is2, %more;
	.reg .b16 %hx;
	.reg .b32 %x, %y, %z, %s, %w, %v, %n, %end, %t, %c, {", ".join(totals)};
	.reg .b64 %to, %offset, %at, %wide;
	.reg .f32 %single;
	.reg .f64 %double;
	ld.param.u64 %to, [out];
	mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %c, 128, %t;
	mul.wide.u32 %offset, %t, 4; add.u64 %to, %to, %offset;
	mul.lo.u32 %n, %t, {count // THREADS}; add.u32 %end, %n, {count // THREADS};
	{start_totals}
LOOP:{body}
	add.u32 %n, %n, 1;
	setp.lt.u32 %more, %n, %end;
	@%more bra LOOP;
	{store_totals}
	ret;
}}
"""


def header(version, target):
    specials = ", ".join(f"0x{value:08X}" for value in SPECIALS)
    return f".version {version}\n.target sm_{target}\n.address_size 64\n.const .b32 specials[64] = {{{specials}}};\n"


def is_taken(ptxas, folder, form):
    """Whether ptxas takes the form at all: some rows of the instruction table have more forms than there are."""
    path = os.path.join(folder, "form.ptx")
    target = first_target(form.target)
    if number(target) < OLDEST_OF_PTXAS:
        target = str(OLDEST_OF_PTXAS)
    with open(path, "w", encoding="ascii") as file:
        file.write(header(NEWEST_OF_PTXAS, target) + kernel([form.statement], 0))
    run = subprocess.run([ptxas, f"-arch=sm_{target}", path, "-o", os.devnull],
                         capture_output=True, text=True)
    return run.returncode == 0


def lower_and_run(options, folder, name, chosen, target, samples):
    """Writes NAME.ptx and NAME.lowered.ptx in `folder`; the kernel of what is lowered, or a problem."""
    stem = os.path.join(folder, name)
    needed = first_target(chosen[0].target)
    what = "; ".join(form.statement for form in chosen) + f" for sm_{target}"
    with open(stem + ".ptx", "w", encoding="ascii") as file:
        file.write(header("9.4", needed) + kernel([form.statement for form in chosen], samples))
    run = subprocess.run([options.ptxopt, "-q", "-O0", f"--for=sm_{target}", stem + ".ptx", "-o", f"{stem}.lowered.ptx"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        return f"{what}: {run.stderr.strip().splitlines()[0]}"
    run = subprocess.run([options.ptxrun, "--compare", stem + ".ptx", f"{stem}.lowered.ptx", "--kernel", "k", "--grid",
                          "8", "--block", "128", "--arg", f"buffer:{len(chosen) * THREADS * 4}", "--no-races",
                          "--step-limit", "1000000000000"], capture_output=True, text=True)
    if run.returncode != 0:
        return f"{what}: {(run.stdout + run.stderr).strip()[:400]}"
    return None


def is_still_there(form, lowered):
    # min.f32 of three sources becomes min.f32 of two.
    same = rf"^\s*(@\S+ )?{re.escape(form.statement.split(' ')[0])}\s.*"
    return any(found.group().count(",") == form.statement.count(",")
               for found in re.finditer(same, lowered, re.MULTILINE))


def check(options, folder, index, form, target):
    """A problem, or None."""
    name = f"{index}.{target}"
    problem = lower_and_run(options, folder, name, [form], target, options.samples)
    if problem:
        return problem
    path = os.path.join(folder, name + ".lowered.ptx")
    with open(path, encoding="ascii") as file:
        lowered = file.read()
    if is_still_there(form, lowered):
        return f"{form.statement} for sm_{target}: is still there"
    if options.ptxas:
        # The version that --for states may be newer than ptxas, and the target older.
        arch = target if number(target) >= OLDEST_OF_PTXAS else str(OLDEST_OF_PTXAS)
        version = "8.0" if number(arch) < 100 else "8.6"
        text = re.sub(r"\.version \S+", f".version {version}", lowered, count=1)
        text = re.sub(r"\.target \S+", f".target sm_{arch}", text, count=1)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        run = subprocess.run([options.ptxas, f"-arch=sm_{arch}", path, "-o", os.devnull],
                             capture_output=True, text=True)
        if run.returncode != 0:
            return f"{form.statement} for sm_{target}: {run.stderr.strip()[:300]}"
    return None


def groups(work):
    """Forms whose operands are the same, with their target, at least two and at most GROUP of them."""
    found = collections.defaultdict(list)
    for _, form, target in work:
        shared = operands_of(form.statement)
        if not shared.is_only:
            found[(shared, target, first_target(form.target))].append(form)
    for (_, target, _), chosen in found.items():
        chosen = chosen * 2 if len(chosen) == 1 else chosen
        count = -(-len(chosen) // GROUP)
        for k in range(count):
            yield chosen[k::count], target


def targets_for(form):
    """The first target that the text runs on, and each later one where the form is still missing."""
    needed = number(form.target)
    return [target for target in TARGETS
            if number(target) >= number(form.to_target) and number(target) < needed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", required=True)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--samples", type=int, default=16384, help="of each form whose sources have more than 16 bits")
    parser.add_argument("--long", type=int, default=0, metavar="N", help="N samples without guards besides")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th form")
    parser.add_argument("--filter", default="", help="only statements that contain this")
    parser.add_argument("--all-targets", action="store_true", help="not only the lowest of each form")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return run_all(options, scratch)


def run_all(options, scratch):
    work = []
    for index, form in enumerate(forms(options.forms)):
        if index % options.every != 0:
            continue
        if not form.is_pure or options.filter not in form.statement or "createpolicy" in form.statement:
            continue
        if options.ptxas and not is_taken(options.ptxas, scratch, form):
            print(f"{form.statement}: ptxas does not have it")
            continue
        targets = targets_for(form)
        if not targets:
            print(f"{form.statement}: no target in between")
        work += [(index, form, target) for target in (targets if options.all_targets else targets[:1])]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = list(filter(None, pool.map(lambda item: check(options, scratch, *item), work)))
        print(*problems, sep="\n", end="\n" if problems else "")
        if options.long and not problems:
            problems = long_run(options, scratch, pool, work)
    print(f"{len({form for _, form, _ in work})} forms, {len(work)} lowerings, {options.samples} samples: "
          f"{len(problems)} differ")
    return 1 if problems or not work else 0


def long_run(options, scratch, pool, work):
    def one(item):
        index, (chosen, target) = item
        start_time = time.monotonic()
        problem = lower_and_run(options, scratch, f"long{index}", chosen, target, options.long)
        print(problem or f"{len(set(chosen))} forms like {chosen[0].statement} for sm_{target}: {options.long:,} "
              f"samples the same, {time.monotonic() - start_time:.0f} s", flush=True)
        return problem
    return list(filter(None, pool.map(one, enumerate(groups(work)))))


if __name__ == "__main__":
    sys.exit(main())
