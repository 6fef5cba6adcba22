// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic (PTX ISA 9.7.1), lop3 and cvt.pack.
#include "isa/pattern.h"
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

// ---- pairs of 16 bits ---------------------------------------------------------------------------

std::string eachInteger(Expansion& text, const std::vector<std::string>& sources) {
  const std::string mnemonic =
      fmt::format("{}.{}16", isa::firstWord(text.desc().mnemonic), text.has(".s16x2") ? 's' : 'u');
  const std::string result = text.b16(mnemonic, sources.at(0), sources.at(1));
  // Unsigned numbers are never negative.
  const bool isRelu = text.has(".relu") && text.has(".s16x2");
  return isRelu ? text.b16("max.s16", result, 0) : result;
}

bool pairs(Expansion& text) {
  return eachHalf(text, eachInteger);
}

// The exact sum or difference in 32 bits, bounded.
std::string eachSaturated(Expansion& text, const std::vector<std::string>& sources) {
  const bool isSigned = text.has(".s16x2");
  const std::string widen = isSigned ? "cvt.s32.s16" : "cvt.u32.u16";
  const std::string a = text.b32(widen, sources.at(0));
  const std::string b = text.b32(widen, sources.at(1));
  std::string result = text.b32("add.s32", a, b);
  result = text.b32("min.s32", result, isSigned ? 0x7FFF : 0xFFFF);
  if (isSigned) result = text.b32("max.s32", result, -0x8000);
  return text.b16("cvt.u16.u32", result);
}

bool saturatedPairs(Expansion& text) {
  return eachHalf(text, eachSaturated);
}

bool saturatedSum(Expansion& text) {
  const std::string a = text.b32("mov.b32", text.operand(1));
  const std::string sum = text.b32("add.u32", a, text.operand(2));
  const std::string isTooLarge = text.pred("setp.lt.u32", sum, a);
  text.assign(0, text.b32("selp.b32", 0xFFFFFFFF, sum, isTooLarge));
  return true;
}

bool relu(Expansion& text) {
  const std::string mnemonic = fmt::format("{}.s32", isa::firstWord(text.desc().mnemonic));
  const std::string result = text.b32(mnemonic, text.operand(1), text.operand(2));
  text.assign(0, text.b32("max.s32", result, 0));
  return true;
}

// ---- fields of bits -----------------------------------------------------------------------------

// A number of bits: at most 32 with .clamp, modulo 32 with .wrap.
std::string bitCount(Expansion& text, std::size_t k) {
  const std::string count = text.b32("mov.b32", text.operand(k));
  return text.has(".wrap") ? text.b32("and.b32", count, 31) : text.b32("min.u32", count, 32);
}

bool signExtension(Expansion& text) {
  const std::string mnemonic = text.has(".s32") ? "bfe.s32" : "bfe.u32";
  const std::string source = text.b32("mov.b32", text.operand(1));
  text.assign(0, text.b32(mnemonic, source, 0, bitCount(text, 2)));
  return true;
}

// Ones from bit `first` on, but not from bit `end` on.
bool bitMask(Expansion& text) {
  const std::string first = bitCount(text, 1);
  const std::string end = text.b32("add.u32", first, bitCount(text, 2));
  const std::string ones = text.b32("mov.b32", -1);
  const std::string fromFirst = text.b32("shl.b32", ones, first);
  const std::string fromEnd = text.b32("shl.b32", ones, end);
  text.assign(0, text.b32("xor.b32", fromFirst, fromEnd));
  return true;
}

// ---- products -----------------------------------------------------------------------------------

// `count` products of fields of a, which have `bitsOfA`, and of bytes of b from `start` on.
bool dotProduct(Expansion& text, int count, int bitsOfA, int start) {
  const std::string takeA = fmt::format("bfe{}", isa::spelling(text.desc().type));
  const std::string takeB = fmt::format("bfe{}", isa::spelling(text.desc().sourceType));
  const std::string a = text.b32("mov.b32", text.operand(1));
  const std::string b = text.b32("mov.b32", text.operand(2));
  std::string sum = text.b32("mov.b32", text.operand(3));
  for (int k = 0; k < count; ++k) {
    const std::string factor = text.b32(takeA, a, k * bitsOfA, bitsOfA);
    sum = text.b32("mad.lo.s32", factor, text.b32(takeB, b, (start + k) * 8, 8), sum);
  }
  text.assign(0, sum);
  return true;
}

bool fourProducts(Expansion& text) {
  return dotProduct(text, 4, 8, 0);
}

bool twoProducts(Expansion& text) {
  return dotProduct(text, 2, 16, text.has(".hi") ? 2 : 0);
}

// ---- lop3 and cvt.pack --------------------------------------------------------------------------

bool logicAndPredicate(Expansion& text) {
  const std::string bits =
      text.b32("lop3.b32", text.operand(1), text.operand(2), text.operand(3), text.operand(4));
  const std::string mnemonic = fmt::format("setp.ne{}.s32", text.oneOf({".or", ".and"}));
  const std::string isSet = text.pred(mnemonic, bits, 0, text.operand(5));
  text.assignElements(0, {bits, isSet});
  return true;
}

bool pack(Expansion& text) {
  const std::string_view type =
      text.oneOf({".u16", ".s16", ".u8", ".s8", ".u4", ".s4", ".u2", ".s2"});
  const bool isSigned = type.at(1) == 's';
  const int bits = type.ends_with("16") ? 16 : type.back() - '0';
  const int bound = 1 << (isSigned ? bits - 1 : bits);
  const auto bounded = [&](std::size_t k) {
    const std::string value = text.b32("mov.b32", text.operand(k));
    const std::string positive = text.b32("max.s32", value, isSigned ? -bound : 0);
    return text.b32("min.s32", positive, bound - 1);
  };
  const std::string upper = bounded(1);
  const std::string lower = bounded(2);
  // The rest is what c has, shifted; without c there is no rest.
  const std::string rest = text.operandCount() == 4 ? text.b32("shl.b32", text.operand(3), 2 * bits)
                                                    : text.b32("mov.b32", 0);
  const std::string withUpper = text.b32("bfi.b32", upper, rest, bits, bits);
  text.assign(0, text.b32("bfi.b32", lower, withUpper, 0, bits));
  return true;
}

constexpr Lowering kIntegers[] = {
    // clang-format off
    {"add.type =d, a, b", ".type=.u16x2,.s16x2", {1, 0}, "10", pairs,
     "two add", "add.s16x2 %r0, %r1, %r2;"},
    {"add.sat.type =d, a, b", ".type=.u16x2,.s16x2", {1, 0}, "10", saturatedPairs,
     "two add of 32 bits with min and max", "add.sat.s16x2 %r0, %r1, %r2;"},
    {"add.sat.u32 =d, a, b", "", {1, 0}, "10", saturatedSum,
     "add and a comparison", "add.sat.u32 %r0, %r1, %r2;"},
    {"min{.relu}.type =d, a, b", ".type=.u16x2,.s16x2", {1, 0}, "10", pairs,
     "two min", "min.relu.s16x2 %r0, %r1, %r2;"},
    {"min.relu.s32 =d, a, b", "", {1, 0}, "10", relu,
     "min and max with 0", "min.relu.s32 %r0, %r1, %r2;"},
    {"max{.relu}.type =d, a, b", ".type=.u16x2,.s16x2", {1, 0}, "10", pairs,
     "two max", "max.u16x2 %r0, %r1, %r2;"},
    {"max.relu.s32 =d, a, b", "", {1, 0}, "10", relu,
     "max, and max with 0", "max.relu.s32 %r0, %r1, %r2;"},
    {"szext.mode.type =d, a, b", ".mode=.clamp,.wrap .type=.u32,.s32", {2, 0}, "20", signExtension,
     "bfe", "szext.clamp.u32 %r0, %r1, %r2;"},
    {"bmsk.mode.b32 =d, a, b", ".mode=.clamp,.wrap", {1, 0}, "10", bitMask,
     "two shl and xor", "bmsk.clamp.b32 %r0, %r1, %r2;"},
    {"dp4a.atype.btype =d, a, b, c", ".atype=.u32,.s32 .btype=.u32,.s32", {2, 0}, "20",
     fourProducts, "bfe and mad", "dp4a.u32.s32 %r0, %r1, %r2, %r3;"},
    {"dp2a.mode.atype.btype =d, a, b, c", ".mode=.lo,.hi .atype=.u32,.s32 .btype=.u32,.s32", {2, 0},
     "20", twoProducts, "bfe and mad", "dp2a.lo.u32.s32 %r0, %r1, %r2, %r3;"},
    {"lop3.bool.b32 =d|p, a, b, c, table, q", ".bool=.or,.and", {4, 3}, "50", logicAndPredicate,
     "lop3 and setp", "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x3f, %p1;"},
    {"cvt.pack.sat.type.s32 =d, a, b", ".type=.u16,.s16", {2, 0}, "20", pack,
     "min, max and bfi", "cvt.pack.sat.s16.s32 %r0, %r1, %r2;"},
    {"cvt.pack.sat.type.s32.b32 =d, a, b, c", ".type=.u8,.s8,.u4,.s4,.u2,.s2", {2, 0}, "20", pack,
     "min, max and bfi", "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> integers() {
  return kIntegers;
}

}  // namespace ptxopt::passes
