#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken and truncated binaries give texts and problems, never an exception, and never take long or much memory.

usage: mutated_binaries.py [--count N] [--seed N] [FILE...]
Without files, of binaries that it makes.  binaries_of_nvcc.sh makes some with nvcc.
"""
import argparse
import collections
import pathlib
import random
import resource
import sys
import time

from fat_binaries import ELF, LTO, archive, container, elf, entry, lz4

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from ptxopt_corpus.extract import Image, Other, Problem, Text, extract_image  # noqa: E402

MOST_SECONDS = 5  # for one of them, of a few kilobytes
MOST_BYTES = 1 << 30
INTERESTING = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


def made():
    text = b".version 8.0\n.target sm_80\n.entry k() { bar.sync 0; ret; }\n" * 40
    both = ("lz4", "zstd") if lz4 else ()
    fat = container(entry(text), entry(b"elf", ELF), entry(b"lto", LTO), *(entry(text, compression=how) for how in both))
    import pickle
    return {
        "fat.fatbin": fat,
        "program": elf({".text": b"code" * 20, ".nv_fatbin": fat + bytes(16) + fat, "__nv_relfatbin": fat}),
        "program32": elf({".nv_fatbin": fat, ".rodata": fat}, bits=32),
        "library.a": archive({"a.o": elf({".nv_fatbin": fat}), "a_member_with_a_long_name.o": elf({"__nv_relfatbin": fat})}),
        "cache.nbc": pickle.dumps({"ptx": text.decode(), "other": [pickle.dumps(text), 1, "x"]}),
        "text.ptx": text,
    }


def mutated(data, random_source):
    data = bytearray(data)
    for _ in range(random_source.choice((1, 1, 1, 2, 5))):
        at = random_source.randrange(len(data))
        kind = random_source.randrange(6)
        if kind == 0:
            data[at] ^= 1 << random_source.randrange(8)
        elif kind == 1:
            data[at] = random_source.randrange(256)
        elif kind == 2:  # a number of a header
            size = random_source.choice((1, 2, 4, 8))
            number = random_source.choice(INTERESTING) & ((1 << 8 * size) - 1)
            at -= at % size
            data[at:at + size] = number.to_bytes(size, "little")
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            del data[at:at + random_source.randrange(1, 64)]
        else:
            data[at:at] = data[:random_source.randrange(64)]
        if not data:
            break
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    inputs = {path.name: path.read_bytes() for path in options.files} if options.files else made()
    names = sorted(inputs)
    random_source = random.Random(options.seed)
    resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_BYTES, 4 * MOST_BYTES))
    seen, outcomes, slowest = collections.Counter(), collections.Counter(), 0
    for number in range(options.count):
        name = names[number % len(names)]
        data = mutated(inputs[name], random_source)
        begin = time.process_time()
        try:
            found = list(extract_image(Image(data), pathlib.PurePath(name).suffix, True))
        except BaseException:
            print(f"number {number} of seed {options.seed}, from {name}:", file=sys.stderr)
            raise
        seconds = time.process_time() - begin
        if seconds > MOST_SECONDS:
            sys.exit(f"number {number} of seed {options.seed}, from {name}, took {seconds:.1f} s")
        slowest = max(slowest, seconds)
        kinds = {type(one) for one in found}
        assert kinds <= {Text, Problem, Other}, kinds
        seen.update(type(one).__name__ for one in found)
        outcomes["with a problem" if Problem in kinds else "without"] += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{options.count} mutations of {len(names)} files: {dict(outcomes)}; {dict(seen)}; "
          f"at most {slowest * 1000:.0f} ms for one, {peak} MiB")
    if not seen["Problem"] or not seen["Text"]:
        sys.exit("error: nothing was broken, or all was")


if __name__ == "__main__":
    main()
