// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/conflict_witness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using test::ValueFunction;

const char* const kVariables = R"(
.shared .align 16 .b8 A[8192];
.shared .align 4 .b8 B[64];
.extern .shared .align 16 .b8 D[];
.extern .shared .align 16 .b8 E[];
.global .align 4 .b8 G[4096];
)";
const char* const kParameters = ".param .u64 p, .param .u64 q, .param .u32 n";
// %r30: tid.x, %r31: ctaid.x, %r32: A, %r34: n, %r35: A + 4 * tid.x, %r36: tid.y, %rd10: p, %rd11:
// q
const std::string kStart = R"(
  .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  mov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mov.u32 %r32, A;
  ld.param.u64 %rd10, [p]; ld.param.u64 %rd11, [q]; ld.param.u32 %r34, [n];
  mad.lo.u32 %r35, %r30, 4, %r32; mov.u32 %r36, %tid.y; mov.u64 %rd12, A;
)";
const char* const kRow = ".reqntid 64, 1, 1";

std::string textOf(const ConflictWitness& witness, const Addresses& addresses) {
  std::string text = witness.isCertain ? "certainly" : "maybe";
  const auto side = [&](const ConflictWitness::Side& of) {
    text += fmt::format(" ({},{},{}){} {}[{}..{}]", of.thread[0], of.thread[1], of.thread[2],
                        of.isOfWarp ? "'s warp" : "",
                        of.base == LeafId::None ? "" : addresses.leafText(of.base), of.bytes.lowest,
                        of.bytes.highest);
  };
  side(witness.first);
  side(witness.second);
  if (!witness.isSameBase) text += " if same";
  if (witness.block) {
    const auto& block = *witness.block;
    text += fmt::format(" in {}x{}x{}", block[0], block[1], block[2]);
  }
  for (const ConflictWitness::Choice& choice : witness.choices) {
    const bool isRound = choice.loop != LoopId::None;
    text += isRound ? fmt::format(" round{}=", indexOf(choice.loop))
                    : " " + addresses.leafText(choice.leaf) + "=";
    text += choice.first ? std::to_string(*choice.first) : "-";
    if (choice.first != choice.second) {
      text += "/" + (choice.second ? std::to_string(*choice.second) : "-");
    }
  }
  return text;
}

// Of the first two stores.
std::string witnessOf(const std::string& code, const char* attributes = kRow,
                      const AliasAssumptions& assumptions = {}, bool areRoundsFree = true,
                      bool areSeparated = false, bool isOneRow = false) {
  ValueFunction f(kStart + code, attributes, kVariables, kParameters);
  const auto& addresses = f.analyses().get<Addresses>();
  std::vector<const Access*> stores;
  for (const Access& access : addresses.all()) {
    if (access.instruction->desc->is(isa::kMemoryWrite) ||
        access.instruction->desc->opcode == isa::Opcode::Ldmatrix) {
      stores.push_back(&access);
    }
  }
  WitnessQuestion question;
  question.first = stores.at(0);
  question.second = stores.at(stores.size() > 1);
  question.assumptions = assumptions;
  question.isOneRow = isOneRow;
  question.postDominators = &f.analyses().get<PostDominators>();
  question.loops = &f.analyses().get<Loops>();
  question.separatesRounds = [&](LoopId) { return areSeparated; };
  if (areRoundsFree) {
    question.mayMeetInRounds = [=](LoopId, std::int64_t first, std::int64_t second) {
      return !areSeparated || first == second;
    };
  }
  const auto witness = findWitness(question);
  if (witness) {
    // What is ruled out has no witness.
    EXPECT_TRUE(mayOverlap(*question.first, *question.second, Threads::Different, assumptions));
  }
  return witness ? textOf(*witness, addresses) : "none";
}

TEST(ConflictWitness, TellsThreadsAndBytes) {
  EXPECT_EQ(witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35+4], 0;"),
            "certainly (1,0,0) A[4..7] (0,0,0) A[4..7]");
  EXPECT_EQ(witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35-4], 0;"),
            "certainly (0,0,0) A[0..3] (1,0,0) A[0..3]");
  EXPECT_EQ(witnessOf("st.shared.u32 [A+8], 0; st.shared.u64 [A+8], %rd1;"),
            "certainly (0,0,0) A[8..11] (1,0,0) A[8..15]");
  // In reverse order: A + 252 - 4 * tid.x.
  EXPECT_EQ(witnessOf("mad.lo.u32 %r1, %r30, -4, %r32; st.shared.u32 [%r1+252], 0; "
                      "st.shared.u32 [%r35], 0;"),
            "certainly (0,0,0) A[252..255] (63,0,0) A[252..255]");
}

TEST(ConflictWitness, IsNoneWhereThreadsKeepApart) {
  EXPECT_EQ(witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;"), "none");
  EXPECT_EQ(witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35+256], 0;"), "none");
  EXPECT_EQ(witnessOf("st.shared.u32 [A], 0; st.shared.u32 [B], 0;"), "none");
}

TEST(ConflictWitness, HonoursBranchesAndGuards) {
  const char* const kHalf = R"(
    setp.lt.u32 %p1, %r30, 32; @!%p1 bra L;
    st.shared.u32 [%r35], 0;
  L: setp.gt.u32 %p2, %r30, 7; @%p2 st.shared.u32 [%r35+%s], 0;)";
  const auto code = [&](const char* distance) {
    std::string text = kHalf;
    return text.replace(text.find("%s"), 2, distance);
  };
  EXPECT_EQ(witnessOf(code("4")), "certainly (9,0,0) A[36..39] (8,0,0) A[36..39]");
  EXPECT_EQ(witnessOf(code("92")), "certainly (31,0,0) A[124..127] (8,0,0) A[124..127]");
  EXPECT_EQ(witnessOf(code("96")), "none");
}

TEST(ConflictWitness, LeavesOutNoBranchInSilence) {
  // A condition of floating-point numbers says nothing, but it is one.
  EXPECT_EQ(witnessOf("setp.lt.f32 %p1, 0f00000000, 0f3f800000; @%p1 st.shared.u32 [%r35], 0; "
                      "st.shared.u32 [%r35+4], 0;"),
            "maybe (1,0,0) A[4..7] (0,0,0) A[4..7]");
}

TEST(ConflictWitness, ChoosesABlockWhereTheShapeIsNotKnown) {
  EXPECT_EQ(witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;", ""),
            "certainly (0,0,0) A[0..3] (0,1,0) A[0..3] in 32x2x1");
  EXPECT_EQ(
      witnessOf("st.shared.u32 [%r35], 0; st.shared.u32 [%r35], 0;", "", {}, true, false, true),
      "none");
}

TEST(ConflictWitness, ChoosesParametersAndValues) {
  // Everyone stores where n says.
  EXPECT_EQ(witnessOf("mad.lo.u32 %r1, %r34, 4, %r32; st.shared.u32 [%r35], 0; "
                      "st.shared.u32 [%r1], 0;"),
            "maybe (0,0,0) A[0..3] (1,0,0) A[0..3] [n]=0");
  EXPECT_EQ(witnessOf("setp.lt.u32 %p1, %r30, %r34; @%p1 st.shared.u32 [%r35], 0; "
                      "st.shared.u32 [%r35+4], 0;"),
            "maybe (1,0,0) A[4..7] (0,0,0) A[4..7] [n]=1024");
  // A loaded index, and a branch on it.
  EXPECT_EQ(witnessOf("ld.global.u32 %r1, [%rd10]; setp.ge.u32 %p1, %r1, 3; "
                      "mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r35], 0; "
                      "@%p1 st.shared.u32 [%r2], 0;"),
            "maybe (3,0,0) A[12..15] (0,0,0) A[12..15] %r1=-/3");
}

TEST(ConflictWitness, ComputesOperations) {
  const char* const kWarp = "shr.u32 %r1, %r30, 5; mad.lo.u32 %r1, %r1, 4, %r32; ";
  EXPECT_EQ(witnessOf(kWarp + std::string("st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;")),
            "certainly (0,0,0) A[0..3] (1,0,0) A[0..3]");
  EXPECT_EQ(witnessOf(kWarp + std::string("st.shared.u32 [%r1], 0; st.shared.u32 [%r1+4], 0;")),
            "certainly (32,0,0) A[4..7] (0,0,0) A[4..7]");
  EXPECT_EQ(witnessOf(kWarp + std::string("st.shared.u32 [%r1], 0; st.shared.u32 [%r1+8], 0;")),
            "none");
  EXPECT_EQ(witnessOf("and.b32 %r1, %r30, 31; mad.lo.u32 %r1, %r1, 4, %r32; "
                      "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"),
            "certainly (0,0,0) A[0..3] (32,0,0) A[0..3]");
  EXPECT_EQ(witnessOf("xor.b32 %r1, %r30, 1; mad.lo.u32 %r1, %r1, 4, %r32; "
                      "st.shared.u32 [%r1], 0; st.shared.u32 [%r35], 0;"),
            "certainly (0,0,0) A[4..7] (1,0,0) A[4..7]");
  // The bits of an address are not known.
  EXPECT_EQ(witnessOf("and.b32 %r1, %r35, 63; st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;"),
            "none");
}

TEST(ConflictWitness, NamesPointersThatMayAlias) {
  const std::string code = R"(
    cvta.to.global.u64 %rd1, %rd10; cvta.to.global.u64 %rd2, %rd11;
    mul.wide.u32 %rd3, %r30, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd1+4], 0; st.global.u32 [%rd2], 0;)";
  EXPECT_EQ(witnessOf(code), "maybe (0,0,0) [p][4..7] (1,0,0) [q][4..7] if same");
  AliasAssumptions noalias;
  noalias.noaliasParams = true;
  EXPECT_EQ(witnessOf(code, kRow, noalias), "none");
  EXPECT_EQ(witnessOf("st.shared.u32 [D], 0; st.shared.u32 [E], 0;"),
            "certainly (0,0,0) D[0..3] (1,0,0) E[0..3]");
}

TEST(ConflictWitness, StaysInObjectsAndInOneAddressSpace) {
  // B has 64 bytes: threads from 16 on would leave it.
  EXPECT_EQ(witnessOf("mov.u32 %r1, B; mad.lo.u32 %r2, %r30, 4, %r1; st.shared.u32 [%r2+60], 0; "
                      "st.shared.u32 [%r2+4], 0;"),
            "certainly (0,0,0) B[60..63] (14,0,0) B[60..63]");
  EXPECT_EQ(witnessOf("mov.u32 %r1, B; mad.lo.u32 %r2, %r30, 4, %r1; st.shared.u32 [%r2+64], 0; "
                      "st.shared.u32 [%r2+4], 0;"),
            "none");
  EXPECT_EQ(witnessOf("cvta.shared.u64 %rd1, %rd12; st.shared.u32 [A+4], 0; st.u32 [%rd1+4], 0;"),
            "certainly (0,0,0) A[4..7] (1,0,0) A[4..7]");
}

TEST(ConflictWitness, AsksHowFarApartTwoThreadsCanBeInALoop) {
  const std::string loop = R"(
    mov.u32 %r1, 0; mov.u32 %r2, %r35;
  L: st.shared.u32 [%r2], 0; st.shared.u32 [%r2+4], 0;
    add.u32 %r1, %r1, 1; add.u32 %r2, %r2, 256; setp.lt.u32 %p1, %r1, 8; @%p1 bra L;)";
  EXPECT_EQ(witnessOf(loop), "maybe (1,0,0) A[4..7] (0,0,0) A[4..7] round0=0");
  EXPECT_EQ(witnessOf(loop, kRow, {}, false), "none");
}

TEST(ConflictWitness, TakesNumbersThatALoopReaches) {
  // 32, 16, 8, ...: thread 16 in the first round, and thread 0 in the second.
  const std::string halving = R"(
    mov.u32 %r1, 32;
  L: mad.lo.u32 %r2, %r1, 4, %r35; setp.lt.u32 %p2, %r30, %r1;
    @%p2 st.shared.u32 [%r35], 0; @%p2 st.shared.u32 [%r2], 0;
    shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;)";
  EXPECT_EQ(witnessOf(halving), "maybe (16,0,0) A[64..67] (0,0,0) A[64..67] round0=0/1");
  // 1, 2, ..., 32: never 0, 3 or 64.
  const auto doubling = [](int number) {
    return fmt::format(R"(
      mov.u32 %r1, 1; st.shared.u32 [A+{}], 0;
    L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
      shl.b32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 64; @%p1 bra L;)",
                       4 * number);
  };
  EXPECT_EQ(witnessOf(doubling(0)), "none");
  EXPECT_EQ(witnessOf(doubling(3)), "none");
  EXPECT_EQ(witnessOf(doubling(64)), "none");
  EXPECT_EQ(witnessOf(doubling(32)), "maybe (0,0,0) A[128..131] (1,0,0) A[128..131] round0=-/5");
  // Half of the block, then a quarter: of no parameter.
  const std::string extent = R"(
    mov.u32 %r3, %ntid.x; shr.u32 %r1, %r3, 1; st.shared.u32 [A+64], 0;
  L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
    shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;)";
  EXPECT_EQ(witnessOf(extent), "maybe (0,0,0) A[64..67] (1,0,0) A[64..67] round0=-/1");
  // What is loaded in each round may be anything, but nobody knows whether it is.
  EXPECT_EQ(witnessOf(R"(
    mov.u32 %r1, 1; st.shared.u32 [A+64], 0;
  L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
    ld.global.u32 %r1, [%rd10]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;)"),
            "none");
  // The argument of a kernel is what the search wants.
  EXPECT_EQ(witnessOf(R"(
    mov.u32 %r1, %r34; st.shared.u32 [A+64], 0;
  L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
    shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;)"),
            "maybe (0,0,0) A[64..67] (1,0,0) A[64..67] %r1=-/16");
}

TEST(ConflictWitness, OfALoopWithBarriersTakesTheFirstRoundOrTheLast) {
  const auto below = [](int number) {
    return fmt::format(R"(
      mov.u32 %r1, 32; st.shared.u32 [A+{}], 0;
    L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
      shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;)",
                       4 * number);
  };
  EXPECT_NE(witnessOf(below(32), kRow, {}, true, true), "none");
  EXPECT_EQ(witnessOf(below(16), kRow, {}, true, true), "none");
  EXPECT_NE(witnessOf(below(16), kRow, {}, true, false), "none");
  const auto above = [](int number) {
    return fmt::format(R"(
      mov.u32 %r1, 32;
    L: mad.lo.u32 %r2, %r1, 4, %r32; st.shared.u32 [%r2], 0;
      shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;
      st.shared.u32 [A+{}], 0;)",
                       4 * number);
  };
  EXPECT_NE(witnessOf(above(1), kRow, {}, true, true), "none");
  EXPECT_EQ(witnessOf(above(16), kRow, {}, true, true), "none");
  EXPECT_NE(witnessOf(above(16), kRow, {}, true, false), "none");
}

TEST(ConflictWitness, PrefersABlockOfOneRowHoweverLarge) {
  // Only threads 512 apart meet.
  EXPECT_EQ(witnessOf("and.b32 %r1, %r30, 511; mad.lo.u32 %r1, %r1, 4, %r32; "
                      "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;",
                      ""),
            "certainly (0,0,0) A[0..3] (512,0,0) A[0..3] in 1024x1x1");
  // The largest block that is allowed.
  EXPECT_EQ(witnessOf("and.b32 %r1, %r30, 15; mad.lo.u32 %r1, %r1, 4, %r32; "
                      "st.shared.u32 [%r1], 0; st.shared.u32 [%r1], 0;",
                      ".maxntid 32, 1, 1"),
            "certainly (0,0,0) A[0..3] (16,0,0) A[0..3] in 32x1x1");
}

TEST(ConflictWitness, OfRowsOfMatricesIsOfTwoWarps) {
  EXPECT_EQ(witnessOf("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r32]; "
                      "setp.eq.u32 %p1, %r30, 0; @%p1 st.shared.u32 [%r32+4], 0;"),
            "certainly (32,0,0)'s warp A[0..15] (0,0,0) A[4..7]");
  // One thread of the warp may do both.
  EXPECT_EQ(witnessOf("setp.lt.u32 %p1, %r30, 32; @!%p1 bra END; "
                      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r32]; "
                      "st.shared.u32 [%r32], 0; END:"),
            "none");
}

TEST(ConflictWitness, KnowsTheLanesThatNameRows) {
  // Thread 32 + k stores to the row that thread k names.
  const std::string code =
      "mad.lo.u32 %r1, %r30, 16, %r32; "
      "stmatrix.sync.aligned.m8n8.%s.shared.b16 [%r1+1024], {%v}; "
      "setp.ge.u32 %p2, %r30, 48; @%p2 st.shared.u32 [%r1+512], 0;";
  const auto of = [&](const char* count, const char* registers) {
    std::string text = code;
    text.replace(text.find("%s"), 2, count);
    return witnessOf(text.replace(text.find("%v"), 2, registers));
  };
  // That is 16 and above.
  EXPECT_EQ(of("x1", "%r2"), "none");
  EXPECT_EQ(of("x2", "%r2, %r3"), "none");
  EXPECT_EQ(of("x4", "%r2, %r3, %r4, %r5"),
            "certainly (16,0,0)'s warp A[1280..1295] (48,0,0) A[1280..1283]");
}

TEST(ConflictWitness, OfOtherCollectiveAccessesIsNone) {
  EXPECT_EQ(witnessOf("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r32]; "
                      "st.shared.u32 [%r32], 0;"),
            "none");
}

}  // namespace
}  // namespace ptxopt::analysis
