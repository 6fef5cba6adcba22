// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores whose bytes are written again before anything can read them (docs/soundness/ D2.1).
//
// Within a block: between the two stores nothing but computations, other plain stores, and loads
// that do not overlap.  Cost: at most kMostPending comparisons of addresses for each access.
#pragma once

#include <vector>

#include "passes/redundancy/available_loads.h"
#include "passes/redundancy/plain_access.h"

namespace ptxopt::passes {

class DeadStores {
 public:
  explicit DeadStores(const AvailableLoads& memory) : memory_(memory) {}

  // At the end of a block, and where anything may be read.
  void forget() { pending_.clear(); }
  // What the load, which stays, may read is needed.
  void noteLoad(const ir::Instruction& instruction, const PlainAccess& access);
  // Calls dead(instruction) for each store that this one makes useless.
  template <class Visitor>
  void noteStore(const ir::Instruction& instruction, const PlainAccess& access, Visitor&& dead);

 private:
  struct Pending {
    const ir::Instruction* instruction;
    AvailableLoads::Bytes bytes;  // of all elements
  };
  static constexpr std::size_t kMostPending = 32;

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
  if (pending_.size() == kMostPending) pending_.erase(pending_.begin());
  pending_.push_back({&instruction, bytes});
}

}  // namespace ptxopt::passes
