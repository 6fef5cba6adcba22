#include "passes/fold.h"

#include <algorithm>

namespace ptxopt::passes {

namespace {

using isa::Opcode;

// The form has no qualifiers but .lo and its type, which is an integer of 16 to 64 bits.
bool isPlain(const isa::Form& form) {
  const int bits = isa::bitWidth(form.type);
  if (!form.known() || isa::isFloat(form.type) || bits < 16 || bits > 64) return false;
  switch (form.type) {
    case isa::Type::F16x2:
    case isa::Type::BF16x2:
    case isa::Type::F32x2:
    case isa::Type::Other:
      return false;
    default:
      break;
  }
  const bool isProduct = form.opcode == Opcode::Mul || form.opcode == Opcode::Mad;
  if (!isProduct) return form.qualifiers.size() == 1;
  return form.qualifiers.size() == 2 && form.qualifiers.front() == ".lo";
}

std::int64_t extended(std::uint64_t value, int bits) {
  const int unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t shifted(const isa::Form& form, std::uint64_t value, std::uint64_t amount, int bits) {
  // Amounts are 32 bits without a sign, and clamp at the width.
  const std::uint64_t by = truncated(amount, 32);
  const auto width = static_cast<std::uint64_t>(bits);
  if (form.opcode == Opcode::Shl) return by >= width ? 0 : value << by;
  if (!isa::isSigned(form.type)) return by >= width ? 0 : value >> by;
  return static_cast<std::uint64_t>(extended(value, bits) >> std::min(by, width - 1));
}

}  // namespace

std::uint64_t truncated(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::optional<std::uint64_t> folded(const isa::Form& form, std::span<const std::uint64_t> sources) {
  if (!isPlain(form)) return std::nullopt;
  const int bits = isa::bitWidth(form.type);
  const auto source = [&](std::size_t k) { return truncated(sources[k], bits); };
  const auto result = [&](std::uint64_t value) { return truncated(value, bits); };
  const auto least = [&](bool wantsFirst) { return source(wantsFirst ? 0 : 1); };
  if (sources.size() == 1) {
    if (form.opcode == Opcode::Not) return result(~source(0));
    if (form.opcode == Opcode::Neg) return result(0 - source(0));
    return std::nullopt;
  }
  if (sources.size() == 3) {
    if (form.opcode == Opcode::Mad) return result(source(0) * source(1) + source(2));
    return std::nullopt;
  }
  if (sources.size() != 2) return std::nullopt;
  const bool isBelow = isa::isSigned(form.type)
                           ? extended(source(0), bits) < extended(source(1), bits)
                           : source(0) < source(1);
  switch (form.opcode) {
    case Opcode::Add:
      return result(source(0) + source(1));
    case Opcode::Sub:
      return result(source(0) - source(1));
    case Opcode::Mul:
      return result(source(0) * source(1));
    case Opcode::And:
      return result(source(0) & source(1));
    case Opcode::Or:
      return result(source(0) | source(1));
    case Opcode::Xor:
      return result(source(0) ^ source(1));
    case Opcode::Min:
      return least(isBelow);
    case Opcode::Max:
      return least(!isBelow);
    case Opcode::Shl:
    case Opcode::Shr:
      return result(shifted(form, source(0), sources[1], bits));
    default:
      return std::nullopt;
  }
}

std::optional<std::size_t> identity(const isa::Form& form, std::size_t constantAt,
                                    std::uint64_t constant) {
  if (!isPlain(form)) return std::nullopt;
  const int bits = isa::bitWidth(form.type);
  const std::uint64_t value = truncated(constant, bits);
  const std::size_t other = 1 - constantAt;
  const auto whenIs = [&](std::uint64_t neutral) {
    return value == neutral ? std::optional(other) : std::nullopt;
  };
  const bool isSecond = constantAt == 1;
  switch (form.opcode) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor:
      return whenIs(0);
    case Opcode::Mul:
      return whenIs(1);
    case Opcode::And:
      return whenIs(truncated(~std::uint64_t{0}, bits));
    case Opcode::Sub:
      return isSecond ? whenIs(0) : std::nullopt;
    case Opcode::Shl:
    case Opcode::Shr:
      return isSecond && truncated(constant, 32) == 0 ? std::optional(other) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> absorbed(const isa::Form& form, std::uint64_t constant) {
  if (!isPlain(form)) return std::nullopt;
  const int bits = isa::bitWidth(form.type);
  const std::uint64_t ones = truncated(~std::uint64_t{0}, bits);
  const std::uint64_t value = truncated(constant, bits);
  const bool isZero = form.opcode == Opcode::And || form.opcode == Opcode::Mul;
  if (isZero && value == 0) return 0;
  if (form.opcode == Opcode::Or && value == ones) return ones;
  return std::nullopt;
}

}  // namespace ptxopt::passes
