# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of runs, in one SQLite file.  docs/corpus.md describes the tables.

What a run measures depends on the content of a file, the program, its options and what is known of launches only, and
these are the keys: so a run that was stopped goes on, and what was done is not done again.  Times of the clock are in `seconds`, apart from
the rest.
"""
import pathlib
import shlex
from typing import NamedTuple, Optional

from .database import open_database
from .errors import Mistake

DEFAULT = "ptxopt-corpus.sqlite"
FORMAT = 4  # PRAGMA user_version

# The order of the files is not that of the keys, so that each changes other pages: these stay in memory until they are
# written, and are copied to the database once for many changes.
_CACHE_KIB = 32 << 10
_CHECKPOINT_PAGES = 8192

_SCHEMA = """
CREATE TABLE source(sha256 TEXT PRIMARY KEY, path TEXT, suite TEXT, producer TEXT, bytes INTEGER) WITHOUT ROWID;
CREATE TABLE run(id INTEGER PRIMARY KEY, program TEXT, version TEXT, flags TEXT, launches TEXT,
                 UNIQUE(program, flags, launches));
CREATE TABLE outcome(run INTEGER, sha256 TEXT, status TEXT, message TEXT, changed INTEGER, result TEXT, launch TEXT,
                     PRIMARY KEY(run, sha256)) WITHOUT ROWID;
CREATE TABLE launch(sha256 TEXT PRIMARY KEY, facts TEXT) WITHOUT ROWID;
CREATE TABLE function(run INTEGER, sha256 TEXT, name TEXT, kernel INTEGER, instructions INTEGER, barriers INTEGER,
                      instructions_after INTEGER, barriers_after INTEGER,
                      PRIMARY KEY(run, sha256, name)) WITHOUT ROWID;
CREATE TABLE counter(run INTEGER, sha256 TEXT, pass TEXT, name TEXT, value INTEGER,
                     PRIMARY KEY(run, sha256, pass, name)) WITHOUT ROWID;
CREATE TABLE checked(run INTEGER, sha256 TEXT, name TEXT, tool TEXT, by TEXT, status TEXT, message TEXT,
                     PRIMARY KEY(run, sha256, name, tool)) WITHOUT ROWID;
CREATE TABLE assembly(text TEXT, tool TEXT, ok INTEGER, message TEXT, PRIMARY KEY(text, tool)) WITHOUT ROWID;
CREATE TABLE assembled(text TEXT, tool TEXT, kernel TEXT, registers INTEGER, spills INTEGER, code INTEGER,
                       PRIMARY KEY(text, tool, kernel)) WITHOUT ROWID;
CREATE TABLE said(run INTEGER, sha256 TEXT, function TEXT, pass TEXT, outcome TEXT, reason TEXT, count INTEGER,
                  PRIMARY KEY(run, sha256, function, pass, outcome, reason)) WITHOUT ROWID;
CREATE TABLE amount(run INTEGER, sha256 TEXT, function TEXT, pass TEXT, name TEXT, value INTEGER,
                    PRIMARY KEY(run, sha256, function, pass, name)) WITHOUT ROWID;
CREATE TABLE cost(run INTEGER, sha256 TEXT, instructions INTEGER, PRIMARY KEY(run, sha256)) WITHOUT ROWID;
CREATE TABLE seconds(run INTEGER, sha256 TEXT, what TEXT, seconds REAL, PRIMARY KEY(run, sha256, what)) WITHOUT ROWID;
"""

_OF_TEXTS = ("source", "launch", "assembly", "assembled")  # tables that are the same for all runs
_OF_FILES = ("outcome", "function", "counter", "checked", "said", "amount", "cost", "seconds")  # in one run

# Statuses of an outcome that say nothing against ptxopt: it did its work, or refused a text with a message.
FINE = ("ok", "error")
# The facts that are known of the launches of a file are no file for --launch.
BAD_LAUNCH = "bad-launch"
# Statuses of files that are not tried again, since they may take long, or their worker with them.
SET_ASIDE = ("crash", "timeout", "lost")


def split(named: str):
    """FILE:RUN as the file, and the number of the run or None."""
    path, colon, number = named.rpartition(":")
    return (path, int(number)) if colon and number.isdigit() else (named, None)


class Run(NamedTuple):
    number: int
    program: str  # its SHA-256
    version: str
    flags: str
    launches: str  # the file or folder with facts of launches; "" if there is none

    @property
    def options(self) -> str:
        """As `ptxopt-corpus` takes them."""
        return shlex.join([*shlex.split(self.flags), *([f"--launches={self.launches}"] if self.launches else [])])


class Results:
    """One writer at a time.  `with` commits at its end, also when an exception ends it."""

    def __init__(self, path, database):
        self.path, self.database = path, database

    @classmethod
    def open(cls, path, create=False) -> "Results":
        path = pathlib.Path(path)
        if not create and not path.exists():
            raise Mistake(f"{path}: no such file: `ptxopt-corpus run` makes it")
        database = open_database(path, _SCHEMA, FORMAT, create)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        database.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        return cls(path, database)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.database.commit()
        self.database.close()

    # ---- written by `run` ----------------------------------------------------------------------

    def run_of(self, program: str, version: str, flags: str, launches: str) -> int:
        """The number of a run with this program (its SHA-256) and these options, which may be a new one."""
        self.database.execute("INSERT OR IGNORE INTO run(program, version, flags, launches) VALUES(?, ?, ?, ?)",
                              (program, version, flags, launches))
        self.database.commit()
        return self.database.execute("SELECT id FROM run WHERE program = ? AND flags = ? AND launches = ?",
                                     (program, flags, launches)).fetchone()[0]

    def has_outcomes(self, run: int) -> bool:
        return self.database.execute("SELECT 1 FROM outcome WHERE run = ? LIMIT 1", (run,)).fetchone() is not None

    def done(self, run: int, sha256: str, launch: str) -> set:
        """The checks, as (name, tool, by), that a file has behind it; {"all"} for one that was set aside.  What was done
        with other facts of its launches is forgotten."""
        row = self.database.execute("SELECT status, launch FROM outcome WHERE run = ? AND sha256 = ?",
                                    (run, sha256)).fetchone()
        if row is None:
            return set()
        if row[1] != launch:
            for table in _OF_FILES:
                self.database.execute(f"DELETE FROM {table} WHERE run = ? AND sha256 = ?", (run, sha256))
            return set()
        if row[0] != "ok":
            return {"all"}
        rows = self.database.execute("SELECT name, tool, by FROM checked WHERE run = ? AND sha256 = ?", (run, sha256))
        return {"optimize", *rows}

    def forget_set_aside(self, run: int):
        self.database.execute(f"DELETE FROM outcome WHERE run = ? AND status IN {SET_ASIDE}", (run,))

    def is_assembled(self, text: str, tool: str) -> bool:
        """Whether this ptxas has taken the text: a refusal is asked for again, for its reason."""
        return self.database.execute("SELECT 1 FROM assembly WHERE text = ? AND tool = ? AND ok",
                                     (text, tool)).fetchone() is not None

    def write(self, run: int, rows: dict):
        """Rows by table, without the number of the run where the table has one.  commit() makes them last."""
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            of_run = f"{run}, " if table not in _OF_TEXTS else ""
            self.database.executemany(f"INSERT OR REPLACE INTO {table} VALUES({of_run}{marks})", values)

    def commit(self):
        self.database.commit()

    # ---- read by the other commands ------------------------------------------------------------

    def _runs(self) -> dict:
        rows = self.database.execute("SELECT id, program, version, flags, launches FROM run ORDER BY id")
        return {row[0]: Run(*row) for row in rows}

    def named_run(self, number: Optional[int] = None) -> Run:
        """By default the last one."""
        runs = self._runs()
        if not runs:
            raise Mistake(f"{self.path}: there is no run in it")
        if number is not None and number not in runs:
            raise Mistake(f"{self.path}: there is no run {number}; there are {', '.join(map(str, runs))}")
        return runs[max(runs) if number is None else number]

    def run_with(self, options: str) -> int:
        """The number of the last run with these options."""
        found = {run.options: number for number, run in self._runs().items()}
        if options not in found:
            raise Mistake(f"{self.path}: there is no run with the options '{options}'; there are "
                          + (", ".join(f"'{other}'" for other in sorted(found)) or "none"))
        return found[options]
