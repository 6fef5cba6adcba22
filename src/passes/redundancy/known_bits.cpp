// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/known_bits.h"

#include <algorithm>
#include <bit>

#include "analysis/launch/special_name.h"
#include "analysis/values/parameter_bytes.h"
#include "isa/block.h"
#include "support/limits.h"
#include "support/residue.h"

namespace ptxopt::passes {

using analysis::ValueId;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

namespace {

std::uint64_t maskOf(unsigned bits) {
  return residue(~std::uint64_t{0}, bits);
}

// The bits of numbers up to `number`.
std::uint64_t upTo(std::uint64_t number) {
  return maskOf(static_cast<unsigned>(std::bit_width(number)));
}

bool isInteger(isa::Type type) {
  const int bits = isa::bitWidth(type);
  return !isa::isFloat(type) && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

bool isRight(const isa::InstructionDesc& desc) {
  return desc.opcode == Opcode::Shr;
}

// `cvt.TO.FROM` of integers.
bool isConversion(const isa::InstructionDesc& desc) {
  return desc.opcode == Opcode::Cvt && desc.qualifiers.size() == 2 &&
         isa::isTypedInteger(desc.type) && isa::isTypedInteger(desc.sourceType);
}

}  // namespace

// ---- what bits a value has ---------------------------------------------------------------------

std::uint64_t KnownBits::mayBeOne(ValueId value) const {
  return mayBeOne(value, 0);
}

std::uint64_t KnownBits::mayBeOne(ValueId value, unsigned definitions) const {
  const analysis::Ssa& ssa = rewrite_.ssa();
  if (const auto number = numbers_.of(value)) return *number;
  value = rewrite_.resolve(value);
  const std::uint64_t all = ~std::uint64_t{0};
  if (!ssa.isDefinition(value) || ssa.old(value) != ValueId::None || ssa.isCarry(value)) return all;
  const ir::Instruction& instruction = ssa.instruction(value);
  const Operand* target = ssa.operand(value);
  if (!instruction.desc->known() || !target->isWholeRegister() || target->reads ||
      reaches(definitions, Limit::KnownBitsDefinitions)) {
    return all;
  }
  const unsigned bits = widthOf(target->reg());
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.isLoad() && !desc.is(isa::kUniformAddress)) {
    const auto loaded = static_cast<unsigned>(isa::bitWidth(desc.type));
    if (!isInteger(desc.type) || isa::isSigned(desc.type)) return all;
    const auto bytes = analysis::parameterBytes(rewrite_.function(), instruction, *target);
    const std::uint64_t zeros = bytes ? analysis::rangeOf(rewrite_.function(), *bytes).zeros : 0;
    return maskOf(loaded) & ~zeros;
  }
  if (target != instruction.operand(0)) return all;
  return ofDefinition(instruction, bits, definitions + 1);
}

std::uint64_t KnownBits::mayBeOne(const ir::Instruction& instruction, std::size_t operand,
                                  unsigned bits, unsigned definitions) const {
  const Operand* source = instruction.operand(operand);
  if (source == nullptr) return maskOf(bits);
  if (source->kind == OperandKind::Integer) {
    return residue(static_cast<std::uint64_t>(source->immediate), bits);
  }
  if (!source->isWholeRegister() || widthOf(source->reg()) < bits) return maskOf(bits);
  return residue(mayBeOne(rewrite_.ssa().use(instruction, *source), definitions), bits);
}

// Of an instruction with one result, a register of `bits` bits.
std::uint64_t KnownBits::ofDefinition(const ir::Instruction& instruction, unsigned bits,
                                      unsigned definitions) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto source = [&](std::size_t k) { return mayBeOne(instruction, k, bits, definitions); };
  const auto number = [&](std::size_t k) {
    const Operand* operand = instruction.operand(k);
    return operand == nullptr ? std::nullopt : numbers_.of(instruction, *operand);
  };
  if (isConversion(desc)) return ofConversion(instruction, bits, definitions);
  const bool isPlain = desc.qualifiers.size() == 1 && isInteger(desc.type);
  if (!isPlain) return maskOf(bits);
  if (static_cast<unsigned>(isa::bitWidth(desc.role(0).type)) != bits) return maskOf(bits);
  switch (desc.opcode) {
    case Opcode::Popc:
    case Opcode::Clz:
      return upTo(64);
    case Opcode::And:
      return source(1) & source(2);
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Selp:
      return source(1) | source(2);
    case Opcode::Shl:
    case Opcode::Shr: {
      const auto amount = number(2);
      if (!amount) return maskOf(bits);
      const std::uint64_t shifted = source(1);
      const bool fillsWithSign = isa::isSigned(desc.type) && (shifted >> (bits - 1)) != 0;
      const std::uint64_t distance = residue(*amount, 32);
      if (isRight(desc) && fillsWithSign) return maskOf(bits);
      if (distance >= bits) return 0;
      return isRight(desc) ? shifted >> distance : residue(shifted << distance, bits);
    }
    case Opcode::Min:
      return isa::isSigned(desc.type) ? maskOf(bits) : upTo(std::min(source(1), source(2)));
    case Opcode::Rem: {
      const auto divisor = number(2);
      const bool isKnown = divisor && residue(*divisor, bits) != 0 && !isa::isSigned(desc.type);
      return isKnown ? upTo(residue(*divisor, bits) - 1) : maskOf(bits);
    }
    case Opcode::Bfe: {
      const auto length = number(3);
      const bool isKnown = length && !isa::isSigned(desc.type);
      return isKnown ? maskOf(std::min(bits, static_cast<unsigned>(*length & 0xff))) : maskOf(bits);
    }
    case Opcode::Mov: {
      const Operand* from = instruction.operand(1);
      if (from == nullptr || from->kind != OperandKind::SpecialRegister) return maskOf(bits);
      const auto name = analysis::specialName(rewrite_.function(), *from);
      if (!name) return maskOf(bits);
      using Which = analysis::SpecialName::Which;
      if (name->which == Which::LaneId) return 31;
      if (name->which != Which::Tid || name->component > 2) return maskOf(bits);
      return upTo(isa::kMostExtents[name->component] - 1);
    }
    default:
      return maskOf(bits);
  }
}

std::uint64_t KnownBits::ofConversion(const ir::Instruction& instruction, unsigned bits,
                                      unsigned definitions) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto to = static_cast<unsigned>(isa::bitWidth(desc.type));
  const auto from = static_cast<unsigned>(isa::bitWidth(desc.sourceType));
  std::uint64_t possible = mayBeOne(instruction, 1, from, definitions);
  const auto mayBeNegative = [&](unsigned width) { return (possible >> (width - 1)) != 0; };
  if (isa::isSigned(desc.sourceType) && to > from && mayBeNegative(from)) return maskOf(bits);
  possible = residue(possible, to);
  const bool isExtended = isa::isSigned(desc.type) && bits > to && mayBeNegative(to);
  return isExtended ? maskOf(bits) : possible;
}

// ---- what need not be computed -----------------------------------------------------------------

using Result = KnownNumbers::Result;

// The source, if it is a register as wide as the result.
Result KnownBits::copyOf(const ir::Instruction& instruction, const Operand& source) const {
  const bool isWhole =
      source.isWholeRegister() && widthOf(source.reg()) == widthOf(instruction.operands()[0].reg());
  if (!isWhole) return {};
  return {Result::Kind::Copy, 0, rewrite_.ssa().use(instruction, source)};
}

// x & mask, where x has no bits but those of the mask, or none of them.
Result KnownBits::ofMask(const ir::Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto operands = instruction.operands();
  if (desc.qualifiers.size() != 1 || !isInteger(desc.type) || operands.size() != 3) return {};
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  if (widthOf(operands[0].reg()) != bits) return {};
  for (const std::size_t k : {1u, 2u}) {
    const auto mask = numbers_.of(instruction, operands[k]);
    if (!mask) continue;
    const std::uint64_t possible = mayBeOne(instruction, 3 - k, bits, 0);
    if ((possible & *mask) == 0) return {Result::Kind::Number, 0, ValueId::None};
    if ((possible & ~*mask) == 0) return copyOf(instruction, operands[3 - k]);
    break;
  }
  return {};
}

// x >> k, where no bit of x is left.
Result KnownBits::ofShift(const ir::Instruction& instruction) const {
  const auto operands = instruction.operands();
  const auto bits = static_cast<unsigned>(isa::bitWidth(instruction.desc->type));
  if (operands.size() != 3 || widthOf(operands[0].reg()) != bits) return {};
  if (ofDefinition(instruction, bits, 0) != 0) return {};
  return {Result::Kind::Number, 0, ValueId::None};
}

// The value of `bits` bits in a register as wide of which `value` is the extension; None if there
// is none.
ValueId KnownBits::extended(ValueId value, unsigned bits) const {
  const analysis::Ssa& ssa = rewrite_.ssa();
  if (!ssa.isDefinition(value) || ssa.old(value) != ValueId::None || ssa.isCarry(value))
    return ValueId::None;
  const ir::Instruction& instruction = ssa.instruction(value);
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto operands = instruction.operands();
  if (!isConversion(desc) || operands.size() != 2 || !operands[1].isWholeRegister()) {
    return ValueId::None;
  }
  const auto from = static_cast<unsigned>(isa::bitWidth(desc.sourceType));
  const bool isExtension = from == bits && static_cast<unsigned>(isa::bitWidth(desc.type)) > bits;
  return isExtension && widthOf(operands[1].reg()) == bits ? ssa.use(instruction, operands[1])
                                                           : ValueId::None;
}

// The low bits of a register of which no others can be 1, to a register as wide; or what was
// extended, cut to its width again.
Result KnownBits::ofExtension(const ir::Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto operands = instruction.operands();
  if (!isConversion(desc) || operands.size() != 2 || !operands[1].isWholeRegister()) return {};
  const unsigned bits = widthOf(operands[1].reg());
  const auto from = static_cast<unsigned>(isa::bitWidth(desc.sourceType));
  const auto to = static_cast<unsigned>(isa::bitWidth(desc.type));
  if (to < from && from == bits && widthOf(operands[0].reg()) == to) {
    const ValueId value = rewrite_.resolve(rewrite_.ssa().use(instruction, operands[1]));
    const ValueId before = extended(value, to);
    return before == ValueId::None ? Result{} : Result{Result::Kind::Equal, 0, before};
  }
  if (to != bits || from > bits) return {};
  const bool keepsSign = isa::isSigned(desc.sourceType) && from < bits;
  const std::uint64_t possible = mayBeOne(instruction, 1, bits, 0);
  if ((possible & ~maskOf(keepsSign ? from - 1 : from)) != 0) return {};
  return copyOf(instruction, operands[1]);
}

}  // namespace ptxopt::passes
