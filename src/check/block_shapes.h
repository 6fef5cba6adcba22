// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of threads for which a kernel is looked at, if nothing says how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/launch/launch_shape.h"

namespace ptxopt::check {

using Block = std::array<std::uint32_t, 3>;

// The one of .reqntid or `given`, or else several, the most usual first.  A kernel that reads no
// %tid.y is taken to be launched with blocks of one row, and one that reads no %tid.z with blocks
// of one layer: in others its threads would do the same things twice.  `functions`: the kernel and
// what it may call.  Not empty.
std::vector<Block> blocksFor(const ir::Function& kernel,
                             const std::set<const ir::Function*>& functions,
                             const std::optional<Block>& given);

std::uint32_t threadsOf(const Block& block);
std::string textOf(const Block& block);  // "32 x 8", "256"

}  // namespace ptxopt::check
