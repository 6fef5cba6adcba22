# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Static libraries, as the ar of GNU and of BSD write them."""
from .found import Damaged, Image, Problem

MAGIC_ARCHIVE = b"!<arch>\n"
MAGIC_THIN = b"!<thin>\n"
_HEADER = 60
_INDEXES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED")  # symbols, no members


def members(image: Image):
    """The name and the bytes of each member, or a Problem."""
    long_names = None
    at = len(MAGIC_ARCHIVE)
    while at < len(image):
        try:
            header = image.read(at, _HEADER, "the header of a member")
            if header[58:] != b"`\n" or not header[48:58].strip().isdigit():
                raise Damaged(f"no member begins at {at:#x}")
            size = int(header[48:58])
            body = image.part(at + _HEADER, size, "a member")
        except Damaged as error:
            yield Problem(str(error)), None
            return
        raw = header[:16].rstrip(b" ")
        if raw == b"//":
            long_names = body
        elif raw not in _INDEXES:
            try:
                yield _named(raw, body, long_names)
            except Damaged as error:
                yield Problem(str(error)), None
        at += _HEADER + size + size % 2


def _named(raw, body, long_names):
    if raw.startswith(b"#1/") and raw[3:].isdigit():  # BSD: the name is before the contents
        length = int(raw[3:])
        name = body.read(0, length, "the name of a member").rstrip(b"\0")
        return _text(name), body.part(length, len(body) - length, "a member")
    if raw.startswith(b"/") and raw[1:].isdigit():
        if long_names is None:
            raise Damaged("a member has a long name, and there is no table of them")
        start = int(raw[1:])
        end = long_names.find(b"\n", start) if start < len(long_names) else -1
        if end < 0:
            raise Damaged("the name of a member is not in their table")
        raw = long_names.read(start, end - start, "the name of a member")
    return _text(raw[:-1] if raw.endswith(b"/") else raw), body


def _text(name):
    return name.decode("utf-8", "replace")
