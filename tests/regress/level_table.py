#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What -O2 and -O3 do to each kernel of the corpus, against corpus/expected/levels.tsv: prints what moved
and fails if anything did.

One line a kernel or function that one of the levels changes: instructions and CTA barriers in PTX as it
is, by -O2 and by -O3; then what ptxas makes of these three: registers, bytes spilled, bytes of code,
compared where it is the release that the table was made with, for a subset of the files.  None may spill
more or lose a step of occupancy; --increases lists whatever became more, --by-producer prints sums.
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
