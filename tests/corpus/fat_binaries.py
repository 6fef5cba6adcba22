# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes binaries with PTX as nvcc does, for machines without nvcc."""
import struct

try:
    import lz4.block as lz4
    import zstandard
except ImportError:
    lz4 = zstandard = None

PTX, ELF, LTO = 1, 2, 8


def entry(text, kind=PTX, architecture=80, compression=None, flags=0):
    header, size, packed = 80, 0, 0
    if compression:
        size = len(text) + 1
        body = {"lz4": lambda data: lz4.compress(data, store_size=False),
                "zstd": lambda data: zstandard.ZstdCompressor(write_content_size=True).compress(data)}[compression](text + b"\0")
        packed, flags = len(body), flags | {"lz4": 0x2000, "zstd": 0x8000}[compression]
    else:
        body = text + b"\0"
    body += bytes(-len(body) % 8)
    fields = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, header, len(body), packed, 64, 0, 9, architecture, 0, 0,
                         0x11 | flags, 0, size)
    return fields + bytes(header - len(fields)) + body


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf(sections, machine=62, bits=64):
    """An ELF file with these sections, by name."""
    names = b"\0"
    headers, body = [(0, 0, 0, 0)], b""
    start = 64 if bits == 64 else 52
    for name, data in {**sections, ".shstrtab": None}.items():
        at = len(names)
        names += name.encode() + b"\0"
        data = names if data is None else data
        body += bytes(-(start + len(body)) % 16)
        headers.append((at, 1, start + len(body), len(data)))
        body += data
    body += bytes(-(start + len(body)) % 16)
    table = start + len(body)
    ident = b"\x7fELF" + bytes([2 if bits == 64 else 1, 1, 1]) + bytes(9)
    wide, section = ("<HHIQQQIHHHHHH", "<IIQQQQIIQQ") if bits == 64 else ("<HHIIIIIHHHHHH", "<IIIIIIIIII")
    head = struct.pack(wide, 1, machine, 1, 0, 0, table, 0, start, 0, 0, struct.calcsize(section), len(headers),
                       len(headers) - 1)
    rows = b"".join(struct.pack(section, name, kind, 0, 0, offset, size, 0, 0, 1, 0)
                    for name, kind, offset, size in headers)
    return ident + head + body + rows


def archive(members):
    """As GNU ar writes it, with long names in a table."""
    names, body = b"", b""
    for name, data in members.items():
        short = f"{name}/".encode()
        if len(short) > 16:
            short, names = f"/{len(names)}".encode(), names + short + b"\n"
        body += _member(short, data)
    return b"!<arch>\n" + _member(b"/", b"\0\0\0\0") + (_member(b"//", names) if names else b"") + body


def _member(name, data):
    return name.ljust(16) + b"0           0     0     644     " + str(len(data)).encode().ljust(10) + b"`\n" + data + (
        b"\n" if len(data) % 2 else b"")
