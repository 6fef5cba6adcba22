# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus run --cluster: one worker is killed, one hangs, and files crash: dask_test.py PTXOPT

Skipped without Dask.  All results must be there, once, as a run on this machine has them; and the files that
crash are named.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import run_test
from run_test import KERNELS, PROGRAM, SOURCE, WRAPPER, content, corpus

SKIPPED = 77
WORKERS = 3
FILES = 24

FACTS = '{"kernels": {"_Z7ownSlotPKiPi": {"block": 1}}}'

# A file that takes its worker with it.
DEADLY = """
if asks("KILL"):
    os.kill(int(open("/proc/%d/stat" % os.getpid()).read().split()[3]), 9)
"""


def start(*arguments, folder):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "8s",
                   "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}
    return subprocess.Popen([sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]], cwd=folder,
                            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def worker_processes():
    """Process ids of the workers, which their nannies have started, the oldest first."""
    import distributed
    with distributed.Client(ADDRESS, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


def make_files(folder):
    ptx, programs = folder / "ptx", folder / "programs"
    ptx.mkdir()
    programs.mkdir()
    wrapper = programs / "ptxopt"
    text = WRAPPER.format(python=sys.executable, ptxopt=run_test.PTXOPT)
    hang = 'if asks("HANG")'
    wrapper.write_text(text.replace(hang, f'{DEADLY}time.sleep(sum("// SLOW" in first for first in firsts))\n{hang}'))
    wrapper.chmod(0o755)
    kernel = (KERNELS / "redundant_barriers.ptx").read_text()
    for k in range(FILES):
        (ptx / f"slow{k}.ptx").write_text(f"// SLOW {k}\n{kernel}")
        (ptx / "facts").mkdir(exist_ok=True)
        if k < FILES // 2:
            (ptx / "facts" / f"slow{k}.json").write_text(FACTS)
    (ptx / "aborts.ptx").write_text(f"// ABORT\n{kernel}")
    return ptx, wrapper, kernel


def main():
    global ADDRESS
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("skipped: no Dask")
        return SKIPPED
    run_test.PTXOPT = os.path.abspath(sys.argv[1])
    folder = pathlib.Path(tempfile.mkdtemp())
    processes = []
    try:
        ptx, wrapper, kernel = make_files(folder)
        options = ["--ptxopt", wrapper, "--memory=0", f"--launches={ptx}/facts"]
        here = corpus("run", ptx, *options, "--results", "here.sqlite", "--jobs=4", cwd=folder, expect=2)
        one = corpus("run", ptx / "slow0.ptx", *options, "--results", "one_here.sqlite", cwd=folder)
        (ptx / "z_kills.ptx").write_text(f"// KILL\n{kernel}")  # the last one

        port = 20000 + os.getpid() % 20000
        ADDRESS = f"tcp://127.0.0.1:{port}"
        processes.append(start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard",
                               folder=folder))
        for _ in range(WORKERS):
            processes.append(start("dask_worker", ADDRESS, "--nthreads", "1", "--no-dashboard", "--local-directory",
                                   str(folder), folder=folder))
        deadline = time.monotonic() + 120
        while True:
            try:
                workers = worker_processes()
            except OSError:
                workers = []
            if len(workers) == WORKERS:
                break
            assert time.monotonic() < deadline, "the cluster does not start"
            time.sleep(0.5)

        def harm():
            time.sleep(3)
            os.kill(workers[0], signal.SIGKILL)
            os.kill(workers[1], signal.SIGSTOP)
            harmed.set()
        harmed = threading.Event()
        threading.Thread(target=harm, daemon=True).start()
        said = corpus("run", ptx, *options, "--results", "cluster.sqlite", "--cluster", ADDRESS, cwd=folder, expect=2)
        assert "z_kills.ptx: error: its worker ended; the file is set aside" in said, said
        assert "aborts.ptx: crash: ended by SIGABRT" in said, said
        assert f"{FILES + 2} files: 1 crash, 1 lost, {FILES} ok" in said, said
        assert harmed.is_set(), "the run was over before anything happened"
        found = content(folder / "cluster.sqlite")
        lost, = [row[0] for row in found["source"] if row[1].endswith("z_kills.ptx")]
        for table, rows in content(folder / "here.sqlite").items():
            others = [row for row in found[table] if lost not in row]
            assert others == rows, f"{table}: the cluster found {others} instead of {rows}"
        assert f"launches: facts for {FILES // 2} of them" in said, said
        assert "facts for 1 of them" in one, one
        corpus("run", ptx / "slow0.ptx", *options, "--results", "one.sqlite", "--cluster", ADDRESS, "--shared-files", cwd=folder)
        assert content(folder / "one.sqlite") == content(folder / "one_here.sqlite"), "--shared-files finds something else"
        print(here.strip().splitlines()[-3:], "and the cluster the same")
        return 0
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
