# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTXOPT_TRITON=LEVEL: ptxopt.triton.enable(LEVEL) as soon as the program imports triton; and so on.

ptxopt_hooks.pth imports this when Python starts and a variable of ptxopt is set.  It is no part of the
package, so that such a start does not load the library.
"""
import difflib
import importlib
import importlib.abc
import importlib.util
import os
import sys

_PREFIX = "PTXOPT_"
# What the program imports; the package has a module of the same name as the compiler.
_COMPILERS = {"CUPY": "cupy", "JAX": "jax", "NUMBA": "numba.cuda", "TRITON": "triton", "WARP": "warp"}


def _warn(message):
    print(f"ptxopt: warning: {message}", file=sys.stderr)


def _level(variable):
    word = os.environ[variable]
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"{variable} must be a level of ptxopt from 0 to 3, not '{word}'")
    return int(word)


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds `name` as everybody else does, and enables the hook once that is loaded."""

    def __init__(self, variable, name):
        self.variable = variable
        self.name = name

    def find_spec(self, fullname, path, target=None):
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_enable(module):
            level = _level(self.variable)
            load(module)
            hook = importlib.import_module("ptxopt." + self.name.partition(".")[0])
            try:
                hook.enable(level)
            except RuntimeError as error:  # this version has no place for a hook: the program goes on without
                _warn(f"{self.variable} does nothing: {error}")

        spec.loader.exec_module = load_and_enable
        return spec


for _variable in [name for name in os.environ if name.startswith(_PREFIX)]:
    _word = _variable[len(_PREFIX):]
    if _word in _COMPILERS:
        sys.meta_path.insert(0, _AfterImport(_variable, _COMPILERS[_word]))
    elif _near := difflib.get_close_matches(_word, _COMPILERS, 1, 0.75):
        _warn(f"nothing reads {_variable}; is {_PREFIX}{_near[0]} meant?")
