#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is around the mutants: the draw, whom the compiler blames, who notices first, what the table keeps."""
import os
import tempfile
import types
import unittest

import changes
import mutants

SOURCE = """bool f(bool a, int b) {
  if (a && b < 3) return true;
  return b == 4;
}
"""
OPTIONS = types.SimpleNamespace(seed=1, count=5, kernels=0, schedules=1, kernel_options="", jobs=1,
                                again=None, only=None)
FAILED = """[1/2] Building
FAILED: src/analysis/f.cpp.o
../../src/analysis/f.cpp: In function 'bool f(bool, int)':
../../src/analysis/f.cpp:{line}:7: error: no
"""


class Draw(unittest.TestCase):
    def test_edits_elsewhere_keep_the_order_of_each_kind(self):
        def ids(source, seed, kind):
            return [c.id for c in mutants.drawn({"f": source}, seed) if c.kind == kind]

        for kind in changes.KINDS:
            before = ids(SOURCE, 1, kind)
            after = ids("int g() { return 7; }\n" + SOURCE, 1, kind)
            self.assertEqual(before, [c for c in after if c in before])
        self.assertNotEqual(ids(SOURCE, 1, "constant"), ids(SOURCE, 3, "constant"))

    def test_what_does_not_build_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = mutants.Mutants({"src/analysis/f.cpp": SOURCE}, OPTIONS, folder)
            chosen = drawn.chosen()
            line = chosen[0][1].line
            bad = mutants.unbuildable(FAILED.format(line=line), [c for _, c in chosen])
            self.assertIn(chosen[0][1], bad)
            self.assertTrue(all(line in c.lines for c in bad))
            drawn.reject(bad)
            again = mutants.Mutants({"src/analysis/f.cpp": SOURCE}, OPTIONS, folder).chosen()
            self.assertEqual(len(again), OPTIONS.count)
            self.assertFalse({c.id for c in bad} & {c.id for _, c in again})
            kept = [(n, c.id) for n, c in chosen if c not in bad]
            self.assertEqual(kept, [(n, c.id) for n, c in again][:len(kept)])

    def test_what_the_table_has_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = {"src/analysis/f.cpp": SOURCE}
            last = mutants.drawn(sources, OPTIONS.seed)[-1].id
            chosen = mutants.Mutants(sources, OPTIONS, folder, {last}).chosen()
            self.assertEqual(len(chosen), OPTIONS.count)
            self.assertIn(last, {c.id for _, c in chosen})
            self.assertEqual(chosen, sorted(chosen, key=lambda numbered: numbered[0]))

    def test_nobody_is_blamed_for_an_error_elsewhere(self):
        found = changes.find_changes("src/analysis/f.cpp", SOURCE)
        self.assertEqual(mutants.unbuildable(FAILED.format(line=40), found), [])


class Notice(unittest.TestCase):
    def checks(self, *listed):
        """Of (kind, name, command of a shell, numbers that it reaches)."""
        result = mutants.Checks.__new__(mutants.Checks)
        result.environment, result.arguments = {}, OPTIONS
        result.copy = types.SimpleNamespace(build="/")
        result.checks = []
        for kind, name, command, reached in listed:
            check = mutants.Check(kind, name, ["sh", "-c", command], "")
            check.reached = reached
            result.checks.append(check)
        return result

    def test_only_what_reaches_it_is_run_and_the_first_that_fails_counts(self):
        checks = self.checks(("unit test", "A.*", "exit 1", {1}),
                             ("unit test", "B.*", "echo '[  FAILED  ] B.Two (0 ms)'; exit 1", {7}),
                             ("random kernels", "phis, seeds 1 to 2", "exit 1", {7}))
        self.assertEqual(checks.notice(7), "unit test B.Two")

    def test_the_mutant_is_awake(self):
        checks = self.checks(("random kernels", "phis, seeds 1 to 2",
                              "echo \"seed 2: x\"; exit $((PTXOPT_MUTANT == 7))", {7, 8}))
        self.assertEqual(checks.notice(7), "random kernels phis, seed 2")
        self.assertEqual(checks.notice(8), mutants.SURVIVED)
        self.assertEqual(checks.notice(9), mutants.NOT_REACHED)

    def test_what_takes_too_long_is_stopped(self):
        status, _ = mutants.run(["sh", "-c", "while :; do :; done"], {}, 1, "/")
        self.assertIsNone(status)


class Table(unittest.TestCase):
    def test_judgements_are_kept(self):
        change = changes.find_changes("f", SOURCE)[0]
        row = mutants.make_row(4, change, mutants.SURVIVED, "equivalent: it is slower")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.tsv")
            mutants.write_table(path, [row], OPTIONS)
            self.assertEqual(mutants.read_table(path), {change.id: row})
        self.assertIn("1 judged equivalent", "".join(mutants.summary([row], OPTIONS)))

    def test_what_is_tried_again(self):
        row = {"id": "x", "noticed by": mutants.SURVIVED}
        again = types.SimpleNamespace(again="survived", only=None)
        self.assertTrue(mutants.is_done(row, OPTIONS))
        self.assertFalse(mutants.is_done(row, again))
        self.assertTrue(mutants.is_done({"id": "x", "noticed by": "regress a.ptx"}, again))


if __name__ == "__main__":
    unittest.main()
