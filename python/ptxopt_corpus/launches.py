# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the launches of each file: the facts that ptxopt gets with --launch (docs/launches.md)."""
import dataclasses
import hashlib
import json
import os
import re

from . import quick
from .errors import Mistake

_DESCRIBED = re.compile(r"^//\s*LAUNCH:\s*(\{.*\})", re.MULTILINE)  # docs/ptxrun.md


@dataclasses.dataclass(frozen=True)
class Launch:
    """The facts of one file.  `is_here`: whether the worker has them at `path`."""
    sha256: str
    path: str
    text: bytes
    is_here: bool = False


# ptxopt gets it too, since options such as --enforce want some facts.
_NOTHING = b'{"kernels": {}}'
NOT_KNOWN = Launch(hashlib.sha256(_NOTHING).hexdigest(), "", _NOTHING)


class Launches:
    """One file with the facts of all, or a folder with FOLDER/NAME.json for each file, which need not be there."""

    def __init__(self, path: str, is_here: bool):
        """`is_here`: whether the workers have these files too."""
        self.path, self.is_here = os.path.abspath(path), is_here
        if not os.path.exists(path):
            raise Mistake(f"--launches: {path}: no such file or folder")
        self.of_all = None if os.path.isdir(path) else self._read(self.path)

    def of(self, name: str) -> Launch:
        """`name`: of a file, without its ending; several may have the same, if they are of several folders."""
        if self.of_all:
            return self.of_all
        try:
            return self._read(f"{self.path}/{name}.json")
        except FileNotFoundError:
            return NOT_KNOWN

    def _read(self, path):
        text = quick.read(path)
        return Launch(hashlib.sha256(text).hexdigest(), path, text, self.is_here)


def described(text: str) -> set:
    """The kernels whose launch is described in a text of PTX; None among them: the only one."""
    found = set()
    for line in _DESCRIBED.findall(text):
        try:
            found.add(json.loads(line).get("kernel"))
        except json.JSONDecodeError:
            pass  # ptxrun says what is wrong with it
    return found
