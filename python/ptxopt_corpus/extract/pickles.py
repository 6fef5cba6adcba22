# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX in pickles, as Numba's cache has it (.nbi, .nbc).

A pickle is a program, and running one of unknown origin is running a program of unknown origin.  So it is never run:
its instructions are only listed, and the strings among their operands that are PTX are taken.
"""
import pickletools

from ..facts_of_text import is_ptx
from .found import Image, Problem, Text

_DEPTH = 4  # of pickles in strings of pickles


def read_pickles(image: Image):
    data, number, at = image.everything(), 0, 0
    while at < len(data):  # an index of Numba is the version as one pickle, and the table as a second
        texts = []
        end, problem = _listed(data[at:], texts, _DEPTH)
        for text in texts:
            number += 1
            yield Text(text, f"{number}", "Numba")
        if problem:
            yield Problem(problem)
            return
        at += end


def _listed(data, texts, depth):
    """Adds the texts of one pickle; where it ends, and what is wrong with it."""
    try:
        for opcode, argument, position in pickletools.genops(data):
            if isinstance(argument, str) and ".version" in argument:
                argument = argument.encode("utf-8", "surrogatepass")
            elif not isinstance(argument, (bytes, bytearray)):
                if opcode.name == "STOP":
                    return position + 1, None
                continue
            argument = bytes(argument)
            if argument.startswith(b"\x80") and depth:
                _listed(argument, texts, depth - 1)  # bytes that only look like a pickle are no problem
            elif is_ptx(argument):
                texts.append(argument.rstrip(b"\0"))
    except (ValueError, OverflowError, MemoryError) as error:
        return len(data), f"no pickle: {error}"
    return len(data), "no pickle: it has no end"
