// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/pure_functions.h"

#include <algorithm>

#include "analysis/flow/callee.h"
#include "ir/effect.h"
#include "ir/function.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using isa::Effect;

// Accesses a parameter or result of the function, or of a call in it.
bool isParameterAccess(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.isLoad() && !desc.isStore()) return false;
  const isa::Space space = desc.space;
  if (space != isa::Space::Param && space != isa::Space::ParamFunc) return false;
  return std::ranges::all_of(instruction.operands(), [](const ir::Operand& operand) {
    return operand.kind != ir::OperandKind::Address ||
           operand.base == ir::AddressBase::Symbol;  // through a register it may be any memory
  });
}

bool isPureInstruction(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || desc.is(isa::kConvergent)) return false;
  if (desc.readsCarry || desc.writesCarry) return false;
  switch (desc.control) {
    case isa::Control::None:
      break;
    case isa::Control::Branch:
    case isa::Control::IndirectBranch:
    case isa::Control::Return:
    case isa::Control::Call:  // an edge of the call graph
      return true;
    case isa::Control::Exit:
    case isa::Control::Trap:
      return false;
  }
  switch (ir::effectOf(instruction)) {
    case Effect::Neutral:
      return desc.is(isa::kPure) && !ir::readsChangingRegister(instruction);
    case Effect::ImmutableRead:
      return true;
    case Effect::Private:
      return isParameterAccess(instruction);
    default:
      return false;
  }
}

bool isPureBody(const ir::Function& function) {
  if (!function.hasBody() || function.isOpaque || function.isEntry()) return false;
  if (function.linkage == ir::Linkage::Weak || function.linkage == ir::Linkage::Extern)
    return false;
  const bool isUnderstood = std::ranges::all_of(
      function.attributes, [](const ir::Attribute& attribute) { return attribute.known; });
  if (!isUnderstood || function.noReturn()) return false;
  return std::all_of(function.body().begin(), function.body().end(),
                     [](const ir::Statement& statement) {
                       if (statement.kind == ir::StatementKind::Directive ||
                           statement.kind == ir::StatementKind::Pragma) {
                         return false;
                       }
                       // The position of the stack differs between calls with the same arguments.
                       const auto* variables = statement.as<ir::VariableDeclaration>();
                       if (variables != nullptr &&
                           std::ranges::any_of(variables->variables, [](const ir::Variable* v) {
                             return v->space == isa::Space::Local;
                           })) {
                         return false;
                       }
                       const auto* instruction = statement.as<Instruction>();
                       return instruction == nullptr || isPureInstruction(*instruction);
                     });
}

}  // namespace

PureFunctions::PureFunctions(const CallGraph& graph)
    : graph_(&graph), pure_(graph.graph().vertexCount()) {
  // Undecided functions, which are in a cycle, count as impure.
  for (const Vertex v : graph.bottomUp()) {
    const ir::Function* function = graph.function(v);
    pure_[v] = function != nullptr && isPureBody(*function) &&
               std::ranges::all_of(graph.graph().successors(v),
                                   [&](Vertex callee) { return pure_[callee]; });
  }
}

bool PureFunctions::isPureCall(const ir::Function& caller, const Instruction& call) const {
  if (!call.desc->known() || call.desc->control != isa::Control::Call) return false;
  const Callee callee = calleeOf(caller, call);
  return callee.function != nullptr && !callee.isAlias &&
         isPure(graph_->vertexOf(*callee.function));
}

}  // namespace ptxopt::analysis
