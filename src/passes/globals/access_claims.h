// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of `global-opt` about single accesses of the input.
#pragma once

#include "analysis/memory/object_uses.h"
#include "ir/function.h"
#include "passes/engine/claim_sink.h"

namespace ptxopt::passes {

// The access, which has a constant offset, is to the variable and nothing else.
void claimOffset(ClaimSink claims, const analysis::VariableAccess& access,
                 const ir::Variable& variable);

// `move` gives a register what the load, unless it has a guard, gave it.
void claimNumber(ClaimSink claims, const ir::Function& function, const ir::Instruction& load,
                 const ir::Instruction& move);

}  // namespace ptxopt::passes
