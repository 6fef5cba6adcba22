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

load() runs kernels on the CPU, in place on arrays, and finds their races.

It calls libptxopt in this process.  Calls release the GIL, and several threads may call at once.
"""
import dataclasses
import difflib
import json
import operator
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from ._kernels import Finding, Kernel, KernelError, Launcher, Module, Parameter, Place, Run
from ._kernels import extent as _extent
from ._library import library as _library
from ._results import Diagnostic, Error
from ._results import Made as _Made
from ._results import as_bytes as _as_bytes
from ._results import text_of as _text

__all__ = ["Counts", "Diagnostic", "Error", "Finding", "Kernel", "KernelError", "Launcher", "Module", "Need", "Needs",
           "Parameter", "Place", "Remark", "Result", "Run", "explain", "load", "needs", "optimize", "version"]

def version() -> str:
    """The version of the library, "0.1.0"."""
    return _library.version().decode()


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
Launches = Mapping[str, Mapping[str, Any]]


def optimize(ptx: Union[str, bytes], *, level: int = 2, passes: Optional[str] = None,
             disable: Iterable[str] = (), assume: Assumptions = (), launch: Optional[Launches] = None,
             enforce: bool = False, dispatch: bool = False, keep_kernels: Iterable[str] = (),
             retarget: str = "", lenient_retarget: bool = False, limit: Optional[int] = None,
             threads: int = 1, remarks: bool = False, name: str = "<ptx>") -> Result:
    """Optimizes a text.

    level             0 (changes nothing) to 3
    passes            a pipeline instead, "early-cse<memssa>,dead-sync"
    disable           names of passes to skip
    assume            what holds for all kernels, "assume=cuda" or several of that, or for kernels by name,
                      {"my_kernel": "block-dim=128,1,1"}: docs/assumptions.md.  A wrong one gives wrong code.
    launch            what is known of all launches of kernels, {"my_kernel": {"block": (128, 1, 1)}}:
                      docs/launches.md.  A wrong fact gives wrong code, unless enforce is set.
    enforce           do not trust launch: kernels refuse other launches, or trap
    dispatch          with enforce: in other launches they run their original code instead of a trap
    keep_kernels      names of kernels to leave unchanged
    retarget          who is to take the text, "cuda:12.2,sm_80", as of --for
    lenient_retarget  leave out kernels that need more, with a warning for each
    limit             the number of changes after which to stop
    threads           functions at once; the result does not depend on it
    remarks           whether the result is to have remarks

    Raises Error if the text or an option is wrong.
    """
    text = _text(ptx)
    options = _Options(level=level, passes=passes, disable=disable, assume=assume, launch=launch,
                       enforce=enforce, dispatch=dispatch, keep_kernels=keep_kernels, retarget=retarget,
                       lenient_retarget=lenient_retarget, limit=limit, threads=threads, remarks=remarks)
    with _Made(_library.optimize(_as_bytes(name, "name"), text, len(text), options.raw), name) as made:
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
            launch: Optional[Launches] = None, name: str = "<ptx>") -> str:
    """Which CTA barriers go, which stay, and why: the text of --explain-barriers."""
    text = _text(ptx)
    options = _Options(level=level, passes=passes, assume=assume, launch=launch)
    with _Made(_library.explain(_as_bytes(name, "name"), text, len(text), options.raw), name) as made:
        return made.text


def needs(ptx: Union[str, bytes], *, name: str = "<ptx>") -> Needs:
    """Which .version and .target a text needs, and what in it needs them."""
    text = _text(ptx)
    with _Made(_library.needs(_as_bytes(name, "name"), text, len(text), 0), name) as made:
        data = json.loads(made.text.splitlines()[0])

    def places(key: str) -> Sequence[Need]:
        return [Need(one.get("line", 0), one.get("column", 0), one["what"], one.get("source") or "")
                for one in data.get(key) or ()]

    return Needs(version=data["version"], target=data["target"] or "", stated_version=data["stated_version"],
                 stated_target=data["stated_target"] or "", needed_by=places("version_needed_by"),
                 target_needed_by=places("target_needed_by"), data=data)


def load(ptx: Union[str, bytes], *, name: str = "<ptx>") -> Module:
    """The kernels of a text, to run them on the CPU.

    >>> import array, ptxopt
    >>> text = '''
    ... .version 7.0
    ... .target sm_80
    ... .address_size 64
    ... .visible .entry twice(.param .u64 data) {
    ...   .reg .b32 %r<3>;
    ...   .reg .b64 %rd<3>;
    ...   ld.param.u64 %rd1, [data];
    ...   mov.u32 %r1, %tid.x;
    ...   mul.wide.u32 %rd2, %r1, 4;
    ...   add.u64 %rd1, %rd1, %rd2;
    ...   ld.global.u32 %r2, [%rd1];
    ...   add.u32 %r2, %r2, %r2;
    ...   st.global.u32 [%rd1], %r2;
    ...   ret;
    ... }'''
    >>> twice = ptxopt.load(text)["twice"]
    >>> numbers = array.array("I", [1, 2, 3, 4])
    >>> run = twice[1, 4](numbers)  # a grid of one CTA of 4 threads
    >>> numbers.tolist()
    [2, 4, 6, 8]
    >>> [finding.kind for finding in twice[1, 5](numbers, check="return").findings]
    ['out-of-bounds']
    """
    return Module(_text(ptx), name)


# ---- the library ---------------------------------------------------------------------------------

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


def _launches(launch: Optional[Launches]) -> str:
    """As a file for --launch."""
    if not launch:
        return ""
    kernels = {}
    for kernel, facts in launch.items():
        kernels[kernel] = dict(facts)
        for name in ("block", "grid", "cluster"):
            if name in facts:
                kernels[kernel][name] = _extent(facts[name], name)
    return json.dumps({"kernels": kernels}, default=operator.index)


class _Options:
    """Owns a ptxopt_options."""

    def __init__(self, *, level: int, passes: Optional[str], assume: Assumptions, disable: Iterable[str] = (),
                 keep_kernels: Iterable[str] = (), retarget: str = "", lenient_retarget: bool = False,
                 launch: Optional[Launches] = None, enforce: bool = False, dispatch: bool = False,
                 limit: Optional[int] = None, threads: int = 1, remarks: bool = False):
        self.raw = _library.options_new()
        if not self.raw:
            raise MemoryError
        level, threads = operator.index(level), operator.index(threads)
        limit = limit if limit is None else operator.index(limit)
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
        _library.options_set_launches(self.raw, _as_bytes(_launches(launch), "launch"))
        _library.options_set_enforce(self.raw, bool(enforce))
        _library.options_set_dispatch(self.raw, bool(dispatch))
        _library.options_set_retarget(self.raw, _as_bytes(retarget, "retarget"))
        _library.options_set_retarget_lenient(self.raw, bool(lenient_retarget))
        if limit is not None:
            _library.options_set_change_limit(self.raw, limit)
        _library.options_set_threads(self.raw, threads)
        _library.options_set_remarks(self.raw, bool(remarks))

    def __del__(self):
        if getattr(self, "raw", None):
            _library.options_free(self.raw)
