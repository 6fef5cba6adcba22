# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds common-base against what the instructions of a file say about themselves.

A comment at the end of the line of an instruction:
    // goes          it is not in the result
    // stays         it is in the result as it was
    // at [%rd2+4]   it is in the result and accesses that
Text after a colon is for the reader.  Lines without such a comment are not looked at.
"""
import argparse
import re
import subprocess
import sys

WORD = re.compile(r"^\s*(?P<text>[^/]*;)\s*// (?P<word>goes|stays|at (?P<place>\[[^\]]*\]))")


def instructions(text):
    """[(what the text says without its comment, the word, the place)]"""
    return [(match["text"], match["word"], match["place"])
            for match in map(WORD.match, text.split("\n")) if match]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--passes", default="common-base")
    parser.add_argument("file")
    arguments = parser.parse_args()
    run = subprocess.run([arguments.ptxopt, "-q", "--verify-each", "--passes", arguments.passes,
                          arguments.file], capture_output=True, text=True, check=True)
    with open(arguments.file) as file:
        before = instructions(file.read())
    after = instructions(run.stdout)
    problems = []
    # Comments stay with their instructions.
    for text, word, place in after:
        if word == "goes":
            problems.append(f"did not go: {text}")
        elif place and place not in text:
            problems.append(f"not {word}: {text}")
    kept = {text for text, word, _ in after if word == "stays"}
    problems += [f"did not stay: {text}" for text, word, _ in before
                 if word == "stays" and text not in kept]
    counts = [sum(word != "goes" for _, word, _ in entries) for entries in (before, after)]
    if counts[0] != counts[1]:
        problems.append(f"{counts[1]} instructions are left, not {counts[0]}")
    print("\n".join(problems))
    return 1 if problems or not before else 0


if __name__ == "__main__":
    sys.exit(main())
