# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of the program that was compiled, from the .loc of PTX, where its files are still there."""
import os
import re

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
# A PTX file can name any file.  Only what looks like source gets into a page that others may see.
_ENDINGS = {".c", ".cc", ".cl", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hpp", ".inl", ".jl", ".mojo", ".py", ".rs"}
_MOST_BYTES = 4 << 20
_PARENTS = 5  # of the folder of the PTX, in which a relative name is looked for


class Sources:
    """Of one PTX text."""

    def __init__(self, lines, path):
        self._folder = os.path.dirname(os.path.abspath(path))
        self._names = {match.group(1): match.group(2) for match in map(_FILE.match, lines) if match}
        self._texts = {}

    def of(self, lines):
        """For each line of the PTX the line of the program that it is from, as ("k.cu:31", its text), or None.  The
        text is empty if the file is not there."""
        place, found = None, []
        for line in lines:
            match = _LOC.match(line)
            if match:
                place = self._place(*match.groups())
            found.append(None if match else place)
        return found

    def _place(self, file, number):
        name = self._names.get(file)
        if name is None or number == "0":
            return None
        text = self._lines(name)
        at = int(number) - 1
        return f"{os.path.basename(name)}:{number}", text[at] if at < len(text) else ""

    def _lines(self, name):
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name]

    def _read(self, name):
        if os.path.splitext(name)[1].lower() not in _ENDINGS:
            return []
        folder = self._folder
        for _ in range(_PARENTS):
            path = os.path.join(folder, name)  # `name`, if that is absolute
            try:
                if os.path.getsize(path) <= _MOST_BYTES:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        return file.read().split("\n")
            except OSError:
                pass
            folder = os.path.dirname(folder)
        return []
