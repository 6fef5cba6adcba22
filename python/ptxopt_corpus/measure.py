# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What some files and one ptxopt give: everything that happens on a worker.  Needs no database.

Starting a ptxopt costs more than a small file does.  So small files go through it together, as long as there is nothing
to say about them: what fails, reports or takes too long together is done again one by one, and only that counts.  So
the results of a file do not depend on the files beside it.
"""
import collections
import contextlib
import dataclasses
import hashlib
import itertools
import json
import os
import re
import tempfile
from typing import Optional, Tuple

from . import children, cubin, launches, quick, remarks

CHECKS = ("reprint", "idempotent", "ptxas", "run", "sanitize", "time", "remarks")
_TARGET = re.compile(rb"^\s*\.target\s+(sm_(\d+)\w*)", re.MULTILINE)
_ENTRY = re.compile(r"^[^/\n]*\.entry\s+([\w$%]+)", re.MULTILINE)
_CALLGRIND = re.compile(r"Collected : (\d+)")
_OK = ("ok", "")
_CHANGES_MORE = ("inconclusive", "a second run changes more")
_RUN_STATUSES = {0: "ok", 2: "failed"}  # of ptxrun --compare
_LARGE = 64 << 10  # bytes of a file that goes through ptxopt by itself, and whose time is noted
# Options that mean the same whatever other files there are: for `whole-program` these are the program.
_OF_EACH_FILE = re.compile(r"(?!.*whole-program)(-O|--(passes|disable-pass|do-cssa|opt-bisect-limit|for|for-lenient|verify|"
                           r"verify-each|reprint|enforce|dispatch|flat-shared|(assume|trust|nc|noalias|relax|cbe|cssa|earlycse)(-[\w-]+)?)"
                           r"(=|$)|[^-])")


@dataclasses.dataclass(frozen=True)
class Ptxas:
    name: str  # with its release: ptxas 13.0
    path: str
    oldest: int  # target that it knows: 75 for sm_75


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is the same for all files of a run.  Programs are paths on the worker."""
    ptxopt: str
    flags: Tuple[str, ...] = ()
    # (name, tool, by) of the checks: `by` is what a result depends on beside ptxopt and its options.
    checks: Tuple[Tuple[str, str, str], ...] = ()
    ptxas: Tuple[Ptxas, ...] = ()
    ptxrun: str = ""
    sanitized: str = ""  # a ptxopt that was built with sanitizers
    valgrind: str = ""
    schedules: int = 3
    step_limit: int = 10_000_000
    timeout: float = 60
    memory: int = 4 << 30  # bytes


@dataclasses.dataclass(frozen=True)
class Item:
    """A file.  `text` is None where the worker reads it; `is_here`: whether the worker has it at `path`."""
    sha256: str
    path: str
    text: Optional[bytes] = None
    is_here: bool = True
    missing: Tuple[Tuple[str, str, str], ...] = ()  # the checks that it has not behind it
    assembled: Tuple[str, ...] = ()  # the ptxas that have assembled the text before
    launch: Optional[launches.Launch] = None  # None: the run knows nothing of launches


class _File:
    """An item on the disk of the worker."""

    def __init__(self, item: Item, folder: str, used):
        """`used`: names that files before this one have."""
        self.item = item
        self.text = quick.read(item.path) if item.text is None else item.text
        self.input, self.name = item.path, os.path.basename(item.path)
        if not item.is_here or self.name in used:
            self.name = f"{item.sha256}.ptx"
            self.input = f"{folder}/in/{self.name}"
            _write(self.input, self.text)
        self.output = f"{folder}/out/{self.name}"
        self.is_ok = False  # ptxopt gave a result, which is in `output`
        self.result = b""
        self.digest = ""
        self.changed = self.says_changed = False


class Measurement:
    """Of files with the same facts of launches.  `rows`: by table of the results, the values of rows without the number
    of the run."""

    def __init__(self, settings: Settings, items, folder: str):
        self.settings, self.folder = settings, folder
        self.rows = collections.defaultdict(list)
        self.launch = items[0].launch
        self.launch_path = _at_hand(self.launch, folder) if self.launch else ""
        self.flags = (*settings.flags, *([f"--launch={self.launch_path}"] if self.launch else []))
        os.mkdir(f"{folder}/in")
        os.mkdir(f"{folder}/out")
        self.numbers = itertools.count()
        used = set()
        self.files = []
        for item in items:
            self.files.append(_File(item, folder, used))
            used.add(self.files[-1].name)
        self.is_each = all(map(_OF_EACH_FILE.match, settings.flags))

    def measure(self):
        self._optimize_all()
        for name, tool, by in self.settings.checks:
            files = [file for file in self.files if file.is_ok and (name, tool, by) in file.item.missing]
            known = getattr(self, f"_{name}_together", lambda _: {})(list(files))
            for file in files:
                status, message = known.get(file) or getattr(self, f"_{name}")(file, tool)
                self._add(file, "checked", name, tool, by, status, message)
        return {table: values for table, values in self.rows.items() if values}

    def _add(self, file, table, *values):
        self.rows[table].append((file.item.sha256, *values))

    # ---- ptxopt --------------------------------------------------------------------------------

    def _ptxopt(self, *arguments, program=None, memory=None):
        return children.run([program or self.settings.ptxopt, *arguments, "-q"], self.settings.timeout,
                            self.settings.memory if memory is None else memory)

    def _together(self, files, folder, *arguments, of=lambda file: file.input, **options):
        """Runs ptxopt over several small files; `files` is left with these.  None: there is no gain in it."""
        files[:] = [file for file in files if len(file.text) < _LARGE]
        if not self.is_each or len(files) < 2:
            return None
        return self._ptxopt(*arguments, *map(of, files), f"--output-dir={self.folder}/{folder}", **options)

    def _pass(self, files, *arguments, text_of, **options):
        """For each file, whether ptxopt writes this text for it; nothing if anything else happens."""
        files, folder = list(files), f"again{next(self.numbers)}"
        ended = self._together(files, folder, *arguments, **options)
        if not ended or ended.how != "ok":
            return {}
        return {file: quick.has(f"{self.folder}/{folder}/{file.name}", text_of(file)) for file in files}

    def _again(self, file):
        """A path where nothing is yet."""
        return f"{self.folder}/again{next(self.numbers)}-{file.name}"

    def _optimize_all(self):
        alone = dict.fromkeys(self.files)
        files = list(alone)
        ended = self._together(files, "out", *self.flags, "-j1", "--stats=json")
        statistics = _statistics(ended.err) if ended and ended.how in ("ok", "error") else ()
        if len(statistics) == len(files):
            for file, counts in zip(files, statistics):
                if counts["ok"]:
                    with contextlib.suppress(FileNotFoundError):
                        self._note(file, counts)
                        del alone[file]
        for file in alone:
            self._optimize(file)

    def _optimize(self, file):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.output)
        ended = self._ptxopt(*self.flags, "-j1", file.input, "-o", file.output, "--stats=json")
        if len(file.text) >= _LARGE:
            self._add(file, "seconds", "ptxopt", ended.seconds)
        statistics = _statistics(ended.err) if ended.how == "ok" else ()
        if ended.how == "ok" and (not statistics or not os.path.exists(file.output)):
            self._add(file, "outcome", "crash", "it ended without a result", 0, "", self._launch_key())
        elif ended.how != "ok":
            self._add(file, "outcome", *self._refused(file, ended), 0, "", self._launch_key())
        else:
            self._note(file, statistics[0])

    def _refused(self, file, ended):
        """The status of a file without a result, and why."""
        message = ended.message
        if ended.how == "error" and self.launch and message.removeprefix("ptxopt: error: ").startswith(f"{self.launch_path}:"):
            return "bad-launch", message.replace(self.launch_path, self.launch.path)
        internal = ended.how == "error" and "internal" in message
        return "crash" if internal else ended.how, message.replace(file.input, "input")

    def _launch_key(self):
        return self.launch.sha256 if self.launch else ""

    def _note(self, file, counts):
        file.result = quick.read(file.output, len(file.text))
        file.is_ok, file.says_changed = True, counts["changed"]
        file.changed = file.result != file.text
        file.digest = hashlib.sha256(file.result).hexdigest() if file.changed else file.item.sha256
        self._add(file, "outcome", "ok", "", int(file.says_changed), file.digest, self._launch_key())
        sha256, gone = file.item.sha256, {"instructions": None, "barriers": None}
        for function in counts.get("functions", ()):
            before, after = function["before"], function["after"] or gone
            self.rows["function"].append((sha256, function["name"], int(function["kernel"]), before["instructions"],
                                          before["barriers"], after["instructions"], after["barriers"]))
        self.rows["counter"] += [(sha256, name, counter, value) for name, counters in counts["passes"].items()
                                 for counter, value in counters.items()]

    # ---- the checks: (status, message), of ok, failed, inconclusive and skipped -----------------
    # _CHECK_together() gives it for those of several files that it is sure of; the others are checked one by one.

    def _reprint_together(self, files):
        same = self._pass([file for file in files if file.says_changed == file.changed], "-O0", "-j1",
                          text_of=lambda file: file.text)
        return {file: _OK for file in same if same[file]}

    def _reprint(self, file, _):
        """Nothing but what a pass changed is written anew."""
        if file.says_changed != file.changed:
            return "failed", "it says that it changed " + ("something" if file.says_changed else "nothing")
        again = self._again(file)
        ended = self._ptxopt("-O0", file.input, "-o", again)
        if ended.how != "ok":
            return "failed", ended.message
        return _OK if quick.has(again, file.text) else ("failed", "-O0 does not give the same bytes")

    def _idempotent_together(self, files):
        same = self._pass(files, *self.flags, "-j4", text_of=lambda file: file.result)
        again = self._pass([file for file in same if same[file]], *self.flags, "-j1",
                           of=lambda file: file.output, text_of=lambda file: file.result)
        return {file: _OK if again[file] else _CHANGES_MORE for file in again}

    def _idempotent(self, file, _):
        """The same bytes from several threads, and nothing left to do."""
        again = self._again(file)
        ended = self._ptxopt(*self.flags, "-j4", file.input, "-o", again)
        if ended.how != "ok":
            return "failed", ended.message
        if not quick.has(again, file.result):
            return "failed", "with -j4 it gives other bytes"
        again = self._again(file)
        ended = self._ptxopt(*self.flags, "-j1", file.output, "-o", again)
        if ended.how != "ok":
            return "failed", "its own result: " + ended.message
        return _OK if quick.has(again, file.result) else _CHANGES_MORE

    def _ptxas(self, file, tool):
        """The result is accepted if the input is; figures of both."""
        ptxas = next(ptxas for ptxas in self.settings.ptxas if ptxas.name == tool)
        if tool not in file.item.assembled and self._refusal(file, ptxas, file.input, file.item.sha256) is not None:
            return "skipped", "the input is not accepted"
        if not file.changed:
            return _OK
        refusal = self._refusal(file, ptxas, file.output, file.digest)
        return _OK if refusal is None else ("failed", refusal)

    def _refusal(self, file, ptxas, text, digest):
        """What ptxas says against a text; None if it takes it.  PTX for a target that it does not know any more is
        assembled for the oldest that it does."""
        target = _TARGET.search(file.text)
        is_known = target and int(target.group(2)) >= ptxas.oldest
        output = os.path.join(self.folder, "cubin")
        command = [ptxas.path, f"-arch={target.group(1).decode() if is_known else f'sm_{ptxas.oldest}'}", "-v", text,
                   "-o", output]
        ended = children.run(command, self.settings.timeout)
        if ended.how == "error":  # it may leave functions to the linker
            ended = children.run([*command, "-c"], self.settings.timeout)
        self._add(file, "seconds", f"{ptxas.name} {'before' if text is file.input else 'after'}", ended.seconds)
        refusal = None if ended.how == "ok" else ended.message.replace(text, "text")
        self.rows["assembly"].append((digest, ptxas.name, int(refusal is None), refusal or ""))
        if refusal is None:
            self.rows["assembled"] += [(digest, ptxas.name, kernel, *figures)
                                       for kernel, figures in cubin.figures_of(ended.err, quick.read(output)).items()]
        return refusal

    def _run(self, file, _):
        """ptxrun finds no difference between the input and the result."""
        if not file.changed:
            return _OK
        verdicts = {}
        text = file.text.decode("utf-8", "replace")
        # A launch that is made up need not be as the facts say.
        is_known = self.launch not in (None, launches.NOT_KNOWN)
        described = launches.described(text) if is_known else ()
        for kernel in _ENTRY.findall(text):
            if is_known and not described & {kernel, None}:
                verdicts.setdefault("inconclusive", []).append(kernel)
                continue
            ended = children.run([self.settings.ptxrun, "--compare", file.input, file.output, "--kernel", kernel,
                                  "--guess", "--schedules", str(self.settings.schedules), "--step-limit",
                                  str(self.settings.step_limit)], self.settings.timeout)
            status = _RUN_STATUSES.get(ended.status, "inconclusive")
            verdicts.setdefault(status, []).append(kernel)
        for status in ("failed", "ok", "inconclusive"):
            if status in verdicts:
                others = ", ".join(verdicts.get("inconclusive", ())) if status == "ok" else ""
                message = ", ".join(verdicts[status]) if status != "ok" else others and f"not decided: {others}"
                return status, message
        return "skipped", "no kernel"

    def _sanitize_together(self, files):
        ended = self._together(files, "sanitized", *self.flags, "-j1", program=self.settings.sanitized, memory=0)
        return dict.fromkeys(files, _OK) if ended and ended.how == "ok" and _report(ended) is None else {}

    def _sanitize(self, file, _):
        """A build with sanitizers has nothing to report."""
        ended = self._ptxopt(*self.flags, "-j1", file.input, "-o", self._again(file),
                             program=self.settings.sanitized, memory=0)
        report = _report(ended)
        if report is None and ended.how in ("crash", "timeout"):
            report = ended.message
        return _OK if report is None else ("failed", report)

    def _time(self, file, _):
        """What the run costs: instructions where there is valgrind, else the least of three processor times."""
        arguments = [*self.flags, "-j1", file.input, "-o", os.devnull]
        if self.settings.valgrind:
            ended = children.run([self.settings.valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                  self.settings.ptxopt, *arguments, "-q"], 60 * self.settings.timeout)
            found = _CALLGRIND.search(ended.err)
            if not found:
                return "failed", ended.message
            self._add(file, "cost", int(found.group(1)))
        else:
            times = [self._ptxopt(*arguments).seconds for _ in range(3)]
            self._add(file, "seconds", "ptxopt, least of three", min(times))
        return _OK

    def _remarks_together(self, files):
        log = f"{self.folder}/remarks"
        ended = self._together(files, f"again{next(self.numbers)}", *self.flags, "-j1", f"--remarks={log}")
        if not ended or ended.how != "ok":
            return {}
        self._add_remarks(log, files)
        return dict.fromkeys(files, _OK)

    def _remarks(self, file, _):
        """What ptxopt says of each function: what the passes did, and why they did not do more."""
        log = f"{self.folder}/remarks"
        ended = self._ptxopt(*self.flags, "-j1", file.input, "-o", os.devnull, f"--remarks={log}")
        if ended.how != "ok":
            return "failed", ended.message
        self._add_remarks(log, [file])
        return _OK

    def _add_remarks(self, log, files):
        by_input = {file.input: file for file in files}
        said, amounts = remarks.counts_of(quick.read(log))
        for (path, *key), count in said.items():
            self._add(by_input[path], "said", *key, count)
        for (path, *key), value in amounts.items():
            self._add(by_input[path], "amount", *key, value)


def measure(settings: Settings, items) -> dict:
    """By table of the results, the values of rows without the number of the run."""
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.launch and item.launch.sha256].append(item)
    rows = collections.defaultdict(list)
    for group in groups.values():
        folder = tempfile.mkdtemp(prefix="ptxopt-corpus-")
        try:
            for table, values in Measurement(settings, group, folder).measure().items():
                rows[table] += values
        finally:
            quick.remove(folder)
    return rows


def _at_hand(launch, folder):
    """The path of the facts on this worker."""
    if launch.is_here:
        return launch.path
    path = f"{folder}/launch.json"
    _write(path, launch.text)
    return path


def _statistics(text):
    """Those of each file, from what ptxopt wrote; none if it did not come so far."""
    at = text.find('{\n "files": [')
    with contextlib.suppress(json.JSONDecodeError):
        return json.JSONDecoder().raw_decode(text, at)[0]["files"] if at >= 0 else ()
    return ()


def _report(ended):
    """The line in which a sanitizer says what it found; None if there is none."""
    return next((line[:500] for line in ended.err.splitlines() if "Sanitizer" in line or "runtime error:" in line), None)


def _write(path, text):
    with open(path, "wb") as file:
        file.write(text)
