// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocation of tensor memory, and the fragments of tcgen05.ld and tcgen05.st.  The reference
// goes the other way than the implementation: from the words of the manual's figures, in lanes and
// columns, to the thread and the register that hold them.
#include "interp/tensor_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ptxopt::interp {
namespace {

struct Holder {
  std::uint32_t thread = 0;
  std::uint32_t reg = 0;
};

// Of the element in a lane and a column of 32 bits (of 16 bits in pairs, if packed).
Holder holderOf(const TensorFragment& fragment, std::uint32_t lane, std::uint32_t column) {
  switch (fragment.shape) {
    case FragmentShape::Lanes32x32:
      return {lane, column};
    case FragmentShape::Lanes16x32x2:
      return {lane, column};  // threads 16 to 31: see below
    case FragmentShape::Lanes16x64: {
      // Lanes 0 to 7 have even threads, lanes 8 to 15 the odd ones next to them.
      std::uint32_t thread = lane < 8 ? 4 * lane : 4 * (lane - 8) + 1;
      if (column % 2 == 1) thread += 2;
      return {thread, column / 2};
    }
    case FragmentShape::Lanes16x128:
      return {4 * (lane & 7) + (column & 3), 2 * (column / 4) + (lane >> 3)};
    case FragmentShape::Lanes16x256: {
      const std::uint32_t pair = column % 8 / 2;
      return {4 * (lane & 7) + pair, 4 * (column / 8) + 2 * (lane >> 3) + (column & 1)};
    }
  }
  return {};
}

std::uint32_t bitsOfShape(FragmentShape shape) {
  switch (shape) {
    case FragmentShape::Lanes16x64:
      return 64;
    case FragmentShape::Lanes16x128:
      return 128;
    case FragmentShape::Lanes16x256:
      return 256;
    default:
      return 32;
  }
}

void checkFragment(const TensorFragment& fragment) {
  const bool isHalves = fragment.shape == FragmentShape::Lanes16x32x2;
  const std::uint32_t lanes = fragment.shape == FragmentShape::Lanes32x32 ? 32 : 16;
  const std::uint32_t columns = bitsOfShape(fragment.shape) / 32 * fragment.repetitions;
  const std::uint32_t scale = fragment.isPacked ? 2 : 1;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint32_t half = 0; half < (isHalves ? 2u : 1u); ++half) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      for (std::uint32_t column = 0; column < columns; ++column) {
        Holder holder = holderOf(fragment, lane, column);
        holder.thread += 16 * half;
        const TensorWord expected{lane, column * scale + half * fragment.split};
        EXPECT_EQ(fragment.wordOf(holder.thread, holder.reg), expected)
            << "shape " << static_cast<int>(fragment.shape) << " thread " << holder.thread
            << " register " << holder.reg;
        seen.insert({holder.thread, holder.reg});
      }
    }
  }
  EXPECT_EQ(seen.size(), std::size_t{32} * fragment.registers());
}

TEST(TensorMemory, FragmentsAreThoseOfTheFigures) {
  for (const FragmentShape shape :
       {FragmentShape::Lanes32x32, FragmentShape::Lanes16x64, FragmentShape::Lanes16x128,
        FragmentShape::Lanes16x256, FragmentShape::Lanes16x32x2}) {
    for (std::uint32_t repetitions = 1; repetitions <= 128; repetitions *= 2) {
      for (const bool isPacked : {false, true}) {
        TensorFragment fragment{shape, repetitions, 0, isPacked};
        if (shape == FragmentShape::Lanes16x32x2) fragment.split = 5 + repetitions;
        checkFragment(fragment);
      }
    }
  }
}

TEST(TensorMemory, Addresses) {
  EXPECT_EQ(TensorWord::at(0x00600123), (TensorWord{96, 0x123}));
  EXPECT_EQ((TensorWord{96, 0x123}.address()), 0x00600123u);
  TensorMemory memory(nullptr);
  memory.write({127, 511}, 7);
  memory.write({0, 0}, 9);
  EXPECT_EQ(memory.read({127, 511}), 7u);
  EXPECT_EQ(memory.read({0, 0}), 9u);
}

TEST(TensorMemory, SizesOfAllocations) {
  std::set<std::uint32_t> sizes;
  std::set<std::uint32_t> exclusive;
  for (std::uint32_t k = 0; k <= 1024; ++k) {
    if (TensorMemory::isSize(k, false)) sizes.insert(k);
    if (TensorMemory::isSize(k, true)) exclusive.insert(k);
  }
  EXPECT_EQ(sizes, (std::set<std::uint32_t>{32, 64, 128, 256, 512}));
  EXPECT_EQ(exclusive.size(), 16u);
  for (std::uint32_t k = 32; k <= 512; k += 32) EXPECT_EQ(exclusive.count(k), 1u);
}

// Against a plain set of columns.
TEST(TensorMemory, RandomAllocations) {
  std::mt19937 random(1);
  TensorMemory memory(nullptr);
  std::map<std::uint32_t, std::uint32_t> allocations;
  std::set<std::uint32_t> used;
  bool isAlone = false;
  for (int step = 0; step < 4000; ++step) {
    const bool isExclusive = random() % 8 == 0;
    const auto columns =
        static_cast<std::uint32_t>(isExclusive ? 32 + 32 * (random() % 16) : 32u << random() % 5);
    if (random() % 2 == 0) {
      const auto first = memory.findRoom(columns, isExclusive);
      if (!first) {
        if (isAlone || (isExclusive && !used.empty())) continue;
        EXPECT_FALSE(isExclusive);
        for (std::uint32_t at = 0; at < 512; at += columns) {
          EXPECT_NE(used.lower_bound(at), used.lower_bound(at + columns));
        }
        continue;
      }
      EXPECT_FALSE(isAlone);
      EXPECT_TRUE(!isExclusive || used.empty());
      for (std::uint32_t k = *first; k < *first + columns; ++k) {
        EXPECT_TRUE(used.insert(k).second);
      }
      memory.allocate(*first, columns, isExclusive);
      allocations[*first] = columns;
      isAlone = isExclusive;
    } else if (!allocations.empty()) {
      const auto [first, size] = *allocations.begin();
      EXPECT_FALSE(memory.free(first, size == 512 ? 256 : 2 * size, isAlone));
      EXPECT_FALSE(memory.free(first + 1, size, isAlone));
      EXPECT_FALSE(memory.free(first, size, !isAlone));
      EXPECT_TRUE(memory.free(first, size, isAlone));
      for (std::uint32_t k = first; k < first + size; ++k) used.erase(k);
      allocations.erase(allocations.begin());
      isAlone = false;
    }
    for (std::uint32_t k = 0; k < 512; k += 16) {
      EXPECT_EQ(memory.isAllocated(k), used.count(k) != 0);
    }
    EXPECT_EQ(memory.hasAllocations(), !used.empty());
  }
}

// The order of all numbers, -0 below 0: bits of a float as an integer that grows with it.
std::int64_t rankOf(std::uint32_t bits) {
  const auto magnitude = static_cast<std::int64_t>(bits & 0x7fffffff);
  return (bits >> 31) != 0 ? -magnitude - 1 : magnitude;
}
bool isNaN(std::uint32_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000;
}

// Against a sorted list of what is left without NaN.
std::uint32_t reduceReference(const TensorReduction& reduction, std::vector<std::uint32_t> words) {
  using Type = TensorReduction::Type;
  if (reduction.type == Type::F32) {
    if (reduction.isAbsolute) {
      for (std::uint32_t& word : words) word &= 0x7fffffff;
    }
    const auto removed = std::erase_if(words, isNaN);
    if (words.empty() || (removed != 0 && reduction.propagatesNaN)) return 0x7fffffff;
  }
  std::sort(words.begin(), words.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (reduction.type == Type::U32) return a < b;
    if (reduction.type == Type::S32) return (a ^ 0x80000000) < (b ^ 0x80000000);
    return rankOf(a) < rankOf(b);
  });
  return reduction.isMaximum ? words.back() : words.front();
}

TEST(TensorMemory, RandomReductions) {
  std::mt19937 random(2);
  constexpr std::uint32_t kOdd[] = {0, 0x80000000, 0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000};
  for (int k = 0; k < 20000; ++k) {
    TensorReduction reduction;
    reduction.type = static_cast<TensorReduction::Type>(random() % 3);
    reduction.isMaximum = random() % 2 != 0;
    const bool isReal = reduction.type == TensorReduction::Type::F32;
    reduction.isAbsolute = isReal && random() % 2 != 0;
    reduction.propagatesNaN = isReal && random() % 2 != 0;
    std::vector<std::uint32_t> words(std::size_t{2} << random() % 7);
    const bool isOdd = random() % 4 == 0;
    for (std::uint32_t& word : words) {
      word =
          isOdd || random() % 64 == 0 ? kOdd[random() % 6] : static_cast<std::uint32_t>(random());
    }
    EXPECT_EQ(reduction.of(words), reduceReference(reduction, words)) << "case " << k;
  }
}

}  // namespace
}  // namespace ptxopt::interp
