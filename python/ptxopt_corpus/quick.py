# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads many small files: with few calls of the system for each, which is what a run over small files costs."""
import os

_SMALL = 64 << 10


def read(path, expected: int = _SMALL) -> bytes:
    """All of a file.  It costs least if it has no more bytes than expected."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(handle, expected + 1)
        if len(text) <= expected:
            return text
        parts = [text]
        while parts[-1]:
            parts.append(os.read(handle, 1 << 20))
        return b"".join(parts)
    finally:
        os.close(handle)


def has(path, text: bytes) -> bool:
    """Whether a file exists, and holds just this."""
    try:
        return read(path, len(text)) == text
    except FileNotFoundError:
        return False
