#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what profiles say about the launches of kernels, for ptxopt --launch.

Usage: ptxopt-launches [-o FILE] PROFILE...

A PROFILE is one of
  an export of Nsight Systems      nsys export --type=sqlite report.nsys-rep
  a table of Nsight Compute        ncu --csv --page raw ... > profile.csv
  the metadata of a Triton kernel  KERNEL.json in Triton's cache

Only what held for every launch in all of the profiles is written, with the number of launches:
"block", or "max_threads" if blocks differ; "grid"; "shared", the bytes of dynamic shared memory.
Launches that no profile has seen may be others, so use the file with ptxopt --enforce.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import sqlite3
import sys
import tempfile

NSYS = "CUPTI_ACTIVITY_KIND_KERNEL"
# Columns of Nsight Compute, and metrics where each row has one.
BLOCK, GRID = "Block Size", "Grid Size"
NCU_SHARED = ("launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block")


class Mistake(Exception):
    """Something is wrong with an input."""


class Launches:
    """The launches of one kernel."""

    def __init__(self):
        self.count = 0
        self.seen = {"block": set(), "grid": set(), "shared": set()}

    def add(self, count=1, **facts):
        self.count += count
        for name, values in self.seen.items():
            values.add(facts.get(name))  # None: not known

    def facts(self):
        facts = {}
        for name, values in self.seen.items():
            if len(values) == 1 and None not in values:
                value = next(iter(values))
                facts[name] = list(value) if isinstance(value, tuple) else value
        blocks = self.seen["block"]
        if "block" not in facts and None not in blocks:
            facts["max_threads"] = max(x * y * z for x, y, z in blocks)
        if self.count:
            facts["launches"] = self.count
        return facts


def read_nsys(path, kernels):
    database = sqlite3.connect(f"{pathlib.Path(path).absolute().as_uri()}?mode=ro", uri=True)
    try:
        columns = {row[1] for row in database.execute(f"PRAGMA table_info({NSYS})")}
        if not columns:
            raise Mistake(f"it has no table {NSYS}: no kernel was traced")
        names = [name for name in ("mangledName", "demangledName", "shortName") if name in columns]
        text = ", ".join(f"(SELECT value FROM StringIds WHERE id = {name})" for name in names)
        rows = database.execute(
            f"SELECT coalesce({text}, ''), blockX, blockY, blockZ, gridX, gridY, gridZ, "
            f"dynamicSharedMemory, count(*) FROM {NSYS} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8")
        for name, bx, by, bz, gx, gy, gz, shared, count in rows:
            kernels.setdefault(name, Launches()).add(count, block=(bx, by, bz), grid=(gx, gy, gz),
                                                     shared=shared)
    except sqlite3.Error as error:
        raise Mistake(f"not an export of Nsight Systems: {error}") from error
    finally:
        database.close()


def extents(text):
    numbers = tuple(int(number) for number in re.findall(r"\d+", text or ""))
    return numbers if len(numbers) == 3 else None


def bytes_of(value, unit):
    """None if it is not known exactly: numbers of Kbyte are rounded."""
    number = float(value.replace(",", ""))
    exact = number == 0 or (unit or "byte").partition("/")[0] == "byte"
    return int(number) if exact else None


def read_ncu(text, kernels):
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise Mistake('not a table of Nsight Compute: no line begins with "ID"')
    rows = list(csv.DictReader(lines[first:]))
    if not rows or BLOCK not in rows[0] or GRID not in rows[0] or "Kernel Name" not in rows[0]:
        raise Mistake(f"the table has no columns 'Kernel Name', '{BLOCK}' and '{GRID}'")
    units = rows.pop(0) if not rows[0]["ID"] else {}
    launches = {}
    for row in rows:
        launch = launches.setdefault((row.get("Process ID"), row["ID"]), {"shared": None})
        launch.update(name=row["Kernel Name"], block=extents(row[BLOCK]), grid=extents(row[GRID]))
        try:
            if row.get(NCU_SHARED[0]):
                launch["shared"] = bytes_of(row[NCU_SHARED[0]], units.get(NCU_SHARED[0]))
            if row.get("Metric Name") in NCU_SHARED:
                launch["shared"] = bytes_of(row["Metric Value"], row.get("Metric Unit"))
        except ValueError as error:
            raise Mistake(f"launch {row['ID']}: {error}") from error
    for launch in launches.values():
        kernels.setdefault(launch.pop("name"), Launches()).add(**launch)


def read_triton(text, kernels):
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Mistake(f"not JSON: {error}") from error
    if not isinstance(data, dict) or not {"name", "num_warps", "shared"} <= data.keys():
        raise Mistake("not the metadata of a Triton kernel: no name, num_warps and shared")
    # Triton launches a kernel with these only.
    warp = (data.get("target") or {}).get("warp_size", 32)
    kernels.setdefault(data["name"], Launches()).add(
        0, block=(warp * data["num_warps"], 1, 1), shared=data["shared"])


def read(path, kernels):
    try:
        with open(path, "rb") as file:
            content = file.read(1 << 20)
            if content.startswith(b"SQLite format 3\0"):
                return read_nsys(path, kernels)
            text = (content + file.read()).decode()
    except OSError as error:
        raise Mistake(error.strerror) from error
    except UnicodeDecodeError as error:
        raise Mistake("neither SQLite nor text") from error
    if text.lstrip().startswith("{"):
        return read_triton(text, kernels)
    return read_ncu(text, kernels)


def write(path, text):
    """All of it or nothing: a file gets its name once it is complete."""
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        part = os.path.join(folder, "part")
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)


def main():
    parser = argparse.ArgumentParser(prog="ptxopt-launches", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="ptxopt-launches [-o FILE] PROFILE...")
    parser.add_argument("-o", metavar="FILE", dest="output", default="-",
                        help="the file to write; - is standard output (the default)")
    parser.add_argument("profiles", nargs="+", metavar="PROFILE")
    options = parser.parse_args()
    kernels = {}
    for path in options.profiles:
        try:
            read(path, kernels)
        except Mistake as mistake:
            sys.exit(f"{path}: error: {mistake}")
    text = json.dumps({"kernels": {name: kernels[name].facts() for name in sorted(kernels)}}, indent=2)
    if options.output == "-":
        print(text)
        return
    try:
        write(options.output, text + "\n")
    except OSError as error:
        sys.exit(f"{options.output}: error: {error.strerror}")


if __name__ == "__main__":
    main()
