# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SQLite files of this program: each says in PRAGMA user_version which format it has."""
import contextlib
import sqlite3

from .errors import Mistake

_PATIENCE = 60  # seconds to wait for another writer


def open_database(path, schema: str, version: int, create: bool) -> sqlite3.Connection:
    """The database at `path`.  `create`: makes its tables if there are none yet, all of them or, if it is stopped,
    none.  A Mistake if it is of another format, or no database."""
    database = sqlite3.connect(path, timeout=_PATIENCE)
    try:
        with contextlib.closing(database.execute("PRAGMA user_version")) as rows:
            found = rows.fetchone()[0]
        if found == 0 and create and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            database.executescript(f"BEGIN; {schema} PRAGMA user_version = {version}; COMMIT;")
        elif found != version:
            raise Mistake(f"{path} has format {found}, and this program knows only {version}")
    except sqlite3.DatabaseError as error:
        database.close()
        raise Mistake(f"{path} cannot be used: {error}") from error
    except Mistake:
        database.close()
        raise
    return database
