# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt as a stage of Triton's compiler, after the one that writes PTX; torch.compile has it too.

    import ptxopt.triton
    ptxopt.triton.enable()

Triton's cache tells kernels apart by the options and by the version of ptxopt.  If ptxopt refuses a
text, Triton goes on with its own, and there is one warning.

For a program that cannot be edited, PTXOPT_TRITON=2 in the environment does the same at level 2.
"""
import hashlib
from typing import Any, Callable, Optional, Tuple

import triton

from . import Assumptions
from ._hook import Patches, Rewriter

__all__ = ["disable", "enable"]

Hook = Callable[..., Any]


class _Stage:
    """The hook that Triton calls: without arguments for a key and a hash, and with them to add stages."""

    def __init__(self, rewriter: Rewriter, before: Optional[Hook]):
        self.rewriter = rewriter
        self.before = before

    def __call__(self, backend: Any = None, stages: Any = None, options: Any = None, language: Any = None,
                 capability: Any = None) -> Any:
        if stages is None:
            return self.key()
        if self.before is not None:
            self.before(backend, stages, options, language, capability)
        write = stages.get("ptx")
        if write is not None:  # else it is not for an NVIDIA GPU
            stages["ptx"] = lambda source, metadata: self.rewriter(write(source, metadata),
                                                                   str(metadata.get("name", "<triton>")))
        return None

    def key(self) -> Tuple[str, str]:
        key = self.rewriter.key
        if self.before is not None:
            key += str(self.before()[0])
        return key, hashlib.sha256(key.encode()).hexdigest()


_patches = Patches()


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what Triton compiles goes through ptxopt.optimize() with these options.

    A second call replaces the options.  Raises Error or ValueError if an option is wrong, RuntimeError
    if Triton is older than 3.7.
    """
    rewriter = Rewriter("Triton", level, passes, assume, retarget)
    if tuple(int(number) for number in triton.__version__.split(".")[:2]) < (3, 7):
        raise RuntimeError(f"the cache of Triton {triton.__version__} does not tell kernels of ptxopt from others; 3.7 "
                           "or later does; docs/drop-in.md says how ptxopt can take the place of Triton's ptxas")
    disable()
    runtime = triton.knobs.runtime
    _patches.replace(runtime, "add_stages_inspection_hook", _Stage(rewriter, runtime.add_stages_inspection_hook))


def disable() -> None:
    """Triton compiles as before.  A hook that was there before enable() is there again."""
    _patches.restore()
