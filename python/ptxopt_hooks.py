# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTXOPT_TRITON=LEVEL: ptxopt.triton.enable(LEVEL) as soon as the program imports triton; and so on.

ptxopt_hooks.pth imports this when Python starts and a variable of ptxopt is set.  It is no part of the
package, and imports next to nothing, so that such a start stays fast.
"""
import importlib
import os
import sys

_PREFIX = "PTXOPT_"
# What the program imports; the package has a module of the same name as the compiler.
_COMPILERS = {"CUPY": "cupy", "JAX": "jax", "NUMBA": "numba.cuda", "TRITON": "triton", "WARP": "warp"}
_OF_OTHERS = {"FLAGS", "LIBRARY", "LOG", "PTXAS", "PTXAS_VISITED", "REPORT_ONLY", "STRICT"}


def _warn(message):
    print(f"ptxopt: warning: {message}", file=sys.stderr)


def _level(variable):
    word = os.environ[variable]
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"{variable} must be a level of ptxopt from 0 to 3, not '{word}'")
    return int(word)


class _AfterImport:
    """A finder that finds `name` where the others do, and enables the hook once that is loaded."""

    def __init__(self, variable, name):
        self.variable = variable
        self.name = name

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(fullname, path,
                                                                                                    target)
            if spec is not None:
                break
        else:
            return None
        if spec.loader is not None and hasattr(spec.loader, "exec_module"):
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: self.load_and_enable(load, module)
        return spec

    def load_and_enable(self, load, module):
        level = _level(self.variable)
        load(module)
        if self not in sys.meta_path:  # a reload, or another thread was first
            return
        sys.meta_path.remove(self)
        try:
            importlib.import_module("ptxopt." + self.name.partition(".")[0]).enable(level)
        except Exception as error:  # pylint: disable=broad-except # whatever it is, the program goes on without
            _warn(f"{self.variable} does nothing: {error}")


def _near(word):
    import difflib  # pylint: disable=import-outside-toplevel # slow to import, and rarely needed
    return difflib.get_close_matches(word.upper(), _COMPILERS, 1, 0.75)


for _variable in [name for name in os.environ if name.startswith(_PREFIX)]:
    _word = _variable[len(_PREFIX):]
    if _word in _COMPILERS:
        sys.meta_path.insert(0, _AfterImport(_variable, _COMPILERS[_word]))
    elif _word not in _OF_OTHERS and _near(_word):
        _warn(f"nothing reads {_variable}; is {_PREFIX}{_near(_word)[0]} meant?")
