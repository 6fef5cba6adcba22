#include "interp/decode/decoder.h"

#include <algorithm>
#include <bit>

#include "analysis/callee.h"
#include "interp/arithmetic/conversion.h"
#include "interp/decode/bind.h"
#include "interp/decode/specials.h"
#include "ir/module.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Space;
using isa::Type;

std::uint32_t slotsOf(const ir::RegisterRange& range) {
  return range.vectorWidth * (range.type == Type::B128 ? 2u : 1u);
}

Rounding roundingOf(const isa::Form& form) {
  if (form.has(".rz")) return Rounding::Zero;
  if (form.has(".rm")) return Rounding::Down;
  if (form.has(".rp")) return Rounding::Up;
  return Rounding::NearestEven;
}

std::uint16_t flagsOf(const isa::Form& form) {
  constexpr std::pair<std::string_view, OpFlag> kWords[] = {{".ftz", kFtz},
                                                            {".sat", kSaturate},
                                                            {".relu", kRelu},
                                                            {".NaN", kPropagateNaN},
                                                            {".xorsign", kXorSignAbs},
                                                            {".abs", kAbs},
                                                            {".satfinite", kSatFinite},
                                                            {".aligned", kAligned}};
  std::uint16_t flags = 0;
  for (const auto& [word, flag] : kWords) {
    if (form.has(word)) flags = static_cast<std::uint16_t>(flags | flag);
  }
  return flags;
}

Builtin builtinOf(std::string_view name) {
  if (name == "vprintf") return Builtin::Printf;
  if (name == "malloc") return Builtin::Malloc;
  if (name == "free") return Builtin::Free;
  if (name == "__assertfail") return Builtin::AssertFail;
  return Builtin::None;
}

}  // namespace

Decoder::Decoder(Program& program, const ir::Function& function, Code& code)
    : program_(&program), function_(&function), code_(&code) {}

void Decoder::run() {
  code_->function = function_;
  std::uint32_t next = 1;  // slot 0 stands for no operand
  for (const ir::RegisterRange& range : function_->registers()) {
    slotOfRange_.push_back(next);
    next += range.count * slotsOf(range);
  }
  code_->frame.resize(next);
  trueSlot_ = constant(1);
  scratch_ = temporary();
  carry_ = temporary();
  layOutFormals();

  for (const ir::Statement& statement : function_->body()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) placeLocal(*variable);
    } else if (const auto* label = statement.as<ir::Label>()) {
      labels_[label->symbol] = static_cast<std::uint32_t>(code_->ops.size());
    } else if (const auto* instruction = statement.as<ir::Instruction>()) {
      decode(*instruction);
    }
  }
  // Behind the last statement a function returns.
  prototype_ = Op{};
  prototype_.guard = trueSlot_;
  prototype_.action = Action::Return;
  emit(prototype_);
  resolveBranches();
  code_->localBytes = alignUp(code_->localBytes, 16);
}

void Decoder::layOutFormals() {
  if (function_->isEntry()) return;
  const auto transfer = [&](const ir::Variable& variable) {
    Transfer result;
    if (variable.space == Space::Reg) {
      std::size_t k = 0;
      for (const ir::RegisterRange& range : function_->registers()) {
        if (range.isParameter && range.name == variable.name) result.slot = slotOfRange_[k];
        ++k;
      }
      return result;
    }
    placeLocal(variable);
    result.inMemory = true;
    result.offset = localOffsets_[&variable];
    result.size = variable.size;
    return result;
  };
  for (const ir::Variable* variable : function_->results) {
    code_->results.push_back(transfer(*variable));
  }
  for (const ir::Variable* variable : function_->parameters) {
    code_->parameters.push_back(transfer(*variable));
  }
}

void Decoder::placeLocal(const ir::Variable& variable) {
  const bool isFormal =
      std::count(function_->parameters.begin(), function_->parameters.end(), &variable) != 0 ||
      std::count(function_->results.begin(), function_->results.end(), &variable) != 0;
  const bool isLocal = variable.space == Space::Local || variable.space == Space::Param ||
                       variable.space == Space::ParamFunc || isFormal;
  if (!isLocal) return;
  code_->localBytes = alignUp(code_->localBytes, alignmentOf(variable));
  localOffsets_[&variable] = code_->localBytes;
  code_->localBytes += variable.size * std::max(variable.count, 1u);
}

// ---- operands
// ------------------------------------------------------------------------------------

std::uint32_t Decoder::constant(std::uint64_t value) {
  const auto [at, isNew] = constants_.try_emplace(value, 0);
  if (isNew) {
    at->second = static_cast<std::uint32_t>(code_->frame.size());
    code_->frame.push_back(value);
  }
  return at->second;
}

std::uint32_t Decoder::temporary() {
  code_->frame.push_back(0);
  return static_cast<std::uint32_t>(code_->frame.size() - 1);
}

std::uint32_t Decoder::dynamicSlot(FrameValue::Kind kind, std::uint64_t value) {
  const auto [at, isNew] = dynamics_.try_emplace({kind, value}, 0);
  if (isNew) {
    at->second = temporary();
    code_->values.push_back({kind, at->second, value});
  }
  return at->second;
}

std::uint32_t Decoder::addList(const std::vector<std::uint32_t>& slots) {
  const auto first = static_cast<std::uint32_t>(code_->lists.size());
  code_->lists.insert(code_->lists.end(), slots.begin(), slots.end());
  return first;
}

std::uint32_t Decoder::registerSlot(ir::RegisterId id, std::uint8_t component) const {
  const ir::RegisterRange& range = function_->rangeOf(id);
  const auto index = static_cast<std::size_t>(&range - function_->registers().data());
  const std::uint32_t offset = static_cast<std::uint32_t>(id) - range.first;
  if (component > 8) throw Problem{"a selector of bytes of a register"};
  const std::uint32_t element = component == 0 ? 0 : (component - 1u) % 4;
  return slotOfRange_[index] + offset * slotsOf(range) + element;
}

int Decoder::registerWidth(ir::RegisterId id) const {
  const Type type = function_->rangeOf(id).type;
  return type == Type::Pred ? 1 : isa::bitWidth(type);
}

int Decoder::widthOf(const ir::Operand& operand) const {
  if (operand.kind == ir::OperandKind::Vector) {
    for (const ir::Operand& member : ir::members(operand)) {
      if (member.kind == ir::OperandKind::Register) return registerWidth(member.reg());
    }
    return 64;
  }
  return operand.kind == ir::OperandKind::Register ? registerWidth(operand.reg()) : 64;
}

std::uint32_t Decoder::symbolSlot(ir::SymbolId id, std::int64_t offset) {
  const ir::Symbol& symbol = function_->symbolAt(id);
  const auto more = static_cast<std::uint64_t>(offset);
  const std::string name(function_->module().text(symbol.name));
  if (symbol.kind == ir::SymbolKind::Function || symbol.kind == ir::SymbolKind::Alias) {
    const ir::Function* function = analysis::functionOf(*function_, id);
    if (function == nullptr) throw Problem{"'" + name + "' is no function"};
    if (function->hasBody()) program_->indexOf(*function);
    return constant(program_->image().addressOf(*function) + more);
  }
  if (symbol.kind != ir::SymbolKind::Variable && symbol.kind != ir::SymbolKind::Parameter) {
    throw Problem{"'" + name + "' is no variable"};
  }
  const ir::Variable& variable = *symbol.variable;
  if (const auto local = localOffsets_.find(&variable); local != localOffsets_.end()) {
    return dynamicSlot(FrameValue::Kind::LocalAddress, local->second + more);
  }
  if (variable.space == Space::Shared) {
    return dynamicSlot(FrameValue::Kind::SharedAddress, program_->sharedOffset(variable) + more);
  }
  if (const ImageObject* object = program_->image().find(variable)) {
    return constant(object->address + more);
  }
  for (const EntryParameter& parameter : program_->parameters()) {
    if (parameter.variable == &variable) return constant(kParameterBase + parameter.offset + more);
  }
  throw Problem{"'" + name + "' has no address here"};
}

std::uint32_t Decoder::source(const ir::Operand& operand, Type type) {
  switch (operand.kind) {
    case ir::OperandKind::Register: {
      const std::uint32_t slot = registerSlot(operand.reg(), operand.component);
      if (!operand.negated) return slot;
      if (function_->rangeOf(operand.reg()).type != Type::Pred) {
        throw Problem{"a negated register"};
      }
      Op op = prototype_;
      op.compute = negatePredicate();
      op.a = slot;
      op.d = temporary();
      emit(op);
      return op.d;
    }
    case ir::OperandKind::SpecialRegister: {
      const std::string_view name = function_->module().text(NameId{operand.id});
      if (const auto special = findSpecial(name)) {
        return dynamicSlot(FrameValue::Kind::Special, static_cast<std::uint64_t>(*special));
      }
      const int width = timerWidth(name);
      if (width == 0) throw Problem{"special register " + std::string(name)};
      Op op = prototype_;
      op.action = Action::Timer;
      op.width = static_cast<std::uint8_t>(width);
      op.detail = name.ends_with("_hi") ? 32 : 0;
      op.d = temporary();
      emit(op);
      return op.d;
    }
    case ir::OperandKind::Integer: {
      const int width = type == Type::Pred ? 1 : isa::bitWidth(type);
      const auto value = static_cast<std::uint64_t>(operand.immediate);
      if (type == Type::Pred && operand.negated) return constant(value == 0 ? 1 : 0);
      return constant(width == 0 ? value : truncated(value, width));
    }
    case ir::OperandKind::Float32:
      if (type == Type::F64)
        return constant(std::bit_cast<std::uint64_t>(double{operand.asFloat()}));
      return constant(static_cast<std::uint32_t>(operand.immediate));
    case ir::OperandKind::Float64:
      if (isa::bitWidth(type) == 32) {
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(operand.asDouble())));
      }
      return constant(static_cast<std::uint64_t>(operand.immediate));
    case ir::OperandKind::Symbol:
      return symbolSlot(operand.symbol(), operand.immediate);
    case ir::OperandKind::Sink:
      return constant(0);
    default:
      throw Problem{"an operand of this kind"};
  }
}

std::uint32_t Decoder::destination(const ir::Operand& operand) {
  if (operand.kind == ir::OperandKind::Sink) return scratch_;
  if (operand.kind != ir::OperandKind::Register) throw Problem{"a destination of this kind"};
  return registerSlot(operand.reg(), operand.component);
}

std::uint32_t Decoder::address(const ir::Operand& operand, Op& op, std::int64_t& offset) {
  if (operand.kind != ir::OperandKind::Address) throw Problem{"an address of this form"};
  offset = 0;
  switch (operand.base) {
    case ir::AddressBase::None:
      return constant(static_cast<std::uint64_t>(operand.immediate));
    case ir::AddressBase::Symbol:
      return symbolSlot(operand.symbol(), operand.immediate);
    case ir::AddressBase::Register:
      break;
  }
  offset = operand.immediate;
  if (registerWidth(operand.reg()) == 32) op.flags |= kAddress32;  // docs/soundness.md D4.1
  return registerSlot(operand.reg(), operand.component);
}

std::vector<std::uint32_t> Decoder::elements(const ir::Operand& operand, Type type, bool writes) {
  std::vector<std::uint32_t> slots;
  const auto add = [&](const ir::Operand& member) {
    const std::uint32_t first = writes ? destination(member) : source(member, type);
    std::uint32_t count = 1;
    if (member.kind == ir::OperandKind::Register && member.component == 0) {
      count = slotsOf(function_->rangeOf(member.reg()));
    } else if (member.kind == ir::OperandKind::Sink && type == Type::B128) {
      count = 2;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      slots.push_back(member.kind == ir::OperandKind::Sink ? first : first + k);
    }
  };
  if (operand.kind == ir::OperandKind::Vector) {
    for (const ir::Operand& member : ir::members(operand)) add(member);
  } else {
    add(operand);
  }
  return slots;
}

const ir::Operand& Decoder::operand(const ir::Instruction& instruction, std::size_t k) const {
  const ir::Operand* found = instruction.operand(k);
  if (found == nullptr) throw Problem{"too few operands"};
  return *found;
}

void Decoder::emitCopy(const Op& like, std::uint32_t to, std::uint32_t from) {
  Op op = like;
  op.compute = copySlot();
  op.d = to;
  op.a = from;
  emit(op);
}

// ---- instructions
// --------------------------------------------------------------------------------

void Decoder::decode(const ir::Instruction& instruction) {
  const isa::Form& form = *instruction.form;
  prototype_ = Op{};
  prototype_.origin = &instruction;
  prototype_.guard = trueSlot_;
  Op op = prototype_;
  if (instruction.guard) {
    op.guard = registerSlot(instruction.guard.predicate(), 0);
    op.guardExpected = instruction.guard.negated() ? 0 : 1;
  }
  op.type = form.type;
  op.sourceType = form.sourceType;
  op.space = form.space;
  op.scope = form.scope;
  op.semantics = form.semantics;
  op.flags = flagsOf(form);
  op.rounding = roundingOf(form);

  const std::size_t before = code_->ops.size();
  try {
    if (!form.known()) throw Problem{"the instruction table has no row for it"};
    switch (form.opcode) {
      case Opcode::Bra:
      case Opcode::Brx:
      case Opcode::Ret:
      case Opcode::Exit:
      case Opcode::Trap:
        return decodeControl(instruction, op);
      case Opcode::Call:
        return decodeCall(instruction, op);
      case Opcode::Mov:
        return decodeMove(instruction, op);
      case Opcode::Ld:
      case Opcode::Ldu:
        return decodeLoad(instruction, op);
      case Opcode::St:
        return decodeStore(instruction, op);
      case Opcode::Atom:
      case Opcode::Red:
        return decodeAtomic(instruction, op);
      case Opcode::Cp:
        return decodeCopyAsync(instruction, op);
      case Opcode::Bar:
      case Opcode::Barrier:
        return decodeBarrier(instruction, op);
      case Opcode::Shfl:
      case Opcode::Vote:
      case Opcode::Match:
      case Opcode::Redux:
      case Opcode::Elect:
      case Opcode::Activemask:
        return decodeCollective(instruction, op);
      case Opcode::Mma:
      case Opcode::Ldmatrix:
        return decodeMatrix(instruction, op);
      case Opcode::Mbarrier:
        return decodeMbarrier(instruction, op);
      case Opcode::Membar:
      case Opcode::Fence:
        // There is one path to memory here, so what orders paths alone does nothing.
        op.action = form.has(".proxy") && op.semantics == isa::Semantics::None ? Action::Nothing
                                                                               : Action::Fence;
        return emit(op);
      case Opcode::Prefetch:
      case Opcode::Prefetchu:
      case Opcode::Applypriority:
      case Opcode::Nanosleep:
      case Opcode::Pmevent:
      case Opcode::Griddepcontrol:
      case Opcode::Setmaxnreg:
        op.action = Action::Nothing;
        return emit(op);
      default:
        return decodePure(instruction, op);
    }
  } catch (const Problem& problem) {
    code_->ops.resize(before);
    op.action = Action::Unsupported;
    op.index = static_cast<std::uint32_t>(code_->problems.size());
    code_->problems.push_back(problem.message);
    emit(op);
  }
}

void Decoder::decodeControl(const ir::Instruction& instruction, Op op) {
  switch (instruction.form->opcode) {
    case Opcode::Bra: {
      const ir::SymbolId label = operand(instruction, 0).symbol();
      if (label == ir::SymbolId::None) throw Problem{"a branch to no label"};
      op.action = Action::Branch;
      branches_.emplace_back(static_cast<std::uint32_t>(code_->ops.size()), label);
      break;
    }
    case Opcode::Brx: {
      op.action = Action::BranchTable;
      op.a = source(operand(instruction, 0), Type::U32);
      const ir::Symbol& symbol = function_->symbolAt(operand(instruction, 1).symbol());
      if (symbol.kind != ir::SymbolKind::TargetList) throw Problem{"brx without a list"};
      op.index = static_cast<std::uint32_t>(code_->lists.size());
      op.immediate = static_cast<std::int64_t>(symbol.targets->targets.size());
      for (const ir::SymbolId target : symbol.targets->targets) {
        tables_.emplace_back(static_cast<std::uint32_t>(code_->lists.size()), target);
        code_->lists.push_back(0);
      }
      break;
    }
    case Opcode::Ret:
      op.action = Action::Return;
      break;
    case Opcode::Exit:
      op.action = Action::Exit;
      break;
    default:
      op.action = Action::Trap;
      break;
  }
  emit(op);
}

void Decoder::resolveBranches() {
  const auto target = [&](ir::SymbolId label) {
    const auto found = labels_.find(label);
    return found == labels_.end() ? ~0u : found->second;
  };
  for (const auto& [at, label] : branches_) {
    Op& op = code_->ops[at];
    op.index = target(label);
    if (op.index != ~0u) continue;
    op.action = Action::Unsupported;
    op.index = static_cast<std::uint32_t>(code_->problems.size());
    code_->problems.emplace_back("a branch to no label of this function");
  }
  for (const auto& [at, label] : tables_) code_->lists[at] = target(label);
}

void Decoder::decodeCall(const ir::Instruction& instruction, Op op) {
  const analysis::Callee callee = analysis::calleeOf(*function_, instruction);
  CallSite site;
  std::string name;
  if (callee.function != nullptr) {
    name = callee.function->nameText();
    if (callee.function->hasBody()) {
      site.callee = program_->indexOf(*callee.function);
    } else {
      site.builtin = builtinOf(name);
      if (site.builtin == Builtin::None)
        throw Problem{"a call of '" + name + "', which has no body"};
    }
  } else if (callee.undeclared != NameId::None) {
    throw Problem{"a call of '" + std::string(function_->module().text(callee.undeclared)) +
                  "', which is not declared"};
  } else {
    program_->setCallsIndirectly();
  }

  bool sawTarget = false;
  for (std::size_t k = 0; const ir::Operand* part = instruction.operand(k); ++k) {
    if (part->kind != ir::OperandKind::List) {
      if (!sawTarget && !callee.isDirect()) op.a = source(*part, Type::U64);
      sawTarget = true;
      continue;
    }
    std::vector<Transfer>& transfers = sawTarget ? site.arguments : site.results;
    for (const ir::Operand& member : ir::members(*part)) {
      Transfer transfer;
      const ir::SymbolId id = member.symbol();
      if (id != ir::SymbolId::None && member.kind == ir::OperandKind::Symbol) {
        const ir::Symbol& symbol = function_->symbolAt(id);
        const bool isVariable =
            symbol.kind == ir::SymbolKind::Variable || symbol.kind == ir::SymbolKind::Parameter;
        const auto local = isVariable ? localOffsets_.find(symbol.variable) : localOffsets_.end();
        if (local == localOffsets_.end()) throw Problem{"an argument that is no .param variable"};
        transfer.inMemory = true;
        transfer.offset = local->second;
        transfer.size = symbol.variable->size;
      } else {
        transfer.slot = sawTarget ? source(member, Type::B64) : destination(member);
      }
      transfers.push_back(transfer);
    }
  }
  op.action = Action::Call;
  op.index = static_cast<std::uint32_t>(code_->calls.size());
  code_->calls.push_back(std::move(site));
  emit(op);
}

void Decoder::decodeMove(const ir::Instruction& instruction, Op op) {
  const ir::Operand& to = operand(instruction, 0);
  const ir::Operand& from = operand(instruction, 1);
  const bool packs = from.kind == ir::OperandKind::Vector;
  const bool unpacks = to.kind == ir::OperandKind::Vector;
  const bool isVectorMove = instruction.form->vectorWidth > 1;
  if (op.type == Type::B128 || isVectorMove || (packs && unpacks)) {
    // Slot by slot, through temporaries where a destination may be a source.
    const Type element = op.type == Type::B128 ? Type::B64 : op.type;
    const std::vector<std::uint32_t> sources = elements(from, element, false);
    const std::vector<std::uint32_t> targets = elements(to, element, true);
    if (sources.size() != targets.size()) throw Problem{"a move between vectors of this shape"};
    std::vector<std::uint32_t> copies;
    for (const std::uint32_t slot : sources) {
      copies.push_back(temporary());
      emitCopy(op, copies.back(), slot);
    }
    for (std::size_t k = 0; k < targets.size(); ++k) emitCopy(op, targets[k], copies[k]);
    return;
  }
  const int width = isa::bitWidth(op.type);
  if (packs) {
    const std::vector<std::uint32_t> parts = elements(from, Type::B64, false);
    op.d = temporary();
    op.compute = clearSlot();
    emit(op);
    op.compute = insertBits();
    op.width = static_cast<std::uint8_t>(width / static_cast<int>(parts.size()));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      op.a = parts[k];
      op.immediate = static_cast<std::int64_t>(k) * op.width;
      emit(op);
    }
    return emitCopy(op, destination(to), op.d);
  }
  if (unpacks) {
    const std::vector<std::uint32_t> parts = elements(to, Type::B64, true);
    op.a = temporary();
    emitCopy(op, op.a, source(from, op.type));
    op.compute = extractBits();
    op.width = static_cast<std::uint8_t>(width / static_cast<int>(parts.size()));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      op.d = parts[k];
      op.immediate = static_cast<std::int64_t>(k) * op.width;
      emit(op);
    }
    return;
  }
  emitCopy(op, destination(to), source(from, op.type));
}

void Decoder::decodePure(const ir::Instruction& instruction, Op op) {
  const isa::Form& form = *instruction.form;
  // Destination, then sources, in the order of the text.
  std::uint32_t* const places[] = {&op.d, &op.a, &op.b, &op.c, &op.e};
  for (std::size_t k = 0; const ir::Operand* part = instruction.operand(k); ++k) {
    if (k >= std::size(places)) throw Problem{"more operands than are known"};
    if (k == 0) {
      if (part->kind == ir::OperandKind::Pair) {
        const auto both = ir::members(*part);
        op.d = destination(both[0]);
        op.q = destination(both[1]);
      } else {
        op.d = destination(*part);
      }
      continue;
    }
    Type type = form.role(k).type;
    if (type == Type::None) type = op.type;
    *places[k] = source(*part, type);
  }
  if (form.readsCarry || form.writesCarry) op.e = carry_;
  if (form.opcode == Opcode::Mul24) op.c = constant(0);
  if (const ir::Operand* target = instruction.operand(0)) {
    op.width = static_cast<std::uint8_t>(widthOf(*target));
  }

  for (const auto bind : {&bindInteger, &bindFloat, &bindHalf, &bindCompare, &bindConvert}) {
    Op trial = op;
    trial.compute = bind(form, trial);
    if (trial.compute != nullptr) return emit(trial);
  }
  op.compute = bindAddress(form, op, program_->image().windows());
  if (op.compute == nullptr) throw Problem{"this form is not implemented"};
  emit(op);
}

}  // namespace ptxopt::interp
