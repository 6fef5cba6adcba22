# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all functions of the library take and return."""
import ctypes
from typing import List, NamedTuple, Optional, Sequence, Union

from ._library import library as _library

SEVERITIES = ("note", "warning", "error")


class Diagnostic(NamedTuple):
    """What ptxopt has to say about a text, or about the options."""
    severity: str  # "note", "warning", "error"
    line: int      # from 1; 0: about the text as a whole
    column: int    # from 1, in bytes
    message: str
    name: str      # of the text

    def __str__(self) -> str:
        place = f"{self.name}:{self.line}:{self.column}: " if self.line else f"{self.name}: "
        return f"{place}{self.severity}: {self.message}"


class Error(ValueError):
    """The text or the options are wrong; `diagnostics` say how."""

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))

    def __reduce__(self):
        return Error, (self.diagnostics,)


def text_of(ptx: Union[str, bytes]) -> bytes:
    if isinstance(ptx, str):
        return ptx.encode(errors="surrogateescape")
    if not isinstance(ptx, (bytes, bytearray, memoryview)):
        raise TypeError(f"a text must be str or bytes, not {type(ptx).__name__}")
    return bytes(ptx)


def as_bytes(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} must not contain NUL")
    return text.encode(errors="surrogateescape")


class Made:
    """Owns a ptxopt_result that is right; Error if it is not."""

    def __init__(self, raw: Optional[int], name: str):
        """`name` is that of the text."""
        self.raw = raw
        if not self.raw:
            raise MemoryError
        self.diagnostics: List[Diagnostic] = []
        for k in range(_library.result_diagnostic_count(self.raw)):
            one = _library.result_diagnostic(self.raw, k)
            self.diagnostics.append(Diagnostic(SEVERITIES[one.severity], one.line, one.column,
                                               one.message.decode(errors="replace"), name))
        if not _library.result_ok(self.raw):
            self.__exit__()
            raise Error([one for one in self.diagnostics if one.severity == "error"] or self.diagnostics)
        size = ctypes.c_size_t()
        at = _library.result_text(self.raw, ctypes.byref(size))
        self.text = ctypes.string_at(at, size.value).decode(errors="surrogateescape")

    def __enter__(self) -> "Made":
        return self

    def __exit__(self, *_) -> None:
        raw, self.raw = self.raw, None
        if raw:
            _library.result_free(raw)

    __del__ = __exit__
