// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setp and set of bf16 (PTX ISA 9.7.8).
#include "passes/retarget/families.h"
#include "passes/retarget/small_floats.h"

namespace ptxopt::passes {

namespace {

// The comparison and what joins it with the third source, for f32.
std::string comparison(const Expansion& text) {
  const std::string_view kind =
      text.oneOf({".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".equ", ".neu", ".ltu", ".leu", ".gtu",
                  ".geu", ".num", ".nan"});
  return fmt::format("setp{}{}.f32", kind, text.oneOf({".and", ".or", ".xor"}));
}

std::string compared(Expansion& text, const std::string& a, const std::string& b) {
  const std::string left = bf16BitsToFloat(text, a);
  const std::string right = bf16BitsToFloat(text, b);
  if (text.operandCount() == 3) return text.pred(comparison(text), left, right);
  return text.pred(comparison(text), left, right, text.operand(3));
}

Halves comparedPairs(Expansion& text) {
  const Halves a = halvesOf(text, text.operand(1));
  const Halves b = halvesOf(text, text.operand(2));
  const std::string lower = compared(text, a.lower, b.lower);
  return {lower, compared(text, a.upper, b.upper)};
}

std::string comparedNumbers(Expansion& text) {
  const std::string a = text.b16("mov.b16", text.operand(1));
  return compared(text, a, text.b16("mov.b16", text.operand(2)));
}

bool setPredicate(Expansion& text) {
  text.assign(0, comparedNumbers(text));
  return true;
}

bool setPredicates(Expansion& text) {
  const Halves results = comparedPairs(text);
  text.assignElements(0, {results.lower, results.upper});
  return true;
}

// 1.0 or all ones.
bool setNumber(Expansion& text) {
  const std::string isTrue = comparedNumbers(text);
  if (text.has(".u32") || text.has(".s32")) {
    text.assign(0, text.b32("selp.b32", -1, 0, isTrue));
  } else {
    const bool isInteger = text.has(".u16") || text.has(".s16");
    text.assign(0, text.b16("selp.b16", isInteger ? 0xFFFF : 0x3F80, 0, isTrue));
  }
  return true;
}

bool setNumbers(Expansion& text) {
  const Halves results = comparedPairs(text);
  const int one = text.has(".u32") || text.has(".s32") ? 0xFFFF : 0x3F80;
  const std::string lower = text.b16("selp.b16", one, 0, results.lower);
  text.assign(0, joined(text, {lower, text.b16("selp.b16", one, 0, results.upper)}));
  return true;
}

#define KINDS ".cmp=.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan"
#define JOINED KINDS " .bool=.and,.or,.xor"

constexpr Lowering kComparisons[] = {
    // clang-format off
    {"setp.cmp.bf16 =p, a, b", KINDS, {2, 0}, "20", setPredicate,
     "setp.f32", "setp.ge.bf16 %p0, %h1, %h2;"},
    {"setp.cmp.bool.bf16 =p, a, b, c", JOINED, {2, 0}, "20", setPredicate,
     "setp.f32", "setp.ge.and.bf16 %p0, %h1, %h2, %p2;"},
    {"setp.cmp.bf16x2 =p{|q}, a, b", KINDS, {2, 0}, "20", setPredicates,
     "two setp.f32", "setp.lt.bf16x2 %p0|%p1, %r1, %r2;"},
    {"setp.cmp.bool.bf16x2 =p{|q}, a, b, c", JOINED, {2, 0}, "20", setPredicates,
     "two setp.f32", "setp.lt.and.bf16x2 %p0|%p1, %r1, %r2, %p2;"},
    {"set.cmp.dtype.bf16 =d, a, b", KINDS " .dtype=.u16,.s16,.u32,.s32,.bf16", {2, 0}, "20", setNumber,
     "setp.f32 and selp", "set.lt.bf16.bf16 %h0, %h1, %h2;"},
    {"set.cmp.dtype.bf16x2 =d, a, b", KINDS " .dtype=.u32,.s32,.bf16x2", {2, 0}, "20", setNumbers,
     "two setp.f32 and selp", "set.lt.bf16x2.bf16x2 %r0, %r1, %r2;"},
    // clang-format on
};

#undef KINDS
#undef JOINED

}  // namespace

std::span<const Lowering> comparisons() {
  return kComparisons;
}

}  // namespace ptxopt::passes
