# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTXOPT_TRITON=LEVEL: ptxopt.triton.enable(LEVEL) as soon as the program imports triton.

ptxopt_hooks.pth imports this when Python starts, if the variable is set.
"""
import importlib.abc
import importlib.util
import os
import sys


def _level() -> int:
    word = os.environ["PTXOPT_TRITON"]
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"PTXOPT_TRITON must be a level of ptxopt from 0 to 3, not '{word}'")
    return int(word)


class _AfterTriton(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname != "triton":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_enable(module):
            level = _level()
            load(module)
            from . import triton  # pylint: disable=import-outside-toplevel
            triton.enable(level)

        spec.loader.exec_module = load_and_enable
        return spec


sys.meta_path.insert(0, _AfterTriton())
