# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a reader of files yields, and the bytes that it reads."""
import struct
from typing import NamedTuple


class Text(NamedTuple):
    text: bytes
    member: str  # where in the file it is; "" if the file is the text
    producer: str = ""  # for a text that does not name its producer: nvcc leaves comments out of fat binaries


class Problem(NamedTuple):
    """Something that cannot be read.  What is beside it can."""
    what: str
    member: str = ""


class Other(NamedTuple):
    """Code that is not PTX."""
    kind: str


class Damaged(Exception):
    """A structure does not fit into the bytes that are there."""


class Image:
    """A range of bytes or of a mapped file.  Offsets count from its start, and reads outside of it are Damaged."""

    def __init__(self, data, start=0, end=None):
        self.data = data
        self.start = start
        self.end = len(data) if end is None else end

    def __len__(self):
        return self.end - self.start

    def part(self, offset, size, what):
        if offset < 0 or size < 0 or offset + size > len(self):
            raise Damaged(f"{what} at {offset:#x} with {size} bytes ends behind the {len(self)} bytes that are there")
        return Image(self.data, self.start + offset, self.start + offset + size)

    def read(self, offset, size, what):
        part = self.part(offset, size, what)
        return bytes(self.data[part.start:part.end])

    def unpack(self, form, offset, what):
        return struct.unpack(form, self.read(offset, struct.calcsize(form), what))

    def find(self, word, offset=0):
        at = self.data.find(word, self.start + offset, self.end)
        return at - self.start if at >= 0 else -1

    def starts_with(self, word):
        return bytes(self.data[self.start:min(self.end, self.start + len(word))]) == word

    def everything(self):
        return bytes(self.data[self.start:self.end])


def name_at(table: Image, offset, what):
    """The string of a string table that begins there."""
    end = table.find(b"\0", offset) if 0 <= offset < len(table) else -1
    if end < 0:
        raise Damaged(f"{what} has no name")
    return table.read(offset, end - offset, what).decode("utf-8", "replace")
