// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/integer_operation.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "support/residue.h"

namespace ptxopt::analysis {

namespace {

using isa::Opcode;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// For two numbers of at most 64 bits.
std::uint64_t highHalf(std::uint64_t a, std::uint64_t b, unsigned bits, bool isSigned) {
  if (isSigned) {
    const auto product = static_cast<Wide>(signedResidue(a, bits)) * signedResidue(b, bits);
    return residue(static_cast<std::uint64_t>(product >> bits), bits);
  }
  const auto product = static_cast<UnsignedWide>(residue(a, bits)) * residue(b, bits);
  return residue(static_cast<std::uint64_t>(product >> bits), bits);
}

std::uint64_t extractedField(std::uint64_t a, std::uint64_t position, std::uint64_t length,
                             unsigned bits, bool isSigned) {
  const auto first = static_cast<unsigned>(residue(position, 8));
  const auto count = static_cast<unsigned>(residue(length, 8));
  if (count == 0) return 0;
  const std::uint64_t field =
      first >= bits ? 0 : residue(residue(a, bits) >> first, std::min(count, 64u));
  if (!isSigned) return field;
  const unsigned signBit = std::min(first + count - 1, bits - 1);
  if ((a >> signBit & 1) == 0) return field;
  const unsigned known = signBit < first ? 0 : std::min(count, signBit - first + 1);
  return residue(field | (known >= 64 ? 0 : ~std::uint64_t{0} << known), bits);
}

// `field` in the place of the bits of `a` from `position` on.
std::uint64_t insertedField(std::uint64_t field, std::uint64_t a, std::uint64_t position,
                            std::uint64_t length, unsigned bits) {
  const auto first = static_cast<unsigned>(residue(position, 8));
  const auto count = static_cast<unsigned>(residue(length, 8));
  const std::uint64_t ones = count == 0 ? 0 : residue(~std::uint64_t{0}, std::min(count, 64u));
  const std::uint64_t mask = first >= bits ? 0 : ones << first;
  return (a & ~mask) | ((first >= bits ? 0 : field << first) & mask);
}

// The amount is clamped for all types (docs/soundness/ B17).
std::uint64_t shiftedLeft(std::uint64_t a, std::uint64_t amount, unsigned bits) {
  return amount >= bits ? 0 : a << amount;
}

std::uint64_t shiftedRight(std::uint64_t a, std::uint64_t amount, unsigned bits, bool isSigned) {
  if (!isSigned) return amount >= bits ? 0 : a >> amount;
  return static_cast<std::uint64_t>(signedResidue(a, bits) >>
                                    std::min<std::uint64_t>(amount, bits - 1));
}

// None if the result is undefined.
std::optional<std::uint64_t> quotientOrRemainder(bool isQuotient, std::uint64_t a, std::uint64_t b,
                                                 unsigned bits, bool isSigned) {
  const std::int64_t divisor = signedResidue(b, bits);
  if (b == 0 || (isSigned && divisor == -1)) return std::nullopt;
  if (!isSigned) return isQuotient ? a / b : a % b;
  const std::int64_t number = signedResidue(a, bits);
  return residue(static_cast<std::uint64_t>(isQuotient ? number / divisor : number % divisor),
                 bits);
}

template <Opcode kOpcode>
using Constant = std::integral_constant<Opcode, kOpcode>;

// Any other qualifier, for example `.relu` and `.sat`, may change the result.
bool isUnderstood(std::string_view qualifier) {
  return qualifier == ".lo" || qualifier == ".hi" || qualifier == ".wide" ||
         isa::parseType(qualifier).has_value();
}

std::uint64_t lookUp(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) == 0) continue;
    result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  return result;
}

}  // namespace

std::optional<IntegerOperation> IntegerOperation::of(const isa::InstructionDesc& desc) {
  const int width = isa::bitWidth(desc.type);
  if (width <= 0 || width > 64 || isa::isFloat(desc.type) || isa::isFloat(desc.sourceType) ||
      !std::ranges::all_of(desc.qualifiers, isUnderstood)) {
    return std::nullopt;
  }
  IntegerOperation made;
  made.opcode_ = desc.opcode;
  made.isSigned_ = isa::isSigned(desc.type);
  made.bits_ = static_cast<std::uint8_t>(width);
  switch (desc.opcode) {
    case Opcode::Mov:
    case Opcode::Not:
    case Opcode::Neg:
    case Opcode::Abs:
    case Opcode::Popc:
    case Opcode::Clz:
      made.sourceCount_ = 1;
      break;
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Div:
    case Opcode::Rem:
      made.sourceCount_ = 2;
      break;
    case Opcode::Mul:
    case Opcode::Mad:
      made.sourceCount_ = desc.opcode == Opcode::Mul ? 2 : 3;
      if (desc.has(".hi")) {
        made.half_ = Half::High;
      } else if (desc.has(".wide")) {
        made.half_ = Half::Wide;
      } else if (!desc.has(".lo")) {
        return std::nullopt;
      }
      break;
    case Opcode::Bfe:
      made.sourceCount_ = 3;
      break;
    case Opcode::Bfi:
    case Opcode::Lop3:
      made.sourceCount_ = 4;
      break;
    default:
      return std::nullopt;
  }
  return made;
}

// The part that the instruction asks for; bits above it may be set.
std::uint64_t IntegerOperation::product(std::uint64_t a, std::uint64_t b) const {
  switch (half_) {
    case Half::Low:
      break;
    case Half::High:
      return highHalf(a, b, bits_, isSigned_);
    case Half::Wide:
      if (!isSigned_) break;
      return static_cast<std::uint64_t>(signedResidue(a, bits_) * signedResidue(b, bits_));
  }
  return a * b;
}

// `OpcodeOf` is Opcode, or a type that converts to one constant, so that only its case remains.
template <class OpcodeOf>
std::optional<std::uint64_t> IntegerOperation::evaluateAs(
    OpcodeOf opcodeOf, std::span<const std::uint64_t> sources) const {
  const Opcode opcode = opcodeOf;
  const unsigned bits = bits_;
  const bool isSigned = isSigned_;
  const auto source = [&](std::size_t k) { return residue(sources[k], bits); };
  const auto number = [&](std::size_t k) { return signedResidue(sources[k], bits); };
  const std::uint64_t a = source(0);
  const std::uint64_t b = sourceCount_ > 1 ? source(1) : 0;

  std::uint64_t result = 0;
  unsigned resultBits = bits;
  switch (opcode) {
    case Opcode::Mov:
      result = a;
      break;
    case Opcode::Add:
      result = a + b;
      break;
    case Opcode::Sub:
      result = a - b;
      break;
    case Opcode::Neg:
      result = std::uint64_t{0} - a;
      break;
    case Opcode::And:
      result = a & b;
      break;
    case Opcode::Or:
      result = a | b;
      break;
    case Opcode::Xor:
      result = a ^ b;
      break;
    case Opcode::Not:
      result = ~a;
      break;
    case Opcode::Lop3:
      result = lookUp(a, b, source(2), sources[3]);
      break;
    case Opcode::Shl:
      result = shiftedLeft(a, residue(sources[1], 32), bits);
      break;
    case Opcode::Shr:
      result = shiftedRight(a, residue(sources[1], 32), bits, isSigned);
      break;
    case Opcode::Min:
      result = isSigned ? (number(0) < number(1) ? a : b) : std::min(a, b);
      break;
    case Opcode::Max:
      result = isSigned ? (number(0) > number(1) ? a : b) : std::max(a, b);
      break;
    case Opcode::Div:
    case Opcode::Rem:
      return quotientOrRemainder(opcode == Opcode::Div, a, b, bits, isSigned);
    case Opcode::Mul:
    case Opcode::Mad:
      result = product(a, b) + (opcode == Opcode::Mad ? sources[2] : 0);
      if (half_ == Half::Wide) resultBits = 2 * bits;
      break;
    case Opcode::Abs:
      result = number(0) < 0 ? std::uint64_t{0} - a : a;
      break;
    case Opcode::Popc:
      return static_cast<std::uint64_t>(std::popcount(a));
    case Opcode::Clz:
      return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - bits);
    case Opcode::Bfe:
      result = extractedField(a, sources[1], sources[2], bits, isSigned);
      break;
    case Opcode::Bfi:
      result = insertedField(a, b, sources[2], sources[3], bits);
      break;
    default:
      return std::nullopt;
  }
  return residue(result, resultBits);
}

std::optional<std::uint64_t> IntegerOperation::evaluate(
    std::span<const std::uint64_t> sources) const {
  return evaluateAs(opcode_, sources);
}

LaneMask IntegerOperation::evaluate(const Sources& sources, OfLanes<std::uint64_t>& results) const {
  const auto forEachLane = [&](auto opcode) {
    LaneMask defined = 0;
    for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
      std::array<std::uint64_t, kMostSources> ofLane{};
      for (std::size_t k = 0; k < sourceCount_; ++k) ofLane[k] = (*sources[k])[lane];
      const std::optional<std::uint64_t> result = evaluateAs(opcode, ofLane);
      results[lane] = result.value_or(0);
      defined |= LaneMask{result.has_value()} << lane;
    }
    return defined;
  };
  // Operations that occur in permuted addresses.
  switch (opcode_) {
    case Opcode::And:
      return forEachLane(Constant<Opcode::And>{});
    case Opcode::Or:
      return forEachLane(Constant<Opcode::Or>{});
    case Opcode::Xor:
      return forEachLane(Constant<Opcode::Xor>{});
    case Opcode::Shr:
      return forEachLane(Constant<Opcode::Shr>{});
    default:
      return forEachLane(opcode_);
  }
}

}  // namespace ptxopt::analysis
