// Floating-point numbers of 8, 6 and 4 bits (PTX ISA 5.2.3): their values, and rounding into them.
//
// A format has few enough values to look at all of them, so rounding is a search for the nearest
// one and needs no case for subnormal numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxopt::interp {

enum class SmallFormat : std::uint8_t { E4M3, E5M2, E2M3, E3M2, E2M1 };

// By the name of the number ("e4m3") as it stands in `.e4m3`, `.e4m3x2` or `.e4m3x4`.
std::optional<SmallFormat> findSmallFormat(std::string_view qualifier);

// Bits of a number within a packed register: 8, or 4 for e2m1.  A number of 6 bits has two zeros in
// front.
int storageBits(SmallFormat format);

// Bits above those of the format are ignored.  e4m3 has a NaN, e5m2 NaNs and infinities.
double toDouble(SmallFormat format, std::uint32_t bits);

// To the nearest, ties to even, and to the largest finite number where the magnitude is larger
// (.satfinite).  A NaN gives the NaN whose bits are all ones but the sign, and the largest positive
// number where there is none.  `relu`: negative results become +0.
std::uint32_t fromDouble(SmallFormat format, double value, bool relu);

}  // namespace ptxopt::interp
