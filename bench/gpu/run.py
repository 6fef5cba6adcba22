#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All comparisons and measurements on a machine with a GPU: run.py BIN OUT [PART...]

BIN is the folder with gpu_compare and random_kernels: build/release/bin, or that of pack.sh.
In OUT it writes

    results.tsv  the GPU against the interpreter, and before against after each level, by launch
    times.tsv    microseconds before and after, of what a level changed
    random.tsv   the comparisons of random kernels: counts, reasons, and every row that differs

Parts (all, unless said): kernels (bench/gpu/kernels), corpus (with the litmus kernels), random.
Each is a call of gpu_compare, whose rows are in OUT/*.rows.tsv while it works and afterwards.  A
part begins nothing more after --seconds.
Exit status: 0, 2 if something is different, else that of the call that failed.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIASES = ("none", "barriers", "redundancy", "phis", "addresses", "leaders", "variables",
          "pointers")
LEVELS = ("-O1", "-O2", "-O3")


def call(options, files, name, *arguments, seconds):
    """Runs gpu_compare over the files; its rows go to OUT/<name>.rows.tsv."""
    names = options.out / f"{name}.files"
    names.write_text("".join(f"{file}\n" for file in files))
    environment = dict(os.environ)
    # What the driver compiles, for the measurements after the comparisons.
    environment.setdefault("CUDA_CACHE_PATH", str(options.scratch / "cache"))
    environment.setdefault("CUDA_CACHE_MAXSIZE", str(4 << 30))
    command = [options.bin / "gpu_compare", "--files", names, "-j", str(options.jobs), "--optimize",
               *LEVELS, "--end-after", str(int(seconds)), "--output",
               options.out / f"{name}.rows.tsv", *arguments]
    if options.dry_run:
        command.append("--dry-run")
    start = time.monotonic()
    status = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment).returncode
    took = time.monotonic() - start
    print(f"{name}: {len(files)} files, status {status}, {took:.0f} s", flush=True)
    names.unlink()
    return status


def lines_of(path):
    """Of a table, with the temporary folder left out of the names."""
    if not path.exists():
        return []
    return re.sub(r"^\S*/gpu_run_[^/]*/", "", path.read_text(), flags=re.MULTILINE).splitlines()


def join(out, name, parts):
    """The rows of the parts under one head."""
    lines = []
    for part in parts:
        found = lines_of(out / part)
        head = [line for line in found if line.startswith("#")]
        lines += found if not lines else found[len(head):]
    if lines:
        (out / name).write_text("".join(line + "\n" for line in lines))


def tables(out):
    join(out, "results.tsv", ["kernels.rows.tsv", "corpus.rows.tsv"])
    join(out, "times.tsv", ["kernels.times.rows.tsv", "corpus.times.rows.tsv"])


def large_launches(folder):
    """Files of the corpus with the launches of large_launches.txt instead of their own."""
    files = {}
    for line in lines_of(ROOT / "bench/gpu/kernels/large_launches.txt"):
        if line.startswith("ptx/"):
            path = folder / line.removeprefix("ptx/")
            text = (ROOT / "corpus" / line).read_text()
            files[path] = [re.sub("^// LAUNCH:.*\n", "", text, flags=re.MULTILINE)]
        elif line.startswith("// LAUNCH:"):
            files[path].insert(0, line + "\n")
    for path, parts in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts))
    return sorted(files)


def run_kernels(options):
    files = sorted(path.relative_to(ROOT) for path in (ROOT / "bench/gpu/kernels").glob("*.ptx"))
    files += large_launches(options.scratch / "large")
    # Large for the interpreter, few for the GPU.
    return call(options, files, "kernels", "--step-limit", "100000000", "--run-unfinished",
                "--schedules", "1", "--limit", "240", "--times", str(2 * options.pairs),
                "--times-of-unchanged", "--times-output", options.out / "kernels.times.rows.tsv",
                seconds=options.seconds)


def run_corpus(options):
    files = [*(ROOT / "corpus/ptx").rglob("*.ptx"), *(ROOT / "tests/interp").glob("*.ptx")]
    files = [path.relative_to(ROOT) for path in files
             if re.search("^// LAUNCH:", path.read_text(errors="replace"), re.MULTILINE)]
    # Where time runs out before all is measured, it is not that of kernels for this SM.
    files.sort(key=lambda path: ("sm_90" not in str(path), path))
    return call(options, files, "corpus", "--times", str(options.pairs),
                "--times-output", options.out / "corpus.times.rows.tsv", seconds=options.seconds)


def make_kernel(options, folder, bias, seed):
    path = folder / bias / f"{seed}.ptx"
    with open(path, "wb") as file:
        subprocess.run([options.bin / "random_kernels", "--print", "--seed", str(seed), "--bias",
                        bias, "--wild", "0"], stdout=file, check=True)
    return path


def summarize(rows):
    """Counts by bias and comparison, then reasons, then what is different."""
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    different = []
    for row in rows:
        file, _, _, verdict, detail, *cells = row.split("\t")
        bias = pathlib.Path(file).parent.name
        counts[bias, "interpreter"][verdict] += 1
        if verdict not in ("same", "different"):
            reasons[bias, "interpreter", detail] += 1
        for level, cell in zip(LEVELS, cells):
            kind = "as a lower level" if cell.startswith("as ") else cell.split(":")[0]
            counts[bias, level][kind] += 1
            if kind == "not compared":
                reasons[bias, level, cell] += 1
        if "different" in [verdict] + [cell.split(":")[0] for cell in cells]:
            different.append(row)
    kinds = sorted({kind for counter in counts.values() for kind in counter})
    yield "# bias\tcompared with\t" + "\t".join(kinds)
    for (bias, what), counter in sorted(counts.items()):
        yield "\t".join([bias, what] + [str(counter[kind]) for kind in kinds])
    yield "# why nothing was compared: bias\tcompared with\treason\tkernels"
    for (bias, what, reason), count in sorted(reasons.items()):
        yield f"{bias}\t{what}\t{reason}\t{count}"
    yield "# different: file\tkernel\tmode\tverdict\tdetail\t" + "\t".join(LEVELS)
    yield from different


def run_random(options):
    folder = options.scratch / "random"
    start = time.monotonic()
    for bias in BIASES:
        (folder / bias).mkdir(parents=True)
    # By seed, not by bias: if time runs out, all have had some.
    seeds = range(options.seed, options.seed + options.count)
    wanted = [(bias, seed) for seed in seeds for bias in BIASES]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        files = list(pool.map(lambda one: make_kernel(options, folder, *one), wanted))
    took = time.monotonic() - start
    print(f"random: {len(files)} kernels made in {took:.0f} s", flush=True)
    status = call(options, files, "random", seconds=max(1, options.seconds - took))
    lines = lines_of(options.out / "random.rows.tsv")
    head = f"{lines[0] if lines else '#'}; seeds {seeds.start} to {seeds.stop - 1} of each bias"
    text = [head, *summarize(line for line in lines if not line.startswith("#"))]
    (options.out / "random.tsv").write_text("".join(line + "\n" for line in text))
    return status


PARTS = {"kernels": run_kernels, "corpus": run_corpus, "random": run_random}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count(),
                        help="processes that compare")
    parser.add_argument("--count", type=int, default=500, help="random kernels of each bias")
    parser.add_argument("--seed", type=int, default=1, help="of the first ones")
    parser.add_argument("--pairs", type=int, default=20,
                        help="of measurements; twice as many of bench/gpu/kernels")
    parser.add_argument("--seconds", type=int, default=420,
                        help="after which a part begins nothing more")
    parser.add_argument("--dry-run", action="store_true", help="only what the CPU does")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"no part '{part}'")
    options.bin = options.bin.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    worst = 0
    with tempfile.TemporaryDirectory(prefix="gpu_run_") as scratch:
        options.scratch = pathlib.Path(scratch)
        for part in options.parts or PARTS:
            status = PARTS[part](options)
            tables(options.out)
            if status not in (0, 2):
                return status
            worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main())
