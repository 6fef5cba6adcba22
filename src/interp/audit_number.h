// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers in claims, as stored in a frame.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interp/frame.h"

namespace ptxopt::interp {

// A slot of a frame that holds a register, or the value of a register at some place.
struct AuditNumber {
  std::uint32_t slot = 0;
  std::uint32_t known = 0;  // a slot that is not 0 once the number exists; 0: it always exists
  std::uint8_t bits = 64;

  std::optional<std::uint64_t> evaluate(Frame frame) const {
    if (known != 0 && frame[known] == 0) return std::nullopt;
    return frame[slot];
  }
};

// The linear form of a facts::Form, with the slots of its leaves.
struct AuditForm {
  struct Term {
    enum class Kind : std::uint8_t { Number, Parameter, Product, ZeroExtended, SignExtended };
    Kind kind = Kind::Number;
    std::uint64_t coefficient = 1;
    AuditNumber number;
    std::uint64_t offset = 0;  // Parameter: offset among the parameters of the kernel
    std::vector<AuditForm> factors;
  };
  std::uint8_t bits = 64;
  std::uint64_t constant = 0;
  std::vector<Term> terms;

  // The value, below 2^bits.  None if the thread has not executed the place of some leaf since the
  // function was called.  O(terms).
  std::optional<std::uint64_t> evaluate(Frame frame,
                                        std::span<const std::uint8_t> parameters) const;
};

constexpr std::uint64_t lowBits(std::uint64_t number, unsigned bits) {
  return bits >= 64 ? number : number & ((std::uint64_t{1} << bits) - 1);
}
constexpr std::int64_t asSigned(std::uint64_t number, unsigned bits) {
  const unsigned spare = 64 - bits;
  return static_cast<std::int64_t>(number << spare) >> spare;
}

}  // namespace ptxopt::interp
