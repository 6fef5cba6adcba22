// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function a call instruction calls, as far as the instruction itself says.
//
// O(operands) for each call.
#pragma once

#include <optional>
#include <vector>

#include "ir/function.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

struct Callee {
  // The callee of a direct call, after following aliases.  Null for an indirect call and for a name
  // that is not declared.
  ir::Function* function = nullptr;
  // The call names an alias of `function`.  A linker may bind the alias to another function.
  bool isAlias = false;
  // The callee of a direct call to a name that is not declared.
  NameId undeclared = NameId::None;
  // For an indirect call: the list of its possible targets, or their prototype.
  const ir::TargetList* targets = nullptr;
  const ir::Prototype* prototype = nullptr;

  bool isDirect() const { return function != nullptr || undeclared != NameId::None; }
};

// The function that a symbol names, after following aliases; null if it names no function.
ir::Function* functionOf(const ir::Function& scope, ir::SymbolId symbol);
ir::Function* functionOf(const ir::Module& scope, ir::SymbolId symbol);

// The operand that names what a call calls: the first that is not a list of results.  Null for
// what is not understood.
const ir::Operand* calleeOperand(const ir::Instruction& call);

// What is not understood calls the functions that it names, and may do anything (docs/soundness/
// A7.2).  O(1).
inline bool mayCall(const ir::Instruction& instruction) {
  return instruction.desc->control == isa::Control::Call || !instruction.desc->known();
}

// `call` must have Control::Call in its form.
Callee calleeOf(const ir::Function& caller, const ir::Instruction& call);

// The parameters that a call names, in order.
struct CallParameters {
  std::vector<ir::SymbolId> results;
  std::vector<ir::SymbolId> arguments;
};
// None if an operand is not the name of a whole parameter, and for a call with a prototype or a
// list of targets.
std::optional<CallParameters> parametersOf(const ir::Instruction& call);

// `function` never returns: it is .noreturn, or the device runtime says so.
bool neverReturns(const ir::Function& function);
// The callee never returns.  `call` may be any kind of call.
bool neverReturns(const ir::Function& caller, const ir::Instruction& call);

}  // namespace ptxopt::analysis
