// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of f16 and bf16 (PTX ISA 9.7.4).
#include "isa/pattern.h"
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

using Sources = std::vector<std::string>;

bool isBf16(const Expansion& text) {
  return text.has(".bf16") || text.has(".bf16x2");
}

// `half` in the half of a word, or in both if the instruction is one of pairs.
std::uint32_t repeated(const Expansion& text, std::uint32_t half) {
  const bool isPair = text.has(".f16x2") || text.has(".bf16x2");
  return isPair ? half << 16 | half : half;
}

// ---- sm_80 has only fma of bf16 -----------------------------------------------------------------

bool viaFma(Expansion& text) {
  const bool isPair = text.has(".bf16x2");
  const auto constant = [&](std::uint32_t half) {
    return isPair ? text.b32("mov.b32", repeated(text, half)) : text.b16("mov.b16", half);
  };
  const std::string_view word = isa::firstWord(text.desc().mnemonic);
  const std::string mnemonic = isPair ? "fma.rn.bf16x2" : "fma.rn.bf16";
  const std::string a = text.operand(1);
  const std::string b = text.operand(2);
  if (word == "add") {
    text.effect(mnemonic, text.operand(0), a, constant(0x3F80), b);
  } else if (word == "sub") {
    text.effect(mnemonic, text.operand(0), b, constant(0xBF80), a);
  } else {
    // A product that is -0 stays -0 only if -0 is added.
    text.effect(mnemonic, text.operand(0), a, b, constant(0x8000));
  }
  return true;
}

// ---- by way of f32 ------------------------------------------------------------------------------

// The rounding of f32 to bf16 does no harm: the 24 bits of f32 are more than twice the 8 of bf16,
// and where they are fewer, with subnormal numbers, sums are exact, and the 16 bits of a product
// are too few to come close to the middle of two numbers without being it.
std::string halfArithmetic(Expansion& text, const Sources& sources) {
  const std::string mnemonic = fmt::format("{}.rn.f32", isa::firstWord(text.desc().mnemonic));
  const std::string a = bf16BitsToFloat(text, sources.at(0));
  const std::string b = bf16BitsToFloat(text, sources.at(1));
  const std::string result = text.f32(mnemonic, a, b);
  return lowerHalf(text, floatToBf16Bits(text, result, text.desc()));
}

std::string halfFma(Expansion& text, const Sources& sources) {
  const std::string a = bf16BitsToFloat(text, sources.at(0));
  const std::string b = bf16BitsToFloat(text, sources.at(1));
  const std::string c = bf16BitsToFloat(text, sources.at(2));
  std::string result;
  if (text.has(".rn")) {
    const std::string down = text.f32("fma.rm.f32", a, b, c);
    const std::string up = text.f32("fma.rp.f32", a, b, c);
    result = roundedToOdd(text, down, up);
  } else {
    // Two roundings in one direction are one.
    const std::string_view rounding = text.oneOf({".rz", ".rm", ".rp"});
    result = text.f32(fmt::format("fma{}.f32", rounding), a, b, c);
  }
  return lowerHalf(text, floatToBf16Bits(text, result, text.desc()));
}

bool viaFloat(Expansion& text) {
  const bool isFma = isa::firstWord(text.desc().mnemonic) == "fma";
  return eachHalf(text, isFma ? halfFma : halfArithmetic);
}

// NaN has no sign here, so what has one is a negative number, or -0.
std::string withoutSign(Expansion& text, const std::string& half) {
  return text.b16("max.s16", half, 0);
}

bool reluAfterFma(Expansion& text) {
  return eachHalf(text, [](Expansion& expansion, const Sources& sources) {
    const std::string mnemonic = fmt::format("fma.rn{}.f16", expansion.has(".ftz") ? ".ftz" : "");
    const std::string result = expansion.b16(mnemonic, sources.at(0), sources.at(1), sources.at(2));
    return withoutSign(expansion, result);
  });
}

// ---- signs --------------------------------------------------------------------------------------

// A subnormal number becomes a zero with its sign.
std::string flushed(Expansion& text, const std::string& half) {
  const std::string exponent = text.b16("and.b16", half, isBf16(text) ? 0x7F80 : 0x7C00);
  const std::string isSmall = text.pred("setp.eq.u16", exponent, 0);
  const std::string zero = text.b16("and.b16", half, 0x8000);
  return text.b16("selp.b16", zero, half, isSmall);
}

bool changeSign(Expansion& text) {
  const bool isPair = text.has(".f16x2") || text.has(".bf16x2");
  const bool isAbs = isa::firstWord(text.desc().mnemonic) == "abs";
  if (text.has(".ftz")) {
    return eachHalf(text, isAbs ? [](Expansion& expansion, const Sources& sources) {
      return expansion.b16("and.b16", flushed(expansion, sources.at(0)), 0x7FFF);
    } : [](Expansion& expansion, const Sources& sources) {
      return expansion.b16("xor.b16", flushed(expansion, sources.at(0)), 0x8000);
    });
  }
  const std::uint32_t mask = repeated(text, isAbs ? 0x7FFF : 0x8000);
  const std::string source =
      isPair ? text.b32("mov.b32", text.operand(1)) : text.b16("mov.b16", text.operand(1));
  const std::string mnemonic = fmt::format("{}.b{}", isAbs ? "and" : "xor", isPair ? 32 : 16);
  text.assign(0, isPair ? text.b32(mnemonic, source, mask) : text.b16(mnemonic, source, mask));
  return true;
}

// ---- the least and the greatest -----------------------------------------------------------------

// The result is one of the sources, so no conversion rounds.
std::string halfMinMax(Expansion& text, const Sources& sources) {
  Sources values;
  for (const std::string& source : sources) {
    const std::string half = text.has(".ftz") ? flushed(text, source) : source;
    values.push_back(isBf16(text) ? bf16BitsToFloat(text, half) : text.f32("cvt.f32.f16", half));
  }
  std::string result = minMaxOfFloats(text, values, "");
  if (text.has(".xorsign")) {
    const std::string sign = text.b16("xor.b16", sources.at(0), sources.at(1));
    result = withSign(text, result, joined(text, {sign, sign}));
  }
  return isBf16(text) ? halvesOf(text, result).upper : text.b16("cvt.rn.f16.f32", result);
}

bool minMaxViaFloat(Expansion& text) {
  return eachHalf(text, halfMinMax);
}

constexpr Lowering kHalves[] = {
    // clang-format off
    {"add{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {7, 0}, "80", viaFma,
     "fma.rn with a factor of 1", "add.bf16 %h0, %h1, %h2;"},
    {"sub{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {7, 0}, "80", viaFma,
     "fma.rn with a factor of -1", "sub.bf16x2 %r0, %r1, %r2;"},
    {"mul{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {7, 0}, "80", viaFma,
     "fma.rn that adds -0", "mul.bf16 %h0, %h1, %h2;"},
    {"add{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {2, 0}, "20", viaFloat,
     "add.f32, rounded with integer arithmetic", "add.bf16 %h0, %h1, %h2;"},
    {"sub{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {2, 0}, "20", viaFloat,
     "sub.f32, rounded with integer arithmetic", "sub.bf16x2 %r0, %r1, %r2;"},
    {"mul{.rn}.type =d, a, b", ".type=.bf16,.bf16x2", {2, 0}, "20", viaFloat,
     "mul.f32, rounded with integer arithmetic", "mul.bf16 %h0, %h1, %h2;"},
    {"fma.rnd{.relu}.type =d, a, b, c", ".rnd=.rn,.rz,.rm,.rp .type=.bf16,.bf16x2", {2, 0}, "20",
     viaFloat, "fma.f32, rounded with integer arithmetic", "fma.rn.relu.bf16 %h0, %h1, %h2, %h3;"},
    {"fma.rn{.ftz}.relu.type =d, a, b, c", ".type=.f16,.f16x2", {4, 2}, "53", reluAfterFma,
     "fma.rn and max.s16", "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;"},
    {"neg{.ftz}.type =d, a", ".type=.f16,.f16x2", {1, 0}, "10", changeSign,
     "xor with the sign bit", "neg.f16 %h0, %h1;"},
    {"neg.type =d, a", ".type=.bf16,.bf16x2", {1, 0}, "10", changeSign,
     "xor with the sign bit", "neg.bf16x2 %r0, %r1;"},
    {"abs{.ftz}.type =d, a", ".type=.f16,.f16x2", {1, 0}, "10", changeSign,
     "and, which clears the sign bit", "abs.f16x2 %r0, %r1;"},
    {"abs.type =d, a", ".type=.bf16,.bf16x2", {1, 0}, "10", changeSign,
     "and, which clears the sign bit", "abs.bf16 %h0, %h1;"},
    {"min{.ftz}{.NaN}.type =d, a, b", ".type=.f16,.f16x2", {2, 0}, "20", minMaxViaFloat,
     "min.f32", "min.f16 %h0, %h1, %h2;"},
    {"min{.NaN}.type =d, a, b", ".type=.bf16,.bf16x2", {2, 0}, "20", minMaxViaFloat,
     "min.f32", "min.NaN.bf16 %h0, %h1, %h2;"},
    {"min{.ftz}{.NaN}.xorsign.abs.type =d, a, b", ".type=.f16,.f16x2,.bf16,.bf16x2", {2, 0}, "20",
     minMaxViaFloat, "min.f32", "min.xorsign.abs.f16 %h0, %h1, %h2;"},
    {"max{.ftz}{.NaN}.type =d, a, b", ".type=.f16,.f16x2", {2, 0}, "20", minMaxViaFloat,
     "max.f32", "max.NaN.f16x2 %r0, %r1, %r2;"},
    {"max{.NaN}.type =d, a, b", ".type=.bf16,.bf16x2", {2, 0}, "20", minMaxViaFloat,
     "max.f32", "max.bf16x2 %r0, %r1, %r2;"},
    {"max{.ftz}{.NaN}.xorsign.abs.type =d, a, b", ".type=.f16,.f16x2,.bf16,.bf16x2", {2, 0}, "20",
     minMaxViaFloat, "max.f32", "max.xorsign.abs.bf16x2 %r0, %r1, %r2;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> halves() {
  return kHalves;
}

}  // namespace ptxopt::passes
