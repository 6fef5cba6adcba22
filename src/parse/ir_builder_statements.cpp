// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of function bodies.
#include <algorithm>
#include <limits>
#include <string>

#include "parse/in_quotes.h"
#include "parse/ir_builder.h"

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

namespace {

isa::OperandShape shapeOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::Address:
    case OperandKind::AddressList:
      return isa::OperandShape::Address;
    case OperandKind::Vector:
      return isa::OperandShape::Vector;
    case OperandKind::List:
      return isa::OperandShape::List;
    case OperandKind::Pair:
      return isa::OperandShape::Pair;
    default:
      return isa::OperandShape::Scalar;
  }
}

// Sets the direction of the registers of one top-level operand as in the table; registers in
// brackets are read.
void setDirection(std::span<Operand> operand, isa::OperandRole role) {
  std::size_t bracketEnd = 0;
  for (std::size_t at = 0; at < operand.size(); ++at) {
    Operand& part = operand[at];
    if (part.kind == OperandKind::AddressList)
      bracketEnd = std::max(bracketEnd, at + part.extent());
    if (part.kind == OperandKind::Register) {
      const bool inBracket = at < bracketEnd;
      part.reads = inBracket || role.reads;
      part.writes = !inBracket && role.writes;
    } else if (part.kind == OperandKind::Address) {
      part.reads = part.base == ir::AddressBase::Register;
    }
  }
}

}  // namespace

void IrBuilder::word(const TokenView& word) {
  if (kind_ == Statement::Prototype) return;  // its `_`
  word_ = word;
  mnemonic_ = word.name();
}

// A mnemonic in several words is joined.
void IrBuilder::modifier(const TokenView& word) {
  std::string joined(module_.text(mnemonic_));
  joined += module_.text(word.name());
  mnemonic_ = copyAndIntern(joined);
}

void IrBuilder::guardName(const TokenView& name) {
  const ScopeTable::Found found = findName(name);
  if (found.kind == ScopeTable::Kind::Register) {
    guard_ = ir::Guard(ir::RegisterId{found.id}, guardNegated_);
    return;
  }
  // A guard of the IR must be a register, so `@%is_explicit_cluster` becomes an undeclared
  // register.
  function_->isOpaque = true;
  const std::string_view text = textOf(name);
  const ir::RegisterId made =
      function_->addRegisters({.name = copyAndIntern(text), .type = isa::Type::Pred});
  guard_ = ir::Guard(made, guardNegated_);
  warnOnce(name.start, text, "guard " + inQuotes(text) + " is not a register of the function");
}

void IrBuilder::label(Offset end) {
  auto* label = module_.arena().create<ir::Label>(0);
  label->kind = ir::StatementKind::Label;
  ir::Symbol symbol{.name = fullName(word_), .kind = ir::SymbolKind::Label};
  symbol.label = label;
  label->symbol = declareLocalSymbol(symbol);
  append(label, statementBegin_, end);
}

void IrBuilder::beginTargets(bool areCalls) {
  kind_ = Statement::Targets;
  targetsAreCalls_ = areCalls;
  targets_.clear();
}

void IrBuilder::targetName(const TokenView& name) {
  targets_.push_back({.name = fullName(name)});
  if (!targetsAreCalls_) return;
  // ptxas looks functions up at once, as in a call: a label of this name below is another thing.
  const ScopeTable::Found found = findName(name);
  if (found.kind == ScopeTable::Kind::Symbol) targets_.back().symbol = ir::SymbolId{found.id};
}

void IrBuilder::targetCount(std::uint64_t count) {
  targets_.back().count = count;
  targets_.back().isRange = true;
}

void IrBuilder::endStatement(Offset end) {
  switch (kind_) {
    case Statement::Instruction:
      return endInstruction(end);
    case Statement::Targets:
      return endTargets(end);
    case Statement::Prototype:
      return endPrototype(end);
  }
}

// ---- instructions -------------------------------------------------------------------------------

isa::Shape IrBuilder::shapeOfOperands() const {
  isa::Shape shape;
  for (std::size_t at = 0; at < stack_.size(); at += stack_[at].extent()) {
    shape.push(shapeOf(stack_[at].kind));
  }
  return shape;
}

const isa::InstructionDesc& IrBuilder::descOf(isa::Shape shape) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  const std::uint64_t hash =
      (shape.key() * kMultiplier ^ static_cast<std::uint64_t>(mnemonic_)) * kMultiplier;
  std::size_t at = hash >> 40 & (descs_.size() - 1);
  while (descs_[at].desc != nullptr) {
    if (descs_[at].mnemonic == mnemonic_ && descs_[at].shape == shape.key())
      return *descs_[at].desc;
    at = (at + 1) & (descs_.size() - 1);
  }
  const isa::InstructionDesc& desc = module_.instructionTable().get(module_.text(mnemonic_), shape);
  descs_[at] = {mnemonic_, shape.key(), &desc};
  if (++descCount_ * 2 > descs_.size()) {
    std::vector<DescSlot> old(descs_.size() * 2);
    old.swap(descs_);
    for (const DescSlot& slot : old) {
      if (slot.desc == nullptr) continue;
      const std::uint64_t again =
          (slot.shape * kMultiplier ^ static_cast<std::uint64_t>(slot.mnemonic)) * kMultiplier;
      std::size_t to = again >> 40 & (descs_.size() - 1);
      while (descs_[to].desc != nullptr) to = (to + 1) & (descs_.size() - 1);
      descs_[to] = slot;
    }
  }
  return desc;
}

// `(5)` is a list only among the arguments of a call.  Returns true if an operand changed.
bool IrBuilder::unwrapOperands(const isa::InstructionDesc& desc) {
  if (desc.is(isa::kTakesLists)) return false;
  bool changed = false;
  for (std::size_t at = 0; at < stack_.size(); at += stack_[at].extent()) {
    changed = unwrapParentheses(stack_, at) || changed;
  }
  return changed;
}

// `ld.u32 r, array[2]`: if the table has no row with a scalar, the element is an address.  Returns
// true if an operand changed.
bool IrBuilder::makeElementsAddresses() {
  if (!hasElement_) return false;
  for (std::size_t at = 0; at < stack_.size(); at += stack_[at].extent()) {
    Operand& operand = stack_[at];
    if (operand.kind != OperandKind::Symbol || operand.component != kElement) continue;
    operand.kind = OperandKind::Address;
    operand.base = ir::AddressBase::Symbol;
  }
  return true;
}

namespace {

// What ptxas makes of operands whose reading is not plain.
void readAsPtxas(ir::Instruction& instruction) {
  const isa::Opcode opcode = instruction.desc->opcode;
  const std::span<Operand> operands = instruction.operands();
  if (opcode == isa::Opcode::Setp) {
    // `%p1|%p1`: the first result stays (docs/soundness/ A5.11).
    if (operands.size() > 2 && operands[0].kind == OperandKind::Pair &&
        operands[1].reg() != ir::RegisterId::None && operands[1].reg() == operands[2].reg()) {
      operands[2] = Operand{};
    }
  } else if (opcode == isa::Opcode::Shl || opcode == isa::Opcode::Shr) {
    // The amount of a shift of 16 bits has 16 bits if it is a number (A5.8).
    Operand& amount = operands.back();
    if (isa::bitWidth(instruction.desc->type) == 16 && amount.kind == OperandKind::Integer) {
      amount.immediate &= 0xFFFF;
    }
  }
}

}  // namespace

void IrBuilder::endInstruction(Offset end) {
  isa::Shape shape = shapeOfOperands();
  const isa::InstructionDesc* desc = &descOf(shape);
  if (!desc->known()) {
    const bool isUnwrapped = unwrapOperands(*desc);
    if (makeElementsAddresses() || isUnwrapped) {
      shape = shapeOfOperands();
      desc = &descOf(shape);
    }
    if (!desc->known()) {
      warnOnce(word_.start, desc->mnemonic,
               (desc->unknownOpcode ? "unknown opcode " : "unknown form of the instruction ") +
                   inQuotes(desc->mnemonic));
    }
  }
  if (stack_.size() > std::numeric_limits<std::uint16_t>::max()) {
    fail(statementBegin_, "more operands than an instruction can have");
  }

  auto* instruction = module_.arena().create<ir::Instruction>(stack_.size() * sizeof(Operand));
  instruction->kind = ir::StatementKind::Instruction;
  instruction->operandCount = static_cast<std::uint16_t>(stack_.size());
  instruction->guard = guard_;
  instruction->desc = desc;
  const std::span<Operand> operands = instruction->operands();
  std::copy(stack_.begin(), stack_.end(), operands.begin());
  for (std::size_t at = 0, k = 0; at < operands.size(); ++k) {
    Operand& operand = operands[at];
    const isa::OperandRole role = k < desc->roles.size() ? desc->roles[k] : desc->role(k);
    const std::size_t extent = operand.extent();
    at += extent;
    if (operand.kind == OperandKind::Register) {
      operand.reads = role.reads;
      operand.writes = role.writes;
    } else if (extent > 1 || operand.kind == OperandKind::Address) {
      setDirection({&operand, extent}, role);
    }
  }
  if (instruction->desc->known()) readAsPtxas(*instruction);
  if (hasUnknownSpecial_) noteUnknownNames(*instruction);
  if (hasPending_ || hasElement_) keepPending(*instruction);
  append(instruction, statementBegin_, end);
}

void IrBuilder::keepPending(ir::Instruction& instruction) {
  hasPending_ = hasElement_ = false;
  for (Operand& operand : instruction.operands()) {
    if (operand.symbol() == ir::SymbolId::None || operand.component == 0) continue;
    const bool isPending = operand.component == kPending;
    operand.component = 0;
    if (isPending) pending_.add(NameId{operand.id}, statementBegin_, &operand);
  }
}

// A name with % that is neither declared nor a known special register: one of a later release, or a
// label.
void IrBuilder::noteUnknownNames(ir::Instruction& instruction) {
  hasUnknownSpecial_ = false;
  for (Operand& operand : instruction.operands()) {
    if (operand.kind != OperandKind::SpecialRegister ||
        operand.immediate != ir::kUnknownSpecialRegister) {
      continue;
    }
    const NameId name{operand.id};
    if (instruction.desc->control == isa::Control::Branch) {
      operand = Operand::ofSymbol(ir::SymbolId{operand.id});
      operand.component = kPending;
      hasPending_ = true;
      continue;
    }
    const std::string_view text = module_.text(name);
    warnOnce(statementBegin_, text, "unknown special register " + inQuotes(text));
  }
}

// ---- lists of targets and prototypes ------------------------------------------------------------

// The label right before the statement becomes part of the statement.
ir::Label* IrBuilder::takeLabel(Offset* begin) {
  ir::Statement* last = function_->body().back();
  ir::Label* label = last != nullptr ? last->as<ir::Label>() : nullptr;
  if (label != nullptr) {
    function_->body().remove(label);
    *begin = label->source.begin;
  }
  return label;
}

void IrBuilder::endTargets(Offset end) {
  constexpr std::uint64_t kMaxTargets = 1u << 20;
  std::uint64_t count = 0;
  for (const Target& target : targets_) {
    count += std::min(target.count, kMaxTargets);
    if (count > kMaxTargets) fail(statementBegin_, "more targets than a list can have");
  }
  Offset begin = statementBegin_;
  const ir::Label* label = takeLabel(&begin);
  auto* list = module_.arena().create<ir::TargetList>(0);
  list->kind = ir::StatementKind::TargetList;
  list->areCalls = targetsAreCalls_;
  const std::vector<ir::SymbolId> empty(count, ir::SymbolId::None);
  list->targets = module_.arena().copy(std::span<const ir::SymbolId>(empty));
  if (label != nullptr) {
    list->symbol = label->symbol;
    ir::Symbol& symbol = function_->localSymbol(label->symbol);
    symbol.kind = ir::SymbolKind::TargetList;
    symbol.targets = list;
  }
  ir::SymbolId* place = list->targets.data();
  for (const Target& target : targets_) {
    for (std::uint64_t k = 0; k < target.count; ++k) {
      const NameId name =
          target.isRange ? copyAndIntern(std::string(module_.text(target.name)) + std::to_string(k))
                         : target.name;
      if (!target.isRange && target.symbol != ir::SymbolId::None) {
        *place++ = target.symbol;
      } else {
        pending_.add(name, statementBegin_, place++);
      }
    }
  }
  append(list, begin, end);
}

void IrBuilder::endPrototype(Offset end) {
  Offset begin = statementBegin_;
  const ir::Label* label = takeLabel(&begin);
  auto* prototype = module_.arena().create<ir::Prototype>(0);
  prototype->kind = ir::StatementKind::Prototype;
  prototype->text = slice(statementBegin_, end);
  prototype->noReturn = prototypeNoReturn_;
  prototypeNoReturn_ = false;
  if (label != nullptr) {
    prototype->symbol = label->symbol;
    ir::Symbol& symbol = function_->localSymbol(label->symbol);
    symbol.kind = ir::SymbolKind::Prototype;
    symbol.prototype = prototype;
  }
  append(prototype, begin, end);
}

}  // namespace ptxopt::parse
