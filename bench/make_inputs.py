#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes PTX files of given sizes out of the kernels of corpus/: the inputs of the benchmarks.

Every copy of a kernel file gets names of its own, so that ptxas accepts the whole.  The files are the
same every time.
"""

import argparse
import pathlib
import re

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus" / "ptx" / "nvcc" / "sm_80"
HEADER = ".version {}\n.target sm_80\n.address_size 64\n\n"
DEFAULT_SIZES = ["80K", "1M", "7M", "50M"]

# Names that a file declares at its outermost level.  nvcc starts such declarations at the margin.
DECLARED = re.compile(
    r"^(?:\.(?:visible|weak|extern|common) )*\.(?:entry|func(?:\s+\([^)]*\))?|global|const|shared)"
    r"[^={;(]*?([A-Za-z_$][\w$]*)\s*(?:\[[^\]]*\])*\s*(?:[=;({\n]|$)",
    re.MULTILINE,
)
RUNTIME = {"vprintf", "malloc", "free", "__assertfail"}


def bytes_of(size):
    unit = {"K": 1 << 10, "M": 1 << 20}[size[-1]]
    return int(size[:-1]) * unit


def kernels():
    """(body, names that must be renamed) of every file of the corpus that is like the others."""
    for path in sorted(CORPUS.glob("*.ptx")):
        text = path.read_text()
        if ".extern" in text or ".attribute" in text:
            continue
        header = re.search(r"^\.address_size 64\n", text, re.MULTILINE)
        body = text[header.end():]
        names = sorted(set(DECLARED.findall(body)) - RUNTIME, key=len, reverse=True)
        yield body, re.compile(r"(?<![\w$%.])(" + "|".join(map(re.escape, names)) + r")(?![\w$])"
                               r"|(?<![\w$%.])((?:" + "|".join(map(re.escape, names)) + r")_param_\d+)")


def write(path, size):
    sources = list(kernels())
    version = max(re.findall(r"^\.version (\S+)", "".join(
        p.read_text()[:600] for p in sorted(CORPUS.glob("*.ptx"))), re.MULTILINE), key=float)
    with open(path, "w") as out:
        written = out.write(HEADER.format(version))
        copy = 0
        while written < size:
            body, names = sources[copy % len(sources)]
            copy += 1
            if written + len(body) > 1.05 * size and copy % len(sources) != 0:
                continue  # too large for what is left
            written += out.write(names.sub(lambda m: f"{m[0]}_c{copy}", body))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="where the files are written, as SIZE.ptx")
    parser.add_argument("sizes", nargs="*", default=DEFAULT_SIZES, metavar="size",
                        help=f"such as 80K or 7M (default: {' '.join(DEFAULT_SIZES)})")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for size in options.sizes:
        write(options.folder / f"{size}.ptx", bytes_of(size))


if __name__ == "__main__":
    main()
