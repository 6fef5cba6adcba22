# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with an input or an option."""


class Mistake(Exception):
    """Its text is for the user.  Anywhere else than in a single input it ends the program with status 1."""
