# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the remarks of dead-sync about remarks.ptx."""
import json
import sys

remarks = {(r["function"], r["ptx"]["line"]): r for r in map(json.loads, sys.stdin)}
assert sorted(remarks) == [("k", 26), ("k", 30), ("k", 33), ("pinned", 39), ("pinned", 41),
                           ("tainted", 46), ("tainted", 47)], remarks

removed = remarks["k", 26]
assert removed["kind"] == "passed" and removed["pass"] == "dead-sync"
assert removed["source"] == {"file": "k.cu", "line": 3, "column": 1}
assert removed["details"] == {
    "rule": "no conflict", "precision": "objects", "read_above": "0", "write_above": "0",
    "read_below": "0", "write_below": "1", "outcome": "removed", "loop_depth": "0"}, removed
assert removed["assumptions"] == []

kept = remarks["k", 30]
assert kept["kind"] == "missed"
assert kept["message"].split("\n")[1:] == [
    "above: write .shared [4*tid.x+A] at line 29 (k.cu:3): st.shared.u32 [%r3], %r1;",
    "below: read .shared [A+140] at line 32 (k.cu:8): ld.shared.u32 %r5, [A+140];",
    "in a block of 64 threads, thread (35,0,0) writes A[140..144) at line 29 "
    "(k.cu:3), thread (0,0,0) reads it at line 32 (k.cu:8)"], kept
assert kept["details"]["above"] == "write" and kept["details"]["below_source_line"] == "8"
assert kept["details"]["above_address"] == "4*tid.x+A"
assert kept["details"]["above_thread"] == "(35,0,0)"
assert kept["details"]["above_bytes"] == "A[140..144)"
assert kept["details"]["certain"] == "true" and kept["details"]["outcome"] == "kept"
assert kept["details"]["below_text"] == "ld.shared.u32 %r5, [A+140];"

assert "depends on when it runs" in remarks["pinned", 39]["message"]
assert remarks["pinned", 39]["details"]["pin_text"] == "mov.u32 %r4, %clock;"
assert remarks["pinned", 39]["details"]["reason"] == "timing"
assert "not all threads of the CTA take part" in remarks["pinned", 41]["message"]
assert remarks["pinned", 41]["details"]["reason"] == "partial"
assert remarks["tainted", 46]["details"]["reason"] == "shared-id"
assert remarks["tainted", 46]["message"].endswith("the other: line 47: bar.sync 1, 64;")
