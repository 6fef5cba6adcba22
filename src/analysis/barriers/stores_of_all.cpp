// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/stores_of_all.h"

#include <vector>

namespace ptxopt::analysis {

using ir::Instruction;
using isa::Effect;

StoresOfAll::StoresOfAll(const Cfg& cfg, const Uniformity& uniformity,
                         const InstructionSet& separators, bool mayPart)
    : cfg_(&cfg),
      uniformity_(&uniformity),
      separators_(&separators),
      mayPart_(mayPart),
      reachesBegin_(cfg.vertexCount()),
      followsEnd_(cfg.vertexCount()) {
  // Whether the last, or the first, instruction of interest in each block orders threads or
  // separates epochs.
  enum class Kind : std::uint8_t { Neither, Orders, Separates };
  IdVector<BlockId, Kind> first(cfg.blockCount(), Kind::Neither);
  IdVector<BlockId, Kind> last(cfg.blockCount(), Kind::Neither);
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const Kind kind = separators.contains(&instruction) ? Kind::Separates
                        : mayOrder(instruction)           ? Kind::Orders
                                                          : Kind::Neither;
      if (kind == Kind::Neither) continue;
      if (first[b] == Kind::Neither) first[b] = kind;
      last[b] = kind;
    }
  }
  std::vector<BlockId> work;
  const auto spread = [&](const IdVector<BlockId, Kind>& outer, BitSet& found, auto&& next) {
    for (const BlockId b : cfg.blocks()) {
      if (outer[b] == Kind::Orders) work.push_back(b);
    }
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (const BlockId n : next(b)) {
        if (n != cfg.exit() && found.set(n) && outer[n] == Kind::Neither) work.push_back(n);
      }
    }
  };
  spread(last, reachesBegin_, [&](BlockId b) { return cfg.successors(b); });
  spread(first, followsEnd_, [&](BlockId b) { return cfg.predecessors(b); });
}

// True for every instruction except those known to access memory weakly, or not at all.
bool StoresOfAll::mayOrder(const Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || desc.is(isa::kConvergent)) return true;
  switch (desc.effect) {
    case Effect::Neutral:
    case Effect::NeutralFrozen:
    case Effect::Private:
    case Effect::ImmutableRead:
    case Effect::InvariantRead:
    case Effect::Weak:
    case Effect::AsyncCopy:
    case Effect::AsyncWait:
      return false;
    default:
      return true;
  }
}

bool StoresOfAll::isOrderAbove(const Instruction& instruction) const {
  bool isOrder = reachesBegin_.test(instruction.block);
  for (const Instruction& other : cfg_->instructions(instruction.block)) {
    if (&other == &instruction) break;
    const bool separates = separators_->contains(&other);
    if (separates || mayOrder(other)) isOrder = !separates;
  }
  return isOrder;
}

bool StoresOfAll::isOrderBelow(const Instruction& instruction) const {
  bool isAfter = false;
  for (const Instruction& other : cfg_->instructions(instruction.block)) {
    const bool separates = separators_->contains(&other);
    if (isAfter && (separates || mayOrder(other))) return !separates;
    isAfter |= &other == &instruction;
  }
  return followsEnd_.test(instruction.block);
}

StoreOfAll StoresOfAll::of(const Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isPlain = desc.isStore() && desc.effect == Effect::Weak && !instruction.guard &&
                       (desc.space == isa::Space::Shared || desc.space == isa::Space::Global);
  if (!isPlain || !uniformity_->isUniform(instruction.block)) return StoreOfAll::No;
  if (!isUnordered(instruction)) return StoreOfAll::No;
  return mayPart_ ? StoreOfAll::Above : StoreOfAll::Both;
}

}  // namespace ptxopt::analysis
