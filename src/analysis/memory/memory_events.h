// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ends a thread's knowledge of what memory holds: docs/soundness/ D1, row by row.
//
// This is no question about other threads, as the barrier rules ask it (memory_effects.h), but
// about the thread itself: between two loads of one place, may the later one see anything new?
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/memory/memory_effects.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

enum class MemoryEvent : std::uint8_t {
  None,       // nothing is forgotten (D1.7, D1.4 as far as it writes nothing)
  AtAddress,  // what may overlap with its address operand: a write, or a strong read (D1.1, D1.2)
  Own,        // .local memory
  Reachable,  // all that other threads can reach: shared, global, generic (D1.3, D1.6)
  Poll,       // a read that a thread waits for in a loop: AtAddress and Reachable (D1.15)
  Call,       // what the callee does (D1.5)
  All,        // everything (D1.8)
};

// Without its surroundings, so that it is never Poll.  O(operands).
MemoryEvent memoryEventOf(const ir::Instruction& instruction);

// What a call does to what its caller knows.
struct CalleeMemory {
  bool forgetsReachable = false;
  bool forgetsOwn = false;
  std::vector<Place> written;  // of reachable memory: written, or read strongly
};

// Of all functions of a module, bottom-up over the call graph; the functions of a cycle share one
// answer, and code that is not known forgets everything.  O(statements + calls * distinct places).
class CalleeMemories {
 public:
  // The graph must outlive the object.
  explicit CalleeMemories(const CallGraph& graph);

  // Of what `call`, an instruction of `caller` with MemoryEvent::Call, may run.
  CalleeMemory ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<CalleeMemory> memories_;  // by component
};

}  // namespace ptxopt::analysis
