// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of 256 bits as two of 128, and atomic operations on vectors as one for each element.
//
// None is atomic as a whole: each element counts by itself.
#pragma once

#include <string_view>

#include "passes/retarget/expansion.h"

namespace ptxopt::passes {

// The forms that there are, in the notation of isa/rows.h; the table of instructions has others.
#define WIDE_VECTORS ".vec=.v4,.v8 .type=.b32,.u32,.s32,.f32,.b64,.u64,.s64,.f64"

inline constexpr std::string_view kEachElement = "the same for each element";
inline constexpr std::string_view kTwoAccesses = "two accesses of 128 bits";  // what they become

bool isWide(const Expansion& text);  // of 256 bits
// Two ld or st with this order and scope, ".acquire.gpu", "", or ".volatile".  False for operands
// that it does not know.
bool writeHalves(Expansion& text, std::string_view order);
// One `atom` or `red` for each element of a vector, with this order and scope.
bool writeElements(Expansion& text, std::string_view order);

}  // namespace ptxopt::passes
