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

const std::vector<std::uint32_t> kSmall = {0, 1, 3, 4, 5};

std::vector<Types> typesOf(ProductKind kind) {
  switch (kind) {
    case ProductKind::F16:
      return {{0, {0}}, {1, {0, 1}}};
    case ProductKind::TF32:
      return {{1, {2}}};
    case ProductKind::I8:
      return {{2, {0, 1}}};
    case ProductKind::F8F6F4:
      return {{0, kSmall}, {1, kSmall}};
    case ProductKind::MXF8F6F4:
      return {{0, kSmall}};
    default:
      return {{0, {1}}};
  }
}

bool isScaled(const ProductContext& c) {
  return c.scales != 0;
}

std::vector<std::uint32_t> rowsOf(const ProductContext& c) {
  if (c.isWeightStationary) return {32, 64, 128};
  if (isScaled(c) && c.ctas == 1) return {128};
  if (isScaled(c) && c.isSparse) return {256};
  return c.ctas == 1 ? std::vector<std::uint32_t>{64, 128} : std::vector<std::uint32_t>{128, 256};
}

std::vector<std::uint32_t> columnsOf(const ProductContext& c, bool isTransposed) {
  if (c.isWeightStationary && c.isSparse) return {64, 128};
  if (c.isWeightStationary) return {64, 128, 256};
  const bool isInteger = c.kind == ProductKind::I8;
  const bool isWide = c.kind == ProductKind::F16 || c.kind == ProductKind::TF32;
  std::vector<std::uint32_t> all;
  std::uint32_t step = c.ctas == 1 ? 8 : 16;
  if ((isTransposed && !isWide) || (isInteger && c.ctas == 2)) step *= 2;
  for (std::uint32_t n = step; n <= 256; n += step) {
    if (isInteger && n > 32 && n % 16 != 0) continue;
    all.push_back(n);
  }
  return all;
}

// Without the flags that are free: those are in freeBits().
Set validOf(const ProductContext& c) {
  const bool isPacked = c.kind == ProductKind::MXF4 || c.kind == ProductKind::MXF4NVF4;
  Set all;
  for (const Types& types : typesOf(c.kind)) {
    for (const std::uint32_t a : types.sources) {
      for (const std::uint32_t b : types.sources) {
        for (const std::uint32_t m : rowsOf(c)) {
          for (const std::uint32_t transposed : {0u, 1u}) {
            if (isPacked && transposed != 0) continue;
            for (const std::uint32_t n : columnsOf(c, transposed != 0)) {
              std::uint32_t bits = a * 128 + b * 1024 + transposed * 65536 + n / 8 * 131072;
              if (c.isSparse) bits += 4;
              bits += isScaled(c) ? m / 128 * 134217728 : types.d * 16 + m / 16 * 16777216;
              if (isScaled(c) && c.scales != 4) bits += 8388608;  // UE8M0
              all.insert(bits);
            }
          }
        }
      }
    }
  }
  return all;
}

std::uint32_t freeBits(const ProductContext& c) {
  if (c.kind == ProductKind::MXF8F6F4) return 0x6000e030;  // transposition of A, both IDs
  if (isScaled(c)) return c.scales == 4 ? 0x00806000 : 0x40006020;
  std::uint32_t bits = 0x8003;  // sparsity selector, transposition of A
  bits |= c.kind == ProductKind::I8 ? 0x8 : 0x6000;
  if (c.isWeightStationary) bits |= 0xc0000000;
  return bits;
}

std::vector<ProductContext> contexts() {
  std::vector<ProductContext> all;
  const auto add = [&](ProductKind kind, bool isWeightStationary, int scales) {
    for (const bool isSparse : {false, true}) {
      for (const int ctas : {1, 2}) {
        if (isWeightStationary && ctas == 2) continue;
        all.push_back({kind, isSparse, isWeightStationary, ctas, scales});
      }
    }
  };
  for (const bool isWeightStationary : {false, true}) {
    for (int k = 0; k < 4; ++k) add(static_cast<ProductKind>(k), isWeightStationary, 0);
  }
  add(ProductKind::MXF8F6F4, false, 1);
  add(ProductKind::MXF4, false, 2);
  add(ProductKind::MXF4NVF4, false, 2);
  add(ProductKind::MXF4NVF4, false, 4);
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
  EXPECT_EQ(descriptor.a, Element::F16);
  EXPECT_EQ(descriptor.d, Element::F32);
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
