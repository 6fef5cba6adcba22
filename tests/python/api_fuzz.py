#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of the Python API and of the C API below it: nothing but an answer or an error comes of them.

    PTXOPT_LIBRARY=build/release/src/libptxopt.so PYTHONPATH=python tests/python/api_fuzz.py --calls 100000

Texts are those of the corpus and of the regression tests, every other one changed at random.  Each call is made from
its number, so one that fails can be made again with --first N --calls 1.  With a library that has the address
sanitizer, LD_PRELOAD must name the runtimes of the sanitizer and of C++, and ASAN_OPTIONS=detect_leaks=0 be set.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import os
import pathlib
import random
import resource
import sys
import time

import ptxopt
from ptxopt._library import library as c

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSES = ["dead-sync", "dead-sync<guard>", "early-cse", "early-cse<memssa>", "cssa", "warp-sync", "dead-wait", "global-opt",
          "common-base", "basic-dbe"]
ASSUMPTIONS = ["assume=cuda", "assume-drf", "assume-1d", "trust-aligned", "noalias-params", "block-dim=32,1,1",
               "none flat-shared"]
LAUNCHES = ["", "{}", '{"kernels": {"k": {"block": 32}}}', '{"kernels": {"k": {"args": [1, {"min": 1}]}}}',
            '{"kernels": {"k": {"grid": [1, 2, 3], "args": {"arg0": {"+8:u32": 4, "+0:u64": {"align": 8}}}}}}']
RETARGETS = ["sm_75", "sm_90a", "sm_50", "cuda:11.8", "ptx7.0", "ptx6.0,sm_52"]
WRONG = ["", "x", ",", "<", "cuda:", "\n"]
PIECES = [b"", b"bar.sync 0;", b"}", b"{", b"%r1", b";", b"\0", b"\xff", b".entry k()", b"ret;", b"@%p1 ", b"0x1p3",
          b"// begin inline asm\n", b"99999999999999999999"]
CHECKS = ["raise", "return", "no"]


def texts(largest=20_000):
    """The small files of the corpus and of the regression tests."""
    found = sorted([*(ROOT / "corpus" / "ptx").rglob("*.ptx"), *(ROOT / "tests" / "regress").rglob("*.ptx")])
    return [text for text in (path.read_bytes() for path in found) if 0 < len(text) < largest]


def changed(rng, text):
    text = bytearray(text)
    for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 3, 10])):
        at = rng.randrange(len(text) + 1)
        text[at:at + rng.choice([0, 0, 1, 8, 200])] = rng.choice(PIECES + [bytes([rng.randrange(256)])])
    return bytes(text)


def one_of(rng, words):
    return rng.choice(words if rng.random() < 0.95 else WRONG)


def options(rng):
    made = {"level": rng.randrange(4)}
    if rng.random() < 0.3:
        made["passes"] = ",".join(one_of(rng, PASSES) for _ in range(rng.randrange(1, 4)))
    if rng.random() < 0.2:
        made["assume"] = [one_of(rng, ASSUMPTIONS) for _ in range(rng.randrange(3))]
    return made


# ---- the Python API ------------------------------------------------------------------------------

def optimize(rng, text):
    more = {"limit": rng.choice([None, 0, 1, 5]), "remarks": rng.random() < 0.3, "threads": rng.choice([0, 1, 2]),
            "retarget": one_of(rng, RETARGETS) if rng.random() < 0.2 else "", "lenient_retarget": rng.random() < 0.5,
            "disable": rng.sample(PASSES, rng.randrange(3)), "keep_kernels": rng.sample(["k", "", "_Z1kv"], 1)}
    ptxopt.optimize(text, **options(rng), **more).diff()


def explain(rng, text):
    ptxopt.explain(text, **options(rng))


def needs(_rng, text):
    str(ptxopt.needs(text))


def run(rng, text):
    for kernel in ptxopt.load(text):
        memory = bytearray(rng.choice([0, 4, 64, 4096]))
        arguments = [rng.choice([memory, None, 0, 7]) if one.bytes == 8 else
                     bytes(one.bytes) if "[" in one.type else rng.choice([1, 0, 64, -1, 1.5])
                     for one in kernel.parameters]
        if rng.random() < 0.05:
            arguments.append(1)
        launcher = kernel[rng.randrange(1, 4), rng.choice([1, 32, 33, (4, 4, 4), 1024])]
        launcher(*arguments, check=rng.choice(CHECKS), step_limit=20_000, schedules=rng.choice([1, 1, 2]),
                 races=rng.random() < 0.7, shared=rng.choice([0, 0, 1024]))


# ---- the C API -----------------------------------------------------------------------------------

def _some_bytes(rng, words):
    return one_of(rng, words).encode()


def _read(result):
    """Everything that a result has."""
    size = ctypes.c_size_t()
    ctypes.string_at(c.result_text(result, ctypes.byref(size)), size.value + 1)
    c.result_ok(result), c.result_changed(result), c.result_before(result), c.result_after(result)
    c.result_remarks(result)
    for k in range(c.result_diagnostic_count(result)):
        c.result_diagnostic(result, k)
    for k in range(c.result_statistic_count(result)):
        c.result_statistic(result, k)


def c_work(rng, text):
    """Setters in any order and number, several calls with the same options, options freed before the results."""
    made = c.options_new() if rng.random() < 0.9 else None
    for _ in range(rng.randrange(6) if made else 0):
        rng.choice([
            lambda: c.options_set_level(made, rng.choice([-1, 0, 1, 2, 3, 4, 1 << 30])),
            lambda: c.options_set_passes(made, _some_bytes(rng, PASSES)),
            lambda: c.options_disable_pass(made, _some_bytes(rng, PASSES)),
            lambda: c.options_set_change_limit(made, rng.choice([0, 1, 2**64 - 1])),
            lambda: c.options_set_threads(made, rng.choice([0, 1, 3])),
            lambda: c.options_set_assumptions(made, b"*: " + _some_bytes(rng, ASSUMPTIONS)),
            lambda: c.options_keep_kernel(made, b"k"),
            lambda: c.options_set_launches(made, _some_bytes(rng, LAUNCHES)),
            lambda: c.options_set_enforce(made, rng.randrange(2)),
            lambda: c.options_set_dispatch(made, rng.randrange(2)),
            lambda: c.options_set_retarget(made, _some_bytes(rng, RETARGETS)),
            lambda: c.options_set_retarget_lenient(made, rng.randrange(2)),
            lambda: c.options_set_remarks(made, rng.randrange(2))])()
    results = []
    for _ in range(rng.randrange(1, 3)):
        results.append(rng.choice([
            lambda: c.optimize(b"name", text, len(text), made),
            lambda: c.explain(b"", text, len(text), made),
            lambda: c.needs(b"n", text, len(text), rng.randrange(2))])())
    c.options_free(made)
    rng.shuffle(results)
    for result in results:
        _read(result)
        c.result_free(result)


def c_run(rng, text):
    """Launches that need not fit the kernel."""
    module = c.module_new(b"name", text, len(text))
    kernels = c.module_kernels(module)
    _read(kernels)
    c.result_free(kernels)
    launch = c.launch_new(module, rng.choice([b"", b"k", b"no", b"_Z1kPi", b"\xff"]))
    memory = ctypes.create_string_buffer(256)
    c.launch_set_step_limit(launch, 10_000)
    sizes = [0, 1, 2, 33, 65535, 2**32 - 1]
    for _ in range(rng.randrange(8)):
        rng.choice([
            lambda: c.launch_set_grid(launch, rng.choice([0, 1, 2, 3]), 1, rng.randrange(3)),
            lambda: c.launch_set_block(launch, rng.choice(sizes), 1, rng.choice([0, 1, 1, 64])),
            lambda: c.launch_set_cluster(launch, rng.choice([0, 1, 2, 16]), 1, 1),
            lambda: c.launch_set_shared(launch, rng.choice([0, 16, 49152, 2**40, 2**64 - 1])),
            lambda: c.launch_add_buffer(launch, memory, rng.choice([0, 4, 256])),
            lambda: c.launch_add_pointer(launch, rng.choice([0, 0, 1, 7]), rng.choice([0, 4, 2**63])),
            lambda: c.launch_add_value(launch, b"\1" * 64, rng.choice([0, 1, 4, 8, 64])),
            lambda: c.launch_set_schedules(launch, rng.randrange(3)),
            lambda: c.launch_set_races(launch, rng.randrange(2))])()
    for _ in range(rng.randrange(1, 3)):
        result = c.launch_run(launch)
        _read(result)
        c.result_free(result)
    if rng.random() < 0.5:
        c.module_free(module)
        c.launch_free(launch)
    else:
        c.launch_free(launch)
        c.module_free(module)


CALLS = [optimize, optimize, explain, needs, run, c_work, c_run]
ERRORS = (ptxopt.Error, ptxopt.KernelError, ValueError, TypeError, OverflowError)


def call(number, base):
    """One call, and the name of what came of it."""
    rng = random.Random(number)
    text = changed(rng, rng.choice(base))
    function = rng.choice(CALLS)
    try:
        function(rng, text)
    except ERRORS as error:
        return function.__name__, type(error).__name__
    return function.__name__, "answer"


def memory():
    """KiB that the process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--threads", type=int, default=8)
    arguments = parser.parse_args()
    base = texts()
    counts = collections.Counter()
    start = time.monotonic()
    step = max(arguments.calls // 20, 1)
    with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
        for first in range(arguments.first, arguments.first + arguments.calls, step):
            last = min(first + step, arguments.first + arguments.calls)
            counts.update(pool.map(lambda number: call(number, base), range(first, last)))
            print(f"{last - arguments.first} calls, {time.monotonic() - start:.0f} s, {memory()} KiB", flush=True)
    for (function, outcome), count in sorted(counts.items()):
        print(f"{function:<10} {outcome:<14} {count:>8}")


if __name__ == "__main__":
    sys.exit(main())
