// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction descriptors of tcgen05.mma.  The reference lists, from the manual's tables, every
// valid descriptor of a context; all others that differ from one of them in a bit are invalid.
#include "interp/tensor_product.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ptxopt::interp {
namespace {

using Set = std::set<std::uint32_t>;

struct Types {
  std::uint32_t d;
  std::vector<std::uint32_t> sources;
};

std::vector<Types> typesOf(ProductKind kind) {
  switch (kind) {
    case ProductKind::F16:
      return {{0, {0}}, {1, {0, 1}}};
    case ProductKind::TF32:
      return {{1, {2}}};
    case ProductKind::I8:
      return {{2, {0, 1}}};
    default:
      return {{0, {0, 1, 3, 4, 5}}, {1, {0, 1, 3, 4, 5}}};
  }
}

std::vector<std::uint32_t> rowsOf(const ProductContext& c) {
  if (c.isWeightStationary) return {32, 64, 128};
  return c.ctas == 1 ? std::vector<std::uint32_t>{64, 128} : std::vector<std::uint32_t>{128, 256};
}

std::vector<std::uint32_t> columnsOf(const ProductContext& c) {
  if (c.isWeightStationary && c.isSparse) return {64, 128};
  if (c.isWeightStationary) return {64, 128, 256};
  std::vector<std::uint32_t> all;
  const std::uint32_t step = c.ctas == 1 ? 8 : 16;
  for (std::uint32_t n = step; n <= 256; n += step) all.push_back(n);
  return all;
}

// Without the flags that are free: those are in freeBits().
Set validOf(const ProductContext& c) {
  Set all;
  for (const Types& types : typesOf(c.kind)) {
    for (const std::uint32_t a : types.sources) {
      for (const std::uint32_t b : types.sources) {
        for (const std::uint32_t m : rowsOf(c)) {
          for (const std::uint32_t n : columnsOf(c)) {
            all.insert(types.d * 16 + a * 128 + b * 1024 + n / 8 * 131072 + m / 16 * 16777216 +
                       (c.isSparse ? 4 : 0));
          }
        }
      }
    }
  }
  return all;
}

std::uint32_t freeBits(const ProductContext& c) {
  std::uint32_t bits = 0x18003;  // sparsity selector, transpositions
  bits |= c.kind == ProductKind::I8 ? 0x8 : 0x6000;
  if (c.isWeightStationary) bits |= 0xc0000000;
  return bits;
}

std::vector<ProductContext> contexts() {
  std::vector<ProductContext> all;
  for (int k = 0; k < 4; ++k) {
    for (const bool isSparse : {false, true}) {
      all.push_back({static_cast<ProductKind>(k), isSparse, false, 1});
      all.push_back({static_cast<ProductKind>(k), isSparse, false, 2});
      all.push_back({static_cast<ProductKind>(k), isSparse, true, 1});
    }
  }
  return all;
}

TEST(TensorProduct, EachBitFlippedIsValidIfTheManualListsIt) {
  for (const ProductContext& context : contexts()) {
    const Set valid = validOf(context);
    const std::uint32_t free = freeBits(context);
    for (const std::uint32_t bits : valid) {
      ASSERT_EQ(decodeInstruction(bits | free, context).index(), 0u) << std::hex << bits;
      for (int bit = 0; bit < 32; ++bit) {
        const std::uint32_t other = bits ^ 1u << bit;
        const bool isValid = valid.contains(other & ~free);
        ASSERT_EQ(decodeInstruction(other, context).index(), isValid ? 0u : 1u)
            << std::hex << other;
      }
    }
  }
}

TEST(TensorProduct, FieldsOfOneThatTritonEmits) {
  // M 128, N 64, f16 operands, f32 result, B transposed.
  const auto result = decodeInstruction(0x08110010, {ProductKind::F16, false, false, 1});
  ASSERT_EQ(result.index(), 0u);
  const auto& descriptor = std::get<0>(result);
  EXPECT_EQ(descriptor.m, 128);
  EXPECT_EQ(descriptor.n, 64);
  EXPECT_EQ(descriptor.k, 16);
  EXPECT_EQ(descriptor.a, ProductElement::F16);
  EXPECT_EQ(descriptor.d, ProductElement::F32);
  EXPECT_TRUE(descriptor.isBTransposed);
  EXPECT_FALSE(descriptor.isATransposed);
  EXPECT_FALSE(descriptor.negatesA || descriptor.negatesB || descriptor.saturates);
}

TEST(TensorProduct, DepthIs32BytesOrTwiceAsMany) {
  const std::pair<ProductKind, int> depths[] = {{ProductKind::F16, 16},
                                                {ProductKind::TF32, 8},
                                                {ProductKind::F8F6F4, 32},
                                                {ProductKind::I8, 32}};
  for (const auto& [kind, depth] : depths) {
    for (const bool isSparse : {false, true}) {
      const ProductContext context{kind, isSparse, false, 1};
      const auto result = decodeInstruction(*validOf(context).begin(), context);
      ASSERT_EQ(result.index(), 0u);
      EXPECT_EQ(std::get<0>(result).k, isSparse ? 2 * depth : depth);
    }
  }
}

}  // namespace
}  // namespace ptxopt::interp
