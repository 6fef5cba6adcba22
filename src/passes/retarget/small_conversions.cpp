// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt to and from numbers of 8, 6 and 4 bits, which come in pairs.
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

constexpr int kFractionOfFloat = 23;
constexpr int kBiasOfFloat = 127;

struct SmallFloat {
  std::string_view name;
  int exponentBits;
  int fractionBits;
  int largest;  // the bits of the largest number; what is above them is infinity or NaN
  int forNaN;
  int storage = 8;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int signBit() const { return exponentBits + fractionBits; }
  int lost() const { return kFractionOfFloat - fractionBits; }
  // The bits of an f32 of which a subnormal and a normal number of this type have the exponent.
  std::uint32_t least() const {
    return static_cast<std::uint32_t>(kBiasOfFloat + 1 - bias()) << kFractionOfFloat;
  }
  // The bits of `largest` as f32.
  std::uint32_t largestAsFloat() const {
    return (static_cast<std::uint32_t>(largest) << lost()) +
           (static_cast<std::uint32_t>(kBiasOfFloat - bias()) << kFractionOfFloat);
  }
};

constexpr SmallFloat kSmallFloats[] = {
    {".e4m3x2", 4, 3, 0x7E, 0x7F}, {".e5m2x2", 5, 2, 0x7B, 0x7F},    {".e2m3x2", 2, 3, 0x1F, 0x1F},
    {".e3m2x2", 3, 2, 0x1F, 0x1F}, {".e2m1x2", 2, 1, 0x07, 0x07, 4},
};

const SmallFloat& formatOf(const Expansion& text) {
  for (const SmallFloat& format : kSmallFloats) {
    if (text.has(format.name)) return format;
  }
  return kSmallFloats[0];
}

// ---- to fewer bits ------------------------------------------------------------------------------

// Adding a power of two that is so much greater that the last bit of the sum is that of the result
// rounds to nearest, ties to even.  What the sum has above that power are the fraction and, for a
// normal number, the bit in front of it, which counts as one more in the exponent.
std::string roundedBits(Expansion& text, const std::string& size, const SmallFloat& format) {
  std::string exponent = text.b32("and.b32", size, 0x7F800000);
  exponent = text.b32("max.u32", exponent, format.least());
  const std::string power = text.b32("add.u32", exponent, format.lost() << kFractionOfFloat);
  const std::string sum = text.b32("add.rn.f32", size, power);
  const std::string fraction = text.b32("sub.u32", sum, power);
  exponent = text.b32("sub.u32", exponent, format.least());
  exponent = text.b32("shr.u32", exponent, format.lost());
  return text.b32("add.u32", exponent, fraction);
}

// In the lower bits of a b32, with .satfinite and, if the instruction has it, .relu.
std::string toSmallFloat(Expansion& text, const std::string& value, const SmallFloat& format) {
  const bool isRelu = text.has(".relu");
  const std::string size =
      isRelu ? text.f32("max.f32", value, "0f00000000") : text.f32("abs.f32", value);
  const std::string bounded =
      text.f32("min.f32", size, fmt::format("0f{:08X}", format.largestAsFloat()));
  std::string bits = roundedBits(text, bounded, format);
  if (!isRelu) {
    const std::string sign = text.b32("shr.u32", text.b32("mov.b32", value), 31);
    bits = text.b32("bfi.b32", sign, bits, format.signBit(), 1);
  }
  const std::string isNaN = text.pred("setp.nan.f32", value, value);
  return text.b32("selp.b32", format.forNaN, bits, isNaN);
}

// Two numbers of `storage` bits, in a register of as many bits as they need.
void assignPair(Expansion& text, const Halves& numbers, int storage) {
  const std::string both = text.b32("bfi.b32", numbers.upper, numbers.lower, storage, storage);
  if (storage == 4) {
    text.effect("cvt.u8.u32", text.operand(0), both);
  } else {
    text.assign(0, lowerHalf(text, both));
  }
}

// The two f32 that a pair is made of: two operands, or the halves of one.
Halves floatsOf(Expansion& text) {
  if (text.has(".f32")) {
    // The first is the upper one.
    const std::string upper = text.f32("mov.f32", text.operand(1));
    return {text.f32("mov.f32", text.operand(2)), upper};
  }
  const Halves halves = halvesOf(text, text.operand(1));
  if (text.has(".bf16x2")) {
    const std::string lower = bf16BitsToFloat(text, halves.lower);
    return {lower, bf16BitsToFloat(text, halves.upper)};
  }
  const std::string lower = text.f32("cvt.f32.f16", halves.lower);
  return {lower, text.f32("cvt.f32.f16", halves.upper)};
}

bool toSmallFloats(Expansion& text) {
  const SmallFloat& format = formatOf(text);
  const Halves floats = floatsOf(text);
  const std::string lower = toSmallFloat(text, floats.lower, format);
  assignPair(text, {lower, toSmallFloat(text, floats.upper, format)}, format.storage);
  return true;
}

// ---- from fewer bits ----------------------------------------------------------------------------

// A number in the lower bits of a b32.  Its bits are put where f32 has them, and then the exponent
// is put right by a product, which is exact and good for subnormal numbers as well.
std::string smallFloatToFloat(Expansion& text, const std::string& bits, const SmallFloat& format) {
  if (format.name == ".e5m2x2") {
    // It is the upper half of an f16.
    return text.f32("cvt.f32.f16", lowerHalf(text, text.b32("shl.b32", bits, 8)));
  }
  const std::string size = text.b32("bfe.u32", bits, 0, format.signBit());
  const std::string shifted = text.b32("shl.b32", size, format.lost());
  const std::string sign = text.b32("shr.u32", bits, format.signBit());
  const std::string placed = text.f32("bfi.b32", sign, shifted, 31, 1);
  const int power = 2 * kBiasOfFloat - format.bias();
  std::string value =
      text.f32("mul.rn.f32", placed, fmt::format("0f{:08X}", power << kFractionOfFloat));
  if (format.largest == format.forNaN) return value;
  const std::string isNaN = text.pred("setp.gt.u32", size, format.largest);
  return text.f32("selp.b32", 0x7FFFFFFF, value, isNaN);
}

// Of 0 .. 255, in a b32, the power of two as f32.
std::string scaleToFloat(Expansion& text, const std::string& scale) {
  const std::string normal = text.b32("shl.b32", scale, kFractionOfFloat);
  const std::string isLeast = text.pred("setp.eq.u32", scale, 0);
  const std::string number = text.b32("selp.b32", 0x400000, normal, isLeast);
  const std::string isNaN = text.pred("setp.eq.u32", scale, 0xFF);
  return text.f32("selp.b32", 0x7FFFFFFF, number, isNaN);
}

// The pair of numbers of `bits` bits, each in a b32.
Halves numbersOf(Expansion& text, std::size_t k, int bits) {
  const std::string both = text.b32(bits == 4 ? "cvt.u32.u8" : "cvt.u32.u16", text.operand(k));
  const std::string lower = text.b32("bfe.u32", both, 0, bits);
  return {lower, text.b32("shr.u32", both, bits)};
}

std::string toF16(Expansion& text, const std::string& value) {
  const std::string half = text.b16("cvt.rn.f16.f32", value);
  return text.has(".relu") ? text.b16("max.s16", half, 0) : half;
}

bool toF16x2(Expansion& text) {
  const SmallFloat& format = formatOf(text);
  const Halves numbers = numbersOf(text, 1, format.storage);
  const std::string lower = toF16(text, smallFloatToFloat(text, numbers.lower, format));
  const std::string upper = toF16(text, smallFloatToFloat(text, numbers.upper, format));
  text.assign(0, joined(text, {lower, upper}));
  return true;
}

std::string toBf16(Expansion& text, const std::string& value) {
  return lowerHalf(text, floatToBf16Bits(text, value, text.desc()));
}

// The products with the scales are exact in f32.
bool toBf16x2(Expansion& text) {
  const SmallFloat& format = formatOf(text);
  const Halves numbers = numbersOf(text, 1, format.storage);
  Halves values{smallFloatToFloat(text, numbers.lower, format),
                smallFloatToFloat(text, numbers.upper, format)};
  if (text.operandCount() == 3) {
    const Halves scales = numbersOf(text, 2, 8);
    values.lower = text.f32("mul.rn.f32", values.lower, scaleToFloat(text, scales.lower));
    values.upper = text.f32("mul.rn.f32", values.upper, scaleToFloat(text, scales.upper));
  }
  const std::string lower = toBf16(text, values.lower);
  text.assign(0, joined(text, {lower, toBf16(text, values.upper)}));
  return true;
}

// ---- powers of two ------------------------------------------------------------------------------

// The exponent of a number is the power of two below it; with .rp one more if there is a fraction.
std::string toScale(Expansion& text, const std::string& value) {
  std::string bits = text.b32("abs.f32", value);
  if (text.has(".rp")) {
    // The least power is 2^-127, the greatest subnormal number with one bit.
    const std::string isSmall = text.pred("setp.lt.u32", bits, 0x800000);
    bits = text.b32("add.u32", bits, text.b32("selp.b32", 0x3FFFFF, 0x7FFFFF, isSmall));
  }
  std::string scale = text.b32("shr.u32", bits, kFractionOfFloat);
  if (text.has(".satfinite")) scale = text.b32("min.u32", scale, 0xFE);
  const std::string isNaN = text.pred("setp.nan.f32", value, value);
  return text.b32("selp.b32", 0xFF, scale, isNaN);
}

bool toScales(Expansion& text) {
  const Halves floats = floatsOf(text);
  const std::string lower = toScale(text, floats.lower);
  assignPair(text, {lower, toScale(text, floats.upper)}, 8);
  return true;
}

bool fromScales(Expansion& text) {
  const Halves scales = numbersOf(text, 1, 8);
  const std::string lower = halvesOf(text, scaleToFloat(text, scales.lower)).upper;
  const std::string upper = halvesOf(text, scaleToFloat(text, scales.upper)).upper;
  text.assign(0, joined(text, {lower, upper}));
  return true;
}

constexpr std::string_view kFormats = ".stype=.e2m1x2,.e2m3x2,.e3m2x2,.e4m3x2,.e5m2x2";
constexpr std::string_view kFormatsAndHalves =
    ".stype=.e2m1x2,.e2m3x2,.e3m2x2,.e4m3x2,.e5m2x2 .htype=.f16x2,.bf16x2";

constexpr Lowering kSmallConversions[] = {
    // clang-format off
    {"cvt.rn.satfinite{.relu}.stype.f32 =d, a, b", kFormats, {2, 0}, "20", toSmallFloats,
     "arithmetic on f32 and its bits", "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;"},
    {"cvt.rn.satfinite{.relu}.stype.htype =d, a", kFormatsAndHalves, {2, 0}, "20", toSmallFloats,
     "arithmetic on f32 and its bits", "cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;"},
    {"cvt.rn{.relu}.f16x2.stype =d, a", kFormats, {2, 0}, "20", toF16x2,
     "arithmetic on f32 and its bits", "cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;"},
    {"cvt.rn{.satfinite}{.relu}.bf16x2.stype =d, a", kFormats, {2, 0}, "20", toBf16x2,
     "arithmetic on f32 and its bits", "cvt.rn.bf16x2.e4m3x2 %r0, %h1;"},
    {"cvt.rn{.satfinite}{.relu}.scaled::n2::ue8m0.bf16x2.stype =d, a, scale", kFormats, {2, 0},
     "20", toBf16x2, "arithmetic on f32 and its bits",
     "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r0, %h1, %h2;"},
    {"cvt.rnd{.satfinite}.ue8m0x2.f32 =d, a, b", ".rnd=.rz,.rp", {2, 0}, "20", toScales,
     "integer arithmetic on the bits", "cvt.rz.satfinite.ue8m0x2.f32 %h0, %f1, %f2;"},
    {"cvt.rnd{.satfinite}.ue8m0x2.bf16x2 =d, a", ".rnd=.rz,.rp", {2, 0}, "20", toScales,
     "integer arithmetic on the bits", "cvt.rp.ue8m0x2.bf16x2 %h0, %r1;"},
    {"cvt.rn.bf16x2.ue8m0x2 =d, a", "", {2, 0}, "20", fromScales,
     "integer arithmetic on the bits", "cvt.rn.bf16x2.ue8m0x2 %r0, %h1;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> smallConversions() {
  return kSmallConversions;
}

}  // namespace ptxopt::passes
