// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/pure_functions.h"

#include <gtest/gtest.h>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// Is the call of `f` pure?  docs/soundness/ D3.7
bool isPure(const std::string& functions, const std::string& call = "call (r), f, (a);") {
  test::ValueFunction f("{ .param .b32 a; .param .b32 r; st.param.b32 [a], 1;" + call +
                            "} T: .callprototype (.param .b32 _) _ (.param .b32 _); ret;",
                        "", functions);
  const CallGraph graph(f.module());
  const PureFunctions pure(graph);
  const ir::Instruction* found = nullptr;
  for (const ir::Instruction* instruction : f.instructions()) {
    const bool isCall = instruction->desc->opcode == isa::Opcode::Call;
    if (isCall || !instruction->desc->known()) found = instruction;
  }
  return pure.isPureCall(f.function(), *found);
}

std::string function(const std::string& body, const std::string& linkage = "",
                     const std::string& attributes = "") {
  return ".const .b32 K[4]; .global .b32 G; .extern .func outside();\n" + linkage +
         ".func (.param .b32 r) f(.param .b32 a) " + attributes +
         " { .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .f32 %f<4>;"
         "ld.param.b32 %r1, [a];" +
         body + " st.param.b32 [r], %r2; ret; }";
}
bool isPureBody(const std::string& body) {
  return isPure(function(body));
}

TEST(PureFunctions, WhatComputes) {
  EXPECT_TRUE(isPureBody("add.u32 %r2, %r1, 1;"));
  EXPECT_TRUE(isPureBody("ld.const.u32 %r2, [K+4];"));
  EXPECT_TRUE(isPureBody("mov.u32 %r2, %tid.x;"));
  EXPECT_TRUE(isPureBody("setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L:"));
  EXPECT_TRUE(isPureBody("T: .branchtargets L, M; brx.idx %r1, T; L: mov.u32 %r2, 1; M:"));
  EXPECT_TRUE(isPureBody("setp.eq.u32 %p1, %r1, 0; @%p1 ret;"));
}

TEST(PureFunctions, WhatDoesMore) {
  for (const char* body : {
           "ld.global.u32 %r2, [G];",
           "st.global.u32 [G], %r1;",
           "ld.u32 %r2, [%d1];",
           "ld.global.nc.u32 %r2, [%d1];",
           "atom.global.add.u32 %r2, [G], 1;",
           "ld.local.u32 %r2, [%d1];",
           "ld.param.b32 %r2, [%d1];",  // any memory of the caller
           "st.local.u32 [%d1], %r1;",
           ".local .b32 x; mov.u64 %d1, x; cvt.u32.u64 %r2, %d1;",  // where the stack is
           "mov.u32 %r2, %clock;",
           "mov.u32 %r2, %smid;",
           "mov.u32 %r2, %future;",
           "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;",
           "vote.sync.any.pred %p1, %p2, -1;",
           "activemask.b32 %r2;",
           "bar.sync 0;",
           "bar.warp.sync -1;",
           "membar.cta;",
           "exit;",
           "trap;",
           "brkpt;",
           "add.cc.u32 %r2, %r1, %r1;",
           "addc.u32 %r2, %r1, %r1;",
           "future.u32 %r2, %r1;",
           "add.future.u32 %r2, %r1, 1;",
           "prefetch.global.L2 [%d1];",
           "nanosleep.u32 20;",
           "call outside;",
           ".pragma \"nounroll\";",
           ".future 3;",
       }) {
    EXPECT_FALSE(isPureBody(body)) << body;
  }
}

TEST(PureFunctions, WhichBodyRuns) {
  const std::string body = "add.u32 %r2, %r1, 1;";
  EXPECT_TRUE(isPure(function(body, ".visible ")));
  EXPECT_FALSE(isPure(function(body, ".weak ")));
  EXPECT_FALSE(isPure(function(body, "", ".noreturn")));
  EXPECT_FALSE(isPure(".extern .func (.param .b32 r) f(.param .b32 a);"));
  EXPECT_FALSE(isPure(function(body) + ".alias g, f;", "call (r), g, (a);"));
  EXPECT_FALSE(isPure(function(body), ".reg .b64 %d1; mov.u64 %d1, f; call (r), %d1, (a), T;"));
  EXPECT_FALSE(isPure(function(body), "future.call f;"));
}

TEST(PureFunctions, OnlyCallsOfItsKind) {
  const auto calls = [](const std::string& inner) {
    return isPure(".func (.param .b32 r) inner(.param .b32 a) { .reg .b32 %r<3>;" + inner +
                  "ret; }\n" +
                  function("{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;"
                           "call (y), inner, (x); ld.param.b32 %r2, [y]; }"));
  };
  EXPECT_TRUE(calls("ld.param.b32 %r1, [a]; st.param.b32 [r], %r1;"));
  EXPECT_FALSE(calls("mov.u32 %r1, %clock; st.param.b32 [r], %r1;"));
  // Recursive ones may not come to an end.
  EXPECT_FALSE(
      isPureBody("{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;"
                 "call (y), f, (x); ld.param.b32 %r2, [y]; }"));
}

}  // namespace
}  // namespace ptxopt::analysis
