# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what --stats=json says about Inputs/barriers.ptx, plain.ptx and a file that is not there."""
import json
import sys

document = json.load(sys.stdin)
barriers, plain, none = document["files"]
assert barriers["file"].endswith("barriers.ptx") and barriers["ok"] and barriers["changed"]
assert barriers["before"] == {"instructions": 17, "barriers": 5}, barriers
assert barriers["after"] == {"instructions": 13, "barriers": 1}, barriers
assert sum(barriers["passes"]["basic-dbe"].values()) >= 4
assert [f["name"] for f in barriers["functions"]] == ["five", "untouched"], barriers
assert all(f["kernel"] for f in barriers["functions"]), barriers
for side in ("before", "after"):
    for count in ("instructions", "barriers"):
        assert barriers[side][count] == sum(f[side][count] for f in barriers["functions"]), barriers
assert plain["ok"] and not plain["changed"] and plain["before"] == plain["after"]
assert none["file"].endswith("none.ptx") and not none["ok"]
total = document["total"]
assert total["changed"] and total["before"]["barriers"] == 5
for side in ("before", "after"):
    assert total[side]["instructions"] == sum(f[side]["instructions"] for f in document["files"])
