// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ends a thread's knowledge of the contents of memory: docs/soundness/ D1, row by row.
//
// The barrier rules ask about other threads (memory_effects.h).  Here the question is about one
// thread: may the later of its two loads from one address read a new value?
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/memory/memory_effects.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

enum class MemoryEvent : std::uint8_t {
  None,       // no knowledge ends (D1.7; D1.4 if nothing is written)
  AtAddress,  // bytes that may overlap its address operand: a write or a strong read (D1.1, D1.2)
  Own,        // .local memory
  Reachable,  // all memory that other threads can reach: shared, global, generic (D1.3, D1.6)
  Poll,       // a read that a thread repeats until it sees a value: AtAddress and Reachable (D1.15)
  Call,       // what the callee does (D1.5)
  All,        // everything (D1.8)
};

// Looks at the instruction alone, so the result is never Poll.  O(operands).
MemoryEvent memoryEventOf(const ir::Instruction& instruction);

// The knowledge of a caller that a call ends.
struct CalleeMemory {
  bool forgetsReachable = false;
  bool forgetsOwn = false;
  std::vector<Place> written;  // reachable memory that is written, or read strongly
};

// The above for all functions of a module, bottom-up over the call graph.  The functions of a cycle
// share one answer; unknown code ends all knowledge.  O(statements + calls * distinct places).
class CalleeMemories {
 public:
  // The graph must outlive the object.
  explicit CalleeMemories(const CallGraph& graph);

  // For the code that `call` may run.  `call` is an instruction of `caller` with MemoryEvent::Call.
  CalleeMemory ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<CalleeMemory> memories_;  // by component
};

}  // namespace ptxopt::analysis
