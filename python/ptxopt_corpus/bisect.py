# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the change of ptxopt that makes a check fail on a file, and lets ptxreduce make the file small.

The change is found by `ptxopt --opt-bisect-limit`: the first N changes of a file do no harm, and the next one does.
The exit status is 0 if there is such a change, and 2 if the check does not fail.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
from typing import NamedTuple, Optional

from . import children, run
from .errors import Mistake
from .launches import Launch
from .measure import Item, Settings, measure
from .programs import find_program

HELP = "find the change that makes a check fail, and make the file small"
PASSES = 2
_MOST_CHANGES = 1 << 20
_REDUCIBLE = ("crash", "timeout", "error")


def add_arguments(parser):
    parser.add_argument("file", type=pathlib.Path, metavar="FILE", help="of PTX")
    parser.add_argument("-o", "--output", metavar="FILE", help="where ptxreduce writes the small file (default: no reduction)")
    parser.add_argument("--check", default="run", metavar="CHECK",
                        help="the one that fails: reprint, idempotent, ptxas, run or sanitize (default: %(default)s)")
    parser.add_argument("--ptxopt", metavar="PROGRAM")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--passes", help="as for `run`")
    what.add_argument("--flags", type=shlex.split, default=[])
    parser.add_argument("--launches", metavar="FILE", help="what is known of launches, as for ptxopt --launch")
    parser.add_argument("--ptxas", action="append", default=[], metavar="PROGRAM")
    parser.add_argument("--ptxrun", metavar="PROGRAM")
    parser.add_argument("--ptxreduce", metavar="PROGRAM")
    parser.add_argument("--sanitized-ptxopt", metavar="PROGRAM")
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=60, metavar="S")
    parser.add_argument("--memory", type=int, default=4096, metavar="MIB")
    parser.add_argument("--reduce-timeout", type=int, default=60, metavar="S", help="of each try of ptxreduce")
    # What ptxreduce calls: is 0 if the check still fails.
    parser.add_argument("--still-fails", action="store_true", help=argparse.SUPPRESS)


def main(args):
    if args.check not in ("reprint", "ptxas", "run", "sanitize"):
        raise Mistake(f"--check: '{args.check}' is none of reprint, ptxas, run and sanitize")
    settings = run.settings_of(args)
    subject = Subject(args.file, args.file.read_bytes(), _launch_of(settings, args.launches))
    fault = _fault(settings, subject)
    if args.still_fails:
        return 0 if fault else 1
    if fault is None:
        print(f"{args.file}: nothing fails")
        return PASSES
    print(f"{args.file}: {fault}")
    _find_change(settings, subject)
    return _reduce(args) if args.output else 0


class Subject(NamedTuple):
    path: pathlib.Path
    text: bytes
    launch: Optional[Launch]

    def command(self, settings, limit):
        facts = [f"--launch={self.launch.path}"] if self.launch else []
        return [settings.ptxopt, *settings.flags, *facts, f"--opt-bisect-limit={limit}", str(self.path)]


def _launch_of(settings, path):
    launches = run.launches_of(settings, path)
    if launches and not launches.of_all:
        raise Mistake(f"--launches: {path} is a folder, and there is only one file of PTX")
    return launches and launches.of_all


def _fault(settings: Settings, subject):
    """What fails, in one line; None if nothing does."""
    rows = measure(settings, [Item("", "in.ptx", subject.text, is_here=False, missing=settings.checks, launch=subject.launch)])
    for _, status, message, *_ in rows["outcome"]:
        if status in _REDUCIBLE:
            return f"{status}: {message}"
    for _, name, _, _, status, message in rows.get("checked", ()):
        if status == "failed":
            return f"{name}: {message}"
    return None


def _limited(settings, limit):
    return dataclasses.replace(settings, flags=(*settings.flags, f"--opt-bisect-limit={limit}"))


def _find_change(settings, subject):
    if _fault(_limited(settings, 0), subject):
        print("it fails before the first change: no change of a pass is the cause")
        return
    harmless, harmful = 0, 1
    while not _fault(_limited(settings, harmful), subject):
        harmless, harmful = harmful, 2 * harmful
        if harmful > _MOST_CHANGES:
            print("it does not fail with a limit on the changes")
            return
    while harmful - harmless > 1:
        middle = (harmless + harmful) // 2
        if _fault(_limited(settings, middle), subject):
            harmful = middle
        else:
            harmless = middle
    print(f"change {harmful} is the first with which it fails: {_words_of(settings, subject, harmful)}")
    print("  " + shlex.join([*subject.command(settings, harmful), "--diff"]))


def _words_of(settings, subject, number):
    """The remarks about the last of so many changes: what is said with it and not without it."""
    with tempfile.TemporaryDirectory() as folder:
        said = []
        for limit in (number - 1, number):
            remarks = os.path.join(folder, f"{limit}.json")
            children.run([*subject.command(settings, limit), "-o", os.devnull, "-q", f"--remarks={remarks}"], settings.timeout)
            lines = open(remarks, encoding="utf-8").read().splitlines() if os.path.exists(remarks) else []
            said.append([f"{r['pass']}: {r['message'].splitlines()[0]} (line {(r['ptx'] or {}).get('line', '?')})"
                         for r in map(json.loads, lines) if r["kind"] == "passed"])
        new = [line for line in said[1] if line not in said[0]]
        return new[0] if new else "no remark says what it is"


def _reduce(args):
    ptxreduce = find_program("ptxreduce", args.ptxreduce)
    again = [sys.executable, os.path.abspath(sys.argv[0]), "bisect", "--still-fails", *_options_of(args)]
    command = [ptxreduce, str(args.file), "-o", args.output, "--timeout", str(args.reduce_timeout), "--", *again, "{}"]
    print(f"reducing: {shlex.join(command)}", flush=True)
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        print(f"the small file is {args.output}")
    return status


def _options_of(args):
    options = ["--check", args.check, "--schedules", str(args.schedules), "--timeout", str(args.timeout), "--memory",
               str(args.memory)]
    for name in ("ptxopt", "ptxrun", "sanitized_ptxopt", "launches", "passes"):
        value = getattr(args, name)
        if value is not None:
            options += [f"--{name.replace('_', '-')}", value if name == "passes" else os.path.abspath(value)]
    if args.flags:
        options.append(f"--flags={shlex.join(args.flags)}")
    for path in args.ptxas:
        options += ["--ptxas", path]
    return options
