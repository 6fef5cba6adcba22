// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that need fewer of the barriers of a kernel than others do, and what the kernel tests to
// know them: dead-sync<guard>, docs/soundness/ E.6.10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/pointer_distance.h"
#include "analysis/launch/assumptions.h"
#include "ir/function.h"

namespace ptxopt::passes {

// By the shape of the block.
enum class LaunchCase : std::uint8_t {
  Any,
  OneRow,        // ntid.y = ntid.z = 1
  LargestBlock,  // the block is that of .maxntid
};
inline constexpr LaunchCase kLaunchCases[] = {LaunchCase::Any, LaunchCase::OneRow,
                                              LaunchCase::LargestBlock};

// What is known of the launches of a function in this case, besides `given`.
analysis::Assumptions assumptionsIn(LaunchCase which, const ir::Function& function,
                                    const analysis::Assumptions& given);

// Which launches leave out a barrier.
enum class BarrierGuard : std::uint8_t {
  None,
  Shape,        // those of the case
  FarPointers,  // and of those the ones whose pointers are far enough apart
};

// What a kernel tests.
struct LaunchTest {
  LaunchCase shape = LaunchCase::Any;
  std::vector<analysis::PointerDistance> distances;  // of BarrierGuard::FarPointers
};
// More tests than that cost more than a barrier does.
inline constexpr std::size_t kMostDistances = 4;

}  // namespace ptxopt::passes
