#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What check_docs.py must find, and what it must leave alone, in small projects made for it."""
import os
import tempfile
import unittest

import check_docs
from check_docs import make_rules

RULES = """# Rules
## C1 Order (9.7)
**C1.1 First.** Text.

- **C1.2 Second `one`.** Text.

| rule | text |
|---|---|
| **C1.3 Third.** | text |
> **C8(ii).1 Fourth.** Text.

### C8(ii) Addresses

```
**C1.9 No rule.** It stands in a code block.
```
"""


class Project(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        self.write("docs/soundness/rules_a.md", RULES)
        self.write("docs/soundness/make_rules.py", "")  # the table links to it

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def expect(self, *expected):
        """All problems but those of the table, which each test leaves without one."""
        self.write(make_rules.TABLE, "")
        try:
            self.write(make_rules.TABLE, make_rules.table(self.root))
        except ValueError:
            pass  # a rule that stands twice: check_docs says so
        self.assertEqual(check_docs.problems(self.root), list(expected))


class Pages(Project):
    def test_good_page(self):
        self.write("src/a.h", "")
        self.write("docs/a.md", "# A *b* `c`, d\n[x](soundness/rules_a.md#c1-order-97) [y](#a-b-c-d)\n"
                                "[z](../src/a.h) `src/a.h` [w](https://example.org/none#none)\n"
                                "`[code](none.md)`\n```sh\n[code](none.md)\n```\n~~~\n```sh\n~~~\n")
        self.expect()

    def test_fence_without_end(self):
        self.write("docs/a.md", "text\n```ptx\nret;\n")
        self.expect("docs/a.md:2: a code block is not closed")

    def test_fence_in_a_fence(self):
        self.write("a/README.md", "```ptx\nret;\n\n```ptx\nret;\n```\n")
        self.expect("a/README.md:1: a code block is not closed before the next one opens")

    def test_other_fence_does_not_close(self):
        self.write("README.md", "```\n~~~\n")
        self.expect("README.md:1: a code block is not closed")

    def test_dead_link(self):
        self.write("docs/a.md", "[x](b.md), [y](../src/none.h)\n[z]: none.md\n")
        self.expect("docs/a.md:1: no such file: b.md", "docs/a.md:1: no such file: ../src/none.h",
                    "docs/a.md:2: no such file: none.md")

    def test_dead_anchor(self):
        self.write("docs/a.md", "# A\n# A\n[x](#a-1) [y](#b) [z](soundness/rules_a.md#none)\n")
        self.expect("docs/a.md:3: no such heading: #b",
                    "docs/a.md:3: no such heading: soundness/rules_a.md#none")

    def test_file_that_is_named(self):
        self.write("docs/a.md", "`src/none.cpp`, `corpus/table`, `src/*.cpp`\n")
        self.expect("docs/a.md:1: no such file: src/none.cpp")


class Rules(Project):
    def test_notation(self):
        rules = make_rules.read_rules(self.root)
        self.assertEqual({name: rule.name for name, rule in rules.items()},
                         {"C1": "Order", "C1.1": "First", "C1.2": "Second `one`", "C1.3": "Third",
                          "C8(ii)": "Addresses", "C8(ii).1": "Fourth"})
        self.assertEqual(list(rules), ["C1", "C1.1", "C1.2", "C1.3", "C8(ii)", "C8(ii).1"])
        self.assertEqual(rules["C1.3"].anchor, "c1-order-97")

    def test_rule_that_stands_twice(self):
        self.write("docs/soundness/rules_b.md", "**C1.1 Again.** Text.\n")
        self.expect("docs/soundness: C1.1 stands in rules_a.md and in rules_b.md")

    def test_unknown_rule(self):
        self.write("src/a.cpp", "int a;  // docs/soundness/ C1.7, C8(ii).2\nint C99 = 1;\n")
        self.write("tests/unit/a.ptx", "// C2.1\n")
        self.write("docs/a.md", "An A100 keeps to C3, and a `%f1` and E4M3 are no rules.\n")
        self.expect("src/a.cpp:1: no such rule: C1.7", "src/a.cpp:1: no such rule: C8(ii).2",
                    "tests/unit/a.ptx:1: no such rule: C2.1", "docs/a.md:1: no such rule: C3")

    def test_rule_without_a_test(self):
        self.write("src/a.cpp", "// C1.1, C1.2\n")
        self.write("tests/unit/a_test.cpp", "// C1.1\n")
        self.expect("docs/soundness: code cites C1.2 (Second `one`), and no test does")

    def test_range_over_two_lines(self):
        self.write("src/a.cpp", "// C1.1, C1.2, C1.3\n")
        self.write("tests/unit/a_test.cpp", "// C1.1 to\n  // C1.3\n")
        self.expect()

    def test_a_part_counts_for_the_whole(self):
        self.write("src/a.cpp", "// C1, C8(ii)\n")
        self.write("tests/unit/a_test.cpp", "// C1.2 and C8(ii).1\n")
        self.expect()

    def test_the_whole_counts_for_no_part(self):
        self.write("src/a.cpp", "// C1.2\n")
        self.write("tests/unit/a_test.cpp", "// C1\n")
        self.expect("docs/soundness: code cites C1.2 (Second `one`), and no test does")

    def test_what_is_no_comment_cites_nothing(self):
        self.write("src/a.cpp", "int x = C1.2;\n")
        self.expect()


class Table(Project):
    def test_stale(self):
        self.expect()
        self.write("tests/unit/a_test.cpp", "// C1.1\n")
        self.assertEqual(check_docs.problems(self.root),
                         ["docs/soundness/rules.md: not up to date, run docs/soundness/make_rules.py"])

    def test_content(self):
        self.write("src/x/a.cpp", "// C1.1\n")
        self.write("src/x/a.h", "// C1.1\n")
        self.write("tests/unit/a_test.cpp", "// C1.1\n")
        self.assertIn("| [C1.1](rules_a.md#c1-order-97) First | `x/a.{cpp,h}` | `unit/a_test.cpp` |\n",
                      make_rules.table(self.root))


class Exceptions(Project):
    def test_list_is_exact(self):
        self.write("src/a.cpp", "// C1.1\n")
        listed = dict(make_rules.UNTESTED)
        self.addCleanup(lambda: (make_rules.UNTESTED.clear(), make_rules.UNTESTED.update(listed)))
        make_rules.UNTESTED["C1.1"] = "a reason"
        self.expect()
        self.write("tests/unit/a_test.cpp", "// C1.1\n")
        self.expect("docs/soundness/make_rules.py: C1.1 is not without a test, take it off the list")


if __name__ == "__main__":
    unittest.main()
