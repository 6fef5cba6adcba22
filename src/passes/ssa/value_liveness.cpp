// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/value_liveness.h"

#include <algorithm>

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;

BitSet neededValues(const SsaRewrite& rewrite) {
  const Ssa& ssa = rewrite.ssa();
  const analysis::Cfg& cfg = ssa.cfg();
  BitSet needed(ssa.valueCount());
  std::vector<ValueId> work;
  const auto need = [&](ValueId value) {
    if (value != ValueId::None && needed.set(value)) work.push_back(value);
  };
  for (const BlockId b : ssa.dominators().preorder()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      rewrite.forEachUse(instruction, need);
    }
    rewrite.forEachPinnedPhi(b, need);
  }
  while (!work.empty()) {
    const ValueId value = work.back();
    work.pop_back();
    rewrite.forEachSource(value, need);
  }
  return needed;
}

std::vector<ValueLiveness::Use> ValueLiveness::collectUses(const BitSet& needed,
                                                           const BitSet& followed) const {
  const Ssa& ssa = rewrite_->ssa();
  const analysis::Cfg& cfg = ssa.cfg();
  std::vector<Use> uses;
  const auto add = [&](ValueId value, Place place) {
    if (followed.test(value)) uses.push_back({value, place});
  };
  for (const BlockId b : ssa.dominators().preorder()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      // Not counted: barriers that were erased since have left gaps.
      const std::uint32_t number = ssa.instructions().of(instruction);
      rewrite_->forEachUse(instruction, [&](ValueId value) { add(value, {b, number}); });
      if (!rewrite_->isErased(instruction)) {
        ssa.forEachDefinition(instruction, [&](ValueId value) {
          if (ssa.old(value) == ValueId::None || !needed.test(value)) return;
          add(rewrite_->resolve(ssa.old(value)), {b, number});
        });
      }
    }
    for (const ValueId phi : ssa.phis(b)) {
      if (!needed.test(phi)) continue;
      std::size_t k = 0;
      for (const EdgeId edge : cfg.inEdges(b)) {
        const ValueId operand = ssa.phiOperands(phi)[k++];
        if (operand != ValueId::None) add(rewrite_->resolve(operand), {cfg.source(edge), kNone});
      }
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.value < b.value; });
  return uses;
}

ValueLiveness::ValueLiveness(const SsaRewrite& rewrite, const BitSet& needed,
                             const BitSet& followed, std::size_t limit)
    : rewrite_(&rewrite) {
  const Ssa& ssa = rewrite.ssa();
  const analysis::Cfg& cfg = ssa.cfg();
  first_.assign(ssa.valueCount() + std::size_t{1}, 0);
  IdVector<BlockId, ValueId> seen(cfg.vertexCount(), ValueId::None);  // the last value with a place
  IdVector<BlockId, std::size_t> placeOf(cfg.vertexCount());
  std::vector<BlockId> work;
  const std::vector<Use> uses = collectUses(needed, followed);
  std::uint32_t next = 0;
  for (std::size_t at = 0; at < uses.size();) {
    const ValueId value = uses[at].value;
    const std::size_t begin = places_.size();
    while (next <= indexOf(value)) first_[next++] = begin;
    // An Entry value is also live on paths back to the entry.
    const BlockId home = ssa.kind(value) == Ssa::Kind::Entry ? BlockId::None : ssa.block(value);
    const auto mark = [&](const Place& place) {
      if (seen[place.block] == value) {
        std::uint32_t& last = places_[placeOf[place.block]].last;
        last = std::max(last, place.last);
        return;
      }
      seen[place.block] = value;
      placeOf[place.block] = places_.size();
      places_.push_back(place);
      if (place.block != home) work.push_back(place.block);
    };
    for (; at < uses.size() && uses[at].value == value; ++at) mark(uses[at].place);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (const BlockId p : cfg.predecessors(b)) {
        if (ssa.dominators().contains(p)) mark({p, kNone});
      }
    }
    std::sort(places_.begin() + static_cast<std::ptrdiff_t>(begin), places_.end(),
              [](const Place& a, const Place& b) { return a.block < b.block; });
    if (places_.size() > limit) {
      isComplete_ = false;
      break;
    }
  }
  while (next < first_.size()) first_[next++] = places_.size();
}

const ValueLiveness::Place* ValueLiveness::find(ValueId value, BlockId block) const {
  const Place* const begin = places_.data() + first_[indexOf(value)];
  const Place* const end = places_.data() + first_[indexOf(value) + 1];
  const Place* const found = std::lower_bound(
      begin, end, block, [](const Place& place, BlockId b) { return place.block < b; });
  return found != end && found->block == block ? found : nullptr;
}

bool ValueLiveness::isLiveAtStart(ValueId value, BlockId block) const {
  const Ssa& ssa = rewrite_->ssa();
  if (ssa.isDefinition(value) && ssa.block(value) == block) return false;
  return find(value, block) != nullptr;
}

bool ValueLiveness::isLiveAfter(ValueId value, BlockId block, std::uint32_t instruction) const {
  const Place* place = find(value, block);
  return place != nullptr && (place->last == kNone || place->last > instruction);
}

}  // namespace ptxopt::passes
