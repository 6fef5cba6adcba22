// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer, logic and shift instructions (PTX ISA 9.7.1, 9.7.2, 9.7.9) against 128-bit arithmetic of
// the host, and against loops over bits where the manual describes bits.
#include <gtest/gtest.h>

#include <algorithm>

#include "opcode_table.h"

namespace ptxopt::interp {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

struct IntegerType {
  std::string name;  // "s32"
  int width;
  bool isSigned;
  std::string registers() const { return width == 16 ? "%h" : width == 32 ? "%r" : "%rd"; }
  std::string twice() const { return width == 16 ? "%r" : "%rd"; }
};
const IntegerType kU16{"u16", 16, false};
const IntegerType kS16{"s16", 16, true};
const IntegerType kU32{"u32", 32, false};
const IntegerType kS32{"s32", 32, true};
const IntegerType kU64{"u64", 64, false};
const IntegerType kS64{"s64", 64, true};
const std::vector<IntegerType> kAll = {kU16, kU32, kU64, kS16, kS32, kS64};
const std::vector<IntegerType> kSigned = {kS16, kS32, kS64};
const std::vector<IntegerType> kWords = {kU32, kU64, kS32, kS64};

std::uint64_t cut(Wide value, int width) {
  const auto bits = static_cast<std::uint64_t>(value);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}
Wide valueOf(const IntegerType& type, std::uint64_t bits) {
  const Wide value = static_cast<Wide>(cut(static_cast<Wide>(bits), type.width));
  const Wide half = Wide{1} << (type.width - 1);
  return type.isSigned && value >= half ? value - 2 * half : value;
}
Wide lowest(const IntegerType& type) {
  return type.isSigned ? -(Wide{1} << (type.width - 1)) : 0;
}
Wide highest(const IntegerType& type) {
  return (Wide{1} << (type.width - (type.isSigned ? 1 : 0))) - 1;
}
std::uint64_t clamped(const IntegerType& type, Wide value) {
  return cut(std::clamp(value, lowest(type), highest(type)), type.width);
}

// "add.T D, A, B;" for a type: T is its name, D A B C registers of its width.
std::string text(std::string pattern, const IntegerType& type) {
  pattern = replaced(std::move(pattern), "TYPE", type.name);
  pattern = replaced(std::move(pattern), "BITS", "b" + std::to_string(type.width));
  pattern = replaced(std::move(pattern), "%w", type.twice());
  return replaced(std::move(pattern), "%x", type.registers());
}

// Modulo 2^128, where two numbers of 64 bits without a sign have no product that is signed.
Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
}

using Operation2 = Wide (*)(Wide a, Wide b);

TEST(IntegerOpcodes, AddSubMulMinMax) {
  OpcodeTable table;
  const std::vector<std::pair<std::string, Operation2>> operations = {
      {"add.TYPE", [](Wide a, Wide b) { return a + b; }},
      {"sub.TYPE", [](Wide a, Wide b) { return a - b; }},
      {"mul.lo.TYPE", [](Wide a, Wide b) { return product(a, b); }},
      {"min.TYPE", [](Wide a, Wide b) { return std::min(a, b); }},
      {"max.TYPE", [](Wide a, Wide b) { return std::max(a, b); }}};
  for (const IntegerType& type : kAll) {
    const Values values = integers(type.width, 6);
    for (const auto& [pattern, operation] : operations) {
      table.cross(text(pattern + " %x0, %x1, %x2;", type), values, values,
                  [&, operation = operation](std::uint64_t a, std::uint64_t b) {
                    return cut(operation(valueOf(type, a), valueOf(type, b)), type.width);
                  });
    }
  }
  // An operand that is a constant, and one register in all places.
  table.cross("add.s32 %r0, %r1, -5;", integers(32, 6),
              [](std::uint64_t a) { return cut(Wide{0} + static_cast<Wide>(a) - 5, 32); });
  table.cross("sub.u16 %h0, 3, %h1;", integers(16, 6),
              [](std::uint64_t a) { return cut(3 - static_cast<Wide>(a), 16); });
  table.cross("add.u64 %rd1, %rd1, %rd1; mov.b64 %rd0, %rd1;", integers(64, 6),
              [](std::uint64_t a) { return a + a; });
  table.run();
}

// The products of 64-bit numbers take 128 bits, of which the sign matters only above.
std::uint64_t highHalf(const IntegerType& type, std::uint64_t a, std::uint64_t b) {
  if (type.width < 64) {
    return cut(product(valueOf(type, a), valueOf(type, b)) >> type.width, type.width);
  }
  // Schoolbook, in halves of 32 bits.
  const std::uint64_t aLow = a & 0xffffffff;
  const std::uint64_t aHigh = a >> 32;
  const std::uint64_t bLow = b & 0xffffffff;
  const std::uint64_t bHigh = b >> 32;
  const std::uint64_t middle = aHigh * bLow + (aLow * bLow >> 32);
  const std::uint64_t middle2 = aLow * bHigh + (middle & 0xffffffff);
  std::uint64_t high = aHigh * bHigh + (middle >> 32) + (middle2 >> 32);
  if (type.isSigned && a >> 63 != 0) high -= b;
  if (type.isSigned && b >> 63 != 0) high -= a;
  return high;
}

TEST(IntegerOpcodes, HighAndWideProducts) {
  OpcodeTable table;
  for (const IntegerType& type : kAll) {
    const Values values = integers(type.width, 6);
    const Values few = fewIntegers(type.width);
    table.cross(text("mul.hi.TYPE %x0, %x1, %x2;", type), values, values,
                [&](std::uint64_t a, std::uint64_t b) { return highHalf(type, a, b); });
    table.cross(text("mad.hi.TYPE %x0, %x1, %x2, %x3;", type), few, few, few,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return cut(static_cast<Wide>(highHalf(type, a, b)) + static_cast<Wide>(c),
                             type.width);
                });
    table.cross(text("mad.lo.TYPE %x0, %x1, %x2, %x3;", type), few, few, few,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return cut(static_cast<Wide>(a * b + c), type.width);
                });
    if (type.width == 64) continue;
    const int twice = 2 * type.width;
    table.cross(text("mul.wide.TYPE %w0, %x1, %x2;", type), values, values,
                [&](std::uint64_t a, std::uint64_t b) {
                  return cut(product(valueOf(type, a), valueOf(type, b)), twice);
                });
    table.cross(text("mad.wide.TYPE %w0, %x1, %x2, %w3;", type), few, few, fewIntegers(twice),
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return cut(valueOf(type, a) * valueOf(type, b) + static_cast<Wide>(c), twice);
                });
  }
  table.run();
}

TEST(IntegerOpcodes, Saturation) {
  OpcodeTable table;
  const Values values = integers(32, 10);
  const auto signedValue = [](std::uint64_t a) { return valueOf(kS32, a); };
  table.cross("add.sat.s32 %r0, %r1, %r2;", values, values, [&](std::uint64_t a, std::uint64_t b) {
    return clamped(kS32, signedValue(a) + signedValue(b));
  });
  table.cross("sub.sat.s32 %r0, %r1, %r2;", values, values, [&](std::uint64_t a, std::uint64_t b) {
    return clamped(kS32, signedValue(a) - signedValue(b));
  });
  const Values few = fewIntegers(32);
  table.cross("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", few, few, few,
              [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                return clamped(kS32, (signedValue(a) * signedValue(b) >> 32) + signedValue(c));
              });
  table.run();
}

TEST(IntegerOpcodes, Products24) {
  OpcodeTable table;
  const Values values = integers(32, 8) + Values{0x7fffff, 0x800000, 0xffffff, 0x1000000};
  const Values few = fewIntegers(32) + Values{0x7fffff, 0x800000};
  for (const IntegerType& type : {kU32, kS32}) {
    const IntegerType narrow{"", 24, type.isSigned};
    const auto product = [=](std::uint64_t a, std::uint64_t b) {
      return valueOf(narrow, a) * valueOf(narrow, b);
    };
    const auto high = [=](std::uint64_t a, std::uint64_t b) {
      return valueOf(type, cut(product(a, b) >> 16, 32));
    };
    table.cross(text("mul24.lo.TYPE %r0, %r1, %r2;", type), values, values,
                [=](std::uint64_t a, std::uint64_t b) { return cut(product(a, b), 32); });
    table.cross(text("mul24.hi.TYPE %r0, %r1, %r2;", type), values, values,
                [=](std::uint64_t a, std::uint64_t b) { return cut(high(a, b), 32); });
    table.cross(text("mad24.lo.TYPE %r0, %r1, %r2, %r3;", type), few, few, few,
                [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return cut(product(a, b) + static_cast<Wide>(c), 32);
                });
    table.cross(text("mad24.hi.TYPE %r0, %r1, %r2, %r3;", type), few, few, few,
                [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return cut(high(a, b) + static_cast<Wide>(c), 32);
                });
    if (!type.isSigned) continue;
    table.cross("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", few, few, few,
                [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return clamped(type, high(a, b) + valueOf(type, c));
                });
  }
  table.run();
}

TEST(IntegerOpcodes, DivisionAndDistance) {
  OpcodeTable table;
  for (const IntegerType& type : kAll) {
    const Values values = integers(type.width, 6);
    Values divisors = values;
    std::erase(divisors, 0u);
    const auto value = [&](std::uint64_t a) { return valueOf(type, a); };
    // Truncates; the quotient of the lowest number by -1 wraps.
    table.cross(
        text("div.TYPE %x0, %x1, %x2;", type), values, divisors,
        [&](std::uint64_t a, std::uint64_t b) { return cut(value(a) / value(b), type.width); });
    table.cross(
        text("rem.TYPE %x0, %x1, %x2;", type), values, divisors,
        [&](std::uint64_t a, std::uint64_t b) { return cut(value(a) % value(b), type.width); });
    const Values few = fewIntegers(type.width);
    table.cross(text("sad.TYPE %x0, %x1, %x2, %x3;", type), few, few, few,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  const Wide distance =
                      value(a) < value(b) ? value(b) - value(a) : value(a) - value(b);
                  return cut(distance + static_cast<Wide>(c), type.width);
                });
  }
  for (const IntegerType& type : kSigned) {
    const Values values = integers(type.width, 20);
    table.cross(text("abs.TYPE %x0, %x1;", type), values, [&](std::uint64_t a) {
      const Wide value = valueOf(type, a);
      return cut(value < 0 ? -value : value, type.width);
    });
    table.cross(text("neg.TYPE %x0, %x1;", type), values,
                [&](std::uint64_t a) { return cut(-valueOf(type, a), type.width); });
  }
  table.run();
}

std::uint64_t perHalf(const IntegerType& type, std::uint64_t a, std::uint64_t b,
                      const std::function<Wide(Wide, Wide)>& operation) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    result |= cut(operation(valueOf(type, a >> shift), valueOf(type, b >> shift)), 16) << shift;
  }
  return result;
}

TEST(IntegerOpcodes, PackedHalves) {
  OpcodeTable table;
  const Values values = integers(32, 12) + Values{0x7fff8000, 0x80007fff, 0x0001ffff, 0xfffe0002};
  for (const IntegerType& type : {kU16, kS16}) {
    const auto both = [&](const std::string& opcode, std::function<Wide(Wide, Wide)> operation) {
      table.cross(opcode + "." + type.name + "x2 %r0, %r1, %r2;", values, values,
                  [&type, operation](std::uint64_t a, std::uint64_t b) {
                    return perHalf(type, a, b, operation);
                  });
    };
    both("add", [](Wide a, Wide b) { return a + b; });
    both("min", [](Wide a, Wide b) { return std::min(a, b); });
    both("max", [](Wide a, Wide b) { return std::max(a, b); });
    if (!type.isSigned) continue;
    both("min.relu", [](Wide a, Wide b) { return std::max(std::min(a, b), Wide{0}); });
    both("max.relu", [](Wide a, Wide b) { return std::max(std::max(a, b), Wide{0}); });
  }
  const auto signedValue = [](std::uint64_t a) { return valueOf(kS32, a); };
  table.cross("min.relu.s32 %r0, %r1, %r2;", values, values, [&](std::uint64_t a, std::uint64_t b) {
    return cut(std::max(std::min(signedValue(a), signedValue(b)), Wide{0}), 32);
  });
  table.cross("max.relu.s32 %r0, %r1, %r2;", values, values, [&](std::uint64_t a, std::uint64_t b) {
    return cut(std::max({signedValue(a), signedValue(b), Wide{0}}), 32);
  });
  table.run();
}

TEST(IntegerOpcodes, CarryChains) {
  OpcodeTable table;
  for (const IntegerType& type : kWords) {
    const Wide modulus = Wide{1} << type.width;
    const Values few = {0,
                        1,
                        cut(-1, type.width),
                        cut(-7, type.width),
                        cut(modulus / 2, type.width),
                        cut(Wide{0x123456789abcdef}, type.width)};
    // A number of two words; of the sum, two words.
    const auto two = [&](std::uint64_t low, std::uint64_t high) {
      return static_cast<UnsignedWide>(high) << type.width | low;
    };
    const auto words = [&](UnsignedWide value) {
      return Outputs{cut(static_cast<Wide>(value), type.width),
                     cut(static_cast<Wide>(value >> type.width), type.width)};
    };
    table.cross(text("add.cc.TYPE %x0, %x1, %x3; addc.TYPE %x9, %x2, %x4;", type), few, few, few,
                few, [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t b0, std::uint64_t b1) {
                  return words(two(a0, a1) + two(b0, b1));
                });
    table.cross(text("sub.cc.TYPE %x0, %x1, %x3; subc.TYPE %x9, %x2, %x4;", type), few, few, few,
                few, [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t b0, std::uint64_t b1) {
                  return words(two(a0, a1) - two(b0, b1));
                });
    // The carry out of the middle: a third word, of zeros.
    table.cross(
        text("add.cc.TYPE %x0, %x1, %x3; addc.cc.TYPE %x0, %x2, %x4; addc.TYPE %x9, 0, 0;", type),
        few, few, few, few,
        [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t b0, std::uint64_t b1) {
          const Wide low = static_cast<Wide>(a0) + static_cast<Wide>(b0);
          const Wide high =
              static_cast<Wide>(a1) + static_cast<Wide>(b1) + (low >= modulus ? 1 : 0);
          return Outputs{cut(high, type.width), high >= modulus ? 1u : 0u};
        });
    table.cross(
        text("sub.cc.TYPE %x0, %x1, %x3; subc.cc.TYPE %x0, %x2, %x4; subc.TYPE %x9, 0, 0;", type),
        few, few, few, few,
        [&](std::uint64_t a0, std::uint64_t a1, std::uint64_t b0, std::uint64_t b1) {
          const Wide low = static_cast<Wide>(a0) - static_cast<Wide>(b0);
          const Wide high = static_cast<Wide>(a1) - static_cast<Wide>(b1) - (low < 0 ? 1 : 0);
          return Outputs{cut(high, type.width), high < 0 ? cut(-1, type.width) : 0};
        });
    // One word times one, plus two words: lo.cc, hi.cc, and the carry after both.
    table.cross(text("mad.lo.cc.TYPE %x0, %x1, %x2, %x3; madc.hi.TYPE %x9, %x1, %x2, %x4;", type),
                few, few, few, few,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c0, std::uint64_t c1) {
                  const std::uint64_t low = cut(static_cast<Wide>(a * b), type.width);
                  const Wide sum = static_cast<Wide>(low) + static_cast<Wide>(c0);
                  const Wide high = static_cast<Wide>(highHalf(type, a, b)) +
                                    static_cast<Wide>(c1) + (sum >= modulus ? 1 : 0);
                  return Outputs{cut(sum, type.width), cut(high, type.width)};
                });
    table.cross(text("mad.hi.cc.TYPE %x0, %x1, %x2, %x3; madc.lo.cc.TYPE %x0, %x1, %x2, %x4;"
                     " addc.TYPE %x9, 0, 0;",
                     type),
                few, few, few, few,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c0, std::uint64_t c1) {
                  const Wide first =
                      static_cast<Wide>(highHalf(type, a, b)) + static_cast<Wide>(c0);
                  const Wide second = static_cast<Wide>(cut(static_cast<Wide>(a * b), type.width)) +
                                      static_cast<Wide>(c1) + (first >= modulus ? 1 : 0);
                  return Outputs{cut(second, type.width), second >= modulus ? 1u : 0u};
                });
    table.cross(
        text("add.cc.TYPE %x0, %x1, %x2; madc.hi.cc.TYPE %x0, %x3, %x4, %x1; madc.lo.TYPE %x9,"
             " %x3, %x4, %x2;",
             type),
        few, few, few, few,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
          const bool carry = static_cast<Wide>(a) + static_cast<Wide>(b) >= modulus;
          const Wide middle =
              static_cast<Wide>(highHalf(type, c, d)) + static_cast<Wide>(a) + (carry ? 1 : 0);
          const Wide last =
              static_cast<Wide>(c * d) + static_cast<Wide>(b) + (middle >= modulus ? 1 : 0);
          return Outputs{cut(middle, type.width), cut(last, type.width)};
        });
  }
  table.cross("add.cc.u32 %r0, %r1, %r2; addc.u32 %r9, 7, 0;", fewIntegers(32), fewIntegers(32),
              [](std::uint64_t a, std::uint64_t b) {
                return Outputs{(a + b) & 0xffffffff, 7 + ((a + b) >> 32)};
              });
  table.run();
}

// ---- bits ---------------------------------------------------------------------------------------

TEST(IntegerOpcodes, CountsAndSearches) {
  OpcodeTable table;
  for (const int width : {32, 64}) {
    const Values values = integers(width, 60);
    const std::string bits = width == 32 ? "b32 %r0, %r1;" : "b64 %r0, %rd1;";
    table.cross("popc." + bits, values, [=](std::uint64_t a) {
      std::uint64_t count = 0;
      for (int k = 0; k < width; ++k) count += a >> k & 1;
      return count;
    });
    table.cross("clz." + bits, values, [=](std::uint64_t a) {
      std::uint64_t count = 0;
      for (int k = width - 1; k >= 0 && (a >> k & 1) == 0; --k) ++count;
      return count;
    });
    table.cross(width == 32 ? "brev.b32 %r0, %r1;" : "brev.b64 %rd0, %rd1;", values,
                [=](std::uint64_t a) {
                  std::uint64_t result = 0;
                  for (int k = 0; k < width; ++k) result |= (a >> k & 1) << (width - 1 - k);
                  return result;
                });
    for (const bool isSigned : {false, true}) {
      const std::string type =
          std::string(isSigned ? "s" : "u") + (width == 32 ? "32 %r0, %r1;" : "64 %r0, %rd1;");
      const auto find = [=](std::uint64_t a, bool asShift) -> std::uint64_t {
        const std::uint64_t sign = a >> (width - 1) & 1;
        for (int k = width - 1; k >= 0; --k) {
          const bool counts = isSigned ? (a >> k & 1) != sign : (a >> k & 1) != 0;
          if (counts) return static_cast<std::uint64_t>(asShift ? width - 1 - k : k);
        }
        return 0xffffffff;
      };
      table.cross("bfind." + type, values, [=](std::uint64_t a) { return find(a, false); });
      table.cross("bfind.shiftamt." + type, values, [=](std::uint64_t a) { return find(a, true); });
    }
  }
  table.run();
}

TEST(IntegerOpcodes, BitFields) {
  OpcodeTable table;
  const Values positions = {0, 1, 5, 15, 16, 30, 31, 32, 33, 62, 63, 64, 65, 128, 255, 256, 0x120};
  const Values lengths = {0, 1, 2, 8, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x108};
  for (const IntegerType& type : kWords) {
    const int top = type.width - 1;
    // The manual's pseudocode.
    table.cross(text("bfe.TYPE %x0, %x1, %r2, %r3;", type), integers(type.width, 2), positions,
                lengths, [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  const int position = static_cast<int>(b & 0xff);
                  const int length = static_cast<int>(c & 0xff);
                  std::uint64_t sign = 0;
                  if (type.isSigned && length != 0) {
                    sign = a >> std::min(position + length - 1, top) & 1;
                  }
                  std::uint64_t result = 0;
                  for (int k = 0; k <= top; ++k) {
                    const bool inside = k < length && position + k <= top;
                    result |= (inside ? a >> (position + k) & 1 : sign) << k;
                  }
                  return result;
                });
  }
  for (const IntegerType& type : {kU32, kU64}) {
    const Values few = {0, cut(-1, type.width), cut(0x123456789abcdef, type.width)};
    table.cross(text("bfi.BITS %x0, %x1, %x2, %r3, %r4;", type), few, few, positions, lengths,
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
                  const int position = static_cast<int>(c & 0xff);
                  const int length = static_cast<int>(d & 0xff);
                  for (int k = 0; k < length && position + k < type.width; ++k) {
                    const std::uint64_t bit = std::uint64_t{1} << (position + k);
                    b = (a >> k & 1) != 0 ? b | bit : b & ~bit;
                  }
                  return b;
                });
  }
  table.run();
}

TEST(IntegerOpcodes, MasksAndExtensions) {
  OpcodeTable table;
  const Values counts = {0, 1, 2, 7, 15, 16, 30, 31, 32, 33, 63, 64, 100, 0xffffffff};
  for (const bool wraps : {false, true}) {
    const std::string mode = wraps ? "wrap" : "clamp";
    for (const bool isSigned : {false, true}) {
      table.cross("szext." + mode + (isSigned ? ".s32" : ".u32") + " %r0, %r1, %r2;",
                  integers(32, 10), counts, [=](std::uint64_t a, std::uint64_t b) {
                    const std::uint64_t length = wraps ? b & 31 : std::min<std::uint64_t>(b, 32);
                    std::uint64_t result = 0;
                    for (std::uint64_t k = 0; k < 32; ++k) {
                      const bool sign = isSigned && length != 0 && (a >> (length - 1) & 1) != 0;
                      const bool bit = k < length ? (a >> k & 1) != 0 : sign;
                      result |= static_cast<std::uint64_t>(bit) << k;
                    }
                    return result;
                  });
    }
    table.cross("bmsk." + mode + ".b32 %r0, %r1, %r2;", counts, counts,
                [=](std::uint64_t a, std::uint64_t b) {
                  const std::uint64_t first = wraps ? a & 31 : std::min<std::uint64_t>(a, 32);
                  const std::uint64_t length = wraps ? b & 31 : std::min<std::uint64_t>(b, 32);
                  std::uint64_t result = 0;
                  for (std::uint64_t k = first; k < first + length && k < 32; ++k) {
                    result |= std::uint64_t{1} << k;
                  }
                  return result;
                });
  }
  // The manual: the n-th set bit, counted from the base upwards, or downwards where n < 0.
  table.cross("fns.b32 %r0, %r1, %r2, %r3;", integers(32, 10), Values{0, 1, 7, 15, 16, 30, 31},
              Values{0, 1, 2, 5, 16, 31, 32, 33, 0xffffffff, 0xfffffffe, 0xfffffff0, 0xffffffe0},
              [](std::uint64_t mask, std::uint64_t base, std::uint64_t n) -> std::uint64_t {
                const auto offset = static_cast<std::int32_t>(n);
                std::vector<std::uint64_t> found;
                if (offset == 0) {
                  found = (mask >> base & 1) != 0 ? Values{base} : Values{};
                } else if (offset > 0) {
                  for (std::uint64_t k = base; k < 32; ++k) {
                    if ((mask >> k & 1) != 0) found.push_back(k);
                  }
                } else {
                  for (std::uint64_t k = base + 1; k-- > 0;) {
                    if ((mask >> k & 1) != 0) found.push_back(k);
                  }
                }
                const std::size_t index =
                    offset == 0 ? 0 : static_cast<std::size_t>(std::abs(offset)) - 1;
                return index < found.size() ? found[index] : 0xffffffff;
              });
  table.run();
}

TEST(IntegerOpcodes, Permutation) {
  OpcodeTable table;
  const Values words = {0x33221100, 0xf3e2d1c0, 0x80ff7f00, 0x12345678};
  const Values others = {0x77665544, 0xb7a69584, 0x0180fe7f, 0x9abcdef0};
  const auto byte = [](std::uint64_t a, std::uint64_t b, std::uint64_t index) {
    return (index < 4 ? a >> 8 * index : b >> 8 * (index - 4)) & 0xff;
  };
  Values selectors = {0x3210, 0x7654, 0x0123, 0xba98, 0xfedc, 0x8f08, 0xffff3210};
  selectors = selectors + randomBits(16, 200, 21);
  table.cross("prmt.b32 %r0, %r1, %r2, %r3;", words, others, selectors,
              [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                std::uint64_t result = 0;
                for (int k = 0; k < 4; ++k) {
                  const std::uint64_t selector = c >> 4 * k & 15;
                  std::uint64_t value = byte(a, b, selector & 7);
                  if (selector >= 8) value = value >= 0x80 ? 0xff : 0;
                  result |= value << 8 * k;
                }
                return result;
              });
  // The manual's table: the bytes 3, 2, 1, 0 of the result for selectors 0 .. 3.
  struct Mode {
    std::string name;
    int bytes[4][4];
  };
  const Mode kModes[] = {{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
                         {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
                         {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
                         {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
                         {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
                         {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  for (const Mode& mode : kModes) {
    table.cross("prmt.b32." + mode.name + " %r0, %r1, %r2, %r3;", words, others,
                Values{0, 1, 2, 3, 4, 7, 0xfffffffe},
                [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  std::uint64_t result = 0;
                  for (const int index : mode.bytes[c & 3]) {
                    result = result << 8 | byte(a, b, static_cast<std::uint64_t>(index));
                  }
                  return result;
                });
  }
  table.run();
}

TEST(IntegerOpcodes, Logic) {
  OpcodeTable table;
  for (const IntegerType& type : {kU16, kU32, kU64}) {
    const Values values = integers(type.width, 4);
    const auto two = [&](const std::string& opcode, auto operation) {
      table.cross(text(opcode + ".BITS %x0, %x1, %x2;", type), values, values, operation);
    };
    two("and", [](std::uint64_t a, std::uint64_t b) { return a & b; });
    two("or", [](std::uint64_t a, std::uint64_t b) { return a | b; });
    two("xor", [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    table.cross(text("not.BITS %x0, %x1;", type), values,
                [&](std::uint64_t a) { return cut(static_cast<Wide>(~a), type.width); });
    table.cross(text("cnot.BITS %x0, %x1;", type), values,
                [](std::uint64_t a) { return std::uint64_t{a == 0}; });
  }
  const Values bits = {0, 1};
  const auto predicates = [&](const std::string& opcode, auto operation) {
    table.cross(opcode + ".pred %p0, %p1, %p2;", bits, bits, operation);
  };
  predicates("and", [](std::uint64_t a, std::uint64_t b) { return a & b; });
  predicates("or", [](std::uint64_t a, std::uint64_t b) { return a | b; });
  predicates("xor", [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
  table.cross("not.pred %p0, %p1;", bits, [](std::uint64_t a) { return a ^ 1; });
  table.cross("mov.pred %p0, %p1;", bits, [](std::uint64_t a) { return a; });

  // Every table, on operands that hold all eight combinations.
  for (std::uint64_t lut = 0; lut < 256; ++lut) {
    table.add("lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(lut) + ";",
              {{{0xf0, 0xcc, 0xaa}, {(lut & 1) != 0 ? 0xffffff00u | lut : lut}},
               {{0xffffff0f, 0x000000cc, 0xffffffaa},
                {((lut >> 5 & 1) != 0 ? 0xffffff00u : 0u) |
                 // a is complemented: the halves of the table change places.
                 (lut >> 4 | (lut & 15) << 4)}}});
  }
  table.run();
}

TEST(IntegerOpcodes, Shifts) {
  OpcodeTable table;
  const Values counts = {0,  1,  7,  15, 16,  17,  31,         32,
                         33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff};
  for (const IntegerType& type : kAll) {
    const Values values = integers(type.width, 4);
    if (!type.isSigned) {
      table.cross(text("shl.BITS %x0, %x1, %r2;", type), values, counts,
                  [&](std::uint64_t a, std::uint64_t b) {
                    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(b, 64); ++k) a <<= 1;
                    return cut(b > 64 ? 0 : static_cast<Wide>(a), type.width);
                  });
    }
    const auto right = [&](std::uint64_t a, std::uint64_t b) {
      return cut(valueOf(type, a) >> std::min<std::uint64_t>(b, 64), type.width);
    };
    table.cross(text("shr.TYPE %x0, %x1, %r2;", type), values, counts, right);
    if (!type.isSigned) {
      table.cross(text("shr.BITS %x0, %x1, %r2;", type), values, counts, right);
    }
  }
  for (const bool left : {false, true}) {
    for (const bool wraps : {false, true}) {
      table.cross(std::string("shf.") + (left ? "l" : "r") + (wraps ? ".wrap" : ".clamp") +
                      ".b32 %r0, %r1, %r2, %r3;",
                  fewIntegers(32), fewIntegers(32), counts,
                  [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                    const std::uint64_t count = wraps ? c & 31 : std::min<std::uint64_t>(c, 32);
                    // The manual: b << n | a >> (32 - n), and b << (32 - n) | a >> n.
                    const std::uint64_t result =
                        left ? b << count | a >> (32 - count) : b << (32 - count) | a >> count;
                    return result & 0xffffffff;
                  });
    }
  }
  table.run();
}

TEST(IntegerOpcodes, DotProducts) {
  OpcodeTable table;
  const Values values = fewIntegers(32) + Values{0x80808080, 0x7f80ff01, 0x8000ffff};
  const IntegerType kU8{"u8", 8, false};
  const IntegerType kS8{"s8", 8, true};
  for (const bool aSigned : {false, true}) {
    for (const bool bSigned : {false, true}) {
      const std::string types = std::string(aSigned ? ".s32" : ".u32") +
                                (bSigned ? ".s32" : ".u32") + " %r0, %r1, %r2, %r3;";
      table.cross("dp4a" + types, values, values, fewIntegers(32),
                  [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                    Wide sum = static_cast<Wide>(c);
                    for (int k = 0; k < 4; ++k) {
                      sum += valueOf(aSigned ? kS8 : kU8, a >> 8 * k & 0xff) *
                             valueOf(bSigned ? kS8 : kU8, b >> 8 * k & 0xff);
                    }
                    return cut(sum, 32);
                  });
      for (const bool high : {false, true}) {
        table.cross(std::string("dp2a") + (high ? ".hi" : ".lo") + types, values, values,
                    fewIntegers(32), [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                      Wide sum = static_cast<Wide>(c);
                      for (int k = 0; k < 2; ++k) {
                        sum += valueOf(aSigned ? kS16 : kU16, a >> 16 * k & 0xffff) *
                               valueOf(bSigned ? kS8 : kU8, b >> (8 * k + (high ? 16 : 0)) & 0xff);
                      }
                      return cut(sum, 32);
                    });
      }
    }
  }
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp
