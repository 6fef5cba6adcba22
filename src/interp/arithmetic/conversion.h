// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt: one value from one type to another (PTX ISA 9.7.10.21).
#pragma once

#include <cstdint>
#include <optional>

#include "interp/arithmetic/rounding.h"
#include "isa/isa.h"

namespace ptxopt::interp {

struct Conversion {
  isa::Type to = isa::Type::None;
  isa::Type from = isa::Type::None;
  Rounding rounding = Rounding::NearestEven;
  bool toIntegral = false;  // .rni, .rzi, .rmi, .rpi
  bool ftz = false;
  bool saturates = false;  // .sat
  bool finite = false;     // .satfinite
  bool relu = false;
};

// Integers, f16, bf16, tf32, f32 and f64.
bool isConvertible(isa::Type type);

// `bits` contains the source in its low bits; the bits above are ignored.  In the result, the bits
// above its own width are zero.
std::uint64_t convert(const Conversion& conversion, std::uint64_t bits);

// `bits` as a value of `type`, sign- or zero-extended to 64 bits.
std::uint64_t extended(isa::Type type, std::uint64_t bits);
std::uint64_t truncated(std::uint64_t bits, int width);

}  // namespace ptxopt::interp
