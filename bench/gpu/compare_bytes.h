// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Are two pieces of memory the same, bit for bit or within the error of approximate functions?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ir/module.h"

namespace ptxopt::gpu {

// Formats in which bits may differ.  None: they may not.
struct Tolerance {
  double relative = 0;  // of the larger value, or of 1 where both are smaller; f32 and f64
  bool f16 = false;     // these two within the last two bits
  bool bf16 = false;
  bool f32 = false;
  bool f64 = false;

  bool isExact() const { return !f16 && !bf16 && !f32 && !f64; }
};

// What a kernel, with the functions of its module, asks for: formats of the floating-point
// instructions if one of them is approximate (.approx, .full) or a matrix product, whose sums have
// no specified order; otherwise none.  O(statements).
Tolerance toleranceFor(const ir::Module& module, const ir::Function& kernel, double relative);

struct ByteComparison {
  std::optional<std::size_t> firstDifference;  // beyond the tolerance
  double largestError = 0;                     // of what was tolerated
  bool isSame() const { return !firstDifference; }
};

// Looks at words, aligned, of eight bytes.  `skipped` are the offsets of words of eight bytes that
// hold addresses.  A word that differs must be, in one of the formats, elements that are each close
// to each other; subnormal numbers are never close, as they may be small integers.
ByteComparison compareBytes(std::span<const std::uint8_t> expected,
                            std::span<const std::uint8_t> actual, const Tolerance& tolerance,
                            std::span<const std::size_t> skipped);

}  // namespace ptxopt::gpu
