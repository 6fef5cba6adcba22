// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/address_objects.h"

#include <algorithm>

#include "analysis/memory/address_step.h"
#include "analysis/memory/open_shared.h"
#include "ir/module.h"
#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Space;

// All dynamic shared memory is one object, whatever its names.
const ir::Variable* dynamicShared() {
  static const ir::Variable variable = [] {
    ir::Variable v;
    v.space = Space::Shared;
    return v;
  }();
  return &variable;
}

// Null for a symbol that is not a variable, and for a name of something defined elsewhere.
const ir::Variable* objectNamed(const ir::Function& function, ir::SymbolId id) {
  const ir::Symbol& symbol = function.symbolAt(id);
  if (symbol.kind != ir::SymbolKind::Variable) return nullptr;
  const ir::Variable& variable = *symbol.variable;
  // One with a size may also be defined under this name (docs/soundness/ C3.3.8).
  if (variable.space == Space::Shared && variable.linkage == ir::Linkage::Extern) {
    return variable.size == 0 ? dynamicShared() : nullptr;
  }
  if (isOpenShared(variable)) return nullptr;
  const bool isAlsoElsewhere =
      variable.function != nullptr && variable.linkage != ir::Linkage::None;
  return isAlsoElsewhere ? nullptr : &variable;
}

}  // namespace

AddressObjects::Value AddressObjects::join(Value a, Value b) {
  if (a == kUndefined || a == b) return b;
  return b == kUndefined ? a : kAnything;
}

void AddressObjects::intern(ir::SymbolId id) {
  const ir::Variable* object = objectNamed(*function_, id);
  if (object == nullptr) return;
  const auto next = kFirstObject + static_cast<Value>(objects_.size());
  if (numbers_.try_emplace(object, next).second) objects_.push_back(object);
}

AddressObjects::Value AddressObjects::valueOf(ir::SymbolId id) const {
  const ir::Variable* object = objectNamed(*function_, id);
  return object == nullptr ? kAnything : numbers_.at(object);
}

AddressObjects::Value AddressObjects::valueOf(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::Register:
      if (operand.component != 0 || operand.negated) return kAnything;
      return values_[operand.id];
    case OperandKind::Symbol:
      return valueOf(operand.symbol());
    case OperandKind::Integer:
    case OperandKind::Float32:
    case OperandKind::Float64:
    case OperandKind::SpecialRegister:
    case OperandKind::Sink:
      return kNumber;
    default:
      return kAnything;
  }
}

bool AddressObjects::isSharedOffset(Value value) const {
  const ir::Variable* object = objectOf(value);
  return object != nullptr && object->space == Space::Shared;
}

// docs/soundness/ C3.3.3 and C3.3.4.  An operand that is kUndefined has no value yet; then the
// result is kUndefined too.
AddressObjects::Value AddressObjects::resultOf(const Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known()) return kAnything;
  // A loaded value is a number, whatever the address: by itself it may point anywhere.
  if (desc.isLoad()) return kNumber;

  const AddressStep step = addressStep(instruction);
  const auto combine = [](Value a, Value b) {
    if (a == kUndefined || b == kUndefined) return kUndefined;
    if (a == kNumber) return b;
    return b == kNumber ? a : kAnything;
  };
  using Kind = AddressStep::Kind;
  switch (step.kind) {
    case Kind::Copy:
    case Kind::ToGeneric:
    case Kind::FromGeneric:
      return valueOf(*step.a);
    case Kind::Resize: {
      const Value value = valueOf(*step.a);
      const bool isExact = step.bits == isa::bitWidth(desc.sourceType) || isSharedOffset(value);
      return value < kFirstObject || isExact ? value : kAnything;
    }
    case Kind::Sum:
      return combine(valueOf(*step.a), valueOf(*step.b));
    case Kind::Difference: {
      const Value minuend = valueOf(*step.a);
      const Value subtrahend = valueOf(*step.b);
      if (subtrahend >= kFirstObject) return minuend == subtrahend ? kNumber : kAnything;
      return combine(minuend, subtrahend);
    }
    case Kind::ScaledSum: {
      const Value factors = combine(valueOf(*step.a), valueOf(*step.b));
      return factors > kNumber ? kAnything : combine(factors, valueOf(*step.c));
    }
    case Kind::Select:
      return join(valueOf(*step.a), valueOf(*step.b));
    case Kind::None:
      break;
  }

  // Any other instruction gives a number if all its sources are numbers.
  Value result = kNumber;
  for (const Operand& operand : instruction.operands()) {
    if (operand.kind == OperandKind::Address) continue;  // the address is not part of the result
    const bool isResult = operand.kind == OperandKind::Register && !operand.reads;
    if (isResult || operand.isGroup()) continue;
    const Value value = valueOf(operand);
    if (value == kUndefined) result = result == kNumber ? kUndefined : result;
    if (value > kNumber) result = kAnything;
  }
  return result;
}

AddressObjects::AddressObjects(const ir::Function& function, bool flatShared)
    : function_(&function), flatShared_(flatShared), values_(function.registerCount(), kUndefined) {
  BitSet isDefined(function.registerCount());
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    for (const Operand& operand : instruction->operands()) {
      if (operand.symbol() != ir::SymbolId::None) intern(operand.symbol());
      if (operand.writes) isDefined.set(static_cast<std::size_t>(operand.reg()));
    }
  }
  if (objects_.empty()) return;
  // A register without a definition comes from a caller, or is any number.
  for (std::size_t r = 0; r < values_.size(); ++r) {
    if (!isDefined.test(r)) values_[r] = kNumber;
  }

  // Values only rise, so this terminates.  A sweep is enough if no value rises after its use.
  // Values that still do so in the last sweep are given up.
  BitSet isUsed(function.registerCount());
  bool isUnfinished = true;
  for (std::size_t sweep = 0; isUnfinished; ++sweep) {
    if (reaches(sweep, Limit::ObjectSweeps)) break;
    isUnfinished = false;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      bool isEvaluated = false;
      Value result = kUndefined;
      for (const Operand& operand : instruction->operands()) {
        if (!operand.writes || values_[operand.id] == kAnything) continue;
        if (!isEvaluated) {
          for (const Operand& source : instruction->operands()) {
            if (source.kind == OperandKind::Register && source.reads) isUsed.set(source.id);
          }
          result = resultOf(*instruction);
          isEvaluated = true;
        }
        Value& value = values_[operand.id];
        const Value next = join(value, operand.component == 0 ? result : kAnything);
        isUnfinished |= next != value && isUsed.test(operand.id);
        value = next;
      }
    }
  }
  if (isUnfinished) std::fill(values_.begin(), values_.end(), kAnything);
}

Place AddressObjects::placeOf(const Operand& address, Domain domain) const {
  Place place = {domain};
  Value value = kAnything;
  if (address.kind == OperandKind::Address && address.base == ir::AddressBase::Register) {
    value = values_[address.id];
  } else if (address.symbol() != ir::SymbolId::None) {
    value = valueOf(address.symbol());
  }
  const ir::Variable* object = objectOf(value);
  if (object == nullptr) return place;
  switch (object->space) {
    case Space::Shared:
      if (domain != Domain::Global) place = {Domain::Shared, flatShared_ ? nullptr : object};
      break;
    case Space::Global:
      if (domain != Domain::Shared) place = {Domain::Global, object};
      break;
    case Space::Local:
    case Space::Const:
      place.isHarmless = domain == Domain::Any;
      break;
    default:
      break;
  }
  return place;
}

}  // namespace ptxopt::analysis
