// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32, f32x2 and f64 arithmetic (PTX ISA 9.7.3) against exact arithmetic on integers, and the
// approximate functions against the errors that the manual allows.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "opcode_floats.h"
#include "opcode_table.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

const FloatType kF32{"f32", "%r", kSingle};
const FloatType kF64{"f64", "%rd", kDouble};

// All NaNs of f32 are the canonical one here; f64 may keep a payload.
void addRows(OpcodeTable& table, const FloatType& type, const std::string& text,
             std::vector<Row> rows) {
  if (type.name == "f32") {
    table.add(text, std::move(rows));
  } else {
    table.addWithNaNs(text, std::move(rows), type.format.exponentBits, type.format.fractionBits);
  }
}

void unary(OpcodeTable& table, const FloatType& type, const std::string& opcode, Mode mode,
           const Modifiers& modifiers, const Exact& exact) {
  std::vector<Row> rows;
  for (const std::uint64_t a : valuesOf(type.format, 60)) {
    rows.push_back({{a}, {evaluate(type.format, exact, mode, modifiers, {a})}});
  }
  addRows(table, type, opcode + "." + type.name + replaced(" %x0, %x1;", "%x", type.registers),
          std::move(rows));
}
void binary(OpcodeTable& table, const FloatType& type, const std::string& opcode, Mode mode,
            const Modifiers& modifiers, const Exact& exact) {
  const Values values = valuesOf(type.format, 10);
  std::vector<Row> rows;
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      rows.push_back({{a, b}, {evaluate(type.format, exact, mode, modifiers, {a, b})}});
    }
  }
  addRows(table, type, opcode + "." + type.name + replaced(" %x0, %x1, %x2;", "%x", type.registers),
          std::move(rows));
}
void ternary(OpcodeTable& table, const FloatType& type, const std::string& opcode, Mode mode,
             const Modifiers& modifiers, const Exact& exact) {
  const Values values = fewOf(type.format);
  std::vector<Row> rows;
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      for (const std::uint64_t c : values) {
        rows.push_back({{a, b, c}, {evaluate(type.format, exact, mode, modifiers, {a, b, c})}});
      }
    }
  }
  addRows(table, type,
          opcode + "." + type.name + replaced(" %x0, %x1, %x2, %x3;", "%x", type.registers),
          std::move(rows));
}

TEST(FloatOpcodes, AddSubMul) {
  OpcodeTable table;
  const std::pair<std::string, Exact> kOperations[] = {
      {"add", kAdd}, {"sub", kSubtract}, {"mul", kMultiply}};
  for (const auto& [opcode, exact] : kOperations) {
    for (const auto& [rounding, mode] : kRoundings) {
      for (const Modifiers& modifiers : {kPlain, kFtz, kSat, kFtzSat}) {
        binary(table, kF32, opcode + rounding + modifiers.text(), mode, modifiers, exact);
      }
      binary(table, kF64, opcode + rounding, mode, kPlain, exact);
    }
    binary(table, kF32, opcode, Mode::NearestEven, kPlain, exact);
    binary(table, kF32, opcode + ".ftz.sat", Mode::NearestEven, kFtzSat, exact);
    binary(table, kF64, opcode, Mode::NearestEven, kPlain, exact);
  }
  table.run();
}

TEST(FloatOpcodes, Fma) {
  OpcodeTable table;
  for (const std::string opcode : {"fma", "mad"}) {
    for (const auto& [rounding, mode] : kRoundings) {
      for (const Modifiers& modifiers : {kPlain, kFtz, kSat, kFtzSat}) {
        ternary(table, kF32, opcode + rounding + modifiers.text(), mode, modifiers, kFma);
      }
      ternary(table, kF64, opcode + rounding, mode, kPlain, kFma);
    }
  }
  table.run();
}

TEST(FloatOpcodes, DivRcpSqrt) {
  OpcodeTable table;
  for (const auto& [rounding, mode] : kRoundings) {
    for (const Modifiers& modifiers : {kPlain, kFtz}) {
      const std::string text = rounding + modifiers.text();
      binary(table, kF32, "div" + text, mode, modifiers, kDivide);
      unary(table, kF32, "rcp" + text, mode, modifiers, kReciprocal);
      unary(table, kF32, "sqrt" + text, mode, modifiers, kRoot);
    }
    binary(table, kF64, std::string("div") + rounding, mode, kPlain, kDivide);
    unary(table, kF64, std::string("rcp") + rounding, mode, kPlain, kReciprocal);
    unary(table, kF64, std::string("sqrt") + rounding, mode, kPlain, kRoot);
  }
  table.run();
}

// Payloads of f64 NaNs are kept, made quiet.
TEST(FloatOpcodes, PayloadsOfDoubles) {
  OpcodeTable table;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr std::uint64_t kQuiet = 0x7ff8000000012345;
  constexpr std::uint64_t kSignaling = 0xfff0000000000777;
  for (const std::string opcode : {"add.f64", "sub.rz.f64", "mul.f64", "div.rn.f64"}) {
    table.add(opcode + " %rd0, %rd1, %rd2;", {{{kQuiet, kOne}, {kQuiet}},
                                              {{kOne, kQuiet}, {kQuiet}},
                                              {{kSignaling, kOne}, {kSignaling | 1ull << 51}}});
  }
  table.add("sqrt.rn.f64 %rd0, %rd1;", {{{kQuiet}, {kQuiet}}});
  table.add("fma.rn.f64 %rd0, %rd1, %rd2, %rd3;", {{{kOne, kOne, kQuiet}, {kQuiet}}});
  table.run();
}

// Two numbers in a register, each by itself.
TEST(FloatOpcodes, PairsOfSingles) {
  OpcodeTable table;
  const Values values = valuesOf(kSingle, 20);
  const auto pairs = [&](std::size_t step) {
    Values result;
    for (std::size_t k = 0; k < values.size(); ++k) {
      result.push_back(values[k] | values[(k * step + 3) % values.size()] << 32);
    }
    return result;
  };
  const Values a = pairs(7);
  const Values b = pairs(11);
  const Values c = pairs(5);
  const auto both = [](const Exact& exact, Mode mode, const Modifiers& modifiers,
                       const std::vector<std::uint64_t>& operands) {
    std::uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 32) {
      std::vector<std::uint64_t> parts;
      for (const std::uint64_t operand : operands) parts.push_back(operand >> shift & 0xffffffff);
      result |= evaluate(kSingle, exact, mode, modifiers, parts) << shift;
    }
    return result;
  };
  const std::pair<std::string, Exact> kOperations[] = {
      {"add", kAdd}, {"sub", kSubtract}, {"mul", kMultiply}};
  for (const auto& [rounding, mode] : kRoundings) {
    for (const Modifiers& modifiers : {kPlain, kFtz}) {
      for (const auto& [opcode, exact] : kOperations) {
        table.cross(opcode + rounding + modifiers.text() + ".f32x2 %rd0, %rd1, %rd2;", a, b,
                    [&, mode = mode, &exact = exact](std::uint64_t x, std::uint64_t y) {
                      return both(exact, mode, modifiers, {x, y});
                    });
      }
      std::vector<Row> rows;
      for (std::size_t k = 0; k < 600; ++k) {
        const std::uint64_t x = a[k % a.size()];
        const std::uint64_t y = b[k * 7 % b.size()];
        const std::uint64_t z = c[k * 13 % c.size()];
        rows.push_back({{x, y, z}, {both(kFma, mode, modifiers, {x, y, z})}});
      }
      table.add("fma" + std::string(rounding) + modifiers.text() + ".f32x2 %rd0, %rd1, %rd2, %rd3;",
                std::move(rows));
    }
  }
  table.run();
}

// ---- sign, minimum, maximum, properties ---------------------------------------------------------

TEST(FloatOpcodes, MinMax) {
  OpcodeTable table;
  for (const bool isMaximum : {false, true}) {
    for (const bool ftz : {false, true}) {
      for (const bool propagates : {false, true}) {
        Extremum extremum{isMaximum, propagates, ftz, false, false};
        const Values values = valuesOf(kSingle, 10);
        const Values few = fewOf(kSingle);
        const auto two = [&] {
          table.cross(extremum.text() + ".f32 %r0, %r1, %r2;", values, values,
                      [=](std::uint64_t a, std::uint64_t b) {
                        return evaluate(kSingle, extremum, {a, b});
                      });
        };
        const auto three = [&] {
          table.cross(extremum.text() + ".f32 %r0, %r1, %r2, %r3;", few, few, few,
                      [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                        return evaluate(kSingle, extremum, {a, b, c});
                      });
        };
        two();
        three();
        extremum.takesMagnitudes = true;
        three();
        extremum.takesSign = true;
        two();
      }
    }
    const Extremum plain{isMaximum, false, false, false, false};
    std::vector<Row> rows;
    for (const std::uint64_t a : valuesOf(kDouble, 10)) {
      for (const std::uint64_t b : valuesOf(kDouble, 10)) {
        rows.push_back({{a, b}, {evaluate(kDouble, plain, {a, b})}});
      }
    }
    addRows(table, kF64, plain.text() + ".f64 %rd0, %rd1, %rd2;", std::move(rows));
  }
  table.run();
}

TEST(FloatOpcodes, SignsAndProperties) {
  OpcodeTable table;
  for (const FloatType& type : {kF32, kF64}) {
    const Format& format = type.format;
    const Values values = valuesOf(type.format, 60);
    const auto text = [&](const std::string& opcode, const std::string& operands) {
      return opcode + "." + type.name + replaced(operands, "%x", type.registers);
    };
    for (const bool ftz : {false, true}) {
      if (ftz && type.name == "f64") continue;
      const std::string suffix = ftz ? ".ftz" : "";
      const auto moved = [&](const std::string& opcode, auto operation) {
        std::vector<Row> rows;
        for (const std::uint64_t a : values) {
          rows.push_back({{a}, {operation(ftz ? flush(format, a) : a)}});
        }
        table.addWithNaNs(text(opcode + suffix, " %x0, %x1;"), std::move(rows), format.exponentBits,
                          format.fractionBits);
      };
      moved("abs", [&](std::uint64_t a) { return a & ~format.signBit(); });
      moved("neg", [&](std::uint64_t a) { return a ^ format.signBit(); });
    }
    table.cross(text("copysign", " %x0, %x1, %x2;"), values, values,
                [&](std::uint64_t a, std::uint64_t b) {
                  return (b & ~format.signBit()) | (a & format.signBit());
                });
    const auto test = [&](const std::string& name, const std::function<bool(std::uint64_t)>& is) {
      table.cross(text("testp." + name, " %p0, %x1;"), values,
                  [&](std::uint64_t a) { return std::uint64_t{is(a & ~format.signBit())}; });
    };
    const std::uint64_t infinity = format.infinity();
    const std::uint64_t normal = format.smallestNormal();
    test("finite", [=](std::uint64_t a) { return a < infinity; });
    test("infinite", [=](std::uint64_t a) { return a == infinity; });
    test("number", [=](std::uint64_t a) { return a <= infinity; });
    test("notanumber", [=](std::uint64_t a) { return a > infinity; });
    // The manual counts the zeros among the normal numbers.
    test("normal", [=](std::uint64_t a) { return a == 0 || (a >= normal && a < infinity); });
    test("subnormal", [=](std::uint64_t a) { return a != 0 && a < normal; });
  }
  table.run();
}

// ---- approximate functions ----------------------------------------------------------------------

float single(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double number64(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
std::uint64_t flushIf(bool ftz, std::uint64_t bits) {
  return ftz ? flush(kSingle, bits) : bits;
}
// The distance between neighbouring floats at this magnitude.
long double ulp(long double value) {
  const int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
  return std::ldexp(1.0L, exponent - 23);
}

// Where the exact result is an infinity, a zero or a NaN, or the operand says so by a row of the
// manual's table, the result is that; else it is within `bound` of it.
using Bound = std::function<long double(long double exact)>;
void function(OpcodeTable& table, const std::string& opcode, bool ftz,
              long double (*exact)(long double), const Bound& bound, const Values& values) {
  table.approximate(
      opcode + (ftz ? ".ftz" : "") + ".f32 %r0, %r1;", values,
      [=](std::uint64_t in, std::uint64_t got) {
        const float a = single(flushIf(ftz, in));
        const long double right = exact(static_cast<long double>(a));
        if (std::isnan(right)) return got == 0x7fffffff;
        const float result = single(got);
        if (std::isnan(result)) return false;
        if (right == 0 || std::isinf(right)) {
          return static_cast<long double>(result) == right &&
                 std::signbit(result) == std::signbit(right);
        }
        // What overflows or underflows in f32.
        if (std::fabs(right) > static_cast<long double>(std::numeric_limits<float>::max())) {
          return std::fabs(result) >= 0x1.fffffcp127f && std::signbit(result) == (right < 0);
        }
        if (ftz && std::fabs(right) < 0x1p-126L && result == 0) return true;
        return std::fabs(static_cast<long double>(result) - right) <= bound(right);
      });
}

Values operandsOf(float low, float high, int count) {
  Values result;
  for (int k = 0; k <= count; ++k) {
    const float value = low + (high - low) * static_cast<float>(k) / static_cast<float>(count);
    result.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return result;
}

TEST(FloatOpcodes, ApproximateFunctions) {
  OpcodeTable table;
  const Values edges = valuesOf(kSingle, 60);
  const auto ulps = [](int count) -> Bound {
    return [=](long double exact) { return static_cast<long double>(count) * ulp(exact); };
  };
  const auto relative = [](double exponent) -> Bound {
    const long double factor = std::exp2(static_cast<long double>(exponent));
    // A result that is subnormal is rounded to the last place, too.
    return [=](long double exact) { return std::fabs(exact) * factor + 0x1p-150L; };
  };
  const auto absolute = [](double exponent) -> Bound {
    return [=](long double) { return std::exp2(static_cast<long double>(exponent)); };
  };
  for (const bool ftz : {false, true}) {
    function(
        table, "rcp.approx", ftz, [](long double a) { return 1 / a; }, ulps(1), edges);
    function(
        table, "sqrt.approx", ftz, [](long double a) { return std::sqrt(a); }, relative(-23),
        edges);
    function(
        table, "rsqrt.approx", ftz, [](long double a) { return 1 / std::sqrt(a); }, relative(-22.9),
        edges);
    const Values angles = operandsOf(-6.2831850f, 6.2831850f, 400) +
                          Values{0, 0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00000};
    const Values farAngles = operandsOf(-314.0f, 314.0f, 400);
    const auto sine = [](long double a) { return std::sin(a); };
    const auto cosine = [](long double a) { return std::cos(a); };
    function(table, "sin.approx", ftz, sine, absolute(-20.5), angles);
    function(table, "cos.approx", ftz, cosine, absolute(-20.5), angles);
    function(table, "sin.approx", ftz, sine, absolute(-14.7), farAngles);
    function(table, "cos.approx", ftz, cosine, absolute(-14.7), farAngles);
    const auto logarithm = [](long double a) { return std::log2(a); };
    function(table, "lg2.approx", ftz, logarithm, absolute(-22), operandsOf(0.501f, 1.999f, 400));
    Values outside;
    for (const std::uint64_t bits : edges) {
      const float a = single(bits);
      if (!(a > 0.5f && a < 2.0f)) outside.push_back(bits);
    }
    function(table, "lg2.approx", ftz, logarithm, relative(-22), outside);
    const auto power = [](long double a) { return std::exp2(a); };
    function(table, "ex2.approx", ftz, power, ulps(2), edges + operandsOf(-150, 130, 600));
  }
  function(
      table, "tanh.approx", false, [](long double a) { return std::tanh(a); }, relative(-11),
      edges + operandsOf(-9, 9, 300));
  table.run();
}

TEST(FloatOpcodes, ApproximateDivision) {
  OpcodeTable table;
  const Values values = valuesOf(kSingle, 20);
  const auto divides = [&](const std::string& kind, bool ftz) {
    std::vector<Row> rows;
    for (const std::uint64_t a : values) {
      for (const std::uint64_t b : values) rows.push_back({{a, b}, {}});
    }
    const bool scales = kind == "full";
    table.add("div." + kind + (ftz ? ".ftz" : "") + ".f32 %r0, %r1, %r2;", std::move(rows),
              [=](const Row& row, const Outputs& got) {
                const float a = single(flushIf(ftz, row.in[0]));
                const float b = single(flushIf(ftz, row.in[1]));
                const float result = single(got[0]);
                if (!scales && std::fabs(b) > 0x1p126f && std::isfinite(b)) {
                  if (std::isinf(a) || std::isnan(a)) return std::isnan(result);
                  return result == 0 &&
                         std::signbit(result) == (std::signbit(a) != std::signbit(b));
                }
                const long double right = static_cast<long double>(a) / static_cast<long double>(b);
                if (std::isnan(right)) return got[0] == 0x7fffffff;
                if (std::isnan(result) || std::signbit(result) != std::signbit(right)) return false;
                // The reciprocal of a subnormal divisor may overflow.
                if (!scales && std::fabs(b) < 0x1p-126f) return true;
                if (std::fabs(right) >= 0x1.ffffffp127L)
                  return std::fabs(result) >= 0x1.fffffcp127f;
                if (ftz && std::fabs(right) < 0x1p-126L && result == 0) return true;
                return std::fabs(static_cast<long double>(result) - right) <= 2 * ulp(right);
              });
  };
  for (const bool ftz : {false, true}) {
    divides("approx", ftz);
    divides("full", ftz);
  }
  table.run();
}

// The upper halves of double numbers: 20 bits of fraction.
TEST(FloatOpcodes, ApproximateDoubles) {
  OpcodeTable table;
  constexpr std::uint64_t kUpper = 0xffffffff00000000;
  const Values values =
      valuesOf(kDouble, 200) + Values{0x7ff0000000000001,  // infinity, in its upper half
                                      0xfff00000ffffffff, 0x00000000ffffffff, 0x80000000ffffffff};
  const auto check = [&](const std::string& opcode, double (*exact)(double)) {
    table.approximate(opcode + ".approx.ftz.f64 %rd0, %rd1;", values,
                      [=](std::uint64_t in, std::uint64_t got) {
                        const double right = exact(number64(flush(kDouble, in & kUpper)));
                        if (std::isnan(right)) return got == 0x7fffffff00000000;
                        if ((got & ~kUpper) != 0) return false;
                        const double result = number64(got);
                        if (std::signbit(result) != std::signbit(right)) return false;
                        if (std::fabs(right) < 0x1p-1022) return result == 0;
                        if (std::isinf(right)) return result == right;
                        return std::fabs(result - right) <= std::fabs(right) * 0x1p-19;
                      });
  };
  check("rcp", [](double a) { return 1 / a; });
  check("rsqrt", [](double a) { return 1 / std::sqrt(a); });
  table.approximate(
      "rsqrt.approx.f64 %rd0, %rd1;", values, [](std::uint64_t in, std::uint64_t got) {
        const long double right = 1 / std::sqrt(static_cast<long double>(number64(in)));
        const double result = number64(got);
        if (std::isnan(right)) return std::isnan(result);
        if (std::isinf(right) || right == 0) {
          return static_cast<long double>(result) == right &&
                 std::signbit(result) == std::signbit(right);
        }
        return std::fabs(static_cast<long double>(result) - right) <= right * 0x1p-51L;
      });
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp
