# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the hooks into compilers share."""
import re
import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple, TypeVar

from . import Assumptions, optimize, version

_NOTHING = ".version 1.0\n.target sm_10\n"  # needs nothing, so every `retarget` is possible
_FOR_DEBUGGING = re.compile(r"^\s*\.target\b[^\n]*\bdebug\b", re.MULTILINE)
_Ptx = TypeVar("_Ptx", str, bytes)


class Rewriter:
    """optimize() with fixed options.

    A text that optimize() refuses stays unchanged, with one warning.  So does a text for a debugger, without
    a warning, as with ptxopt-ptxas.
    """

    def __init__(self, compiler: str, level: int, passes: Optional[str], assume: Assumptions, retarget: str):
        """Raises Error, TypeError or ValueError if an option is wrong."""
        self.compiler = compiler
        self.options: Dict[str, Any] = {"level": level, "passes": passes, "assume": _frozen(assume),
                                        "retarget": retarget}
        optimize(_NOTHING, **self.options)
        self.warned = False

    @property
    def key(self) -> str:
        """For a compiler's cache: differs if the result may differ."""
        return f"ptxopt-{version()}-{sorted(self.options.items())!r}"

    def __call__(self, ptx: _Ptx, name: str) -> _Ptx:
        head = ptx[:4096]
        if _FOR_DEBUGGING.search(head.decode(errors="replace") if isinstance(head, bytes) else head):
            return ptx
        try:
            text = optimize(ptx, name=name, **self.options).text
        except Exception as error:  # pylint: disable=broad-except # the compiler can always go on with its own
            self.warn_once(f"ptxopt leaves the PTX of {self.compiler} unchanged: {error}")
            return ptx
        return text.encode(errors="surrogateescape") if isinstance(ptx, bytes) else text

    def warn_once(self, message: str) -> None:
        """Only the first message: a compiler may have thousands of kernels."""
        if not self.warned:
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        self.warned = True


class Patches:
    """What a hook put into the modules of a compiler, and what was there before."""

    def __init__(self) -> None:
        self.made: List[Tuple[Any, str, Any, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        self.made.append((owner, name, value, getattr(owner, name)))
        setattr(owner, name, value)

    def restore(self) -> None:
        while self.made:
            owner, name, value, before = self.made.pop()
            if getattr(owner, name) is value:
                setattr(owner, name, before)
            else:
                of = getattr(owner, "__name__", type(owner).__name__)
                warnings.warn(f"{of}.{name} is no longer that of ptxopt, and stays as it is", RuntimeWarning,
                              stacklevel=3)


def _frozen(assume: Assumptions) -> Assumptions:
    """The same without iterators, which the first text would exhaust."""
    if isinstance(assume, str):
        return assume
    if isinstance(assume, Mapping):
        return {kernel: words if isinstance(words, str) else tuple(words) for kernel, words in assume.items()}
    return tuple(assume)
