// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/fold.h"

#include "analysis/values/integer_operation.h"
#include "support/residue.h"

namespace ptxopt::passes {

namespace {

using isa::Opcode;

// The only qualifiers are .lo and the type, which is an integer of 16 to 64 bits.
bool isPlain(const isa::InstructionDesc& desc) {
  const int bits = isa::bitWidth(desc.type);
  if (!desc.known() || isa::isFloat(desc.type) || bits < 16 || bits > 64) return false;
  switch (desc.type) {
    case isa::Type::F16x2:
    case isa::Type::BF16x2:
    case isa::Type::F32x2:
    case isa::Type::Other:
      return false;
    default:
      break;
  }
  const bool isProduct = desc.opcode == Opcode::Mul || desc.opcode == Opcode::Mad;
  if (!isProduct) return desc.qualifiers.size() == 1;
  return desc.qualifiers.size() == 2 && desc.qualifiers.front() == ".lo";
}

bool isFolded(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Mad:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Neg:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Min:
    case Opcode::Max:
      return true;
    default:
      return false;
  }
}

std::uint64_t ones(unsigned bits) {
  return residue(~std::uint64_t{0}, bits);
}

// Of the numbers of the type.
std::uint64_t least(const isa::InstructionDesc& desc) {
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  return isa::isSigned(desc.type) ? std::uint64_t{1} << (bits - 1) : 0;
}
std::uint64_t greatest(const isa::InstructionDesc& desc) {
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  return ones(isa::isSigned(desc.type) ? bits - 1 : bits);
}

}  // namespace

bool isFoldable(const isa::InstructionDesc& desc) {
  return isFolded(desc.opcode) && isPlain(desc);
}

std::optional<std::uint64_t> folded(const isa::InstructionDesc& desc,
                                    std::span<const std::uint64_t> sources) {
  if (!isFoldable(desc)) return std::nullopt;
  const auto operation = analysis::IntegerOperation::of(desc);
  if (!operation || operation->sourceCount() != sources.size()) return std::nullopt;
  return operation->evaluate(sources);
}

std::optional<std::size_t> identity(const isa::InstructionDesc& desc, std::size_t constantAt,
                                    std::uint64_t constant) {
  if (!isPlain(desc)) return std::nullopt;
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  const std::uint64_t value = residue(constant, bits);
  const std::size_t other = 1 - constantAt;
  const auto whenIs = [&](std::uint64_t neutral) {
    return value == neutral ? std::optional(other) : std::nullopt;
  };
  const bool isSecond = constantAt == 1;
  switch (desc.opcode) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor:
      return whenIs(0);
    case Opcode::Mul:
      return whenIs(1);
    case Opcode::And:
      return whenIs(ones(bits));
    case Opcode::Min:
      return whenIs(greatest(desc));
    case Opcode::Max:
      return whenIs(least(desc));
    case Opcode::Sub:
      return isSecond ? whenIs(0) : std::nullopt;
    case Opcode::Shl:
    case Opcode::Shr:
      return isSecond && residue(constant, 32) == 0 ? std::optional(other) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> absorbed(const isa::InstructionDesc& desc, std::size_t constantAt,
                                      std::uint64_t constant) {
  if (!isPlain(desc)) return std::nullopt;
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  const std::uint64_t value = residue(constant, bits);
  const auto whenIs = [&](std::uint64_t absorbing) {
    return value == absorbing ? std::optional(absorbing) : std::nullopt;
  };
  switch (desc.opcode) {
    case Opcode::And:
    case Opcode::Mul:
      return whenIs(0);
    case Opcode::Or:
      return whenIs(ones(bits));
    case Opcode::Min:
      return whenIs(least(desc));
    case Opcode::Max:
      return whenIs(greatest(desc));
    case Opcode::Shl:
    case Opcode::Shr: {
      if (constantAt == 0) return whenIs(0);
      const bool fillsWithSign = desc.opcode == Opcode::Shr && isa::isSigned(desc.type);
      const bool isAll = residue(constant, 32) >= bits;
      return isAll && !fillsWithSign ? std::optional<std::uint64_t>(0) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool isIdempotent(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Min:
    case Opcode::Max:
      return isPlain(desc);
    default:
      return false;
  }
}

}  // namespace ptxopt::passes
