// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions do, as events of BarrierRegions: the classes of their accesses, and marks.
//
// Every event belongs to the piece that was added last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/async/async_model.h"
#include "analysis/async/outstanding_groups.h"
#include "analysis/barriers/barrier_context.h"
#include "analysis/barriers/barrier_regions.h"
#include "analysis/barriers/copied_bytes.h"
#include "analysis/barriers/stores_of_all.h"
#include "analysis/flow/callee.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

// The access that the event stands for, in the instruction of the event; null where its address was
// not looked at.  O(operands).
const Access* accessOfEvent(const BarrierRegions::Event& event, const AccessClasses& classes,
                            std::span<const BarrierBody> bodies);

// What waits complete.  The classes refer to it.
struct CompletedCopies {
  CopiedBytes copies;                 // cp.async
  CopiedBytes bulkReads, bulkWrites;  // copies to global memory, in bulk groups
};

class BarrierEvents {
 public:
  // All must outlive the object.  `async` is null where asynchronous operations are T.
  BarrierEvents(BarrierRegions& regions, AccessClasses& classes, bool sharedIsExternal,
                std::span<const BarrierBody> bodies, const BarrierContext& context,
                Precision precision, bool isForRaces, const AsyncModel* async,
                CompletedCopies& completed);

  // The instruction itself, which is no barrier that is judged; not what it calls.
  void add(std::uint32_t body, const ir::Instruction& instruction);
  // What a call does whose callee is not one of the bodies.
  void addCall(std::uint32_t body, const ir::Instruction& call, const CallEffect& effect);
  void addMarks(std::uint32_t body, const ir::Instruction& instruction, EffectMarks marks,
                Ordered ordered);

 private:
  void findStoresOfAll();
  void findCopies();
  bool completesNothing(std::uint32_t body, const ir::Instruction& wait);
  void addCompletion(std::uint32_t body, const ir::Instruction& wait, CopiedBytes& copies,
                     Ordered ordered);
  Place placeOf(std::uint32_t body, const MemoryAccess& access) const;
  bool isResultRead(std::uint32_t body, const ir::Instruction& instruction);
  // Null where its address was not looked at.
  const Access* accessOf(std::uint32_t body, const ir::Instruction& instruction,
                         const ir::Operand* address) const;
  void addAccess(std::uint32_t body, const ir::Instruction& instruction, AccessKinds kinds,
                 const Place& place, Ordered ordered, const Access* access = nullptr);
  void addAsync(std::uint32_t body, const ir::Instruction& instruction, isa::AsyncRole role);
  void addBulkCopy(std::uint32_t body, const ir::Instruction& instruction, isa::AsyncRole role);
  void addOnTensorMemory(std::uint32_t body, const ir::Instruction& instruction,
                         isa::AsyncRole role);
  void addOnMbarrier(std::uint32_t body, const ir::Instruction& instruction, isa::AsyncRole role);
  void findBulkCopies();
  bool addSync(std::uint32_t body, const ir::Instruction& instruction, Ordered ordered,
               bool isOuter = false);

  BarrierRegions& regions_;
  AccessClasses& classes_;
  const bool sharedIsExternal_;
  std::span<const BarrierBody> bodies_;
  const BarrierContext& context_;
  const bool knowsObjects_;
  const bool isForRaces_;
  const AsyncModel* const async_;
  CompletedCopies& completed_;
  // By body, where races are assumed away.
  std::vector<StoresOfAll::InstructionSet> separators_;
  std::vector<std::optional<StoresOfAll>> storesOfAll_;
  // By body; none: not asked yet.
  std::vector<std::optional<BitSet>> readRegisters_;
  std::vector<std::optional<OutstandingGroups>> groups_;
};

}  // namespace ptxopt::analysis
