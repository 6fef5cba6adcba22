# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas made of a PTX file: the figures of each kernel and function."""
import collections
import re
import struct
from typing import Dict, NamedTuple, Optional

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_FUNCTION = re.compile(r"Function properties for ([\w$%]+)")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_TEXT = ".text."

_REGISTERS_OF_SM = 65536
_WARPS_OF_SM = 64
_GRANULARITY = 8  # registers of a thread that are allotted together


class Figures(NamedTuple):
    registers: Optional[int]  # None for what is no kernel: it uses those of its callers
    spills: int  # bytes, stores and loads
    code: int  # bytes


def idle_warps(registers: int) -> int:
    """Warps of an SM that no registers are left for: it grows where a kernel loses a step of occupancy."""
    allotted = -(-max(registers, 1) // _GRANULARITY) * _GRANULARITY * 32
    return _WARPS_OF_SM - min(_WARPS_OF_SM, _REGISTERS_OF_SM // allotted // 4 * 4)


def figures_of(messages: str, cubin: bytes) -> Dict[str, Figures]:
    """By kernel and function, from the messages of `ptxas -v` and from its output."""
    code = {name[len(_TEXT):]: size for name, size in code_sizes(cubin).items()}
    registers, spills, entry, function = {}, collections.Counter(), None, None
    for line in messages.splitlines():
        if match := _ENTRY.search(line):
            entry = match.group(1)
        elif match := _FUNCTION.search(line):
            function = match.group(1)
        elif match := _SPILLS.search(line):
            spills[function] += sum(map(int, match.groups()))  # a function is part of each kernel that calls it
        elif match := _REGISTERS.search(line):
            registers[entry] = int(match.group(1))
    return {name: Figures(registers.get(name), spills[name], code.get(name, 0))
            for name in {**registers, **code, **spills}}


def code_sizes(cubin: bytes) -> Dict[str, int]:
    """Bytes of the sections with code, by name.  Of what is no 64-bit ELF file: none."""
    if cubin[:5] != b"\x7fELF\x02" or len(cubin) < 64:
        return {}
    table, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + k * size) for k in range(count)]
    start = headers[names][4]

    def name_of(header):
        at = start + header[0]
        return cubin[at:cubin.index(b"\0", at)].decode("utf-8", "replace")
    sizes = {name_of(header): header[5] for header in headers}
    return {name: length for name, length in sizes.items() if name.startswith(_TEXT)}
