// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory SSA: for each point of a function, which instruction last changed what a thread knows
// about memory.
//
// All memory is one variable, whose values are called states.  A state is
//   - Entry: at the start of the function;
//   - Def: after an instruction whose MemoryEvent (memory_events.h) is not None.  Strong reads that
//     poll (polling_reads.h) are distinguished from other strong reads;
//   - Phi: at the start of a block where paths with different states join.
// A load reads, and a Def changes, the nearest state that dominates it.  Whether the Defs above
// concern a given address is decided on demand by isUnchanged(), walking from state to state.  This
// keeps the structure small.
//
// Source: Novillo, "Memory SSA - A Unified Approach for Sparsely Representing Memory Operations",
// GCC Developers' Summit 2007, in the form with one variable that LLVM uses.  Cost: O(instructions
// + edges); 16 bytes a state and 4 an instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/loops.h"
#include "analysis/flow/manager.h"
#include "analysis/memory/memory_events.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

// Dense; a state that dominates another has a smaller number.
enum class StateId : std::uint32_t { None = ~0u };

class MemorySsa {
 public:
  enum class Kind : std::uint8_t { Entry, Phi, Def };

  // `ssa` provides the graph, the dominator tree and the numbers.  It must outlive the object.
  MemorySsa(const Ssa& ssa, const Loops& loops);

  std::uint32_t stateCount() const { return states_.size(); }
  Kind kind(StateId state) const { return states_[state].kind; }
  // For a Def.
  const ir::Instruction& instruction(StateId state) const {
    return ssa_->instructions()[states_[state].where];
  }
  MemoryEvent event(StateId state) const { return states_[state].event; }
  // For a Phi.
  BlockId block(StateId state) const { return BlockId{states_[state].where}; }
  // For a Phi: one operand for each of cfg().inEdges(block), None for an edge from unreachable
  // code.  At the entry block there is one more, for the start of the function.
  std::span<const StateId> phiOperands(StateId state) const;
  // For a Def, the state that it changes.  For a Phi, the state at the end of the immediate
  // dominator of its block.  None for the Entry.
  StateId above(StateId state) const { return states_[state].above; }

  // None in unreachable code.
  StateId after(const ir::Instruction& instruction) const {
    return after_[ssa_->instructions().of(instruction)];
  }
  StateId before(const ir::Instruction& instruction) const;

  // True if no path from where `from` holds to where `to` holds contains a Def for which
  // changes(state) is true.  `from` must dominate `to`.  Each visited state takes one from `steps`;
  // false if they run out.
  template <class Predicate>
  bool isUnchanged(StateId from, StateId to, std::size_t& steps, Predicate&& changes) const;

 private:
  struct State {
    Kind kind = Kind::Entry;
    MemoryEvent event = MemoryEvent::None;  // of a Def
    std::uint32_t where = 0;                // the number of the instruction, or the block
    StateId above = StateId::None;
    std::uint32_t firstOperand = 0;  // of a Phi: in phiOperands_
  };
  void fillOperands(const IdVector<BlockId, StateId>& atEnd);
  template <class Predicate>
  bool isRegionUnchanged(StateId phi, std::size_t& steps, Predicate&& changes) const;

  const Ssa* ssa_;
  IdVector<StateId, State> states_;
  std::vector<StateId> phiOperands_;
  std::vector<StateId> after_;  // by instruction
  // For the current walk through a region: the states that it has visited.
  mutable IdVector<StateId, std::uint32_t> seen_;
  mutable std::uint32_t walk_ = 0;
  mutable std::vector<StateId> open_;
};

template <>
struct InputsOf<MemorySsa> {
  using type = Inputs<Ssa, Loops>;
};

// ---- templates ---------------------------------------------------------------------------------

template <class Predicate>
bool MemorySsa::isUnchanged(StateId from, StateId to, std::size_t& steps,
                            Predicate&& changes) const {
  while (to != from) {
    if (to == StateId::None || steps == 0) return false;
    --steps;
    const State& state = states_[to];
    if (state.kind == Kind::Def && changes(to)) return false;
    if (state.kind == Kind::Phi && !isRegionUnchanged(to, steps, changes)) return false;
    to = state.above;
  }
  return true;
}

// Looks at all paths from the state above the phi to the phi.
template <class Predicate>
bool MemorySsa::isRegionUnchanged(StateId phi, std::size_t& steps, Predicate&& changes) const {
  const StateId end = states_[phi].above;
  ++walk_;
  seen_.resize(states_.size());
  seen_[phi] = walk_;
  open_.assign(1, phi);
  const auto visit = [&](StateId state) {
    if (state == StateId::None || state == end || seen_[state] == walk_) return;
    seen_[state] = walk_;
    open_.push_back(state);
  };
  while (!open_.empty()) {
    const StateId at = open_.back();
    open_.pop_back();
    if (states_[at].kind == Kind::Phi) {
      for (const StateId operand : phiOperands(at)) visit(operand);
      continue;
    }
    if (steps == 0) return false;
    --steps;
    if (changes(at)) return false;
    visit(states_[at].above);
  }
  return true;
}

}  // namespace ptxopt::analysis
