#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program ptxopt-corpus: finds the package ptxopt_corpus beside it, and runs it."""
import pathlib
import sys

_HERE = pathlib.Path(__file__).resolve().parent
# In the sources, and below the prefix.  In a wheel the package is where Python finds it by itself.
for _folder in (_HERE.parent / "python", _HERE.parent / "share" / "ptxopt" / "python"):
    if (_folder / "ptxopt_corpus").is_dir():
        sys.path.insert(0, str(_folder))
        break

from ptxopt_corpus.cli import flush_and_exit, main  # noqa: E402

if __name__ == "__main__":
    flush_and_exit(main())
