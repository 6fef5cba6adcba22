// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/async_protocol.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ptxopt::analysis {
namespace {

constexpr std::array<AccessKinds, 5> kOperations = {
    kMbarrierWait, kMbarrierArrive, kMbarrierArriveExpect, kMbarrierExpect, kMbarrierCopy};

// A row for each operation above, but the copy, and a column for each below.
std::array<std::string, 4> table(const AsyncProtocol& protocol) {
  std::array<std::string, 4> rows;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (const AccessKinds below : kOperations) {
      rows[a] += mbarrierConflict(kOperations[a], below, protocol) ? 'x' : '.';
    }
  }
  return rows;
}

// docs/soundness/ G4.2, where nothing is known of the phases.
TEST(MbarrierConflict, OfUnknownPhases) {
  const std::array<std::string, 4> expected = {".xxxx", "...xx", "...xx", ".xxxx"};
  EXPECT_EQ(table({}), expected);
  EXPECT_EQ(table({.hasOneArrival = true}), expected);
  EXPECT_EQ(table({.observesPhases = true, .separatesCopies = true}), expected);
}

// G4.3: the arrival may come after the copies that it expects.
TEST(MbarrierConflict, OfPhasesThatAreOpenUntilTheirCopiesAreDone) {
  const std::array<std::string, 4> expected = {".xxxx", "...xx", "...x.", ".xxxx"};
  EXPECT_EQ(table({.hasOneArrival = true, .observesPhases = true}), expected);
}

// G4.4: that arrival may also come before the wait of another thread.
TEST(MbarrierConflict, OfCopiesBehindABarrier) {
  const std::array<std::string, 4> expected = {".x.xx", "...xx", "...x.", ".xxxx"};
  EXPECT_EQ(table({.hasOneArrival = true, .observesPhases = true, .separatesCopies = true}),
            expected);
}

// G7.2, G7.3
TEST(TensorConflict, OfLanesAndProducts) {
  constexpr AccessKinds kLoad = kTensorLanes | kAsync | kRead;
  constexpr AccessKinds kStore = kTensorLanes | kAsync | kWrite;
  constexpr AccessKinds kProduct = kAsync | kRead | kWrite;
  const AsyncProtocol ownLanes{.hasOwnLanes = true};
  EXPECT_FALSE(tensorConflict(kStore, kLoad, ownLanes));
  EXPECT_FALSE(tensorConflict(kStore, kStore, ownLanes));
  EXPECT_TRUE(tensorConflict(kStore, kLoad, {}));
  EXPECT_FALSE(tensorConflict(kLoad, kLoad, {}));
  EXPECT_TRUE(tensorConflict(kStore, kProduct, ownLanes));
  EXPECT_TRUE(tensorConflict(kProduct, kLoad, ownLanes));
  EXPECT_TRUE(tensorConflict(kProduct, kProduct, ownLanes));
}

// G7.3
TEST(TensorConflict, OfAllocations) {
  constexpr AccessKinds kAllocation = kTensorAllocation | kAsync | kRead | kWrite;
  constexpr AccessKinds kPermit = kTensorAllocation;
  constexpr AccessKinds kStore = kTensorLanes | kAsync | kWrite;
  EXPECT_TRUE(tensorConflict(kAllocation, kAllocation, {}));
  EXPECT_TRUE(tensorConflict(kAllocation, kStore, {.hasOwnLanes = true}));
  EXPECT_TRUE(tensorConflict(kStore, kAllocation, {.hasOwnLanes = true}));
  EXPECT_TRUE(tensorConflict(kPermit, kAllocation, {}));
  EXPECT_TRUE(tensorConflict(kAllocation, kPermit, {}));
  EXPECT_FALSE(tensorConflict(kPermit, kStore, {}));
  EXPECT_FALSE(tensorConflict(kStore, kPermit, {}));
}

// G7.4
TEST(TensorConflict, OfTheTwoFences) {
  constexpr AccessKinds kStore = kTensorLanes | kAsync | kWrite;
  EXPECT_TRUE(tensorConflict(kTensorBefore, kTensorAfter, {}));
  EXPECT_FALSE(tensorConflict(kTensorAfter, kTensorBefore, {}));
  EXPECT_FALSE(tensorConflict(kTensorBefore, kTensorBefore, {}));
  EXPECT_FALSE(tensorConflict(kTensorBefore, kStore, {}));
  EXPECT_FALSE(tensorConflict(kStore, kTensorAfter, {}));
}

}  // namespace
}  // namespace ptxopt::analysis
