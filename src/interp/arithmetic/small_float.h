// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers of 8, 6 and 4 bits (PTX ISA 5.2.3): their values, and rounding into them.
//
// A format has so few values that all can be listed.  Rounding searches for the nearest one and
// needs no special case for subnormal numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interp/arithmetic/rounding.h"

namespace ptxopt::interp {

// ue5m3 has no sign. s2f6 is a fixed-point number in two's complement; only its value is
// implemented.
enum class SmallFormat : std::uint8_t { E4M3, E5M2, E2M3, E3M2, E2M1, UE5M3, S2F6 };

// By the name of the number format ("e4m3") in `.e4m3`, `.e4m3x2` or `.e4m3x4`.
std::optional<SmallFormat> findSmallFormat(std::string_view qualifier);

// The bits of a number in a packed register: 8, or 4 for e2m1.  A number of 6 bits is padded with
// two zero bits at the top.
int storageBits(SmallFormat format);

// Bits above those of the format are ignored.  e4m3 and ue5m3 have a NaN, e5m2 NaNs and
// infinities.
double toDouble(SmallFormat format, std::uint32_t bits);

// `rounding`: NearestEven, Zero, or Up for a format without a sign.  `isFinite` (.satfinite): too
// large a magnitude gives the largest finite number; without it ue5m3 gives its NaN if rounding
// exceeds that number.  A NaN gives the NaN whose bits other than the sign are all ones, or the
// largest positive number if the format has no NaN.  `relu`: negative results become +0.  A format
// without a sign uses the magnitude.  Not for s2f6.
std::uint32_t fromDouble(SmallFormat format, double value, bool relu,
                         Rounding rounding = Rounding::NearestEven, bool isFinite = true);

// ue8m0: 2^(bits - 127), and NaN for 255.  From a number: the power of two at or below its
// magnitude (Zero) or at or above (Up), at least 2^-127; above 2^127: 255, or 254 if `isFinite`.
double scaleToDouble(std::uint32_t bits);
std::uint32_t scaleFromDouble(double value, Rounding rounding, bool isFinite);

}  // namespace ptxopt::interp
