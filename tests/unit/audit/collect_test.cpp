// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/collect.h"

#include <gtest/gtest.h>

#include "claims_of.h"

namespace ptxopt {
namespace {

using test::all;
using test::claimsOf;
using test::has;

// The header takes three lines: the code of a kernel begins in line 6.
std::string kernel(const std::string& code, const std::string& attributes = "",
                   const std::string& before = "") {
  return before + ".visible .entry k(.param .u64 p, .param .u32 n) " + attributes +
         "\n{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n" + code + "\nret;\n}\n";
}

TEST(Collect, RangesOfValuesAndOfTheirUses) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "and.b32 %r2, %r1, 7;\n"
                      "setp.gt.u32 %p1, %r1, 9;\n"
                      "@%p1 bra L;\n"
                      "add.u32 %r3, %r1, 1;\n"
                      "L:"));
  EXPECT_TRUE(
      has(lines, {R"("claim":"range")", R"("at":"7:1")", R"("register":"%r2")", R"("highest":7)"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"range")", R"("at":"10:1","when":"before")",
                          R"("register":"%r1")", R"("highest":9)"}))
      << all(lines);
}

TEST(Collect, FormsOverSpecialRegistersAndParameters) {
  const auto lines =
      claimsOf(kernel("ld.param.u32 %r2, [n];\n"
                      "mov.u32 %r1, %tid.x;\n"
                      "mad.lo.u32 %r3, %r1, 12, %r2;\n"
                      "ld.shared.u32 %r4, [%r3];"));
  EXPECT_TRUE(has(lines, {R"("claim":"form")", R"("register":"%r3")", R"("times":12)",
                          R"("special":"%tid.x")", R"("parameter":"n")"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"one-number")", R"("register":"%r2")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"stable")", R"("register":"%r3")"})) << all(lines);
}

TEST(Collect, RoundsOfALoop) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, 0;\n"
                      "L: add.u32 %r2, %r1, 0;\n"
                      "ld.shared.u32 %r4, [%r1];\n"
                      "add.u32 %r1, %r1, 4;\n"
                      "setp.lt.u32 %p1, %r1, 64;\n"
                      "@%p1 bra L;"));
  // Of the phi, before the first instruction of its block.
  EXPECT_TRUE(has(lines, {R"("claim":"form")", R"("at":"7:4","when":"before")", R"("times":4)",
                          R"("rounds":"7:4")", R"("back-edges":[{"at":"11:1","target":0}])"}))
      << all(lines);
}

TEST(Collect, AnOperationIsTheValueThatIsKnownThere) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "xor.b32 %r2, %r1, 5;\n"
                      "shl.b32 %r3, %r2, 2;\n"
                      "ld.shared.u32 %r4, [%r3];"));
  EXPECT_TRUE(has(lines, {R"("claim":"form")", R"("register":"%r3")", R"("times":4)",
                          R"("at":"7:1","when":"after","register":"%r2")"}))
      << all(lines);
}

TEST(Collect, NothingOfWhatShowsThroughUnread) {
  // After the first one nobody reads %r1: what it holds where the guard is false may be anything.
  const std::string code = "mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n";
  const auto unread = claimsOf(kernel(code + "@%p1 mov.u32 %r1, 5;"));
  EXPECT_FALSE(has(unread, {R"("register":"%r1")"})) << all(unread);
  const auto read = claimsOf(
      kernel("mov.u32 %r1, 4;\n" + code + "@%p1 mov.u32 %r1, 5;\nst.shared.u32 [%r2], %r1;"));
  EXPECT_TRUE(has(read, {R"("claim":"range")", R"("at":"9:1","when":"after","register":"%r1")",
                         R"("lowest":4)", R"("highest":5)"}))
      << all(read);
}

TEST(Collect, WhereAddressesPoint) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "and.b32 %r1, %r1, 7;\n"
                      "mov.u32 %r2, A;\n"
                      "mad.lo.u32 %r3, %r1, 4, %r2;\n"
                      "st.shared.u32 [%r3+8], %r1;\n"
                      "ld.param.u64 %rd1, [p];\n"
                      "cvta.to.global.u64 %rd2, %rd1;\n"
                      "ld.global.u32 %r4, [%rd2+4];",
                      "", ".shared .align 4 .b8 A[1024];"));
  EXPECT_TRUE(has(lines, {R"("claim":"points-to")", R"("at":"10:1","number":0)",
                          R"("kind":"variable","variable":"A")", R"("lowest":8,"highest":39)"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"points-to")", R"("at":"13:1","number":0)",
                          R"("kind":"parameter","parameter":"p")", R"("lowest":4,"highest":7)"}))
      << all(lines);
}

TEST(Collect, PairsOfAccesses) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "mov.u32 %r2, A;\n"
                      "mad.lo.u32 %r3, %r1, 4, %r2;\n"
                      "st.shared.u32 [%r3], %r1;\n"
                      "ld.shared.u32 %r4, [%r3];\n"
                      "ld.shared.u32 %r5, [B];\n"
                      "ld.shared.u32 %r6, [A];",
                      ".reqntid 64", ".shared .align 4 .b8 A[256]; .shared .align 4 .b8 B[4];"));
  const std::string store = R"("address":{"at":"9:1","number":0})";
  EXPECT_TRUE(has(lines, {R"("claim":"disjoint")", store, R"("other":{"at":"9:1")",
                          R"("threads":"different")"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"disjoint")", store, R"("other":{"at":"10:1")",
                          R"("threads":"different")"}))
      << all(lines);
  EXPECT_TRUE(
      has(lines, {R"("claim":"disjoint")", store, R"("other":{"at":"11:1")", R"("threads":"any")"}))
      << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"disjoint")", R"("other":{"at":"12:1")"})) << all(lines);
}

TEST(Collect, NoMorePairsThanAskedFor) {
  std::string code;
  for (int k = 0; k < 40; ++k) {
    code += "st.shared.u32 [A+" + std::to_string(8 * k) + "], %r1;\n";
  }
  const std::string text = "mov.u32 %r1, 3;\n" + code;
  const auto module = test::moduleOf(kernel(text, "", ".shared .align 4 .b8 A[1024];"));
  const auto count = [&](std::size_t pairs) {
    audit::CollectOptions options;
    options.pairs = pairs;
    const auto claims = audit::collect(*module, {}, options);
    return std::ranges::count_if(claims, [](const facts::Claim& claim) {
      return std::holds_alternative<facts::Disjoint>(claim.what);
    });
  };
  EXPECT_EQ(count(4096), 40 * 39 / 2);
  EXPECT_LE(count(100), 100);
  EXPECT_GE(count(100), 90);
}

TEST(Collect, WhatHoldsWhereAnAccessIsExecuted) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "setp.lt.u32 %p1, %r1, 10;\n"
                      "@%p1 st.shared.u32 [A], %r1;",
                      "", ".shared .align 4 .b8 A[1024];"));
  EXPECT_TRUE(has(
      lines, {R"("claim":"bounds")", R"("at":"8:1")", R"("special":"%tid.x")", R"("highest":9)"}))
      << all(lines);
}

TEST(Collect, EdgesThatAreNeverTaken) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "setp.gt.u32 %p1, %r1, 5000;\n"
                      "@%p1 bra L;\n"
                      "add.u32 %r3, %r1, 1;\n"
                      "L:"));
  EXPECT_TRUE(has(lines, {R"("claim":"never-taken")", R"("edge":{"at":"8:1","target":0})"}))
      << all(lines);
}

TEST(Collect, WhatThreadsDoTogether) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "mov.u32 %r2, %ctaid.x;\n"
                      "setp.gt.u32 %p1, %r1, 5;\n"
                      "@%p1 bra L;\n"
                      "add.u32 %r3, %r1, 1;\n"
                      "L: bar.sync 0;"));
  EXPECT_TRUE(has(lines, {R"("claim":"together")", R"("at":"6:1")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"together")", R"("at":"11:4")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"together")", R"("at":"10:1")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"uniform")", R"("register":"%r2")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"uniform")", R"("register":"%r1")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"all-execute")", R"("at":"11:4")"})) << all(lines);
}

TEST(Collect, EdgesThatNeverFollowOthers) {
  // The loop is entered with 0, so that it is not left at once.
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, 0;\n"
                      "L: setp.ge.u32 %p1, %r1, 9;\n"
                      "@%p1 bra E;\n"
                      "add.u32 %r1, %r1, 1;\n"
                      "bra L;\n"
                      "E:"));
  EXPECT_TRUE(has(lines, {R"("claim":"never-follows")", R"("edge":{"at":"6:1","target":"through"})",
                          R"("next":{"at":"8:1","target":0})"}))
      << all(lines);
}

TEST(Collect, LeadersAndWhatWarpsAgreeOn) {
  const auto lines =
      claimsOf(kernel("mov.u32 %r1, %tid.x;\n"
                      "shr.u32 %r2, %r1, 5;\n"
                      "setp.eq.u32 %p2, %r2, 1;\n"
                      "@%p2 bra L;\n"
                      "elect.sync _|%p1, 0xffffffff;\n"
                      "@%p1 st.shared.u32 [A], %r1;\n"
                      "L:",
                      ".reqntid 64", ".shared .align 4 .b8 A[1024];"));
  EXPECT_TRUE(has(lines, {R"("claim":"leader")", R"("at":"11:1")", R"("mask":4294967295)"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"warp-uniform")", R"("register":"%p2")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"warp-uniform")", R"("register":"%r1")"})) << all(lines);
}

TEST(Collect, PureFunctions) {
  const std::string twice =
      ".func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }\n"
      ".func impure(.reg .u64 a) { st.global.u32 [a], 1; ret; }\n";
  const auto lines = claimsOf(twice);
  EXPECT_TRUE(has(lines, {R"("claim":"pure","function":"twice")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"pure","function":"impure")"})) << all(lines);
}

TEST(Collect, FunctionsThatKernelsShareAreAskedTogether) {
  const std::string text =
      ".func meet() { .reg .b32 %r<3>; mov.u32 %r1, %ctaid.x; bar.sync 0; ret; }\n"
      ".visible .entry a() { call meet; ret; }\n";
  const auto lines = claimsOf(text);
  EXPECT_TRUE(has(lines, {R"("claim":"together","function":"meet")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"uniform","function":"meet")", R"("register":"%r1")"}))
      << all(lines);
  // Where not all threads of a kernel get to the call, nothing is said.
  const auto apart = claimsOf(text.substr(0, text.find(".visible .entry a")) +
                              ".visible .entry b() { .reg .pred %p<2>; .reg .b32 %r<2>;\n"
                              "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
                              "@%p1 call meet; ret; }\n");
  EXPECT_FALSE(has(apart, {R"("claim":"together","function":"meet")"})) << all(apart);
}

TEST(Collect, NothingOfAFunctionThatIsNotUnderstood) {
  const auto module = test::moduleOf(kernel("mov.u32 %r1, %tid.x;"));
  module->functions().front().isOpaque = true;
  EXPECT_TRUE(audit::collect(*module, {}).empty());
}

}  // namespace
}  // namespace ptxopt
