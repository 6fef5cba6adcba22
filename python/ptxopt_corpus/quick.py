# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and removes many small files: with few calls for each, which is what a run over small files costs."""
import os
import shutil

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


def remove(folder):
    """A folder with files, and folders of files."""
    try:
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                for name in os.listdir(entry.path):
                    os.unlink(f"{entry.path}/{name}")
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
        os.rmdir(folder)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)  # of what a child that was killed left there
