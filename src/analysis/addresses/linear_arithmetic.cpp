// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/linear_arithmetic.h"

#include <span>

namespace ptxopt::analysis {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

namespace {

// What a number of `range`, read as `isSigned` says, is in `bits` bits.
ValueRange resizedRange(const ValueRange& range, unsigned bits, bool isSigned) {
  const Interval known = isSigned ? range.asSigned() : range.asUnsigned();
  const ValueRange all = ValueRange::all(bits);
  const Interval fits = all.asUnsigned();
  if (known.isBounded() && fits.contains(known.lowest) && fits.contains(known.highest)) {
    return ValueRange::between(static_cast<std::uint64_t>(known.lowest),
                               static_cast<std::uint64_t>(known.highest), bits);
  }
  return all;
}

}  // namespace

FormId LinearArithmetic::of(ValueId v, const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  if (desc.has(".sat")) return FormId::None;
  switch (desc.opcode) {
    case Opcode::Mov:
      return ofMove(instruction, bits);
    case Opcode::Add:
    case Opcode::Sub:
      return ofSum(instruction, bits);
    case Opcode::Neg:
    case Opcode::Not:
      return ofNegation(instruction, bits);
    case Opcode::Mul:
      return ofProduct(instruction, bits);
    case Opcode::Mul24:
      return ofShortProduct(instruction, bits);
    case Opcode::Mad: {
      const FormId product = ofProduct(instruction, bits);
      return product == FormId::None
                 ? FormId::None
                 : add(product, source(instruction, 3, forms_.form(product).bits));
    }
    case Opcode::Shl:
      return ofShift(instruction, bits);
    case Opcode::And:
      return ofMask(instruction, bits);
    case Opcode::Or:
    case Opcode::Xor:
      return ofDisjointBits(instruction, bits);
    case Opcode::Cvt:
      return ofConversion(v, instruction, bits);
    case Opcode::Cvta:
      return ofAddressConversion(instruction, bits);
    case Opcode::Selp: {
      const FormId a = source(instruction, 1, bits);
      const FormId b = source(instruction, 2, bits);
      if (a == FormId::None || b == FormId::None) return FormId::None;
      return a == b ? a : leaves_.merged(leaves_.ofResult(v), {a, b});
    }
    default:
      return FormId::None;
  }
}

FormId LinearArithmetic::source(const Instruction& instruction, std::size_t k, unsigned bits) {
  const Operand* operand = instruction.operand(k);
  return operand == nullptr ? FormId::None : operands_.of(instruction, *operand, bits);
}

ValueRange LinearArithmetic::range(const Instruction& instruction, std::size_t k,
                                   unsigned bits) const {
  return ranges_.ofOperand(instruction, *instruction.operand(k), bits);
}

FormId LinearArithmetic::add(FormId a, FormId b) {
  return a == FormId::None || b == FormId::None ? FormId::None : forms_.add(a, b);
}

FormId LinearArithmetic::multiply(FormId a, FormId b) {
  return a == FormId::None || b == FormId::None ? FormId::None : forms_.multiply(a, b);
}

// mov, also of mov.b64 d, {low, high} with a high part of 0.
FormId LinearArithmetic::ofMove(const Instruction& instruction, unsigned bits) {
  const Operand& moved = *instruction.operand(1);
  if (moved.kind != OperandKind::Vector) return source(instruction, 1, bits);
  const std::span<const Operand> parts = ir::members(moved);
  if (parts.size() != 2) return FormId::None;
  const ValueRange high = ranges_.ofOperand(instruction, parts[1], bits / 2);
  const FormId low = operands_.of(instruction, parts[0], bits / 2);
  if (low == FormId::None || !high.isConstant() || high.lowest != 0) return FormId::None;
  return extensions_.widened(low, bits, false, ranges_.ofOperand(instruction, parts[0], bits / 2),
                             instruction.block);
}

FormId LinearArithmetic::ofSum(const Instruction& instruction, unsigned bits) {
  if (instruction.desc->opcode == Opcode::Add) {
    return add(source(instruction, 1, bits), source(instruction, 2, bits));
  }
  const FormId b = source(instruction, 2, bits);
  return b == FormId::None ? FormId::None
                           : add(source(instruction, 1, bits), forms_.scale(b, ~std::uint64_t{0}));
}

// neg, and not: -a - 1.
FormId LinearArithmetic::ofNegation(const Instruction& instruction, unsigned bits) {
  const FormId a = source(instruction, 1, bits);
  if (a == FormId::None) return FormId::None;
  if (instruction.desc->opcode == Opcode::Neg) return forms_.scale(a, ~std::uint64_t{0});
  return add(forms_.scale(a, ~std::uint64_t{0}), forms_.constant(~std::uint64_t{0}, bits));
}

// Of the first two sources of mul and mad.
FormId LinearArithmetic::ofProduct(const Instruction& instruction, unsigned bits) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const FormId a = operands_.of(instruction, *instruction.operand(1), bits);
  const FormId b = operands_.of(instruction, *instruction.operand(2), bits);
  if (a == FormId::None || b == FormId::None) return FormId::None;
  if (desc.has(".lo")) return forms_.multiply(a, b);
  if (!desc.has(".wide")) return FormId::None;
  const bool isSigned = isa::isSigned(desc.type);
  return forms_.multiply(
      extensions_.widened(a, 2 * bits, isSigned, range(instruction, 1, bits), instruction.block),
      extensions_.widened(b, 2 * bits, isSigned, range(instruction, 2, bits), instruction.block));
}

// mul24: of numbers of 23 bits it is the product.
FormId LinearArithmetic::ofShortProduct(const Instruction& instruction, unsigned bits) {
  const auto isShort = [&](std::size_t k) {
    const ValueRange known = range(instruction, k, bits);
    return known.bits != 0 && known.highest < std::uint64_t{1} << 23;
  };
  if (!instruction.desc->has(".lo") || !isShort(1) || !isShort(2)) return FormId::None;
  return multiply(source(instruction, 1, bits), source(instruction, 2, bits));
}

// Clamped: docs/soundness/ B17.
FormId LinearArithmetic::ofShift(const Instruction& instruction, unsigned bits) {
  const ValueRange amount = range(instruction, 2, 32);
  const FormId a = source(instruction, 1, bits);
  if (a == FormId::None || !amount.isConstant()) return FormId::None;
  return amount.lowest >= bits ? forms_.constant(0, bits)
                               : forms_.scale(a, std::uint64_t{1} << amount.lowest);
}

// and: a mask that clears nothing, or all from some bit on.
FormId LinearArithmetic::ofMask(const Instruction& instruction, unsigned bits) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const ValueRange mask = range(instruction, 3 - k, bits);
    const ValueRange masked = range(instruction, k, bits);
    const std::uint64_t mayBeOne = residue(~masked.zeros, bits);
    if (mask.bits != 0 && (mayBeOne & ~mask.ones) == 0) return source(instruction, k, bits);
    if (!mask.isConstant()) continue;
    const FormId low =
        extensions_.lowPart(source(instruction, k, bits), mask.lowest, instruction.block);
    if (low != FormId::None) return low;
  }
  return FormId::None;
}

// or, xor: a sum where no bit can be set on both sides.
FormId LinearArithmetic::ofDisjointBits(const Instruction& instruction, unsigned bits) {
  const ValueRange a = range(instruction, 1, bits);
  const ValueRange b = range(instruction, 2, bits);
  if (residue(~a.zeros & ~b.zeros, bits) != 0) return FormId::None;
  return add(source(instruction, 1, bits), source(instruction, 2, bits));
}

FormId LinearArithmetic::ofConversion(ValueId v, const Instruction& instruction, unsigned bits) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const unsigned registerBits = ranges_.of(v).bits;
  const bool isSigned = isa::isSigned(desc.sourceType);
  const auto from = static_cast<unsigned>(isa::bitWidth(desc.sourceType));
  const FormId a = source(instruction, 1, from);
  // A register that is narrower than its type is no PTX, but may be read.
  if (a == FormId::None || bits > registerBits) return FormId::None;
  const ValueRange given = range(instruction, 1, from);
  const FormId result = bits <= from
                            ? forms_.truncate(a, bits)
                            : extensions_.widened(a, bits, isSigned, given, instruction.block);
  // A narrow result is extended to its register.
  if (bits == registerBits) return result;
  return extensions_.widened(result, registerBits, isa::isSigned(desc.type),
                             resizedRange(given, bits, isSigned), instruction.block);
}

FormId LinearArithmetic::ofAddressConversion(const Instruction& instruction, unsigned bits) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const FormId a = operands_.of(instruction, *instruction.operand(1), bits);
  if (a == FormId::None || desc.space == isa::Space::None) return FormId::None;
  if (desc.has(".to") && desc.space == isa::Space::Global) notePointer(a);
  Leaf leaf;
  leaf.key = {LeafKind::GenericBase, 64, static_cast<std::uint32_t>(desc.space), 0};
  leaf.stable = leaf.uniform = true;
  leaf.interval.lowest = 0;
  const FormId base = forms_.ofLeaf(forms_.intern(leaf), bits);
  return desc.has(".to") ? forms_.subtract(a, base) : forms_.add(a, base);
}

// A parameter, and a number at most, that is a generic address (C10.13).
void LinearArithmetic::notePointer(FormId id) {
  const LinearForm form = forms_.form(id);
  if (form.bits != 64 || form.terms.size() != 1 || form.terms[0].coefficient != 1) return;
  const LeafId leaf = form.terms[0].leaf;
  if (forms_.leaf(leaf).key.kind == LeafKind::Parameter) pointers_.notePointer(leaf);
}

}  // namespace ptxopt::analysis
