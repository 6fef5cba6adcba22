#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt --kernel-hash: which kernels are equal, and which are not.

Usage: kernel_hash_test.py PTXOPT CORPUS
"""
import pathlib
import re
import subprocess
import sys
import unittest

CORPUS = pathlib.Path(sys.argv.pop(2))
PTXOPT = sys.argv.pop(1)

BASE = """.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.extern .func (.param .b32 r) outside(.param .b32 a);
.global .align 4 .b8 table[8] = {1, 2, 3, 4};
.global .u32 first;
.global .u32 second;
.global .u64 pointers[2] = {first, second};
.func (.param .b32 r) leaf(.param .b32 a)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [a];
	ld.global.u32 %r2, [first];
	add.s32 %r3, %r1, %r2;
	st.param.b32 [r], %r3;
	ret;
}
.func (.param .b32 r) even(.param .b32 a);
.func (.param .b32 r) odd(.param .b32 a)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [a];
	{
	.param .b32 x;
	.param .b32 y;
	st.param.b32 [x], %r1;
	call.uni (y), even, (x);
	ld.param.b32 %r2, [y];
	}
	st.param.b32 [r], %r2;
	ret;
}
.func (.param .b32 r) even(.param .b32 a)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [a];
	{
	.param .b32 x;
	.param .b32 y;
	st.param.b32 [x], %r1;
	call.uni (y), odd, (x);
	ld.param.b32 %r2, [y];
	}
	st.param.b32 [r], %r2;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 count)
.maxntid 128, 1, 1
{
	.reg .pred %p<3>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 tile[512];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [count];
	mov.u32 %r2, tile;
	mov.u32 %r3, dynamic;
	mov.u64 %rd2, table;
	mov.u64 %rd3, pointers;
	ld.global.u32 %r4, [first];
	st.global.u32 [second], %r4;
	setp.eq.s32 %p1, %r1, 0;
	@%p1 bra $L__BB0_2;
	bar.sync 0;
	{
	.param .b32 x;
	.param .b32 y;
	st.param.b32 [x], %r1;
	call.uni (y), leaf, (x);
	ld.param.b32 %r5, [y];
	}
	{
	.param .b32 x;
	.param .b32 y;
	st.param.b32 [x], %r5;
	call.uni (y), odd, (x);
	ld.param.b32 %r6, [y];
	}
	st.shared.u32 [%r2+4], %r6;
$L__BB0_2:
	.pragma "nounroll";
	st.global.u32 [%rd1], %r4;
	ret;
}
"""


def hashes(*texts):
    """The lines for each text."""
    found = []
    for text in texts:
        run = subprocess.run([PTXOPT, "--kernel-hash", "-q", "-"], input=text, capture_output=True, text=True)
        if run.returncode:
            raise AssertionError(run.stderr)
        found.append([line.split("  ") for line in run.stdout.splitlines()])
    return found


def hash_of(text):
    (value, name), = hashes(text)[0]
    assert re.fullmatch("[0-9a-f]{32}", value), value
    return value


def changed(*pairs):
    text = BASE
    for pattern, new in pairs:
        text, count = re.subn(pattern, new, text)
        assert count, pattern
    return text


EQUAL = {
    "comments": ((r"bar\.sync 0;", "/* why */ bar.sync 0; // because"),),
    "white space": ((r"\n\t", "\n\n        "), (r", ", " ,\t")),
    ".loc and .file": ((r"\.extern \.shared", '.file 1 "k.cu"\n.extern .shared'), (r"bar\.sync", ".loc 1 3 2\nbar.sync")),
    "debug sections": ((r"\Z", "\n.section .debug_str {\n.b8 1\n}\n"),),
    "the version and the SM": ((r"8\.0", "8.3"), ("sm_80", "sm_90")),
    "debug": (("sm_80", "sm_80, debug"),),
    "the name of the kernel": ((r"\bk\(", "another("),),
    "names of parameters": ((r"\bcount\b", "n"), (r"\bout\b", "to")),
    "names of registers": ((r"%r(\d|<)", r"%number\1"), (r"%rd(\d|<)", r"%r\1")),
    "numbers of registers": ((r"%r<10>", "%r<99>"), (r"%r4", "%r77"), (r"%r6\b", "%r4")),
    "one declaration for each register": ((r"%r<10>", "%r1, %r2, %r3, %r4, %r5, %r6"),),
    "registers that nothing uses": ((r"\.reg \.pred", ".reg .f32 %f<100>;\n.reg .pred"),),
    "names of labels": ((r"\$L__BB0_2", "done"),),
    "labels that nothing uses": ((r"\tbar\.sync", "unused:\n\tbar.sync"),),
    "names of local variables": ((r"\btile\b", "_ZZ1kE4tile"),),
    "names of helpers": ((r"\bleaf\b", "_ZN4leafEi"), (r"\bodd\b", "o"), (r"\beven\b", "e")),
    "names of variables": ((r"\btable\b", "t"), (r"\bpointers\b", "p"), (r"\bfirst\b", "f"), (r"\bsecond\b", "s")),
    "names of dynamic shared memory": ((r"\bdynamic\b", "smem"),),
    "the order of definitions": ((r"\.global \.u32 first;\n\.global \.u32 second;",
                                  ".global .u32 second;\n.global .u32 first;"),),
    "what the kernel does not reach": ((r"\.func \(\.param \.b32 r\) leaf",
                                        ".global .u32 other;\n.func unused()\n{\nret;\n}\n\\g<0>"),),
    "how numbers are written": ((r"table\[8\] = \{1, 2, 3, 4\}", "table[8] = {0x1, 0x2, 03, 4, 0}"), (r"\[512\]", "[0x200]")),
}

DIFFERENT = {
    "one instruction less": ((r"\tbar\.sync 0;\n", ""),),
    "the order of instructions": ((r"(\tmov\.u32 %r2, tile;\n)(\tmov\.u32 %r3, dynamic;\n)", r"\2\1"),),
    "an opcode": ((r"setp\.eq", "setp.ne"),),
    "a number": ((r"\[%r2\+4\]", "[%r2+8]"),),
    "an offset of zero that is written": ((r"\[%rd1\]", "[%rd1+0]"),),
    "another register": ((r"\[%r2\+4\], %r6", "[%r2+4], %r5"),),
    "the type of a register": ((r"\.reg \.b32 %r<10>", ".reg .u32 %r<10>"),),
    "a guard": ((r"@%p1", "@!%p1"),),
    "no guard": ((r"@%p1 ", ""),),
    "where a label is": ((r"(\$L__BB0_2:\n)(.*\n)(.*\n)", r"\2\3\1"),),
    "a parameter more": ((r"\.param \.u32 count\)", ".param .u32 count, .param .u32 more)"),),
    "parameters the other way round": ((r"\.param \.u64 out, \.param \.u32 count", ".param .u32 count, .param .u64 out"),),
    "the size of a local variable": ((r"\[512\]", "[516]"),),
    "an alignment": ((r"align 4 \.b8 tile", "align 8 .b8 tile"),),
    "an attribute": ((r"128, 1, 1", "256, 1, 1"),),
    "a pragma": ((r"nounroll", "unroll"),),
    "braces": ((r"\tbar\.sync 0;", "\t{ bar.sync 0; }"),),
    "linkage": ((r"\.visible \.entry", ".weak .entry"),),
    "the contents of a helper": ((r"add\.s32", "sub.s32"),),
    "the contents of a helper of a helper": ((r"call\.uni \(y\), odd, \(x\);\n(\tld.param.b32 %r2, \[y\];\n\t\}\n\tst)",
                                              r"call.uni (y), odd, (x);\n\tbar.sync 0;\n\1"),),
    "which helper": ((r"\), leaf, \(", "), odd, ("),),
    "a helper that the module does not define": ((r"\), leaf, \(", "), outside, ("),),
    "the contents of a variable": ((r"\{1, 2, 3, 4\}", "{1, 2, 3, 5}"),),
    "the size of a variable": ((r"table\[8\]", "table[16]"),),
    "which of two equal variables": ((r"\[second\], %r4", "[first], %r4"),),
    "which of two equal variables, for a helper": ((r"%r2, \[first\]", "%r2, [second]"),),
    "which of two equal variables, in a variable": ((r"\{first, second\}", "{second, first}"),),
    "the mode of textures": (("sm_80", "sm_80, texmode_independent"),),
    "the size of addresses": ((r"\.address_size 64", ".address_size 32"),),
}


class Pairs(unittest.TestCase):
    def test_equal(self):
        base = hash_of(BASE)
        for what, changes in EQUAL.items():
            with self.subTest(what):
                self.assertEqual(hash_of(changed(*changes)), base)

    def test_different(self):
        found = {hash_of(BASE): "the base"}
        for what, changes in DIFFERENT.items():
            with self.subTest(what):
                value = hash_of(changed(*changes))
                self.assertNotIn(value, found, found.get(value))
                found[value] = what

    def test_names_of_what_the_module_does_not_define_count(self):
        calls = changed((r"\), leaf, \(", "), outside, ("))
        self.assertNotEqual(hash_of(calls), hash_of(calls.replace("outside", "elsewhere")))

    def test_a_helper_that_comes_first_in_a_circle(self):
        """The kernel enters the circle of odd and even at the other one, which looks the same."""
        self.assertEqual(hash_of(changed((r"\), odd, \(x\);\n\tld.param.b32 %r6", "), even, (x);\n\tld.param.b32 %r6"))),
                         hash_of(BASE))

    def test_every_line_counts(self):
        """Without any one instruction of the kernel or of leaf, it is another kernel."""
        base = hash_of(BASE)
        for line in re.findall(r"^\t[a-z].*;$", BASE, re.MULTILINE):
            at = BASE.index(line)
            with self.subTest(line):
                try:
                    value = hash_of(BASE[:at] + BASE[at + len(line):])
                except AssertionError:  # it declared something
                    continue
                self.assertNotEqual(value, base)


class CommandLine(unittest.TestCase):
    def test_several_inputs(self):
        files = sorted(CORPUS.glob("nvcc/sm_80/re*.ptx"))[:3]
        run = subprocess.run([PTXOPT, "--kernel-hash", *files], capture_output=True, text=True, check=True)
        self.assertEqual({line.split("  ")[2] for line in run.stdout.splitlines()}, set(map(str, files)))

    def test_one_bad_input(self):
        good = next(CORPUS.glob("nvcc/sm_80/re*.ptx"))
        run = subprocess.run([PTXOPT, "--kernel-hash", "-", good], input="nothing", capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("<stdin>:1:1: error", run.stderr)
        self.assertIn(str(good), run.stdout)

    def test_it_is_of_the_input_unless_passes_are_named(self):
        file = CORPUS / "nvcc/sm_80/redundant_barriers.ptx"
        one, same, other = (subprocess.run([PTXOPT, "--kernel-hash", *words, file], capture_output=True, text=True,
                                           check=True).stdout for words in ([], ["-O0"], ["-O2"]))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_not_beside_another_report(self):
        run = subprocess.run([PTXOPT, "--kernel-hash", "--needs", "-"], input="", capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("can go to standard output", run.stderr)


def renamed(text):
    """The same kernels with other names of registers and labels, in another layout."""
    text = re.sub(r'("[^"\n]*")|//.*|/\*(?:.|\n)*?\*/', lambda found: found.group(1) or " ", text)
    text = re.sub(r"^\s*\.loc\s.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(%[a-z]+)<(\d+)>", r"\1x<90000>", text)
    text = re.sub(r"(%(?:p|r|rd|f|fd|rs|rl|h|hh|b|rq))(\d+)\b", lambda found: f"{found.group(1)}x{89999 - int(found.group(2))}",
                  text)
    return re.sub(r"\$L__BB", "$Somewhere_", text).replace("\t", "   ")


class Corpus(unittest.TestCase):
    def test_renamed(self):
        count = 0
        for path in sorted(CORPUS.glob("*/*/*.ptx"))[::9]:
            text = path.read_text(errors="surrogateescape")
            if "handwritten" in path.parts or "debug" in text[:4000]:
                continue
            with self.subTest(path):
                before, after = hashes(text, renamed(text))
                self.assertEqual(before, after)
                self.assertNotEqual(text, renamed(text))
                count += len(before)
        self.assertGreater(count, 50)


if __name__ == "__main__":
    unittest.main()
