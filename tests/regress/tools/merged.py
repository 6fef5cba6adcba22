# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds early-cse against what the instructions of a file say about themselves.

A comment on the line of an instruction:
    // goes     it is not in the result, or no longer with this opcode
    // stays    it is in the result with this opcode, whatever its registers are called
Text after these words is for the reader.  Lines without a comment are not looked at.  Everything
happens within a kernel: of an opcode with comments, as many must be left as say `stays`.  With several --passes that is so
for each of them.
"""
import argparse
import collections
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(?:@!?\S+\s+)?(?P<opcode>[a-z][\w.:]*)\s[^/]*;\s*(?://\s*(?P<word>goes|stays))?")
ENTRY = re.compile(r"^[^/]*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$%]+)")


def opcodes(text):
    """{kernel: [(opcode, word, line)]}"""
    kernels, current = collections.defaultdict(list), None
    for line in text.split("\n"):
        entry = ENTRY.match(line)
        if entry:
            current = entry.group(1)
        match = LINE.match(line)
        if match and current:
            kernels[current].append((match["opcode"], match["word"], line.strip()))
    return kernels


def check(arguments, passes, before):
    run = subprocess.run([arguments.ptxopt, "-q", "--verify-each", "--passes", passes,
                          arguments.file], capture_output=True, text=True, check=True)
    after = opcodes(run.stdout)
    problems = []
    for kernel, lines in before.items():
        left = collections.Counter(opcode for opcode, _, _ in after[kernel])
        for opcode in {opcode for opcode, word, _ in lines if word}:
            expected = sum(1 for o, word, _ in lines if o == opcode and word != "goes")
            if left[opcode] != expected:
                problems.append(f"{passes}: {kernel}: {opcode}: {left[opcode]} left, not {expected}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--passes", action="append", required=True)
    parser.add_argument("file")
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        before = opcodes(file.read())
    problems = [problem for passes in arguments.passes
                for problem in check(arguments, passes, before)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
