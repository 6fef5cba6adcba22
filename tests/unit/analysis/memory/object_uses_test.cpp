// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/object_uses.h"

#include <gtest/gtest.h>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kVariables = R"(
.shared .align 16 .b8 A[64]; .shared .align 16 .b8 B[64]; .global .align 16 .b8 G[64];
.const .b32 K[4];
)";
constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b32 %r<12>; .reg .b64 %d<12>; .reg .f32 %f<3>; .reg .b128 %q<3>;
    .local .align 8 .b8 own[64];
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.eq.u32 %p1, %r2, 3;
)";

struct Uses {
  explicit Uses(const std::string& code, const std::string& before = "")
      : function(kCode + code + " ret;", "", kVariables + before, ".param .u32 n"),
        uses(function.function()) {}
  test::ValueFunction function;
  ObjectUses uses;
};

// Of each variable, in the order in which they are named: its name, then its accesses, reads "r",
// writes "w" and both "a", with the offset or "?", and "g" where the address is generic; "!" where
// the address gets away.  docs/soundness/ E.10.1
std::string text(const std::string& code, const std::string& before = "") {
  Uses uses(code, before);
  std::string result;
  for (const VariableUses& one : uses.uses.all()) {
    if (!result.empty()) result += "; ";
    result += uses.function.module().text(one.variable->name);
    for (const VariableAccess& access : one.accesses) {
      result += access.isGeneric ? " g" : " ";
      result += access.isLoad ? 'r' : access.isStore ? 'w' : 'a';
      result += access.offset ? std::to_string(*access.offset) : "?";
    }
    if (one.escape != nullptr) result += " !";
  }
  return result;
}

struct Case {
  const char* code;
  const char* expected;
};

void expectAll(std::initializer_list<Case> cases) {
  for (const Case& given : cases) EXPECT_EQ(text(given.code), given.expected) << given.code;
}

TEST(ObjectUses, Accesses) {
  expectAll({
      {"st.shared.u32 [A+8], %r1;", "A w8"},
      {"ld.shared.v2.u32 {%r3, %r4}, [A+8];", "A r8"},
      {"ld.volatile.shared.u32 %r3, [A];", "A r0"},
      {"atom.shared.add.u32 %r3, [A+4], 1;", "A a4"},
      {"red.shared.add.u32 [A+4], 1;", "A a4"},
      {"ld.const.u32 %r3, [K+4];", "K r4"},
      {"ldu.global.u32 %r3, [G+4];", "G r4"},
      {"st.local.u32 [own+4], %r1; ld.shared.u32 %r3, [A];", "own w4; A r0"},
      // No place of the function's own.
      {"ld.param.u32 %r3, [n];", ""},
  });
}

TEST(ObjectUses, AddressesThatAreFollowed) {
  expectAll({
      {"mov.u32 %r3, A; st.shared.u32 [%r3+4], 0;", "A w4"},
      {"mov.u32 %r3, A+16; add.u32 %r4, %r3, 8; st.shared.u32 [%r4+-4], 0;", "A w20"},
      {"mov.u32 %r3, A; sub.u32 %r4, %r3, -8; st.shared.u32 [%r4], 0;", "A w8"},
      {"mov.u32 %r3, A; add.u32 %r4, 8, %r3; st.shared.u32 [%r4], 0;", "A w8"},
      {"add.u32 %r4, A, 8; st.shared.u32 [%r4], 0;", "A w8"},
      {"mov.u32 %r3, A; add.u32 %r4, %r3, %r1; st.shared.u32 [%r4], 0;", "A w?"},
      {"mov.u32 %r3, A; mad.lo.u32 %r4, %r1, 4, %r3; st.shared.u32 [%r4+4], 0;", "A w?"},
      {"mov.u64 %d3, A; mad.wide.u32 %d4, %r1, 4, %d3; st.shared.u32 [%d4], 0;", "A w?"},
      {"mov.u64 %d3, G; cvta.global.u64 %d4, %d3; st.u32 [%d4+4], 0;", "G gw4"},
      {"mov.u64 %d3, G; cvta.global.u64 %d4, %d3; cvta.to.global.u64 %d5, %d4;"
       "st.global.u32 [%d5+4], 0;",
       "G w4"},
      {"cvta.shared.u64 %d4, A; atom.add.u32 %r3, [%d4], 1;", "A ga0"},
      {"mov.u32 %r3, A; cvt.u64.u32 %d3, %r3; st.shared.u32 [%d3+4], 0;", "A w4"},
      {"mov.u64 %d3, A; cvt.u32.u64 %r3, %d3; st.shared.u32 [%r3+4], 0;", "A w4"},
      {"mov.u32 %r3, A; add.u32 %r3, %r3, %r1; cvt.u64.u32 %d3, %r3; st.shared.u32 [%d3], 0;",
       "A w?"},
      // Constants are added in 32 bits.
      {"mov.u32 %r3, A; add.u32 %r4, %r3, 0xfffffffc; st.shared.u32 [%r4+8], 0;", "A w4"},
      // The same of two definitions, and another place of the same variable.
      {"mov.u32 %r3, A; @%p1 mov.u32 %r3, A; st.shared.u32 [%r3], 0;", "A w0"},
      {"mov.u32 %r3, A; @%p1 mov.u32 %r3, A+4; st.shared.u32 [%r3], 0;", "A w?"},
      {"mov.u32 %r3, A; L: add.u32 %r3, %r3, 4; st.shared.u32 [%r3], 0; @%p1 bra L;", "A w?"},
      // A cvta that leads to no access is no escape (D5.15).
      {"mov.u64 %d3, own; cvta.local.u64 %d4, %d3;", "own"},
  });
}

TEST(ObjectUses, AddressesThatGetAway) {
  expectAll({
      // On some paths only, or of two variables, or as an offset and as a generic address.
      {"@%p1 mov.u32 %r3, A; st.shared.u32 [%r3], 0;", "A w0"},
      {"mov.u32 %r3, %r2; @%p1 mov.u32 %r3, A; st.shared.u32 [%r3], 0;", "A !"},
      {"mov.u32 %r3, A; @%p1 mov.u32 %r3, B; st.shared.u32 [%r3], 0;", "A !; B !"},
      {"mov.u64 %d3, G; cvta.global.u64 %d4, %d3; @%p1 mov.u64 %d4, %d3; st.u32 [%d4], 0;", "G !"},
      {"mov.u32 %r3, A; ld.shared.u32 %r4, [B]; @%p1 add.u32 %r4, %r3, 4; st.shared.u32 [%r4], 0;",
       "A !; B r0"},
      // Sums of other kinds.
      {"mov.u32 %r3, A; mov.u32 %r4, B; add.u32 %r5, %r3, %r4; st.shared.u32 [%r5], 0;",
       "A !; B !"},
      {"mov.u32 %r3, A; sub.u32 %r5, 64, %r3; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; mov.u32 %r4, B; sub.u32 %r5, %r3, %r4; st.shared.u32 [%r5], 0;",
       "A !; B !"},
      {"mov.u32 %r3, A; add.sat.s32 %r5, %r3, 4; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; add.cc.u32 %r5, %r3, 4; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; mad.lo.u32 %r5, %r3, 4, %r2; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; mad.lo.u32 %r5, 4, %r3, %r2; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; mad.hi.u32 %r5, %r1, 4, %r3; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; mad.lo.cc.u32 %r5, %r1, 4, %r3; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; and.b32 %r5, %r3, -4; st.shared.u32 [%r5], 0;", "A !"},
      {"mov.u32 %r3, A; selp.u32 %r5, %r3, 0, %p1; st.shared.u32 [%r5], 0;", "A !"},
      // Conversions that are not those of the variable.
      {"mov.u64 %d3, G; cvta.shared.u64 %d4, %d3; st.u32 [%d4], 0;", "G !"},
      {"mov.u64 %d3, G; cvta.to.global.u64 %d4, %d3; st.global.u32 [%d4], 0;", "G !"},
      {"mov.u64 %d3, G; cvt.u32.u64 %r3, %d3; st.global.u32 [%r3], 0;", "G !"},
      {"mov.u64 %d3, A; cvta.shared.u64 %d4, %d3; cvt.u32.u64 %r3, %d4; st.shared.u32 [%r3], 0;",
       "A !"},
      {"mov.u32 %r3, A+-4; cvt.u64.u32 %d3, %r3; st.shared.u32 [%d3+4], 0;", "A !"},
      {"mov.u32 %r3, A+68; cvt.u64.u32 %d3, %r3; st.shared.u32 [%d3+-8], 0;", "A !"},
      {"mov.u32 %r3, A; cvt.s64.s32 %d3, %r3; st.shared.u32 [%d3], 0;", "A !"},
      {"mov.u32 %r3, A; cvt.u64.u16 %d3, %r3; st.shared.u32 [%d3], 0;", "A !"},
      {"mov.u32 %r3, A; cvt.rn.f32.u32 %f1, %r3;", "A !"},
      {"mov.b64 %d3, {A, 0};", "A !"},
      {"mov.u32 %r3, A; mov.b64 %d3, {%r3, %r3}; st.shared.u32 [%d3], 0;", "A !"},
      {"mov.b32 %f1, A;", "A"},
      // Stored, compared, passed.
      {"mov.u32 %r3, A; st.shared.u32 [B], %r3;", "A !; B w0"},
      {"st.shared.u32 [A], A;", "A w0 !"},
      {"mov.u32 %r3, A; setp.eq.u32 %p2, %r3, 0;", "A !"},
      {"mov.u64 %d3, A; cvta.shared.u64 %d4, %d3; isspacep.shared %p2, %d4;", "A !"},
      {"future.instruction A;", "A !"},
      {"future.instruction [A];", "A !"},
      {"future.mov.u32 %r3, A; st.shared.u32 [%r3], 0;", "A !"},
      // Accesses of other kinds.
      {"ld.global.u32 %r3, [A];", "A !"},
      {"ld.u32 %r3, [G];", "G !"},
      {"mov.u64 %d3, G; cvta.global.u64 %d4, %d3; ld.global.u32 %r3, [%d4];", "G !"},
      {"mov.u64 %d3, G; cvta.global.u64 %d4, %d3; ldu.u32 %r3, [%d4];", "G !"},
      {"ld.shared::cluster.u32 %r3, [A];", "A !"},
      {"ld.future.u32 %r3, [A];", "A !"},
      {"cp.async.ca.shared.global [A], [G], 4;", "A !; G !"},
      {"mbarrier.init.shared.b64 [A], 1;", "A !"},
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [A];", "A !"},
      {"prefetch.global.L2 [G];", "G !"},
      {"red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.add.u32 [A], %r1, [B];",
       "A !; B !"},
      {"st.bulk.weak.shared::cta [A], 64, 0;", "A !"},
      {"cvta.shared.u64 %d3, A; cvta.shared.u64 %d4, B;"
       "st.async.weak.mbarrier::complete_tx::bytes.b32 [%d3], %r1, [%d4];",
       "A !; B !"},
  });
}

// What has no place in memory.
TEST(ObjectUses, AddressesOfFunctions) {
  EXPECT_EQ(text("ld.global.u64 %d3, [f]; st.shared.u32 [A], 0;", ".func f() { ret; }"), "A w0");
}

TEST(ObjectUses, ResultsAndParametersInRegisters) {
  // The caller sets it as well.
  test::ValueFunction f("ret;", "",
                        ".shared .b32 A[4]; .func f(.reg .b32 x) {"
                        "mov.u32 x, A; st.shared.u32 [x], 0; ret; }");
  const ObjectUses uses(*f.module().findFunction("f"));
  ASSERT_EQ(uses.all().size(), 1u);
  EXPECT_NE(uses.all()[0].escape, nullptr);
}

TEST(ObjectUses, Initialisers) {
  EXPECT_EQ(text(".local .align 8 .b64 table[1] = {own}; ld.local.u32 %r3, [own];"), "own r0 !");
  EXPECT_EQ(text(".local .align 8 .b64 table[2] = {0, 1}; ld.local.u32 %r3, [own];"), "own r0");
}

TEST(ObjectUses, Variables) {
  const Uses uses("ld.shared.u32 %r3, [A];");
  ASSERT_EQ(uses.uses.all().size(), 1u);
  EXPECT_EQ(uses.uses.of(*uses.uses.all()[0].variable), &uses.uses.all()[0]);
  const Uses other("ld.shared.u32 %r3, [B];");
  EXPECT_EQ(other.uses.of(*uses.uses.all()[0].variable), nullptr);
}

// What other functions the body names, and what it says of shared memory (E.10.6).
TEST(ObjectUses, WhatElseIsNamed) {
  const std::string functions = ".func f() { ret; } .func g() { ret; }";
  const auto named = [&](const std::string& code) {
    return Uses(code, functions).uses.functions().size();
  };
  EXPECT_EQ(named(""), 0u);
  EXPECT_EQ(named("call f; call f;"), 1u);
  EXPECT_EQ(named("mov.u64 %d1, g; call f;"), 2u);
  EXPECT_EQ(named("T: .calltargets f, g;"), 2u);
  EXPECT_EQ(named(".local .align 8 .b64 table[2] = {f, g};"), 2u);
}

TEST(ObjectUses, UnknownSharedMemory) {
  const auto isUnknown = [](const std::string& code) { return Uses(code).uses.hasUnknownShared(); };
  for (const bool named : {false, true}) {
    const std::string other = named ? "st.shared.u32 [A], 0;" : "";
    SCOPED_TRACE(other);
    EXPECT_FALSE(isUnknown(other + "ld.global.u32 %r3, [%d1];"));
    EXPECT_TRUE(isUnknown(other + "ld.shared.u32 %r3, [%r1];"));
    EXPECT_TRUE(isUnknown(other + "ld.shared.u32 %r3, [16];"));
    EXPECT_TRUE(isUnknown(other + "cvta.shared.u64 %d1, %d2;"));
    EXPECT_TRUE(isUnknown(other + "cvta.shared.u64 %d1, 16;"));
    EXPECT_TRUE(isUnknown(other + "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;"));
    EXPECT_TRUE(isUnknown(other + "ld.shared::cluster.u32 %r3, [%r1];"));
  }
  EXPECT_FALSE(isUnknown("st.shared.u32 [A], 0; ld.shared.u32 %r3, [A+4];"));
  EXPECT_TRUE(isUnknown("mov.u32 %r3, A; @%p1 mov.u32 %r3, 16; st.shared.u32 [%r3], 0;"));
  // The address of a variable is known, also where it gets away.
  EXPECT_FALSE(isUnknown("mov.u32 %r3, A; @%p1 mov.u32 %r3, B; st.shared.u32 [%r3], 0;"));
}

TEST(ObjectUses, SizesRowsAndTiles) {
  EXPECT_TRUE(Uses("mov.u32 %r3, %dynamic_smem_size;").uses.readsSharedSize());
  EXPECT_TRUE(Uses("mov.u32 %r3, %total_smem_size;").uses.readsSharedSize());
  EXPECT_FALSE(Uses("mov.u32 %r3, %tid.y;").uses.readsSharedSize());
  EXPECT_TRUE(Uses("mov.u32 %r3, %tid.y;").uses.readsRow());
  EXPECT_FALSE(Uses("mov.u32 %r3, %tid.x;").uses.readsRow());
  EXPECT_TRUE(Uses("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                   "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, [A];")
                  .uses.usesTiles());
  EXPECT_TRUE(Uses("wgmma.fence.sync.aligned;").uses.usesTiles());
  EXPECT_TRUE(Uses("tcgen05.fence::before_thread_sync;").uses.usesTiles());
  EXPECT_TRUE(Uses("cp.async.bulk.tensor.1d.shared::cluster.global.tile"
                   ".mbarrier::complete_tx::bytes [A], [%d1, {%r1}], [B];")
                  .uses.usesTiles());
  EXPECT_FALSE(Uses("cp.async.ca.shared.global [A], [G], 4;").uses.usesTiles());
}

}  // namespace
}  // namespace ptxopt::analysis
