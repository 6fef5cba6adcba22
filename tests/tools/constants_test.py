#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas and ptxopt compute the same values of constant expressions and addresses (docs/soundness/ A5.9).

usage: constants_test.py PTXOPT

Random expressions are operands of instructions, and `ptxopt --reprint` writes their values.  ptxas, which
shares no code with ptxopt, must make the same bytes of both texts: ptxrun could not tell, because it has the same
parser.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import compilers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "regress"))
import corpus  # noqa: E402

PTXOPT = pathlib.Path(sys.argv.pop(1)).resolve()
PTXAS = compilers.ptxas_or_skip()

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
NUMBERS = ["0", "1", "2", "3", "5", "7", "16", "31", "63", "0x7f", "0xFFU", "010", "0b101", "9U", "0U", "3U",
           "0x7fffffff", "0x80000000", "4294967295", "0x7fffffffffffffff", "0x8000000000000000",
           "0xFFFFFFFFFFFFFFFF", "WARP_SZ"]
BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"]
UNARY = ["-", "~", "!", "+", "(.s64)", "(.u64)"]


def expression(draw, depth):
    kind = draw.random()
    if depth == 0 or kind < 0.15:
        return draw.choice(NUMBERS)
    if kind < 0.35:
        return f"{draw.choice(UNARY)}({expression(draw, depth - 1)})"
    if kind < 0.42:
        first, second, third = (expression(draw, depth - 1) for _ in range(3))
        return f"(({first}) ? ({second}) : ({third}))"
    left, right = expression(draw, depth - 1), expression(draw, depth - 1)
    operator = draw.choice(BINARY)
    if operator in ("<<", ">>"):
        right = str(draw.randrange(64))
    if draw.random() < 0.5:
        left, right = f"({left})", f"({right})"
    return f"{left} {operator} {right}"


def kernel(expressions):
    lines = "".join(f"\tmov.b64 %rd2, {text};\n\tst.global.u64 [%rd1+{8 * k}], %rd2;\n"
                    for k, text in enumerate(expressions))
    return (".visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %rd<3>;\n"
            f"\tld.param.u64 %rd1, [p];\n{lines}\tret;\n}}\n")


def indices(draw, count):
    """Elements of arrays of all shapes, as addresses and as values."""
    text, body = "", ""
    shapes = [".u8", ".u16", ".u32", ".u64", ".f64", ".v2 .u32", ".v4 .u32", ".v2 .u64", ".v4 .u8"]
    for k in range(count):
        name, extent = f"a{k}", draw.choice(["[40]", "[8][5]"])
        text += f".visible .global .align 16 {draw.choice(shapes)} {name}{extent};\n"
        body += f"\tst.global.u8 {name}[{draw.randrange(8)}], 1;\n"
        body += f"\tmov.u64 %rd2, {name}[{draw.randrange(8)}];\n\tst.global.u64 [%rd1+{8 * k}], %rd2;\n"
    return text + (".visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %rd<3>;\n"
                   f"\tld.param.u64 %rd1, [p];\n{body}\tret;\n}}\n")


class Constants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assemble(self, text):
        """The code and data that ptxas makes of the text, or the lines that it refuses."""
        source, cubin = self.folder / "in.ptx", self.folder / "out.cubin"
        source.write_text(text)
        run = subprocess.run([PTXAS, "-arch=sm_80", "-O1", source, "-o", cubin], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode == 0:
            return corpus.code_sections(cubin), set()
        return None, {int(line) for line in re.findall(r"line (\d+); (?:error|fatal)", run.stdout)}

    def reprint(self, text):
        source = self.folder / "reprint.ptx"
        source.write_text(text)
        return subprocess.run([PTXOPT, "-q", "-O0", "--reprint", source, "-o", "-"], text=True,
                              stdout=subprocess.PIPE, check=True).stdout

    def accepted(self, expressions):
        """Those that ptxas takes: it refuses some, most of them divisions by 0."""
        text = HEADER + kernel(expressions)
        code, refused = self.assemble(text)
        lines = text.splitlines()
        bad = {expression for expression in expressions
               if any(lines[line - 1].endswith(f" {expression};") for line in refused)}
        if not bad:
            self.assertIsNotNone(code, refused)
            return expressions
        return self.accepted([e for e in expressions if e not in bad])

    def different(self, expressions):
        text = HEADER + kernel(expressions)
        if self.assemble(text)[0] == self.assemble(self.reprint(text))[0]:
            return []
        if len(expressions) == 1:
            return expressions
        middle = len(expressions) // 2
        return (self.different(expressions[:middle]) +
                self.different(expressions[middle:]))

    def test_expressions(self):
        draw = random.Random(1)
        accepted = self.accepted([expression(draw, k % 4) for k in range(1500)])
        self.assertGreater(len(accepted), 1200)
        self.assertEqual(self.different(accepted), [])

    def test_elements(self):
        text = HEADER + indices(random.Random(2), 100)
        code, refused = self.assemble(text)
        self.assertEqual(refused, set())
        self.assertEqual(code, self.assemble(self.reprint(text))[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
