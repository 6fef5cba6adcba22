# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements that move memory, for random_kernels.py.

Each thread has memory of its own, in which nothing races whatever a statement is:

    [%gp, +128)         global, and [%gp+256, +128) for `discard`
    [%sp, +128)         shared, and [%sp+128, +64) where cp.async writes
    [%wp, +1024)        shared, of the warp: only warp-wide instructions access it
    [%in, +256)         global, nothing writes it
"""
import re

REGISTER = re.compile(r"(%[a-z]+)\d+")
SPACE = re.compile(r"\.(global|shared|shared::cta)(?=\.|$)")
BITS = re.compile(r"\.[busf](8|16|32|64|128)$")
OWN_BYTES = 128
ASYNC_BYTES = 64

# What the tables of lowerings do not list: hints, which go with any lowering or by themselves.
HINTED = """
ld.global.L1::evict_last.u32 %r0, [gmem];
ld.global.L1::no_allocate.L2::cache_hint.v2.b32 {%r0, %r1}, [gmem], %pol;
ld.global.L2::256B.b64 %rd0, [gmem];
ld.L1::evict_first.f32 %f0, [gmem];
ld.global.L2::cache_hint.u16 %h0, [gmem], %pol;
ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r0, %r1, %r2, %r3}, [in];
ld.global.nc.L1::evict_last.L2::cache_hint.f64 %fd0, [in], %pol;
ld.global.L1::evict_last.L2::evict_first.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [gmem];
ld.global.nc.L1::no_allocate.L2::evict_last.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [in];
ld.relaxed.gpu.global.L1::no_allocate.L2::cache_hint.u32 %r0, [gmem], %pol;
ld.acquire.sys.global.L1::evict_last.v2.b32 {%r0, %r1}, [gmem];
ld.relaxed.cluster.global.L2::128B.f32 %f0, [gmem];
st.global.L1::evict_first.v2.u32 [gmem], {%r0, %r1};
st.global.L2::cache_hint.b32 [gmem], %r0, %pol;
st.L1::no_allocate.f64 [gmem], %fd0;
st.global.L1::evict_last.L2::evict_first.v4.b64 [gmem], {%rd0, %rd1, %rd2, %rd3};
st.release.cluster.global.L2::cache_hint.b64 [gmem], %rd0, %pol;
st.relaxed.sys.global.L1::no_allocate.u16 [gmem], %h0;
ld.global.L1::evict_last.b128 %q0, [gmem];
ld.global.nc.L1::no_allocate.L2::cache_hint.b128 %q0, [in], %pol;
st.L1::evict_first.b128 [gmem], %q0;
atom.acquire.cluster.global.add.L2::cache_hint.u32 %r0, [gmem], %r1, %pol;
atom.global.exch.L2::cache_hint.b64 %rd0, [gmem], %rd1, %pol;
red.relaxed.gpu.global.add.L2::cache_hint.f32 [gmem], %f0, %pol;
red.release.cluster.global.max.L2::cache_hint.s32 [gmem], %r0, %pol;
red.global.add.v2.L2::cache_hint.f32 [gmem], {%f0, %f1}, %pol;
createpolicy.fractional.L2::evict_last.b64 %pol, 0.5;
createpolicy.cvt.L2.b64 %pol, 0x1000000000000000;
""".strip().splitlines()

DECLARATIONS = """
	.reg .b32 %sp, %wp, %lane, %at, %src;
	.reg .b64 %gp, %gg, %sg, %sp64, %pol, %wide;"""


def start(block):
    """Statements that make the addresses, and give shared memory its first values."""
    own = "\n".join(f"\tmad.lo.u32 %x, %t, 0x9E3779B1, {k * 0x85EBCA6B & 0xFFFFFFFF}; st.shared.u32 [%sp+{4 * k}], %x;"
                    for k in range((OWN_BYTES + ASYNC_BYTES) // 4))
    rows = "\n".join(f"\tmad.lo.u32 %x, %t, 0x846CA68B, {k * 0x297A2D39 & 0xFFFFFFFF}; st.shared.u32 [%at+{4 * k}], %x;"
                     for k in range(8))
    return f"""
	.shared .align 128 .b8 smem[{block * 256}];
	.shared .align 128 .b8 rows[{block * 32}];
	mov.u32 %lane, %laneid; mov.u64 %pol, 0x1000000000000000;
	mov.u32 %sp, smem; mad.lo.u32 %sp, %t, 256, %sp; cvt.u64.u32 %sp64, %sp; cvta.shared.u64 %sg, %sp64;
	mov.u32 %wp, rows; shr.u32 %x, %t, 5; mad.lo.u32 %wp, %x, 1024, %wp; mad.lo.u32 %at, %lane, 32, %wp;
	ld.param.u64 %gg, [mem]; mul.wide.u32 %wide, %t, 512; add.u64 %gg, %gg, %wide; cvta.to.global.u64 %gp, %gg;
{own}
{rows}
	bar.sync 0;"""


def end(consume_word):
    """Statements that read all of it back."""
    own = "\n".join(f"\tld.shared.u32 %x, [%sp+{4 * k}];{consume_word}"
                    for k in range((OWN_BYTES + ASYNC_BYTES) // 4))
    rows = "\n".join(f"\tld.shared.u32 %x, [%at+{4 * k}];{consume_word}" for k in range(8))
    # Anything may be read where something was discarded.
    discarded = "\n".join(f"\tst.global.v4.u32 [%gp+{256 + at}], {{0, 0, 0, 0}};" for at in range(0, OWN_BYTES, 16))
    return f"""
{discarded}
	cp.async.wait_all;
{own}
	bar.warp.sync -1; mad.lo.u32 %at, %lane, 32, %wp;
{rows}"""


def family(statement):
    """What a kernel chooses first, so that the many forms of `atom` are not all that there is."""
    opcode = statement.split(" ")[0].rstrip(";").split(".")
    return ".".join(opcode[:2]) if opcode[0] == "cp" else opcode[0]


ALONE = {"ld", "st", "atom", "red", "prefetch", "applypriority", "discard", "fence", "nanosleep", "griddepcontrol"}
# Without elect.sync: which thread it elects is different under each schedule.
WARP_WIDE = {"ldmatrix", "stmatrix", "mma", "redux", "match", "movmatrix"}


class Memory:
    """Makes the statements of one kernel; `register` names a random one of a kind, `counts` says how many there are."""

    def __init__(self, rng, counts):
        self.rng = rng
        self.counts = counts

    def register(self, kind):
        return f"{kind}{self.rng.randrange(self.counts[kind])}"

    def guard(self):
        return "" if self.rng.random() < 0.7 else f"@{self.rng.choice(['', '!'])}{self.register('%p')} "

    def other_registers(self, text):
        """The text with random registers; those of a vector differ."""
        def other(match):
            kinds = REGISTER.findall(match[0])
            if not match[0].startswith("{"):
                return self.register(kinds[0]) if kinds[0] in self.counts else match[0]
            numbers = self.rng.sample(range(self.counts[kinds[0]]), len(kinds))
            return "{" + ", ".join(f"{kinds[0]}{number}" for number in numbers) + "}"

        return re.sub(r"\{[^}]*\}|%[a-z]+\d+", other, text)

    def address(self, mnemonic, names):
        """Of the thread's own memory, aligned for an access of that size."""
        bits = BITS.search(mnemonic)
        elements = re.search(r"\.v([248])\b", mnemonic)
        size = (int(bits[1]) // 8 if bits else 4) * (int(elements[1]) if elements else 1)
        at = self.rng.randrange(OWN_BYTES // size) * size
        space = SPACE.search(mnemonic)
        if names == "in":
            base = "%in"
        elif space is None:
            base = self.rng.choice(["%gg", "%sg"] if size < 32 else ["%gg"])  # none of 32 bytes is shared
        else:
            base = "%gp" if space[1] == "global" else self.rng.choice(["%sp", "%sp64"])
        return f"[{base}+{at}]" if at or self.rng.random() < 0.5 else f"[{base}]"

    def alone(self, statement):
        """A statement of one thread, with other registers and another address."""
        mnemonic, _, words = statement.rstrip(";").partition(" ")
        if mnemonic.startswith(("prefetch", "applypriority")):
            return mnemonic + " " + re.sub(r"\[[^]]*\]", "[%gp]", words) + ";"
        if mnemonic.startswith("discard"):
            return mnemonic + " " + re.sub(r"\[[^]]*\]", "[%gp+256]", words) + ";"
        if not words:
            return statement
        words = self.other_registers(words)
        words = re.sub(r"\[(\w+)\]", lambda match: self.address(mnemonic, match[1]), words)
        return f"{mnemonic} {words};"

    def rows(self, statement):
        """ldmatrix or stmatrix of the memory of the warp: each lane names a row of its own."""
        mnemonic, _, words = statement.rstrip(";").partition(" ")
        words = self.other_registers(words)
        if mnemonic.startswith("ldmatrix"):
            row = f"and.b32 %at, {self.register('%r')}, 31;"
        else:
            row = f"xor.b32 %at, %lane, {self.rng.randrange(32)};"
        half = self.rng.choice([0, 512])
        lines = [f"{row} shl.b32 %at, %at, 4; add.u32 %at, %at, %wp;"]
        at = f"[%at+{half}]"
        if not SPACE.search(mnemonic):
            lines.append(f"add.u32 %at, %at, {half}; cvt.u64.u32 %wide, %at; cvta.shared.u64 %wide, %wide;")
            at = "[%wide]"
        elif self.rng.random() < 0.3:
            lines.append("cvt.u64.u32 %wide, %at;")
            at = f"[%wide+{half}]"
        return ["bar.warp.sync -1;", *lines, f"{mnemonic} {words.replace('[smem]', at)};", "bar.warp.sync -1;"]

    def warp_wide(self, statement):
        if statement.startswith(("ldmatrix", "stmatrix")):
            return self.rows(statement)
        return [self.other_registers(statement)]

    def copies(self, statements, others):
        """Some cp.async in groups, what waits for them, and reads of what arrived; `others` makes statements that
        are executed meanwhile."""
        groups = sorted(self.rng.randrange(3) for _ in range(self.rng.randrange(1, ASYNC_BYTES // 16 + 1)))
        lines = []
        for place, group in enumerate(groups):
            lines += self.copy(self.rng.choice(statements).split(" ")[0], 16 * place)
            if group not in groups[place + 1:]:
                lines.append("cp.async.commit_group;")
        lines += others()
        # The last `left` groups may still be on their way.
        committed = sorted(set(groups))
        left = self.rng.randrange(len(committed))
        if left:
            lines.append(f"cp.async.wait_group {left};")
            lines += [self.arrived(place) for place, group in enumerate(groups) if group in committed[:-left]]
        lines.append(self.rng.choice(["cp.async.wait_group 0;", "cp.async.wait_all;"]))
        return lines + [self.arrived(place) for place in range(len(groups))]

    def arrived(self, place):
        kind = self.rng.choice(["%r", "%rd", "%f"])
        return f"ld.shared.{ {'%r': 'b32', '%rd': 'b64', '%f': 'f32'}[kind]} {self.register(kind)}, " \
               f"[%sp+{OWN_BYTES + 16 * place + self.rng.randrange(2) * 8}];"

    def copy(self, mnemonic, place):
        size = self.rng.choice([16] if ".cg" in mnemonic else [4, 8, 16])
        hint = self.rng.choice(["", "", ".L2::cache_hint", ".L2::64B", ".L2::128B", ".L2::cache_hint.L2::256B"])
        some = self.rng.choice(["", "", f", {self.rng.randrange(size + 1)}", ", %src", f", {self.register('%p')}"])
        lines = []
        if some == ", %src":
            # Some bytes, of 0 to all.
            lines.append(f"and.b32 %src, {self.register('%r')}, 31; min.u32 %src, %src, {size};")
        policy = ", %pol" if "cache_hint" in hint else ""
        at = self.rng.randrange(OWN_BYTES // size) * size
        base = self.rng.choice(["%sp", "%sp64"])
        return [*lines, f"{self.guard()}{mnemonic}{hint} [{base}+{OWN_BYTES + place}], [%in+{at}], {size}{some}{policy};"]
