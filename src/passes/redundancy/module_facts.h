// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `early-cse` knows of the module while it works on functions.
#pragma once

#include <memory>
#include <optional>

#include "analysis/flow/call_graph.h"
#include "analysis/memory/memory_events.h"
#include "analysis/memory/pure_functions.h"
#include "passes/redundancy/async_copies.h"
#include "passes/ssa/out_of_ssa.h"

namespace ptxopt::passes {

// O(instructions).
bool hasCalls(const ir::Function& function);

struct ModuleFacts {
  struct Callees {
    explicit Callees(const ir::Module& module) : graph(module), pure(graph) {}
    analysis::CallGraph graph;
    analysis::PureFunctions pure;
    std::optional<analysis::CalleeMemories> memories;
  };

  // `withMemories`: what the functions that are called do to memory as well.  O(instructions).
  static ModuleFacts of(const ir::Module& module, bool withMemories);

  FreshNames names;
  bool hasProgrammaticLaunch = false;  // griddepcontrol: another grid may write .nc memory (F10)
  std::unique_ptr<const Callees> callees;     // null where no function calls another
  std::unique_ptr<const AsyncCopies> copies;  // null where no function has one
};

}  // namespace ptxopt::passes
