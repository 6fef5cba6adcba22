# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt between Numba, which writes PTX, and its linker.

    import ptxopt.numba
    ptxopt.numba.enable()

It holds for kernels that are compiled from then on; inspect_asm() and compile_ptx() show the result.
Files on disk (`cache=True`) are told apart by the options and by the version of ptxopt.  If ptxopt
refuses a text, Numba goes on with its own, and there is one warning.

For a program that cannot be edited, PTXOPT_NUMBA=2 in the environment does the same at level 2.
"""
from typing import Any, Dict, List, Optional

from numba.cuda import codegen

from . import Assumptions
from ._hook import Patches, Rewriter

__all__ = ["disable", "enable"]

_Plain = codegen.CUDACodeLibrary
_WITH_LINK_TIME_CODE = {"ltoir", "fatbin", "o", "a"}


class _Library(_Plain):
    """One kernel or device function and what it calls."""

    def __init__(self, *words: Any, **more: Any):
        super().__init__(*words, **more)
        self._rewriter = next(iter(_enabled), None)
        self._rewritten: Dict[Any, List[str]] = {}  # by target; Numba's own cache keeps what Numba wrote

    def _rewrite(self, ptx: str) -> str:
        return self._rewriter(ptx, self.name) if self._rewriter else ptx

    if hasattr(_Plain, "get_asm_strs"):
        def get_asm_strs(self, cc: Any = None) -> List[str]:
            cc = self._ensure_cc(cc)
            if cc not in self._rewritten:
                self._rewritten[cc] = [self._rewrite(ptx) for ptx in super().get_asm_strs(cc=cc)]
            return self._rewritten[cc]
    else:
        def get_asm_str(self, cc: Any = None) -> str:
            cc = self._ensure_cc(cc)
            if cc not in self._rewritten:
                self._rewritten[cc] = [self._rewrite(super().get_asm_str(cc=cc))]
            return self._rewritten[cc][0]

    def get_cubin(self, cc: Any = None) -> bytes:
        """Goes through PTX, unless there is something that Numba can optimize at link time."""
        link_time = getattr(self, "_lto", False)
        if not link_time or self._rewriter is None:
            return super().get_cubin(cc=cc)
        if any(_kind(file) in _WITH_LINK_TIME_CODE for file in self._linking_files):
            self._rewriter.warn_once("ptxopt does not see kernels that Numba optimizes at link time together with "
                                     "other code; with lto=False it does")
            return super().get_cubin(cc=cc)
        self._lto = False
        try:
            return super().get_cubin(cc=cc)
        finally:
            self._lto = link_time


def _kind(file: Any) -> str:
    """"cu", "ltoir" and so on, of a path or of code in memory."""
    if isinstance(file, str):
        return file.rpartition(".")[2]
    return {"LTOIR": "ltoir", "Fatbin": "fatbin", "Object": "o", "Archive": "a"}.get(type(file).__name__, "")


_enabled: List[Rewriter] = []
_patches = Patches()


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what Numba compiles for CUDA goes through ptxopt.optimize() with these options.

    A second call replaces the options.  Raises Error or ValueError if an option is wrong.
    """
    rewriter = Rewriter("Numba", level, passes, assume, retarget)
    disable()
    _enabled.append(rewriter)
    key = codegen.JITCUDACodegen.magic_tuple
    _patches.replace(codegen.JITCUDACodegen, "_library_class", _Library)
    # What Numba's files on disk depend on.
    _patches.replace(codegen.JITCUDACodegen, "magic_tuple", lambda generator: (*key(generator), rewriter.key))


def disable() -> None:
    """Numba compiles as before.  Kernels that are compiled already stay as they are."""
    _enabled.clear()
    _patches.restore()
