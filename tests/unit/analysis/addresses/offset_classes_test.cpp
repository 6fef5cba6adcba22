// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/offset_classes.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using test::ValueFunction;

const std::string kStart = R"(
  .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; add.s64 %rd2, %rd1, 24;
)";

// The distance of the addresses of the last two accesses, if they are of one class.
std::optional<std::int64_t> distance(const std::string& body) {
  ValueFunction function(kStart + body, "", "", ".param .u64 p, .param .u32 n");
  const Addresses& addresses = function.analyses().get<Addresses>();
  const OffsetClasses classes(addresses);
  const std::span<const Access> all = addresses.all();
  const auto sumOf = [&](const Access& access) {
    return classes.sum(addresses.formOf(addresses.ssa().use(*access.instruction, *access.operand)));
  };
  const OffsetClasses::Sum first = sumOf(all[all.size() - 2]);
  const OffsetClasses::Sum second = sumOf(all.back());
  EXPECT_FALSE(classes.isCapMet());
  if (first.bits != second.bits || first.terms != second.terms) return std::nullopt;
  return signedResidue(residue(second.constant - first.constant, first.bits), first.bits);
}

std::string loop(const std::string& steps) {
  return "LOOP: ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd1], %r1; st.global.u32 [%rd2], %r1;" +
         steps + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra LOOP; ret;";
}

TEST(OffsetClassesTest, PhisThatAreSteppedTogether) {
  EXPECT_EQ(distance(loop("add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd2, %rd5;")), 24);
  EXPECT_EQ(distance(loop("add.s64 %rd2, %rd1, 24; add.s64 %rd1, %rd1, %rd5; "
                          "add.s64 %rd2, %rd2, %rd5;")),
            24);
  EXPECT_EQ(distance(loop("add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd1, 24;")), 24);
  EXPECT_EQ(distance(loop("shl.b64 %rd1, %rd5, 2; mad.lo.s64 %rd2, %rd5, 4, 24;")), 24);
}

TEST(OffsetClassesTest, PhisThatAreNot) {
  EXPECT_EQ(distance(loop("add.s64 %rd1, %rd1, %rd5; sub.s64 %rd2, %rd2, %rd5;")), std::nullopt);
  EXPECT_EQ(distance(loop("add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd1, 16;")), std::nullopt);
  EXPECT_EQ(distance(loop("mov.b64 %rd6, %rd1; mov.b64 %rd1, %rd2; mov.b64 %rd2, %rd6;")),
            std::nullopt);
  EXPECT_EQ(distance(loop("add.s64 %rd1, %rd1, %rd5; ld.global.u64 %rd5, [%rd1+8]; "
                          "add.s64 %rd2, %rd2, %rd5; ld.global.u32 %r2, [%rd1]; "
                          "ld.global.u32 %r2, [%rd2];")),
            std::nullopt);
}

// The way in is joined from arms, and what comes out goes into another loop.
TEST(OffsetClassesTest, LoopsBehindBranchesAndLoops) {
  const std::string arms =
      "setp.lt.u32 %p2, %r1, 5; @%p2 bra OTHER; ld.global.u64 %rd7, [%rd1]; "
      "add.s64 %rd1, %rd1, %rd7; add.s64 %rd2, %rd2, %rd7; @%p2 bra LOOP; bra NEXT; "
      "OTHER: add.s64 %rd1, %rd1, 8; add.s64 %rd2, %rd2, 8; NEXT: ";
  const std::string steps = "add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd2, %rd5;";
  const std::string two =
      "SECOND: ld.global.u64 %rd6, [%rd1]; st.global.u32 [%rd1], %r1; "
      "st.global.u32 [%rd2], %r1; add.s64 %rd1, %rd1, %rd6; "
      "add.s64 %rd2, %rd2, %rd6; add.u32 %r1, %r1, 1; "
      "setp.lt.u32 %p1, %r1, 19; @%p1 bra SECOND; @%p2 bra LOOP; ret;";
  EXPECT_EQ(distance(arms + loop(steps)), 24);
  std::string first = loop(steps);
  first.resize(first.size() - 4);
  EXPECT_EQ(distance(first + two), 24);
  EXPECT_EQ(distance(arms + first + two), 24);
}

TEST(OffsetClassesTest, Guards) {
  const std::string start =
      "ld.global.u32 %r2, [%rd1]; ld.global.u64 %rd5, [%rd1]; "
      "setp.lt.u32 %p2, %r2, 5; setp.lt.u32 %p3, %r2, 7;";
  const std::string end = "st.global.u32 [%rd1], %r1; st.global.u32 [%rd2], %r1; ret;";
  const auto with = [&](const std::string& text) { return distance(start + text + end); };
  EXPECT_EQ(with("@%p2 add.s64 %rd1, %rd1, %rd5; @%p2 add.s64 %rd2, %rd2, %rd5;"), 24);
  EXPECT_EQ(with("@!%p2 sub.s64 %rd1, %rd1, %rd5; @!%p2 sub.s64 %rd2, %rd2, %rd5;"), 24);
  EXPECT_EQ(with("@%p2 mov.b64 %rd1, 8; @%p2 mov.b64 %rd2, 32;"), 24);
  EXPECT_EQ(with("@%p2 add.s64 %rd1, %rd1, %rd5; @!%p2 add.s64 %rd2, %rd2, %rd5;"), std::nullopt);
  EXPECT_EQ(with("@%p2 add.s64 %rd1, %rd1, %rd5; @%p3 add.s64 %rd2, %rd2, %rd5;"), std::nullopt);
  EXPECT_EQ(with("@%p2 mov.b64 %rd1, 8; @%p2 mov.b64 %rd2, 36;"), std::nullopt);
  EXPECT_EQ(with("@%p2 add.s64 %rd1, %rd1, %rd5; setp.lt.u32 %p2, %r2, 6; "
                 "@%p2 add.s64 %rd2, %rd2, %rd5;"),
            std::nullopt);
  EXPECT_EQ(with("@%p2 shl.b64 %rd1, %rd1, 1; @%p2 shl.b64 %rd2, %rd2, 1;"), std::nullopt);
}

// docs/soundness/ A8.6: two sums of 16 bits are no sum of 32.
TEST(OffsetClassesTest, PackedSumsUnderGuards) {
  const auto with = [&](const std::string& add) {
    return distance(
        "ld.global.u32 %r2, [%rd1]; mov.u32 %r5, %r1; add.u32 %r6, %r5, 4;"
        "setp.lt.u32 %p2, %r2, 5; @%p2 " +
        add + " %r5, %r5, %r2; @%p2 " + add +
        " %r6, %r6, %r2; ld.shared.u32 %r3, [%r5]; ld.shared.u32 %r3, [%r6]; ret;");
  };
  EXPECT_EQ(with("add.u32"), 4);
  EXPECT_EQ(with("add.u16x2"), std::nullopt);
}

// A residue of 32 bits is not the number that it is extended to.
TEST(OffsetClassesTest, ExtendedLeaves) {
  const auto with = [&](const std::string& use) {
    return distance("mov.u32 %r5, %r1; add.u32 %r6, %r5, 4; LOOP: ld.global.u32 %r2, [%rd1];" +
                    use +
                    "add.u32 %r5, %r5, %r2; add.u32 %r6, %r6, %r2; "
                    "setp.lt.u32 %p1, %r2, 9; @%p1 bra LOOP; ret;");
  };
  EXPECT_EQ(with("ld.shared.u32 %r3, [%r5]; ld.shared.u32 %r3, [%r6];"), 4);
  EXPECT_EQ(with("cvt.u64.u32 %rd7, %r5; cvt.u64.u32 %rd8, %r6; add.s64 %rd7, %rd7, %rd1; "
                 "add.s64 %rd8, %rd8, %rd1; ld.global.u32 %r3, [%rd7]; ld.global.u32 %r3, [%rd8];"),
            std::nullopt);
}

}  // namespace
}  // namespace ptxopt::analysis
