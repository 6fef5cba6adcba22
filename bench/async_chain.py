#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the work beside asynchronous operations grows: async_chain.py PTXOPT

Chains of 100, 1,000 and 10,000 steps, each with asynchronous operations, a wait and a barrier, run
under callgrind.  Prints the instructions of dead-sync and of dead-wait for each step, without reading
and writing the text; and fails if ten times the steps take more than 11 times the instructions.
"""
import sys
import tempfile

from barrier_chain import SIZES, instructions

MOST_GROWTH = 1.1


def wait(k, mbarrier, parity):
    return [f"W{k}:", f"mbarrier.try_wait.parity.shared.b64 %q2, [{mbarrier}], {parity};", f"@!%q2 bra W{k};"]


def refill(mbarrier, to):
    return [f"@%q1 mbarrier.arrive.expect_tx.shared.b64 _, [{mbarrier}], 256;",
            "@%q1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
            f"[{to}], [%rd1], 256, [{mbarrier}];"]


def ring(k):
    stage = k % 4
    return [*refill(f"M+{8 * stage}", f"A+{256 * stage}"), *wait(k, f"M+{8 * stage}", k // 4 % 2), "bar.sync 0;",
            f"ld.shared.u32 %r1, [%r2+{256 * stage}];", "bar.sync 0;"]


def stages(k):
    return [*refill(f"M+{8 * k}", f"A+{256 * k}"), *wait(k, f"M+{8 * k}", 0), "bar.sync 0;",
            f"ld.shared.u32 %r1, [%r2+{256 * k}];", "bar.sync 0;"]


def groups(k):
    return [f"cp.async.ca.shared.global [%r2+{256 * (k % 4)}], [%rd1], 4;", "cp.async.commit_group;",
            "cp.async.wait_group 2;", "bar.sync 0;", f"ld.shared.u32 %r1, [%r2+{256 * ((k + 2) % 4)}];", "bar.sync 0;"]


def stores(k):
    return [f"st.shared.u32 [%r2+{256 * (k % 4)}], %r1;", "fence.proxy.async.shared::cta;", "bar.sync 0;",
            f"@%q1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [A+{256 * (k % 4)}], 256;",
            "@%q1 cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 0;", "bar.sync 0;"]


def products(k):
    return ["wgmma.fence.sync.aligned;",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, 1, 1, 1, 0, 0;",
            "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;", "bar.sync 0;",
            f"st.shared.u32 [%r2+{256 * (k % 4)}], %r1;", "bar.sync 0;"]


def tensor_memory(k):
    return ["tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r1};", "tcgen05.wait::st.sync.aligned;",
            "tcgen05.fence::before_thread_sync;", "bar.sync 0;", "tcgen05.fence::after_thread_sync;",
            "@%q1 tcgen05.mma.cta_group::1.kind::f16 [%r3], %rd2, %rd3, %r1, %q2;",
            "@%q1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [M];", *wait(k, "M", k % 2),
            "bar.sync 0;", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r3];", "tcgen05.wait::ld.sync.aligned;"]


def repeats(k):
    again = [line.replace(f"W{k}", f"V{k}") for line in wait(k, "M", k % 2)]
    return [*refill("M", "A"), *wait(k, "M", k % 2), "ld.shared.u32 %r1, [%r2];", *again, "bar.sync 0;",
            "@%q1 fence.proxy.async.shared::cta;", "@%q1 fence.proxy.async.shared::cta;", "membar.gl;", "membar.cta;"]


KINDS = [  # name, a step, target, whether each step has an mbarrier of its own
    ("a ring of four stages", ring, "sm_90a", False),
    ("a stage and an mbarrier for each step", stages, "sm_90a", True),
    ("groups of cp.async", groups, "sm_90a", False),
    ("stores, proxy fences and bulk copies", stores, "sm_90a", False),
    ("wgmma", products, "sm_90a", False),
    ("tcgen05", tensor_memory, "sm_100a", False),
    ("repeated waits and fences", repeats, "sm_90a", False),
]


def chain(count, step, target, are_own):
    mbarriers = count if are_own else 4
    lines = [".version 8.6", f".target {target}", ".address_size 64", f".shared .align 8 .b64 M[{mbarriers}];",
             f".shared .align 128 .b8 A[{256 * mbarriers}];",
             ".visible .entry k(.param .u64 p) .reqntid 128", "{", ".reg .b32 %r<9>;", ".reg .b64 %rd<9>;",
             ".reg .f32 %f<9>;", ".reg .pred %q<3>;", "ld.param.u64 %rd1, [p];", "mov.u32 %r1, %tid.x;",
             "setp.eq.u32 %q1, %r1, 0;", "mov.u32 %r2, A;", "mad.lo.u32 %r2, %r1, 4, %r2;"]
    lines += [f"@%q1 mbarrier.init.shared.b64 [M+{8 * k}], 1;" for k in range(mbarriers)]
    lines += ["bar.sync 0;"]
    for k in range(count):
        lines += step(k)
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def main():
    grows = False
    for name, *kind in KINDS:
        costs = {"dead-sync": [], "dead-wait": []}
        for size in SIZES:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                file.write(chain(size, *kind))
                file.flush()
                without = instructions(sys.argv[1], "", file.name)
                for passes, found in costs.items():
                    found.append(instructions(sys.argv[1], passes, file.name) - without)
        for passes, found in costs.items():
            growth = [b / a / 10 for a, b in zip(found, found[1:])]
            grows |= max(growth) > MOST_GROWTH
            each = ", ".join(f"{cost // size:,}" for cost, size in zip(found, SIZES))
            print(f"{name}, {passes}: {each} instructions a step; grows {growth[0]:.2f} and {growth[1]:.2f} "
                  "times as fast as the chain", flush=True)
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
