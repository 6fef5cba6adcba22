// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that need fewer of the barriers of a kernel than others, and the tests by which the
// kernel recognizes them: dead-sync<guard>, docs/soundness/ E.6.10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/pointer_distance.h"
#include "analysis/launch/assumptions.h"
#include "ir/function.h"

namespace ptxopt::passes {

enum class LaunchCase : std::uint8_t {
  OneRow,        // ntid.y = ntid.z = 1
  LargestBlock,  // the block is that of .maxntid
};

// What is known of the launches of a function in LargestBlock.  That is `given` if there is no such
// block, or if another directive or assumption says what the block is.
analysis::Assumptions withLargestBlock(const ir::Function& function,
                                       const analysis::Assumptions& given);

// Which launches skip a barrier.
enum class BarrierGuard : std::uint8_t {
  None,
  Shape,        // those of a shape
  FarPointers,  // those whose pointers are far enough apart
  Both,         // those of which both is true
};

// What kernels test.
struct LaunchTest {
  LaunchCase shape = LaunchCase::OneRow;
  std::vector<analysis::PointerDistance> distances;  // of all kernels of a group
};
// In a kernel.  More tests than that cost more than a barrier does.
inline constexpr std::size_t kMostDistances = 4;

}  // namespace ptxopt::passes
