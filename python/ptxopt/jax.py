# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-ptxas in place of the ptxas that JAX runs, in this process only.

    import ptxopt.jax
    ptxopt.jax.enable()

With each program, JAX tells XLA the folder of the CUDA toolkit.  enable() sets it to a folder of links
to the same files, with a ptxas that runs ptxopt-ptxas.  No file of JAX changes, and no variable of the
environment.

JAX's persistent cache tells programs apart by the options and by the version of ptxopt.  If ptxopt
refuses a text, ptxas gets that of JAX; the file that PTXOPT_LOG names says so.

For a program that cannot be edited, PTXOPT_JAX=2 in the environment does the same at level 2.
"""
import atexit
import os
import pathlib
import pkgutil
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import warnings
from typing import Any, List, Mapping, Optional

import jax._src.cache_key
import jax._src.lib

from . import Assumptions, _assumptions, version
from ._hook import Patches, Rewriter

__all__ = ["disable", "enable"]


# ---- the folder ----------------------------------------------------------------------------------

def _toolkit(named: Optional[str]) -> pathlib.Path:
    """The folder that JAX names to XLA: that of a wheel, or CUDA_ROOT."""
    try:
        import jax_plugins  # pylint: disable=import-outside-toplevel
        plugins = [module.name for module in pkgutil.iter_modules(jax_plugins.__path__)]
    except ImportError:
        plugins = []
    if not any(name.startswith("xla_cuda") for name in plugins):
        raise RuntimeError("this JAX has no plugin for CUDA: pip install 'jax[cuda13]' or 'jax[cuda12]'")
    if not hasattr(jax._src.lib, "cuda_path") or not hasattr(jax._src.cache_key, "custom_hook"):
        raise RuntimeError("this version of JAX is not supported; docs/drop-in.md says how ptxopt-ptxas can take the "
                           "place of its ptxas")
    folder = pathlib.Path(os.path.abspath(named or ""))
    if not os.access(folder / "bin" / "ptxas", os.X_OK):
        raise RuntimeError("JAX has no wheel with ptxas: pip install nvidia-cuda-nvcc, for CUDA 12 "
                           "nvidia-cuda-nvcc-cu12; or set CUDA_ROOT to a CUDA toolkit before JAX is imported")
    return folder


def _program() -> str:
    folders = [sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]
    found = shutil.which("ptxopt-ptxas", path=os.pathsep.join(folders))
    if found is None:
        raise RuntimeError(f"there is no program ptxopt-ptxas in {folders[0]} or on PATH; the wheel of ptxopt has it")
    return os.path.abspath(found)


def _flags(options: Mapping[str, Any], folder: pathlib.Path) -> str:
    """For PTXOPT_FLAGS.  Assumptions become a file in the folder."""
    flags = [f"-O{options['level']:d}"]
    if options["passes"] is not None:
        flags.append(f"--passes={options['passes']}")
    if options["retarget"]:
        flags.append(f"--for={options['retarget']}")
    assumptions = _assumptions(options["assume"])
    if assumptions:
        file = folder / "assumptions.txt"
        file.write_text(assumptions, encoding="utf-8", errors="surrogateescape")
        flags.append(f"--assumptions={file}")
    return shlex.join(flags)


def _remove(folder: pathlib.Path, owner: int) -> None:
    if os.getpid() == owner:  # not when a fork ends
        shutil.rmtree(folder, ignore_errors=True)


def _imitation(real: pathlib.Path, program: str, options: Mapping[str, Any]) -> pathlib.Path:
    """Links to what the folder has, and a ptxas that calls the program with the options."""
    try:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ptxopt-jax-"))
    except OSError as error:
        raise RuntimeError(f"cannot make a folder of links to JAX's toolkit: {error}; "
                           "set TMPDIR to another folder") from error
    # Not in disable(): another thread may still be compiling then.
    atexit.register(_remove, folder, os.getpid())
    (folder / "bin").mkdir()
    ptxas = folder / "bin" / "ptxas"
    for file in [*real.iterdir(), *(real / "bin").iterdir()]:
        link = folder / file.relative_to(real)
        if link not in (ptxas.parent, ptxas):
            link.symlink_to(file)
    # A script, since variables of this process would be in the way of other programs that it starts.
    ptxas.write_text("#!/bin/sh\n"
                     f"PTXOPT_FLAGS={shlex.quote(_flags(options, folder))}\n"
                     f"[ -n \"$PTXOPT_PTXAS\" ] || PTXOPT_PTXAS={shlex.quote(str(real / 'bin' / 'ptxas'))}\n"
                     "export PTXOPT_FLAGS PTXOPT_PTXAS\n"
                     f"exec {shlex.quote(program)} \"$@\"\n", encoding="utf-8", errors="surrogateescape")
    ptxas.chmod(0o755)
    _check(ptxas)
    return folder


def _check(ptxas: pathlib.Path) -> None:
    """XLA does not show what is wrong with a ptxas."""
    try:
        run = subprocess.run([ptxas, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors="replace", check=False)
    except OSError as error:
        raise RuntimeError(f"{tempfile.gettempdir()} does not allow programs to run; "
                           "set TMPDIR to another folder") from error
    if run.returncode or f"\nptxopt {version()} " not in run.stdout:
        raise RuntimeError(f"ptxopt-ptxas fails, or is not of version {version()}:\n{run.stdout}{run.stderr}")
    if run.stderr:
        warnings.warn(run.stderr, RuntimeWarning, stacklevel=4)


# ---- the hook ------------------------------------------------------------------------------------

class _Hook:
    """The folder that JAX named before, and what is in its place."""

    def __init__(self, key: str):
        self.key = key
        self.toolkit = getattr(jax._src.lib, "cuda_path", None)
        self.patches = Patches()

    def put(self, folder: pathlib.Path) -> None:
        key_before = jax._src.cache_key.custom_hook
        self.patches.replace(jax._src.lib, "cuda_path", str(folder))
        self.patches.replace(jax._src.cache_key, "custom_hook", lambda: self.key + key_before())

    def remove(self) -> None:
        self.key = ""  # somebody may have wrapped it
        self.patches.restore()


_enabled: List[_Hook] = []


def enable(level: int = 2, *, passes: Optional[str] = None, assume: Assumptions = (), retarget: str = "") -> None:
    """From now on, what JAX compiles for CUDA goes through ptxopt with these options of optimize().

    A second call replaces the options.  What JAX compiled before stays until jax.clear_caches().

    Raises Error or ValueError if an option is wrong, and RuntimeError if JAX has no plugin for CUDA or no ptxas, if
    there is no ptxopt-ptxas, or if PTXOPT_FLAGS, which has options too, is set.
    """
    rewriter = Rewriter("JAX", level, passes, assume, retarget)
    if os.environ.get("PTXOPT_FLAGS"):
        raise RuntimeError("PTXOPT_FLAGS is set, and enable() has options of its own: unset it, and give them here")
    toolkit = _enabled[-1].toolkit if _enabled else getattr(jax._src.lib, "cuda_path", None)
    folder = _imitation(_toolkit(toolkit), _program(), rewriter.options)
    disable()
    _enabled.append(_Hook(rewriter.key))
    _enabled[-1].put(folder)


def disable() -> None:
    """JAX compiles as before.  What it compiled with ptxopt stays until jax.clear_caches()."""
    while _enabled:
        _enabled.pop().remove()
