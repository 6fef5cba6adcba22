#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of plain accesses, proxy fences, barriers and bulk copies: ptxrun against the definition.

Three threads, of a warp each, run a few of these between one barrier and the next.  An event is before
another one if it is earlier in the same thread, or if a barrier lies between.  Two plain accesses of one
word, one of them a store, race unless one is before the other, and so do a store and a copy from the word.
A store that is before a copy races by proxy unless a fence for shared memory lies between both.  ptxrun must
find just these, but where there is a data race it need not find the other kind as well.
"""
import argparse
import collections
import json
import random
import subprocess
import sys

THREADS = 3
WORDS = 8
COPIED = 4  # words: 16 bytes
FENCES = {"fence.proxy.async.shared::cta": True, "fence.proxy.async.global": False, "fence.proxy.async": True}
SCHEDULES = 7

Event = collections.namedtuple("Event", "kind thread phase number words")  # kind: store, load, copy, fence

HEAD = """// LAUNCH: {"grid": 1, "block": 96, "args": ["buffer:4096"]}
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %t, %s, %r;
  .reg .b64 %out;
  .shared .align 128 .b8 A[32];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %s, A;
  setp.ge.u32 %p, %t, 8;
  @%p bra ready;
  mad.lo.u32 %s, %t, 4, %s;
  st.shared.u32 [%s], 0;
ready:
  fence.proxy.async;
  bar.sync 0;
"""


def kernel(rng):
    """(text, events)"""
    text, events, copies = [HEAD], [], 0
    for phase in range(rng.randint(1, 4)):
        for thread in range(THREADS):
            skip = f"skip_{phase}_{thread}"
            text.append(f"  setp.ne.u32 %p, %t, {32 * thread};\n  @%p bra {skip};\n")
            for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
                kind = rng.choice(["store", "store", "load", "fence", "fence", "copy"])
                word = rng.randrange(WORDS)
                words, orders = {word}, True
                if kind == "store":
                    text.append(f"  st.shared.u32 [A+{4 * word}], {rng.randrange(99)};\n")
                elif kind == "load":
                    text.append(f"  ld.shared.u32 %r, [A+{4 * word}];\n")
                elif kind == "fence":
                    fence, orders = rng.choice(list(FENCES.items()))
                    words = set()
                    text.append(f"  {fence};\n")
                else:
                    first = word // COPIED * COPIED
                    words = set(range(first, first + COPIED))
                    text.append(f"  cp.async.bulk.global.shared::cta.bulk_group [%out+{16 * copies}], "
                                f"[A+{4 * first}], 16;\n  cp.async.bulk.commit_group;\n"
                                "  cp.async.bulk.wait_group 0;\n")
                    copies += 1
                if orders:
                    events.append(Event(kind, thread, phase, len(events), words))
            text.append(f"{skip}:\n")
        text.append("  bar.sync 0;\n")
    return "".join(text) + "  ret;\n}\n", events


def is_before(a, b):
    return a.phase < b.phase or (a.thread == b.thread and a.number < b.number)


def expected(events):
    kinds = set()
    for store in (e for e in events if e.kind == "store"):
        for other in (e for e in events if e is not store and store.words & e.words):
            if not is_before(store, other) and not is_before(other, store):
                kinds.add("data-race")
            elif other.kind == "copy" and is_before(store, other) and not any(
                    e.kind == "fence" and is_before(store, e) and is_before(e, other) for e in events):
                kinds.add("proxy-race")
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    seen = collections.Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        text, events = kernel(random.Random(seed))
        done = subprocess.run([arguments.ptxrun, "-", "--json", "--schedules", str(SCHEDULES)], input=text,
                              capture_output=True, text=True)
        found = {finding["kind"] for finding in json.loads(done.stdout)["findings"]}
        wanted = expected(events)
        if "data-race" in wanted:
            found.discard("proxy-race")
            wanted.discard("proxy-race")
        seen[" ".join(wanted) or "nothing"] += 1
        if found != wanted:
            sys.exit(f"seed {seed}: expected {sorted(wanted)}, found {sorted(found)}\n{text}")
    print(", ".join(f"{count} with {kinds}" for kinds, count in sorted(seen.items())))
    if len(seen) < 3:
        sys.exit("too few kernels: not all kinds occur")


if __name__ == "__main__":
    main()
