# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt between NVRTC, with which CuPy compiles, and the driver.

    import ptxopt.cupy
    ptxopt.cupy.enable()

It holds for all that CuPy compiles with NVRTC from then on: RawModule, RawKernel, and the kernels of
its own functions.  NVRTC writes PTX then, as with CUPY_COMPILE_WITH_PTX=1, and the driver assembles
it; so the driver must be as new as NVRTC, or `retarget` must name it.  Files in CuPy's cache are told
apart by the options and by the version of ptxopt.  If ptxopt refuses a text, CuPy goes on with its
own, and there is one warning.

For a program that cannot be edited, PTXOPT_CUPY=2 in the environment does the same at level 2.
"""
import functools
from typing import Any, Optional

import cupy
from cupy.cuda import compiler

from . import Assumptions
from ._hook import Patches, Rewriter

__all__ = ["disable", "enable"]

# CuPy 14 calls the first, CuPy 13 the second.
_COMPILE = next((name for name in ("_compile_using_nvrtc_no_warning", "compile_using_nvrtc")
                 if hasattr(compiler, name)), "")
_PATCHED = (_COMPILE, "_get_cupy_cache_key", "_use_ptx")
_patches = Patches()


def _compiling(plain: Any, rewriter: Rewriter, *words: Any, **more: Any) -> Any:
    """Stands in for a function of CuPy: what NVRTC made, and the names in it."""
    made, names = plain(*words, **more)
    if isinstance(made, bytes) and b".version" in made[:4096] and not made.startswith(b"\x7fELF"):
        made = rewriter(made.rstrip(b"\0"), "<CuPy>")
    return made, names


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what CuPy compiles goes through ptxopt.optimize() with these options.

    A second call replaces the options.  Raises Error or ValueError if an option is wrong, RuntimeError
    if this version of CuPy is not supported.
    """
    rewriter = Rewriter("CuPy", level, passes, assume, retarget)
    missing = [name or "compile_using_nvrtc" for name in _PATCHED if not hasattr(compiler, name)]
    if missing:
        raise RuntimeError(f"CuPy {cupy.__version__} has no {', '.join(missing)} in cupy.cuda.compiler; 13 and 14 have")
    _patches.restore()
    key = compiler._get_cupy_cache_key
    _patches.replace(compiler, _COMPILE, functools.partial(_compiling, getattr(compiler, _COMPILE), rewriter))
    _patches.replace(compiler, "_get_cupy_cache_key", lambda: f"{key()} {rewriter.key}")
    _patches.replace(compiler, "_use_ptx", True)
    cupy.clear_memo()  # of kernels, and of whether NVRTC writes PTX


def disable() -> None:
    """CuPy compiles as before."""
    _patches.restore()
    cupy.clear_memo()
