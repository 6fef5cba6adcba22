// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whom a call instruction calls, as far as the instruction itself says.
//
// O(operands) for each call.
#pragma once

#include <optional>
#include <vector>

#include "ir/function.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

struct Callee {
  // A direct call, aliases followed; null for an indirect one and for a name that is not declared.
  ir::Function* function = nullptr;
  // The call names an alias of `function`, which a linker may bind to another one.
  bool isAlias = false;
  // Of a direct call to a name that is not declared.
  NameId undeclared = NameId::None;
  // Of an indirect call: all that it can reach, or what they look like.
  const ir::TargetList* targets = nullptr;
  const ir::Prototype* prototype = nullptr;

  bool isDirect() const { return function != nullptr || undeclared != NameId::None; }
};

// The function that a symbol stands for, aliases followed; null where it stands for none.
ir::Function* functionOf(const ir::Function& scope, ir::SymbolId symbol);
ir::Function* functionOf(const ir::Module& scope, ir::SymbolId symbol);

// `call` is an instruction whose form has Control::Call.
Callee calleeOf(const ir::Function& caller, const ir::Instruction& call);

// The parameters that a call names, in their order.
struct CallParameters {
  std::vector<ir::SymbolId> results;
  std::vector<ir::SymbolId> arguments;
};
// None where an operand is not the name of a whole parameter, and for a call with a prototype or a
// list of targets.
std::optional<CallParameters> parametersOf(const ir::Instruction& call);

// No path comes back from `function`: .noreturn, or so the device runtime says.
bool neverReturns(const ir::Function& function);
// The same for a call of any kind.
bool neverReturns(const ir::Function& caller, const ir::Instruction& call);

}  // namespace ptxopt::analysis
