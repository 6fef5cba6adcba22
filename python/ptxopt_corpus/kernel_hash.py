# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hashes of kernels, by `ptxopt --kernel-hash`."""
import subprocess

from .errors import Mistake
from .programs import find_program

_SECONDS = 600  # the time of ptxopt for the texts of one call


class KernelHasher:
    """Asks ptxopt about many texts at once: for a text of a few kernels, starting a program is most of the time."""

    def __init__(self, program: str):
        self._program = program

    @classmethod
    def find(cls, named) -> "KernelHasher":
        return cls(find_program("ptxopt", named))

    def kernels(self, paths) -> dict:
        """Name and hash of each kernel, by path.  A path is missing if ptxopt cannot read the text, or fails."""
        found = self._ask(paths)
        if found is None:  # one text may have taken the others with it
            found = {}
            for path in paths:
                found.update(self._ask([path]) or {})
        return found

    def _ask(self, paths):
        words = [self._program, "-q", "--kernel-hash", "--", *paths]
        try:
            run = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise Mistake(f"{self._program}: {error.strerror}") from error
        if run.returncode not in (0, 1):  # 1: one of the texts is no PTX
            return None
        found = {}
        for line in run.stdout.decode("utf-8", "surrogateescape").splitlines():
            # With one input, ptxopt does not name it.
            value, name, path = line.split("  ", 2) if len(paths) > 1 else (*line.split("  "), paths[0])
            found.setdefault(path, []).append((name, value))
        return found
