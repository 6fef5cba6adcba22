// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/decode/decoder.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "analysis/flow/callee.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/maybe_undefined.h"
#include "analysis/flow/register_effects.h"
#include "interp/arithmetic/conversion.h"
#include "interp/decode/audit_emitter.h"
#include "interp/decode/bind.h"
#include "interp/decode/specials.h"
#include "ir/module.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Space;
using isa::Type;

Rounding roundingOf(const isa::InstructionDesc& desc) {
  if (desc.has(".rz")) return Rounding::Zero;
  if (desc.has(".rm")) return Rounding::Down;
  if (desc.has(".rp")) return Rounding::Up;
  return Rounding::NearestEven;
}

std::uint16_t flagsOf(const isa::InstructionDesc& desc) {
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
    if (desc.has(word)) flags = static_cast<std::uint16_t>(flags | flag);
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

// Why no instruction of the family can run; null: they can.
const char* problemOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::Fabric:
      return "its family is not implemented";
    default:
      return nullptr;
  }
}

bool isTexture(const isa::InstructionDesc& desc) {
  const std::string_view section = desc.row->section;
  return section.starts_with("9.7.12.") || section.starts_with("9.7.13.");
}

// Bit k: byte k of what the next load reads is used (docs/soundness/ A5.5).
std::optional<std::uint64_t> usedBytesOf(const ir::Pragma& pragma) {
  constexpr std::string_view kWord = "used_bytes_mask";
  const std::size_t at = pragma.text.find(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  return std::strtoull(std::string(pragma.text.substr(at + kWord.size())).c_str(), nullptr, 0);
}

}  // namespace

Decoder::Decoder(Program& program, const ir::Function& function, Code& code)
    : program_(&program), function_(&function), code_(&code) {}

Decoder::~Decoder() = default;

void Decoder::run() {
  code_->function = function_;
  std::uint32_t next = 1;  // slot 0 means that there is no operand
  for (const ir::RegisterRange& range : function_->registers()) {
    slotOfRange_.push_back(next);
    next += range.count * slotsOf(range);
  }
  code_->frame.resize(next);
  trueSlot_ = constant(1);
  code_->trueSlot = trueSlot_;
  scratch_ = temporary();
  carry_ = temporary();
  layOutFormals();
  findUndefinedReads();
  findFragments();
  prototype_.guard = trueSlot_;
  if (program_->audit() != nullptr && !function_->isOpaque) {
    audit_ = std::make_unique<AuditEmitter>(*this, *program_->audit());
    audit_->atStart();
  }

  for (const ir::Statement& statement : function_->body()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) placeLocal(*variable);
    } else if (const auto* label = statement.as<ir::Label>()) {
      labels_[label->symbol] = static_cast<std::uint32_t>(code_->ops.size());
    } else if (const auto* pragma = statement.as<ir::Pragma>()) {
      if (const auto used = usedBytesOf(*pragma)) usedBytes_ = used;
    } else if (const auto* instruction = statement.as<ir::Instruction>()) {
      decode(*instruction);
      if (instruction->desc->is(isa::kMemoryRead)) usedBytes_.reset();
    }
  }
  // A function returns after its last statement.
  prototype_ = Op{};
  prototype_.guard = trueSlot_;
  if (audit_ != nullptr) audit_->atEnd();
  Op last = prototype_;
  last.action = Action::Return;
  emit(last);
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
  const auto& ofEntry = program_->parameters();
  if (std::any_of(ofEntry.begin(), ofEntry.end(),
                  [&](const EntryParameter& parameter) { return parameter.variable == &variable; }))
    return;
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

void Decoder::emitCopy(const Op& like, std::uint32_t to, std::uint32_t from) {
  Op op = like;
  op.compute = copySlot();
  op.d = to;
  op.a = from;
  emit(op);
}

// ---- instructions -------------------------------------------------------------------------------

void Decoder::decode(const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  prototype_ = Op{};
  prototype_.origin = &instruction;
  prototype_.guard = trueSlot_;
  Op op = prototype_;
  if (instruction.guard && !function_->isOpaque) {
    op.guard = registerSlot(instruction.guard.predicate(), 0);
    op.guardExpected = instruction.guard.negated() ? 0 : 1;
  }
  op.type = desc.type;
  op.sourceType = desc.sourceType;
  op.space = desc.space;
  op.scope = desc.scope;
  op.semantics = desc.semantics;
  op.flags = flagsOf(desc);
  op.rounding = roundingOf(desc);

  if (audit_ != nullptr) audit_->inFront(instruction, op);
  if (!writtenSlots_.empty() && !function_->isOpaque) trackRegisters(instruction, op);
  if (!fragments_.empty()) touchFragments(instruction, op);
  const std::size_t first = code_->ops.size();
  decodeForm(instruction, op);
  if (audit_ != nullptr) audit_->after(instruction, op, first);
}

void Decoder::decodeForm(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const std::size_t before = code_->ops.size();
  try {
    // Its meaning is unknown, so the effect on its other instructions is unknown too.
    if (function_->isOpaque) throw Problem{"its function holds something that is not understood"};
    if (!desc.known()) throw Problem{"the instruction table has no row for it"};
    if (const char* problem = problemOf(desc.opcode)) throw Problem{problem};
    decodeKnown(instruction, op);
  } catch (const Problem& problem) {
    code_->ops.resize(before);
    op.action = Action::Unsupported;
    op.index = static_cast<std::uint32_t>(code_->problems.size());
    code_->problems.push_back(problem.message);
    emit(op);
  }
}

void Decoder::decodeKnown(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  switch (desc.opcode) {
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
    case Opcode::Multimem:
      return decodeMultimem(instruction, op);
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
    case Opcode::Wmma:
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix:
    case Opcode::Movmatrix:
      return decodeMatrix(instruction, op);
    case Opcode::Wgmma:
      return decodeWarpgroup(instruction, op);
    case Opcode::Tcgen05:
      return decodeTensorCore(instruction, op);
    case Opcode::Mbarrier:
      return decodeMbarrier(instruction, op);
    case Opcode::Clusterlaunchcontrol:
      return decodeLaunchControl(instruction, op);
    case Opcode::Tensormap:
      return decodeTensorMap(instruction, op);
    case Opcode::Membar:
    case Opcode::Fence:
      return decodeFence(instruction, op);
    case Opcode::Discard:
      return decodeFill(instruction, op);
    case Opcode::Alloca:
    case Opcode::Stacksave:
    case Opcode::Stackrestore:
      return decodeStack(instruction, op);
    case Opcode::Createpolicy:
      return decodePolicy(instruction, op);
    case Opcode::Brkpt:  // there is no debugger to stop for
    case Opcode::Prefetch:
    case Opcode::Prefetchu:
    case Opcode::Applypriority:
    case Opcode::Nanosleep:
    case Opcode::Pmevent:
      op.action = Action::Nothing;
      return emit(op);
    case Opcode::Griddepcontrol:
      return decodeGridDependency(instruction, op);
    case Opcode::Setmaxnreg:
      return decodeRegisterLimit(instruction, op);
    default:
      if (isTexture(desc)) return decodeTexture(instruction, op);
      return desc.row->section.starts_with("9.7.20") ? decodeVideo(instruction, op)
                                                     : decodePure(instruction, op);
  }
}

void Decoder::findUndefinedReads() {
  // The analysis only changes its own block numbers.
  const analysis::Cfg cfg(const_cast<ir::Function&>(*function_));
  const analysis::MaybeUndefined undefined(cfg);
  for (const analysis::UndefinedRead& read : undefined.reads()) {
    undefinedReads_[read.instruction].push_back(read.id);
    std::uint32_t& slot = writtenSlots_[read.id];
    if (slot == 0) slot = temporary();
  }
}

// Emitted before the instruction, under the same guard: first checks what it reads, then records
// what it writes.
void Decoder::trackRegisters(const ir::Instruction& instruction, const Op& op) {
  // An instruction that only moves a value, or may leave it out, does not use it: compilers fill
  // unused parts of a register with arbitrary contents.
  const bool onlyMoves = instruction.is(Opcode::Mov) || instruction.is(Opcode::Selp) ||
                         instruction.is(Opcode::Prmt) || instruction.is(Opcode::Bfi);
  if (const auto reads = undefinedReads_.find(&instruction);
      reads != undefinedReads_.end() && !onlyMoves) {
    for (const ir::RegisterId id : reads->second) {
      Op check = prototype_;
      check.action = Action::CheckWritten;
      check.a = writtenSlots_[id];
      check.index = static_cast<std::uint32_t>(id);
      check.b = registerSlot(id, 0);
      check.count = static_cast<std::uint8_t>(slotsOf(function_->rangeOf(id)));
      check.width = static_cast<std::uint8_t>(std::min(registerWidth(id), 64));
      const bool isGuard = instruction.guard && instruction.guard.predicate() == id;
      if (!isGuard) {
        check.guard = op.guard;
        check.guardExpected = op.guardExpected;
      }
      emit(check);
    }
  }
  analysis::forEachDefinition(instruction, [&](ir::RegisterId id, bool) {
    const auto written = writtenSlots_.find(id);
    if (written == writtenSlots_.end()) return;
    Op mark = op;
    mark.action = Action::Pure;
    emitCopy(mark, written->second, trueSlot_);
  });
}

void Decoder::decodeControl(const ir::Instruction& instruction, Op op) {
  switch (instruction.desc->opcode) {
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
    code_->problems.emplace_back("the branch target is not a label of this function");
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

  // A number has the type of the formal parameter.
  const auto typeOfArgument = [&callee](std::size_t n) {
    const bool isKnown = callee.function != nullptr && n < callee.function->parameters.size();
    return isKnown ? callee.function->parameters[n]->type : Type::B64;
  };
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
        transfer.slot =
            sawTarget ? source(member, typeOfArgument(transfers.size())) : destination(member);
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
  const bool isVectorMove = instruction.desc->vectorWidth > 1;
  if (op.type == Type::B128 || isVectorMove || (packs && unpacks)) {
    // Slot by slot, through temporaries if a destination may also be a source.
    const auto element = [&](bool isPart) {
      return op.type == Type::B128 && isPart ? Type::B64 : op.type;
    };
    std::vector<std::uint32_t> sources = elements(from, element(packs), false);
    const std::vector<std::uint32_t> targets = elements(to, element(unpacks), true);
    constexpr std::size_t kQuarters = 4;  // of a register of 128 bits, which has two slots
    if (op.type == Type::B128 && sources.size() == kQuarters) {
      const std::span<const std::uint32_t> all = sources;
      sources = {emitPack(op, all.first(2), 64), emitPack(op, all.last(2), 64)};
    }
    const bool hasQuarters = op.type == Type::B128 && targets.size() == kQuarters;
    if (sources.size() != (hasQuarters ? 2 : targets.size())) {
      throw Problem{"a move between vectors of this shape"};
    }
    std::vector<std::uint32_t> copies;
    for (const std::uint32_t slot : sources) {
      copies.push_back(temporary());
      emitCopy(op, copies.back(), slot);
    }
    if (hasQuarters) {
      const std::span<const std::uint32_t> all = targets;
      emitUnpack(op, all.first(2), copies[0], 64);
      return emitUnpack(op, all.last(2), copies[1], 64);
    }
    for (std::size_t k = 0; k < targets.size(); ++k) emitCopy(op, targets[k], copies[k]);
    return;
  }
  const int width = isa::bitWidth(op.type);
  if (packs) {
    const std::uint32_t whole = emitPack(op, elements(from, Type::B64, false), width);
    return emitCopy(op, destination(to), whole);
  }
  if (unpacks) {
    const std::vector<std::uint32_t> parts = elements(to, Type::B64, true);
    const std::uint32_t whole = temporary();
    emitCopy(op, whole, source(from, op.type));
    return emitUnpack(op, parts, whole, width);
  }
  emitCopy(op, destination(to), source(from, op.type));
}

std::uint32_t Decoder::emitPack(Op op, std::span<const std::uint32_t> parts, int width) {
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
  return op.d;
}

void Decoder::emitUnpack(Op op, std::span<const std::uint32_t> parts, std::uint32_t whole,
                         int width) {
  op.a = whole;
  op.compute = extractBits();
  op.width = static_cast<std::uint8_t>(width / static_cast<int>(parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    op.d = parts[k];
    op.immediate = static_cast<std::int64_t>(k) * op.width;
    emit(op);
  }
}

// Cache policies have no effect here, so all policies are equal.
void Decoder::decodePolicy(const ir::Instruction& instruction, Op op) {
  constexpr std::uint64_t kPolicy = 0x1000000000000000;
  emitCopy(op, destination(operand(instruction, 0)), constant(kPolicy));
}

void Decoder::decodePure(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  // The destination, then the sources, in the order of the text.
  std::uint32_t* const places[] = {&op.d, &op.a, &op.b, &op.c, &op.e, &op.index};
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
    Type type = desc.role(k).type;
    if (type == Type::None) type = op.type;
    *places[k] = source(*part, type);
  }
  if (desc.readsCarry || desc.writesCarry) op.e = carry_;
  if (desc.opcode == Opcode::Mul24) op.c = constant(0);
  if (const ir::Operand* target = instruction.operand(0)) {
    op.width = static_cast<std::uint8_t>(widthOf(*target));
  }

  for (const auto bind : {&bindInteger, &bindFloat, &bindHalf, &bindCompare, &bindConvert}) {
    Op trial = op;
    trial.compute = bind(desc, trial);
    if (trial.compute) return emit(trial);
  }
  op.compute = bindAddress(desc, op, program_->image().windows());
  if (!op.compute) throw Problem{"this form is not implemented"};
  emit(op);
}

}  // namespace ptxopt::interp
