// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of f32, of pairs of it, and of f32 with f16 or bf16 (PTX ISA 9.7.3, 9.7.5).
#include "isa/pattern.h"
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

bool minMax(Expansion& text) {
  std::vector<std::string> values;
  for (std::size_t k = 1; k < text.operandCount(); ++k) {
    values.push_back(text.f32("mov.f32", text.operand(k)));
  }
  std::string result = minMaxOfFloats(text, values, text.has(".ftz") ? ".ftz" : "");
  if (text.has(".xorsign")) {
    result = withSign(text, result, text.b32("xor.b32", values[0], values[1]));
  }
  text.assign(0, result);
  return true;
}

// The same where min and max of two sources have .NaN.
bool minMaxOfThree(Expansion& text) {
  const std::string mnemonic =
      fmt::format("{}{}{}.f32", isa::firstWord(text.desc().mnemonic),
                  text.has(".ftz") ? ".ftz" : "", text.has(".NaN") ? ".NaN" : "");
  const auto source = [&](std::size_t k) {
    return text.has(".abs") ? text.f32("abs.f32", text.operand(k)) : text.operand(k);
  };
  const std::string first = text.f32(mnemonic, source(1), source(2));
  text.assign(0, text.f32(mnemonic, first, source(3)));
  return true;
}

// The mnemonic for one f32, with the rounding of the instruction or none.  Without one ptxas may
// join a product and a sum, as it may with the instruction.
std::string floatMnemonic(const Expansion& text) {
  return fmt::format("{}{}{}{}.f32", isa::firstWord(text.desc().mnemonic),
                     text.oneOf({".rn", ".rz", ".rm", ".rp"}), text.has(".ftz") ? ".ftz" : "",
                     text.has(".sat") ? ".sat" : "");
}

std::string computed(Expansion& text, const std::vector<std::string>& sources) {
  if (sources.size() == 2) return text.f32(floatMnemonic(text), sources[0], sources[1]);
  return text.f32(floatMnemonic(text), sources[0], sources[1], sources[2]);
}

bool eachFloat(Expansion& text) {
  std::vector<std::string> lower;
  std::vector<std::string> upper;
  for (std::size_t k = 1; k < text.operandCount(); ++k) {
    lower.push_back(text.newB32());
    upper.push_back(text.newB32());
    text.own("mov.b64", fmt::format("{{{}, {}}}", lower.back(), upper.back()), text.operand(k));
  }
  const std::string first = computed(text, lower);
  const std::string second = computed(text, upper);
  text.assign(0, text.b64("mov.b64", fmt::format("{{{}, {}}}", first, second)));
  return true;
}

// All sources but the last are f16 or bf16.
bool mixed(Expansion& text) {
  std::vector<std::string> sources;
  const std::size_t last = text.operandCount() - 1;
  for (std::size_t k = 1; k < last; ++k) {
    sources.push_back(text.has(".bf16")
                          ? bf16BitsToFloat(text, text.b16("mov.b16", text.operand(k)))
                          : text.f32("cvt.f32.f16", text.operand(k)));
  }
  sources.push_back(text.operand(last));
  text.assign(0, computed(text, sources));
  return true;
}

constexpr std::string_view kRoundings = ".rnd=.rn,.rz,.rm,.rp";
constexpr std::string_view kMixedRoundings = ".rnd=.rn,.rz,.rm,.rp .atype=.f16,.bf16";

constexpr Lowering kFloats[] = {
    // clang-format off
    {"min{.ftz}.NaN.f32 =d, a, b", "", {2, 0}, "20", minMax,
     "min.f32 and a test for NaN", "min.NaN.f32 %f0, %f1, %f2;"},
    {"min{.ftz}{.NaN}.xorsign.abs.f32 =d, a, b", "", {2, 0}, "20", minMax,
     "min.f32 and the sign", "min.xorsign.abs.f32 %f0, %f1, %f2;"},
    {"min{.ftz}{.NaN}{.abs}.f32 =d, a, b, c", "", {7, 0}, "80", minMaxOfThree,
     "two min of two sources", "min.f32 %f0, %f1, %f2, %f3;"},
    {"min{.ftz}{.NaN}{.abs}.f32 =d, a, b, c", "", {2, 0}, "20", minMax,
     "two min.f32", "min.f32 %f0, %f1, %f2, %f3;"},
    {"max{.ftz}.NaN.f32 =d, a, b", "", {2, 0}, "20", minMax,
     "max.f32 and a test for NaN", "max.NaN.f32 %f0, %f1, %f2;"},
    {"max{.ftz}{.NaN}.xorsign.abs.f32 =d, a, b", "", {2, 0}, "20", minMax,
     "max.f32 and the sign", "max.xorsign.abs.f32 %f0, %f1, %f2;"},
    {"max{.ftz}{.NaN}{.abs}.f32 =d, a, b, c", "", {7, 0}, "80", minMaxOfThree,
     "two max of two sources", "max.abs.f32 %f0, %f1, %f2, %f3;"},
    {"max{.ftz}{.NaN}{.abs}.f32 =d, a, b, c", "", {2, 0}, "20", minMax,
     "two max.f32", "max.abs.f32 %f0, %f1, %f2, %f3;"},
    {"add{.rnd}{.ftz}.f32x2 =d, a, b", kRoundings, {2, 0}, "20", eachFloat,
     "two add.f32", "add.rz.ftz.f32x2 %rd0, %rd1, %rd2;"},
    {"sub{.rnd}{.ftz}.f32x2 =d, a, b", kRoundings, {2, 0}, "20", eachFloat,
     "two sub.f32", "sub.f32x2 %rd0, %rd1, %rd2;"},
    {"mul{.rnd}{.ftz}.f32x2 =d, a, b", kRoundings, {2, 0}, "20", eachFloat,
     "two mul.f32", "mul.rn.f32x2 %rd0, %rd1, %rd2;"},
    {"fma.rnd{.ftz}.f32x2 =d, a, b, c", kRoundings, {2, 0}, "20", eachFloat,
     "two fma.f32", "fma.rn.f32x2 %rd0, %rd1, %rd2, %rd3;"},
    {"add{.rnd}{.sat}.f32.atype =d, a, c", kMixedRoundings, {2, 0}, "20", mixed,
     "an exact conversion and add.f32", "add.rz.f32.bf16 %f0, %h1, %f2;"},
    {"sub{.rnd}{.sat}.f32.atype =d, a, c", kMixedRoundings, {2, 0}, "20", mixed,
     "an exact conversion and sub.f32", "sub.f32.f16 %f0, %h1, %f2;"},
    {"fma.rnd{.sat}.f32.atype =d, a, b, c", kMixedRoundings, {2, 0}, "20", mixed,
     "exact conversions and fma.f32", "fma.rn.f32.f16 %f0, %h1, %h2, %f3;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> floats() {
  return kFloats;
}

}  // namespace ptxopt::passes
