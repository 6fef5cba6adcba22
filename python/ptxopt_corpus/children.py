# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child processes under limits of time and memory."""
import os
import resource
import select
import signal
import subprocess
import threading
from typing import NamedTuple, Optional

_MOST_OUTPUT = 16 << 20  # bytes of standard error that are read


_running = set()  # process ids
_lock = threading.Lock()
_is_stopped = False


class Stopped(Exception):
    """stop_all() was called."""


def stop_all():
    """Ends all children, of all threads, and lets no more begin: the program is about to end."""
    global _is_stopped
    with _lock:
        _is_stopped = True
        for pid in _running:
            _kill(pid)


class Ended(NamedTuple):
    status: Optional[int]  # the exit status; minus a signal; None: it ran out of time and was killed
    err: str  # what it wrote to standard error
    seconds: float  # processor time, user and system

    @property
    def how(self) -> str:
        """One of ok, error, crash, timeout."""
        if self.status is None:
            return "timeout"
        if self.status < 0:
            return "crash"
        return "ok" if self.status == 0 else "error"

    @property
    def message(self) -> str:
        """The first line that it wrote to standard error, or what ended it."""
        if self.status is None:
            return "ran out of time"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        lines = [line for line in self.err.splitlines() if line.strip()]
        return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")[:500]


def run(command, timeout: float, memory: int = 0) -> Ended:
    """Runs a command with no standard input and output.  `memory`: bytes of address space, 0 for no limit; it is set
    right after the start, which costs less than a fork that sets it before.  Nor are descriptors closed in the child:
    Python lets none be inherited anyway."""
    err = os.memfd_create("err")
    try:
        with _lock:
            if _is_stopped:
                raise Stopped
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                     start_new_session=True, close_fds=False)
            _running.add(child.pid)
        try:
            if memory:
                _limit(child.pid, memory)
            status, seconds = _wait(child, timeout)
        except BaseException:
            _kill(child.pid)
            child.wait()
            raise
        finally:
            with _lock:
                _running.discard(child.pid)
        if _is_stopped:
            raise Stopped
        return Ended(status, os.pread(err, _MOST_OUTPUT, 0).decode("utf-8", "replace"), seconds)
    finally:
        os.close(err)


def _limit(pid, memory):
    try:
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
    except ProcessLookupError:
        pass  # it has ended


def _wait(child, timeout):
    handle = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        in_time = bool(poll.poll(timeout * 1000))
    finally:
        os.close(handle)
    if not in_time:
        _kill(child.pid)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode if in_time else None, usage.ru_utime + usage.ru_stime


def _kill(pid):
    """With what it started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
