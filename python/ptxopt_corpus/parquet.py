# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the results as Parquet, one file each."""
import os
import pathlib

from .errors import Mistake

_ROWS = 1 << 16  # that are in memory at a time


def require():
    """Says what is missing before a run of hours, not behind it."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise Mistake("--parquet needs pyarrow: `pip install pyarrow`; or let DuckDB write it from the results") from error
    return pyarrow


def write(database, folder):
    """Into FOLDER/TABLE.parquet, each of which is there only when it is whole."""
    pyarrow = require()
    types = {"TEXT": pyarrow.string(), "INTEGER": pyarrow.int64(), "REAL": pyarrow.float64()}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    for table in tables:
        columns = database.execute(f"PRAGMA table_info({table})").fetchall()
        schema = pyarrow.schema([(name, types[kind]) for _, name, kind, *_ in columns])
        part = folder / f".part-{table}.parquet"
        rows = database.execute(f"SELECT * FROM {table}")
        with pyarrow.parquet.ParquetWriter(part, schema) as writer:
            while chunk := rows.fetchmany(_ROWS):
                writer.write_table(pyarrow.Table.from_arrays(
                    [pyarrow.array(values, field.type) for values, field in zip(zip(*chunk), schema)], schema=schema))
        os.replace(part, folder / f"{table}.parquet")
