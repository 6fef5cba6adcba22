// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers modulo a power of two.
#pragma once

#include <cstdint>

namespace ptxopt {

constexpr std::uint64_t residue(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// The residue closest to 0.
constexpr std::int64_t signedResidue(std::uint64_t value, unsigned bits) {
  const unsigned spare = 64 - bits;
  return static_cast<std::int64_t>(value << spare) >> spare;
}

}  // namespace ptxopt
