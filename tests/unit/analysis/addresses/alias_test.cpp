// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/alias.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "value_text.h"

namespace ptxopt::analysis {

void PrintTo(AliasRule rule, std::ostream* out) {
  *out << spelling(rule);
}

namespace {

using enum AliasRule;
using test::ValueFunction;

const char* const kVariables = R"(
.shared .align 16 .b8 A[8192];
.shared .align 4 .b8 B[64];
.extern .shared .align 16 .b8 D[];
.extern .shared .align 16 .b8 E[];
.global .align 4 .b8 G[4096];
.global .align 4 .b8 H[4096];
.shared .b32 V<4>;
)";
const char* const kParameters = ".param .u64 p, .param .u64 q, .param .u32 n";
// %r30: tid.x, %r31: ctaid.x, %r32: A, %r33: B, %r34: n, %r35: A + 4 * tid.x, %r36: tid.y
const std::string kStart = R"(
  .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  mov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mov.u32 %r32, A; mov.u32 %r33, B;
  ld.param.u64 %rd10, [p]; ld.param.u64 %rd11, [q]; ld.param.u32 %r34, [n];
  mad.lo.u32 %r35, %r30, 4, %r32; mov.u32 %r36, %tid.y; mov.u64 %rd12, A;
)";
const char* const kRow = ".reqntid 256, 1, 1";
const char* const kSquare = ".reqntid 16, 16, 1";

// The first two stores, by different threads.
struct Case {
  const char* name;
  AliasRule expected;
  const char* attributes;
  const char* code;
};

class Alias : public testing::TestWithParam<Case> {};

AliasRule ruleOf(const Case& given, Threads threads, const AliasAssumptions& assumptions = {}) {
  ValueFunction f(kStart + given.code, given.attributes, kVariables, kParameters);
  const auto& addresses = f.analyses().get<Addresses>();
  std::vector<const Access*> stores;
  for (const Access& access : addresses.all()) {
    if (access.instruction->desc->is(isa::kMemoryWrite) ||
        access.instruction->desc->opcode == isa::Opcode::Ldmatrix) {
      stores.push_back(&access);
    }
  }
  EXPECT_GE(stores.size(), 1u);
  const AliasRule rule = disjoint(*stores[0], *stores[stores.size() > 1], threads, assumptions);
  EXPECT_EQ(rule, disjoint(*stores[stores.size() > 1], *stores[0], threads, assumptions));
  return rule;
}

TEST_P(Alias, OfDifferentThreads) {
  EXPECT_EQ(ruleOf(GetParam(), Threads::Different), GetParam().expected);
  // What holds for different threads alone does not hold for one.
  const AliasRule any = ruleOf(GetParam(), Threads::Any);
  const bool isOfThreads = GetParam().expected == OneThread || GetParam().expected == Injective;
  EXPECT_EQ(any == None, GetParam().expected == None || isOfThreads);
}

const auto nameOf = [](const auto& tested) { return std::string(tested.param.name); };

// docs/soundness/ C3
INSTANTIATE_TEST_SUITE_P(
    ObjectsAndRanges, Alias,
    testing::Values(
        Case{"SameAddress", None, kRow, "st.shared.u32 [A], 0; st.shared.u32 [A], 0;"},
        Case{"Neighbours", Ranges, kRow, "st.shared.u32 [A], 0; st.shared.u32 [A+4], 0;"},
        Case{"Straddling", None, kRow, "st.shared.u32 [A], 0; st.shared.u32 [A+3], 0;"},
        Case{"WideStore", None, kRow, "st.shared.v2.u32 [A], {%r1, %r1}; st.shared.u32 [A+4], 0;"},
        Case{"Objects", Objects, kRow, "st.shared.u32 [%r35], 0; st.shared.u32 [%r33], 0;"},
        Case{"Spaces", Spaces, kRow, "st.shared.u32 [%r35], 0; st.global.u32 [%rd10], 0;"},
        Case{"GenericMayBeAnything", None, kRow, "st.shared.u32 [%r35], 0; st.u32 [%rd10], 0;"},
        Case{"GenericOfAnotherObject", Objects, kRow,
             "st.shared.u32 [%r33], 0; cvta.shared.u64 %rd1, %rd12; st.u32 [%rd1], 0;"},
        Case{"GenericOfTheSameObject", None, kRow,
             "st.shared.u32 [A], 0; cvta.shared.u64 %rd1, %rd12; st.u32 [%rd1], 0;"},
        // Not the same as the number without what cvta adds (C3.2).
        Case{"GenericAddressAsOneOfTheSpace", None, kRow,
             "cvta.shared.u64 %rd1, %rd12; st.shared.u32 [%rd1], 0; st.u32 [%rd1+4], 0;"},
        Case{"GenericOfTheSameObjectBehind", Ranges, kRow,
             "st.shared.u32 [A], 0; cvta.shared.u64 %rd1, %rd12; st.u32 [%rd1+4], 0;"},
        // C3.8
        Case{"SharedAndTheWindowOfTheCluster", None, kRow,
             "st.shared.u32 [A], 0; cvt.u64.u32 %rd1, %r34; cvta.shared::cluster.u64 %rd1, %rd1;"
             "st.u32 [%rd1], 0;"},
        Case{"DynamicAndTheWindowOfTheCluster", None, kRow,
             "st.shared.u32 [D], 0; cvt.u64.u32 %rd1, %r34; cvta.shared::cluster.u64 %rd1, %rd1;"
             "st.u32 [%rd1], 0;"},
        Case{"TwoWindows", None, kRow,
             "cvt.u64.u32 %rd1, %r34; cvta.shared::cluster.u64 %rd2, %rd1; st.u32 [%rd2], 0;"
             "cvta.shared::cta.u64 %rd3, %rd1; st.u32 [%rd3], 0;"},
        Case{"NamedWindowOfTheCluster", None, kRow,
             "st.shared.u32 [A], 0; st.shared::cluster.u32 [%r34], 0;"},
        Case{"MappedAddress", None, kRow,
             "st.shared.u32 [A], 0; mapa.shared::cluster.u32 %r1, %r34, 0; cvt.u64.u32 %rd1, %r1;"
             "cvta.shared::cluster.u64 %rd1, %rd1; st.u32 [%rd1], 0;"},
        Case{"MappedGenericAddress", None, kRow,
             "st.shared.u32 [A], 0; cvta.shared.u64 %rd1, %rd12; mapa.u64 %rd1, %rd1, %r34;"
             "st.u32 [%rd1], 0;"},
        Case{"WindowOfTheClusterAndGlobal", Spaces, kRow,
             "st.global.u32 [%rd10], 0; cvt.u64.u32 %rd1, %r34;"
             "cvta.shared::cluster.u64 %rd1, %rd1; st.u32 [%rd1], 0;"},
        // C3.3.8
        Case{"DynamicIsOneObject", None, kRow, "st.shared.u32 [D], 0; st.shared.u32 [E+64], 0;"},
        Case{"DynamicAndStatic", Objects, kRow, "st.shared.u32 [D], 0; st.shared.u32 [A], 0;"},
        Case{"OneNameOfSeveral", None, kRow, "st.shared.u32 [V0], 0; st.shared.u32 [V1+-4], 0;"},
        Case{"ParametersMayOverlap", None, kRow,
             "st.global.u32 [%rd10], 0; st.global.u32 [%rd11], 0;"},
        Case{"ParameterAndGlobal", None, kRow, "st.global.u32 [%rd10], 0; st.global.u32 [G], 0;"},
        Case{"Globals", Objects, kRow, "st.global.u32 [G], 0; st.global.u32 [H], 0;"},
        // What is computed of two addresses may be either.
        Case{"OperationOnTheAddressOfAnother", None, kRow,
             "mov.u64 %rd1, B; xor.b64 %rd2, %rd10, %rd1; add.u64 %rd2, %rd2, %rd12;"
             "st.shared.u32 [%rd2], 0; st.shared.u32 [B], 0;"},
        Case{"OneParameter", Ranges, kRow, "st.global.u32 [%rd10], 0; st.global.u32 [%rd10+4], 0;"},
        Case{"UnionHoldsIt", None, kRow,
             "selp.b32 %r1, %r32, %r33, %p1; st.shared.u32 [%r1], 0; st.shared.u32 [B], 0;"},
        // C3.3.1: the word of a byte atomic reaches the neighbours.
        Case{"MaskedAddress", None, kRow,
             "and.b32 %r1, %r33, -128; st.shared.u32 [%r1], 0; st.shared.u32 [A], 0;"},
        // C3.3.4
        Case{"DifferenceOfObjects", None, kRow,
             "sub.u32 %r1, %r33, %r32; add.u32 %r1, %r1, %r33; st.shared.u32 [%r1], 0;"
             "st.shared.u32 [A], 0;"},
        Case{"LowerAndUpperHalf", Ranges, kRow,
             "st.shared.u32 [%r35], 0; st.shared.u32 [%r35+1024], 0;"},
        // A4: 32 bits of it are left, however it is extended.
        Case{"OffsetOfMoreThan32Bits", Ranges, kRow,
             "st.shared.u32 [A+4], 0; st.shared.u32 [%r32+4294967296], 0;"},
        Case{"HalvesOfALargerBlock", None, ".reqntid 512",
             "st.shared.u32 [%r35], 0; st.shared.u32 [%r35+1024], 0;"},
        Case{"Interleaved", Residues, "",
             "mad.lo.u32 %r1, %r34, 8, %r32; st.shared.u32 [%r1], 0; "
             "mad.lo.u32 %r2, %r31, 8, %r32; st.shared.u32 [%r2+4], 0;"},
        Case{"InterleavedTooWide", None, "",
             "mad.lo.u32 %r1, %r34, 8, %r32; st.shared.u64 [%r1], 0; "
             "mad.lo.u32 %r2, %r31, 8, %r32; st.shared.u32 [%r2+4], 0;"},
        // 12 * n wraps: the residues modulo 12 are lost, those modulo 4 stay.
        Case{"InterleavedByThree", None, "",
             "mad.lo.u32 %r1, %r34, 12, %r32; st.shared.u32 [%r1], 0; "
             "mad.lo.u32 %r2, %r31, 12, %r32; st.shared.u32 [%r2+4], 0;"}),
    nameOf);

// docs/soundness/ C8(ii), C8(iii)
INSTANTIATE_TEST_SUITE_P(
    Injectivity, Alias,
    testing::Values(
        Case{"OwnSlot", Injective, kRow, "st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"},
        Case{"OwnSlotOfAnUnknownShape", None, "",
             "st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"},
        // .maxntid bounds only the product: 64 x 2 is a launch.
        Case{"OwnSlotOfAMaximalShape", None, ".maxntid 128, 1, 1",
             "st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"},
        Case{"OneIndexInTwoDimensions", None, kSquare,
             "st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"},
        Case{"Neighbour", None, kRow, "st.shared.u32 [%r35], 0; st.shared.u32 [%r35+4], 0;"},
        Case{"PartOfTheSlot", Injective, kRow,
             "st.shared.u32 [%r35], 0; st.shared.u8 [%r35+3], 0;"},
        Case{"WiderThanTheSlot", None, kRow,
             "st.shared.u32 [%r35], 0; st.shared.v2.u32 [%r35], {%r1, %r1};"},
        Case{"OtherStride", None, kRow,
             "st.shared.u32 [%r35], 0; mad.lo.u32 %r1, %r30, 8, %r32; st.shared.u32 [%r1], 0;"},
        Case{"Exchange", None, kRow,
             "st.shared.u32 [%r35], 0; xor.b32 %r1, %r30, 1; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0;"},
        Case{"Reversed", None, kRow,
             "st.shared.u32 [%r35], 0; sub.u32 %r1, 255, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0;"},
        Case{"AllThreadsTheSame", None, kRow, "st.shared.u32 [%r32], 0; st.shared.u32 [%r32], 0;"},
        Case{"ByAParameter", None, kRow,
             "mad.lo.u32 %r1, %r34, 4, %r32; st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        // C8(ii).3
        Case{"Matrix", Injective, kSquare,
             "mad.lo.u32 %r1, %r36, 16, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"PaddedMatrix", Injective, kSquare,
             "mad.lo.u32 %r1, %r36, 17, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"MatrixWithNarrowRows", None, kSquare,
             "mad.lo.u32 %r1, %r36, 15, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"Transposed", None, kSquare,
             "mad.lo.u32 %r1, %r36, 16, %r30; mad.lo.u32 %r1, %r1, 4, %r32; st.shared.u32 [%r1], 0;"
             "mad.lo.u32 %r2, %r30, 16, %r36; mad.lo.u32 %r2, %r2, 4, %r32; st.shared.u32 [%r2], "
             "0;"},
        Case{"LinearIdOfAnyShape", Injective, "",
             R"(
               mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y; mov.u32 %r3, %ntid.x;
               mad.lo.u32 %r1, %r1, %r2, %r36; mad.lo.u32 %r1, %r1, %r3, %r30;
               mad.lo.u32 %r1, %r1, 4, %r32;
               st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;
             )"},
        Case{"LinearIdInTheWrongOrder", None, "",
             R"(
               mov.u32 %r2, %ntid.y; mad.lo.u32 %r1, %r36, %r2, %r30;
               mad.lo.u32 %r1, %r1, 4, %r32;
               st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;
             )"},
        Case{"LinearIdOfTwoDimensions", None, "",
             R"(
               mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r36, %r3, %r30;
               mad.lo.u32 %r1, %r1, 4, %r32;
               st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;
             )"},
        // 4 * tid wraps where the factor is 2^30.
        Case{"StrideThatWraps", None, kRow,
             "shl.b32 %r1, %r30, 30; add.u32 %r1, %r1, %r32; st.shared.u32 [%r1], 0;"
             "st.shared.u32 [%r1], 0;"},
        // Threads 0, 4, 8, ... of 256 have one address, and the sum has no bounds.
        Case{"StrideThatWrapsInAllBits", None, kRow,
             "cvt.u64.u32 %rd1, %r30; shl.b64 %rd1, %rd1, 62; add.u64 %rd1, %rd1, %rd10;"
             "st.global.u32 [%rd1], 0; st.global.u32 [%rd1], 0;"},
        // The window of shared memory has 32 bits, and a wider address is truncated.
        Case{"StrideBeyondTheWindow", None, kRow,
             "cvt.u64.u32 %rd1, %r30; shl.b64 %rd1, %rd1, 32; add.u64 %rd1, %rd1, %rd12;"
             "st.shared.u32 [%rd1], 0; st.shared.u32 [%rd1], 0;"},
        Case{"DistanceBeyondTheWindow", None, kRow,
             "add.u64 %rd1, %rd12, 0x100000000; st.shared.u32 [%rd1], 0; st.shared.u32 [A], 0;"},
        Case{"SlotInAWideRegister", Injective, kRow,
             "cvt.u64.u32 %rd1, %r35; st.shared.u32 [%rd1], 0; st.shared.u32 [%r35], 0;"},
        // What is extended may have wrapped; its low bits are what they were.
        Case{"WrappedIndexInAWideRegister", Injective, kRow,
             "add.u32 %r1, %r34, %r30; mul.wide.s32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd12;"
             "st.shared.u32 [%rd1], 0; mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;"},
        Case{"TwoWindows", None, kRow,
             "cvt.u64.u32 %rd1, %r34; st.shared.u32 [%rd1], 0; st.u32 [%rd1+4], 0;"},
        // From the greatest bound on there is no bound.
        Case{"NumbersBeyondTheBounds", None, kRow,
             "ld.global.u64 %rd1, [%rd10]; max.u64 %rd1, %rd1, 0x7fffffffffffffff;"
             "shl.b64 %rd1, %rd1, 2; add.u64 %rd1, %rd1, %rd11;"
             "st.global.u32 [%rd1], 0; st.global.u32 [%rd11+8], 0;"},
        Case{"OpaqueBaseInALoop", None, kRow,
             R"(
             LOOP:
               ld.global.u32 %r1, [%rd10]; add.u32 %r1, %r1, %r35;
               st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;
               @%p1 bra LOOP;
             )"},
        Case{"OpaqueBaseOfEachThread", None, kRow,
             "ld.global.u32 %r1, [%rd10]; add.u32 %r1, %r1, %r35;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"UniformBase", Injective, kRow,
             "shr.u32 %r1, %r34, 3; mad.lo.u32 %r1, %r1, 512, %r35;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"GlobalElementOfTheGrid", Injective, kRow,
             R"(
               mov.u32 %r1, %ntid.x; mad.lo.s32 %r1, %r31, %r1, %r30;
               mul.wide.s32 %rd1, %r1, 4; add.u64 %rd1, %rd10, %rd1;
               st.global.u32 [%rd1], 0; st.global.u32 [%rd1], 0;
             )"},
        Case{"GlobalElementAndItsNeighbour", None, kRow,
             R"(
               mov.u32 %r1, %ntid.x; mad.lo.s32 %r1, %r31, %r1, %r30;
               mul.wide.s32 %rd1, %r1, 4; add.u64 %rd1, %rd10, %rd1;
               st.global.u32 [%rd1], 0; st.global.u32 [%rd1+4], 0;
             )"},
        Case{"Truncated", None, kRow,
             "and.b32 %r1, %r30, 127; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        // C8(ii).6
        Case{"ByteThatHoldsAll", Injective, kRow,
             "cvt.u32.u8 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        Case{"ByteThatDoesNot", None, ".reqntid 512",
             "cvt.u32.u8 %r1, %r30; mad.lo.u32 %r1, %r1, 4, %r32;"
             "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"},
        // C8(iii).1
        Case{"BlockStride", Injective, kRow,
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 256;
               setp.lt.u32 %p1, %r1, %r34;
               @%p1 bra LOOP;
             )"},
        Case{"BlockStrideInTwoLoops", Injective, kRow,
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 256;
               @%p1 bra LOOP;
               mov.u32 %r1, %r30;
             NEXT:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 256;
               @%p1 bra NEXT;
             )"},
        Case{"BlockStrideInTwoBoundedLoops", Injective, kRow,
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 256;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra LOOP;
               mov.u32 %r1, %r30;
             NEXT:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 512;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra NEXT;
             )"},
        Case{"BlockStridesOfNoCommonMultiple", None, kRow,
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 256;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra LOOP;
               mov.u32 %r1, %r30;
             NEXT:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 384;
               setp.lt.u32 %p1, %r1, 1024;
               @%p1 bra NEXT;
             )"},
        Case{"BlockStrideOfAnotherStride", None, kRow,
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 128;
               @%p1 bra LOOP;
             )"},
        // 96 does not divide 2^32: after a wrap the rows are shifted.
        Case{"BlockStrideThatMayWrap", None, ".reqntid 96",
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 96;
               setp.lt.u32 %p1, %r1, %r34;
               @%p1 bra LOOP;
             )"},
        Case{"BlockStrideThatDoesNotWrap", Injective, ".reqntid 96",
             R"(
               mov.u32 %r1, %r30;
             LOOP:
               mad.lo.u32 %r2, %r1, 4, %r32;
               st.shared.u32 [%r2], 0;
               add.u32 %r1, %r1, 96;
               setp.lt.u32 %p1, %r1, 2000;
               @%p1 bra LOOP;
             )"},
        Case{"ChunkOfEachThread", Injective, kRow,
             R"(
               mov.u32 %r1, 0; mad.lo.u32 %r2, %r30, 64, %r32;
             LOOP:
               st.shared.u32 [%r2], 0;
               add.u32 %r2, %r2, 4;
               add.u32 %r1, %r1, 1;
               setp.lt.u32 %p1, %r1, 16;
               @%p1 bra LOOP;
             )"},
        Case{"ChunkThatIsTooLong", None, kRow,
             R"(
               mov.u32 %r1, 0; mad.lo.u32 %r2, %r30, 64, %r32;
             LOOP:
               st.shared.u32 [%r2], 0;
               add.u32 %r2, %r2, 4;
               add.u32 %r1, %r1, 1;
               setp.lt.u32 %p1, %r1, 17;
               @%p1 bra LOOP;
             )"},
        // docs/soundness/ C8.1
        Case{"Collective", None, kRow,
             "mad.lo.u32 %r1, %r30, 16, %r32; st.shared.u32 [%r1], 0;"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];"},
        Case{"GuardedDefinition", None, kRow,
             "mov.u32 %r1, %r35; @%p1 mov.u32 %r1, %r32; st.shared.u32 [%r1], 0;"
             "st.shared.u32 [%r1], 0;"}),
    nameOf);

// docs/soundness/ C8(i).1
INSTANTIATE_TEST_SUITE_P(
    Leaders, Alias,
    testing::Values(
        Case{"SameThread", OneThread, kRow,
             "setp.eq.u32 %p1, %r30, 0; setp.eq.u32 %p2, %r30, 0;"
             "@%p1 st.shared.u32 [A], 0; @%p2 st.shared.u32 [A], 0;"},
        Case{"TwoThreads", None, kRow,
             "setp.eq.u32 %p1, %r30, 0; setp.eq.u32 %p2, %r30, 32;"
             "@%p1 st.shared.u32 [A], 0; @%p2 st.shared.u32 [A], 0;"},
        Case{"NotUniqueInTwoDimensions", None, kSquare,
             "setp.eq.u32 %p1, %r30, 0; @%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"NotUniqueInAnUnknownShape", None, "",
             "setp.eq.u32 %p1, %r30, 0; @%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"UniqueInTwoDimensions", OneThread, kSquare,
             "setp.eq.u32 %p1, %r30, 0; setp.eq.u32 %p2, %r36, 0; and.pred %p1, %p1, %p2;"
             "@%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"ByBranches", OneThread, kRow,
             R"(
               setp.ne.u32 %p1, %r30, 0;
               @%p1 bra L1;
               st.shared.u32 [A], 0;
             L1:
               @%p1 bra L2;
               st.shared.u32 [A], 0;
             L2:
               ret;
             )"},
        Case{"NegatedGuard", None, kRow,
             "setp.eq.u32 %p1, %r30, 0; @!%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"LaneIsNoThread", None, kRow,
             "mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0;"
             "@%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"WarpLeaderIsNoThread", None, kRow,
             "and.b32 %r1, %r30, 31; setp.eq.u32 %p1, %r1, 0;"
             "@%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"UniformLeader", OneThread, kRow,
             "setp.eq.u32 %p1, %r30, %r34; @%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        Case{"UniformLeaderByBranches", OneThread, kRow,
             R"(
               add.u32 %r1, %r30, %r34;
               setp.ne.u32 %p1, %r1, 7;
               @%p1 bra L1;
               st.shared.u32 [A], 0;
             L1:
               @%p1 bra L2;
               st.shared.u32 [A], 0;
             L2:
               ret;
             )"},
        Case{"LoadedLeader", None, kRow,
             "ld.global.u32 %r1, [%rd10]; setp.eq.u32 %p1, %r30, %r1;"
             "@%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"},
        // A leader that rotates is another thread in each round.
        Case{"RotatingLeader", None, kRow,
             R"(
               mov.u32 %r1, 0;
             LOOP:
               setp.eq.u32 %p1, %r30, %r1;
               @%p1 st.shared.u32 [A], 0;
               @%p1 st.shared.u32 [A], 0;
               add.u32 %r1, %r1, 1;
               setp.lt.u32 %p2, %r1, 8;
               @%p2 bra LOOP;
             )"}),
    nameOf);

TEST(AliasThreads, OfOneRow) {
  const Case ownSlot{"", None, "", "st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"};
  EXPECT_EQ(ruleOf(ownSlot, Threads::OfOneRow), Injective);
  const Case leader{
      "", None, "",
      "setp.eq.u32 %p1, %r30, 0; @%p1 st.shared.u32 [A], 0; @%p1 st.shared.u32 [A], 0;"};
  EXPECT_EQ(ruleOf(leader, Threads::OfOneRow), OneThread);
  const Case neighbour{"", None, "", "st.shared.u32 [%r35], 0; st.shared.u32 [%r35+4], 0;"};
  EXPECT_EQ(ruleOf(neighbour, Threads::OfOneRow), None);
  // tid.y is 0, not any number that the two have in common.
  const Case scaled{"", None, "",
                    "mul.lo.u32 %r1, %r36, 8192; add.u32 %r1, %r1, %r35;"
                    "st.shared.u32 [%r1], 0; st.shared.u32 [%r35], 0;"};
  EXPECT_EQ(ruleOf(scaled, Threads::OfOneRow), Injective);
  EXPECT_EQ(ruleOf(scaled, Threads::Different), None);
}

TEST(AliasAssumptions, FlatShared) {
  const Case objects{"", None, "", "st.shared.u32 [%r35], 0; st.shared.u32 [%r33], 0;"};
  EXPECT_EQ(ruleOf(objects, Threads::Different, {.flatShared = true}), None);
}

TEST(AliasAssumptions, NoaliasParams) {
  const Case distinct{"", None, "", "st.global.u32 [%rd10], 0; st.global.u32 [%rd11], 0;"};
  EXPECT_EQ(ruleOf(distinct, Threads::Different, {.noaliasParams = true}), Objects);
  const Case same{"", None, "", "st.global.u32 [%rd10], 0; st.global.u32 [%rd10], 0;"};
  EXPECT_EQ(ruleOf(same, Threads::Different, {.noaliasParams = true}), None);
  const Case global{"", None, "", "st.global.u32 [%rd10], 0; st.global.u32 [G], 0;"};
  EXPECT_EQ(ruleOf(global, Threads::Different, {.noaliasParams = true}), None);
}

// C10.13
TEST(AliasAssumptions, NoaliasParamsOfSums) {
  const AliasAssumptions assumptions{.noaliasParams = true, .noaliasVariables = true};
  const auto rule = [&](const char* code) {
    return ruleOf({"", None, "", code}, Threads::Different, assumptions);
  };
  EXPECT_EQ(rule("ld.global.u64 %rd1, [%rd10]; add.u64 %rd1, %rd1, %rd11;"
                 "st.global.u32 [%rd1], 0; st.global.u32 [%rd10], 0;"),
            None);
  EXPECT_EQ(rule("ld.global.u64 %rd1, [%rd10]; add.u64 %rd1, %rd1, %rd11;"
                 "st.global.u32 [%rd1], 0; st.global.u32 [G], 0;"),
            None);
  EXPECT_EQ(rule("ld.global.u64 %rd1, [%rd10]; mad.lo.u64 %rd1, %rd1, 4, %rd11;"
                 "st.global.u32 [%rd1], 0; st.global.u32 [%rd10], 0;"),
            Objects);
  EXPECT_EQ(rule("mad.lo.u64 %rd1, %rd11, 4, %rd10; st.global.u32 [%rd1], 0;"
                 "st.global.u32 [%rd11], 0;"),
            Objects);
}

TEST(AliasAssumptions, NoaliasVariables) {
  const Case global{"", None, "", "st.global.u32 [%rd10], 0; st.global.u32 [G], 0;"};
  EXPECT_EQ(ruleOf(global, Threads::Different), None);
  EXPECT_EQ(ruleOf(global, Threads::Different, {.noaliasVariables = true}), Objects);
  const Case parameters{"", None, "", "st.global.u32 [%rd10], 0; st.global.u32 [%rd11], 0;"};
  EXPECT_EQ(ruleOf(parameters, Threads::Different, {.noaliasVariables = true}), None);
  const Case loaded{"", None, "",
                    "ld.global.u64 %rd1, [%rd10]; st.global.u32 [%rd1], 0; st.global.u32 [G], 0;"};
  EXPECT_EQ(ruleOf(loaded, Threads::Different, {.noaliasVariables = true}), None);
}

TEST(AliasThreads, OneThreadReachesItsOwnSlot) {
  const Case next{"", None, kRow, "st.shared.u32 [%r35], 0; st.shared.u32 [%r35+4], 0;"};
  EXPECT_EQ(ruleOf(next, Threads::Same), Ranges);
  EXPECT_EQ(ruleOf(next, Threads::Any), None);
  const Case inALoop{"", None, kRow,
                     R"(
                     LOOP:
                       ld.global.u32 %r1, [%rd10]; mad.lo.u32 %r1, %r1, 4, %r32;
                       st.shared.u32 [%r1], 0; st.shared.u32 [%r1+4], 0;
                       @%p1 bra LOOP;
                     )"};
  // %r1 of another round may be one more.
  EXPECT_EQ(ruleOf(inALoop, Threads::Same), None);
}

TEST(AliasThreads, LocalMemoryIsOfOneThread) {
  const Case local{"", None, kRow,
                   ".local .b8 depot[16]; st.local.u32 [depot], 0; st.local.u32 [depot], 0;"};
  EXPECT_EQ(ruleOf(local, Threads::Different), Spaces);
  EXPECT_EQ(ruleOf(local, Threads::Same), None);
}

// What a function has in local memory is gone when it returns; until then it is there once for each
// of its variables.
TEST(AliasOfOneThread, LocalVariablesOfOneFunction) {
  const Case two{
      "", None, kRow,
      ".local .b8 a[64]; .local .b8 b[64]; st.local.u32 [a+4], 0; st.local.u32 [b+4], 0;"};
  EXPECT_EQ(ruleOf(two, Threads::Any), Objects);
  const Case one{"", None, kRow, ".local .b8 a[64]; st.local.u32 [a+4], 0; st.local.u32 [a+4], 0;"};
  EXPECT_EQ(ruleOf(one, Threads::Any), None);
}

}  // namespace
}  // namespace ptxopt::analysis
