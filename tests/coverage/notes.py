# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which branches of gcov only an exception comes to.

gcov says of a branch whether an exception takes it, but not of those below: a catch clause, or the destructors
that run until there is one, some of them under a condition.  The notes that GCC 12 writes (.gcno, described in
its gcov-io.h) have the flow graph of each function.  What cannot be reached from its entry without an edge that
an exception takes is code of exceptions.
"""
import struct

ENTRY, FIRST = 0, 2  # numbers of basic blocks; 1 is the exit
FUNCTION, BLOCKS, ARCS, LINES = 0x01000000, 0x01410000, 0x01430000, 0x01450000
FAKE, FALLTHROUGH = 2, 4


class Function:
    def __init__(self, name):
        self.name = name
        self.count = 0
        self.edges = {}  # {block: [(target, flags)]}
        self.lines = {}  # {block: [(file, line)]}

    def is_fake(self, flags):
        return flags & FAKE != 0

    def throws(self, block, flags):
        """Of an edge.  A block that ends in a call has a fake edge to the exit."""
        ends_in_call = any(self.is_fake(other) for _, other in self.edges[block])
        return ends_in_call and not self.is_fake(flags) and not flags & FALLTHROUGH

    def reached(self):
        """The blocks that are reached without an exception."""
        seen, work = {ENTRY}, [ENTRY]
        while work:
            block = work.pop()
            for target, flags in self.edges.get(block, []):
                if target not in seen and not self.throws(block, flags):
                    seen.add(target)
                    work.append(target)
        return seen

    def branches(self):
        """((file, line), block, how many) in the order of gcov: what leaves a block belongs to its greatest line."""
        place = None
        for block in range(FIRST, self.count):
            if block in self.lines:
                place = max(self.lines[block], key=lambda of: of[1])
            edges = [flags for _, flags in self.edges.get(block, []) if not self.is_fake(flags)]
            if len(edges) > 1:
                yield place, block, len(edges)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value, = struct.unpack_from("<I", self.data, self.at)
        self.at += 4
        return value

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].rstrip(b"\0").decode()


def read_functions(data):
    reader = Reader(data)
    for _ in range(4):  # magic, version, stamp, checksum
        reader.number()
    reader.text()  # the working directory
    reader.number()
    functions = []
    while reader.at + 8 <= len(data):
        tag, length = reader.number(), reader.number()
        end = reader.at + length
        if tag == FUNCTION:
            for _ in range(3):
                reader.number()
            functions.append(Function(reader.text()))
        elif tag == BLOCKS:
            functions[-1].count = reader.number()
        elif tag == ARCS:
            edges = functions[-1].edges.setdefault(reader.number(), [])
            while reader.at < end:
                edges.append((reader.number(), reader.number()))
        elif tag == LINES:
            read_lines(reader, functions[-1].lines.setdefault(reader.number(), []))
        reader.at = end
    return functions


def read_lines(reader, lines):
    file = None
    while True:
        number = reader.number()
        if number == 0:
            file = reader.text()
            if not file:
                return
        else:
            lines.append((file, number))


def exceptional_branches(path):
    """{(function, file, line): [whether only an exception comes to it]}, of all branches that gcov lists there."""
    with open(path, "rb") as file:
        functions = read_functions(file.read())
    result = {}
    for function in functions:
        reached = function.reached()
        for place, block, count in function.branches():
            if place is not None:
                result.setdefault((function.name, *place), []).extend([block not in reached] * count)
    return result
