// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"
#include "parse/parser.h"

namespace ptxopt::ir {
namespace {

std::vector<std::string> problemsOf(const std::string& statements) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 s[64];\n"
      ".global .align 16 .b8 g[64];\n.func f() { ret; }\n.visible .entry k()\n{\n"
      "\t.reg .pred %p<3>;\n\t.reg .b16 %h<3>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n"
      "\t.reg .f32 %f<3>;\n" +
      statements + "\tret;\n}\n";
  Diagnostics diagnostics;
  const auto module = parse::parse(std::make_shared<SourceText>("t.ptx", text), diagnostics);
  if (module == nullptr) return {"does not parse"};
  std::vector<std::string> messages;
  for (const Problem& problem : verify(*module->findFunction("k"))) {
    messages.push_back(problem.message);
  }
  return messages;
}

void expectProblem(const std::string& statements, const std::string& part) {
  const std::vector<std::string> found = problemsOf(statements);
  const bool isThere = std::any_of(found.begin(), found.end(), [&](const std::string& message) {
    return message.find(part) != std::string::npos;
  });
  EXPECT_TRUE(isThere) << statements << (found.empty() ? "no problem" : found.front());
}

void expectNone(const std::string& statements) {
  const std::vector<std::string> found = problemsOf(statements);
  EXPECT_TRUE(found.empty()) << statements << (found.empty() ? "" : found.front());
}

TEST(Verifier, TakesWhatPtxasTakes) {
  expectNone("\tadd.s32 %r1, %r2, -3;\n");
  expectNone("\tadd.f32 %r1, %r2, 0f3F800000;\n");  // floats in .b32, as nvcc has them
  expectNone("\tld.shared.u8 %r1, [s];\n");         // a load into a wider register
  expectNone("\tld.global.v2.u32 {%r1, %r2}, [%rd1];\n");
  expectNone("\tmul.wide.u32 %rd1, %r1, 4;\n");
  expectNone("\tsetp.eq.s32 %p1|%p2, %r1, 0;\n");
  expectNone("\tmov.b64 {%r1, %r2}, %rd1;\n");
  expectNone("\tmov.u32 %r1, s;\n\tmov.u64 %rd1, f;\n");
  expectNone("\tshl.b64 %rd1, %rd2, %r1;\n");
  expectNone("\tcvt.u64.u32 %rd1, %r1;\n");
  expectNone("L: @!%p1 bra L;\n");
  expectNone("\tcall f, ();\n");
  expectNone("\t{ .reg .b32 x; mov.u32 x, 1; }\n");
  expectNone("\tld.shared.v2.u32 %rd1, [s];\n\tfrobnicate %rd1, %p1, %r1;\n");  // not judged: A7
}

TEST(Verifier, FindsOperandsOfTheWrongSize) {
  expectProblem("\tadd.s32 %r1, %rd2, 3;\n", "'%rd2' has 64 bits, but the operand requires 32");
  expectProblem("\tadd.s64 %r1, %rd2, 3;\n", "'%r1' has 32 bits");
  expectProblem("\tld.shared.u32 %h1, [s];\n", "'%h1' has 16 bits");
  expectProblem("\tmul.wide.u32 %r1, %r2, 4;\n", "'%r1' has 32 bits");
}

TEST(Verifier, FindsPredicatesOutOfPlace) {
  expectProblem("\tadd.s32 %r1, %p1, 3;\n", "'%p1' is .pred");
  expectProblem("\tsetp.eq.s32 %r1, %r2, 0;\n", "the operand requires .pred");
  expectProblem("\t@%r1 bra L;\nL:\n", "not a predicate");
}

TEST(Verifier, FindsNamesThatStandForNothing) {
  expectProblem("\tmov.u32 %r1, nowhere;\n", "'nowhere', which is not declared");
  expectProblem("\tbra missing;\n", "not declared");
  expectProblem("\tbra s;\n", "no label");
}

TEST(Verifier, FindsAccessesToTheWrongSpace) {
  expectProblem("\tld.shared.u32 %r1, [g];\n", "accesses 'g' in .shared, which lies in .global");
  expectProblem("\tst.global.u32 [s], %r1;\n", "lies in .shared");
}

// As ptxas 13.5 has it: the destination of a bulk copy lies in the first space that it names, the
// source in the second, and the mbarrier in shared memory.
TEST(Verifier, ABulkCopyHasTwoSpaces) {
  const std::string out = "\tcp.async.bulk.global.shared::cta.bulk_group ";
  const std::string in = "\tcp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ";
  expectNone(out + "[g], [s], 16;\n");
  expectNone(out + "[%rd1], [s+16], 16;\n");
  expectProblem(out + "[s], [s], 16;\n", "accesses 's' in .global, which lies in .shared");
  expectProblem(out + "[g], [g], 16;\n", "accesses 'g' in .shared, which lies in .global");
  expectNone(in + "[s], [g], 16, [s+32];\n");
  expectProblem(in + "[s], [s], 16, [s+32];\n", "accesses 's' in .global, which lies in .shared");
  expectProblem(in + "[s], [g], 16, [g+32];\n", "accesses 'g' in .shared");
  expectNone("\tcp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 16;\n");
  expectProblem("\tcp.async.bulk.prefetch.L2.global [s], 16;\n", "which lies in .shared");
}

TEST(Verifier, FindsVectorsOfTheWrongLength) {
  expectProblem("\tld.shared.v4.u32 {%r1, %r2}, [s];\n", "4 elements through a vector of 2");
}

TEST(Verifier, FindsRegistersThatNobodyDeclares) {
  Diagnostics diagnostics;
  const auto module =
      parse::parse(std::make_shared<SourceText>("t.ptx",
                                                ".version 8.0\n.target sm_80\n.address_size 64\n"
                                                ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, 1; }"),
                   diagnostics);
  ASSERT_NE(module, nullptr);
  Function& function = *module->findFunction("k");
  for (Statement& statement : function.body()) {
    if (auto* move = statement.as<Instruction>()) move->operand(0)->id = 99;
  }
  EXPECT_FALSE(verify(function).empty());
}

}  // namespace
}  // namespace ptxopt::ir
