// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/address.h"

#include <gtest/gtest.h>

#include <string>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using test::ValueFunction;

const char* const kVariables = R"(
.shared .align 16 .b8 A[4096];
.shared .align 4 .b8 B[64];
.shared .align 128 .b8 C[1024];
.extern .shared .align 16 .b8 D[];
.global .align 4 .b8 G[4096];
.const .align 4 .b8 K[64];
.shared .align 16 .b8 E[20];
.shared .align 16 .b8 V<4>[16];
)";
const char* const kParameters = ".param .u64 p, .param .u64 q, .param .u32 n";
const std::string kStart = R"(
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  .local .align 8 .b8 depot[32];
  mov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mov.u32 %r32, A; mov.u32 %r33, B;
  ld.param.u64 %rd10, [p]; ld.param.u64 %rd11, [q]; ld.param.u32 %r34, [n];
  mov.u64 %rd12, A;
)";

// "base form bytes" of the last access.
std::string describe(const Access& access) {
  std::string text;
  for (const MemoryBase& base : access.bases) {
    text += text.empty() ? "" : "|";
    switch (base.kind) {
      case MemoryBase::Kind::Unknown:
        text += base.spaces == Spaces::generic()                  ? "anything"
                : base.spaces.isOnly(isa::Space::Shared)          ? ".shared"
                : base.spaces.isOnly(isa::Space::Global)          ? ".global"
                : base.spaces.contains(isa::Space::SharedCluster) ? ".cluster"
                                                                  : "other";
        break;
      case MemoryBase::Kind::DynamicShared:
        text += "dynamic";
        break;
      case MemoryBase::Kind::Parameter:
        text += "*";
        [[fallthrough]];
      case MemoryBase::Kind::Variable: {
        const ir::Function& function = access.origin->ssa().cfg().function();
        text += function.module().text(base.variable->name);
        break;
      }
    }
  }
  text += " " + access.origin->text(access.address);
  if (access.bytes.isBounded()) {
    text += " " + std::to_string(access.bytes.lowest) + ".." + std::to_string(access.bytes.highest);
  }
  return text;
}

struct Case {
  const char* name;
  const char* code;
  const char* expected;
  const char* attributes = "";
};

class AddressOf : public testing::TestWithParam<Case> {};

TEST_P(AddressOf, IsAsExpected) {
  const Case& given = GetParam();
  ValueFunction f(kStart + given.code, given.attributes, kVariables, kParameters);
  const auto& addresses = f.analyses().get<Addresses>();
  ASSERT_FALSE(addresses.all().empty());
  EXPECT_EQ(describe(addresses.all().back()), given.expected);
}

const auto nameOf = [](const auto& tested) { return std::string(tested.param.name); };

INSTANTIATE_TEST_SUITE_P(
    Forms, AddressOf,
    testing::Values(
        Case{"Symbol", "st.shared.u32 [A+8], 0;", "A A+8 8..11"},
        Case{"Register", "st.shared.u32 [%r32+8], 0;", "A A+8 8..11"},
        Case{"Vector", "st.shared.v4.u32 [%r32], {%r1, %r1, %r1, %r1};", "A A 0..15"},
        Case{"ThreadId", "shl.b32 %r1, %r30, 2; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"Mad", "mad.lo.u32 %r1, %r30, 8, %r32; st.shared.u32 [%r1+-4], 0;",
             "A 8*tid.x+A-4 -4..8183"},
        Case{"ReqntidMakesConstants",
             "mov.u32 %r1, %ntid.x; mul.lo.u32 %r1, %r1, %r30; add.u32 %r1, %r1, %r32;"
             "st.shared.u32 [%r1], 0;",
             "A 64*tid.x+A 0..4035", ".reqntid 64, 1, 1"},
        Case{"OneRowHasNoY",
             "mov.u32 %r1, %tid.y; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A 0..3", ".reqntid 64, 1, 1"},
        Case{"OrIsASumOfDisjointBits",
             "shl.b32 %r1, %r30, 2; or.b32 %r1, %r1, 3; add.u32 %r1, %r1, %r32;"
             "st.shared.u8 [%r1], 0;",
             "A 4*tid.x+A+3 3..4095"},
        Case{"OrOfOverlappingBitsIsNone",
             "or.b32 %r1, %r30, 3; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+or(tid.x,3) 3..1023"},
        Case{"MaskThatClearsNothing",
             "and.b32 %r1, %r30, 1023; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..4095"},
        // docs/soundness/ C3.3.7
        Case{"MaskOnTheIndex",
             "and.b32 %r1, %r30, 31; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*and(tid.x,31) 0..127"},
        // docs/soundness/ B17: PTX clamps the amount.
        Case{"ShiftIsClamped",
             "shl.b32 %r1, %r30, 32; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;", "A A 0..0"},
        Case{"ShiftByUnknownAmount",
             "shl.b32 %r1, 1, %r30; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+shl(1,tid.x)"},
        Case{"WideningOfTheThreadId",
             "mul.wide.u32 %rd1, %r30, 4; add.u64 %rd1, %rd1, %rd12; st.shared.u32 [%rd1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"WideningThatMayWrap",
             "add.u32 %r1, %r30, %r34; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd10, %rd1;"
             "st.global.u32 [%rd1], 0;",
             "*p [p]+4*zext(tid.x+[n]) 0..17179869183"},
        Case{"SignedWideningThatMayWrap",
             "mul.wide.s32 %rd1, %r34, 4; add.u64 %rd1, %rd10, %rd1; st.global.u32 [%rd1], 0;",
             "*p [p]+4*sext([n]) -8589934592..8589934591"},
        Case{"WideningUnderAGuardThatExcludesIt",
             "setp.gt.u32 %p1, %r34, 1000; @%p1 bra OUT; add.u32 %r1, %r34, %r30;"
             "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd10, %rd1; st.global.u32 [%rd1], 0; OUT: "
             "ret;",
             "*p 4*tid.x+[p]+4*[n] 0..8095"},
        Case{"TruncationOfAWideForm",
             "mul.wide.u32 %rd1, %r30, 4; add.u64 %rd1, %rd1, %rd12; cvt.u32.u64 %r1, %rd1;"
             "st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"ExtendedSharedAddress",
             "mad.lo.u32 %r1, %r30, 4, %r32; cvt.u64.u32 %rd1, %r1; st.shared.u32 [%rd1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"PackedWithZero",
             "mad.lo.u32 %r1, %r30, 4, %r32; mov.b64 %rd1, {%r1, 0}; st.shared.u32 [%rd1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"Product",
             "mov.u32 %r1, %ntid.x; mad.lo.u32 %r1, %r31, %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A+4*ctaid.x*ntid.x"},
        Case{"BroadcastOfWhatAllHave",
             "shfl.sync.idx.b32 %r1, %r32, 0, 31, -1; st.shared.u32 [%r1+4], 0;", "A A+4 4..7"},
        Case{"BroadcastOfTheThreadId",
             "shfl.sync.idx.b32 %r1, %r30, 0, 31, -1; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"BroadcastOfAnotherLane",
             "shfl.sync.idx.b32 %r1, %r32, 1, 31, -1; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"BroadcastWhereThreadsMayHaveEnded",
             "@%p1 exit; shfl.sync.idx.b32 %r1, %r32, 0, 31, -1; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"LoadedIndex",
             "ld.global.u32 %r1, [%rd10]; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*%r1"},
        Case{"LoadedPointer", "ld.global.u32 %r1, [%rd10]; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"Guarded", "mov.u32 %r1, %r32; @%p1 add.u32 %r1, %r1, 4; st.shared.u32 [%r1], 0;",
             "A %r1"},
        Case{"GuardedOtherObject",
             "mov.u32 %r1, %r32; @%p1 mov.u32 %r1, %r33; st.shared.u32 [%r1], 0;", "B|A %r1"},
        // docs/soundness/ D6.4: A or B, or what was there before.
        Case{"GuardedSelection",
             "mov.u32 %r1, C; @%p1 selp.b32 %r1, %r32, %r33, %p2; st.shared.u32 [%r1], 0;",
             "A|B|C %r1"},
        Case{"GuardedSelectionBehindTheSame",
             "selp.b32 %r1, %r32, %r33, %p2; @%p1 selp.b32 %r1, %r33, %r32, %p2;"
             "st.shared.u32 [%r1], 0;",
             "B|A %r1"},
        Case{"GuardedSelectionOfANumber",
             "mov.u32 %r1, %r34; @%p1 selp.b32 %r1, %r32, %r33, %p2; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"Local", "st.local.u32 [depot+4], 0;", "depot depot+4 4..7"},
        Case{"Constant", "ld.const.u32 %r1, [K+4];", "K K+4 4..7"}),
    nameOf);

// docs/soundness/ C3.3.3: what is a sum, and what only looks like one.
INSTANTIATE_TEST_SUITE_P(
    Sums, AddressOf,
    testing::Values(
        Case{"Neg", "neg.s32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A -4*tid.x+A -4092..3"},
        Case{"Not", "not.b32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A -4*tid.x+A-4 -4096..-1"},
        Case{"Mul24", "mul24.lo.u32 %r1, %r30, 4; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"Mul24OfMoreBits",
             "mul24.lo.u32 %r1, %r34, 4; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             "A A+mul24.lo([n],4)"},
        Case{"Mul24High",
             "mul24.hi.u32 %r1, %r30, 4; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             "A A+mul24.hi(tid.x,4)"},
        Case{"NarrowedThatFits",
             "cvt.u8.u32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..255", ".reqntid 64"},
        Case{"NarrowedSignedThatFits",
             "cvt.s8.s32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..255", ".reqntid 64"},
        Case{"NarrowedThatWraps",
             "cvt.u8.u32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*zext(tid.x) 0..1023"},
        Case{"NarrowedToASign",
             "cvt.s8.u32 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*sext(tid.x) -512..511", ".reqntid 256"},
        Case{"PartOfAVectorOfParameters",
             "ld.param.v2.u32 {%r1, %r2}, [q]; mad.lo.u32 %r1, %r2, 4, %r32;"
             "st.shared.u32 [%r1], 0;",
             "A A+4*[q+4]"},
        Case{"NarrowParameter",
             "ld.param.u8 %r1, [n]; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+[n] 0..255"},
        Case{"NarrowSignedParameter",
             "ld.param.s8 %r1, [n]; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;", "A A+%r1"},
        Case{"ConstantOfAll",
             "ld.const.u8 %r1, [K+4]; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+%r1 0..255"},
        Case{"ConstantOfEachThread",
             "mov.u64 %rd1, K; mad.wide.u32 %rd1, %r30, 4, %rd1; ld.const.u8 %r1, [%rd1];"
             "add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+%r1 0..255"},
        Case{"ConstantOfNoSymbol",
             "ld.const.u8 %r1, [64]; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;",
             "A A+%r1 0..255"},
        Case{"VolatileSpecialRegister",
             "mov.u32 %r1, %clock; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;", "A A+%r1"},
        Case{"UnknownSpecialRegister",
             "mov.u32 %r1, %future; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;", "A A+%r1"},
        Case{"SelectedIndex",
             "selp.b32 %r1, %r30, 0, %p1; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*%r1 0..4095"},
        Case{"SelectedOfEqualOnes",
             "selp.b32 %r1, %r30, %r30, %p1; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A 4*tid.x+A 0..4095"},
        Case{"GuardedByTheSame",
             "mov.u32 %r1, %r32; @%p1 mov.u32 %r1, %r32; st.shared.u32 [%r1], 0;", "A A 0..3"},
        Case{"PackedWithANumber",
             "mov.b64 %rd1, {%r30, 1}; add.u64 %rd1, %rd1, %rd12; st.shared.u8 [%rd1], 0;",
             "A A+mov(tid.x,1)"},
        Case{"PackedOfFour",
             "mov.b64 %rd1, {%h1, %h2, 0, 0}; add.u64 %rd1, %rd1, %rd12; st.shared.u8 [%rd1], 0;",
             "A A+mov(%h1,%h2,0,0)"},
        // docs/soundness/ C8.3.2: lane 0 of the warp speaks for what all of it have.
        Case{"BroadcastOfARow",
             "mov.u32 %r2, %tid.y; shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"
             "mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*tid.y 0..15", ".reqntid 32, 4, 1"},
        Case{"BroadcastOfHalfARow",
             "mov.u32 %r2, %tid.y; shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"
             "mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;",
             "A A+4*%r1", ".reqntid 16, 8, 1"},
        Case{"BroadcastInASegment",
             "shfl.sync.idx.b32 %r1, %r32, 0, 15, -1; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"BroadcastToSomeLanes",
             "shfl.sync.idx.b32 %r1, %r32, 0, 31, 0xffff; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"BroadcastOfARegister",
             "shfl.sync.idx.b32 %r1, %r32, %r34, 31, -1; st.shared.u32 [%r1], 0;", ".shared %r1"},
        Case{"ShuffleUp", "shfl.sync.up.b32 %r1, %r32, 0, 31, -1; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"ShuffleWithoutSync", "shfl.idx.b32 %r1, %r32, 0, 31; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"CarryIn", "add.cc.u32 %r2, %r34, 1; addc.u32 %r1, %r32, 0; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"UnknownForm", "add.future.u32 %r1, %r32, 0; st.shared.u32 [%r1], 0;", ".shared %r1"}),
    nameOf);

// docs/soundness/ C3.3.2, C3.3.5, C3.3.6, C3.3.9
INSTANTIATE_TEST_SUITE_P(
    Pointers, AddressOf,
    testing::Values(
        Case{"MaskedOfAnOddSize", "mov.u32 %r1, E; and.b32 %r1, %r1, -16; st.shared.u32 [%r1], 0;",
             ".shared and(E,-16)"},
        Case{"MaskedWithinItsSize", "mov.u32 %r1, E; and.b32 %r1, %r1, -4; st.shared.u32 [%r1], 0;",
             "E and(E,-4) 0..6"},
        Case{"MaskedDynamic", "mov.u32 %r1, D; and.b32 %r1, %r1, -4; st.shared.u32 [%r1], 0;",
             ".shared and(D,-4)"},
        Case{"MaskedParameter", "and.b64 %rd1, %rd10, -16; st.global.u32 [%rd1], 0;",
             ".global and([p],-16)"},
        Case{"OneOfANumberedFamily", "st.shared.u32 [V2], 0;", ".shared V2"},
        Case{"DoubledPointer",
             "shl.b64 %rd1, %rd10, 1; cvta.to.global.u64 %rd1, %rd1;"
             "st.global.u32 [%rd1], 0;",
             ".global 2*[p]-generic.global"},
        Case{"GenericTwice",
             "cvta.shared.u64 %rd1, %rd12; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1], 0;",
             "anything A+2*generic.shared"},
        Case{"DoubledGeneric",
             "cvta.shared.u64 %rd1, %rd12; shl.b64 %rd1, %rd1, 1; st.u32 [%rd1], 0;",
             "anything 2*A+2*generic.shared"},
        Case{"GenericOfAnotherSpace",
             "mov.u64 %rd1, depot; cvta.local.u64 %rd1, %rd1; cvta.to.shared.u64 %rd1, %rd1;"
             "st.shared.u32 [%rd1], 0;",
             ".shared depot+generic.local-generic.shared"},
        Case{"GenericOfGlobalThroughShared", "cvta.shared.u64 %rd1, G; st.u32 [%rd1], 0;",
             "anything G+generic.shared"},
        Case{"SelectedGenericBack",
             "mov.u64 %rd2, B; cvta.shared.u64 %rd1, %rd12; cvta.shared.u64 %rd2, %rd2;"
             "selp.b64 %rd1, %rd1, %rd2, %p1; cvta.to.shared.u64 %rd1, %rd1;"
             "st.shared.u32 [%rd1], 0;",
             "A|B -generic.shared+%rd1"},
        Case{"SelectedGenericToAnotherSpace",
             "mov.u64 %rd2, B; cvta.shared.u64 %rd1, %rd12; cvta.shared.u64 %rd2, %rd2;"
             "selp.b64 %rd1, %rd1, %rd2, %p1; cvta.to.global.u64 %rd1, %rd1;"
             "cvta.to.local.u64 %rd1, %rd1; st.local.u32 [%rd1], 0;",
             "other %rd1-generic.global-generic.local"},
        Case{"SelectedGenericTwice",
             "mov.u64 %rd2, B; cvta.shared.u64 %rd1, %rd12; cvta.shared.u64 %rd2, %rd2;"
             "selp.b64 %rd1, %rd1, %rd2, %p1; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1], 0;",
             "anything generic.shared+%rd1"},
        Case{"ProductOfAnAddress",
             "mul.lo.u32 %r1, %r32, %r34; add.u32 %r1, %r1, %r33; st.shared.u32 [%r1], 0;",
             ".shared B+A*[n]"},
        Case{"OneOfMany",
             "selp.b32 %r1, %r32, %r33, %p1; mov.u32 %r2, C; selp.b32 %r1, %r1, %r2, %p2;"
             "mov.u32 %r2, E; selp.b32 %r1, %r1, %r2, %p3; mov.u32 %r2, D;"
             "selp.b32 %r1, %r1, %r2, %p4; st.shared.u32 [%r1], 0;",
             "A|B|C|E|dynamic %r1"}),
    nameOf);

// docs/soundness/ C10.13: what the declaration of a parameter says.
TEST(Addresses, DeclaredPointers) {
  const auto sum = [](const std::string& parameter) {
    ValueFunction f(kStart + "add.u64 %rd1, %rd10, %rd11; st.global.u32 [%rd1], 0; ret;", "",
                    kVariables, parameter + ", .param .u64 q, .param .u32 n");
    return describe(f.analyses().get<Addresses>().all().back());
  };
  EXPECT_EQ(sum(".param .u64 .ptr .global .align 4 p"), "*p [p]+[q]");
  EXPECT_EQ(sum(".param .u64 .ptr .align 4 p"), "*p [p]+[q]");
  EXPECT_EQ(sum(".param .u64 .ptr p"), "*p [p]+[q]");
  EXPECT_EQ(sum(".param .u64 p"), ".global [p]+[q]");
}

// docs/soundness/ C3.2, C3.3, C3.4
INSTANTIATE_TEST_SUITE_P(
    Objects, AddressOf,
    testing::Values(
        Case{"GenericShared", "cvta.shared.u64 %rd1, %rd12; st.u32 [%rd1+4], 0;", "A A+4 4..7"},
        Case{"GenericWithoutWindow", "st.u32 [%rd12], 0;", "anything A"},
        Case{"GenericGlobal", "mov.u64 %rd1, G; cvta.global.u64 %rd1, %rd1; st.u32 [%rd1], 0;",
             "G G+generic.global 0..3"},
        Case{"GlobalSymbolAsGeneric", "mov.u64 %rd1, G; st.u32 [%rd1], 0;", "G G 0..3"},
        Case{"GenericParameter", "st.u32 [%rd10], 0;", "anything [p]"},
        Case{"ParameterAsGlobal", "cvta.to.global.u64 %rd1, %rd10; st.global.u32 [%rd1+8], 0;",
             "*p [p]-generic.global+8 8..11"},
        Case{"TwoParameters", "add.u64 %rd1, %rd10, %rd11; st.global.u32 [%rd1], 0;",
             ".global [p]+[q]"},
        Case{"GenericBackToShared",
             "cvta.shared.u64 %rd1, %rd12; cvta.to.shared.u64 %rd1, %rd1; st.shared.u32 [%rd1], 0;",
             "A A 0..3"},
        Case{"GenericAddressInANamedSpace",
             "cvta.shared.u64 %rd1, %rd12; cvt.u32.u64 %r1, %rd1; st.shared.u32 [%r1], 0;",
             ".shared A+generic.shared"},
        Case{"SharedAddressInGlobal", "st.global.u32 [%rd12], 0;", ".global A"},
        Case{"Dynamic", "mov.u32 %r1, D; st.shared.u32 [%r1+16], 0;", "dynamic D+16 16..19"},
        Case{"NoSymbol", "st.shared.u32 [%r34], 0;", ".shared [n]"},
        Case{"DifferenceOfObjects", "sub.u32 %r1, %r33, %r32; st.shared.u32 [%r1], 0;",
             ".shared -A+B"},
        Case{"DifferenceAddedToAnObject",
             "sub.u32 %r1, %r33, %r32; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             "B B 0..3"},
        Case{"DifferenceAddedToItself",
             "sub.u32 %r1, %r33, %r32; add.u32 %r1, %r1, %r33; st.shared.u32 [%r1], 0;",
             ".shared -A+2*B"},
        // The word of a byte atomic: the object is lost.
        Case{"MaskedAddress", "and.b32 %r1, %r33, -128; st.shared.u32 [%r1], 0;",
             ".shared and(B,-128)"},
        Case{"MaskedAddressBelowTheAlignment", "and.b32 %r1, %r33, -4; st.shared.u32 [%r1], 0;",
             "B and(B,-4) 0..6"},
        Case{"Swizzle",
             "mov.u32 %r1, C; mad.lo.u32 %r1, %r30, 4, %r1; xor.b32 %r1, %r1, 112;"
             "st.shared.u32 [%r1], 0;",
             "C xor(4*tid.x+C,112) 0..4095"},
        Case{"SwizzleOfTooManyBits",
             "mov.u32 %r1, C; mad.lo.u32 %r1, %r30, 4, %r1; xor.b32 %r1, %r1, 128;"
             "st.shared.u32 [%r1], 0;",
             ".shared xor(4*tid.x+C,128)"},
        Case{"ShiftedAddress", "shr.u32 %r1, %r32, 1; shl.b32 %r1, %r1, 1; st.shared.u32 [%r1], 0;",
             ".shared 2*shr(A,1)"},
        Case{"ScaledAddress", "mul.lo.u32 %r1, %r32, 3; st.shared.u32 [%r1], 0;", ".shared 3*A"},
        Case{"LostPointerAsAnIndex",
             "and.b32 %r1, %r33, -128; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;",
             ".shared A+and(B,-128)"},
        Case{"SaturatedAddress", "add.sat.s32 %r1, %r32, %r30; st.shared.u32 [%r1], 0;",
             ".shared add.sat(A,tid.x)"},
        Case{"Selected", "selp.b32 %r1, %r32, %r33, %p1; st.shared.u32 [%r1], 0;", "A|B %r1"},
        Case{"SelectedWithANumber", "selp.b32 %r1, %r32, %r34, %p1; st.shared.u32 [%r1], 0;",
             ".shared %r1"},
        Case{"SelectedAndMoved",
             "selp.b32 %r1, %r32, %r33, %p1; mad.lo.u32 %r1, %r30, 4, %r1; st.shared.u32 [%r1], 0;",
             "A|B 4*tid.x+%r1"},
        Case{"SelectedGeneric",
             "mov.u64 %rd2, B; cvta.shared.u64 %rd1, %rd12; cvta.shared.u64 %rd2, %rd2;"
             "selp.b64 %rd1, %rd1, %rd2, %p1; st.u32 [%rd1], 0;",
             "A|B %rd1"},
        // docs/soundness/ C3.8
        Case{"GenericOfTheCluster",
             "cvt.u64.u32 %rd1, %r34; cvta.shared::cluster.u64 %rd1, %rd1; st.u32 [%rd1], 0;",
             ".cluster [n]+generic.shared::cluster"},
        Case{"ClusterOfAGenericAddress",
             "ld.global.u64 %rd1, [%rd10]; cvta.to.shared::cluster.u64 %rd1, %rd1;"
             "st.shared::cluster.u32 [%rd1], 0;",
             ".cluster %rd1-generic.shared::cluster"},
        Case{"NamedInTheCluster", "st.shared::cluster.u32 [A], 0;", ".cluster A"},
        // docs/soundness/ C10.13
        Case{"LoadedAndParameter",
             "ld.global.u64 %rd1, [%rd10]; add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             ".global [q]+%rd1"},
        Case{"LoadedNumberAndParameter",
             "ld.global.u32 %r1, [%rd10]; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %rd11;"
             "st.global.u32 [%rd1], 0;",
             "*q [q]+%r1 0..4294967298"},
        Case{"LoadedIndexAndParameter",
             "ld.global.u64 %rd1, [%rd10]; mad.lo.u64 %rd1, %rd1, 8, %rd11;"
             "st.global.u32 [%rd1], 0;",
             "*q [q]+8*%rd1"},
        Case{"HalvesAndParameter",
             "ld.global.v2.u32 {%r1, %r2}, [%rd10]; mov.b64 %rd1, {%r1, %r2};"
             "add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             ".global [q]+mov(%r1,%r2)"},
        Case{"ShiftedHalvesAndParameter",
             "ld.global.v2.u32 {%r1, %r2}, [%rd10]; cvt.u64.u32 %rd1, %r1; cvt.u64.u32 %rd2, %r2;"
             "shl.b64 %rd2, %rd2, 32; or.b64 %rd1, %rd1, %rd2; add.u64 %rd1, %rd1, %rd11;"
             "st.global.u32 [%rd1], 0;",
             ".global [q]+%r1+4294967296*%r2"},
        Case{"UpperHalfTakenAwayFromParameter",
             "ld.global.u32 %r1, [%rd10]; cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 32;"
             "sub.u64 %rd1, %rd11, %rd1; st.global.u32 [%rd1], 0;",
             ".global [q]-4294967296*%r1"},
        Case{"MaskedAndParameter",
             "ld.global.u64 %rd1, [%rd10]; and.b64 %rd1, %rd1, -16; add.u64 %rd1, %rd1, %rd11;"
             "st.global.u32 [%rd1], 0;",
             ".global [q]+and(%rd1,-16)"},
        Case{"ShiftedBackAndParameter",
             "ld.global.u64 %rd1, [%rd10]; shr.u64 %rd1, %rd1, 4; shl.b64 %rd1, %rd1, 4;"
             "add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             ".global [q]+16*shr(%rd1,4)"},
        Case{"PassedOrLoadedAndParameter",
             "ld.global.u64 %rd1, [%rd10]; selp.b64 %rd1, %rd1, %rd10, %p1;"
             "add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             ".global [q]+%rd1"},
        Case{"PassedOrNoneAndParameter",
             "selp.b64 %rd1, 0, %rd10, %p1; add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             ".global [q]+%rd1"},
        Case{"VariableOrPassedAndLoaded",
             "ld.global.u64 %rd1, [%rd10]; mov.u64 %rd2, G; selp.b64 %rd2, %rd2, %rd11, %p1;"
             "add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 0;",
             ".global %rd1+%rd2"},
        Case{"ParameterInTheUpperHalf", "shl.b64 %rd1, %rd10, 32; st.global.u32 [%rd1], 0;",
             ".global 4294967296*[p]"},
        Case{"ParameterAndScaledParameter",
             "mad.lo.u64 %rd1, %rd11, 4, %rd10; st.global.u32 [%rd1], 0;", "*p [p]+4*[q]"},
        Case{"ParameterAndProductOfParameters",
             "mul.lo.u64 %rd1, %rd10, %rd11; add.u64 %rd1, %rd1, %rd10; st.global.u32 [%rd1], 0;",
             "*p [p]+[p]*[q]"},
        Case{
            "DifferenceOfParametersAsAnIndex",
            "sub.u64 %rd1, %rd10, %rd11; mad.lo.u64 %rd1, %rd1, 4, %rd10; st.global.u32 [%rd1], 0;",
            ".global 5*[p]-4*[q]"},
        Case{"ConvertedAndParameter",
             "cvta.to.global.u64 %rd1, %rd10; add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;",
             "*p [p]+[q]-generic.global"},
        Case{"ConvertedElsewhereAndParameter",
             "add.u64 %rd2, %rd10, %rd11; add.u64 %rd3, %rd10, 16; cvta.to.global.u64 %rd1, %rd3;"
             "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], 0;",
             "*p [p]+[q]"},
        Case{"BothConverted",
             "cvta.to.global.u64 %rd1, %rd10; cvta.to.global.u64 %rd2, %rd11;"
             "add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 0;",
             ".global [p]+[q]-2*generic.global"},
        Case{"ConvertedSum",
             "ld.global.u64 %rd1, [%rd10]; add.u64 %rd1, %rd1, %rd11;"
             "cvta.to.global.u64 %rd1, %rd1; st.global.u32 [%rd1], 0;",
             ".global [q]+%rd1-generic.global"},
        Case{"ParameterAndVariable",
             "mov.u64 %rd1, G; add.u64 %rd1, %rd1, %rd11; st.global.u32 [%rd1], 0;", "G [q]+G"},
        Case{"SelectedOfTwoSpaces",
             "cvta.shared.u64 %rd1, %rd12; selp.b64 %rd1, %rd1, %rd10, %p1; st.u32 [%rd1], 0;",
             "A|anything %rd1"},
        Case{"PingPong",
             R"(
               mov.u32 %r1, %r32; mov.u32 %r2, %r33;
             LOOP:
               mov.u32 %r3, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r3;
               st.shared.u32 [%r1], 0;
               @%p1 bra LOOP;
             )",
             "B|A %r2"},
        Case{"LoopThatMayLoseIt",
             R"(
               mov.u32 %r1, %r32;
             LOOP:
               st.shared.u32 [%r1], 0;
               shr.u32 %r1, %r1, 1;
               @%p1 bra LOOP;
             )",
             ".shared %r1"},
        Case{"Collective", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r32];", "A A 0..15"}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(Loops, AddressOf,
                         testing::Values(Case{"Counter",
                                              R"(
               mov.u32 %r1, 0;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 1;
               setp.lt.u32 %p1, %r1, 100;
               @%p1 bra LOOP;
             )",
                                              "A A+4*round0 0..399"},
                                         Case{"Pointer",
                                              R"(
               mov.u32 %r1, 0; mov.u32 %r2, %r32;
             LOOP:
               st.shared.u32 [%r2], 0;
               add.u32 %r2, %r2, 16;
               add.u32 %r1, %r1, 1;
               setp.ne.u32 %p1, %r1, 10;
               @%p1 bra LOOP;
             )",
                                              "A A+16*round0 0..147"},
                                         Case{"NoBound",
                                              R"(
               mov.u32 %r2, %r32;
             LOOP:
               st.shared.u32 [%r2], 0;
               add.u32 %r2, %r2, 16;
               @%p1 bra LOOP;
             )",
                                              "A A+16*round0"},
                                         Case{"BlockStride",
                                              R"(
               mov.u32 %r1, %r30; mov.u32 %r3, %ntid.x;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, %r3;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra LOOP;
             )",
                                              "A 4*tid.x+A+4*ntid.x*round0"},
                                         Case{"BlockStrideOfAKnownBlock",
                                              R"(
               mov.u32 %r1, %r30; mov.u32 %r3, %ntid.x;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, %r3;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra LOOP;
             )",
                                              "A 4*tid.x+A+256*round0 0..4095", ".reqntid 64"},
                                         Case{"StepThatChanges",
                                              R"(
               mov.u32 %r1, 1; mov.u32 %r3, %r32;
             LOOP:
               st.shared.u32 [%r3], 0;
               add.u32 %r3, %r3, %r1;
               add.u32 %r1, %r1, 1;
               @%p1 bra LOOP;
             )",
                                              "A %r3"},
                                         Case{"StepUnderAGuard",
                                              R"(
               mov.u32 %r3, %r32;
             LOOP:
               st.shared.u32 [%r3], 0;
               @%p2 add.u32 %r3, %r3, 4;
               @%p1 bra LOOP;
             )",
                                              "A %r3"},
                                         Case{"DifferentStepsOnTwoWaysAround",
                                              R"(
               mov.u32 %r3, %r32;
             LOOP:
               st.shared.u32 [%r3], 0;
               @%p2 bra MORE;
               add.u32 %r3, %r3, 4;
               bra LOOP;
             MORE:
               add.u32 %r3, %r3, 8;
               @%p1 bra LOOP;
             )",
                                              "A %r3"}),
                         nameOf);

// The same operation twice: what a branch says of one of them is not lent to the other.
TEST(Addresses, EqualOperationsKeepTheirBounds) {
  ValueFunction f(kStart + R"(
      setp.ge.u32 %p1, %r34, 64;
      @%p1 bra OUT;
      shr.u32 %r1, %r34, 3; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;
    OUT:
      shr.u32 %r2, %r34, 3; add.u32 %r2, %r2, %r32; st.shared.u8 [%r2], 0;
    )",
                  "", kVariables, kParameters);
  const auto all = f.analyses().get<Addresses>().all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].bytes, (Interval{0, 7}));
  EXPECT_EQ(all[1].bytes, (Interval{0, (std::int64_t{1} << 29) - 1}));
}

// The same operation twice: that one of them stays in its object, because of what a branch says,
// does not say it of the other.
TEST(Addresses, EqualOperationsPointWhereBothDo) {
  const std::string start = kStart + "mov.u32 %r3, C; setp.lt.u32 %p1, %r34, 128; ";
  const auto basesOf = [&](const std::string& code) {
    ValueFunction f(start + code, "", kVariables, kParameters);
    std::string all;
    for (const Access& access : f.analyses().get<Addresses>().all()) all += describe(access) + "; ";
    return all;
  };
  EXPECT_EQ(basesOf(R"(
      @%p1 bra SMALL;
      xor.b32 %r2, %r3, %r34; st.shared.u8 [%r2], 0; ret;
    SMALL:
      xor.b32 %r1, %r3, %r34; st.shared.u8 [%r1], 0; ret;
    )"),
            ".shared xor(C,[n]); .shared xor(C,[n]); ");
  EXPECT_EQ(basesOf(R"(
      @!%p1 bra LARGE;
      xor.b32 %r1, %r3, %r34; st.shared.u8 [%r1], 0; ret;
    LARGE:
      xor.b32 %r2, %r3, %r34; st.shared.u8 [%r2], 0; ret;
    )"),
            ".shared xor(C,[n]); .shared xor(C,[n]); ");
  EXPECT_EQ(basesOf(R"(
      @!%p1 bra OUT;
      xor.b32 %r1, %r3, %r34; st.shared.u8 [%r1], 0;
      setp.lt.u32 %p2, %r34, 64;
      @!%p2 bra OUT;
      xor.b32 %r2, %r3, %r34; st.shared.u8 [%r2], 0;
    OUT:
      ret;
    )"),
            "C xor(C,[n]) 0..127; C xor(C,[n]) 0..127; ");
}

// docs/soundness/ C10.13
TEST(Addresses, DeclaredPointersAreNoNumbers) {
  const auto baseOf = [&](const std::string& parameters) {
    ValueFunction f(kStart + "add.u64 %rd1, %rd10, %rd11; st.global.u32 [%rd1], 0;", "", kVariables,
                    parameters);
    return describe(f.analyses().get<Addresses>().all().back());
  };
  EXPECT_EQ(baseOf(".param .u64 .ptr .global .align 4 p, .param .u64 q, .param .u32 n"),
            "*p [p]+[q]");
  EXPECT_EQ(baseOf(".param .u64 p, .param .u64 .ptr q, .param .u32 n"), "*q [p]+[q]");
  EXPECT_EQ(baseOf(".param .u64 .ptr .global p, .param .u64 .ptr .global q, .param .u32 n"),
            ".global [p]+[q]");
  EXPECT_EQ(baseOf(".param .u64 p, .param .u64 q, .param .u32 n"), ".global [p]+[q]");
}

TEST(Addresses, UnreachableCodeHasNone) {
  ValueFunction f(kStart + "ret; st.shared.u32 [A], 0;", "", kVariables, kParameters);
  EXPECT_TRUE(f.analyses().get<Addresses>().all().empty());
}

TEST(Addresses, CopiesHaveOneForEachSide) {
  ValueFunction f(kStart + "cp.async.ca.shared.global [%r32+16], [%rd10], 8;", "", kVariables,
                  kParameters);
  const auto all = f.analyses().get<Addresses>().all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(describe(all[0]), "A A+16 16..23");
  EXPECT_EQ(describe(all[1]), "*p [p] 0..7");
}

// docs/soundness/ C8(ii).1
TEST(Addresses, WhatIsStableAndWhatIsUniform) {
  ValueFunction f(kStart + R"(
      ld.global.u32 %r1, [%rd10];
      add.u32 %r2, %r1, %r32; st.shared.u8 [%r2], 0;
      mul.lo.u32 %r3, %r31, %r34; shr.u32 %r3, %r3, 3; add.u32 %r3, %r3, %r32;
      st.shared.u8 [%r3], 0;
    LOOP:
      ld.global.u32 %r4, [%rd10];
      add.u32 %r4, %r4, %r32; st.shared.u8 [%r4], 0;
      shr.u32 %r5, %r1, 3; add.u32 %r5, %r5, %r32; st.shared.u8 [%r5], 0;
      add.u32 %r6, %r30, %r32; st.shared.u8 [%r6], 0;
      @%p1 bra LOOP;
    )",
                  "", kVariables, kParameters);
  const auto& addresses = f.analyses().get<Addresses>();
  std::vector<std::string> found;
  for (const Access& access : addresses.all()) {
    if (!access.spaces.isOnly(isa::Space::Shared)) continue;
    const LinearForms& forms = addresses.forms();
    found.push_back(forms.isUniform(access.address)  ? "uniform"
                    : forms.isStable(access.address) ? "stable"
                                                     : "changes");
  }
  EXPECT_EQ(found, (std::vector<std::string>{"stable", "uniform", "changes", "stable", "stable"}));
}

// docs/soundness/ C8(ii).11
TEST(Addresses, GuardedValuesAreOneOfTwo) {
  ValueFunction f(kStart + R"(
      ld.const.u32 %r1, [K]; add.u32 %r1, %r1, %r32; st.shared.u8 [%r1], 0;
      mov.u32 %r2, 0; @%p1 ld.const.u32 %r2, [K]; add.u32 %r2, %r2, %r32; st.shared.u8 [%r2], 0;
      mov.u32 %r3, 0; @%p1 ld.param.u32 %r3, [n]; add.u32 %r3, %r3, %r32; st.shared.u8 [%r3], 0;
      mov.u32 %r4, %r34; @%p1 ld.param.u32 %r4, [n]; add.u32 %r4, %r4, %r32; st.shared.u8 [%r4], 0;
    LOOP:
      ld.const.u32 %r5, [K]; add.u32 %r5, %r5, %r32; st.shared.u8 [%r5], 0;
      mov.u32 %r6, 0; @%p1 ld.const.u32 %r6, [K]; add.u32 %r6, %r6, %r32; st.shared.u8 [%r6], 0;
      @%p2 bra LOOP;
    )",
                  "", kVariables, kParameters);
  const auto& addresses = f.analyses().get<Addresses>();
  const LinearForms& forms = addresses.forms();
  std::vector<std::string> found;
  for (const Access& access : addresses.all()) {
    if (!access.spaces.isOnly(isa::Space::Shared)) continue;
    const std::string_view kind = forms.isUniform(access.address)  ? "uniform "
                                  : forms.isStable(access.address) ? "stable "
                                                                   : "changes ";
    found.push_back(std::string(kind) + std::to_string(access.variants.size()));
    // Each of the two by itself is the same for all threads.
    for (const Access& variant : access.variants) EXPECT_TRUE(forms.isUniform(variant.address));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"uniform 0", "stable 2", "stable 2", "uniform 0",
                                             "uniform 0", "changes 2"}));
}

TEST(Addresses, GuardsAndBranchesRestrictThreads) {
  ValueFunction f(kStart + R"(
      setp.gt.u32 %p1, %r30, 31;
      @%p1 bra OUT;
      setp.eq.u32 %p2, %r30, 5;
      mad.lo.u32 %r1, %r30, 4, %r32;
      st.shared.u32 [%r1], 0;
      @%p2 st.shared.u32 [%r1], 0;
    OUT:
      st.shared.u32 [%r32], 0;
    )",
                  ".reqntid 64", kVariables, kParameters);
  const auto all = f.analyses().get<Addresses>().all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].thread[0], (Interval{0, 31}));
  EXPECT_EQ(all[0].thread[1], (Interval{0, 0}));
  EXPECT_EQ(describe(all[0]), "A 4*tid.x+A 0..127");
  EXPECT_EQ(all[1].thread[0], (Interval{5, 5}));
  EXPECT_EQ(describe(all[1]), "A 4*tid.x+A 20..23");
  EXPECT_EQ(all[2].thread[0], (Interval{0, 63}));
}

}  // namespace
}  // namespace ptxopt::analysis
