# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt as a stage of Triton's compiler, after the one that writes PTX; torch.compile has it too.

    import ptxopt.triton
    ptxopt.triton.enable()

Triton's cache tells kernels apart by the options and by the version of ptxopt.  If ptxopt refuses a
text, Triton goes on with its own, and there is one warning.

For a program that cannot be edited, PTXOPT_TRITON=2 in the environment does the same at level 2.
"""
import hashlib
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import triton.knobs

from . import Assumptions, Error, optimize, version

__all__ = ["disable", "enable"]

Hook = Callable[..., Any]
_NOTHING = ".version 7.0\n.target sm_50\n.address_size 64\n"


class _Stage:
    """The hook that Triton calls: without arguments for a key and a hash, and with them to add stages."""

    def __init__(self, options: Dict[str, Any], before: Optional[Hook]):
        self.options = options
        self.before = before
        self.warned = False

    def __call__(self, backend: Any = None, stages: Any = None, options: Any = None, language: Any = None,
                 capability: Any = None) -> Any:
        if stages is None:
            return self.key()
        if self.before is not None:
            self.before(backend, stages, options, language, capability)
        write = stages.get("ptx")
        if write is not None:  # else it is not for an NVIDIA GPU
            stages["ptx"] = lambda source, metadata: self.improved(write(source, metadata), metadata)
        return None

    def key(self) -> Tuple[str, str]:
        key = f"ptxopt-{version()}-{sorted(self.options.items())!r}"
        if self.before is not None:
            key += str(self.before()[0])
        return key, hashlib.sha256(key.encode()).hexdigest()

    def improved(self, ptx: str, metadata: Dict[str, Any]) -> str:
        name = str(metadata.get("name", "<triton>"))
        try:
            return optimize(ptx, name=name, **self.options).text
        except Error as error:
            if not self.warned:
                warnings.warn(f"ptxopt leaves what Triton wrote: {error}", RuntimeWarning, stacklevel=2)
            self.warned = True
            return ptx


_enabled: List[_Stage] = []


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what Triton compiles goes through ptxopt.optimize() with these options.

    A second call replaces the options.  Raises Error or ValueError if an option is wrong.
    """
    options = {"level": level, "passes": passes, "assume": assume, "retarget": retarget}
    optimize(_NOTHING, **options)  # says so here if an option is wrong
    disable()
    if not hasattr(triton.knobs.runtime, "add_stages_inspection_hook"):
        raise RuntimeError("this Triton has no add_stages_inspection_hook, which 3.5 and later have; "
                           "docs/drop-in.md says how ptxopt can take the place of its ptxas")
    _enabled.append(_Stage(options, triton.knobs.runtime.add_stages_inspection_hook))
    triton.knobs.runtime.add_stages_inspection_hook = _enabled[-1]


def disable() -> None:
    """Triton compiles as before.  A hook that was there before enable() is there again."""
    while _enabled:
        stage = _enabled.pop()
        if triton.knobs.runtime.add_stages_inspection_hook is stage:
            triton.knobs.runtime.add_stages_inspection_hook = stage.before
        else:
            warnings.warn("another hook of Triton took the place of ptxopt's, and stays", RuntimeWarning, stacklevel=2)
