// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deep and large input: neither a crash nor a time that grows faster than the text.
#include <gtest/gtest.h>
#include <time.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

TEST(LargeTest, NestedBlocks) {
  constexpr std::size_t kDeep = 1990;
  const Parsed parsed = parseModule(".func f() { .reg .b32 a; " + repeat("{", kDeep) +
                                    "mov.b32 a, 1;" + repeat("}", kDeep) + " ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "a>, 1");
}

TEST(LargeTest, NestedParentheses) {
  constexpr std::size_t kDeep = 990;  // each is an expression and a term
  const Parsed parsed =
      parseBody("mov.b32 %r1, " + repeat("(", kDeep) + "5" + repeat(")", kDeep) + ";");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "%r1>, 5");
}

TEST(LargeTest, TooDeepIsAnError) {
  for (const char* brackets : {"{}", "()", "[]"}) {
    const std::string text = std::string(1, brackets[0]);
    const std::string open = repeat(text, 100000);
    const Parsed block = parseModule(".func f() { " + open);
    EXPECT_EQ(block.module, nullptr);
    EXPECT_EQ(block.diagnostics.errorCount(), 1u);
    const Parsed operand = parseBody("mov.b32 %r1, " + open);
    EXPECT_EQ(operand.module, nullptr);
    ASSERT_EQ(operand.diagnostics.errorCount(), 1u);
    EXPECT_EQ(operand.diagnostics.all().back().message, "nested too deeply");
  }
  const Parsed initializer = parseModule(".global .b32 x = " + repeat("{", 100000));
  EXPECT_EQ(initializer.module, nullptr);
}

TEST(LargeTest, ManyPrefixes) {
  const Parsed parsed = parseBody("mov.b32 %r1, " + repeat("- ", 100000) + "5;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "%r1>, 5");
}

TEST(LargeTest, ALongExpression) {
  const Parsed parsed = parseBody("mov.b64 %rd1, 0" + repeat(" + 1", 100000) + ";");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "%rd1>, 100000");
}

TEST(LargeTest, MoreOperandsThanAnInstructionHas) {
  const Parsed parsed = parseBody("frob " + repeat("%r1, ", 70000) + "%r1;");
  EXPECT_EQ(parsed.module, nullptr);
  EXPECT_EQ(parsed.diagnostics.all().back().message, "more operands than an instruction can have");
}

TEST(LargeTest, AnErrorInALongStatement) {
  const Parsed parsed = parseModule(".global .b32 x[] = {" + repeat("1, ", 100000) + "};");
  EXPECT_EQ(parsed.module, nullptr);
  ASSERT_EQ(parsed.diagnostics.errorCount(), 1u);
  EXPECT_TRUE(parsed.diagnostics.all()[0].message.starts_with("unexpected '}'"));
}

TEST(LargeTest, AnInitializerOfMegabytes) {
  constexpr std::size_t kCount = 1000000;
  const Parsed parsed = parseModule(".global .b8 x[] = {" + repeat("255,", kCount - 1) + "7};");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Variable& x = *parsed.module->symbolAt(ir::SymbolId{0}).variable;
  ASSERT_EQ(x.initializer->bytes.size(), kCount);
  EXPECT_EQ(x.size, kCount);
  EXPECT_EQ(x.initializer->bytes[0], 255);
  EXPECT_EQ(x.initializer->bytes.back(), 7);
}

double secondsToParse(const std::string& text) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  const Parsed parsed = parseText(text);
  const double seconds = now() - begin;
  EXPECT_NE(parsed.module, nullptr) << parsed.messages();
  return seconds;
}

// Eight times the text takes about eight times as long; the margin is for a busy machine.
void expectLinear(const std::function<std::string(std::size_t)>& make, std::size_t size) {
  const double small = secondsToParse(make(size));
  const double large = secondsToParse(make(size * 8));
  EXPECT_LT(large, 40 * small + 0.05);
}

TEST(LargeTest, TimeIsLinear) {
  const std::string header(kHeader);
  expectLinear(  // a straight-line kernel
      [&](std::size_t n) {
        return header + ".func f() { .reg .b32 %r<9>;\n" + repeat("add.s32 %r1, %r2, %r3;\n", n) +
               "}";
      },
      5000);
  expectLinear(  // branches to labels of outer blocks, out of many inner ones
      [&](std::size_t n) {
        std::string text = header + ".func f() {\n";
        for (std::size_t k = 0; k < n; ++k) {
          const std::string label = "L" + std::to_string(k);
          text += "{ bra " + label + "; bra X; X: }\n" + label + ": bra END;\n";
        }
        return text + "END: ret; }";
      },
      1000);
  expectLinear(  // the same block label again and again, deep in blocks
      [&](std::size_t n) {
        return header + ".func f() {" + repeat("{", 1000) +
               repeat("{ @p bra W; W: bra OUT; }\n", n) + repeat("}", 1000) + "OUT: ret; }";
      },
      500);
  expectLinear(  // prototypes and variables
      [&](std::size_t n) {
        std::string text = header;
        for (std::size_t k = 0; k < n; ++k) {
          text += ".weak .global .align 4 .b32 name" + std::to_string(k) + " = 5;\n.func f" +
                  std::to_string(k) + "(.param .b32 a);\n";
        }
        return text;
      },
      1000);
}

}  // namespace
}  // namespace ptxopt::parse
