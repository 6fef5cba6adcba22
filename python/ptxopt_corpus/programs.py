# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the other programs of ptxopt are."""
import hashlib
import os
import shutil
import sys

from .errors import Mistake


def find_program(name, named=None) -> str:
    """The path of a program: what the user named, or what lies beside this program, or in PATH."""
    if named:
        found = shutil.which(named)
        if not found:
            raise Mistake(f"{named}: no such program")
        return found
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    found = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if not found:
        raise Mistake(f"no program {name} beside this one, nor in PATH: --{name} names it")
    return found


def digest_of(path) -> str:
    """The SHA-256 of a program, which tells one build of it from another."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
