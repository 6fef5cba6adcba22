#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in which values that threads share through .shared memory decide who meets a barrier.

Usage: random_broadcasts.py --ptxopt PROGRAM --ptxrun PROGRAM [--seed N] [--count N] [--out FOLDER]

One thread, some or all store into flags, in epochs of their own or, by mistake, in that of a load; all threads load the
flags; the values decide about arms with barriers, about the rounds of loops, and about the end of the kernel.  Each
barrier is left out now and then, and threads leave early.

The claims of `ptxopt --facts` must be true in every run that ends (docs/soundness/ C1.2.11): in those with races too.
What dead-sync makes of a kernel that is right, as ptxrun says, must do the same.  A run in which no barrier that such
a value decides about goes, or in which no mistake was planted, fails, since it would see no fault.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HEAD = """// LAUNCH: {"kernel": "k", "grid": 1, "block": 64}
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b32 IN[64] = {3, 1, 4, 1, 5, 9, 2, 6, 0, 1, 0, 2};
.visible .global .align 4 .b32 OUT[64];
.shared .align 4 .b8 A[256];
.shared .align 16 .b8 F[16];
.visible .entry k() .reqntid 64
{
	.reg .pred %leader, %other, %third, %high, %p, %q;
	.reg .b32 %t, %own, %far, %flag, %sum, %v, %w, %x, %it;
	.reg .b64 %in, %out;
	mov.u32 %t, %tid.x;
	setp.eq.u32 %leader, %t, 0;
	setp.eq.u32 %other, %t, 32;
	setp.eq.u32 %third, %t, 40;
	setp.ge.u32 %high, %t, 32;
	mov.u32 %own, A;
	mad.lo.u32 %own, %t, 4, %own;
	xor.b32 %far, %t, 33;
	mov.u32 %x, A;
	mad.lo.u32 %far, %far, 4, %x;
	mov.u64 %in, IN;
	mov.u64 %out, OUT;
	mad.wide.u32 %out, %t, 4, %out;
	mov.u32 %sum, %t;
	mov.u32 %v, 1;
	st.shared.u32 [%own], %t;
	@%leader st.shared.v4.u32 [F], {%t, %t, %t, %t};
	bar.sync 0;
"""
TAIL = """	st.global.u32 [%out], %sum;
	ret;
"""


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.labels = 0
        self.leaves = False
        self.mistakes = 0
        self.lines = []
        for _ in range(self.random.randint(2, 6)):
            self.step(0)
        self.text = HEAD + "".join(f"\t{line};\n" if not line.endswith(":") else line + "\n" for line in self.lines)
        self.text += TAIL
        if self.leaves:
            self.text += "LEAVES:\n\tst.shared.u32 [F+4], 9;\n\tret;\n"
        self.text += "}\n"

    def say(self, *lines):
        self.lines += lines

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def barrier(self):
        if self.random.random() < 0.06:
            self.mistakes += 1
        else:
            self.say("bar.sync 0")

    def flag(self):
        return f"[F+{4 * self.random.randrange(3)}]"

    def write(self):
        flag, number = self.flag(), self.random.randrange(4)
        kind = self.random.randrange(9)
        if kind < 4:
            who = self.random.choice(["%leader", "%leader", "%third"])
            self.say(f"@{who} ld.global.u32 %x, [%in+{4 * self.random.randrange(12)}]",
                     f"@{who} st.shared.u32 {flag}, %x")
        elif kind == 4:
            self.say(f"@%high st.shared.u32 {flag}, {number}")
        elif kind == 5:
            self.say(f"st.shared.u32 {flag}, {number}")
        elif kind == 6:
            self.say(f"atom.shared.add.u32 %x, {flag}, 1")
        elif kind == 7:
            self.mistakes += 1
            self.say(f"@%leader st.shared.u32 {flag}, 0", f"@%other st.shared.u32 {flag}, 1")
        else:
            self.mistakes += 1
            self.say(f"@%third st.shared.u8 {flag[:-1]}+1], 1", f"@%leader st.shared.u32 {flag}, 7")

    def load(self):
        if self.random.random() < 0.08:
            self.mistakes += 1
            self.say("ld.shared.u32 %v, [%own]")
        else:
            self.say(f"ld.shared.u32 %v, {self.flag()}")
        self.say("mad.lo.u32 %sum, %sum, 3, %v")

    def exchange(self):
        self.say("st.shared.u32 [%own], %sum")
        self.barrier()
        self.say("ld.shared.u32 %w, [%far]", "add.u32 %sum, %sum, %w")
        self.barrier()

    def decide(self, nesting):
        other, join = self.label(), self.label()
        self.say(f"and.b32 %w, %v, {self.random.choice([1, 3, 7])}", "setp.eq.u32 %p, %w, " + self.random.choice("01"),
                 f"@%p bra {other}")
        self.step(nesting + 1)
        self.say(f"bra {join}", f"{other}:")
        if self.random.random() < 0.4:
            self.step(nesting + 1)
        self.say(f"{join}:")

    def rounds(self, nesting):
        again, done = self.label(), self.label()
        flag = self.flag()
        self.say("mov.u32 %it, 0", f"{again}:", "add.u32 %it, %it, 1", f"@%leader st.shared.u32 {flag}, %it")
        self.barrier()
        self.say(f"ld.shared.u32 %v, {flag}")
        if self.random.random() < 0.7:
            self.barrier()
        self.say(f"setp.ge.u32 %q, %v, {self.random.randint(1, 3)}", f"@%q bra {done}")
        self.exchange()
        self.say("setp.lt.u32 %q, %it, 5", f"@%q bra {again}", f"{done}:")

    def step(self, nesting):
        kind = self.random.randrange(12)
        if kind < 3:
            self.write()
            self.barrier()
            self.load()
            self.barrier()
        elif kind < 5:
            self.write()
            self.barrier()
        elif kind < 7 and nesting < 2:
            self.load()
            self.decide(nesting)
            self.barrier()
        elif kind == 7 and nesting == 0:
            self.rounds(nesting)
        elif kind == 8 and nesting == 0 and self.random.random() < 0.3:
            self.leaves = True
            self.mistakes += 1
            self.say("@%third bra LEAVES")
        else:
            self.exchange()


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def outcome_of(options, path):
    done = run(options.ptxrun, path, "--schedules", options.schedules, "--step-limit", 400000, "--json")
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{path}: {done.stderr}")


def barriers_in(path):
    return len(re.findall(r"^\tbar\.sync", path.read_text(), re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--schedules", type=int, default=14)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    figures = dict.fromkeys(["kernels", "right", "mistakes", "barriers", "removed", "claims", "failures"], 0)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        before, after, facts = folder / "k.ptx", folder / "after.ptx", folder / "k.facts"
        for seed in range(options.seed, options.seed + options.count):
            kernel = Kernel(seed)
            before.write_text(kernel.text)
            problem = check(options, before, after, facts, figures)
            figures["kernels"] += 1
            figures["mistakes"] += kernel.mistakes
            if problem:
                figures["failures"] += 1
                print(f"seed {seed}: {problem}")
                if options.out:
                    options.out.mkdir(parents=True, exist_ok=True)
                    (options.out / f"k{seed}.ptx").write_text(kernel.text)
    print(", ".join(f"{number} {word}" for word, number in figures.items()))
    sees = figures["removed"] and figures["mistakes"] and figures["claims"]
    return 0 if sees and not figures["failures"] else 1


def check(options, before, after, facts, figures):
    done = run(options.ptxopt, "-q", "-O0", before, "-o", after, "--facts", facts)
    if done.returncode:
        return done.stderr
    done = run(options.ptxrun, before, "--schedules", options.schedules, "--step-limit", 400000, "--check-facts", facts)
    claims = re.search(r"(\d+) claims checked \d+ times, (\d+) false", done.stdout + done.stderr)
    if not claims:
        return "no claims were checked: " + (done.stdout + done.stderr)[:600]
    figures["claims"] += int(claims[1])
    if int(claims[2]):
        return "a claim is false: " + (done.stdout + done.stderr)[:600]
    if outcome_of(options, before)["findings"]:
        return None
    figures["right"] += 1
    done = run(options.ptxopt, "-q", "--verify-each", "--passes=dead-sync", before, "-o", after)
    if done.returncode:
        return done.stderr
    figures["barriers"] += barriers_in(before)
    figures["removed"] += barriers_in(before) - barriers_in(after)
    done = run(options.ptxrun, "--compare", before, after, "--schedules", options.schedules, "--step-limit", 400000)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[:600]


if __name__ == "__main__":
    sys.exit(main())
