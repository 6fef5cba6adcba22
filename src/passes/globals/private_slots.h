// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves shared arrays into registers if every thread accesses only its own slots: docs/soundness/
// C8(ii), E.10.8.
#pragma once

#include <vector>

#include "analysis/flow/manager.h"
#include "ir/function.h"
#include "passes/globals/made_names.h"
#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

// A slot is the memory that one thread always accesses at one address.  All its accesses have the
// same width.
struct SlotPlan {
  struct Access {
    ir::Instruction* instruction = nullptr;
    bool isLoad = false;
    std::size_t slot = 0;
  };
  ir::Function* function = nullptr;  // null: no plan
  std::size_t slots = 0;
  int bits = 0;  // of each slot: 16, 32 or 64
  std::vector<Access> accesses;
};

// The variable must be shared and not pinned, and no address of it may escape.  `uses` and
// `analyses` belong to the only function that uses it.  The analysis of addresses runs only if all
// cheaper conditions hold.  Cost: that analysis, and O(accesses^2) comparisons up to a limit.
SlotPlan planSlots(const ModuleObject& object, const analysis::ObjectUses& uses,
                   analysis::FunctionAnalyses& analyses);

// Puts the slots into new registers, which start as zero.  The variable is not accessed after that,
// but the computations of its addresses remain.
void moveIntoRegisters(const SlotPlan& plan, const ir::Variable& variable, MadeNames& names);

}  // namespace ptxopt::passes
