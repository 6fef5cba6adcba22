#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels with mbarriers, bulk copies, cp.async, tcgen05 and proxy fences, and a barrier after each step.

Usage: random_async.py --ptxopt PROGRAM --ptxrun PROGRAM [--ptxas PROGRAM] [--seed N] [--count N] [--out FOLDER]

Steps work on four regions of shared memory and three mbarriers, in a loop or not: copies into a region, which some
or all threads wait for at once or later, with a full wait or what only looks like one; stores, loads, copies out, and
fences by all, by the copying thread or by a third one; products, and loads and stores of tensor memory.  The barriers make that right, as ptxrun says; a kernel that is
not is left out.  What dead-sync and then warp-sync make of it must be right, too, with the same results.

Of the barriers that are left one is taken out by hand: the last figures say how often that is seen.  A run in which it
never is fails, since it would see no fault.

With --waits it is about the other statements that only synchronise, and about dead-wait: waits, commits and fences are
put in between, some of those that were there are moved or dropped, and what is left of them is taken out by hand.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BARRIER = re.compile(r"^\tbar\.sync 0;\n", re.MULTILINE)
WAIT = re.compile(r"^\t(@!?%\w+ )?(cp\.async\.(bulk\.)?(commit_group|wait_group|wait_all)|fence\b|membar|bar\.warp"
                  r"|tcgen05\.(wait|fence)|griddepcontrol\.wait).*;\n", re.MULTILINE)
PLANTED = """fence.proxy.async.shared::cta; fence.proxy.async.shared::cta; @G fence.proxy.async.shared::cta; fence.proxy.async;
fence.proxy.async.global; cp.async.wait_group 0; cp.async.wait_group 1; cp.async.wait_all; cp.async.commit_group;
@G cp.async.wait_group 0; @G cp.async.commit_group; cp.async.bulk.wait_group 0; cp.async.bulk.wait_group.read 0;
cp.async.bulk.wait_group 1; cp.async.bulk.wait_group.read 1; cp.async.bulk.commit_group; @G cp.async.bulk.commit_group;
@G cp.async.bulk.wait_group.read 0; bar.warp.sync -1; membar.cta; membar.gl; fence.acq_rel.cta; fence.acq_rel.gpu;
fence.mbarrier_init.release.cluster; griddepcontrol.wait"""
OF_TENSORS = """; tcgen05.wait::ld.sync.aligned; tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync;
tcgen05.fence::after_thread_sync"""
WHO = ["%leader", "%leader", "%other", "%third"]
TRY = "mbarrier.try_wait.parity.shared::cta.b64 %p0, "

HEAD = """// LAUNCH: {"kernel": "k", "grid": 1, "block": THREADS}
.version 8.6
.target TARGET
.address_size 64
.visible .global .align 16 .b32 IN[256] = {3, 1, 4, 1, 5, 9, 2, 6};
.visible .global .align 16 .b32 OUT[512];
.visible .global .align 16 .b32 SUM[128];
.shared .align 1024 .b8 A[2048];
.shared .align 8 .b64 m[3];
VARIABLES.visible .entry k() .reqntid THREADS
{
	.reg .pred %leader, %other, %third, %low, %p<8>;
	.reg .b32 %t, %own, %far, %row, %sum, %it, %a, %x<4>;
	.reg .b64 %in, %sums;
	mov.u32 %t, %tid.x;
	setp.eq.u32 %leader, %t, 0;
	setp.eq.u32 %other, %t, 32;
	setp.eq.u32 %third, %t, 40;
	setp.lt.u32 %low, %t, 32;
	mov.u32 %a, A;
	mad.lo.u32 %own, %t, 4, %a;
	sub.u32 %far, THREADS - 1, %t;
	mad.lo.u32 %far, %far, 4, %a;
	and.b32 %row, %t, 15;
	mad.lo.u32 %row, %row, 16, %a;
	mov.u64 %in, IN;
	mad.wide.u32 %in, %t, 4, %in;
	mov.u64 %sums, SUM;
	mad.wide.u32 %sums, %t, 4, %sums;
	mov.u32 %sum, 0;
	mov.u32 %it, 0;
"""


# Of kernels with tensor memory: 32 columns, of which a product of 128 x 8 x 16 writes eight.
TENSOR_VARIABLES = """.shared .align 1024 .b8 rows[4096];
.shared .align 1024 .b8 columns[256];
.shared .align 4 .b32 slot;
"""
TENSOR_HEAD = """	.reg .pred %first, %yes, %no;
	.reg .b32 %w, %base, %lanes, %operand, %shape;
	.reg .b64 %da, %db;
	shr.u32 %w, %t, 5;
	setp.eq.u32 %first, %w, 0;
	setp.lt.u32 %yes, %w, 9;
	setp.gt.u32 %no, %w, 9;
	mov.u32 %x0, rows;
	mad.lo.u32 %operand, %t, 32, %x0;
	bfe.u32 %x0, %x0, 4, 14;
	cvt.u64.u32 %da, %x0;
	or.b64 %da, %da, 0x0000400800800000;
	mov.u32 %x0, columns;
	mad.lo.u32 %x1, %t, 2, %x0;
	bfe.u32 %x0, %x0, 4, 14;
	cvt.u64.u32 %db, %x0;
	or.b64 %db, %db, 0x0000400800080000;
	mov.b32 %shape, 0x08020010;
	mov.b32 %x2, 0x3c003c00;
	st.shared.v4.b32 [%operand], {%x2, %x2, %x2, %x2};
	st.shared.v4.b32 [%operand+16], {%x2, %x2, %x2, %x2};
	st.shared.b16 [%x1], 0x3c00;
	@%first tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
"""
TENSOR_START = """ld.shared.u32 %base, [slot];
and.b32 %lanes, %w, 3;
shl.b32 %lanes, %lanes, 21;
add.u32 %lanes, %base, %lanes;
mov.b32 %x2, 0;
tcgen05.st.sync.aligned.32x32b.x16.b32 [%lanes], {ZEROS};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;""".replace("ZEROS", ", ".join(["%x2"] * 16)).split("\n")
TENSOR_END = ["bar.sync 0;", "@%first tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32;"]


class Kernel:
    def __init__(self, draw):
        self.draw = draw
        self.labels = 0
        self.tensor = draw.random() < 0.4
        self.threads = 128 if self.tensor else 64
        self.region = 4 * self.threads
        self.counts = [draw.choice([1, 1, 1, 2, self.threads]) for _ in range(3)]
        self.started = [0, 0, 0]  # phases of each mbarrier, before the block of steps that is written
        self.own_words = draw.random() < 0.2

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def text(self):
        lines = [f"st.shared.u32 [%own+{self.region * r}], %t;" for r in range(4)]
        lines += [f"@%leader mbarrier.init.shared::cta.b64 [m+{8 * o}], {count};"
                  for o, count in enumerate(self.counts)]
        lines += ["fence.proxy.async.shared::cta;", "bar.sync 0;"] + TENSOR_START * self.tensor
        lines += self.block(self.draw.randint(2, 5), 1)
        if self.draw.random() < 0.5:
            rounds = self.draw.randint(2, 3)
            head = self.label()
            lines += [f"{head}:", *self.block(self.draw.randint(2, 5), rounds), "add.u32 %it, %it, 1;",
                      f"setp.lt.u32 %p7, %it, {rounds};", f"@%p7 bra {head};"]
            lines += self.block(self.draw.randint(0, 2), 1, of_loop=False)
        lines += ["st.global.u32 [%sums], %sum;", *TENSOR_END * self.tensor, "ret;"]
        head = HEAD + TENSOR_HEAD * self.tensor
        for name, value in (("THREADS", str(self.threads)), ("TARGET", "sm_100a" if self.tensor else "sm_90a"),
                            ("VARIABLES", TENSOR_VARIABLES * self.tensor)):
            head = head.replace(name, value)
        return head + "".join(f"{line}\n" if line.endswith(":") else f"\t{line}\n" for line in lines) + "}\n"

    def block(self, steps, rounds, of_loop=True):
        """Steps, each with a barrier behind; what they start is waited for in the same block."""
        plan, free, used = [], {0, 1, 2, 3}, [0, 0, 0]
        kinds = ["copy", "copy", "copy", "arrive", "store", "load", "load", "out", "async"]
        kinds += ["product", "product", "product", "read lanes", "write lanes", "operand"] * self.tensor
        for _ in range(steps):
            kind = self.draw.choice(kinds)
            pieces, region = self.start(kind, sorted(free), used)
            if not pieces:
                continue
            plan.append(pieces[:-1])
            # The wait may come later: until then nobody touches the region.
            later = [("end", pieces[-1], region)]
            if region is not None and self.draw.random() < 0.3:
                free.discard(region)
            plan.append(later)
        parity = self.parities(used, rounds if of_loop else 1)
        lines = []
        for step in self.order(plan):
            for line in step:
                lines += line(parity) if callable(line) else [line]
            lines += ["bar.sync 0;"] * self.draw.choice([0] + [1] * 14 + [2])
        self.started = [a + b * rounds for a, b in zip(self.started, used)]
        return lines + ["bar.sync 0;"]

    def order(self, plan):
        """Each wait behind its start, some of them later than directly behind."""
        result, held = [], []
        for step in plan:
            if step and isinstance(step[0], tuple):
                _, end, region = step[0]
                if region is None or self.draw.random() < 0.6:
                    result.append(end)
                else:
                    held.append(end)
            else:
                result.append(step)
        return result + held

    def parities(self, used, rounds):
        """For each mbarrier a function of the number of its phase in this block: how to name its parity."""
        def of(number, phase):
            fixed = (self.started[number] + phase) & 1
            if rounds == 1 or used[number] % 2 == 0:
                return [], str(fixed)
            return [f"add.u32 %x3, %it, {fixed};", "and.b32 %x3, %x3, 1;"], "%x3"
        return of

    def start(self, kind, free, used):
        """Pieces of a step, the last one its wait; and the region that it occupies."""
        draw = self.draw
        region = draw.choice(free) if free else None
        if region is None:
            return None, None
        if kind in ("read lanes", "write lanes", "operand"):
            return self.lanes(kind), None
        offset = self.region * region
        if kind == "store":
            return [f"add.u32 %x0, %t, {draw.randint(1, 99)};", draw.choice([
                f"st.shared.u32 [%own+{offset}], %x0;",
                f"@{draw.choice(WHO)} st.shared.v4.u32 [A+{offset}], {{%x0, %x0, %x0, %x0}};"]), []], None
        if kind == "load":
            return [draw.choice([
                f"ld.shared.u32 %x0, [%{'own' if self.own_words else 'far'}+{offset}];",
                f"ldmatrix.sync.aligned.m8n8.x{draw.choice([1, 1, 2])}.shared.b16 {{%x0}}, [%row+{offset}];"
                .replace(".x2.shared.b16 {%x0}", ".x2.shared.b16 {%x0, %x1}")]),
                    "mad.lo.u32 %sum, %sum, 3, %x0;", []], None
        if kind == "async":
            wait = draw.choice([["cp.async.wait_all;"], ["cp.async.wait_group 0;"],
                                ["@%leader cp.async.wait_group 0;", "cp.async.wait_group 0;"],
                                ["cp.async.wait_group 0;", "bar.sync 0;", "cp.async.wait_all;"]])
            return [f"cp.async.ca.shared.global [%own+{offset}], [%in+{16 * draw.randint(0, 3)}], 4;",
                    "cp.async.commit_group;", wait], region
        if kind == "out":
            return self.copy_out(offset), region
        return self.phase(kind, offset, region, used)

    def lanes(self, kind):
        """Tensor memory, each warp its own lanes; and an operand of the products."""
        column = self.draw.randint(0, 15)
        fence = ["tcgen05.fence::before_thread_sync;", "bar.sync 0;", "tcgen05.fence::after_thread_sync;"]
        if kind == "operand":
            return ["st.shared.b32 [%operand], %x2;".replace("%x2", self.draw.choice(["0x3c003c00", "0x40004000"])),
                    "fence.proxy.async.shared::cta;", []]
        if kind == "read lanes":
            return [f"add.u32 %x0, %lanes, {column};", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x1}, [%x0];",
                    "tcgen05.wait::ld.sync.aligned;", "mad.lo.u32 %sum, %sum, 3, %x1;", *fence, []]
        return [f"add.u32 %x0, %lanes, {column};", f"mov.b32 %x1, {self.draw.choice(['0', '0x3f800000'])};",
                "tcgen05.st.sync.aligned.32x32b.x1.b32 [%x0], {%x1};", "tcgen05.wait::st.sync.aligned;", *fence, []]

    def copy_out(self, offset):
        draw = self.draw
        who = draw.choice(WHO)
        fence = draw.choice([["fence.proxy.async.shared::cta;", "bar.sync 0;"], [f"@{who} fence.proxy.async.shared::cta;"],
                             ["@%third fence.proxy.async;", "bar.sync 0;"],
                             ["bar.sync 0;", "fence.proxy.async.shared::cta;", "bar.sync 0;"]])
        return [*fence, f"@{who} cp.async.bulk.global.shared::cta.bulk_group [OUT+{offset}], [A+{offset}], {self.region};",
                f"@{who} cp.async.bulk.commit_group;",
                [draw.choice([f"@{who} ", ""]) + f"cp.async.bulk.wait_group{draw.choice(['', '', '.read'])} 0;"]]

    def phase(self, kind, offset, region, used):
        draw = self.draw
        number = draw.randrange(3)
        place, count, phase = f"[m+{8 * number}]", self.counts[number], used[number]
        used[number] += 1
        who, copier = draw.choice(WHO), draw.choice(WHO)
        lines = []
        if kind == "copy":
            expect = f"@{who} mbarrier.arrive.expect_tx.shared::cta.b64 _, {place}, {self.region};"
            half = self.region // 2
            copies = [f"@{copier} cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                      f"[A+{offset}], [IN], {self.region}, {place};"]
            if draw.random() < 0.3:
                copies = [f"@{copier if k else who} cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                          f"[A+{offset + half * k}], [IN+{half * k}], {half}, {place};" for k in range(2)]
            if count == 1 and draw.random() < 0.2:
                expect = (f"@{who} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 {place}, {self.region};\n\tbar.sync 0;\n"
                          f"\t@{copier} mbarrier.arrive.shared::cta.b64 _, {place};")
            middle = draw.choice([[], ["bar.sync 0;"]])
            lines = [expect, *middle, *copies] if draw.random() < 0.8 else [*copies, *middle, expect]
            rest = count - 1
        elif kind == "product":
            lines = [f"@{who} tcgen05.mma.cta_group::1.kind::f16 [%base], %da, %db, %shape, {draw.choice(['%yes', '%no'])};",
                     *draw.choice([[], ["bar.sync 0;"]]), "mov.u32 %x0, m;", f"add.u32 %x0, %x0, {8 * number};",
                     f"@{who} tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%x0];"]
            region, rest = None, count - 1
        else:
            region, rest = None, count
        if rest == self.threads or rest == self.threads - 1 and who == "%leader":
            guard = "" if rest == self.threads else "@!%leader "
            lines.append(f"{guard}mbarrier.arrive.shared::cta.b64 _, {place};")
        elif rest:
            lines.append(f"@%third mbarrier.arrive.shared::cta.b64 _, {place}, {rest};")
        return [*lines, [lambda parity: self.wait(number, place, parity(number, phase))]], region

    def wait(self, number, place, parity):
        draw = self.draw
        before, parity = parity
        test = f"{TRY}{place}, {parity};"
        again, done = self.label(), self.label()
        full = draw.choice([[f"{again}:", test, f"@!%p0 bra {again};"],
                            [f"{again}:", test, f"@%p0 bra {done};", f"bra {again};", f"{done}:"],
                            [test, f"@%p0 bra {done};", f"{again}:", test, f"@!%p0 bra {again};", f"{done}:"]])
        who = draw.choice(["%leader", "%other", "%low"])
        by_some = [f"@!{who} bra {done}S;", *full, f"{done}S:"]
        timed = ["mov.u32 %x1, 0;", f"selp.u32 %x2, 1000000, {draw.randint(1, 3)}, {who};", f"{again}T:", test,
                 f"@%p0 bra {done}T;", "add.u32 %x1, %x1, 1;", "setp.lt.u32 %p1, %x1, %x2;",
                 f"@%p1 bra {again}T;", f"{done}T:"]
        looks = draw.choice([[], [f"mbarrier.test_wait.parity.shared::cta.b64 %p2, {place}, {parity};"]])
        return before + draw.choice([full, full, full, by_some, timed, [*by_some, *looks]])


def with_waits(kernel, draw):
    """The kernel with waits, commits and fences put in; some that it had stand elsewhere, or are gone."""
    lines = kernel.text().split("\n")
    first = lines.index("\tmov.u32 %it, 0;") + 1
    last = next(k for k, line in enumerate(lines) if line.startswith("\tst.global.u32 [%sums]"))
    for k in [k for k in range(first, last) if WAIT.match(lines[k] + "\n") and draw.random() < 0.25]:
        moved, lines[k] = lines[k], ""
        if draw.random() < 0.8:
            lines[min(max(k + draw.randint(-4, 4), first), last - 1)] += "\n" + moved
    kinds = [" ".join(kind.split()) for kind in (PLANTED + OF_TENSORS * kernel.tensor).split(";")]
    for _ in range(draw.randint(4, 14)):
        planted = draw.choice(kinds).replace("@G", "@" + draw.choice(WHO))
        lines[draw.randrange(first, last)] += f"\n\t{planted};"
    return "\n".join(line for line in "\n".join(lines).split("\n") if line) + "\n"


def run(ptxrun, text, folder, schedules):
    """(kinds of findings, results); a kernel that cannot be run has a finding."""
    path = folder / "k.ptx"
    path.write_text(text)
    done = subprocess.run([*ptxrun, path, "--schedules", str(schedules), "--step-limit", "2000000", "--json"],
                          capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{done.stderr}\n{text}")
    return {f["kind"] for f in report["findings"]}, {o["checksum"] for o in report["outcomes"]}


def optimize(ptxopt, text, folder, passes):
    before, after = folder / "before.ptx", folder / "after.ptx"
    before.write_text(text)
    subprocess.run([ptxopt, "-q", "--verify-each", f"--passes={passes}", before, "-o", after], check=True)
    return after.read_text()


def without_one(text, draw, what):
    places = [match.span() for match in what.finditer(text)]
    if not places:
        return None
    first, last = draw.choice(places)
    return text[:first] + text[last:]


def greedy(ptxrun, text, results, folder, schedules):
    """The number of barriers that can be taken out one after the other, from top to bottom, as ptxrun sees it."""
    start, gone = 0, 0
    while match := BARRIER.search(text, start):
        shorter = text[:match.start()] + text[match.end():]
        if run(ptxrun, shorter, folder, schedules) == (set(), results):
            text, gone, start = shorter, gone + 1, match.start()
        else:
            start = match.end()
    return gone


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--schedules", type=int, default=7)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for what fails")
    parser.add_argument("--greedy", action="store_true", help="count what else could go, as ptxrun sees it")
    parser.add_argument("--print", action="store_true", help="print the kernel of --seed only")
    parser.add_argument("--waits", action="store_true", help="test dead-wait")
    return parser.parse_args()


def main():
    options = arguments()
    what, all_passes = (WAIT, ("dead-wait",)) if options.waits else (BARRIER, ("dead-sync", "warp-sync"))
    ptxrun = [options.ptxrun] + ["--strict-proxies"] * options.waits
    make = with_waits if options.waits else lambda kernel, draw: kernel.text()
    if options.print:
        draw = random.Random(options.seed)
        sys.exit(print(make(Kernel(draw), draw)))
    counts = dict.fromkeys(("kernels", "wrong to begin with", "statements", "gone", "weakened", "failed", "taken out",
                            "seen"), 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(options.seed, options.seed + options.count):
            draw = random.Random(seed)
            text = make(Kernel(draw), draw)
            if options.ptxas:
                (folder / "k.ptx").write_text(text)
                target = re.search(r"^\.target (\w+)", text, re.MULTILINE)[1]
                subprocess.run([options.ptxas, f"-arch={target}", folder / "k.ptx", "-o", folder / "k.cubin"], check=True)
            kinds, results = run(ptxrun, text, folder, options.schedules)
            if kinds or len(results) != 1:
                counts["wrong to begin with"] += 1
                continue
            counts["kernels"] += 1
            counts["statements"] += len(what.findall(text))
            result = text
            for passes in all_passes:
                before, result = result, optimize(options.ptxopt, result, folder, passes)
                changed = len(what.findall(before)) - len(what.findall(result))
                counts["weakened" if passes == "warp-sync" else "gone"] += changed
                if changed and run(ptxrun, result, folder, options.schedules) != (set(), results):
                    # Other schedules may show that it was wrong to begin with.
                    if run(ptxrun, text, folder, 10 * options.schedules) != (set(), results):
                        counts["wrong to begin with"] += 1
                        counts["kernels"] -= 1
                        break
                    counts["failed"] += 1
                    print(f"seed {seed}: {passes} changes what it does")
                    if options.out:
                        options.out.mkdir(parents=True, exist_ok=True)
                        (options.out / f"a{seed}.ptx").write_text(text)
                        (options.out / f"a{seed}.out.ptx").write_text(result)
                    break
            if options.greedy:
                more = greedy(ptxrun, result, results, folder, options.schedules)
                counts["more could go"] = counts.get("more could go", 0) + more
            wrong = without_one(result, draw, what)
            if wrong:
                counts["taken out"] += 1
                counts["seen"] += run(ptxrun, wrong, folder, options.schedules) != (set(), results)
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts["failed"] or not counts["seen"] else 0


if __name__ == "__main__":
    sys.exit(main())
