// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/call_free_paths.h"

#include <algorithm>

#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::ValueId;

CallFreePaths::CallFreePaths(const analysis::Ssa& ssa) : ssa_(ssa) {
  for (std::uint32_t n = 0; n < ssa.instructions().count(); ++n) {
    if (ssa.instructions()[n].desc->control == isa::Control::Call) calls_.push_back(n);
  }
}

CallFreePaths::Point CallFreePaths::beginningOf(BlockId block) const {
  return {block, ssa_.instructions().of(block).first};
}

CallFreePaths::Point CallFreePaths::endOf(BlockId block) const {
  return {block, ssa_.instructions().of(block).second};
}

CallFreePaths::Point CallFreePaths::after(ValueId value) const {
  const BlockId block = ssa_.block(value);
  if (!ssa_.isDefinition(value)) return beginningOf(block);
  return {block, ssa_.instructions().of(ssa_.instruction(value)) + 1};
}

bool CallFreePaths::isFree(const Point& from, const ir::Instruction& to) const {
  return isFree(from, Point{to.block, ssa_.instructions().of(to)});
}

bool CallFreePaths::isFreeToEnd(const Point& from, BlockId block) const {
  return isFree(from, endOf(block));
}

bool CallFreePaths::isFree(const Point& from, const Point& to) const {
  if (calls_.empty()) return true;
  if (from.block == to.block && from.number <= to.number) return !hasCall(from.number, to.number);
  // Registers are scarce in a .func with calls: its callers need most of them, and its callees use
  // the others.
  if (!ssa_.cfg().function().isEntry()) return false;
  if (hasCall(from.number, endOf(from.block).number) ||
      hasCall(beginningOf(to.block).number, to.number)) {
    return false;
  }
  // Walks backwards: from.block dominates all these blocks.
  std::vector<BlockId> found;
  const auto add = [&](BlockId block) {
    for (const BlockId before : ssa_.cfg().predecessors(block)) {
      if (before == from.block || !ssa_.dominators().contains(before)) continue;
      if (std::ranges::find(found, before) == found.end()) found.push_back(before);
    }
  };
  add(to.block);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (exceeds(found.size(), Limit::CallFreeBlocks)) return false;
    if (hasCall(beginningOf(found[k]).number, endOf(found[k]).number)) return false;
    add(found[k]);
  }
  return true;
}

bool CallFreePaths::hasCall(std::uint32_t first, std::uint32_t end) const {
  const auto at = std::ranges::lower_bound(calls_, first);
  return at != calls_.end() && *at < end;
}

}  // namespace ptxopt::passes
