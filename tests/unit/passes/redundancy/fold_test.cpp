// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/fold.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace ptxopt::passes {
namespace {

constexpr std::uint32_t kMinusOne = 0xffffffffu;

class Fold : public testing::Test {
 protected:
  const isa::InstructionDesc& desc(std::string_view mnemonic, std::size_t sources) {
    isa::Shape shape;
    for (std::size_t k = 0; k <= sources; ++k) shape.push(isa::OperandShape::Scalar);
    const isa::InstructionDesc& found = forms_.get(mnemonic, shape);
    EXPECT_TRUE(found.known()) << mnemonic;
    return found;
  }
  std::optional<std::uint64_t> fold(std::string_view mnemonic, std::vector<std::uint64_t> sources) {
    return folded(desc(mnemonic, sources.size()), sources);
  }

  isa::InstructionTable forms_;
};

TEST_F(Fold, WrapsAtTheWidth) {
  EXPECT_EQ(fold("add.u32", {kMinusOne, 2}), 1u);
  EXPECT_EQ(fold("add.s64", {kMinusOne, 2}), 0x100000001u);
  EXPECT_EQ(fold("sub.u16", {1, 2}), 0xffffu);
  EXPECT_EQ(fold("mul.lo.s32", {0x10001, 0x10001}), 0x20001u);
  EXPECT_EQ(fold("mad.lo.u32", {3, 5, kMinusOne}), 14u);
  EXPECT_EQ(fold("neg.s32", {1}), kMinusOne);
  EXPECT_EQ(fold("not.b16", {0}), 0xffffu);
}

TEST_F(Fold, ShiftsClampAtTheWidth) {
  EXPECT_EQ(fold("shl.b32", {1, 31}), 0x80000000u);
  EXPECT_EQ(fold("shl.b32", {1, 32}), 0u);
  EXPECT_EQ(fold("shl.b64", {1, 40}), std::uint64_t{1} << 40);
  EXPECT_EQ(fold("shr.u32", {0x80000000u, 40}), 0u);
  EXPECT_EQ(fold("shr.s32", {0x80000000u, 40}), kMinusOne);
  EXPECT_EQ(fold("shr.s32", {0x80000000u, 4}), 0xf8000000u);
  // Amounts have 32 bits: this one is large, not -1.
  EXPECT_EQ(fold("shr.u64", {5, kMinusOne}), 0u);
}

TEST_F(Fold, ComparesWithTheSignOfTheType) {
  EXPECT_EQ(fold("min.u32", {kMinusOne, 5}), 5u);
  EXPECT_EQ(fold("min.s32", {kMinusOne, 5}), kMinusOne);
  EXPECT_EQ(fold("max.s32", {kMinusOne, 5}), 5u);
}

TEST_F(Fold, LeavesTheRestAlone) {
  EXPECT_FALSE(fold("add.f32", {1, 2}));
  EXPECT_FALSE(fold("add.sat.s32", {1, 2}));
  EXPECT_FALSE(fold("div.u32", {1, 0}));
  EXPECT_FALSE(fold("mul.hi.u32", {1, 2}));
  EXPECT_FALSE(fold("mul.wide.u32", {1, 2}));
  EXPECT_FALSE(fold("add.f16x2", {1, 2}));
}

TEST_F(Fold, Identities) {
  EXPECT_EQ(identity(desc("add.u32", 2), 1, 0), 0u);
  EXPECT_EQ(identity(desc("add.u32", 2), 0, 0), 1u);
  EXPECT_EQ(identity(desc("sub.u32", 2), 1, 0), 0u);
  EXPECT_FALSE(identity(desc("sub.u32", 2), 0, 0));
  EXPECT_EQ(identity(desc("and.b32", 2), 1, kMinusOne), 0u);
  EXPECT_FALSE(identity(desc("and.b64", 2), 1, kMinusOne));
  EXPECT_FALSE(identity(desc("shl.b32", 2), 0, 0));
  EXPECT_EQ(identity(desc("max.u32", 2), 1, 0), 0u);
  EXPECT_FALSE(identity(desc("max.s32", 2), 1, 0));
  EXPECT_EQ(identity(desc("max.s32", 2), 1, 0x80000000), 0u);
  EXPECT_EQ(identity(desc("min.s16", 2), 0, 0x7fff), 1u);
  EXPECT_FALSE(identity(desc("min.u16", 2), 0, 0x7fff));
  EXPECT_FALSE(identity(desc("add.f32", 2), 1, 0));  // -0 + 0 is +0
  EXPECT_FALSE(identity(desc("max.f32", 2), 1, 0));
}

TEST_F(Fold, Absorbing) {
  EXPECT_EQ(absorbed(desc("mul.lo.u32", 2), 1, 0), 0u);
  EXPECT_EQ(absorbed(desc("or.b16", 2), 0, 0xffff), 0xffffu);
  EXPECT_FALSE(absorbed(desc("or.b32", 2), 0, 0xffff));
  EXPECT_EQ(absorbed(desc("min.u32", 2), 1, 0), 0u);
  EXPECT_FALSE(absorbed(desc("min.s32", 2), 1, 0));
  EXPECT_EQ(absorbed(desc("max.s64", 2), 1, 0x7fffffffffffffff), 0x7fffffffffffffffu);
  EXPECT_FALSE(absorbed(desc("mul.f32", 2), 1, 0));  // NaN * 0 is NaN
}

TEST_F(Fold, ShiftsByAll) {
  EXPECT_EQ(absorbed(desc("shl.b32", 2), 1, 32), 0u);
  EXPECT_FALSE(absorbed(desc("shl.b32", 2), 1, 31));
  EXPECT_FALSE(absorbed(desc("shl.b64", 2), 1, 32));
  EXPECT_EQ(absorbed(desc("shr.u16", 2), 1, kMinusOne), 0u);  // amounts are unsigned
  EXPECT_FALSE(absorbed(desc("shr.s32", 2), 1, 32));
  EXPECT_EQ(absorbed(desc("shr.s32", 2), 0, 0), 0u);
  EXPECT_FALSE(absorbed(desc("shl.b32", 2), 0, 1));
}

}  // namespace
}  // namespace ptxopt::passes
