// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocation of tensor memory, and the fragments of tcgen05.ld and tcgen05.st.  The reference
// goes the other way than the implementation: from the words of the manual's figures, in lanes and
// columns, to the thread and the register that hold them.
#include "interp/tensor_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

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
  for (std::uint32_t k = 0; k <= 1024; ++k) {
    if (TensorMemory::isSize(k)) sizes.insert(k);
  }
  EXPECT_EQ(sizes, (std::set<std::uint32_t>{32, 64, 128, 256, 512}));
}

// Against a plain set of columns.
TEST(TensorMemory, RandomAllocations) {
  std::mt19937 random(1);
  TensorMemory memory(nullptr);
  std::map<std::uint32_t, std::uint32_t> allocations;
  std::set<std::uint32_t> used;
  for (int step = 0; step < 2000; ++step) {
    const std::uint32_t columns = 32u << random() % 5;
    if (random() % 2 == 0) {
      const auto first = memory.findRoom(columns);
      if (!first) {
        for (std::uint32_t at = 0; at < 512; at += columns) {
          EXPECT_NE(used.lower_bound(at), used.lower_bound(at + columns));
        }
        continue;
      }
      for (std::uint32_t k = *first; k < *first + columns; ++k) {
        EXPECT_TRUE(used.insert(k).second);
      }
      memory.allocate(*first, columns);
      allocations[*first] = columns;
    } else if (!allocations.empty()) {
      const auto [first, size] = *allocations.begin();
      EXPECT_FALSE(memory.free(first, size == 512 ? 256 : 2 * size));
      EXPECT_FALSE(memory.free(first + 1, size));
      EXPECT_TRUE(memory.free(first, size));
      for (std::uint32_t k = first; k < first + size; ++k) used.erase(k);
      allocations.erase(allocations.begin());
    }
    for (std::uint32_t k = 0; k < 512; k += 16) {
      EXPECT_EQ(memory.isAllocated(k), used.count(k) != 0);
    }
    EXPECT_EQ(memory.hasAllocations(), !used.empty());
  }
}

}  // namespace
}  // namespace ptxopt::interp
