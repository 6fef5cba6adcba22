# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the remarks of basic-dbe about Inputs/barriers.ptx."""
import json
import sys

remarks = [json.loads(line) for line in sys.stdin]
passed = [r for r in remarks if r["kind"] == "passed"]
assert len(passed) == 4, passed
assert {r["kind"] for r in remarks} <= {"passed", "missed", "analysis"}
for remark in passed:
    assert list(remark) == ["pass", "kind", "function", "ptx", "source", "message", "assumptions",
                            "details"]
    assert remark["pass"] == "basic-dbe" and remark["function"] == "five"
    assert remark["ptx"]["file"] == "barriers.ptx" and remark["ptx"]["column"] == 2
    assert remark["message"].startswith("Removed dead synch: ")
assert sorted(r["ptx"]["line"] for r in passed) == [26, 28, 29, 30]
assert sorted(r["source"]["line"] for r in passed) == [9, 10, 10, 10]
assert all(r["source"]["file"] == "barriers.cu" and r["source"]["column"] == 3 for r in passed)
