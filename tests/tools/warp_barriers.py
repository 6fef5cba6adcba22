#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the barrier passes do to what Warp makes of our kernels, against corpus/expected/warp.tsv.

Warp's PTX carries its library, so it is not kept with the corpus: this compiles
corpus/local/warp_kernels.py (no GPU is needed; a minute) and holds a table of the same form as
barriers.tsv against the result, by the code of tests/corpus/own_tables.py.

    warp_barriers.py --ptxopt PTXOPT                             compares the counts
    warp_barriers.py --ptxopt PTXOPT --ptxas PTXAS               registers, spills and code as well
    warp_barriers.py --ptxopt PTXOPT --ptxas PTXAS --update      makes the table again

CORPUS_PYTHON names the Python that has Warp, if it is not the usual one.  Without it, or with
another release than that of the table, the comparison is skipped (exit status 77).  The PTX asks for
a newer ptxas than the corpus does.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE_DIR / "tests" / folder) for folder in ("regress", "corpus")]

import corpus
import own_tables

TEXT = pathlib.Path(corpus.EXPECTED_DIR) / "warp.tsv"
KERNELS = os.path.join(corpus.CORPUS_DIR, "local", "warp_kernels.py")
PYTHON = os.environ.get("CORPUS_PYTHON", sys.executable)
TARGETS = ["80", "90"]


def release_of_warp():
    """None where it is not installed."""
    run = subprocess.run([PYTHON, "-c", "import warp; print(warp.config.version)"],
                         capture_output=True, text=True, check=False)
    return run.stdout.split()[-1] if run.returncode == 0 else None


def make(release, folder):
    """The kernels for each target, below the folder."""
    for target in TARGETS:
        text = pathlib.Path(folder, f"warp-{release}", f"sm_{target}.ptx")
        text.parent.mkdir(exist_ok=True)
        subprocess.run([PYTHON, KERNELS, target, text], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # It ends in a NUL byte, which only the driver takes.
        text.write_bytes(text.read_bytes().rstrip(b"\0"))


def main():
    arguments = own_tables.parser_of(__doc__).parse_args()
    release = release_of_warp()
    if release is None:
        corpus.skip(f"{PYTHON} has no Warp (CORPUS_PYTHON can name another)")
    known = {line.split("/")[0] for line in TEXT.read_text(encoding="utf-8").splitlines()[2:]}
    if not arguments.update and known != {f"warp-{release}"}:
        corpus.skip(f"Warp is {release}, the table is of {', '.join(sorted(known))}")
    with tempfile.TemporaryDirectory() as folder:
        make(release, folder)
        return own_tables.check(arguments, {TEXT: own_tables.TABLES["barriers"]}, folder, folder)


if __name__ == "__main__":
    sys.exit(main())
