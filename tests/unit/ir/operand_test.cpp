// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as operands: docs/soundness/ A5.8.  What is expected was read out of the machine code
// that ptxas makes.
#include "ir/operand.h"

#include <gtest/gtest.h>

namespace ptxopt::ir {
namespace {

using isa::Type;
constexpr std::optional<std::uint64_t> kRefused = std::nullopt;

std::optional<std::uint64_t> integer(std::int64_t value, Type type) {
  return bitsOf(Operand::ofInteger(value), type);
}
std::optional<std::uint64_t> floating(OperandKind kind, std::uint64_t bits, Type type) {
  Operand number;
  number.kind = kind;
  number.immediate = static_cast<std::int64_t>(bits);
  return bitsOf(number, type);
}
// 0fXXXXXXXX
std::optional<std::uint64_t> single(std::uint32_t bits, Type type) {
  return floating(OperandKind::Float32, bits, type);
}
// 0dXXXXXXXXXXXXXXXX, and any decimal
std::optional<std::uint64_t> real(std::uint64_t bits, Type type) {
  return floating(OperandKind::Float64, bits, type);
}

TEST(BitsOf, IntegersKeepTheirLowBits) {
  EXPECT_EQ(integer(70000, Type::U16), 4464u);
  EXPECT_EQ(integer(-1, Type::B16), 0xffffu);
  EXPECT_EQ(integer(300, Type::S8), 44u);
  EXPECT_EQ(integer(0x1ffffffff, Type::U32), 0xffffffffu);
  EXPECT_EQ(integer(-1, Type::S64), ~std::uint64_t{0});
  EXPECT_EQ(integer(-1, Type::B128), ~std::uint64_t{0});
}

TEST(BitsOf, AnyNumberButZeroIsTrue) {
  EXPECT_EQ(integer(0, Type::Pred), 0u);
  EXPECT_EQ(integer(2, Type::Pred), 1u);
  EXPECT_EQ(integer(std::int64_t{1} << 32, Type::Pred), 1u);
  Operand number = Operand::ofInteger(2);
  number.negated = true;
  EXPECT_EQ(bitsOf(number, Type::Pred), 0u);
}

TEST(BitsOf, SinglesAreNotConvertedToDoubles) {
  EXPECT_EQ(single(0x3f800000, Type::F32), 0x3f800000u);
  EXPECT_EQ(single(0x3f800000, Type::B32), 0x3f800000u);
  EXPECT_EQ(single(0x3f800000, Type::F64), 0x3f800000u);
  EXPECT_EQ(single(0x3f800000, Type::B64), 0x3f800000u);
  EXPECT_EQ(single(0x7f800001, Type::F32), 0x7f800001u);
}

TEST(BitsOf, DoublesAreRoundedToSingles) {
  EXPECT_EQ(real(0x3ff0000000000000, Type::F64), 0x3ff0000000000000u);
  EXPECT_EQ(real(0x3ff0000000000000, Type::B64), 0x3ff0000000000000u);
  EXPECT_EQ(real(0x3ff0000000000000, Type::F32), 0x3f800000u);
  EXPECT_EQ(real(0x3ff0000000000000, Type::B32), 0x3f800000u);
  EXPECT_EQ(real(0x3ff0000010000000, Type::F32), 0x3f800000u);  // to even
  EXPECT_EQ(real(0x3ff0000010000001, Type::F32), 0x3f800001u);
  EXPECT_EQ(real(0x3ff0000030000000, Type::F32), 0x3f800002u);
  EXPECT_EQ(real(0x36a0000000000001, Type::F32), 1u);  // the smallest single
  EXPECT_EQ(real(0x48078287f49c4a1d, Type::F32), 0x7f800000u);
  EXPECT_EQ(real(0x7ff0000000000001, Type::F32), 0x7fc00000u);
  EXPECT_EQ(real(0xfff4000000000001, Type::F32), 0xffe00000u);
}

TEST(BitsOf, WhatPtxasRefuses) {
  for (const Type type : {Type::U32, Type::S64, Type::B16, Type::U8, Type::F16, Type::F16x2,
                          Type::BF16, Type::Pred, Type::B128}) {
    EXPECT_EQ(single(0x3f800000, type), kRefused);
    EXPECT_EQ(real(0x3ff0000000000000, type), kRefused);
  }
  for (const Type type : {Type::F32, Type::F64, Type::F16, Type::F16x2, Type::BF16}) {
    EXPECT_EQ(integer(1, type), kRefused);
  }
  EXPECT_EQ(bitsOf(Operand::ofSymbol(SymbolId{0}), Type::U32), kRefused);
}

}  // namespace
}  // namespace ptxopt::ir
