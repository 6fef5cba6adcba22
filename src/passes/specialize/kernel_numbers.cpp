// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/kernel_numbers.h"

#include <fmt/format.h>

#include "analysis/values/parameter_bytes.h"
#include "ir/make.h"
#include "support/residue.h"

namespace ptxopt::passes {

namespace {

using isa::Type;

unsigned widthOf(const ir::Function& kernel, ir::RegisterId id) {
  return static_cast<unsigned>(isa::bitWidth(kernel.rangeOf(id).type));
}

// mov of a number into the register, with its declared type.
ir::Instruction* makeMove(ir::Function& kernel, ir::RegisterId to, ir::Operand source) {
  const Type type = kernel.rangeOf(to).type;
  const unsigned width = widthOf(kernel, to);
  const bool isFloat = isa::isFloat(type) && width >= 32;
  if (source.kind == ir::OperandKind::Integer && (type == Type::F32 || type == Type::F64)) {
    source.kind = width == 32 ? ir::OperandKind::Float32 : ir::OperandKind::Float64;
  }
  return ir::makeInstruction(kernel, fmt::format("mov.{}{}", isFloat ? 'f' : 'b', width),
                             {ir::Operand::ofRegister(to), source});
}

bool isFromParameter(const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  return desc.known() && desc.isLoad() && instruction.operand(2) == nullptr &&
         (desc.space == isa::Space::Param || desc.space == isa::Space::ParamEntry);
}

}  // namespace

void KernelNumbers::addSpecial(std::string name, std::uint32_t value, bool needsTest) {
  ofSpecial_[name] = all_.size();
  all_.push_back({nullptr, std::move(name), {0, 32, false, value, value, 0}, needsTest, false});
}

bool KernelNumbers::addParameter(const ir::Variable& parameter, const ir::ParameterRange& range) {
  const auto [at, isNew] =
      ofParameter_.try_emplace({parameter.symbol, range.offset, range.bits}, all_.size());
  if (!isNew) return all_[at->second].range == range;
  all_.push_back({&parameter, {}, range, true, false});
  return true;
}

void KernelNumbers::findReads() {
  if (all_.empty()) return;
  for (ir::Statement& statement : kernel_->body()) {
    auto* const instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    if (instruction->is(isa::Opcode::Mov)) findSpecial(*instruction);
    if (isFromParameter(*instruction)) findLoad(*instruction);
  }
}

void KernelNumbers::findSpecial(ir::Instruction& move) {
  const ir::Operand* const from = move.operand(1);
  const bool isSpecial = from != nullptr && from->kind == ir::OperandKind::SpecialRegister &&
                         isa::bitWidth(move.desc->type) == 32;
  if (!isSpecial) return;
  const auto found = ofSpecial_.find(kernel_->module().text(NameId{from->id}));
  if (found != ofSpecial_.end()) addRead(move, ir::RegisterId::None, found->second);
}

void KernelNumbers::findLoad(ir::Instruction& load) {
  const ir::Operand* const first = load.operand(0);
  const auto targets = first->isGroup() ? ir::members(*first) : std::span(first, 1);
  for (const ir::Operand& target : targets) {
    const auto bytes = analysis::parameterBytes(*kernel_, load, target);
    if (!bytes || !target.isWholeRegister()) continue;
    const auto found = ofParameter_.find({bytes->parameter, bytes->offset, bytes->bits});
    if (found == ofParameter_.end()) continue;
    const unsigned width = widthOf(*kernel_, target.reg());
    if (width == 16 || width == 32 || width == 64) addRead(load, target.reg(), found->second);
  }
}

void KernelNumbers::addRead(ir::Instruction& instruction, ir::RegisterId target,
                            std::size_t number) {
  if (ir::isBelowDirective(instruction)) return;  // A5.5
  all_[number].isRead = true;
  reads_.push_back({&instruction, target, number});
}

void KernelNumbers::forgetMultiples() {
  for (KernelNumber& known : all_) {
    known.range.zeros = 0;
    known.isRead &= !known.range.isAll();
  }
  std::erase_if(reads_, [&](const Read& read) { return !all_[read.number].isRead; });
}

void KernelNumbers::replaceReads(const std::vector<ir::RegisterId>& tested) {
  for (const Read& read : reads_) replace(read, tested);
  if (!tested.empty()) return;
  std::map<const ir::Variable*, std::vector<ir::ParameterRange>> ranges;
  for (const KernelNumber& known : all_) {
    if (known.isRead && !known.isExact()) ranges[known.parameter].push_back(known.range);
  }
  for (const auto& [parameter, known] : ranges) {
    kernel_->symbolAt(parameter->symbol).variable->ranges =
        kernel_->module().arena().copy(std::span<const ir::ParameterRange>(known));
  }
}

void KernelNumbers::replace(const Read& read, const std::vector<ir::RegisterId>& tested) {
  ir::Instruction& old = *read.instruction;
  const KernelNumber& known = all_[read.number];
  ir::Operand number = ir::Operand::ofInteger(static_cast<std::int64_t>(known.range.lowest));
  if (read.target == ir::RegisterId::None) {
    *old.operand(1) = number;
    return kernel_->markChanged(&old);
  }
  const unsigned width = widthOf(*kernel_, read.target);
  if (known.isExact()) {
    // As ld extends it.
    const bool isExtended = isa::isSigned(old.desc->type) && known.range.bits < width;
    if (isExtended) {
      number.immediate = static_cast<std::int64_t>(residue(
          static_cast<std::uint64_t>(signedResidue(known.range.lowest, known.range.bits)), width));
    }
  } else if (!tested.empty() && known.range.bits == width) {
    number = ir::Operand::ofRegister(tested[read.number]);
  } else {
    return;
  }
  ir::Instruction* const move = makeMove(*kernel_, read.target, number);
  move->guard = old.guard;
  if (old.operand(0)->isGroup()) return kernel_->insertAfter(&old, move);
  ir::replaceStatement(*kernel_, &old, move);
}

}  // namespace ptxopt::passes
