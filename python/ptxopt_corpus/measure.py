# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one file and one ptxopt give: everything that happens on a worker.  Needs no database."""
import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shutil
import tempfile
from typing import Optional, Tuple

from . import children, cubin

CHECKS = ("reprint", "idempotent", "ptxas", "run", "sanitize", "time")
_TARGET = re.compile(rb"^\s*\.target\s+(sm_\w+)", re.MULTILINE)
_ENTRY = re.compile(r"^[^/\n]*\.entry\s+([\w$%]+)", re.MULTILINE)
_LAUNCH = re.compile(r"^//\s*LAUNCH:", re.MULTILINE)
_CALLGRIND = re.compile(r"Collected : (\d+)")
_RUN_STATUSES = {0: "ok", 2: "failed"}  # of ptxrun --compare
_OPTIMIZE = "optimize"


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is the same for all files of a run.  Programs are paths on the worker."""
    ptxopt: str
    flags: Tuple[str, ...] = ()
    checks: Tuple[str, ...] = ()
    ptxas: Tuple[Tuple[str, str], ...] = ()  # (name, path): ("ptxas 13.0", "/usr/local/cuda/bin/ptxas")
    ptxrun: str = ""
    sanitized: str = ""  # a ptxopt that was built with sanitizers
    valgrind: str = ""
    schedules: int = 3
    step_limit: int = 10_000_000
    timeout: float = 60
    memory: int = 4 << 30  # bytes

    def wanted(self) -> set:
        """The checks, as (name, tool), that each file gets."""
        pairs = {(check, "") for check in self.checks if check != "ptxas"}
        return pairs | {("ptxas", name) for name, _ in self.ptxas if "ptxas" in self.checks}


@dataclasses.dataclass(frozen=True)
class Item:
    """A file.  `text` is None where the worker reads `path` itself."""
    sha256: str
    path: str
    text: Optional[bytes] = None
    missing: Tuple[Tuple[str, str], ...] = ()  # the checks that it has not behind it
    assembled: Tuple[str, ...] = ()  # the ptxas that have assembled the text before


class Measurement:
    """Of one file: `rows` are pairs of a table of the results and the values behind the number of the run."""

    def __init__(self, settings: Settings, item: Item, folder: str):
        self.settings, self.item, self.folder = settings, item, folder
        self.rows = []
        self.input = os.path.join(folder, "in.ptx")
        self.output = os.path.join(folder, "out.ptx")
        self.changed = False
        for path in (self.input, self.output):  # of the file before
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def measure(self):
        text = self.item.text
        if text is None:
            with open(self.item.path, "rb") as file:
                text = file.read()
        self.text = text
        _write(self.input, text)
        if not self._optimize():
            return self.rows
        for name, tool in self.item.missing:
            if name == _OPTIMIZE:
                continue
            status, message = self._ptxas(tool) if name == "ptxas" else getattr(self, f"_{name}")()
            self._add("checked", name, tool, status, message)
        return self.rows

    # ---- the run itself ------------------------------------------------------------------------

    def _ptxopt(self, *arguments, program=None, memory=None):
        return children.run([program or self.settings.ptxopt, *arguments], self.settings.timeout,
                            self.settings.memory if memory is None else memory)

    def _optimize(self) -> bool:
        ended = self._ptxopt(*self.settings.flags, self.input, "-o", self.output, "-q", "--stats=json")
        self._add("seconds", "ptxopt", ended.seconds)
        statistics = _statistics(ended.err) if ended.how == "ok" else None
        if ended.how == "ok" and (statistics is None or not os.path.exists(self.output)):
            self._outcome("crash", "it ended without a result")
            return False
        if ended.how != "ok":
            internal = ended.how == "error" and "internal" in ended.message
            self._outcome("crash" if internal else ended.how, ended.message.replace(self.input, "input"))
            return False
        self.result = _read(self.output)
        self.changed = self.result != self.text
        self._outcome("ok", "", statistics["files"][0]["changed"], self.result)
        self._add_counts(statistics["files"][0])
        return True

    def _outcome(self, status, message, changed=False, result=b""):
        digest = hashlib.sha256(result).hexdigest() if status == "ok" else ""
        self._add("outcome", status, message, int(changed), digest)
        self.says_changed, self.digest = changed, digest

    def _add_counts(self, statistics):
        for function in statistics.get("functions", ()):
            before, after = function["before"], function["after"] or {"instructions": None, "barriers": None}
            self._add("function", function["name"], int(function["kernel"]), before["instructions"],
                      before["barriers"], after["instructions"], after["barriers"])
        for name, counters in statistics["passes"].items():
            for counter, value in counters.items():
                self._add("counter", name, counter, value)

    def _add(self, table, *values):
        self.rows.append((table, (self.item.sha256, *values)))

    # ---- the checks: (status, message), of ok, failed, inconclusive and skipped -----------------

    def _reprint(self):
        """Nothing but what a pass changed is written anew."""
        if self.says_changed != self.changed:
            return "failed", "it says that it changed " + ("something" if self.says_changed else "nothing")
        again = os.path.join(self.folder, "reprint.ptx")
        ended = self._ptxopt("-O0", self.input, "-o", again, "-q")
        if ended.how != "ok":
            return "failed", ended.message
        return ("ok", "") if _read(again) == self.text else ("failed", "-O0 does not give the same bytes")

    def _idempotent(self):
        """The same bytes from several threads, and nothing left to do."""
        again = os.path.join(self.folder, "again.ptx")
        ended = self._ptxopt(*self.settings.flags, "-j4", self.input, "-o", again, "-q")
        if ended.how != "ok":
            return "failed", ended.message
        if _read(again) != self.result:
            return "failed", "with -j4 it gives other bytes"
        ended = self._ptxopt(*self.settings.flags, self.output, "-o", again, "-q")
        if ended.how != "ok":
            return "failed", "its own result: " + ended.message
        return ("ok", "") if _read(again) == self.result else ("inconclusive", "a second run changes more")

    def _ptxas(self, tool):
        """The result is accepted if the input is; figures of both."""
        path = dict(self.settings.ptxas)[tool]
        fine = tool in self.item.assembled or self._assemble(tool, path, self.input, self.item.sha256)
        if not fine:
            return "skipped", "the input is not accepted"
        if not self.changed:
            return "ok", ""
        return ("ok", "") if self._assemble(tool, path, self.output, self.digest) else ("failed", self.refusal)

    def _assemble(self, tool, path, text, digest):
        target = _TARGET.search(self.text)
        if not target:
            self.refusal = "no .target"
            return False
        output = os.path.join(self.folder, "cubin")
        command = [path, f"-arch={target.group(1).decode()}", "-v", text, "-o", output]
        ended = children.run(command, self.settings.timeout)
        if ended.how == "error":  # it may leave functions to the linker
            ended = children.run([*command, "-c"], self.settings.timeout)
        self._add("seconds", f"{tool} {'before' if text is self.input else 'after'}", ended.seconds)
        self.refusal = "" if ended.how == "ok" else ended.message.replace(text, "text")
        self.rows.append(("assembly", (digest, tool, int(ended.how == "ok"), self.refusal)))
        if ended.how == "ok":
            for kernel, figures in cubin.figures_of(ended.err, _read(output)).items():
                self.rows.append(("assembled", (digest, tool, kernel, *figures)))
        return ended.how == "ok"

    def _run(self):
        """ptxrun finds no difference between the input and the result."""
        if not self.changed:
            return "ok", ""
        kernels = _ENTRY.findall(self.text.decode("utf-8", "replace"))
        verdicts = {}
        for kernel in kernels:
            ended = children.run([self.settings.ptxrun, "--compare", self.input, self.output, "--kernel", kernel,
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

    def _sanitize(self):
        """A build with sanitizers has nothing to report."""
        ended = self._ptxopt(*self.settings.flags, self.input, "-o", os.path.join(self.folder, "sanitized.ptx"), "-q",
                             program=self.settings.sanitized, memory=0)
        if ended.how in ("crash", "timeout"):
            return "failed", ended.message
        report = next((line for line in ended.err.splitlines()
                       if "Sanitizer" in line or "runtime error:" in line), None)
        return ("ok", "") if report is None else ("failed", report[:500])

    def _time(self):
        """What the run costs: instructions where there is valgrind, else the least of three processor times."""
        if self.settings.valgrind:
            ended = children.run([self.settings.valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                  self.settings.ptxopt, *self.settings.flags, "-j1", self.input, "-o", os.devnull,
                                  "-q"], 60 * self.settings.timeout)
            found = _CALLGRIND.search(ended.err)
            if not found:
                return "failed", ended.message
            self._add("cost", int(found.group(1)))
        else:
            times = [self._ptxopt(*self.settings.flags, "-j1", self.input, "-o", os.devnull, "-q").seconds
                     for _ in range(3)]
            self._add("seconds", "ptxopt, least of three", min(times))
        return "ok", ""


def measure(settings: Settings, item: Item) -> list:
    """The rows of one file."""
    return measure_all(settings, [item])[0][1]


def measure_all(settings: Settings, items) -> list:
    """Of several files: the SHA-256 of each, and its rows."""
    folder = tempfile.mkdtemp(prefix="ptxopt-corpus-")
    try:
        return [(item.sha256, Measurement(settings, item, folder).measure()) for item in items]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _statistics(text):
    at = text.find("{\n")
    try:
        return json.loads(text[at:]) if at >= 0 else None
    except json.JSONDecodeError:
        return None


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _write(path, text):
    with open(path, "wb") as file:
        file.write(text)
