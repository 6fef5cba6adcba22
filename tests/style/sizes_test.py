#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sizes.py takes for functions, and for too long."""
import unittest

import sizes

SAMPLE = """\
#include <vector>
#define OPENS {
namespace n {
namespace {
constexpr int kTable[] = {
    1,
};
constexpr const char* kText = R"(f() {
)";
}  // namespace

// A comment is not part of it.
template <class T, class U = std::vector<std::vector<T>>>
static T plain(T a) {
  // "}"
  const auto inside = [&](int b) {
    return '}' + b + 1'000;
  };
  return inside(a);
}

class [[nodiscard]] C : public B {
 public:
  explicit C(int a)
      : a_{a}, b_(a), c_{{a}} {
    start();
  }
  int one() const { return a_; }
  bool operator()(int a) const {
    return a == a_;
  }
  bool operator==(const C&) const { return true; }

 private:
  enum class Kind { A, B };
  struct Inner {
    int x = f();
    int y{};
  };
  std::vector<int> c_ = {1, 2};
};

extern "C" {
int c() { return 0; }
}
extern int declared(int);
const auto kLambda = [](int a) {
  return a;
};
}  // namespace n
"""


def long_function(lines):
    return "void tooLong() {\n" + "  f();\n" * (lines - 2) + "}\n"


class SizesTest(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(list(sizes.functions(SAMPLE)), [
            ("plain", 13, 8), ("C", 24, 4), ("one", 28, 1), ("operator()", 29, 3), ("operator==", 32, 1), ("c", 44, 1),
            ("a lambda", 47, 3)])

    def test_too_long(self):
        self.assertEqual(list(sizes.too_long(long_function(80))), [])
        self.assertEqual(list(sizes.too_long("\n" + long_function(81))),
                         [(2, "the function tooLong has 81 lines, more than 80")])
        self.assertEqual(list(sizes.too_long("// \n" * 600)), [])
        self.assertEqual(list(sizes.too_long("// \n" * 601)), [(1, "the file has 601 lines, more than 600")])


if __name__ == "__main__":
    unittest.main()
