# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTXOPT_TRITON=LEVEL: ptxopt.triton.enable(LEVEL) as soon as the program imports triton; and so on.

ptxopt_hooks.pth imports this when Python starts and a variable of ptxopt is set.  It is not in the
package, whose import loads the library, so that Python starts fast.
"""
import importlib
import os
import sys

_PREFIX = "PTXOPT_"
# What the program imports; the package has a module of the same name as the compiler.
_COMPILERS = {"CUPY": "cupy", "JAX": "jax", "NUMBA": "numba.cuda", "TRITON": "triton", "WARP": "warp"}
# What other parts of ptxopt read: src/driver/ptxas_variables.h, ptxopt/_library.py.
_OF_OTHERS = {"FLAGS", "LIBRARY", "LOG", "PTXAS", "PTXAS_VISITED", "REPORT_ONLY", "STRICT"}


def _warn(message):
    print(f"ptxopt: warning: {message}", file=sys.stderr)


def _level(variable):
    word = os.environ[variable]
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"{variable} must be a level of ptxopt from 0 to 3, not '{word}'")
    return int(word)


class _AfterImport:
    """Finds the module `name` by the other finders, and enables the hook after it is loaded."""

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
        except Exception as error:  # pylint: disable=broad-except # the program can always go on without it
            _warn(f"{self.variable} has no effect: {error}")


def _near(word):
    import difflib  # pylint: disable=import-outside-toplevel # slow to import, and rarely needed
    return difflib.get_close_matches(word.upper(), _COMPILERS, 1, 0.75)


for _variable in [name for name in os.environ if name.startswith(_PREFIX)]:
    _word = _variable[len(_PREFIX):]
    if _word in _COMPILERS:
        sys.meta_path.insert(0, _AfterImport(_variable, _COMPILERS[_word]))
    elif _word not in _OF_OTHERS and _near(_word):
        _warn(f"{_variable} has no effect; do you mean {_PREFIX}{_near(_word)[0]}?")
