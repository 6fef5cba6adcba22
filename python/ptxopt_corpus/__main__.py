# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 -m ptxopt_corpus"""
from .cli import flush_and_exit, main

if __name__ == "__main__":
    flush_and_exit(main())
