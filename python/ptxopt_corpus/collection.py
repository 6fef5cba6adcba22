# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The collection on disk: one file for each distinct text, and where each was found.

A folder with collection.sqlite and ptx/<2 hex digits>/<SHA-256 of the bytes>.ptx.  Tables:
  file    sha256, bytes, producer ("nvcc 13.0"), version (of .version), target (all of .target)
  origin  sha256, path, member (section and entry of a binary; "" for a file of PTX), suite
  kernel  sha256, name, hash (of `ptxopt --kernel-hash`)
"""
import hashlib
import os
import pathlib
import sqlite3
import tempfile
from typing import Iterator, NamedTuple

from .database import open_database
from .errors import Mistake
from .facts_of_text import facts_of

DATABASE = "collection.sqlite"
FORMAT = 1  # PRAGMA user_version

_SCHEMA = """
CREATE TABLE file(sha256 TEXT PRIMARY KEY, bytes INTEGER, producer TEXT, version TEXT, target TEXT) WITHOUT ROWID;
CREATE TABLE origin(sha256 TEXT, path TEXT, member TEXT, suite TEXT,
                    PRIMARY KEY(sha256, path, member, suite)) WITHOUT ROWID;
CREATE TABLE kernel(sha256 TEXT, name TEXT, hash TEXT, PRIMARY KEY(sha256, name)) WITHOUT ROWID;
CREATE INDEX kernel_of_hash ON kernel(hash);
"""
_BATCH = 256  # additions in one transaction


class Record(NamedTuple):
    sha256: str
    path: pathlib.Path  # of the text in the collection
    bytes: int
    suite: str  # the first one, by name, of those it was found in
    producer: str
    version: str
    target: str


class Collection:
    """Use it with `with`, or call close(): what was added last is on the disk only then."""

    def __init__(self, folder: pathlib.Path, database: sqlite3.Connection):
        self.folder = folder
        self._database = database
        self._pending = 0
        self._new = []  # hashes of texts whose kernels are not known yet
        self.hasher = None  # a KernelHasher: from now on, flush() hashes the kernels of new texts

    @classmethod
    def open(cls, folder, create=False) -> "Collection":
        folder = pathlib.Path(folder)
        path = folder / DATABASE
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            raise Mistake(f"{folder} is no collection: `ptxopt-corpus add PATHS...` makes one")
        return cls(folder, open_database(path, _SCHEMA, FORMAT, create))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.flush()
        self._database.close()

    def flush(self):
        if self.hasher and self._new:
            paths = {str(self.path_of(sha256)): sha256 for sha256 in self._new}
            for path, kernels in self.hasher.kernels(list(paths)).items():
                self._database.executemany("INSERT OR REPLACE INTO kernel VALUES(?, ?, ?)",
                                           [(paths[path], name, value) for name, value in kernels])
        self._new.clear()
        self._database.commit()
        self._pending = 0

    def path_of(self, sha256: str) -> pathlib.Path:
        return self.folder / "ptx" / sha256[:2] / f"{sha256}.ptx"

    def files(self, suites=None, distinct=False) -> Iterator[Record]:
        """In the order of their hashes.  `suites`: only those found in one of these.  `distinct`: without the files
        whose kernels are all in files that came before, for the same target."""
        query = ("SELECT sha256, bytes, min(suite), producer, version, target FROM file JOIN origin USING (sha256) "
                 f"{_condition(suites)} GROUP BY sha256 ORDER BY sha256")
        seen = set()
        for sha256, size, suite, producer, version, target in self._database.execute(query, list(suites or ())):
            if distinct:
                kernels = {(kernel, target) for _, kernel in self.kernels(sha256)}
                if kernels and kernels <= seen:
                    continue
                seen |= kernels
            yield Record(sha256, self.path_of(sha256), size, suite, producer, version, target)

    def kernels(self, sha256: str) -> list:
        """Name and hash of each kernel of a text."""
        return self._database.execute("SELECT name, hash FROM kernel WHERE sha256 = ? ORDER BY name",
                                      (sha256,)).fetchall()

    def origins(self, sha256: str) -> list:
        """Path, member and suite of each place where a text was found."""
        return self._database.execute(
            "SELECT path, member, suite FROM origin WHERE sha256 = ? ORDER BY path, member, suite",
            (sha256,)).fetchall()

    def add(self, text: bytes, path: str, suite: str, member: str = "", producer="") -> bool:
        """Adds a text, or one more place for it.  Whether the text is new.  `producer` holds if the text does not name
        its own."""
        sha256 = hashlib.sha256(text).hexdigest()
        known = self._database.execute("SELECT 1 FROM file WHERE sha256 = ?", (sha256,)).fetchone()
        if not known:
            self._write(self.path_of(sha256), text)  # before its row: a stopped run leaves no row without a text
            found = facts_of(text, producer)
            self._database.execute("INSERT INTO file VALUES(?, ?, ?, ?, ?)",
                                   (sha256, len(text), found.producer, found.version, found.target))
            self._new.append(sha256)
        self._database.execute("INSERT OR IGNORE INTO origin VALUES(?, ?, ?, ?)", (sha256, path, member, suite))
        self._pending += 1
        if self._pending >= _BATCH:
            self.flush()
        return not known

    def counts(self) -> dict:
        def count(query):
            return self._database.execute(query).fetchone()[0]
        return {"files": count("SELECT count(*) FROM file"), "kernels": count("SELECT count(*) FROM kernel"),
                "distinct kernels": count(
                    "SELECT count(*) FROM (SELECT DISTINCT hash, target FROM kernel JOIN file USING (sha256))")}

    @staticmethod
    def _write(path, text):
        if path.exists():
            return  # of a run that was stopped before it wrote the row
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
            os.chmod(part, 0o644)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise


def _condition(suites):
    return f"WHERE suite IN ({', '.join('?' * len(suites))})" if suites else ""
