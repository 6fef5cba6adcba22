// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores whose bytes are overwritten before anything can read them (docs/soundness/ D2.1).
//
// Within a block: only computations, other plain stores, and loads that do not overlap may be
// between the two stores.  Cost: at most Limit::PendingStores comparisons of addresses for each
// access.
#pragma once

#include <vector>

#include "passes/redundancy/available_loads.h"
#include "passes/redundancy/plain_access.h"
#include "support/limits.h"

namespace ptxopt::passes {

class DeadStores {
 public:
  explicit DeadStores(const AvailableLoads& memory) : memory_(memory) {}

  // Call it at the end of a block, and wherever anything may be read.
  void forget() { pending_.clear(); }
  // A load that remains: stores whose bytes it may read are needed.
  void noteLoad(const ir::Instruction& instruction, const PlainAccess& access);
  // Calls dead(instruction) for each earlier store that this store makes dead.
  template <class Visitor>
  void noteStore(const ir::Instruction& instruction, const PlainAccess& access, Visitor&& dead);

 private:
  struct Pending {
    const ir::Instruction* instruction;
    AvailableLoads::Bytes bytes;  // of all elements
  };

  const AvailableLoads& memory_;
  std::vector<Pending> pending_;
};

template <class Visitor>
void DeadStores::noteStore(const ir::Instruction& instruction, const PlainAccess& access,
                           Visitor&& dead) {
  if (instruction.guard) return;
  const AvailableLoads::Bytes bytes = memory_.allBytesOf(instruction, access);
  std::erase_if(pending_, [&](const Pending& pending) {
    return AvailableLoads::covers(bytes, pending.bytes) && dead(*pending.instruction);
  });
  if (reaches(pending_.size(), Limit::PendingStores)) pending_.erase(pending_.begin());
  pending_.push_back({&instruction, bytes});
}

}  // namespace ptxopt::passes
