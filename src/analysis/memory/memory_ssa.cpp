// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/memory_ssa.h"

#include "analysis/memory/polling_reads.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

MemorySsa::MemorySsa(const Ssa& ssa, const Loops& loops)
    : ssa_(&ssa), after_(ssa.instructions().count(), StateId::None) {
  const PollingReads polls(ssa, loops);
  const auto eventOf = [&polls](const ir::Instruction& instruction) {
    const MemoryEvent event = memoryEventOf(instruction);
    return event == MemoryEvent::AtAddress && polls.contains(instruction) ? MemoryEvent::Poll
                                                                          : event;
  };
  const Cfg& cfg = ssa.cfg();
  const Dominators& dominators = ssa.dominators();
  std::vector<BlockId> changing;
  for (const BlockId b : dominators.preorder()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (memoryEventOf(instruction) == MemoryEvent::None) continue;
      changing.push_back(b);
      break;
    }
  }
  BitSet hasPhi(cfg.vertexCount());
  for (const BlockId b : DominanceFrontiers(cfg, dominators).iterated(changing)) hasPhi.set(b);

  // Walks down the dominator tree, so that the state above is the one at the end of the parent.
  IdVector<BlockId, StateId> atEnd(cfg.vertexCount(), StateId::None);
  const StateId entry = states_.push_back({});
  for (const BlockId b : dominators.preorder()) {
    const BlockId parent = dominators.parent(b);
    StateId current = parent == BlockId::None ? entry : atEnd[parent];
    const auto push = [&](State state) {
      state.above = current;
      current = states_.push_back(state);
    };
    if (hasPhi.test(b)) push({Kind::Phi, MemoryEvent::None, indexOf(b), StateId::None, 0});
    // Not by number: barriers that were erased since still have numbers.
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      const std::uint32_t n = ssa.instructions().of(instruction);
      const MemoryEvent event = eventOf(instruction);
      if (event != MemoryEvent::None) push({Kind::Def, event, n, StateId::None, 0});
      after_[n] = current;
    }
    atEnd[b] = current;
  }
  fillOperands(atEnd);
}

void MemorySsa::fillOperands(const IdVector<BlockId, StateId>& atEnd) {
  const Cfg& cfg = ssa_->cfg();
  for (State& state : states_) {
    if (state.kind != Kind::Phi) continue;
    state.firstOperand = static_cast<std::uint32_t>(phiOperands_.size());
    const BlockId block{state.where};
    for (const EdgeId edge : cfg.inEdges(block)) {
      phiOperands_.push_back(atEnd[cfg.source(edge)]);
    }
    if (block == cfg.entry()) phiOperands_.push_back(StateId{0});
  }
}

std::span<const StateId> MemorySsa::phiOperands(StateId state) const {
  const State& of = states_[state];
  const Cfg& cfg = ssa_->cfg();
  const BlockId block{of.where};
  const std::size_t count = cfg.inEdges(block).size() + std::size_t{block == cfg.entry()};
  return std::span(phiOperands_).subspan(of.firstOperand, count);
}

StateId MemorySsa::before(const ir::Instruction& instruction) const {
  const StateId state = after(instruction);
  if (state == StateId::None) return state;
  const State& of = states_[state];
  const bool isOwn = of.kind == Kind::Def && of.where == ssa_->instructions().of(instruction);
  return isOwn ? of.above : state;
}

}  // namespace ptxopt::analysis
