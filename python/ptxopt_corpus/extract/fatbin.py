# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fat binaries: containers of code for several GPUs.

NVIDIA documents no format.  What is here was found by comparing what nvcc 13.0 writes with what cuobjdump reads.
A container is, in little-endian order,
   0 u32 magic       4 u16 version: 1       6 u16 bytes of this header: 16       8 u64 bytes of the entries
and an entry
   0 u16 kind        2 u16 version: 0x101   4 u32 bytes of this header           8 u64 bytes of the payload, padded
  16 u32 bytes of the payload if compressed              20 u32 offset of the options of ptxas, or 0
  24 u16 minor      26 u16 major version of PTX, or of the format of the ELF file
  28 u32 architecture: 80 for sm_80        32 u32 offset, 36 u32 length of the name of the source, or 0
  40 u64 flags: 0x2000 the payload is a block of LZ4, 0x8000 a frame of zstd,
             0x100000 for sm_90a instead of sm_90, 0x200000 for sm_100f instead of sm_100
  48 u64 0                                 56 u64 bytes when decompressed, or 0
"""
import struct

from .compression import lz4, zstd
from .found import Damaged, Image, Other, Problem, Text

MAGIC = struct.pack("<I", 0xBA55ED50)
_CONTAINER = struct.Struct("<4sHHQ")
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_VERSION, _ENTRY_VERSION = 1, 0x101
_PTX = 1
_KINDS = {2: "ELF", 8: "LTO IR"}
_LZ4, _ZSTD = 0x2000, 0x8000
_SUFFIXES = {0x100000: "a", 0x200000: "f"}


def container_at(image: Image, offset: int):
    """The bytes of the header and of the entries of the container that begins there, or None if none does."""
    if offset + _CONTAINER.size > len(image):
        return None
    magic, version, header, size = image.unpack(_CONTAINER.format, offset, "a fat binary")
    return (header, size) if (magic, version, header) == (MAGIC, _VERSION, _CONTAINER.size) else None


def read_containers(image: Image, name: str):
    """All containers in a row, as a section of an ELF file has them; between them are only zeros."""
    offset = 0
    while True:
        offset = _skip_zeros(image, offset)
        if offset >= len(image):
            return
        container = container_at(image, offset)
        if not container:
            yield Problem(f"no fat binary begins at {offset:#x}", name)
            offset = image.find(MAGIC, offset + 1)
            if offset < 0:
                return
            continue
        header, size = container
        yield from read_container(image, offset, header, size, name)
        if size > len(image) - offset - header:
            following = image.find(MAGIC, offset + header)  # the size may be what is wrong
            if following < 0:
                return
            offset = following
        else:
            offset += header + size


def read_container(image: Image, offset: int, header: int, size: int, name: str):
    try:
        entries = image.part(offset + header, size, "a fat binary")
    except Damaged as error:
        yield Problem(str(error), name)
        entries = Image(image.data, image.start + offset + header, image.end)
    at, number = 0, 0
    while at < len(entries):
        number += 1
        try:
            fields = entries.unpack(_ENTRY.format, at, f"entry {number}")
            header, payload = fields[2], fields[3]
            if fields[1] != _ENTRY_VERSION or header < _ENTRY.size:
                raise Damaged(f"entry {number} at {at:#x} has no header that is known")
            body = entries.part(at + header, payload, f"entry {number}")
        except Damaged as error:
            yield Problem(str(error), name)
            return  # where the next one begins is not known
        yield from _read_entry(fields, body, f"{name}{number}.{_target(fields[8], fields[11])}")
        at += header + payload


def _target(architecture, flags):
    return f"sm_{architecture}" + "".join(suffix for flag, suffix in _SUFFIXES.items() if flags & flag)


def _read_entry(fields, body, member):
    kind, packed, flags, size = fields[0], fields[4], fields[11], fields[13]
    if kind != _PTX:
        yield Other(_KINDS.get(kind, f"kind {kind}"))
        return
    try:
        text = _payload(body, packed, flags, size)
    except Damaged as error:
        yield Problem(str(error), member)
        return
    yield Text(text.rstrip(b"\0"), member, "fat binary")


def _payload(body, packed, flags, size):
    if flags & _LZ4:
        return lz4(body.read(0, packed, "compressed PTX"), size)
    if flags & _ZSTD:
        return zstd(body.read(0, packed, "compressed PTX"), size)
    if size:
        raise Damaged(f"it is compressed in a way that is not known: flags {flags:#x}")
    return body.everything()


def _skip_zeros(image, offset):
    while offset < len(image):
        piece = image.read(offset, min(4096, len(image) - offset), "padding")
        rest = len(piece.lstrip(b"\0"))
        if rest:
            return offset + len(piece) - rest
        offset += len(piece)
    return offset
