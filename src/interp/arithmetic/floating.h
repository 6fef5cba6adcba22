// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32 and f64 arithmetic, exact to the bit (PTX ISA 9.7.3), and f16 and bf16 based on it (9.7.4).
//
// Round-to-nearest-even uses the operation of the host; for other roundings the rounding mode of
// the host is switched.  A NaN result of f32 is the canonical 0x7fffffff. f64 keeps the payload of
// the first NaN operand, quieted, and gives 0xfff8000000000000 for an invalid operation.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interp/arithmetic/rounding.h"

namespace ptxopt::interp {

template <class F>
using FloatBits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

inline constexpr std::uint32_t kCanonicalNaN32 = 0x7fffffff;
inline float canonicalNaN() {
  return std::bit_cast<float>(kCanonicalNaN32);
}

// A quiet NaN with the payload of this one.
template <class F>
F quiet(F nan) {
  constexpr int kQuietBit = std::numeric_limits<F>::digits - 2;
  return std::bit_cast<F>(std::bit_cast<FloatBits<F>>(nan) | FloatBits<F>{1} << kQuietBit);
}

// `result` if it is a number, else the NaN that PTX gives for these operands.
template <class F, class... Operands>
F settleNaN(F result, Operands... operands) {
  if (!std::isnan(result)) return result;
  if constexpr (sizeof(F) == 4) {
    return canonicalNaN();
  } else {
    for (const F operand : {operands...}) {
      if (std::isnan(operand)) return quiet(operand);
    }
    return std::bit_cast<double>(0xfff8000000000000u);
  }
}

// Under any rounding; slower.
template <class F>
F addRounded(F a, F b, Rounding rounding);
template <class F>
F subtractRounded(F a, F b, Rounding rounding);
template <class F>
F multiplyRounded(F a, F b, Rounding rounding);
template <class F>
F divideRounded(F a, F b, Rounding rounding);
template <class F>
F fusedMultiplyAddRounded(F a, F b, F c, Rounding rounding);
template <class F>
F squareRootRounded(F a, Rounding rounding);

template <class F>
F add(F a, F b, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return addRounded(a, b, rounding);
  return settleNaN<F>(a + b, a, b);
}
template <class F>
F subtract(F a, F b, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return subtractRounded(a, b, rounding);
  return settleNaN<F>(a - b, a, b);
}
template <class F>
F multiply(F a, F b, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return multiplyRounded(a, b, rounding);
  return settleNaN<F>(a * b, a, b);
}
template <class F>
F divide(F a, F b, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return divideRounded(a, b, rounding);
  return settleNaN<F>(a / b, a, b);
}
template <class F>
F fusedMultiplyAdd(F a, F b, F c, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return fusedMultiplyAddRounded(a, b, c, rounding);
  return settleNaN<F>(std::fma(a, b, c), a, b, c);
}
template <class F>
F squareRoot(F a, Rounding rounding) {
  if (rounding != Rounding::NearestEven) return squareRootRounded(a, rounding);
  return settleNaN<F>(std::sqrt(a), a);
}

// Subnormal numbers become zeros of the same sign (.ftz).
inline float flush(float a) {
  return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a;
}
// To [0, 1]; a NaN becomes +0 (.sat).
template <class F>
F saturate(F a) {
  return a >= F{1} ? F{1} : a > F{0} ? a : F{0};
}

// -0 is less than +0.  If one operand is a NaN, the result is the other one, unless `propagateNaN`.
template <class F>
F minimum(F a, F b, bool propagateNaN);
template <class F>
F maximum(F a, F b, bool propagateNaN);

// The approximate functions: correctly rounded or within one unit in the last place, which is
// within the manual's bounds, and the same in every run.
float divideApproximate(float a, float b);  // 0 or NaN for 2^126 < |b| < 2^128, as the manual says
float reciprocalApproximate(float a);
float reciprocalRootApproximate(float a);
float sineApproximate(float a);
float cosineApproximate(float a);
float log2Approximate(float a);
float exp2Approximate(float a);
float tanhApproximate(float a);
// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the low half of the result is zero.
double reciprocalApproximate(double a);
double reciprocalRootApproximate(double a);
double reciprocalRoot(double a);  // rsqrt.approx.f64

// f16 and bf16.  Operands and results are bit patterns.
struct HalfMode {
  bool ftz = false;
  bool saturates = false;
  bool relu = false;  // negative results become +0, a NaN remains
  Rounding rounding = Rounding::NearestEven;
};
std::uint16_t halfAdd(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode);
std::uint16_t halfSubtract(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode);
std::uint16_t halfMultiply(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode);
std::uint16_t halfFma(FloatFormat format, std::uint16_t a, std::uint16_t b, std::uint16_t c,
                      HalfMode mode);
std::uint16_t halfMinMax(FloatFormat format, std::uint16_t a, std::uint16_t b, bool isMaximum,
                         bool propagateNaN, bool flushes);
std::uint16_t halfFlush(FloatFormat format, std::uint16_t a);

double toDouble(FloatFormat format, std::uint64_t bits);  // exact
std::uint64_t fromDouble(FloatFormat format, double value, Rounding rounding);

}  // namespace ptxopt::interp
