// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt in its combinations of types, roundings and modifiers, cvt.pack, and the small formats
// (PTX ISA 9.7.10.24, 9.7.10.25).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "opcode_floats.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

__extension__ using Wide = __int128;

struct ScalarType {
  std::string name;
  int width;
  bool isSigned = false;
  bool isFloat = false;
  Format format = kSingle;  // of a float
};
const std::vector<ScalarType> kIntegers = {{"u8", 8},         {"u16", 16},      {"u32", 32},
                                           {"u64", 64},       {"s8", 8, true},  {"s16", 16, true},
                                           {"s32", 32, true}, {"s64", 64, true}};
const ScalarType kF16{"f16", 16, true, true, kHalf};
const ScalarType kBF16{"bf16", 16, true, true, kBFloat};
const ScalarType kF32{"f32", 32, true, true, kSingle};
const ScalarType kF64{"f64", 64, true, true, kDouble};
const std::vector<ScalarType> kFloats = {kF16, kBF16, kF32, kF64};

constexpr std::pair<const char*, Mode> kIntegral[] = {
    {".rni", Mode::NearestEven}, {".rzi", Mode::Zero}, {".rmi", Mode::Down}, {".rpi", Mode::Up}};

struct Conversion {
  std::string rounding;
  Mode mode = Mode::NearestEven;
  bool toIntegral = false;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
  std::string text() const {
    return "cvt" + rounding + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (relu ? ".relu" : "") +
           (satfinite ? ".satfinite" : "");
  }
};

std::uint64_t cut(std::uint64_t bits, int width) {
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}
Wide valueOf(const ScalarType& type, std::uint64_t bits) {
  const Wide value = static_cast<Wide>(cut(bits, type.width));
  const Wide half = Wide{1} << (type.width - 1);
  return type.isSigned && value >= half ? value - 2 * half : value;
}
std::uint64_t clamped(const ScalarType& type, Wide value) {
  const Wide bound = Wide{1} << (type.width - (type.isSigned ? 1 : 0));
  value = std::clamp(value, type.isSigned ? -bound : Wide{0}, bound - 1);
  return cut(static_cast<std::uint64_t>(value), type.width);
}

// Not a NaN; magnitudes from 2^100 on count as that.
Wide integerOf(const Number& number) {
  constexpr Wide kLarge = Wide{1} << 100;
  Magnitude magnitude = number.magnitude;
  int exponent = number.exponent;
  bool isLarge = number.kind == Number::Kind::Infinity;
  for (; exponent > 0 && !isLarge && magnitude != 0; --exponent) {
    magnitude <<= 1;
    isLarge = magnitude >= static_cast<Magnitude>(kLarge);
  }
  const Wide value = isLarge ? kLarge : static_cast<Wide>(magnitude);
  return number.negative ? -value : value;
}

std::uint64_t toFloat(const Format& format, const Number& number, const Conversion& how) {
  std::uint64_t result = encode(format, number, how.mode);
  const bool isNegative = (result & format.signBit()) != 0;
  if (number.isNaN()) return how.sat ? 0 : result;
  if (how.satfinite && (result & ~format.signBit()) == format.infinity()) {
    result = format.largest() | (result & format.signBit());
  }
  if (how.relu && isNegative) return 0;
  return how.sat ? saturate(format, result) : result;
}

std::uint64_t expected(const ScalarType& to, const ScalarType& from, const Conversion& how,
                       std::uint64_t bits) {
  if (!from.isFloat) {
    const Wide value = valueOf(from, bits);
    if (!to.isFloat) {
      return how.sat ? clamped(to, value) : cut(static_cast<std::uint64_t>(value), to.width);
    }
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    return toFloat(to.format, fromInteger(magnitude, value < 0), how);
  }
  if (how.ftz && from.name == "f32") bits = flush(kSingle, bits);
  Number number = decode(from.format, cut(bits, from.width));
  if (how.toIntegral) number = roundToIntegral(number, how.mode);
  if (!to.isFloat) {
    // The manual: 0, but the highest bit where one side is f64 or an integer of 64 bits.
    if (number.isNaN()) {
      return from.width == 64 || to.width == 64 ? std::uint64_t{1} << (to.width - 1) : 0;
    }
    return clamped(to, integerOf(number));
  }
  const std::uint64_t result = toFloat(to.format, number, how);
  return how.ftz && to.name == "f32" ? flush(kSingle, result) : result;
}

// What stands in a destination register of `width` bits.
std::uint64_t extended(const ScalarType& type, std::uint64_t bits, int width) {
  const bool isNegative = !type.isFloat && type.isSigned && (bits >> (type.width - 1) & 1) != 0;
  return isNegative ? cut(bits | ~((std::uint64_t{2} << (type.width - 1)) - 1), width) : bits;
}

std::string registerOf(int width) {
  return width == 8 ? "%b" : width == 16 ? "%h" : width == 32 ? "%r" : "%rd";
}

// Operands of a type: of floats also those around the bounds of the integer types, and halves.
Values operandsOf(const ScalarType& type) {
  if (!type.isFloat) return integers(type.width, 24);
  Values result = valuesOf(type.format, 40);
  for (const int power : {0, 1, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64}) {
    const double bound = std::ldexp(1.0, power);
    for (const double value : {bound - 1, bound - 0.5, bound, bound + 0.5, bound * (1 - 0x1p-20),
                               bound * (1 + 0x1p-20), bound + 1.5, bound - 0.75}) {
      for (const double sign : {1.0, -1.0}) {
        const Number number = decode(kDouble, std::bit_cast<std::uint64_t>(sign * value));
        result.push_back(encode(type.format, number, Mode::NearestEven));
      }
    }
  }
  return result;
}

void convert(OpcodeTable& table, const ScalarType& to, const ScalarType& from,
             const Conversion& how, int toWidth, int fromWidth) {
  std::vector<Row> rows;
  for (std::uint64_t bits : operandsOf(from)) {
    const std::uint64_t result = extended(to, expected(to, from, how, bits), toWidth);
    // What stands above the source is not looked at.
    if (fromWidth > from.width) bits |= cut(0xa5c3f00d9badcafe << from.width, fromWidth);
    rows.push_back({{bits}, {result}});
  }
  const auto accept = [to](const Row& row, const Outputs& got) {
    if (got == row.expected) return true;
    return to.isFloat && isNaN(to.format, row.expected[0]) && cut(got[0], to.width) == got[0] &&
           isNaN(to.format, got[0]);
  };
  table.add(how.text() + "." + to.name + "." + from.name + " " + registerOf(toWidth) + "0, " +
                registerOf(fromWidth) + "1;",
            std::move(rows), accept);
}

// Every register that is wide enough.
std::vector<int> registerWidths(const ScalarType& type) {
  std::vector<int> result;
  for (const int width : {16, 32, 64}) {
    if (width >= type.width) result.push_back(width);
  }
  return result;
}

TEST(ConvertOpcodes, IntegersToIntegers) {
  OpcodeTable table;
  for (const ScalarType& to : kIntegers) {
    for (const ScalarType& from : kIntegers) {
      for (const int toWidth : registerWidths(to)) {
        for (const int fromWidth : registerWidths(from)) {
          convert(table, to, from, {}, toWidth, fromWidth);
        }
      }
      // Legal where the destination cannot hold all of the source.
      const bool holdsAll = to.isSigned == from.isSigned ? to.width >= from.width
                                                         : to.isSigned && to.width > from.width;
      if (holdsAll) continue;
      Conversion saturating;
      saturating.sat = true;
      convert(table, to, from, saturating, registerWidths(to).front(),
              registerWidths(from).front());
      convert(table, to, from, saturating, 64, 64);
    }
  }
  table.run();
}

TEST(ConvertOpcodes, IntegersToFloats) {
  OpcodeTable table;
  for (const ScalarType& to : kFloats) {
    for (const ScalarType& from : kIntegers) {
      // bf16 wants an operand in a register of its own size.
      const int fromWidth = to.name == "bf16" ? from.width : registerWidths(from).front();
      for (const auto& [rounding, mode] : kRoundings) {
        Conversion how{rounding, mode};
        convert(table, to, from, how, to.width, fromWidth);
        if (to.name == "bf16") continue;
        convert(table, to, from, how, 64, 64);
        how.sat = true;
        convert(table, to, from, how, to.width, fromWidth);
      }
    }
  }
  table.run();
}

TEST(ConvertOpcodes, FloatsToIntegers) {
  OpcodeTable table;
  for (const ScalarType& to : kIntegers) {
    for (const ScalarType& from : kFloats) {
      for (const auto& [rounding, mode] : kIntegral) {
        Conversion how{rounding, mode, true};
        const int toWidth = from.name == "bf16" ? to.width : registerWidths(to).front();
        convert(table, to, from, how, toWidth, from.width);
        if (from.name == "bf16") continue;
        convert(table, to, from, how, 64, 64);
        how.sat = true;
        convert(table, to, from, how, toWidth, from.width);
        if (from.name != "f32") continue;
        how.ftz = true;
        convert(table, to, from, how, toWidth, from.width);
        how.sat = false;
        convert(table, to, from, how, toWidth, from.width);
      }
    }
  }
  table.run();
}

TEST(ConvertOpcodes, FloatsToFloats) {
  OpcodeTable table;
  for (const ScalarType& to : kFloats) {
    for (const ScalarType& from : kFloats) {
      const bool isSame = to.name == from.name;
      const bool isSubset = isSame || to.width > from.width;
      const bool saturates = to.name != "bf16" && from.name != "bf16";
      const bool flushes = to.name == "f32" || from.name == "f32";
      const auto both = [&](Conversion how) {
        for (const bool ftz : {false, true}) {
          for (const bool sat : {false, true}) {
            if ((ftz && !flushes) || (sat && !saturates)) continue;
            how.ftz = ftz;
            how.sat = sat;
            convert(table, to, from, how, to.width, from.width);
            if (saturates && !(ftz && from.name == "f64")) convert(table, to, from, how, 64, 64);
          }
        }
      };
      if (isSubset) both({});
      if (isSame) {
        for (const auto& [rounding, mode] : kIntegral) both({rounding, mode, true});
      }
      if (!isSubset) {
        for (const auto& [rounding, mode] : kRoundings) both({rounding, mode});
      }
    }
  }
  table.run();
}

// ---- modifiers that only f32 to something smaller has -------------------------------------------

TEST(ConvertOpcodes, ReluAndSatfinite) {
  OpcodeTable table;
  for (const ScalarType& to : {kF16, kBF16}) {
    for (const auto& [rounding, mode] : kRoundings) {
      const bool isNearOrZero = mode == Mode::NearestEven || mode == Mode::Zero;
      for (const bool relu : {false, true}) {
        for (const bool satfinite : {false, true}) {
          if ((!relu && !satfinite) || !isNearOrZero) continue;
          Conversion how{rounding, mode};
          how.relu = relu;
          how.satfinite = satfinite;
          convert(table, to, kF32, how, 16, 32);
        }
      }
    }
  }
  // tf32: the upper 19 bits of an f32.
  const auto tensor = [&](const Conversion& how) {
    std::vector<Row> rows;
    for (const std::uint64_t bits : operandsOf(kF32)) {
      const std::uint64_t result = toFloat(kTensor32, decode(kSingle, bits), how);
      rows.push_back({{bits}, {result << 13}});
    }
    table.addWithNaNs(how.text() + ".tf32.f32 %r0, %r1;", std::move(rows), 8, 23);
  };
  for (const bool satfinite : {false, true}) {
    tensor({".rna", Mode::NearestAway, false, false, false, false, satfinite});
    for (const bool relu : {false, true}) {
      tensor({".rn", Mode::NearestEven, false, false, false, relu, satfinite});
      tensor({".rz", Mode::Zero, false, false, false, relu, satfinite});
    }
  }
  table.run();
}

// Two halves: NaNs are compared as such, each by itself.
OpcodeTable::Accept halvesOf(const Format& format) {
  return [format](const Row& row, const Outputs& got) {
    for (const int shift : {0, 16}) {
      const std::uint64_t wanted = row.expected[0] >> shift & 0xffff;
      const std::uint64_t part = got[0] >> shift & 0xffff;
      if (isNaN(format, wanted) ? !isNaN(format, part) : wanted != part) return false;
    }
    return got[0] >> 32 == 0;
  };
}

TEST(ConvertOpcodes, PairsOfHalves) {
  OpcodeTable table;
  const Values operands = operandsOf(kF32);
  for (const ScalarType& to : {kF16, kBF16}) {
    for (const bool towardZero : {false, true}) {
      for (const bool relu : {false, true}) {
        for (const bool satfinite : {false, true}) {
          Conversion how{towardZero ? ".rz" : ".rn", towardZero ? Mode::Zero : Mode::NearestEven};
          how.relu = relu;
          how.satfinite = satfinite;
          std::vector<Row> rows;
          for (std::size_t k = 0; k < operands.size(); ++k) {
            const std::uint64_t a = operands[k];
            const std::uint64_t b = operands[(k * 17 + 4) % operands.size()];
            rows.push_back(
                {{a, b}, {expected(to, kF32, how, a) << 16 | expected(to, kF32, how, b)}});
          }
          table.add(how.text() + "." + to.name + "x2.f32 %r0, %r1, %r2;", std::move(rows),
                    halvesOf(to.format));
        }
      }
    }
  }
  table.run();
}

// ---- formats of 8, 6 and 4 bits -----------------------------------------------------------------

struct SmallType {
  std::string name;
  Format format;
  int stored;             // bits that it takes in a register
  std::string registers;  // of a pair
};
const std::vector<SmallType> kSmall = {{"e4m3x2", kE4M3, 8, "%h"},
                                       {"e5m2x2", kE5M2, 8, "%h"},
                                       {"e2m3x2", kE2M3, 8, "%h"},
                                       {"e3m2x2", kE3M2, 8, "%h"},
                                       {"e2m1x2", kE2M1, 4, "%b"}};

std::uint64_t toSmall(const Format& format, const Number& number, bool relu) {
  // Without a NaN: the largest number.
  if (number.isNaN() && format.top == Top::Numbers) return format.largest();
  Conversion how;
  how.relu = relu;
  how.satfinite = format.top == Top::Ieee;
  return toFloat(format, number, how);
}

TEST(ConvertOpcodes, IntoSmallFormats) {
  OpcodeTable table;
  for (const SmallType& to : kSmall) {
    // Every number of the format, what lies halfway to the next, and a little beside.
    Values operands = operandsOf(kF32);
    for (std::uint64_t bits = 0; bits < to.format.largest(); ++bits) {
      const Number here = decode(to.format, bits);
      const Number next = decode(to.format, bits + 1);
      Number middle = add(here, next, Mode::NearestEven);
      --middle.exponent;
      for (const Number& number : {here, middle}) {
        const std::uint64_t single = encode(kSingle, number, Mode::NearestEven);
        for (const std::uint64_t near : {single, single + 1, single | 0x80000000}) {
          operands.push_back(near);
        }
      }
    }
    for (const bool relu : {false, true}) {
      const std::string opcode =
          std::string("cvt.rn.satfinite") + (relu ? ".relu." : ".") + to.name;
      std::vector<Row> rows;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::uint64_t a = operands[k];
        const std::uint64_t b = operands[(k * 17 + 4) % operands.size()];
        rows.push_back({{a, b},
                        {toSmall(to.format, decode(kSingle, a), relu) << to.stored |
                         toSmall(to.format, decode(kSingle, b), relu)}});
      }
      table.add(opcode + ".f32 " + to.registers + "0, %r1, %r2;", std::move(rows));
      for (const ScalarType& from : {kF16, kBF16}) {
        std::vector<Row> pairs;
        for (std::uint64_t high = 0; high < 0x10000; high += 7) {
          const std::uint64_t low = (high * 5 + 3) & 0xffff;
          pairs.push_back({{high << 16 | low},
                           {toSmall(to.format, decode(from.format, high), relu) << to.stored |
                            toSmall(to.format, decode(from.format, low), relu)}});
        }
        table.add(opcode + "." + from.name + "x2 " + to.registers + "0, %r1;", std::move(pairs));
      }
    }
  }
  table.run();
}

TEST(ConvertOpcodes, OutOfSmallFormats) {
  OpcodeTable table;
  for (const SmallType& from : kSmall) {
    for (const ScalarType& to : {kF16, kBF16}) {
      for (const bool relu : {false, true}) {
        Conversion how{".rn"};
        how.relu = relu;
        std::vector<Row> rows;
        const std::uint64_t count = std::uint64_t{1} << from.format.width();
        for (std::uint64_t a = 0; a < count; ++a) {
          const std::uint64_t b = (a * 5 + 1) % count;
          rows.push_back({{a << from.stored | b},
                          {toFloat(to.format, decode(from.format, a), how) << 16 |
                           toFloat(to.format, decode(from.format, b), how)}});
        }
        table.add(how.text() + "." + to.name + "x2." + from.name + " %r0, " + from.registers + "1;",
                  std::move(rows), halvesOf(to.format));
      }
    }
  }
  table.run();
}

TEST(ConvertOpcodes, Pack) {
  OpcodeTable table;
  const Values values =
      integers(32, 10) + Values{127, 128, 255, 256,        0xffffff80, 0xffffff7f, 15,
                                16,  3,   4,   0xfffffffe, 0xfffffff8, 0xfffffff7};
  const ScalarType kS32{"s32", 32, true};
  for (const int width : {16, 8, 4, 2}) {
    for (const bool isSigned : {false, true}) {
      const ScalarType to{(isSigned ? "s" : "u") + std::to_string(width), width, isSigned};
      const auto both = [=](std::uint64_t a, std::uint64_t b) {
        return clamped(to, valueOf(kS32, a)) << width | clamped(to, valueOf(kS32, b));
      };
      if (width == 16) {
        table.cross("cvt.pack.sat." + to.name + ".s32 %r0, %r1, %r2;", values, values, both);
      } else {
        table.cross("cvt.pack.sat." + to.name + ".s32.b32 %r0, %r1, %r2, %r3;", values, values,
                    Values{0, 0x12345678, 0xffffffff},
                    [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                      return cut(c << 2 * width, 32) | both(a, b);
                    });
      }
    }
  }
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp
