// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/uniformity.h"

#include <gtest/gtest.h>

#include "ir/barrier.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %d<9>;
    .local .b32 own[4];
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; ld.param.u64 %d1, [g];
    mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, tab;
    setp.gt.u32 %p1, %r1, 40; setp.eq.u32 %p2, %r2, 3;
)";
constexpr const char* kVariables = R"(
    .const .b32 tab[64] = {1, 2}; .shared .b32 S[4]; .global .b32 G[4]; .extern .func h();
)";

// Is the first result of the last instruction before a barrier the same for all?
bool isUniform(const std::string& code, const Assumptions& assumptions = {}) {
  test::ValueFunction f(kCode + code + " bar.sync 0; ret;", "", kVariables,
                        ".param .u32 n, .param .u64 g");
  const Cfg& cfg = f.analyses().get<Cfg>();
  BitSet meetsBarrier(cfg.vertexCount());
  const ir::Instruction* before = nullptr;
  const ir::Instruction* asked = nullptr;
  for (const ir::Instruction* instruction : f.instructions()) {
    if (ir::ctaBarrier(*instruction)) {
      meetsBarrier.set(instruction->block);
      asked = before;
    }
    before = instruction;
  }
  const Uniformity uniformity(cfg, f.analyses().get<Liveness>(), meetsBarrier, {}, assumptions);
  const ir::Operand* target = asked->operand(0);
  if (target->isGroup()) ++target;
  return uniformity.isUniform(target->reg());
}

struct Case {
  const char* code;
  bool isUniform;
};

// docs/soundness/ C1.2.2 and C1.2.3
TEST(Uniformity, OfInstructions) {
  for (const Case& given : {
           Case{"mov.u32 %r3, 7;", true},
           Case{"mov.u32 %r3, WARP_SZ;", true},
           Case{"mov.u32 %r3, %ntid.x;", true},
           Case{"mov.u32 %r3, %ctaid.z;", true},
           Case{"mov.u32 %r3, %nctaid.y;", true},
           Case{"mov.u32 %r3, %cluster_ctarank;", true},
           Case{"mov.u64 %d3, %gridid;", true},
           Case{"mov.u64 %d3, S;", true},
           Case{"mov.u64 %d3, G+4;", true},
           Case{"add.u32 %r3, %r2, 1;", true},
           Case{"mad.lo.u32 %r3, %r2, %r2, 3;", true},
           Case{"fma.rn.f32 %f1, 0f3f800000, 0f3f800000, 0f3f800000;", true},
           Case{"setp.lt.and.u32 %p3|%p4, %r2, 8, %p2;", true},
           Case{"selp.u32 %r3, 1, %r2, %p2;", true},
           Case{"mov.b64 %d3, {%r2, %r2};", true},
           Case{"ld.param.u32 %r3, [n];", true},
           Case{"ld.const.u32 %r3, [tab+4];", true},
           Case{"ld.const.u32 %r3, [%d1];", true},
           // Each thread has its own.
           Case{"mov.u32 %r3, %tid.y;", false},
           Case{"mov.u32 %r3, %laneid;", false},
           Case{"mov.u32 %r3, %warpid;", false},
           Case{"mov.u32 %r3, %lanemask_lt;", false},
           Case{"mov.u32 %r3, %clock;", false},
           Case{"mov.u64 %d3, %globaltimer;", false},
           Case{"mov.u32 %r3, %smid;", false},
           Case{"mov.u32 %r3, %future;", false},
           Case{"mov.u64 %d3, own;", false},
           Case{"add.u32 %r3, %r1, 1;", false},
           Case{"selp.u32 %r3, 1, 2, %p1;", false},
           Case{"setp.lt.and.u32 %p3|%p4, %r2, 8, %p1;", false},
           Case{"mov.b64 %d3, {%r1, %r2};", false},
           Case{"ld.const.u32 %r3, [%d2];", false},
           Case{"ld.global.u32 %r3, [%d1];", false},
           Case{"ld.global.u32 %r3, [G];", false},
           Case{"ld.shared.u32 %r3, [S];", false},
           Case{"ld.local.u32 %r3, [own];", false},
           Case{"ld.u32 %r3, [%d1];", false},
           Case{"ld.global.nc.u32 %r3, [%d1];", false},
           Case{"ld.global.nc.v2.u32 {%r3, %r4}, [%d1];", false},
           Case{"ld.future.u32 %r3, [n];", false},
           Case{"atom.global.add.u32 %r3, [%d1], 0;", false},
           Case{"shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;", true},  // docs/soundness/ C1.2.13
           Case{"shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;", false},
           Case{"shfl.sync.idx.b32 %r3, %r2, 1, 31, -1;", false},
           Case{"shfl.sync.idx.b32 %r3, %r2, 0, 15, -1;", false},
           Case{"shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;", false},
           Case{"shfl.sync.bfly.b32 %r3, %r2, 0, 31, -1;", false},
           Case{"vote.sync.ballot.b32 %r3, %p2, -1;", false},
           Case{"match.any.sync.b32 %r3, %r2, -1;", false},
           Case{"activemask.b32 %r3;", false},
           Case{"bar.red.popc.u32 %r3, 1, 64, %p2;", false},
           Case{"future.u32 %r3, %r2;", false},
           // What the carry flag held.
           Case{"add.cc.u32 %r4, %r1, %r1; addc.u32 %r3, %r2, 0;", false},
           // What nothing wrote, or not on every path (F2).
           Case{"add.u32 %r3, %r8, 1;", false},
           Case{"@%p2 mov.u32 %r8, 1; add.u32 %r3, %r8, 1;", false},
           // Several definitions: by a guard, and by a branch (C1.2.4).
           Case{"mov.u32 %r3, 0; @%p2 mov.u32 %r3, 1;", true},
           Case{"mov.u32 %r3, 0; @%p1 mov.u32 %r3, 1;", false},
           Case{"mov.u32 %r4, 0; @%p2 bra L; mov.u32 %r4, 1; L: mov.u32 %r3, %r4;", true},
           Case{"mov.u32 %r4, 0; @%p1 bra L; mov.u32 %r4, 1; L: mov.u32 %r3, %r4;", false},
           // One value, whichever way was taken before.
           Case{"@%p1 bra L; mov.u32 %r4, 1; L: mov.u32 %r3, %r2;", true},
           // Who leaves the loop in which round (C1.2.5).
           Case{"mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r2; @%p3 bra L;"
                "mov.u32 %r3, %r4;",
                true},
           Case{"mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r1; @%p3 bra L;"
                "mov.u32 %r3, %r4;",
                false},
           Case{"mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; future.branch L; mov.u32 %r3, %r4;",
                false},
       }) {
    EXPECT_EQ(isUniform(given.code), given.isUniform) << given.code;
  }
}

// C10.7
TEST(Uniformity, InvariantLoads) {
  Assumptions invariant;
  invariant.add(Assumption::NcInvariant);
  EXPECT_TRUE(isUniform("ld.global.nc.u32 %r3, [%d1];", invariant));
  EXPECT_FALSE(isUniform("ld.global.nc.u32 %r3, [%d2];", invariant));
  EXPECT_FALSE(isUniform("ld.global.u32 %r3, [%d1];", invariant));
}

// For each block in the order of the text: do all execute it equally often, "u", or not, "v"?
// Blocks from which no barrier is reached are none.
std::string blocks(const std::string& code) {
  test::ValueFunction f(kCode + code, "", kVariables, ".param .u32 n, .param .u64 g");
  const Cfg& cfg = f.analyses().get<Cfg>();
  BitSet meetsBarrier(cfg.vertexCount());
  for (const ir::Instruction* i : f.instructions()) {
    if (ir::ctaBarrier(*i) || ir::mayBeAnyBarrier(*i)) meetsBarrier.set(i->block);
  }
  const Uniformity uniformity(cfg, f.analyses().get<Liveness>(), meetsBarrier);
  std::string text;
  for (const BlockId b : cfg.blocks()) {
    text += !uniformity.leadsToBarrier(b) ? '-' : uniformity.isUniform(b) ? 'u' : 'v';
  }
  return text;
}

// C1.2.7, C1.2.9, C1.5
TEST(Uniformity, OfBlocks) {
  EXPECT_EQ(blocks("bar.sync 0; ret;"), "u");
  EXPECT_EQ(blocks("@%p2 bra L; bar.sync 0; L: bar.sync 0; ret;"), "uuu");
  EXPECT_EQ(blocks("@%p1 bra L; bar.sync 0; L: bar.sync 0; ret;"), "uvu");
  EXPECT_EQ(blocks("@%p1 bra L; bar.sync 0; L: ret;"), "uu-");
  // Of a way that ends in a loop without end, nothing comes back.
  EXPECT_EQ(blocks("@%p1 bra L; M: bra M; L: bar.sync 0; ret;"), "u-u");
  EXPECT_EQ(blocks("@%p1 bra L; M: bar.sync 0; bra M; L: bar.sync 0; ret;"), "uvv");
  EXPECT_EQ(blocks("L: @%p1 bra E; bar.sync 0; bra L; E: ret;"), "uuu-");
  EXPECT_EQ(blocks("L: @%p1 bra E; bar.sync 0; bra L; E: bar.sync 1; ret;"), "uvvu");
  // A block that nothing reaches.
  EXPECT_EQ(blocks("bra L; bar.sync 0; L: bar.sync 0; ret;"), "uvu");
  // Where one goes that is not known: anywhere that it names (A7.2).
  EXPECT_EQ(blocks("future.branch L; bar.sync 0; L: bar.sync 0; ret;"), "uvu");
  EXPECT_EQ(blocks("T: .branchtargets L, M; brx.idx %r2, T; L: bar.sync 0; M: bar.sync 0; ret;"),
            "uuu");
  EXPECT_EQ(blocks("T: .branchtargets L, M; brx.idx %r1, T; L: bar.sync 0; M: bar.sync 0; ret;"),
            "uvu");
}

}  // namespace
}  // namespace ptxopt::analysis
