// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/launch_case.h"

#include <algorithm>
#include <functional>

#include "isa/block.h"

namespace ptxopt::passes {

analysis::Assumptions withLargestBlock(const ir::Function& function,
                                       const analysis::Assumptions& given) {
  analysis::Assumptions result = given;
  if (given.block() || function.requiredBlock()) return result;
  const auto block = function.largestBlock();
  const bool isPossible = block &&
                          std::ranges::equal(*block, isa::kMostExtents, std::less_equal()) &&
                          std::ranges::find(*block, 0u) == block->end();
  if (isPossible) result.addBlock(*block);
  return result;
}

}  // namespace ptxopt::passes
