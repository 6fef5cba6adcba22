# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ptxopt, and checks of what it wrote, over a collection or over files of PTX.

Each file is a child process under limits of time and memory.  The results go to one SQLite file; what is in it
already is not done again, so that a run that was stopped goes on where it was.  The exit status is 2 if a check
failed, and 130 after Ctrl-C.
"""
import argparse
import collections
import dataclasses
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from . import children, engine, parquet, quick, results
from .collection import Collection
from .errors import Mistake
from .facts_of_text import producer_of
from .launches import NOT_KNOWN, Launches
from .measure import CHECKS, Item, Ptxas, Settings
from .programs import digest_of, find_program

HELP = "run ptxopt and checks over all files"
USES_COLLECTION = True
FAILED = 2
# A batch is what a worker gets at a time.  There are some for each worker, so that all end together.
_BATCH_BYTES = 4 << 20
_MOST_IN_BATCH = 256
_SECONDS_OF_TRANSACTION = 10  # what a run that is killed may have to do again
_BATCHES_OF_WORKER = 8
_WORKERS_OF_CLUSTER = 64  # as many as one may have


def add_arguments(parser):
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="PATH",
                        help="files of PTX, and folders of these, instead of the collection")
    parser.add_argument("--suite", action="append", help="only files of this suite (repeatable)")
    parser.add_argument("--distinct", action="store_true",
                        help="leave out files whose kernels are all in other ones, up to names")
    parser.add_argument("--sample", type=_positive, metavar="N", help="only so many of the files, evenly spread")
    parser.add_argument("--ptxopt", metavar="PROGRAM", help="the ptxopt to try (default: beside this program, or in PATH)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--passes", help="the passes to run, as for ptxopt --passes")
    what.add_argument("--flags", type=shlex.split, default=[], help="options of ptxopt, as one word: --flags='-O3'")
    parser.add_argument("--launches", metavar="PATH",
                        help="what is known of launches, as for ptxopt --launch: a file, or a folder with one for each file, "
                             "DIR/NAME.json for NAME.ptx or, of the collection, DIR/SHA256.json")
    parser.add_argument("--check", default="reprint", metavar="LIST",
                        help=f"of {', '.join(CHECKS)}, with commas between them; none for no check (default: %(default)s)")
    parser.add_argument("--ptxas", action="append", default=[], metavar="PROGRAM",
                        help="a ptxas for --check=ptxas (repeatable; default: the one in PATH)")
    parser.add_argument("--ptxrun", metavar="PROGRAM", help="the ptxrun for --check=run (default: as for --ptxopt)")
    parser.add_argument("--sanitized-ptxopt", metavar="PROGRAM",
                        help="a build of ptxopt with sanitizers, for --check=sanitize")
    parser.add_argument("--schedules", type=int, default=3, help="of each run of ptxrun (default: %(default)s)")
    parser.add_argument("--timeout", type=_positive, default=60, metavar="S",
                        help="seconds for each child process (default: %(default)s)")
    parser.add_argument("--memory", type=int, default=4096, metavar="MIB",
                        help="address space of each ptxopt, 0 for no limit (default: %(default)s)")
    parser.add_argument("--jobs", "-j", type=_positive, default=os.cpu_count() or 1, metavar="N",
                        help="child processes at a time (default: %(default)s)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="work on the Dask cluster whose scheduler is there")
    parser.add_argument("--shared-files", action="store_true",
                        help="the workers of the cluster read the files themselves")
    parser.add_argument("--retry", action="store_true", help="try files again that crashed, or took too long")
    parser.add_argument("--results", default=results.DEFAULT, metavar="FILE", help="(default: %(default)s)")
    parser.add_argument("--parquet", metavar="DIR", help="write all results as Parquet too, behind the run (needs pyarrow)")


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def main(args):
    settings = settings_of(args)
    # On a cluster facts go with the work, since no other file says which there are.
    launches = launches_of(settings, args.launches, is_here=not args.cluster)
    if args.parquet:
        parquet.require()
    with results.Results.open(args.results, create=True) as found:
        run = found.run_of(digest_of(settings.ptxopt), _first_line(settings.ptxopt), shlex.join(settings.flags),
                           os.path.normpath(args.launches) if args.launches else "")
        if args.retry:
            found.forget_set_aside(run)
        work = Work(found, run, settings, launches, args)
        if work.count == 0:
            raise Mistake("no files of PTX to run" + (f" in {args.corpus}" if not args.paths else ""))
        work.run()
        if args.parquet:
            found.commit()
            parquet.write(found.database, args.parquet)
        summary, failures = _summary(found, run, args.launches)
        print(f"{summary}\nresults: {args.results}, run {run}")
        return FAILED if failures else 0


# ---- options -----------------------------------------------------------------------------------


def settings_of(args):
    names = () if args.check == "none" else tuple(dict.fromkeys(args.check.split(",")))
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise Mistake(f"--check: '{unknown[0]}' is none of {', '.join(CHECKS)}")
    if "sanitize" in names and not args.sanitized_ptxopt:
        raise Mistake("--check=sanitize needs --sanitized-ptxopt")
    flags = [f"--passes={args.passes}"] if args.passes is not None else args.flags
    if any(flag.partition("=")[0] == "--launch" for flag in flags):
        raise Mistake("--flags: --launches=PATH gives facts of launches, so that the results are of their content")
    settings = Settings(
        ptxopt=os.path.abspath(find_program("ptxopt", args.ptxopt)), flags=tuple(flags),
        ptxas=tuple(map(_ptxas, args.ptxas or ["ptxas"])) if "ptxas" in names else (),
        ptxrun=os.path.abspath(find_program("ptxrun", args.ptxrun)) if "run" in names else "",
        sanitized=os.path.abspath(find_program("ptxopt", args.sanitized_ptxopt)) if "sanitize" in names else "",
        valgrind=shutil.which("valgrind") or "" if "time" in names else "", schedules=args.schedules,
        timeout=args.timeout, memory=args.memory << 20)
    return dataclasses.replace(settings, checks=tuple(_identities(settings, names)))


def _identities(settings, names):
    """Of each check, its name, its tool where there may be several, and what else its result depends on."""
    for name in names:
        if name == "ptxas":
            yield from ((name, ptxas.name, "") for ptxas in settings.ptxas)
        elif name == "run":
            yield name, "", f"ptxrun {digest_of(settings.ptxrun)[:16]}, {settings.schedules} schedules"
        elif name == "sanitize":
            yield name, "", f"ptxopt {digest_of(settings.sanitized)[:16]}"
        elif name == "time":
            yield name, "", _first_line(settings.valgrind) if settings.valgrind else "processor times"
        else:
            yield name, "", ""


def _output_of(path, option):
    try:
        return subprocess.run([path, option], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Mistake(f"{path}: {error}") from error


def _ptxas(given):
    path = os.path.abspath(find_program("ptxas", given))
    release = re.search(r"release (\d+\.\d+)", _output_of(path, "--version"))
    if not release:
        raise Mistake(f"{path}: this is no ptxas: --version names no release")
    targets = re.findall(r"'sm_(\d+)", _output_of(path, "--help"))
    return Ptxas(f"ptxas {release.group(1)}", path, min(map(int, targets), default=0))


def launches_of(settings, path, is_here=True):
    """What is known of launches; None if nothing was given.  Facts of all files that are wrong end the run at once."""
    if path is None:
        return None
    launches = Launches(path, is_here)
    if launches.of_all:
        # The facts are read before the input, of which there is none.
        ended = children.run([settings.ptxopt, f"--launch={launches.path}", os.devnull, "-o", os.devnull, "-q"], settings.timeout)
        if ended.message.startswith(launches.path):
            raise Mistake(f"--launches: {ended.message}")
    return launches


def _first_line(path):
    """What a program says of its version."""
    lines = _output_of(path, "--version").splitlines()
    return lines[0] if lines else ""


# ---- the work ----------------------------------------------------------------------------------


class Work:
    """The files that are not done yet, and what comes of them."""

    def __init__(self, found, run, settings, launches, args):
        self.found, self.number, self.settings, self.launches, self.args = found, run, settings, launches, args
        self.collection = None if args.paths else Collection.open(args.corpus)
        self.flying = {}  # the rows of `source` that are written with what comes of a file
        self.next_commit = 0
        self.all = sum(1 for _ in (_ptx_below(args.paths) if args.paths else self._records()))
        self.count = min(self.all, args.sample or self.all)
        found.database.execute("CREATE TEMP TABLE of_run(sha256 TEXT PRIMARY KEY) WITHOUT ROWID")

    def run(self):
        progress = Progress(self.count)
        batches = self._batches(progress)
        if self.args.cluster:
            done = engine.dask(self.settings, batches, self.args.cluster)
        else:
            done = engine.local(self.settings, batches, self.args.jobs)
        try:
            for batch, rows in done:
                self._write(batch, rows)
                progress.add(len(batch))
        finally:
            done.close()
            progress.end()

    def _records(self):
        return self.collection.files(self.args.suite, self.args.distinct)

    def _batches(self, progress):
        workers = _WORKERS_OF_CLUSTER if self.args.cluster else self.args.jobs
        most = max(1, min(_MOST_IN_BATCH, self.count // (_BATCHES_OF_WORKER * workers)))
        batch, size = [], 0
        for item, length in self._items(progress):
            batch.append(item)
            size += length
            if len(batch) >= most or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _items(self, progress):
        """Those that are not done, each once, with their sizes."""
        wanted = set(self.settings.checks)
        is_new = not self.found.has_outcomes(self.number)
        for sha256, path, name, text, suite, producer in self._sample(self._sources()):
            added = self.found.database.execute("INSERT OR IGNORE INTO of_run VALUES(?)", (sha256,))
            if added.rowcount == 0:  # the same text as a file before
                progress.add(1)
                continue
            launch = self.launches and self.launches.of(name)
            done = set() if is_new else self.found.done(self.number, sha256, launch.sha256 if launch else "")
            missing = () if "all" in done else tuple(sorted(wanted - done))
            if not missing and done:
                progress.add(1)
                continue
            text = quick.read(path) if text is None else text
            self.flying[sha256] = (sha256, path, suite, producer or producer_of(text) or "unknown", len(text))
            assembled = tuple(ptxas.name for ptxas in self.settings.ptxas if self.found.is_assembled(sha256, ptxas.name))
            is_read_there = self.args.cluster and self.args.shared_files
            is_here = not self.args.cluster or self.args.shared_files
            yield Item(sha256, path, None if is_read_there else text, is_here, missing, assembled, launch), len(text)

    def _sample(self, sources):
        taken = 0
        for number, source in enumerate(sources):
            if taken < self.count and number == taken * self.all // self.count:
                taken += 1
                yield source

    def _sources(self):
        """SHA-256, path (not relative: `report` may read it from another folder), name of its facts, text if it was read,
        suite and producer of each."""
        if self.collection is not None:
            for record in self._records():
                yield record.sha256, os.path.abspath(record.path), record.sha256, None, record.suite, record.producer
            return
        for path, name in _ptx_below(self.args.paths):
            text = quick.read(path)
            yield hashlib.sha256(text).hexdigest(), path, name, text, path.split(os.sep)[-2], ""

    def _write(self, batch, rows):
        if rows is None:  # the one file of the batch has ended its worker
            item = batch[0]
            print(f"{item.path}: error: its worker ended; the file is set aside", file=sys.stderr)
            rows = {"outcome": [(item.sha256, "lost", "its worker ended", 0, "", item.launch.sha256 if item.launch else "")]}
        self.found.write(self.number, {"source": [self.flying.pop(item.sha256) for item in batch],
                                       **_facts_of(batch), **rows})
        now = time.monotonic()
        if now >= self.next_commit:
            self.found.commit()
            self.next_commit = now + _SECONDS_OF_TRANSACTION



def _facts_of(batch):
    """Rows with what is known of launches, so that `report` needs no other file for it."""
    launches = {item.launch for item in batch if item.launch}
    rows = [(launch.sha256, launch.text.decode("utf-8", "replace")) for launch in launches]
    return {"launch": rows} if rows else {}


def _ptx_below(paths):
    """Paths, and what they are called below the folder that was given, without ".ptx".  In the same order each time, and
    without a list of all of them."""
    for path in paths:
        if path.is_dir():
            folder = os.path.abspath(path)
            for found in _ptx_in(folder):
                yield found, found[len(folder):].lstrip(os.sep).removesuffix(".ptx")
        elif path.is_file():
            yield os.path.abspath(path), path.name.removesuffix(".ptx")
        else:
            raise Mistake(f"{path}: no such file or folder")


def _ptx_in(folder):
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _ptx_in(entry.path)
        elif entry.name.endswith(".ptx"):
            yield entry.path


class Progress:
    """A line that is written over on a terminal; elsewhere a line each half a minute."""

    def __init__(self, count):
        self.count, self.done, self.begun = count, 0, time.monotonic()
        self.is_terminal = sys.stderr.isatty()
        self.next = self.begun + (0 if self.is_terminal else 30)

    def add(self, files):
        self.done += files
        now = time.monotonic()
        if now >= self.next:
            self.next = now + (0.2 if self.is_terminal else 30)
            self._print(now)

    def _print(self, now):
        spent = now - self.begun
        left = spent / self.done * (self.count - self.done) if self.done else 0
        text = f"{self.done} of {self.count} files, {100 * self.done // max(self.count, 1)} %, {_clock(left)} left"
        print(f"\r{text:<60}" if self.is_terminal else text, end="" if self.is_terminal else "\n", file=sys.stderr,
              flush=True)

    def end(self):
        if self.is_terminal:
            print(f"\r{'':<60}\r", end="", file=sys.stderr)


def _clock(seconds):
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


# ---- the summary -------------------------------------------------------------------------------


def _summary(found, run, launches):
    """(text, number of failures) of the files in the table `of_run`."""
    statuses, changed = collections.Counter(), 0
    checks = collections.defaultdict(collections.Counter)
    failures = []
    for sha256, status, message, is_changed in found.database.execute(
            "SELECT sha256, status, message, changed FROM outcome JOIN of_run USING (sha256) WHERE run = ?", (run,)):
        statuses[status] += 1
        changed += is_changed
        if status not in results.FINE:
            failures.append((sha256, status, message))
    for sha256, name, tool, status, message in found.database.execute(
            "SELECT sha256, name, tool, status, message FROM checked JOIN of_run USING (sha256) WHERE run = ?", (run,)):
        checks[tool or name][status] += 1
        if status == "failed":
            failures.append((sha256, tool or name, message))
    lines = []
    for sha256, what, message in failures:
        path, = found.database.execute("SELECT path FROM source WHERE sha256 = ?", (sha256,)).fetchone()
        lines.append(f"{path}: {what}: {message}")
    lines.append(f"{sum(statuses.values())} files: {_counts(statuses)}; {changed} changed")
    lines += [f"{name}: {_counts(counts)}" for name, counts in sorted(checks.items())]
    if launches:
        known, = found.database.execute("SELECT count(*) FROM outcome JOIN of_run USING (sha256) WHERE run = ? AND launch != ?",
                                        (run, NOT_KNOWN.sha256)).fetchone()
        lines.append(f"launches: facts for {known} of them")
    return "\n".join(lines), len(failures)


def _counts(counts):
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none"
