// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt between f32, f16, bf16 and their pairs, from f32 to tf32, and between bf16 and other numbers.
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

std::string floatToF16Half(Expansion& text, const std::string& value) {
  const std::string_view ftz = text.has(".ftz") ? ".ftz" : "";
  std::string half =
      text.b16(fmt::format("cvt{}{}.f16.f32", text.oneOf({".rn", ".rz"}), ftz), value);
  if (text.has(".satfinite")) {
    // Infinity becomes the largest number.
    const std::string size = text.b16("and.b16", half, 0x7FFF);
    const std::string isInfinite = text.pred("setp.eq.u16", size, 0x7C00);
    half = text.b16("selp.b16", text.b16("sub.u16", half, 1), half, isInfinite);
  }
  // The NaN that cvt makes has no sign bit, so it stays.
  return text.has(".relu") ? text.b16("max.s16", half, 0) : half;
}

bool floatToF16(Expansion& text) {
  if (!text.hasWidth(0, 16)) return false;
  text.assign(0, floatToF16Half(text, text.operand(1)));
  return true;
}

// d = {a, b}: the first source is the upper half.
bool floatsToF16x2(Expansion& text) {
  const std::string upper = floatToF16Half(text, text.operand(1));
  const std::string lower = floatToF16Half(text, text.operand(2));
  text.assign(0, joined(text, {lower, upper}));
  return true;
}

bool floatToBf16(Expansion& text) {
  const std::string value =
      text.f32(text.has(".ftz") ? "cvt.ftz.f32.f32" : "mov.f32", text.operand(1));
  text.assign(0, lowerHalf(text, floatToBf16Bits(text, value, text.desc())));
  return true;
}

bool floatsToBf16x2(Expansion& text) {
  const std::string upper = text.f32("mov.f32", text.operand(1));
  const std::string lower = text.f32("mov.f32", text.operand(2));
  const std::string upperBits = floatToBf16Bits(text, upper, text.desc());
  const std::string lowerBits = floatToBf16Bits(text, lower, text.desc());
  text.assign(0, text.b32("prmt.b32", lowerBits, upperBits, 0x5410));
  return true;
}

// The upper half of the random bits is for the upper half of the result.
bool floatsToBf16x2Randomly(Expansion& text) {
  const std::string upper = text.f32("mov.f32", text.operand(1));
  const std::string lower = text.f32("mov.f32", text.operand(2));
  const std::string random = text.b32("mov.b32", text.operand(3));
  const std::string forUpper = text.b32("shr.u32", random, 16);
  const std::string forLower = text.b32("and.b32", random, 0xFFFF);
  const std::string upperBits = floatToBf16BitsRandomly(text, upper, forUpper, text.desc());
  const std::string lowerBits = floatToBf16BitsRandomly(text, lower, forLower, text.desc());
  text.assign(0, text.b32("prmt.b32", lowerBits, upperBits, 0x5410));
  return true;
}

bool floatToTf32(Expansion& text) {
  text.assign(0, floatToTf32Bits(text, text.f32("mov.f32", text.operand(1)), text.desc()));
  return true;
}

// f32 holds it exactly.
bool isSmallNumber(std::string_view type) {
  return type.ends_with("8") || type.ends_with("16");
}

bool numberToBf16(Expansion& text) {
  if (!text.hasWidth(0, 16)) return false;
  const std::string_view type = isa::spelling(text.desc().sourceType);
  const auto toFloat = [&](std::string_view rounding) {
    return text.f32(fmt::format("cvt{}.f32{}", rounding, type), text.operand(1));
  };
  std::string value;
  if (isSmallNumber(type)) {
    value = toFloat(type == ".f16" ? "" : ".rn");
  } else if (text.has(".rn")) {
    const std::string down = toFloat(".rm");
    value = roundedToOdd(text, down, toFloat(".rp"));
  } else {
    // Two roundings in one direction are one.
    value = toFloat(text.oneOf({".rz", ".rm", ".rp"}));
  }
  text.assign(0, lowerHalf(text, floatToBf16Bits(text, value, text.desc())));
  return true;
}

bool bf16ToNumber(Expansion& text) {
  if (!text.hasWidth(1, 16)) return false;
  const std::string value = bf16BitsToFloat(text, text.b16("mov.b16", text.operand(1)));
  const std::string_view type = isa::spelling(text.desc().type);
  if (type == ".f64") {
    text.effect("cvt.f64.f32", text.operand(0), value);
    return true;
  }
  std::string_view rounding =
      text.oneOf({".rni", ".rzi", ".rmi", ".rpi", ".rn", ".rz", ".rm", ".rp"});
  if (rounding.empty()) rounding = ".rn";
  if (type != ".bf16") {
    text.effect(fmt::format("cvt{}{}.f32", rounding, type), text.operand(0), value);
    return true;
  }
  // An integer of 8 bits, or the number itself.
  if (!text.hasWidth(0, 16)) return false;
  const std::string whole = text.f32(fmt::format("cvt{}.f32.f32", rounding), value);
  text.assign(0, halvesOf(text, whole).upper);
  return true;
}

bool bf16ToFloat(Expansion& text) {
  if (!text.hasWidth(0, 32) || !text.hasWidth(1, 16)) return false;
  text.assign(0, bf16BitsToFloat(text, text.b16("mov.b16", text.operand(1))));
  return true;
}

constexpr std::string_view kNumbers =
    ".rnd=.rn,.rz,.rm,.rp .atype=.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.f64";
constexpr std::string_view kWholeNumbers =
    ".rnd=.rni,.rzi,.rmi,.rpi .dtype=.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.bf16";

constexpr Lowering kConversions[] = {
    // clang-format off
    {"cvt.rnd{.ftz}.relu{.satfinite}.f16.f32 =d, a", ".rnd=.rn,.rz", {1, 4}, "10", floatToF16,
     "cvt and integer arithmetic", "cvt.rn.relu.f16.f32 %h0, %f1;"},
    {"cvt.rnd{.ftz}.satfinite.f16.f32 =d, a", ".rnd=.rn,.rz", {1, 4}, "10", floatToF16,
     "cvt and integer arithmetic", "cvt.rn.satfinite.f16.f32 %h0, %f1;"},
    {"cvt.rnd{.ftz}{.relu}{.satfinite}.f16x2.f32 =d, a, b", ".rnd=.rn,.rz", {1, 4}, "10",
     floatsToF16x2, "two cvt", "cvt.rn.f16x2.f32 %r0, %f1, %f2;"},
    {"cvt.rnd{.relu}{.satfinite}.bf16.f32 =d, a", ".rnd=.rn,.rz,.rm,.rp", {2, 0}, "20", floatToBf16,
     "integer arithmetic on the bits", "cvt.rn.bf16.f32 %h0, %f1;"},
    {"cvt.rnd{.relu}{.satfinite}.bf16x2.f32 =d, a, b", ".rnd=.rn,.rz", {2, 0}, "20", floatsToBf16x2,
     "integer arithmetic on the bits", "cvt.rn.bf16x2.f32 %r0, %f1, %f2;"},
    {"cvt{.rnd}.f32.bf16 =d, a", ".rnd=.rn,.rz,.rm,.rp", {1, 0}, "10", bf16ToFloat,
     "a shift", "cvt.f32.bf16 %f0, %h1;"},
    {"cvt.rnd.ftz.bf16.f32 =d, a", ".rnd=.rn,.rz,.rm,.rp", {2, 0}, "20", floatToBf16,
     "integer arithmetic on the bits", "cvt.rn.ftz.bf16.f32 %h0, %f1;"},
    {"cvt.rs{.relu}{.satfinite}.bf16x2.f32 =d, a, b, rbits", "", {2, 0}, "20",
     floatsToBf16x2Randomly, "integer arithmetic on the bits",
     "cvt.rs.relu.satfinite.bf16x2.f32 %r0, %f1, %f2, %r3;"},
    {"cvt.rnd.bf16.atype =d, a", kNumbers, {2, 0}, "20", numberToBf16,
     "cvt to f32, and integer arithmetic on the bits", "cvt.rn.bf16.s32 %h0, %r1;"},
    {"cvt{.rnd}.bf16.f16 =d, a", ".rnd=.rn,.rz,.rm,.rp", {2, 0}, "20", numberToBf16,
     "cvt to f32, and integer arithmetic on the bits", "cvt.rn.bf16.f16 %h0, %h1;"},
    {"cvt.rnd.dtype.bf16 =d, a", kWholeNumbers, {2, 0}, "20", bf16ToNumber,
     "a shift and cvt from f32", "cvt.rni.s32.bf16 %r0, %h1;"},
    {"cvt{.rnd}.dtype.bf16 =d, a", ".rnd=.rn,.rz,.rm,.rp .dtype=.f16,.f64", {2, 0}, "20",
     bf16ToNumber, "a shift and cvt from f32", "cvt.rn.f16.bf16 %h0, %h1;"},
    {"cvt.rna{.satfinite}.tf32.f32 =d, a", "", {2, 0}, "20", floatToTf32,
     "integer arithmetic on the bits", "cvt.rna.tf32.f32 %r0, %f1;"},
    {"cvt.rnd{.relu}{.satfinite}.tf32.f32 =d, a", ".rnd=.rn,.rz", {2, 0}, "20", floatToTf32,
     "integer arithmetic on the bits", "cvt.rn.tf32.f32 %r0, %f1;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> conversions() {
  return kConversions;
}

}  // namespace ptxopt::passes
