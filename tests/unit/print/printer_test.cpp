// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "print/printer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parse/parser.h"

namespace ptxopt::print {
namespace {

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto module = parse::parse(std::make_shared<SourceText>("t.ptx", text), diagnostics);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << format(d);
  return module;
}

const std::string kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string kernel(const std::string& body) {
  return kHeader + ".visible .entry k()\n{\n" + body + "}\n";
}

// The k-th instruction of the only function.
ir::Instruction* instruction(ir::Module& module, int k) {
  for (ir::Statement& statement : module.functions().front().body()) {
    auto* found = statement.as<ir::Instruction>();
    if (found != nullptr && k-- == 0) return found;
  }
  return nullptr;
}

std::string afterErasing(const std::string& body, std::initializer_list<int> which) {
  const auto module = parsed(kernel(body));
  ir::Function& function = module->functions().front();
  std::vector<ir::Instruction*> victims;
  for (const int k : which) victims.push_back(instruction(*module, k));
  for (ir::Instruction* victim : victims) function.erase(victim);
  return print(*module).text();
}

TEST(Print, AnUntouchedModuleIsOneSlice) {
  const auto module = parsed(kernel("\tret; // done\n"));
  const Output output = print(*module);
  ASSERT_EQ(output.pieces().size(), 1u);
  EXPECT_EQ(output.pieces()[0].data(), module->source().text().data());
}

TEST(Print, ErasingTakesTheLineWhereTheStatementStoodAlone) {
  EXPECT_EQ(afterErasing("\tbar.sync 0;\n\tret;\n", {0}), kernel("\tret;\n"));
  EXPECT_EQ(afterErasing("\tbar.sync 0; // why\r\n\tret;\n", {0}), kernel("\tret;\n"));
  EXPECT_EQ(afterErasing("\tbar.sync\n\t 0;\n\tret;\n", {0}), kernel("\tret;\n"));
}

TEST(Print, ErasingLeavesNeighboursOnTheLine) {
  EXPECT_EQ(afterErasing("\tbar.sync 0; ret;\n", {0}), kernel("\tret;\n"));
  EXPECT_EQ(afterErasing("L:\tbar.sync 0;\n\tret;\n", {0}), kernel("L:\n\tret;\n"));
  EXPECT_EQ(afterErasing("\tmembar.cta; bar.sync 0; ret;\n", {1}), kernel("\tmembar.cta; ret;\n"));
  EXPECT_EQ(afterErasing("\t/* a */ bar.sync 0; /* b */\n\tret;\n", {0}),
            kernel("\t/* a */ /* b */\n\tret;\n"));
}

TEST(Print, ErasingAllOfALineTakesIt) {
  EXPECT_EQ(afterErasing("\tbar.sync 0; bar.sync 1;\n\tret;\n", {0, 1}), kernel("\tret;\n"));
}

TEST(Print, AChangedStatementIsReplacedInPlace) {
  const auto module =
      parsed(kernel("\t.reg .b32 %r<3>;\n\tmov.u32   %r1,  7 ; // seven\n\tret;\n"));
  ir::Instruction* move = instruction(*module, 0);
  move->operand(1)->immediate = 8;
  module->functions().front().markChanged(move);
  EXPECT_EQ(print(*module).text(),
            kernel("\t.reg .b32 %r<3>;\n\tmov.u32 \t%r1, 8; // seven\n\tret;\n"));
}

TEST(Print, AMadeStatementStandsOnALineOfItsOwn) {
  const auto module = parsed(kernel("\tmembar.cta; // first\n\tret;\n"));
  ir::Function& function = module->functions().front();
  isa::Shape shape;
  shape.push(isa::OperandShape::Scalar);
  auto* barrier = function.arena().create<ir::Instruction>(sizeof(ir::Operand));
  barrier->kind = ir::StatementKind::Instruction;
  barrier->desc = &module->instructionTable().get("bar.warp.sync", shape);
  barrier->operandCount = 1;
  barrier->operands()[0] = ir::Operand::ofInteger(-1);
  function.insertAfter(instruction(*module, 0), barrier);
  EXPECT_EQ(print(*module).text(),
            kernel("\tmembar.cta; // first\n\tbar.warp.sync \t-1;\n\tret;\n"));
}

// What reprint() writes must read as the same IR: printing that anew gives the same text.
void expectStable(const std::string& text, const std::string& part) {
  const std::string once = reprint(*parsed(text));
  EXPECT_NE(once.find(part), std::string::npos) << once;
  EXPECT_EQ(reprint(*parsed(once)), once);
}

TEST(Reprint, WritesOperandsOfEveryKind) {
  const auto body = [](const std::string& text) {
    return kernel(
        "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t.reg .f32 %f<4>;\n\t.reg .f64 %fd<4>;\n"
        "\t.reg .pred %p<4>;\n\t.shared .align 16 .b8 smem[64];\n" +
        text + "\tret;\n");
  };
  expectStable(body("\t@!%p1 add.s32 %r1, %r2, -3;\n"), "@!%p1 add.s32 \t%r1, %r2, -3;");
  expectStable(body("\tmov.f32 %f1, 0f3F800000;\n"), "mov.f32 \t%f1, 0f3F800000;");
  expectStable(body("\tmov.f64 %fd1, 1.5;\n"), "mov.f64 \t%fd1, 0d3FF8000000000000;");
  expectStable(body("\tld.shared.v2.b32 {%r1, _}, [smem+8];\n"),
               "ld.shared.v2.b32 \t{%r1, _}, [smem+8];");
  expectStable(body("\tld.global.b32 %r1, [%rd1+-4];\n"), "[%rd1+-4]");
  expectStable(body("\tsetp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n"), "%p1|%p2, %r1, %r2, !%p3;");
  expectStable(body("\tmov.u32 %r1, smem+4;\n"), "mov.u32 \t%r1, smem+4;");
  expectStable(body("\tmov.u32 %r1, %tid.x;\n"), "mov.u32 \t%r1, %tid.x;");
  expectStable(body("\tmov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;\n"), "18446744073709551615U");
  expectStable(body("\tmov.u32 %r1, (2+3)*4;\n"), "mov.u32 \t%r1, 20;");
  // An offset of zero counts where code is for a debugger.
  expectStable(body("\tld.u32 %r1, [%rd1 + 0];\n"), "ld.u32 \t%r1, [%rd1+0];");
  expectStable(body("\tld.u32 %r1, [%rd1];\n"), "ld.u32 \t%r1, [%rd1];");
}

TEST(Reprint, WritesInitializers) {
  expectStable(kHeader + ".global .align 4 .u32 a[2][3] = {{1, 2}, {3, 4, 5}};\n",
               "a[2][3] = {{1, 2, 3}, {4, 5}};");
  expectStable(kHeader + ".const .f32 f[2] = {0f3F800000, 2.0};\n",
               "f[2] = {0f3F800000, 0f40000000};");
  expectStable(kHeader + ".global .u32 x;\n.global .u64 p[3] = {generic(x)+4, 0, x};\n",
               "p[3] = {generic(x)+4, 0, x};");
  expectStable(kHeader + ".global .u32 s = 42;\n", "s = 42;");
}

TEST(Reprint, WritesFunctionHeads) {
  expectStable(kHeader + ".func (.param .b32 r) f(.param .b32 a)\n{\n\tret;\n}\n",
               ".func ( .param .b32 r) f(\n\t.param .b32 a)");
  expectStable(kHeader +
                   ".visible .entry k(.param .u64 .ptr .global .align 8 p)\n"
                   ".maxntid 128, 1, 1\n.minnctapersm 2\n{\n\tret;\n}\n",
               ".maxntid 128, 1, 1\n.minnctapersm 2\n{");
  expectStable(kHeader + ".entry k(.hidden .param .align 64 .b8 p[128])\n{\n\tret;\n}\n",
               "\t.hidden .param .align 64 .b8 p[128])");
}

}  // namespace
}  // namespace ptxopt::print
