# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ELF: objects, executables and shared objects of the host, and cubins."""
import struct

from .fatbin import MAGIC, container_at, read_container, read_containers
from .found import Damaged, Image, Other, Problem, name_at

MAGIC_ELF = b"\x7fELF"
# Device code that is linked when the program is built, and code to be linked with other objects first.
SECTIONS = (".nv_fatbin", "__nv_relfatbin")
_CUDA = 190  # e_machine
_NO_BITS = 8  # sh_type of a section without bytes in the file
# Of the class of the file: form of the rest of its header from e_type on, and of the header of a section.
_FORMS = {1: ("<HHIIIIIHHHHHH", "<IIIIIIIIII"), 2: ("<HHIQQQIHHHHHH", "<IIQQQQIIQQ")}
_IDENT = 16


def read_elf(image: Image, name: str):
    try:
        machine, sections = _sections(image)
    except Damaged as error:
        yield Problem(str(error), name)
        yield from scan(image, name, [])
        return
    if machine == _CUDA:
        yield Other("ELF")
        return
    taken = []
    for section, kind, offset, size in sections:
        if section not in SECTIONS or kind == _NO_BITS:
            continue
        member = f"{name}{section}:"
        try:
            part = image.part(offset, size, f"section {section}")
        except Damaged as error:
            yield Problem(str(error), name)
            continue
        taken.append((offset, offset + size))
        yield from read_containers(part, member)
    yield from scan(image, name, taken)


def scan(image: Image, name: str, taken):
    """Fat binaries outside of the ranges that were read: programs embed them as data, too."""
    at = image.find(MAGIC)
    while at >= 0:
        end = max((end for start, end in taken if start <= at < end), default=0)
        if not end:
            container = container_at(image, at)
            if container:
                yield from read_container(image, at, *container, f"{name}{at:#x}:")
                end = at + sum(container)
        at = image.find(MAGIC, max(end, at + 1)) if end < len(image) else -1


def _sections(image):
    """The machine, and name, kind, offset and size of each section."""
    ident = image.read(0, _IDENT, "the header of ELF")
    if ident[4] not in _FORMS or ident[5] != 1:
        raise Damaged("it is ELF of a class or byte order that is not known")
    form, section_form = _FORMS[ident[4]]
    header = image.unpack(form, _IDENT, "the header of ELF")
    machine, table, entry, count, names = header[1], header[5], header[10], header[11], header[12]
    if not table:
        return machine, []
    if entry < struct.calcsize(section_form):
        raise Damaged("headers of sections are too small")

    def section(index):
        return image.unpack(section_form, table + index * entry, "a header of a section")

    # What does not fit into 16 bits is in the section 0.
    count, names = count or section(0)[5], section(0)[6] if names == 0xFFFF else names
    image.part(table, count * entry, "the table of sections")  # before a loop of any length
    if not count:
        return machine, []
    strings = section(names)
    table_of_names = image.part(strings[4], strings[5], "the names of sections")
    found = []
    for index in range(1, count):
        fields = section(index)
        found.append((name_at(table_of_names, fields[0], f"section {index}"), fields[1], fields[4], fields[5]))
    return machine, found
