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

// The operations of D3.5.
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

std::uint64_t residueOf(std::uint64_t number, isa::Type type) {
  return residue(number, static_cast<unsigned>(isa::bitWidth(type)));
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
  if (constantAt == 0 && !desc.is(isa::kCommutative)) return std::nullopt;
  const isa::Type type = desc.role(constantAt + 1).type;
  const auto neutral = isa::numberOf(desc.neutral(), type);
  if (!neutral || residueOf(constant, type) != *neutral) return std::nullopt;
  return 1 - constantAt;
}

std::optional<std::uint64_t> absorbed(const isa::InstructionDesc& desc, std::size_t constantAt,
                                      std::uint64_t constant) {
  if (constantAt == 1 && desc.is(isa::kShift)) {
    const bool isAll =
        residueOf(constant, desc.role(2).type) >= static_cast<unsigned>(isa::bitWidth(desc.type));
    return isAll && !isa::isSigned(desc.type) ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  if (constantAt == 1 && !desc.is(isa::kCommutative)) return std::nullopt;
  const auto absorbing = isa::numberOf(desc.absorbing(), desc.type);
  return absorbing && residueOf(constant, desc.type) == *absorbing ? absorbing : std::nullopt;
}

}  // namespace ptxopt::passes
