#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counts as a branch, and as reached, on a small program; and that reasons stay with their lines."""
import argparse
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import coverage

SOURCE = """#include <stdexcept>
#include <string>
std::string name(int number) {
  if (number > 100) throw std::runtime_error("large");
  return std::to_string(number);
}
template <typename Number>
bool isSmall(Number number) {
  return number < 3 ? true : number == 7;
}
std::string longer(bool isLong) {
  return (isLong ? "a" + std::to_string(1) : std::string()) + std::to_string(2);
}
int main(int count, char**) {
  std::string text = name(count) + name(count + 1);
  if (isSmall(count) && text.empty()) return 1;
  return isSmall(50u) || longer(count == 1).empty() ? 2 : 0;
}
"""
COMPILER = "g++"


def measured(source):
    """{line: [whether each branch was reached]} of a run without arguments."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sample.cpp"), "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run([COMPILER, "-O0", "--coverage", "-c", "sample.cpp"],
                       cwd=folder, check=True)
        subprocess.run([COMPILER, "--coverage", "sample.o", "-o", "sample"], cwd=folder, check=True)
        subprocess.run(["./sample"], cwd=folder, check=True)
        result = coverage.Coverage()
        with unittest.mock.patch.multiple(coverage, SOURCE_DIR=folder, is_below=lambda name: name == "sample.cpp"):
            for name, found, exceptional in coverage.gcov(folder, os.path.join(folder, "sample.gcno")):
                result.add_file(name, found, exceptional)
    lines = {}
    for (line, _, _), reached in sorted(result.branches["sample.cpp"].items()):
        lines.setdefault(line, []).append(reached)
    return lines


class Branches(unittest.TestCase):
    def test_exceptions_are_none_and_copies_of_a_template_are_one(self):
        lines = measured(SOURCE)
        self.assertEqual(sorted(lines[4]), [False, True])
        # One copy takes one way of `< 3`, the other the other; nothing is 7.
        self.assertEqual(lines[9], [True, True, False, True])
        self.assertEqual(set(lines[16]), {False, True})
        self.assertNotIn(5, lines)
        self.assertNotIn(15, lines)

    def test_below_an_exception_there_are_none(self):
        # The condition, and whether there is a number to destroy; not that once more for an exception.
        self.assertEqual(measured(SOURCE)[12].count(False), measured(SOURCE)[12].count(True))


class Reasons(unittest.TestCase):
    def test_they_move_with_their_lines(self):
        name, text, line = "src/analysis/sample.cpp", "if (isWalked[v]) return;", 3
        everything = coverage.Coverage()
        everything.lines[name] = {line: True}
        everything.branches[name] = {(line, (1, 1), 0): True, (line, (1, 1), 1): False}
        options = types.SimpleNamespace(kernels=1, tests="x")
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "src", "analysis"))
            coverage.write(os.path.join(folder, name), f"\n\n{text}\n")
            path = os.path.join(folder, "unreached.tsv")
            coverage.write(path, f"{name}:1\t2 of 2\t{text}\tno graph has two\n")
            with unittest.mock.patch.multiple(coverage, SOURCE_DIR=folder, is_rule_file=lambda file: file == name):
                coverage.unreached(options, everything, path)
            self.assertIn(f"\n{name}:{line}\t2 of 2\t{text}\tno graph has two\n", coverage.read(path))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=COMPILER)
    COMPILER = parser.parse_args().compiler
    unittest.main(argv=sys.argv[:1])
