// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/private_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/addresses/address.h"
#include "analysis/addresses/alias.h"
#include "analysis/launch/launch_shape.h"
#include "ir/module.h"
#include "support/limits.h"

namespace ptxopt::passes {

namespace {

using analysis::VariableAccess;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

// The register of a load or the operand of a store, if a move can replace the access.
bool isMovable(const ir::Function& function, const VariableAccess& access, int bits) {
  const Instruction& instruction = *access.instruction;
  const bool isScalar = access.isWeak && !access.isGeneric && instruction.desc->vectorWidth == 1 &&
                        isa::bitWidth(instruction.desc->type) == bits &&
                        instruction.operandCount == 2 && !ir::isBelowDirective(instruction);
  if (!isScalar) return false;
  const Operand& value = instruction.operands()[access.isLoad ? 0 : 1];
  switch (value.kind) {
    case OperandKind::Integer:
    case OperandKind::Float32:
    case OperandKind::Float64:
      return access.isStore && ir::bitsOf(value, instruction.desc->type).has_value();
    case OperandKind::Register: {
      const ir::RegisterRange& range = function.rangeOf(value.reg());
      return value.component == 0 && !value.negated && range.vectorWidth == 1 &&
             isa::bitWidth(range.type) == bits;
    }
    default:
      return false;
  }
}

// The number that a store of `type` writes, in a form for `mov.b32` or `mov.b64`, which do not
// convert.
Operand asBits(Operand value, isa::Type type) {
  if (value.kind == OperandKind::Float32 || value.kind == OperandKind::Float64) {
    value.immediate = static_cast<std::int64_t>(*ir::bitsOf(value, type));
    value.kind = isa::bitWidth(type) == 64 ? OperandKind::Float64 : OperandKind::Float32;
  }
  return value;
}

Instruction* makeMove(ir::Function& function, ir::Guard guard, int bits, Operand to, Operand from) {
  isa::Shape shape;
  shape.push(isa::OperandShape::Scalar);
  shape.push(isa::OperandShape::Scalar);
  const NameId mnemonic = function.module().name("mov.b" + std::to_string(bits));
  auto* move = function.arena().create<Instruction>(2 * sizeof(Operand));
  move->kind = ir::StatementKind::Instruction;
  move->operandCount = 2;
  move->guard = guard;
  move->desc = &function.module().instructionTable().get(function.module().text(mnemonic), shape);
  to.reads = false;
  to.writes = true;
  from.reads = from.kind == OperandKind::Register;
  from.writes = false;
  move->operands()[0] = to;
  move->operands()[1] = from;
  return move;
}

// Whether it is worth analysing the addresses, which is the most expensive step: the threads can be
// distinguished, every access has an address that may differ between them, and each loaded address
// was also stored in the same spelling; or there is only one thread.
bool mayBeSlots(const ir::Function& function, const ModuleObject::Use& use, bool readsRow) {
  const auto shape = analysis::LaunchShape::of(function);
  if (shape.most == std::array<std::uint32_t, 3>{1, 1, 1}) return true;
  if (!readsRow && !shape.block) return false;
  std::set<std::pair<std::uint32_t, std::int64_t>> stored;
  for (const VariableAccess& access : use.uses->accesses) {
    if (access.offset || access.address->base != ir::AddressBase::Register) return false;
    if (access.isStore) stored.emplace(access.address->id, access.address->immediate);
  }
  return std::ranges::all_of(use.uses->accesses, [&](const VariableAccess& access) {
    return stored.contains({access.address->id, access.address->immediate});
  });
}

// After the initial declarations of the body; null: at the front.
ir::Statement* endOfDeclarations(const ir::Function& function) {
  ir::Statement* last = nullptr;
  for (ir::Statement* at = function.body().front(); at != nullptr; at = at->next) {
    const bool isDeclaration = at->kind == ir::StatementKind::RegisterDeclaration ||
                               at->kind == ir::StatementKind::VariableDeclaration;
    const bool isSkipped = at->kind == ir::StatementKind::Location ||
                           at->kind == ir::StatementKind::Pragma ||
                           at->kind == ir::StatementKind::Directive;
    if (!isDeclaration && !isSkipped) break;
    if (isDeclaration) last = at;
  }
  return last;
}

}  // namespace

SlotPlan planSlots(const ModuleObject& object, const analysis::ObjectUses& uses,
                   analysis::FunctionAnalyses& analyses) {
  // A slot lives as long as its thread, so there must be one kernel, which each thread runs once.
  ir::Function& function = *object.uses[0].function;
  const std::vector<VariableAccess>& accesses = object.uses[0].uses->accesses;
  if (!function.isEntry() || accesses.empty()) return {};
  if (exceeds(accesses.size(), Limit::SlotAccesses)) return {};  // compared pair by pair
  SlotPlan plan;
  plan.bits = isa::bitWidth(accesses[0].instruction->desc->type);
  const bool isGood = (plan.bits == 16 || plan.bits == 32 || plan.bits == 64) &&
                      object.allAccesses([&](const VariableAccess& access) {
                        return isMovable(function, access, plan.bits);
                      });
  if (!isGood || !mayBeSlots(function, object.uses[0], uses.readsRow())) return {};

  const auto& addresses = analyses.get<analysis::Addresses>();
  std::vector<const analysis::Access*> found;
  std::vector<const analysis::Access*> slots;  // the first access of each slot
  for (const VariableAccess& access : accesses) {
    const auto all = addresses.of(*access.instruction);
    if (all.size() != 1 || all[0].isCollective || all[0].address == analysis::FormId::None ||
        !addresses.forms().isStable(all[0].address)) {
      return {};
    }
    // No two threads access a common byte, in any pair of instructions.
    for (const analysis::Access* other : found) {
      if (analysis::mayOverlap(*other, all[0], analysis::Threads::Different)) return {};
    }
    if (analysis::mayOverlap(all[0], all[0], analysis::Threads::Different)) return {};
    found.push_back(&all[0]);
    auto slot = std::find_if(slots.begin(), slots.end(), [&](const analysis::Access* first) {
      return first->address == all[0].address;
    });
    if (slot == slots.end()) {
      const bool isApart = std::none_of(slots.begin(), slots.end(), [&](const auto* first) {
        return analysis::mayOverlap(*first, all[0], analysis::Threads::Same);
      });
      if (!isApart || reaches(slots.size(), Limit::Slots)) return {};
      slots.push_back(&all[0]);
      slot = slots.end() - 1;
    }
    plan.accesses.push_back(
        {access.instruction, access.isLoad, static_cast<std::size_t>(slot - slots.begin())});
  }
  plan.function = &function;
  plan.slots = slots.size();
  return plan;
}

void moveIntoRegisters(const SlotPlan& plan, const ir::Variable& variable, MadeNames& names) {
  ir::Function& function = *plan.function;
  ir::Module& module = function.module();
  const isa::Type type = plan.bits == 16   ? isa::Type::B16
                         : plan.bits == 32 ? isa::Type::B32
                                           : isa::Type::B64;
  ir::Statement* position = endOfDeclarations(function);
  auto* declaration = function.arena().create<ir::RegisterDeclaration>(0);
  declaration->kind = ir::StatementKind::RegisterDeclaration;
  declaration->firstRange = static_cast<std::uint32_t>(function.registers().size());
  declaration->rangeCount = static_cast<std::uint32_t>(plan.slots);
  // A variable may have a name with % as well, and only one % may begin a name.
  std::string_view stem = module.text(variable.name);
  if (stem.starts_with('%')) stem.remove_prefix(1);
  std::vector<ir::RegisterId> registers;
  for (std::size_t k = 0; k < plan.slots; ++k) {
    const std::string name = fmt::format("%{}$r{}", stem, k);
    ir::RegisterRange range;
    range.name = names.make(name, &function);
    range.type = type;
    registers.push_back(function.addRegisters(range));
  }
  function.insertAfter(position, declaration);
  position = declaration;
  // On a path without a store the contents of the memory were undefined.
  for (const ir::RegisterId slot : registers) {
    Instruction* start =
        makeMove(function, {}, plan.bits, Operand::ofRegister(slot), Operand::ofInteger(0));
    function.insertAfter(position, start);
    position = start;
  }
  for (const SlotPlan::Access& access : plan.accesses) {
    const Operand slot = Operand::ofRegister(registers[access.slot]);
    const Operand value = asBits(access.instruction->operands()[access.isLoad ? 0 : 1],
                                 access.instruction->desc->type);
    Instruction* move = makeMove(function, access.instruction->guard, plan.bits,
                                 access.isLoad ? value : slot, access.isLoad ? slot : value);
    function.insertAfter(access.instruction, move);
    function.erase(access.instruction);
  }
}

}  // namespace ptxopt::passes
