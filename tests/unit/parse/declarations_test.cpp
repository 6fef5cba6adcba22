// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers, variables, their attributes and their initial values.
#include <gtest/gtest.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

const ir::Variable& variable(const Parsed& parsed, std::string_view name) {
  for (std::uint32_t k = 0; k < parsed.module->symbolCount(); ++k) {
    const ir::Symbol& symbol = parsed.module->symbolAt(ir::SymbolId{k});
    if (symbol.kind == ir::SymbolKind::Variable && parsed.module->text(symbol.name) == name) {
      return *symbol.variable;
    }
  }
  throw std::runtime_error("no variable " + std::string(name));
}

// The bytes of the initial value of `x`, in hexadecimal, or its opaque text.
std::string bytesOf(std::string_view declaration) {
  const Parsed parsed = parseModule(declaration);
  if (parsed.module == nullptr) return parsed.messages();
  const ir::Variable& x = variable(parsed, "x");
  if (x.initializer == nullptr) return "none";
  if (!x.initializer->opaque.empty()) return "opaque " + std::string(x.initializer->opaque);
  std::string text;
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const std::uint8_t byte : x.initializer->bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

// "offset:size:symbol+addend" of each relocation of `x`, `g` for generic, and the mask.
std::string relocationsOf(std::string_view declaration) {
  const Parsed parsed = parseModule(declaration);
  if (parsed.module == nullptr) return parsed.messages();
  std::string text;
  for (const ir::Relocation& r : variable(parsed, "x").initializer->relocations) {
    text += std::to_string(r.offset) + ":" + std::to_string(r.size) + ":" +
            std::string(parsed.module->text(parsed.module->symbolAt(r.symbol).name)) + "+" +
            std::to_string(r.addend) + (r.generic ? "g" : "") +
            (r.mask != 0 ? "&" + std::to_string(r.mask) : "") + " ";
  }
  return text;
}

TEST(DeclarationsTest, Registers) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 %r<5>, x; .reg .v4 .f32 v; .reg .pred p<2>; .reg .e9m9 odd; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  ASSERT_EQ(function.registers().size(), 5u);
  EXPECT_EQ(function.registerCount(), 10u);
  EXPECT_EQ(function.registerName(ir::RegisterId{4}), "%r4");
  EXPECT_EQ(function.registerName(ir::RegisterId{5}), "x");
  EXPECT_EQ(function.registers()[2].vectorWidth, 4);
  EXPECT_EQ(function.registers()[3].type, isa::Type::Pred);
  EXPECT_EQ(function.registers()[4].type, isa::Type::Other);
  EXPECT_EQ(parsed.module->text(function.registers()[4].typeName), ".e9m9");
  EXPECT_EQ(parsed.messages(), "4:78: warning: unknown type '.e9m9'\n");
}

TEST(DeclarationsTest, Variables) {
  const Parsed parsed = parseModule(
      ".visible .global .align 16 .b8 a[4][3], b;\n.extern .shared .align 4 .b8 c[];\n"
      ".const .v2 .f32 d[2];\n.common .global .u64 e;\n"
      ".global .attribute(.managed) .align 8 .u32 h;\n.global .texref t;\n.weak .global .b32 "
      "w<3>;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Variable& a = variable(parsed, "a");
  EXPECT_EQ(a.size, 12u);
  EXPECT_EQ(a.alignment, 16u);
  EXPECT_EQ(a.space, isa::Space::Global);
  EXPECT_EQ(a.linkage, ir::Linkage::Visible);
  EXPECT_EQ(variable(parsed, "b").size, 1u);
  EXPECT_EQ(variable(parsed, "b").alignment, 16u);
  EXPECT_EQ(variable(parsed, "c").size, 0u);
  EXPECT_EQ(variable(parsed, "c").dimensions[0], -1);
  EXPECT_EQ(variable(parsed, "d").size, 16u);
  EXPECT_EQ(variable(parsed, "e").linkage, ir::Linkage::Common);
  EXPECT_EQ(variable(parsed, "h").attributes, ".attribute(.managed)");
  EXPECT_EQ(variable(parsed, "t").type, isa::Type::TexRef);
  EXPECT_EQ(variable(parsed, "w2").count, 3u);
  EXPECT_EQ(variable(parsed, "w2").linkage, ir::Linkage::Weak);
}

TEST(DeclarationsTest, ParameterAttributes) {
  const Parsed parsed = parseModule(
      ".entry k(.param .u64 .ptr .global .align 8 a, .hidden .param .align 64 .b8 b[128],\n"
      ".param .u64 .ptr c) { ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Function& function = parsed.function("k");
  ASSERT_EQ(function.parameters.size(), 3u);
  EXPECT_EQ(function.parameters[0]->attributes, ".ptr .global .align 8");
  EXPECT_EQ(function.parameters[0]->alignment, 0u);
  EXPECT_EQ(function.parameters[1]->attributes, ".hidden");
  EXPECT_EQ(function.parameters[1]->alignment, 64u);
  EXPECT_EQ(function.parameters[1]->size, 128u);
}

TEST(DeclarationsTest, ConstantBanksOfOldReleases) {
  const Parsed parsed = parseText(
      ".version 2.0\n.target sm_20\n.const[3] .u32 x[2];\n"
      ".entry k { .reg .u32 r; ld.const[3].u32 r, [x+4]; exit; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(variable(parsed, "x").constantBank, 3);
  EXPECT_EQ(variable(parsed, "x").space, isa::Space::Const);
}

TEST(DeclarationsTest, Integers) {
  EXPECT_EQ(bytesOf(".global .u32 x = 5;"), "05000000");
  EXPECT_EQ(bytesOf(".global .s8 x = -1;"), "ff");
  EXPECT_EQ(bytesOf(".global .s8 x = 0x1ff;"), "ff");
  EXPECT_EQ(bytesOf(".global .b64 x = 1 + 2*3;"), "0700000000000000");
  EXPECT_EQ(bytesOf(".global .b16 x[3] = {1, 0x203};"), "01000302");
  EXPECT_EQ(bytesOf(".global .b8 x[] = {1,2,3};"), "010203");
  EXPECT_EQ(bytesOf(".global .b32 x[2] = {};"), "");
  EXPECT_EQ(bytesOf(".global .b128 x = -2;"), "feffffffffffffff0000000000000000");
  EXPECT_EQ(variable(parseModule(".global .u16 x[] = {1,2,3};"), "x").size, 6u);
}

// docs/soundness/ A5.8, as in the data of what ptxas makes.
TEST(DeclarationsTest, NumbersOfAnotherType) {
  EXPECT_EQ(bytesOf(".global .f64 x = 0f3F800000;"), "0000803f00000000");
  EXPECT_EQ(bytesOf(".global .b64 x = 0f3F800000;"), "0000803f00000000");
  EXPECT_EQ(bytesOf(".global .b64 x = 1.0;"), "000000000000f03f");
  EXPECT_EQ(bytesOf(".global .b32 x = 1.0;"), "0000803f");
  EXPECT_EQ(bytesOf(".global .b32 x = 0d3FF0000000000000;"), "0000803f");
  EXPECT_EQ(bytesOf(".global .f32 x = 0d7FF4000000000001;"), "0000e07f");
  EXPECT_EQ(bytesOf(".global .f32 x = 1e39;"), "0000807f");
  EXPECT_EQ(bytesOf(".global .f64 x = -0d3FF0000000000000;"), "000000000000f0bf");
  EXPECT_EQ(bytesOf(".global .u8 x = 300;"), "2c");
  EXPECT_EQ(bytesOf(".global .u32 x = WARP_SZ;"), "20000000");
  for (const char* refused :
       {".f32 x = 1", ".u32 x = 1.0", ".u32 x = 0f3F800000", ".f16 x = 1.0"}) {
    EXPECT_TRUE(bytesOf(".global " + std::string(refused) + ";").starts_with("opaque")) << refused;
  }
}

TEST(DeclarationsTest, RowsAreNotPadded) {
  EXPECT_EQ(bytesOf(".global .b8 x[2][3] = {{1},{2,3}};"), "010203");
  EXPECT_EQ(bytesOf(".global .b8 x[2][2][2] = {{{1},{2}},{{3}}};"), "010203");
  EXPECT_EQ(bytesOf(".global .v2 .b8 x[2] = {{1,2},{3,4}};"), "01020304");
  EXPECT_EQ(variable(parseModule(".global .u16 x[][3] = {{1},{2}};"), "x").size, 12u);
  EXPECT_EQ(bytesOf(".global .b8 x[][3] = {{1},{2}};"), "010200000000");
  EXPECT_EQ(variable(parseModule(".global .v2 .u16 x[] = {{1,2},{3,4}};"), "x").size, 8u);
}

TEST(DeclarationsTest, Floats) {
  EXPECT_EQ(bytesOf(".global .f32 x[2] = {1.0, 0f40000000};"), "0000803f00000040");
  EXPECT_EQ(bytesOf(".global .f64 x[2] = {-1.5, 0d3ff0000000000000};"),
            "000000000000f8bf000000000000f03f");
  EXPECT_EQ(bytesOf(".global .b32 x = 0f3f800000;"), "0000803f");
}

TEST(DeclarationsTest, Addresses) {
  constexpr std::string_view kY = ".global .b32 y[4]; .func fn() { ret; }\n";
  const auto relocations = [&](std::string_view text) {
    return relocationsOf(std::string(kY) + std::string(text));
  };
  EXPECT_EQ(relocations(".global .u64 x = y;"), "0:8:y+0 ");
  EXPECT_EQ(relocations(".global .u64 x[3] = {1, generic(y)+4, fn};"), "8:8:y+4g 16:8:fn+0 ");
  EXPECT_EQ(relocations(".global .u64 x[2] = {y+4, y-4};"), "0:8:y+4 8:8:y+-4 ");
  EXPECT_EQ(relocations(".global .u8 x[3] = {0xff(y), 0xFF00(y+4), 255(generic(y)+8)};"),
            "0:1:y+0&255 1:1:y+4&65280 2:1:y+8g&255 ");
}

TEST(DeclarationsTest, WhatHasNoKnownValueIsKeptAsText) {
  EXPECT_EQ(bytesOf(".global .samplerref x = { addr_mode_0 = wrap, filter_mode = nearest };"),
            "opaque { addr_mode_0 = wrap, filter_mode = nearest }");
  EXPECT_EQ(bytesOf(".global .b16 x = 1.0;"), "opaque 1.0");
  const Parsed parsed = parseModule(".global .b32 y; .global .u64 x[2] = {y * 2, y};");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Initializer& value = *variable(parsed, "x").initializer;
  EXPECT_EQ(value.opaque, "{y * 2, y}");
  EXPECT_EQ(value.opaqueSymbols.size(), 2u);  // they escape
}

TEST(DeclarationsTest, ModuleRegistersOfOldReleasesMakeTheirUsersOpaque) {
  const Parsed parsed = parseText(
      ".version 1.4\n.target sm_13\n.reg .u32 shared<2>;\n.entry k { mov.u32 shared1, 5; exit; }\n"
      ".entry other { exit; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_TRUE(parsed.function("k").isOpaque);
  EXPECT_FALSE(parsed.function("other").isOpaque);
}

TEST(DeclarationsTest, LimitsAreErrors) {
  EXPECT_EQ(parseModule(".func f() { .reg .b32 %r<4000000000>; }").messages(),
            "4:23: error: more registers than a function can have\n");
  EXPECT_EQ(parseModule(".func f() { .reg .b32 %r<10000000>, %q<10000000>; }").messages(),
            "4:37: error: more registers than a function can have\n");
  EXPECT_EQ(parseModule(".func f() { .reg .b32 %r<16777216>, %q; }").messages(),
            "4:37: error: more registers than a function can have\n");
  EXPECT_EQ(parseModule(".func f() { .reg .b32 %r<16777215>, %q; }").messages(), "");
  EXPECT_EQ(parseModule(".global .align 99999999999 .b32 x;").messages(),
            "4:16: error: alignment out of range\n");
  EXPECT_EQ(parseModule(".shared .b32 v<99999999>;").messages(),
            "4:14: error: more variables than one name can have\n");
}

}  // namespace
}  // namespace ptxopt::parse
