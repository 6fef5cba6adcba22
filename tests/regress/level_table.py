#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What -O2 and -O3 do to each kernel of the corpus, against corpus/expected/levels.tsv: prints what moved
and fails if anything did.

It has a line for each kernel or function that one of the levels changes: instructions and CTA barriers in
the input, after -O2 and after -O3; then what ptxas makes of these three: registers, bytes spilled, bytes
of code.  The figures of ptxas are compared for a subset of the files, and only with the release that made
the table.  No kernel may spill more or lose a step of occupancy; --increases lists every figure that
rises, --by-producer prints sums.
"""
import os
import re
import sys

import corpus
import kernel_table


class LevelTable(kernel_table.CountTable):
    path = os.path.join(corpus.EXPECTED_DIR, "levels.tsv")
    runs = {"_O2": ["-O2"], "_O3": ["-O3"]}
    patterns = {"instructions": kernel_table.INSTRUCTION,
                "barriers": re.compile(r"^\s*(?:@!?\S+\s+)?bar(?:rier)?(?:\.cta)?\.(?:sync|red)\b")}


if __name__ == "__main__":
    sys.exit(LevelTable().main(__doc__))
