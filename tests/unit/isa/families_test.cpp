// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of the asynchronous, matrix and fabric families (docs/soundness/ A2), and the
// operands of the shapes that are easy to get wrong.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/isa.h"
#include "isa/wait_role.h"
#include "statement.h"

namespace ptxopt::isa {
namespace {

const InstructionDesc& descOf(std::string_view text) {
  static InstructionTable table;
  const Statement statement = parseStatement(text);
  return table.get(statement.mnemonic, statement.shape);
}

// For each operand "r", "w" or "rw".
std::string roles(const InstructionDesc& desc) {
  std::string text;
  for (const OperandRole& role : desc.roles) {
    if (!text.empty()) text += ' ';
    if (role.reads) text += 'r';
    if (role.writes) text += 'w';
  }
  return text;
}

TEST(Families, AsynchronousAndMatrixInstructionsAreOpaque) {
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    bool isOpaque = false;
    for (const std::string_view family :
         {"mbarrier.", "cp.async.bulk", "cp.reduce.", "cp.async.mbarrier.", "st.async", "red.async",
          "multimem.", "tensormap.", "clusterlaunchcontrol.", "wgmma.", "tcgen05.", "fabric.",
          "applypriority.async"}) {
      isOpaque = isOpaque || desc.mnemonic.starts_with(family);
    }
    if (isOpaque) {
      EXPECT_EQ(desc.effect, Effect::Sync) << row.example;
    }
  }
}

TEST(Families, AnUnknownQualifierLeavesAFamilyOpaque) {
  for (const char* text :
       {"mbarrier.frob.b64 %p0, [smem];", "tcgen05.frob.b32 %r0;", "cp.async.bulk.frob [a], [b];",
        "fabric.frob;", "multimem.frob.u32 %r0, [a];", "wgmma.frob.sync.aligned;"}) {
    const InstructionDesc& desc = descOf(text);
    EXPECT_FALSE(desc.known()) << text;
    EXPECT_FALSE(desc.unknownOpcode) << text;
    EXPECT_EQ(desc.effect, Effect::Sync) << text;
  }
}

TEST(Families, CpAsyncIsACopyUntilItsWait) {
  EXPECT_EQ(descOf("cp.async.ca.shared.global [%r0], [%rd0], 4;").effect, Effect::AsyncCopy);
  EXPECT_EQ(descOf("cp.async.cg.shared.global [%r0], [%rd0], 16, %r1;").effect, Effect::AsyncCopy);
  EXPECT_EQ(descOf("cp.async.commit_group;").effect, Effect::Neutral);
  EXPECT_EQ(descOf("cp.async.wait_group 1;").effect, Effect::AsyncWait);
  EXPECT_EQ(descOf("cp.async.wait_all;").effect, Effect::AsyncWait);
}

// docs/soundness/ H: spellings that dead-wait knows, and nearby ones that it leaves alone.
TEST(Families, WaitsAndFencesHaveRoles) {
  const std::pair<const char*, WaitRole> expected[] = {
      {"cp.async.ca.shared.global [%r0], [%rd0], 4;", WaitRole::CopyIssue},
      {"cp.async.commit_group;", WaitRole::CopyCommit},
      {"cp.async.wait_group 1;", WaitRole::CopyWait},
      {"cp.async.wait_all;", WaitRole::CopyWaitAll},
      {"cp.async.mbarrier.arrive.shared.b64 [%r0];", WaitRole::None},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], 16;", WaitRole::BulkIssue},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r0], 16;",
       WaitRole::BulkIssue},
      {"cp.async.bulk.commit_group;", WaitRole::BulkCommit},
      {"cp.async.bulk.wait_group 0;", WaitRole::BulkWait},
      {"cp.async.bulk.wait_group.read 0;", WaitRole::BulkReadWait},
      {"wgmma.fence.sync.aligned;", WaitRole::ProductFence},
      {"wgmma.commit_group.sync.aligned;", WaitRole::ProductCommit},
      {"wgmma.wait_group.sync.aligned 0;", WaitRole::ProductWait},
      {"tcgen05.wait::ld.sync.aligned;", WaitRole::TensorLoadWait},
      {"tcgen05.wait::st.sync.aligned;", WaitRole::TensorStoreWait},
      {"tcgen05.fence::before_thread_sync;", WaitRole::TensorBefore},
      {"tcgen05.fence::after_thread_sync;", WaitRole::TensorAfter},
      {"fence.proxy.async;", WaitRole::ProxyFence},
      {"fence.proxy.async.shared::cta;", WaitRole::ProxyFence},
      {"fence.proxy.alias;", WaitRole::None},
      {"fence.proxy.tensormap::generic.release.gpu;", WaitRole::None},
      {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
       WaitRole::None},
      {"membar.proxy.async;", WaitRole::None},
      {"fence.mbarrier_init.release.cluster;", WaitRole::InitFence},
      {"membar.gl;", WaitRole::MemoryFence},
      {"fence.gpu;", WaitRole::MemoryFence},
      {"fence.sc.cta;", WaitRole::MemoryFence},
      {"fence.acquire.gpu;", WaitRole::MemoryFence},
      {"fence.acquire.sync_restrict::shared::cluster.cluster;", WaitRole::None},
      {"fence.release.sync_restrict::shared::cta.cluster;", WaitRole::None},
      {"fence.frob.gpu;", WaitRole::None},
      {"bar.warp.sync 0xffffffff;", WaitRole::WarpBarrier},
      {"bar.sync 0;", WaitRole::None},
      {"griddepcontrol.wait;", WaitRole::GridWait},
      {"griddepcontrol.launch_dependents;", WaitRole::None},
  };
  for (const auto& [text, role] : expected) EXPECT_EQ(waitRoleOf(descOf(text)), role) << text;
}

// So dead-wait may look at effects first.
TEST(Families, WhatOnlySynchronizesHasAnEffect) {
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    if (!isOnlySynchronization(waitRoleOf(desc))) continue;
    const bool hasOne = desc.effect == Effect::Sync || desc.effect == Effect::CtaFence ||
                        desc.effect == Effect::AsyncWait || desc.effect == Effect::WarpBarrier;
    EXPECT_EQ(hasOne, waitRoleOf(desc) != WaitRole::CopyCommit) << row.example;
  }
}

TEST(Families, WarpMatricesTouchNoMemoryButAreConvergent) {
  const InstructionDesc& desc = descOf(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, "
      "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};");
  EXPECT_EQ(desc.effect, Effect::Neutral);
  EXPECT_TRUE(desc.is(kConvergent));
  EXPECT_FALSE(desc.is(kPure));
  EXPECT_EQ(roles(desc), "w r r r");
}

TEST(Families, MatrixLoadsAndStoresAreCollective) {
  const InstructionDesc& load =
      descOf("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%r2];");
  EXPECT_EQ(load.effect, Effect::Weak);
  EXPECT_TRUE(load.is(kCollective));
  EXPECT_TRUE(load.is(kMemoryRead));
  EXPECT_FALSE(load.is(kMemoryWrite));
  const InstructionDesc& store =
      descOf("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r2], {%r0, %r1};");
  EXPECT_EQ(store.effect, Effect::Weak);
  EXPECT_TRUE(store.is(kMemoryWrite));
  // Through a generic pointer.
  EXPECT_EQ(descOf("stmatrix.sync.aligned.m8n8.x2.b16 [%rd2], {%r0, %r1};").effect, Effect::Sync);
  EXPECT_EQ(descOf("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd0], {%fd0, %fd1};").effect,
            Effect::Sync);
}

TEST(Families, RegistersInFlight) {
  for (const char* text :
       {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, %p0, "
        "1, 1, 0, 0;",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];",
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r0};"}) {
    EXPECT_TRUE(descOf(text).is(kRegistersInFlight)) << text;
  }
  EXPECT_FALSE(descOf("tcgen05.wait::ld.sync.aligned;").is(kRegistersInFlight));
}

// docs/soundness/README.md, "external memory".
TEST(Families, MakeSharedMemoryExternal) {
  for (const char* text :
       {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r0], [%rd0], 16, [%r1];",
        "mbarrier.init.shared.b64 [smem], 1;", "fabric.submit;",
        "tcgen05.fence::before_thread_sync;"}) {
    EXPECT_TRUE(descOf(text).is(kClusterFeature)) << text;
  }
  for (const char* text : {"cp.async.ca.shared.global [%r0], [%rd0], 4;", "cp.async.wait_all;",
                           "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r2];"}) {
    EXPECT_FALSE(descOf(text).is(kClusterFeature)) << text;
  }
}

TEST(Families, Operands) {
  struct Case {
    const char* text;
    const char* roles;
  };
  const std::vector<Case> cases = {
      {"mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r0], %r1;", "w r r"},
      // A report, and its value, come before the address.
      {"mbarrier.try_wait.parity.phase_type::primary.b64 %p0|%p1, %b0, [%r0], %r1, %r2;",
       "w w r r r"},
      {"mbarrier.arrive.shared.b64 %rd0, [%r0];", "w r"},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, "
       "{%r0, %r1, %r2, %r3}, %rd1, %p0, 1, 1;",
       "rw r r r r r"},
      {"tcgen05.mma.cta_group::1.kind::f16 [%r0], [%r1], %rd1, %r2, {%r3, %r4, %r5, %r6}, %p0, 1;",
       "r r r r r r r"},
      {"tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.u32 {%r0, %r1}, %r2, [%r3], 16;", "w w r r"},
      {"spcompress.b8.b4.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r4;", "w w r r"},
      {"multimem.ld_reduce.relaxed.gpu.global.add.v2.f32 {%f0, %f1}, [%rd0];", "w r"},
      {"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r0, %r1, %r2, _}, %q0;",
       "w r"},
      {"clmad.hi.u64 %rd0, %rd1, %rd2, %rd3;", "w r r r"},
  };
  for (const Case& each : cases) {
    const InstructionDesc& desc = descOf(each.text);
    EXPECT_TRUE(desc.known()) << each.text;
    EXPECT_EQ(roles(desc), each.roles) << each.text;
  }
}

TEST(Families, OrderOfTypesMatters) {
  EXPECT_TRUE(descOf("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
                     "{%r0, %r1}, {%r2}, {%f0, %f1, %f2, %f3};")
                  .known());
  EXPECT_FALSE(descOf("mma.sync.aligned.m16n8k8.row.col.f16.f32.f16.f32 {%f0, %f1, %f2, %f3}, "
                      "{%r0, %r1}, {%r2}, {%f0, %f1, %f2, %f3};")
                   .known());
}

}  // namespace
}  // namespace ptxopt::isa
