# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt: an optimizing PTX-to-PTX rewriter.

>>> import ptxopt
>>> text = '''
... .version 7.0
... .target sm_80
... .address_size 64
... .entry k() {
...   bar.sync 0;
...   bar.sync 0;
...   ret;
... }'''
>>> result = ptxopt.optimize(text)
>>> result.before.barriers, result.after.barriers
(2, 0)
>>> print(ptxopt.needs(text))
PTX 2.3 and sm_10

It calls libptxopt in this process.  Calls release the GIL, and several threads may call at once.
"""
import ctypes
import dataclasses
import difflib
import json
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from ._library import library as _library

__all__ = ["Counts", "Diagnostic", "Error", "Need", "Needs", "Remark", "Result", "explain", "needs", "optimize",
           "version"]

_SEVERITIES = ("note", "warning", "error")


def version() -> str:
    """The version of the library, "0.1.0"."""
    return _library.version().decode()


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


class Counts(NamedTuple):
    """Of a whole text."""
    instructions: int
    barriers: int  # CTA barriers: bar and barrier


Remark = Mapping[str, Any]  # what --remarks writes: docs/usage.md


@dataclasses.dataclass(frozen=True)
class Result:
    """What optimize() made."""
    text: str
    changed: bool
    before: Counts
    after: Counts
    statistics: Mapping[str, Mapping[str, int]]  # pass -> counter -> value
    remarks: Sequence[Remark]                    # empty unless they were asked for
    diagnostics: Sequence[Diagnostic]            # warnings and notes
    _original: str = dataclasses.field(repr=False, default="")

    def diff(self, context: int = 3) -> str:
        """What changed, as a unified diff; "" if nothing did."""
        return "".join(difflib.unified_diff(self._original.splitlines(keepends=True),
                                            self.text.splitlines(keepends=True), "before", "after", n=context))

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Need:
    """Something that needs a version and a target: a statement, or what it names."""
    line: int
    column: int
    what: str
    source: str  # "kernel.cu:14", or ""


@dataclasses.dataclass(frozen=True)
class Needs:
    """The lowest .version and .target with which a text is still right."""
    version: str           # "7.8"
    target: str            # "sm_90"; "" if no target has everything
    stated_version: str
    stated_target: str
    needed_by: Sequence[Need]           # what needs that version
    target_needed_by: Sequence[Need]    # what needs that target
    data: Mapping[str, Any] = dataclasses.field(repr=False)  # all of it, as --needs=json writes it

    def __str__(self) -> str:
        return f"PTX {self.version} and {self.target}"


Assumptions = Union[str, Iterable[str], Mapping[str, Union[str, Iterable[str]]]]


def optimize(ptx: Union[str, bytes], *, level: int = 2, passes: Optional[str] = None,
             disable: Iterable[str] = (), assume: Assumptions = (), keep_kernels: Iterable[str] = (),
             retarget: str = "", lenient_retarget: bool = False, limit: Optional[int] = None, threads: int = 1,
             remarks: bool = False, name: str = "<ptx>") -> Result:
    """Optimizes a text.

    level             0 (changes nothing) to 3
    passes            a pipeline instead, "early-cse<memssa>,dead-sync"
    disable           names of passes to skip
    assume            what holds for all kernels, "assume=cuda" or several of that, or for kernels by name,
                      {"my_kernel": "block-dim=128,1,1"}: docs/assumptions.md.  A wrong one gives wrong code.
    keep_kernels      names of kernels to leave unchanged
    retarget          who is to take the text, "cuda:12.2,sm_80", as of --for
    lenient_retarget  leave out kernels that need more, with a warning for each
    limit             the number of changes after which to stop
    threads           functions at once; the result does not depend on it
    remarks           whether the result is to have remarks

    Raises Error if the text or an option is wrong.
    """
    text = _text(ptx)
    options = _Options(level=level, passes=passes, disable=disable, assume=assume, keep_kernels=keep_kernels,
                       retarget=retarget, lenient_retarget=lenient_retarget, limit=limit, threads=threads,
                       remarks=remarks)
    with _Made(_library.optimize, name, text, options) as made:
        statistics: dict = {}
        for k in range(_library.result_statistic_count(made.raw)):
            one = _library.result_statistic(made.raw, k)
            statistics.setdefault(one.pass_name.decode(), {})[one.counter.decode()] = one.value
        before, after = _library.result_before(made.raw), _library.result_after(made.raw)
        lines = _library.result_remarks(made.raw).decode(errors="surrogateescape").splitlines()
        return Result(text=made.text, changed=bool(_library.result_changed(made.raw)),
                      before=Counts(before.instructions, before.barriers),
                      after=Counts(after.instructions, after.barriers), statistics=statistics,
                      remarks=[json.loads(line) for line in lines], diagnostics=made.diagnostics,
                      _original=text.decode(errors="surrogateescape"))


def explain(ptx: Union[str, bytes], *, level: int = 2, passes: Optional[str] = None, assume: Assumptions = (),
            name: str = "<ptx>") -> str:
    """Which CTA barriers go, which stay, and why: the text of --explain-barriers."""
    text = _text(ptx)
    with _Made(_library.explain, name, text, _Options(level=level, passes=passes, assume=assume)) as made:
        return made.text


def needs(ptx: Union[str, bytes], *, name: str = "<ptx>") -> Needs:
    """Which .version and .target a text needs, and what in it needs them."""
    text = _text(ptx)
    with _Made(_library.needs, name, text, 0) as made:
        data = json.loads(made.text.splitlines()[0])

    def places(key: str) -> Sequence[Need]:
        return [Need(one.get("line", 0), one.get("column", 0), one["what"], one.get("source") or "")
                for one in data.get(key) or ()]

    return Needs(version=data["version"], target=data["target"] or "", stated_version=data["stated_version"],
                 stated_target=data["stated_target"] or "", needed_by=places("version_needed_by"),
                 target_needed_by=places("target_needed_by"), data=data)


# ---- the library ---------------------------------------------------------------------------------

def _text(ptx: Union[str, bytes]) -> bytes:
    return ptx.encode(errors="surrogateescape") if isinstance(ptx, str) else bytes(ptx)


def _as_bytes(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} must not contain NUL")
    return text.encode(errors="surrogateescape")


def _names(names: Iterable[str], what: str) -> Iterator[bytes]:
    if isinstance(names, str):
        raise TypeError(f"{what} must be several names, not one str")
    return (_as_bytes(one, what) for one in names)


def _assumptions(assume: Assumptions) -> str:
    """As lines of a file for --assumptions."""
    if isinstance(assume, str):
        assume = [assume]
    if not isinstance(assume, Mapping):
        assume = {"*": list(assume)}
    lines = []
    for kernel, words in assume.items():
        for word in [words] if isinstance(words, str) else words:
            if "\n" in kernel + word:
                raise ValueError("an assumption must be one line")
            lines.append(f"{kernel}: {word}")
    return "\n".join(lines)


class _Options:
    """Owns a ptxopt_options."""

    def __init__(self, *, level: int, passes: Optional[str], assume: Assumptions, disable: Iterable[str] = (),
                 keep_kernels: Iterable[str] = (), retarget: str = "", lenient_retarget: bool = False,
                 limit: Optional[int] = None, threads: int = 1, remarks: bool = False):
        self.raw = _library.options_new()
        if not self.raw:
            raise MemoryError
        if not 0 <= threads < 2**16:
            raise ValueError("threads must be from 0 to 65535")
        if limit is not None and not 0 <= limit < 2**64:
            raise ValueError("limit must be from 0 to 2**64 - 1")
        if not 0 <= level <= 3:
            raise ValueError("level must be from 0 to 3")
        _library.options_set_level(self.raw, level)
        if passes is not None:
            _library.options_set_passes(self.raw, _as_bytes(passes, "passes"))
        for one in _names(disable, "disable"):
            _library.options_disable_pass(self.raw, one)
        for one in _names(keep_kernels, "keep_kernels"):
            _library.options_keep_kernel(self.raw, one)
        _library.options_set_assumptions(self.raw, _as_bytes(_assumptions(assume), "assume"))
        _library.options_set_retarget(self.raw, _as_bytes(retarget, "retarget"))
        _library.options_set_retarget_lenient(self.raw, bool(lenient_retarget))
        if limit is not None:
            _library.options_set_change_limit(self.raw, limit)
        _library.options_set_threads(self.raw, threads)
        _library.options_set_remarks(self.raw, bool(remarks))

    def __del__(self):
        if getattr(self, "raw", None):
            _library.options_free(self.raw)


class _Made:
    """Owns a ptxopt_result that is right; Error if it is not."""

    def __init__(self, function, name: str, text: bytes, how):
        raw_options = how.raw if isinstance(how, _Options) else how
        encoded = _as_bytes(name, "name")
        self.raw = function(encoded, text, len(text), raw_options)
        if not self.raw:
            raise MemoryError
        self.diagnostics = []
        for k in range(_library.result_diagnostic_count(self.raw)):
            one = _library.result_diagnostic(self.raw, k)
            self.diagnostics.append(Diagnostic(_SEVERITIES[one.severity], one.line, one.column,
                                               one.message.decode(errors="replace"), name))
        if not _library.result_ok(self.raw):
            self.__exit__()
            raise Error([one for one in self.diagnostics if one.severity == "error"] or self.diagnostics)
        size = ctypes.c_size_t()
        at = _library.result_text(self.raw, ctypes.byref(size))
        self.text = ctypes.string_at(at, size.value).decode(errors="surrogateescape")

    def __enter__(self) -> "_Made":
        return self

    def __exit__(self, *_) -> None:
        raw, self.raw = self.raw, None
        if raw:
            _library.result_free(raw)

    __del__ = __exit__
