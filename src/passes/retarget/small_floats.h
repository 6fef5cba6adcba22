// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers of fewer than 32 bits, as integer arithmetic: what several lowerings
// share.
#pragma once

#include <string>
#include <vector>

#include "passes/retarget/expansion.h"

namespace ptxopt::passes {

// ---- halves of registers ------------------------------------------------------------------------

struct Halves {
  std::string lower;
  std::string upper;
};
// The b16 registers of a b32.
Halves halvesOf(Expansion& text, const std::string& word);
std::string lowerHalf(Expansion& text, const std::string& word);
std::string joined(Expansion& text, const Halves& halves);

// Makes a b16 register of others.
using HalfOperation = std::string (*)(Expansion& text, const std::vector<std::string>& sources);
// Assigns to operand 0 what `operation` makes of all others, which have 16 bits.  Of .f16x2,
// .bf16x2, .u16x2 and .s16x2 it does so for each half.
bool eachHalf(Expansion& text, HalfOperation operation);

// ---- f32 to and from fewer bits -----------------------------------------------------------------

// The bits of `value`, an f32, as bf16, in the lower half of a b32; the upper half is zero.  `desc`
// says how: .rn (also where it has no rounding), .rz, .rm, .rp, .relu, .satfinite.  NaN becomes
// 0x7FFF.
std::string floatToBf16Bits(Expansion& text, const std::string& value,
                            const isa::InstructionDesc& desc);
// The same as tf32.  It has .rna as well.  NaN becomes 0x7FFFFFFF.
std::string floatToTf32Bits(Expansion& text, const std::string& value,
                            const isa::InstructionDesc& desc);
// The same as bf16, with the 16 bits of `random` added to those that are cut off.
std::string floatToBf16BitsRandomly(Expansion& text, const std::string& value,
                                    const std::string& random, const isa::InstructionDesc& desc);

// `down` and `up` are the results of one operation with .rm.f32 and .rp.f32.  The one of them that
// rounds to fewer bits to nearest like the exact result: it is rounded to odd.
std::string roundedToOdd(Expansion& text, const std::string& down, const std::string& up);

// An f32 of a b16 that holds a bf16.
std::string bf16BitsToFloat(Expansion& text, const std::string& half);

// ---- the least and the greatest -----------------------------------------------------------------

// What min or max makes of f32 numbers, with the qualifiers .NaN and .abs of the instruction.
// `ftz` is ".ftz" or "".
std::string minMaxOfFloats(Expansion& text, std::vector<std::string> values, std::string_view ftz);
// An f32 that has no sign, with the first bit of `word` as its sign.  NaN stays without one.
std::string withSign(Expansion& text, const std::string& value, const std::string& word);

}  // namespace ptxopt::passes
