// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes claim where they change something.
#include <gtest/gtest.h>

#include "claims_of.h"

namespace ptxopt {
namespace {

using test::all;
using test::claimsOfPasses;
using test::has;

// The code begins in line 6.
std::string kernel(const std::string& code, const std::string& attributes = "",
                   const std::string& before = "") {
  return before + ".visible .entry k(.param .u64 p) " + attributes +
         "\n{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n" + code + "\nret;\n}\n";
}

const std::string kPointer =
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n";

TEST(Claims, OfMergedExpressionsAndLoads) {
  const auto lines = claimsOfPasses(kernel(kPointer + "add.u32 %r2, %r1, 7;\n"        // 9
                                                      "add.u32 %r3, %r1, 7;\n"        // 10
                                                      "ld.global.u32 %r4, [%rd2];\n"  // 11
                                                      "ld.global.u32 %r5, [%rd2];\n"  // 12
                                                      "add.u32 %r6, %r4, %r5;\n"
                                                      "add.u32 %r7, %r2, %r3;\n"
                                                      "st.global.u32 [%rd2+4], %r6;\n"
                                                      "st.global.u32 [%rd2+8], %r7;"),
                                    "early-cse");
  EXPECT_TRUE(has(lines, {R"("claim":"equal")", R"("by":"early-cse")",
                          R"("value":{"at":"10:1","when":"after","register":"%r3")",
                          R"("other":{"at":"9:1","when":"after","register":"%r2")"}))
      << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"equal")", R"("at":"12:1")", R"("at":"11:1")"})) << all(lines);
}

TEST(Claims, OfDeadStoresAndValues) {
  const auto lines = claimsOfPasses(kernel(kPointer + "add.u32 %r2, %r1, 7;\n"        // 9
                                                      "st.global.u32 [%rd2], %r1;\n"  // 10
                                                      "add.u32 %r3, %r1, 9;\n"        // 11
                                                      "st.global.u32 [%rd2], %r3;"),
                                    "early-cse");
  EXPECT_TRUE(has(lines, {R"("claim":"dead-store")", R"("at":"10:1")"})) << all(lines);
  EXPECT_TRUE(has(lines, {R"("claim":"dead-value")", R"("at":"9:1")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"dead-value")", R"("at":"11:1")"})) << all(lines);
}

TEST(Claims, NothingOfAStoreThatALoadReadsWhichWent) {
  const auto lines = claimsOfPasses(kernel(kPointer + "st.global.u32 [%rd2], %r1;\n"
                                                      "ld.global.u32 %r3, [%rd2];\n"
                                                      "st.global.u32 [%rd2], 4;\n"
                                                      "st.global.u32 [%rd2+4], %r3;"),
                                    "early-cse");
  EXPECT_TRUE(has(lines, {R"("claim":"equal")", R"("register":"%r3")"})) << all(lines);
  EXPECT_FALSE(has(lines, {R"("claim":"dead-store")"})) << all(lines);
}

TEST(Claims, NothingDeadThatOnlyAMergeMadeDead) {
  // %r4 is read by the load that goes.
  const auto lines = claimsOfPasses(kernel(kPointer + "add.u64 %rd3, %rd2, 64;\n"
                                                      "add.u64 %rd4, %rd2, 64;\n"
                                                      "ld.global.u32 %r4, [%rd3];\n"
                                                      "ld.global.u32 %r5, [%rd4];\n"
                                                      "add.u32 %r6, %r4, %r5;\n"
                                                      "st.global.u32 [%rd2], %r6;"),
                                    "early-cse");
  EXPECT_FALSE(has(lines, {R"("claim":"dead-value")", R"("register":"%rd4")"})) << all(lines);
}

TEST(Claims, OfFoldedConstants) {
  const auto lines = claimsOfPasses(kernel(kPointer + "mov.u32 %r2, 5;\n"
                                                      "shl.b32 %r3, %r2, 2;\n"
                                                      "st.global.u32 [%rd2], %r3;"),
                                    "early-cse");
  EXPECT_TRUE(has(lines, {R"("claim":"range")", R"("by":"early-cse")", R"("register":"%r3")",
                          R"("lowest":20,"highest":20)"}))
      << all(lines);
}

TEST(Claims, OfAddressesThatShareABase) {
  const auto lines = claimsOfPasses(kernel(kPointer + "mul.wide.u32 %rd3, %r1, 4;\n"
                                                      "add.u64 %rd4, %rd2, %rd3;\n"     // 10
                                                      "add.u64 %rd5, %rd4, 32;\n"       // 11
                                                      "ld.global.u32 %r4, [%rd4];\n"    // 12
                                                      "st.global.u32 [%rd5+4], %r4;"),  // 13
                                    "common-base");
  EXPECT_TRUE(
      has(lines, {R"("claim":"equal")", R"("by":"common-base")",
                  R"("value":{"at":"13:1","when":"before","register":"%rd5")",
                  R"("other":{"at":"10:1","when":"after","register":"%rd4")", R"("plus":32)"}))
      << all(lines);
}

TEST(Claims, OfBarriers) {
  const auto lines = claimsOfPasses(kernel("mov.u32 %r1, %tid.x;\n"  // 6
                                           "mov.u32 %r2, A;\n"
                                           "mad.lo.u32 %r3, %r1, 4, %r2;\n"
                                           "st.shared.u32 [%r3], %r1;\n"
                                           "bar.sync 0;\n"  // 10
                                           "bar.sync 0;\n"  // 11
                                           "xor.b32 %r4, %r3, 4;\n"
                                           "ld.shared.u32 %r5, [%r4];\n"
                                           "st.shared.u32 [A], %r5;",
                                           ".reqntid 64", ".shared .align 8 .b8 A[256];"),
                                    "dead-sync");
  const auto one = [&](const char* at, const char* gone) {
    return has(lines, {R"("claim":"barrier")", at, R"("separator":true)", gone});
  };
  EXPECT_TRUE(one(R"("at":"10:1")", R"("gone":true)") != one(R"("at":"11:1")", R"("gone":true)"))
      << all(lines);
  EXPECT_TRUE(one(R"("at":"10:1")", R"("gone":false)") != one(R"("at":"11:1")", R"("gone":false)"))
      << all(lines);
}

TEST(Claims, OfVariables) {
  const auto unread = claimsOfPasses(
      kernel("mov.u32 %r1, %tid.x;\nst.shared.u32 [A], %r1;", "", ".shared .align 4 .b8 A[256];"),
      "global-opt");
  EXPECT_TRUE(has(unread, {R"("claim":"unread")", R"("variable":"A")"})) << all(unread);
  const auto fields = claimsOfPasses(kernel(kPointer + "st.shared.u32 [A], %r1;\n"
                                                       "st.shared.u32 [A+8], %r1;\n"
                                                       "ld.shared.u32 %r2, [A];\n"
                                                       "ld.shared.u32 %r3, [A+8];\n"
                                                       "add.u32 %r4, %r2, %r3;\n"
                                                       "st.global.u32 [%rd2], %r4;",
                                            "", ".shared .align 4 .b8 A[256];"),
                                     "global-opt");
  EXPECT_TRUE(has(fields, {R"("claim":"points-to")", R"("by":"global-opt")",
                           R"("at":"10:1","number":0)", R"("lowest":8,"highest":11)"}))
      << all(fields);
}

TEST(Claims, OnlyOfTheInput) {
  const std::string code = kernel(kPointer +
                                  "add.u32 %r2, %r1, 7;\n"
                                  "add.u32 %r3, %r1, 7;\n"
                                  "add.u32 %r7, %r2, %r3;\n"
                                  "add.u64 %rd5, %rd2, 32;\n"
                                  "ld.global.u32 %r4, [%rd2];\n"
                                  "add.u32 %r7, %r7, %r4;\n"
                                  "st.global.u32 [%rd5+4], %r7;\n"
                                  "bar.sync 0;");
  const std::string byBases = R"("by":"common-base")";
  EXPECT_TRUE(has(claimsOfPasses(code, "common-base"), {byBases}));
  EXPECT_TRUE(has(claimsOfPasses(code, "dead-sync,common-base"), {byBases}));
  const auto later = claimsOfPasses(code, "early-cse,common-base,dead-sync");
  EXPECT_FALSE(has(later, {byBases})) << all(later);
  EXPECT_FALSE(has(later, {R"("claim":"barrier")"})) << all(later);
}

TEST(Claims, NoneWhereNobodyWantsThem) {
  const auto module = test::moduleOf(kernel("bar.sync 0;"));
  passes::RunOptions options;
  options.pipeline = passes::parsePipeline("dead-sync");
  EXPECT_TRUE(passes::runPipeline(*module, options).claims.empty());
}

}  // namespace
}  // namespace ptxopt
