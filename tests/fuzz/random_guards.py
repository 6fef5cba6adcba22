#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels whose barriers dead-sync<guard> leaves out in some launches, at the edge of these.

Usage: random_guards.py --ptxopt PROGRAM --ptxrun PROGRAM [--ptxas PROGRAM] [--seed N] [--count N]

A kernel has a few accesses through two or three pointers, with a barrier after each one, so that it
is free of races wherever the pointers lead.  Each is launched with pointers into one buffer, at
distances around those that the result tests, with pointers to several buffers, and in blocks of
other shapes.  Every launch must do what the kernel did.

The same launches also run with tests that are wrong by a few bytes, or with guarded barriers left
out: the last figures say how often that is seen.  A run in which it never is fails too: it would
see no fault.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

THREADS = 64
# Of the buffer, from where pointers go up and down.
MIDDLE = 65536
BUFFER = 2 * MIDDLE
DISTANCE = re.compile(r"sub\.s64 \t%rd_apart_*, %rd_apart_*, (-?\d+);")
WIDTH = re.compile(r"(setp\.le(?:\.or)?\.u64 \t%p_may_meet_*, %rd_apart_*, )(\d+)")
GUARDED = re.compile(r"^\t@%p_(?:may_meet|many_rows|other_block|either)_* (bar\.sync[^;]*;)", re.MULTILINE)


class Kernel:
    def __init__(self, draw):
        self.draw = draw
        self.pointers = draw.choice([2, 2, 3])
        self.in_structure = draw.random() < 0.3
        self.most = draw.choice(["", f" .maxntid {THREADS}", f" .maxntid {THREADS}",
                                 " .maxntid 32, 2"])
        self.lines = []
        self.values = 0

    def text(self):
        draw = self.draw
        loop = draw.random() < 0.3
        count = draw.randint(2, 4)
        body = []
        for k in range(count):
            if loop and k == 1:
                body += ["mov.u32 %round, 0;", "LOOP:"]
            body += self.access(k, in_loop=loop and k >= 1)
            body.append("bar.sync 0;")
        if loop:
            body += ["add.u32 %round, %round, 1;", "setp.lt.u32 %again, %round, 3;",
                     "@%again bra LOOP;"]
        parameters = [".param .align 8 .b8 s[24]"] if self.in_structure else [
            f".param .u64 p{k}" for k in range(3)]
        start = [f"ld.param.u64 %p{k}, [{f's+{8 * k}' if self.in_structure else f'p{k}'}];"
                 for k in range(3)]
        if draw.random() < 0.5:
            start += [f"cvta.to.global.u64 %p{k}, %p{k};" for k in range(3)]
        code = "\n\t".join([
            ".reg .pred %again, %first;", ".reg .b32 %t, %y, %n, %c, %round, %sum, %i<99>;",
            ".reg .b64 %p<3>, %a<99>;", *start, "mov.u32 %t, %tid.x;", "mov.u32 %y, %tid.y;",
            "mov.u32 %n, %ntid.x;", "mov.u32 %c, %ctaid.x;", "mov.u32 %sum, 0;",
            "setp.eq.u32 %first, %y, 0;", *body,
            # Where nothing else is: by all threads, each with its own word.
            "mad.lo.u32 %i98, %y, %n, %t;", "mul.wide.u32 %a98, %i98, 4;",
            "mov.u64 %a97, result;", "add.s64 %a97, %a97, %a98;", "st.global.u32 [%a97], %sum;",
            "ret;"])
        return (f".version 8.0\n.target sm_80\n.address_size 64\n.global .align 8 .b8 result[4096];\n"
                f".visible .entry k({', '.join(parameters)}){self.most}\n{{\n\t{code}\n}}\n")

    def access(self, k, in_loop):
        """Its address is another one for each thread of a row."""
        draw = self.draw
        index, address = f"%i{k}", f"%a{k}"
        unit = draw.choice([4, 4, 8, 16])
        lines = {"own": [f"mov.u32 {index}, %t;"],
                 "reversed": [f"sub.u32 {index}, {THREADS - 1}, %t;"],
                 "of the grid": [f"mad.lo.s32 {index}, %c, %n, %t;"],
                 "of the block": [f"mad.lo.u32 {index}, %y, %n, %t;"],
                 "from the end": [f"sub.u32 {index}, %n, %t;"],
                 "of rounds": [f"mad.lo.u32 {index}, %round, {THREADS}, %t;"]}
        kinds = ["own", "own", "reversed", "of the grid", "of the block", "from the end"]
        kind = draw.choice(kinds + ["of rounds"] * in_loop)
        lines = list(lines[kind])
        lines.append(f"mul.wide.{draw.choice('us')}32 {address}, {index}, {unit};")
        lines.append(f"add.s64 {address}, {address}, %p{draw.randrange(self.pointers)};")
        offset = 4 * draw.choice([0, 0, 1, 2, 64, -3])
        size = draw.choice(["u32", "u32", "u8"])
        place = f"[{address}+{offset}]" if offset else f"[{address}]"
        guard = draw.choice(["", "", "@%first "])
        if draw.random() < 0.5:
            if kind != "of the block":
                guard = "@%first "  # rows would write the same words
            lines += [f"add.u32 {index}, %t, {1000 * (k + 1)};", f"{guard}st.global.{size} {place}, {index};"]
        else:
            lines += [f"mov.u32 %i9{k}, 0;", f"{guard}ld.global.{size} %i9{k}, {place};",
                      f"mad.lo.u32 %sum, %sum, 3, %i9{k};"]
        return lines


def output(*command):
    return subprocess.run(command, capture_output=True, text=True)


def launches_of(kernel, result, draw):
    """Lists of options of ptxrun."""
    edges = [0, 4, -4, 256, -256]
    for lowest, width in zip(DISTANCE.findall(result), (w for _, w in WIDTH.findall(result))):
        edges += [int(lowest) + d for d in (-4, -1, 0, 4)]
        edges += [int(lowest) + int(width) + d for d in (-4, -1, 0, 4)]
    blocks = [[THREADS], [32, 2], [16, 2, 2], [48]]
    for _ in range(6):
        block = draw.choice(blocks[:2] if "32, 2" in kernel.most else blocks)
        near = [edge // 4 * 4 for edge in edges if abs(edge) < MIDDLE // 3]
        second = draw.choice(near)
        third = draw.choice([0, second]) + draw.choice(near)
        if draw.random() < 0.2:
            addresses = [f"&{name}+{MIDDLE}" for name in "bcd"]
        else:
            addresses = [f"&b+{MIDDLE + distance}" for distance in (0, second, third)]
        arguments = [f"struct:{','.join(addresses)}"] if kernel.in_structure else addresses
        yield [*[f"--buffer={name}=buffer:{BUFFER}:iota:u32:{k}" for k, name in enumerate("bcd")],
               f"--block={','.join(map(str, block))}",
               *[f"--arg={argument}" for argument in arguments]]


def broken(result, draw):
    """A test that is wrong, or no barrier."""
    if WIDTH.search(result) and draw.random() < 0.7:
        return WIDTH.sub(lambda m: m[1] + str(int(m[2]) // 2), result)
    return GUARDED.sub("", result)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    counts = dict.fromkeys(("kernels with guards", "guards", "launches the same", "not compared",
                            "failed", "wrong results", "seen"), 0)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        original, changed, wrong = (folder / n for n in ("in.ptx", "out.ptx", "wrong.ptx"))
        for seed in range(options.seed, options.seed + options.count):
            draw = random.Random(seed)
            kernel = Kernel(draw)
            original.write_text(kernel.text())
            made = output(options.ptxopt, original, "-o", changed, "--passes=dead-sync<guard>")
            problem = made.stderr if made.returncode else ""
            result = changed.read_text() if not problem else ""
            guards = len(GUARDED.findall(result))
            if not guards and not problem:
                continue
            counts["kernels with guards"] += 1
            counts["guards"] += guards
            if not problem and options.ptxas:
                problem = output(options.ptxas, "-arch=sm_80", changed, "-o", folder / "cubin").stderr
            wrong.write_text(broken(result, draw))
            is_seen = False
            for launch in launches_of(kernel, result, draw):
                run = output(options.ptxrun, "--compare", original, changed, "--schedules", "8", *launch)
                if run.returncode == 0:
                    counts["launches the same"] += 1
                elif run.returncode == 2:
                    problem = f"{run.stdout}{run.stderr}{' '.join(launch)}"
                else:
                    counts["not compared"] += 1
                    continue
                if not is_seen:
                    is_seen = output(options.ptxrun, "--compare", original, wrong, "--schedules",
                                     "8", *launch).returncode == 2
            counts["wrong results"] += 1
            counts["seen"] += is_seen
            if problem:
                counts["failed"] += 1
                print(f"seed {seed}: {problem}")
                if options.out:
                    options.out.mkdir(parents=True, exist_ok=True)
                    (options.out / f"{seed}.ptx").write_text(original.read_text())
    print(f"{options.count} kernels: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    sys.exit(1 if counts["failed"] or not counts["seen"] else 0)


if __name__ == "__main__":
    main()
