// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/small_floats.h"

#include "isa/pattern.h"

namespace ptxopt::passes {

// ---- halves of registers ------------------------------------------------------------------------

Halves halvesOf(Expansion& text, const std::string& word) {
  Halves halves{text.newB16(), text.newB16()};
  text.own("mov.b32", fmt::format("{{{}, {}}}", halves.lower, halves.upper), word);
  return halves;
}

std::string lowerHalf(Expansion& text, const std::string& word) {
  return halvesOf(text, word).lower;
}

std::string joined(Expansion& text, const Halves& halves) {
  return text.b32("mov.b32", fmt::format("{{{}, {}}}", halves.lower, halves.upper));
}

bool eachHalf(Expansion& text, HalfOperation operation) {
  const bool isPair = !text.oneOf({".f16x2", ".bf16x2", ".u16x2", ".s16x2"}).empty();
  std::vector<std::string> lower;
  std::vector<std::string> upper;
  for (std::size_t k = 1; k < text.operandCount(); ++k) {
    if (!isPair) {
      lower.push_back(text.b16("mov.b16", text.operand(k)));
      continue;
    }
    const Halves halves = halvesOf(text, text.operand(k));
    lower.push_back(halves.lower);
    upper.push_back(halves.upper);
  }
  if (isPair) {
    const std::string first = operation(text, lower);
    text.assign(0, joined(text, {first, operation(text, upper)}));
  } else {
    text.assign(0, operation(text, lower));
  }
  return true;
}

// ---- f32 to and from fewer bits -----------------------------------------------------------------

namespace {

constexpr int kFloatInfinity = 0x7F800000;

// What is added to the bits of a number before the last `lost` bits are cut off.
std::string increment(Expansion& text, const std::string& bits, int lost,
                      const isa::InstructionDesc& desc) {
  const int ones = (1 << lost) - 1;
  if (desc.has(".rz")) return text.b32("mov.b32", 0);
  if (desc.has(".rna")) return text.b32("mov.b32", 1 << (lost - 1));
  if (desc.has(".rm") || desc.has(".rp")) {
    // Away from zero for one sign, towards zero for the other.
    const std::string sign = text.b32("shr.s32", bits, 31);
    if (desc.has(".rm")) return text.b32("and.b32", sign, ones);
    return text.b32("and.b32", text.b32("not.b32", sign), ones);
  }
  // To nearest, ties to even: one more than half if the last bit that stays is odd.
  const std::string last = text.b32("bfe.u32", bits, lost, 1);
  return text.b32("add.u32", last, ones >> 1);
}

// `bits` of an f32 without the last `lost`, after `added` was added to them; `forNaN` for NaN.
std::string cutFloat(Expansion& text, const std::string& bits, int lost, const std::string& added,
                     int forNaN, const isa::InstructionDesc& desc) {
  std::string rounded = text.b32("add.u32", bits, added);
  rounded = text.b32("shr.u32", rounded, lost);
  if (desc.has(".satfinite")) {
    // Infinity becomes the largest number.
    const std::string size = text.b32("and.b32", rounded, 0x7FFFFFFF >> lost);
    const std::string excess = text.b32("set.ge.u32.u32", size, kFloatInfinity >> lost);
    rounded = text.b32("add.u32", rounded, excess);
  }
  if (desc.has(".relu")) {
    const std::string isNegative = text.pred("setp.lt.s32", bits, 0);
    rounded = text.b32("selp.b32", 0, rounded, isNegative);
  }
  const std::string isNaN = text.pred("setp.nan.f32", bits, bits);
  return text.b32("selp.b32", forNaN, rounded, isNaN);
}

constexpr int kLostInBf16 = 16;
constexpr int kBf16NaN = 0x7FFF;
constexpr int kLostInTf32 = 13;
constexpr int kFloatNaN = 0x7FFFFFFF;

}  // namespace

std::string floatToBf16Bits(Expansion& text, const std::string& value,
                            const isa::InstructionDesc& desc) {
  const std::string bits = text.b32("mov.b32", value);
  const std::string added = increment(text, bits, kLostInBf16, desc);
  return cutFloat(text, bits, kLostInBf16, added, kBf16NaN, desc);
}

std::string floatToTf32Bits(Expansion& text, const std::string& value,
                            const isa::InstructionDesc& desc) {
  const std::string bits = text.b32("mov.b32", value);
  const std::string added = increment(text, bits, kLostInTf32, desc);
  const std::string rounded =
      cutFloat(text, bits, kLostInTf32, added, kFloatNaN >> kLostInTf32, desc);
  const std::string shifted = text.b32("shl.b32", rounded, kLostInTf32);
  const std::string isNaN = text.pred("setp.nan.f32", bits, bits);
  return text.b32("selp.b32", kFloatNaN, shifted, isNaN);
}

std::string floatToBf16BitsRandomly(Expansion& text, const std::string& value,
                                    const std::string& random, const isa::InstructionDesc& desc) {
  const std::string bits = text.b32("mov.b32", value);
  return cutFloat(text, bits, kLostInBf16, random, kBf16NaN, desc);
}

std::string roundedToOdd(Expansion& text, const std::string& down, const std::string& up) {
  // If the result is not exact, the two are neighbours, and one of them is odd.  An exact zero is
  // that of .rp, as it is with .rn.
  const std::string last = text.b32("and.b32", down, 1);
  const std::string isDown = text.pred("setp.ne.s32", last, 0);
  return text.f32("selp.f32", down, up, isDown);
}

std::string bf16BitsToFloat(Expansion& text, const std::string& half) {
  const std::string zero = text.b16("mov.b16", 0);
  const std::string bits = joined(text, {zero, half});
  return text.f32("mov.b32", bits);
}

// ---- the least and the greatest -----------------------------------------------------------------

std::string minMaxOfFloats(Expansion& text, std::vector<std::string> values, std::string_view ftz) {
  if (text.has(".abs")) {
    for (std::string& value : values) value = text.f32("abs.f32", value);
  }
  const std::string mnemonic = fmt::format("{}{}.f32", isa::firstWord(text.desc().mnemonic), ftz);
  std::string result = values.front();
  for (std::size_t k = 1; k < values.size(); ++k) {
    const std::string isNaN =
        text.has(".NaN") ? text.pred("setp.nan.f32", result, values[k]) : std::string();
    result = text.f32(mnemonic, result, values[k]);
    if (!isNaN.empty()) result = text.f32("selp.b32", kFloatNaN, result, isNaN);
  }
  return result;
}

std::string withSign(Expansion& text, const std::string& value, const std::string& word) {
  const std::string sign = text.b32("and.b32", word, 0x80000000);
  const std::string isNaN = text.pred("setp.nan.f32", value, value);
  const std::string isSigned = text.f32("or.b32", value, sign);
  return text.f32("selp.f32", value, isSigned, isNaN);
}

}  // namespace ptxopt::passes
