# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds PTX in files of many kinds, by their contents."""
import contextlib
import mmap
import os

from ..facts_of_text import is_ptx
from .archive import MAGIC_ARCHIVE, MAGIC_THIN, members
from .elf import MAGIC_ELF, read_elf
from .fatbin import MAGIC, read_containers
from .found import Image, Other, Problem, Text
from .pickles import read_pickles

__all__ = ["Other", "Problem", "Text", "extract", "extract_image"]

# Files that should have PTX in them, or nothing says why they have this name.
_OURS = (".ptx", ".fatbin", ".cubin")
_PICKLES = (".nbi", ".nbc")
# A file of this size or more is mapped: it may be larger than the memory.  A smaller one is read, since a mapped file
# that somebody truncates ends the program.
_MAP_FROM = 64 << 20


@contextlib.contextmanager
def _opened(path):
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < _MAP_FROM:
            yield file.read()
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


def extract(path, named):
    """Yields a Text, a Problem or an Other for each thing in a file.  `named`: the user named the file itself, so a
    file of no known kind is a problem."""
    with _opened(path) as data:
        yield from extract_image(Image(data), os.path.splitext(path)[1].lower(), named)


def extract_image(image, ending, named):
    if image.starts_with(MAGIC_ELF):
        yield from read_elf(image, "")
    elif image.starts_with(MAGIC):
        yield from read_containers(image, "")
    elif image.starts_with(MAGIC_ARCHIVE):
        yield from _read_archive(image)
    elif image.starts_with(MAGIC_THIN):
        yield Problem("it is a thin archive, which has only the names of its members: add these instead")
    elif ending in _PICKLES:
        yield from read_pickles(image)
    elif ending in _OURS or named:
        yield _text(image)


def _read_archive(image):
    for name, body in members(image):
        if isinstance(name, Problem):
            yield name
        elif body.starts_with(MAGIC_ELF):
            yield from read_elf(body, f"{name}:")
        elif body.starts_with(MAGIC):
            yield from read_containers(body, f"{name}:")


def _text(image):
    if not len(image):
        return Problem("it is empty")
    text = image.everything()
    return Text(text, "") if is_ptx(text) else Problem("it is neither PTX nor a file that can hold PTX")
