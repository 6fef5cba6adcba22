// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/make.h"

#include <gtest/gtest.h>

#include <memory>

#include "ir/module.h"
#include "ir/verifier.h"
#include "parse/parser.h"

namespace ptxopt::ir {
namespace {

std::unique_ptr<Module> parsed(const std::string& body) {
  Diagnostics diagnostics;
  auto module =
      parse::parse(std::make_shared<SourceText>("test.ptx",
                                                ".version 8.0\n.target sm_80\n.address_size 64\n"
                                                ".global .u32 taken_outside;\n.entry k() {\n" +
                                                    body + "\n}\n"),
                   diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors());
  return module;
}

TEST(Make, RegistersHaveNamesOfTheirOwn) {
  const auto module = parsed(".reg .b32 %taken; { .reg .b32 %taken_; }\nTAKEN: ret;");
  Function& function = module->functions().front();
  const auto name = [&](std::string_view wish) {
    return function.registerName(makeRegister(function, wish, isa::Type::B32).id);
  };
  EXPECT_EQ(name("%free"), "%free");
  EXPECT_EQ(name("%free"), "%free_");
  EXPECT_EQ(name("%taken"), "%taken__");
  EXPECT_EQ(name("TAKEN"), "TAKEN_");
  EXPECT_EQ(name("taken_outside"), "taken_outside_");
}

TEST(Make, InstructionsKnowWhatTheyReadAndWrite) {
  const auto module = parsed("ret;");
  Function& function = module->functions().front();
  const MadeRegister a = makeRegister(function, "%a", isa::Type::B32);
  const MadeRegister p = makeRegister(function, "%p", isa::Type::Pred);
  Instruction* move = makeInstruction(
      function, "mov.u32", {Operand::ofRegister(a.id), specialRegister(*module, "%ntid.y")});
  Instruction* compare = makeInstruction(
      function, "setp.ne.u32",
      {Operand::ofRegister(p.id), Operand::ofRegister(a.id), Operand::ofInteger(1)});
  EXPECT_TRUE(move->desc->known());
  EXPECT_TRUE(move->operand(0)->writes);
  EXPECT_FALSE(move->operand(0)->reads);
  EXPECT_EQ(isa::specialRegisters()[static_cast<std::size_t>(move->operand(1)->immediate)].name,
            "%ntid");
  EXPECT_TRUE(compare->operand(0)->writes);
  EXPECT_TRUE(compare->operand(1)->reads);
  Statement* last = nullptr;
  for (Statement* made :
       {static_cast<Statement*>(a.declaration), static_cast<Statement*>(p.declaration),
        static_cast<Statement*>(move), static_cast<Statement*>(compare)}) {
    function.insertAfter(last, made);
    last = made;
  }
  EXPECT_TRUE(verify(function).empty());
}

}  // namespace
}  // namespace ptxopt::ir
