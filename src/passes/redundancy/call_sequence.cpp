// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/call_sequence.h"

#include <algorithm>
#include <span>

#include "analysis/flow/callee.h"

namespace ptxopt::passes {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::SymbolId;

// The position of the parameter that an unguarded `st.param` or `ld.param` accesses.
std::optional<std::uint32_t> positionIn(const std::vector<SymbolId>& symbols,
                                        const Instruction& instruction, isa::Trait kind) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isOfParameter = desc.space == isa::Space::Param || desc.space == isa::Space::ParamFunc;
  if (!desc.is(kind) || !isOfParameter || instruction.guard) return std::nullopt;
  if (desc.semantics != isa::Semantics::None) return std::nullopt;
  const Operand* address = instruction.operand(desc.addressOperand());
  if (address == nullptr || address->base != ir::AddressBase::Symbol) return std::nullopt;
  const auto found = std::ranges::find(symbols, address->symbol());
  if (found == symbols.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - symbols.begin());
}

bool hasRepetition(std::vector<SymbolId> symbols) {
  std::ranges::sort(symbols);
  return std::ranges::adjacent_find(symbols) != symbols.end();
}

bool isSilent(const ir::Statement& statement) {
  return statement.kind == ir::StatementKind::VariableDeclaration ||
         statement.kind == ir::StatementKind::RegisterDeclaration ||
         statement.kind == ir::StatementKind::Location;
}

}  // namespace

std::optional<CallSequence> callSequence(const ir::Statement& begin) {
  CallSequence sequence;
  sequence.begin = &begin;
  std::vector<const Instruction*> before;
  std::vector<SymbolId> declared;
  analysis::CallParameters parameters;
  const ir::Statement* at = begin.next;
  for (; at != nullptr && at->kind != ir::StatementKind::ScopeEnd; at = at->next) {
    if (const auto* variables = at->as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : variables->variables) {
        if (variable->initializer != nullptr) return std::nullopt;
        declared.push_back(variable->symbol);
      }
    }
    if (isSilent(*at)) continue;
    const auto* instruction = at->as<Instruction>();
    if (instruction == nullptr) return std::nullopt;
    if (sequence.call != nullptr) {
      const auto position = positionIn(parameters.results, *instruction, isa::kLoad);
      if (!position) return std::nullopt;
      sequence.loads.push_back({instruction, *position});
    } else if (instruction->desc->control == isa::Control::Call) {
      const auto found = analysis::parametersOf(*instruction);
      if (!found || instruction->guard) return std::nullopt;
      sequence.call = instruction;
      parameters = *found;
    } else {
      before.push_back(instruction);
    }
  }
  if (sequence.call == nullptr || at == nullptr) return std::nullopt;
  const auto isDeclared = [&](SymbolId symbol) {
    return std::ranges::find(declared, symbol) != declared.end();
  };
  if (!std::ranges::all_of(parameters.arguments, isDeclared) ||
      !std::ranges::all_of(parameters.results, isDeclared)) {
    return std::nullopt;
  }
  // Then a store would be to the arguments of several positions.
  if (hasRepetition(parameters.arguments)) return std::nullopt;
  for (const Instruction* instruction : before) {
    const auto position = positionIn(parameters.arguments, *instruction, isa::kStore);
    if (!position) return std::nullopt;
    sequence.stores.push_back({instruction, *position});
  }
  return sequence;
}

bool makeCallKey(const SsaRewrite& rewrite, const ExpressionKeys& keys,
                 const CallSequence& sequence, std::vector<std::uint64_t>& key) {
  const analysis::Callee callee = analysis::calleeOf(rewrite.function(), *sequence.call);
  key.assign(1, reinterpret_cast<std::uintptr_t>(callee.function));
  for (const CallSequence::Access& store : sequence.stores) {
    const Instruction& instruction = *store.instruction;
    key.push_back(store.position);
    key.push_back(static_cast<std::uint64_t>(instruction.operand(0)->immediate));
    key.push_back(reinterpret_cast<std::uintptr_t>(instruction.desc));
    for (const Operand& data : instruction.operands().subspan(1)) {
      key.push_back(static_cast<std::uint64_t>(data.kind));
      if (data.kind == OperandKind::Register && data.component == 0 && !data.negated) {
        key.push_back(
            indexOf(keys.leaderOf(rewrite.resolve(rewrite.ssa().use(instruction, data)))));
      } else if (data.kind == OperandKind::Integer || data.kind == OperandKind::Float32 ||
                 data.kind == OperandKind::Float64) {
        key.push_back(static_cast<std::uint64_t>(data.immediate));
      } else if (data.kind != OperandKind::Vector) {
        return false;
      }
    }
  }
  return true;
}

const Instruction* sameLoad(const CallSequence& earlier, const CallSequence::Access& load) {
  const auto found = std::ranges::find_if(earlier.loads, [&](const CallSequence::Access& other) {
    return other.position == load.position && other.instruction->desc == load.instruction->desc &&
           other.instruction->operand(1)->immediate == load.instruction->operand(1)->immediate &&
           // Of vectors, both drop the same elements.
           std::ranges::equal(other.instruction->operands(), load.instruction->operands(), {},
                              &Operand::kind, &Operand::kind);
  });
  return found == earlier.loads.end() ? nullptr : found->instruction;
}

}  // namespace ptxopt::passes
