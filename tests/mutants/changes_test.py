#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each change that is built in does, when awake, what the edited text does, and nothing when asleep.

Compiles one program from SAMPLE: with all changes built in, and beside it a copy for each change in which
the text itself is edited.  The functions of all are called with the same numbers.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import changes

# Every kind of change; in front of their operators and after them, what they stand beside in real
# code.  No loop, for a copy must end.
SAMPLE = """
// a && b: no change in here, nor in "a && b"
#define IN_A_MACRO(a) ((a) && false)
using Pair = std::pair<int, bool>;
constexpr int kBound = 3;
bool chain(bool a, bool b, bool c, int, int) { return a && b && c; }
bool mixed(bool a, bool b, bool c, int x, int y) {
  return a && x < y || b && !c ||
         x >= kBound && (y == 2 || c);
}
int choice(bool a, bool b, bool, int x, int y) {
  const auto isSmall = [&](int limit) { return x < limit && (a || b); };
  return isSmall(2) ? x + 1 : a ? y - 1 : 0x10;
}
int statements(bool a, bool b, bool c, int x, int y) {
  int sum = 0;
  Pair pair = {y, true};
  const auto add = [&](int number) { sum += number; };
  if (a || (b && c)) add(3);
  if (const int both = x * y; both > 2) {
    ++sum;
    pair.first = both;
  } else if (!c) {
    add(10'000);
  }
  if (b != c) return sum;
  switch (x) {
    case 0:
      sum += 7;
      break;
    case 1:
      add(20);
      [[fallthrough]];
    default:
      sum -= pair.first;
  }
  if (pair.second && sum <= 20) {
    return -1;
  }
  const char* text = a && b ? "yes" : "no";
  return sum + (text[0] == 'y');
}
void store(int& to, bool a, int x) {
  if (a) to = x;
}
int stored(bool a, bool b, bool c, int x, int y) {
  int result = y;
  store(result, a != b, x);
  return c ? result : 0;
}
"""
FUNCTIONS = ["chain", "mixed", "choice", "statements", "stored"]
MAIN = """
template <typename Function>
unsigned run(Function function) {
  unsigned hash = 0;
  for (int k = 0; k < 200; ++k) {
    hash = hash * 31 + function(k & 1, k & 2, k & 4, k / 8 %% 5, k / 40);
  }
  return hash;
}
#define RUN_ALL(space) std::array<unsigned, 5>{%s}
int main() {
  const auto asleep = RUN_ALL(original);
  if (RUN_ALL(built) != asleep) std::puts("asleep");
  const auto check = [&](int number, const std::array<unsigned, 5>& edited) {
    ptxopt_mutants::state.active = number;
    if (RUN_ALL(built) != edited) std::printf("%%d\\n", number);
    if (edited == asleep) std::printf("same %%d\\n", number);
  };
%s}
"""
# Of the changes that are made above, which must be there: a line of each kind.
EXPECTED = {
    ("condition dropped", "return a && b && c", "return true && b && c"),
    ("and / or", "return a && b && c", "return (a || b) && c"),
    ("condition negated", "if (a || (b && c)) add(3)", "if (!(a || (b && c))) add(3)"),
    ("comparison", "if (pair.second && sum <= 20)", "if (pair.second && sum < 20)"),
    ("constant", "add(20)", "add(19)"),
    ("true / false", "y, true", "y, false"),
    ("early return", "store(...) {", "store(...) { return;"),
    ("statement dropped", "if (a || (b && c)) add(3);", "if (a || (b && c)) ;"),
}


def program(found):
    numbered = list(enumerate(found))
    spaces = {"original": SAMPLE, "built": changes.built_in(SAMPLE, numbered)}
    for number, change in numbered:
        spaces[f"edited{number}"] = changes.edited(SAMPLE, change.edits, 0, len(SAMPLE))
    calls = ", ".join(f"run(space::{name})" for name in FUNCTIONS)
    checks = "".join(f"  check({n}, RUN_ALL(edited{n}));\n" for n, _ in numbered)
    parts = ["#include <array>\n#include <cstdio>\n#include <utility>\n"]
    for name, text in spaces.items():
        parts.append(f"namespace {name} {{{text}}}\n")
    return "".join(parts) + MAIN % (calls, checks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()
    found = changes.find_changes("sample", SAMPLE)
    kinds = {(change.kind, change.before, change.after) for change in found}
    problems = [f"no change {expected}" for expected in sorted(EXPECTED - kinds)]
    problems += [f"line {c.line} is not to be changed: {c.before}" for c in found if c.line <= 5]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(found))
        header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "active.h")
        subprocess.run([arguments.compiler, "-std=c++20", "-w", "-Wno-narrowing", "-include", header,
                        path, "-o", path + ".out"], check=True)
        output = subprocess.run([path + ".out"], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        number = line.removeprefix("same ")
        if number == "asleep":
            problems.append("asleep, they change something")
            continue
        change = found[int(number)]
        what = "does something else than the text" if number == line else "cannot be told"
        told = f"line {change.line}: {change.kind}: {change.before} -> {change.after}: {what}"
        if number == line:
            problems.append(told)
        else:
            print(told)
    print("\n".join(problems) or f"{len(found)} changes do what the edited text does")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
