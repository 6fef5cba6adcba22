// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The more precise answer to "does memory still hold this value?": memory SSA, with the addresses
// and objects that dead-sync uses (docs/soundness/ D1, E.9.8).
//
// A load may take the value of an earlier access in a dominating block, even if paths join in
// between, if none of the states between them may have changed the bytes.  It takes a value from
// outside of a loop that contains it only if the memory is private to the thread, or if the loop
// cannot wait for another value (E.9.13): polling stays polling (D1.10).
//
// Cost: at most Limit::StatesBetween states a query, and at most `cap` queries a block; beyond that
// the answer is no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/addresses/alias.h"
#include "analysis/flow/loops.h"
#include "analysis/memory/memory_ssa.h"
#include "analysis/memory/polling_reads.h"
#include "passes/redundancy/plain_access.h"
#include "support/limits.h"

namespace ptxopt::passes {

class MemoryWalk {
 public:
  struct Inputs {
    const analysis::Ssa& ssa;
    const analysis::MemorySsa& states;
    const analysis::Addresses& addresses;
    const analysis::Loops& loops;
    const analysis::CalleeMemories* callees;  // null if there are no calls
    bool flatShared = false;
  };

  // All arguments must outlive the object.
  MemoryWalk(const ir::Function& function, const Inputs& inputs, std::size_t cap)
      : function_(&function), in_(inputs), cap_(cap), slices_(inputs.ssa, inputs.loops) {}

  const analysis::MemorySsa& states() const { return in_.states; }

  // Starts a new block: resets the count of queries.
  void beginBlock() { queries_ = 0; }

  // The access is to local memory of the thread, possibly through a generic address.
  bool isOwnMemory(const ir::Instruction& load, const PlainAccess& access) const;

  enum class Answer : std::uint8_t { Changed, Unchanged, UnchangedByCalls };
  // Whether `load` reads the bytes as they are after `known`, an access to the same bytes that
  // dominates it; UnchangedByCalls if calls may be executed between them.  mayOverlap(instruction)
  // is a second opinion about instructions that access memory at their address.
  template <class Predicate>
  Answer ask(const ir::Instruction& known, const ir::Instruction& load, const PlainAccess& access,
             Predicate&& mayOverlap);

 private:
  bool leavesPoll(const ir::Instruction& known, const ir::Instruction& load);
  bool isQuiet(analysis::LoopId loop);
  bool isChangedBy(analysis::StateId state, const ir::Instruction& load, const PlainAccess& access,
                   bool isOwn) const;
  bool overlap(const ir::Instruction& change, const ir::Instruction& load) const;
  bool isChangedByCall(const ir::Instruction& call, const ir::Instruction& load,
                       const PlainAccess& access, bool isOwn) const;

  const ir::Function* function_;
  Inputs in_;
  std::size_t cap_;
  std::size_t queries_ = 0;
  analysis::ReadSlices slices_;
  std::unordered_map<analysis::LoopId, bool> quiet_;  // loops that were asked about
};

template <class Predicate>
MemoryWalk::Answer MemoryWalk::ask(const ir::Instruction& known, const ir::Instruction& load,
                                   const PlainAccess& access, Predicate&& mayOverlap) {
  const bool isOwn = isOwnMemory(load, access);
  if (!isOwn && leavesPoll(known, load)) return Answer::Changed;
  const analysis::StateId from = in_.states.after(known);
  const analysis::StateId to = in_.states.before(load);
  if (from == analysis::StateId::None || to == analysis::StateId::None || queries_ == cap_) {
    return Answer::Changed;
  }
  ++queries_;
  std::size_t steps = boundOf(Limit::StatesBetween);
  bool hasCalls = false;
  const bool isUnchanged = in_.states.isUnchanged(from, to, steps, [&](analysis::StateId state) {
    const analysis::MemoryEvent event = in_.states.event(state);
    hasCalls |= event == analysis::MemoryEvent::Call;
    return isChangedBy(state, load, access, isOwn) &&
           (event != analysis::MemoryEvent::AtAddress || mayOverlap(in_.states.instruction(state)));
  });
  if (!isUnchanged) {
    if (steps == 0) noteMet(Limit::StatesBetween);
    return Answer::Changed;
  }
  return hasCalls ? Answer::UnchangedByCalls : Answer::Unchanged;
}

}  // namespace ptxopt::passes
