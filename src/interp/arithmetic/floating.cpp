// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/arithmetic/floating.h"

#include <cfenv>
#include <initializer_list>
#include <limits>

namespace ptxopt::interp {

namespace {

int hostMode(Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero:
      return FE_TOWARDZERO;
    case Rounding::Down:
      return FE_DOWNWARD;
    case Rounding::Up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// Operands and result pass through volatile objects, so that the compiler can neither fold the
// operation nor move it across the change of the rounding mode.
template <class F, class Operation, class... Operands>
F rounded(Rounding rounding, Operation operation, Operands... operands) {
  const auto opaque = [](F operand) {
    volatile F hidden = operand;
    return F{hidden};
  };
  const int before = std::fegetround();
  std::fesetround(hostMode(rounding));
  volatile F result = operation(opaque(operands)...);
  std::fesetround(before);
  return settleNaN<F>(result, operands...);
}

}  // namespace

template <class F>
F addRounded(F a, F b, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x, F y) { return x + y; }, a, b);
}
template <class F>
F subtractRounded(F a, F b, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x, F y) { return x - y; }, a, b);
}
template <class F>
F multiplyRounded(F a, F b, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x, F y) { return x * y; }, a, b);
}
template <class F>
F divideRounded(F a, F b, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x, F y) { return x / y; }, a, b);
}
template <class F>
F fusedMultiplyAddRounded(F a, F b, F c, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x, F y, F z) { return std::fma(x, y, z); }, a, b, c);
}
template <class F>
F squareRootRounded(F a, Rounding rounding) {
  return rounded<F>(
      rounding, [](F x) { return std::sqrt(x); }, a);
}

template <class F>
F minimum(F a, F b, bool propagateNaN) {
  if (std::isnan(a) || std::isnan(b)) {
    if (propagateNaN || (std::isnan(a) && std::isnan(b))) {
      return settleNaN<F>(std::numeric_limits<F>::quiet_NaN(), a, b);
    }
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class F>
F maximum(F a, F b, bool propagateNaN) {
  if (std::isnan(a) || std::isnan(b)) return minimum(a, b, propagateNaN);
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template float addRounded(float, float, Rounding);
template double addRounded(double, double, Rounding);
template float subtractRounded(float, float, Rounding);
template double subtractRounded(double, double, Rounding);
template float multiplyRounded(float, float, Rounding);
template double multiplyRounded(double, double, Rounding);
template float divideRounded(float, float, Rounding);
template double divideRounded(double, double, Rounding);
template float fusedMultiplyAddRounded(float, float, float, Rounding);
template double fusedMultiplyAddRounded(double, double, double, Rounding);
template float squareRootRounded(float, Rounding);
template double squareRootRounded(double, Rounding);
template float minimum(float, float, bool);
template double minimum(double, double, bool);
template float maximum(float, float, bool);
template double maximum(double, double, bool);

// ---- approximate functions ----------------------------------------------------------------------

namespace {

float single(double value) {
  return settleNaN(static_cast<float>(value), 0.0f);
}

// The upper 32 bits are a format of their own, with 20 bits of fraction; subnormals become zeros.
double upperHalf(double value) {
  const auto upper =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xffffffff00000000u);
  if (std::isnan(upper)) return std::bit_cast<double>(0x7fffffff00000000u);
  return std::fpclassify(upper) == FP_SUBNORMAL ? std::copysign(0.0, upper) : upper;
}

}  // namespace

float divideApproximate(float a, float b) {
  const float magnitude = std::fabs(b);
  if (magnitude > 0x1p126f && std::isfinite(b)) {
    if (std::isinf(a) || std::isnan(a)) return canonicalNaN();
    return std::copysign(0.0f, std::signbit(a) == std::signbit(b) ? 1.0f : -1.0f);
  }
  return divide(a, b, Rounding::NearestEven);
}
float reciprocalApproximate(float a) {
  return single(1.0 / static_cast<double>(a));
}
float reciprocalRootApproximate(float a) {
  return single(1.0 / std::sqrt(static_cast<double>(a)));
}
float sineApproximate(float a) {
  return single(std::sin(static_cast<double>(a)));
}
float cosineApproximate(float a) {
  return single(std::cos(static_cast<double>(a)));
}
float log2Approximate(float a) {
  return single(std::log2(static_cast<double>(a)));
}
float exp2Approximate(float a) {
  return single(std::exp2(static_cast<double>(a)));
}
float tanhApproximate(float a) {
  return single(std::tanh(static_cast<double>(a)));
}

double reciprocalApproximate(double a) {
  return upperHalf(1.0 / upperHalf(a));
}
double reciprocalRoot(double a) {
  return settleNaN(1.0 / std::sqrt(a), a);
}
double reciprocalRootApproximate(double a) {
  return upperHalf(1.0 / std::sqrt(upperHalf(a)));
}

// ---- f16 and bf16 -------------------------------------------------------------------------------

double toDouble(FloatFormat format, std::uint64_t bits) {
  return std::bit_cast<double>(pack(kF64, unpack(format, bits), Rounding::NearestEven));
}

std::uint64_t fromDouble(FloatFormat format, double value, Rounding rounding) {
  return pack(format, unpack(kF64, std::bit_cast<std::uint64_t>(value)), rounding);
}

std::uint16_t halfFlush(FloatFormat format, std::uint16_t a) {
  const std::uint16_t exponent =
      static_cast<std::uint16_t>(((1u << format.exponentBits) - 1) << format.fractionBits);
  return (a & exponent) == 0 ? a & 0x8000 : a;
}

namespace {

// `value + error` is the exact result; rounding to odd first avoids double rounding.
std::uint16_t finish(FloatFormat format, double value, double error, HalfMode mode) {
  Real exact = unpack(kF64, std::bit_cast<std::uint64_t>(value));
  if (exact.kind == Real::Class::Finite && error != 0) {
    if (std::signbit(error) != exact.negative) {
      exact = unpack(kF64, std::bit_cast<std::uint64_t>(std::nextafter(value, 0.0)));
    }
    exact.sticky = true;
  }
  std::uint16_t result = static_cast<std::uint16_t>(pack(format, exact, mode.rounding));
  if (mode.ftz) result = halfFlush(format, result);
  const bool isNaN = exact.kind == Real::Class::NaN;
  if (mode.relu && !isNaN && (result & 0x8000) != 0) result = 0;
  if (mode.saturates) {
    const double number = toDouble(format, result);
    result =
        static_cast<std::uint16_t>(fromDouble(format, saturate(number), Rounding::NearestEven));
  }
  return result;
}

double operand(FloatFormat format, std::uint16_t a, HalfMode mode) {
  return toDouble(format, mode.ftz ? halfFlush(format, a) : a);
}

// The sum and its rounding error (Knuth's TwoSum).
std::uint16_t finishSum(FloatFormat format, double a, double b, HalfMode mode) {
  double sum = a + b;
  if (!std::isfinite(sum)) return finish(format, sum, 0, mode);
  const bool cancels = sum == 0 && std::signbit(a) != std::signbit(b);
  if (cancels && mode.rounding == Rounding::Down) sum = -0.0;
  const double bPart = sum - a;
  const double error = (a - (sum - bPart)) + (b - bPart);
  return finish(format, sum, error, mode);
}

}  // namespace

std::uint16_t halfAdd(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode) {
  return finishSum(format, operand(format, a, mode), operand(format, b, mode), mode);
}
std::uint16_t halfSubtract(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode) {
  return finishSum(format, operand(format, a, mode), -operand(format, b, mode), mode);
}
std::uint16_t halfMultiply(FloatFormat format, std::uint16_t a, std::uint16_t b, HalfMode mode) {
  return finish(format, operand(format, a, mode) * operand(format, b, mode), 0, mode);
}
std::uint16_t halfFma(FloatFormat format, std::uint16_t a, std::uint16_t b, std::uint16_t c,
                      HalfMode mode) {
  return finishSum(format, operand(format, a, mode) * operand(format, b, mode),
                   operand(format, c, mode), mode);
}

std::uint16_t halfMinMax(FloatFormat format, std::uint16_t a, std::uint16_t b, bool isMaximum,
                         bool propagateNaN, bool flushes) {
  const HalfMode mode{flushes, false, false};
  const double x = operand(format, a, mode);
  const double y = operand(format, b, mode);
  const double result = isMaximum ? maximum(x, y, propagateNaN) : minimum(x, y, propagateNaN);
  return static_cast<std::uint16_t>(fromDouble(format, result, Rounding::NearestEven));
}

}  // namespace ptxopt::interp
