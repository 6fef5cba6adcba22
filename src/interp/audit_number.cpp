// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_number.h"

#include <algorithm>
#include <cstring>

namespace ptxopt::interp {

namespace {

std::optional<std::uint64_t> valueOf(const AuditForm::Term& term, Frame frame,
                                     std::span<const std::uint8_t> parameters) {
  using Kind = AuditForm::Term::Kind;
  const auto factor = [&](std::size_t k) { return term.factors[k].evaluate(frame, parameters); };
  switch (term.kind) {
    case Kind::Number:
      return term.number.evaluate(frame);
    case Kind::Parameter: {
      std::uint64_t value = 0;
      const std::uint64_t bytes = term.number.bits / 8;
      if (term.offset + bytes > parameters.size()) return std::nullopt;
      std::memcpy(&value, parameters.data() + term.offset, bytes);
      return value;
    }
    case Kind::Product: {
      std::uint64_t product = 1;
      for (std::size_t k = 0; k < term.factors.size(); ++k) {
        const auto value = factor(k);
        if (!value) return std::nullopt;
        product *= *value;
      }
      return product;
    }
    case Kind::ZeroExtended:
      return factor(0);
    case Kind::SignExtended: {
      const auto value = factor(0);
      if (!value) return std::nullopt;
      return static_cast<std::uint64_t>(asSigned(*value, term.factors[0].bits));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> AuditForm::evaluate(Frame frame,
                                                 std::span<const std::uint8_t> parameters) const {
  std::uint64_t sum = constant;
  for (const Term& term : terms) {
    const auto value = valueOf(term, frame, parameters);
    if (!value) return std::nullopt;
    sum += term.coefficient * *value;
  }
  return lowBits(sum, bits);
}

}  // namespace ptxopt::interp
