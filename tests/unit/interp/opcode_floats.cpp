// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opcode_floats.h"

namespace ptxopt::interp::reference {

Values valuesOf(const Format& format, int random) {
  return floats(format.exponentBits, format.fractionBits, random);
}

Values fewOf(const Format& f) {
  Values values = {0, f.signBit(), f.one(), f.one() | f.signBit(), f.one() + 1,
                   (f.one() - 1) | f.signBit(), f.one() + 3 * f.smallestNormal() / 2, 1,
                   f.smallestNormal() - 1, f.smallestNormal() | f.signBit(), f.largest(),
                   f.largest() | f.signBit(), f.infinity(), f.infinity() | f.signBit(),
                   f.canonicalNaN(),
                   // Products of these reach to the edges of the range from inside.
                   f.one() / 2 + 12345, (f.one() / 2 + 777) | f.signBit(),
                   f.one() - 30 * f.smallestNormal() + 54321};
  for (std::uint64_t& value : values) value &= f.signBit() | (f.signBit() - 1);
  return values;
}

std::string Modifiers::text() const {
  return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (relu ? ".relu" : "");
}

const Exact kAdd = [](const std::vector<Number>& n, Mode mode) { return add(n[0], n[1], mode); };
const Exact kSubtract = [](const std::vector<Number>& n, Mode mode) {
  return add(n[0], negate(n[1]), mode);
};
const Exact kMultiply = [](const std::vector<Number>& n, Mode) { return multiply(n[0], n[1]); };
const Exact kDivide = [](const std::vector<Number>& n, Mode) { return divide(n[0], n[1]); };
const Exact kFma = [](const std::vector<Number>& n, Mode mode) {
  return add(multiply(n[0], n[1]), n[2], mode);
};
const Exact kRoot = [](const std::vector<Number>& n, Mode) { return squareRoot(n[0]); };
const Exact kReciprocal = [](const std::vector<Number>& n, Mode) {
  return divide(fromInteger(1, false), n[0]);
};

std::uint64_t evaluate(const Format& format, const Exact& exact, Mode mode,
                       const Modifiers& modifiers, std::vector<std::uint64_t> operands) {
  std::vector<Number> numbers;
  for (std::uint64_t& operand : operands) {
    if (modifiers.ftz) operand = flush(format, operand);
    numbers.push_back(decode(format, operand));
  }
  std::uint64_t result = encode(format, exact(numbers, mode), mode);
  if (modifiers.ftz) result = flush(format, result);
  const bool isNegative = (result & format.signBit()) != 0;
  if (modifiers.relu && isNegative && !isNaN(format, result)) return 0;
  return modifiers.sat ? saturate(format, result) : result;
}

std::string Extremum::text() const {
  return std::string(isMaximum ? "max" : "min") + (ftz ? ".ftz" : "") +
         (propagatesNaN ? ".NaN" : "") + (takesSign ? ".xorsign" : "") +
         (takesMagnitudes ? ".abs" : "");
}

std::uint64_t evaluate(const Format& format, const Extremum& extremum,
                       std::vector<std::uint64_t> operands) {
  for (std::uint64_t& operand : operands) {
    if (extremum.ftz) operand = flush(format, operand);
  }
  const std::uint64_t sign = (operands[0] ^ operands[1]) & format.signBit();
  std::uint64_t best = format.canonicalNaN();
  bool isFirst = true;
  for (std::uint64_t operand : operands) {
    if (extremum.takesMagnitudes) operand &= ~format.signBit();
    const bool undefined = isNaN(format, operand);
    if (undefined && extremum.propagatesNaN) return format.canonicalNaN();
    if (undefined) continue;
    // As integers that order the numbers, -0 below +0.
    const auto order = [&](std::uint64_t bits) {
      const auto magnitude = static_cast<std::int64_t>(bits & (format.signBit() - 1));
      return (bits & format.signBit()) != 0 ? -magnitude - 1 : magnitude;
    };
    const bool wins = isFirst || (extremum.isMaximum ? order(operand) > order(best)
                                                     : order(operand) < order(best));
    if (wins) best = operand;
    isFirst = false;
  }
  if (isFirst) return format.canonicalNaN();
  return extremum.takesSign ? (best & ~format.signBit()) | sign : best;
}

}  // namespace ptxopt::interp::reference
