// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names mean: scopes, shadowing, ranges, labels before and after their use.
#include <gtest/gtest.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

isa::Type typeOf(const ir::Function& function, const ir::Operand& operand) {
  return function.rangeOf(operand.reg()).type;
}

// The types of the first operands of all instructions.
std::vector<isa::Type> firstTypes(const Parsed& parsed) {
  std::vector<isa::Type> types;
  const ir::Function& function = parsed.function("f");
  for (const ir::Statement& statement : function.body()) {
    if (const auto* instruction = statement.as<ir::Instruction>()) {
      types.push_back(typeOf(function, instruction->operands()[0]));
    }
  }
  return types;
}

// The label that an operand means, as the index of its statement in the body.
std::size_t placeOf(const ir::Function& function, const ir::Symbol& symbol) {
  std::size_t place = 0;
  for (const ir::Statement& statement : function.body()) {
    if (&statement == symbol.label) return place;
    ++place;
  }
  return ~std::size_t{0};
}

TEST(NamesTest, InnerScopesShadow) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 a; { .reg .b64 a; mov.b64 a, 1; { .reg .b16 a; mov.b16 a, 1; }\n"
      "mov.b64 a, 1; } mov.b32 a, 1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(firstTypes(parsed),
            (std::vector{isa::Type::B64, isa::Type::B16, isa::Type::B64, isa::Type::B32}));
}

TEST(NamesTest, RangesShadowOnlyWhatTheyHold) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 %r<10>; { .reg .b64 %r<5>; mov.b64 %r4, 1; mov.b32 %r7, 1; }\n"
      "mov.b32 %r4, 1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(firstTypes(parsed), (std::vector{isa::Type::B64, isa::Type::B32, isa::Type::B32}));
}

TEST(NamesTest, ASingleNameShadowsOneOfARange) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 %r<10>; { .reg .b64 %r5; mov.b64 %r5, 1; mov.b32 %r4, 1;\n"
      "{ .reg .b16 %r<6>; mov.b16 %r5, 1; } mov.b64 %r5, 1; } mov.b32 %r5, 1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(firstTypes(parsed), (std::vector{isa::Type::B64, isa::Type::B32, isa::Type::B16,
                                             isa::Type::B64, isa::Type::B32}));
}

TEST(NamesTest, NamesWithoutPercent) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 t<3>, plain; .reg .pred p; mov.b32 t2, 1; mov.b32 plain, 1;\n"
      "@p mov.b32 t0, 1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "t2>, 1");
  EXPECT_TRUE(static_cast<bool>(parsed.instruction("f", 2).guard));
}

TEST(NamesTest, ALocalNameShadowsASpecialRegister) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 %r; mov.b32 %r, %tid.x; { .reg .v2 .b32 %tid; mov.b32 %r, %tid.x;\n"
      ".reg .b32 %laneid; mov.b32 %r, %laneid; } mov.b32 %r, %laneid; mov.b64 %r, %clock64; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const auto kindOf = [&](std::size_t k) { return parsed.instruction("f", k).operands()[1].kind; };
  EXPECT_EQ(kindOf(0), ir::OperandKind::SpecialRegister);
  EXPECT_EQ(kindOf(1), ir::OperandKind::Register);
  EXPECT_EQ(kindOf(2), ir::OperandKind::Register);
  EXPECT_EQ(kindOf(3), ir::OperandKind::SpecialRegister);
  const ir::Operand& clock = parsed.instruction("f", 4).operands()[1];
  ASSERT_GE(clock.immediate, 0);
  EXPECT_EQ(isa::specialRegisters()[static_cast<std::size_t>(clock.immediate)].name, "%clock64");
}

TEST(NamesTest, BranchesBindToTheInnermostLabel) {
  // Statements:  0 {  1 bra  2 X:  3 }  4 X:  5 {  6 bra  7 }  8 {  9 X:  10 bra  11 }  12 bra
  const Parsed parsed =
      parseModule(".func f() { { bra X; X: } X: { bra X; } { X: bra X; } bra X; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  const auto target = [&](std::size_t k) {
    const ir::Operand& operand = parsed.instruction("f", k).operands()[0];
    return placeOf(function, function.symbolAt(operand.symbol()));
  };
  EXPECT_EQ(target(0), 2u);
  EXPECT_EQ(target(1), 4u);
  EXPECT_EQ(target(2), 9u);
  EXPECT_EQ(target(3), 4u);
  EXPECT_FALSE(function.isOpaque);
}

TEST(NamesTest, AnInnerLabelBehindTheBranchWinsOverAnOuterOneBeforeIt) {
  const Parsed parsed = parseModule(".func f() { X: { bra X; X: ret; } }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  const ir::Operand& operand = parsed.instruction("f", 0).operands()[0];
  EXPECT_EQ(placeOf(function, function.symbolAt(operand.symbol())), 3u);
}

TEST(NamesTest, LabelsMayHaveAPercentSign) {
  const Parsed parsed = parseModule(".func f() { bra %L1; %L1: bra %L1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  for (std::size_t k = 0; k < 2; ++k) {
    const ir::Operand& operand = parsed.instruction("f", k).operands()[0];
    EXPECT_EQ(parsed.function("f").symbolAt(operand.symbol()).kind, ir::SymbolKind::Label);
  }
}

TEST(NamesTest, OneFunctionOneSymbol) {
  const Parsed parsed = parseModule(
      ".func g(.param .b32 a); .func f() { call g, (1); } .weak .func g(.param .b32 a) { ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  const ir::Symbol& callee = function.symbolAt(parsed.instruction("f", 0).operands()[0].symbol());
  EXPECT_EQ(callee.kind, ir::SymbolKind::Function);
  EXPECT_TRUE(callee.function->hasBody());
  EXPECT_EQ(callee.function, &parsed.function("g"));
  EXPECT_EQ(parsed.module->functions().size(), 3u);
}

TEST(NamesTest, AVariableDeclaredExternAndDefinedIsOne) {
  const Parsed parsed = parseModule(
      ".extern .global .b32 x; .func f() { st.global.b32 [x], 1; } .global .b32 x = 5;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Symbol& symbol =
      parsed.function("f").symbolAt(parsed.instruction("f", 0).operands()[0].symbol());
  ASSERT_EQ(symbol.kind, ir::SymbolKind::Variable);
  EXPECT_NE(symbol.variable->initializer, nullptr);
}

TEST(NamesTest, WhatIsDeclaredNowhereMakesTheFunctionOpaque) {
  const Parsed parsed = parseModule(".func f() { bra NOWHERE; }\n.func h() { bra X; X: }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "4:13: warning: 'NOWHERE' is not declared\n");
  EXPECT_TRUE(parsed.function("f").isOpaque);
  EXPECT_FALSE(parsed.function("h").isOpaque);
  const ir::Operand& operand = parsed.instruction("f", 0).operands()[0];
  EXPECT_EQ(parsed.function("f").symbolAt(operand.symbol()).kind, ir::SymbolKind::Unresolved);
}

TEST(NamesTest, WhatIsDeclaredLaterIsFound) {
  const Parsed parsed = parseModule(".func f() { call later; } .func later() { ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Operand& operand = parsed.instruction("f", 0).operands()[0];
  EXPECT_EQ(parsed.function("f").symbolAt(operand.symbol()).function, &parsed.function("later"));
}

TEST(NamesTest, AGuardThatIsNoRegister) {
  const Parsed parsed = parseModule(".func f() { @!%is_explicit_cluster ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  EXPECT_TRUE(function.isOpaque);
  const ir::Guard guard = parsed.instruction("f", 0).guard;
  ASSERT_TRUE(guard);
  EXPECT_TRUE(guard.negated());
  EXPECT_EQ(function.registerName(guard.predicate()), "%is_explicit_cluster");
}

TEST(NamesTest, ParametersAreNames) {
  const Parsed parsed = parseModule(
      ".func (.reg .b32 r, .param .b32 s) f(.reg .b32 a, .param .align 8 .b8 b[16])\n"
      "{ mov.b32 r, a; ld.param.b32 a, [b+8]; st.param.b32 [s], a; ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Function& function = parsed.function("f");
  ASSERT_EQ(function.results.size(), 2u);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.results[0]->space, isa::Space::Reg);
  EXPECT_EQ(function.parameters[1]->size, 16u);
  EXPECT_EQ(function.parameters[1]->alignment, 8u);
  EXPECT_EQ(function.symbolAt(function.parameters[1]->symbol).kind, ir::SymbolKind::Parameter);
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 0)), "r>, a<");
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 1)), "a>, [b+8]");
  EXPECT_EQ(function.registers().size(), 2u);
  EXPECT_TRUE(function.registers()[0].isParameter);
}

}  // namespace
}  // namespace ptxopt::parse
