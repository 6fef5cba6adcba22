# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt between Warp, which writes PTX, and the driver.

    import ptxopt.warp
    ptxopt.warp.enable()

It holds for modules that Warp loads from then on, those in its cache and those of load_aot_module()
included.  The files stay as Warp wrote them.  Warp then writes PTX also where it would write cubins
for a driver that is older than its compiler; such a driver needs `retarget`.  If ptxopt refuses a
text, Warp goes on with its own, and there is one warning.

For a program that cannot be edited, PTXOPT_WARP=2 in the environment does the same at level 2.
"""
import functools
import importlib
import os
import tempfile
from typing import Any, Optional

import warp

from . import Assumptions
from ._hook import Patches, Rewriter

__all__ = ["disable", "enable"]

_build = importlib.import_module("warp._src.build" if hasattr(warp, "_src") else "warp.build")
_patches = Patches()


def _loading(plain: Any, rewriter: Rewriter, input_path: str, device: Any) -> Any:
    """Stands in for load_cuda(): loads what ptxopt makes of the file."""
    if not input_path.endswith(".ptx"):
        rewriter.warn_once(f"ptxopt does not see modules that Warp compiles to cubins, such as {input_path}")
        return plain(input_path, device)
    with open(input_path, "rb") as file:
        ptx = file.read()
    rewritten = rewriter(ptx, os.path.basename(input_path))
    if rewritten == ptx:
        return plain(input_path, device)
    try:
        folder = tempfile.TemporaryDirectory(prefix="ptxopt-")
        path = os.path.join(folder.name, os.path.basename(input_path))
        with open(path, "wb") as file:
            file.write(rewritten)
    except OSError as error:
        rewriter.warn_once(f"ptxopt leaves the PTX of Warp unchanged: {error}; set TMPDIR to another folder")
        return plain(input_path, device)
    with folder:
        return plain(path, device)


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what Warp loads goes through ptxopt.optimize() with these options.

    A second call replaces the options.  Raises Error or ValueError if an option is wrong, RuntimeError
    if warp.config.cuda_output asks for cubins.
    """
    rewriter = Rewriter("Warp", level, passes, assume, retarget)
    if warp.config.cuda_output == "cubin":
        raise RuntimeError("warp.config.cuda_output is \"cubin\": there is no PTX for ptxopt")
    disable()
    _patches.replace(warp.config, "cuda_output", "ptx")
    _patches.replace(_build, "load_cuda", functools.partial(_loading, _build.load_cuda, rewriter))


def disable() -> None:
    """Warp loads as before.  Modules that are loaded already stay as they are."""
    _patches.restore()
