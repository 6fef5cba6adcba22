// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands, constant expressions, and which registers an instruction reads and writes.
#include <gtest/gtest.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

// The operands of one statement in a function with the registers of parseBody.
std::string operands(const std::string& statement) {
  const Parsed parsed = parseBody(statement);
  if (parsed.module == nullptr) return parsed.messages();
  return operandsOf(parsed.function("f"), parsed.instruction("f", 0));
}

std::string constant(const std::string& expression) {
  const std::string text = operands("mov.u64 %rd0, " + expression + ";");
  return text.substr(text.find(", ") + 2);
}

TEST(OperandsTest, DirectionsComeFromTheTable) {
  EXPECT_EQ(operands("add.s32 %r1, %r2, 3;"), "%r1>, %r2<, 3");
  EXPECT_EQ(operands("st.global.b32 [%rd1], %r2;"), "[%rd1<], %r2<");
  EXPECT_EQ(operands("ld.global.v2.b32 {%r1, %r2}, [%rd1];"), "{%r1> %r2>}, [%rd1<]");
  EXPECT_EQ(operands("setp.eq.s32 %p1|%p2, %r1, %r2;"), "|%p1> %p2>|, %r1<, %r2<");
  EXPECT_EQ(operands("setp.eq.s32 %p1 | _, %r1, %r2;"), "|%p1> _|, %r1<, %r2<");
  EXPECT_EQ(operands("mov.b64 {%r1, _}, %rd1;"), "{%r1> _}, %rd1<");
  EXPECT_EQ(operands("mov.b64 %rd1, {%r1, %r2};"), "%rd1>, {%r1< %r2<}");
  EXPECT_EQ(operands("call (%r1), h, (%r2, 5);").substr(0, 5), "(%r1>");
}

TEST(OperandsTest, UnknownInstructionsMayDoBoth) {
  EXPECT_EQ(operands("frob.b32 %r1, {%r2, %r3}, [%rd1], [%rd2, {%r4}], 5;"),
            "%r1=, {%r2= %r3=}, [%rd1<], [%rd2< {%r4<}], 5");
}

TEST(OperandsTest, AddressesAreFolded) {
  EXPECT_EQ(operands("ld.global.b32 %r1, [%rd1+8];"), "%r1>, [%rd1<+8]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [ %rd1 + 0 ];"), "%r1>, [%rd1<]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [%rd1+-8];"), "%r1>, [%rd1<-8]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [%rd1-8];"), "%r1>, [%rd1<-8]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [%rd1+4*2+1];"), "%r1>, [%rd1<+9]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [%rd1+(4*4)];"), "%r1>, [%rd1<+16]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [g];"), "%r1>, [g]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [g+4];"), "%r1>, [g+4]");
  EXPECT_EQ(operands("ld.global.b32 %r1, [g+4-12];"), "%r1>, [g-8]");
  EXPECT_EQ(operands("ld.shared.b32 %r1, [16];"), "%r1>, [16]");
  EXPECT_EQ(operands("ld.global.b32 %r1, g[2];"), "%r1>, [g+8]");  // elements of four bytes
  EXPECT_EQ(operands("mov.b64 %rd1, g+4;"), "%rd1>, g+4");
}

TEST(OperandsTest, OtherBracketsAreLists) {
  EXPECT_EQ(operands("tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd1, {%r1, %r2}];"),
            "{%f0> %f1> %f2> %f3>}, [%rd1< {%r1< %r2<}]");
  EXPECT_EQ(operands("frob [%rd1+8, %r1, {%r2}];"), "[<%rd1< '+' 8> %r1< {%r2<}]");
  EXPECT_EQ(operands("frob {%r1, %r2}|%p1;"), "|{%r1= %r2=} %p1=|");
  EXPECT_EQ(operands("frob [%rd1, %rd2, {{%r1, 2}, {3}}];"), "[%rd1< %rd2< {{%r1< 2} {3}}]");
}

TEST(OperandsTest, Prefixes) {
  EXPECT_EQ(operands("selp.b32 %r1, %r2, %r3, !%p1;"), "%r1>, %r2<, %r3<, !%p1<");
  EXPECT_EQ(operands("add.s32 %r1, -%r2, 1;"), "%r1>, !%r2<, 1");
  EXPECT_EQ(operands("add.s32 %r1, - -%r2, 1;"), "%r1>, %r2<, 1");
  EXPECT_EQ(operands("mov.f64 %d1, -1.5;"), "%d1>, -1.500000d");
  EXPECT_EQ(operands("frob ~%r1;"), "<'~' %r1=>");
}

TEST(OperandsTest, FloatsKeepTheirBits) {
  EXPECT_EQ(operands("mov.f32 %f1, 0f3F800000;"), "%f1>, 1.000000f");
  EXPECT_EQ(operands("mov.f64 %d1, 0D3FF8000000000000;"), "%d1>, 1.500000d");
  EXPECT_EQ(operands("mov.f64 %d1, .5;"), "%d1>, 0.500000d");
  EXPECT_EQ(operands("mov.f64 %d1, 25.e-1;"), "%d1>, 2.500000d");
}

// The values are those that ptxas 13.0 and 13.5 give (docs/soundness/ A5.9).
TEST(OperandsTest, ConstantExpressionsAreFolded) {
  EXPECT_EQ(constant("1 + 2 * 3"), "7");
  EXPECT_EQ(constant("(1 + 2) * 3"), "9");
  EXPECT_EQ(constant("((5))"), "5");
  EXPECT_EQ(constant("10 - 3 - 2"), "5");
  EXPECT_EQ(constant("-8 / 3"), "-2");
  EXPECT_EQ(constant("-1 >> 1"), "-1");
  EXPECT_EQ(constant("~0 >> 1"), "9223372036854775807U");
  EXPECT_EQ(constant("-1U / 2"), "9223372036854775807U");
  EXPECT_EQ(constant("1 << 65"), "2");
  EXPECT_EQ(constant("(1 < 2) * 5"), "5");
  EXPECT_EQ(constant("-1 < 1U"), "0");
  EXPECT_EQ(constant("6 & 3 | 8 ^ 1"), "11");
  EXPECT_EQ(constant("6U & 3 | 8 ^ 1"), "11U");
  EXPECT_EQ(constant("(-16 | 0) >> 2"), "-4");
  EXPECT_EQ(constant("((5 & 3) - 6) / 2"), "-2");
  EXPECT_EQ(constant("(-16 ^ 0) < 0"), "1");
  EXPECT_EQ(constant("!5"), "0");
  EXPECT_EQ(constant("1 == 1 ? 2 : 3 + 4"), "2");
  EXPECT_EQ(constant("0 ? 2 : 3 + 4"), "7");
  EXPECT_EQ(constant("1 ? 0 ? 1 : 2 : 3"), "2");
  EXPECT_EQ(constant("0 || 2 && 3"), "1");
  EXPECT_EQ(constant("7 % 4"), "3U");
  EXPECT_EQ(constant("-7 % 3"), "0U");
  EXPECT_EQ(constant("7 % -3"), "7U");
  EXPECT_EQ(constant("5 % -5"), "5U");
  EXPECT_EQ(constant("(7 % 4 - 5) / 2"), "9223372036854775807U");
  EXPECT_EQ(constant("(.s64)-1"), "-1");
  EXPECT_EQ(constant("(.u64)-1 >> 60"), "15U");
  EXPECT_EQ(constant("0xFFFFFFFFFFFFFFFF"), "-1U");
  EXPECT_EQ(constant("WARP_SZ*2"), "64");
}

TEST(OperandsTest, WhatHasNoValueStaysAnExpression) {
  EXPECT_EQ(constant("1 / 0"), "<1 '/' 0>");
  EXPECT_EQ(constant("(-9223372036854775807 - 1) / -1"),
            "-9223372036854775808");  // no trap of our own
  EXPECT_EQ(constant("g * 2"), "<g '*' 2>");
  EXPECT_EQ(constant("(.f64)1"), "<'c' 1>");
}

TEST(OperandsTest, ParenthesesAreAListOnlyInCalls) {
  EXPECT_EQ(operands("mov.b32 %r1, (5);"), "%r1>, 5");
  const Parsed parsed =
      parseModule(".func h(.reg .b32 a) { ret; } .func f() { call h, (5); call.uni h, (-5); }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "h, (5)");
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 1)), "h, (-5)");
  EXPECT_EQ(parsed.messages(), "");
}

TEST(OperandsTest, Components) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .v4 .b32 %v; .reg .v2 .b32 w<3>; .reg .b32 %r<4>;\n"
      "mov.b32 %v.x, 1; mov.b32 %r1, w2.y; vadd.s32.u32.u32 %r1, %r2.b3, %r3.h1, %r1; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 0)), "%v.x>, 1");
  EXPECT_TRUE(ir::isPartial(parsed.instruction("f", 0), parsed.instruction("f", 0).operands()[0]));
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 1)), "%r1>, w2.y<");
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 2)), "%r1>, %r2.b3<, %r3.h1<, %r1<");
}

TEST(OperandsTest, MnemonicsInSeveralWords) {
  const Parsed parsed =
      parseBody("ld .global /*x*/ .u32 %r1, [%rd1];\nld\n.weak .global.u32 %r1, [g];");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.instruction("f", 0).desc->mnemonic, "ld.global.u32");
  EXPECT_EQ(parsed.instruction("f", 1).desc->mnemonic, "ld.weak.global.u32");
  EXPECT_EQ(parsed.messages(), "");
}

}  // namespace
}  // namespace ptxopt::parse
