// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module may contain beside instructions and special registers: directives, attributes,
// pragmas, types, and uses of symbols, with the first PTX version and SM that take each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::isa {

enum class ConstructKind : std::uint8_t {
  TargetOption,       // debug, in .target
  Directive,          // .alias, .loc_intermediate
  Linkage,            // .weak
  FunctionAttribute,  // .maxntid, between the parameters of a function and its body
  AttributeItem,      // .managed, in .attribute(...)
  Qualifier,          // .ptr, of a parameter
  Type,               // .b128, of a register or variable
  Pragma,             // nounroll: the first word of the string
  Use,                // what has no word of its own; the word describes it
};

struct Construct {
  ConstructKind kind;
  std::string_view word;
  Version version;           // first PTX ISA version
  std::string_view target;   // first SM, see satisfies()
  std::string_view example;  // what follows the header of a module that ptxas accepts
  std::uint8_t unproven = kProven;
};
std::span<const Construct> constructs();

// Null if the table has no such word: of a type, that every target has it.
const Construct* findConstruct(ConstructKind kind, std::string_view word);

// The words that describe a Use.
namespace uses {
inline constexpr std::string_view kMask = "part of an address, 0xff(symbol)";
inline constexpr std::string_view kGeneric = "generic address of a variable";
inline constexpr std::string_view kFunctionInitializer = "address of a function as initial value";
inline constexpr std::string_view kKernelAddress = "address of a kernel";
inline constexpr std::string_view kKernelParameters = "list of parameters of a kernel";
inline constexpr std::string_view kFunctionParameter = ".param of a function";
inline constexpr std::string_view kUnsizedParameter = "parameter that is an array without a size";
inline constexpr std::string_view kLargeParameters = "parameters of more than 4352 bytes";
inline constexpr std::string_view kFileTime = ".file with a time";
inline constexpr std::string_view kSectionLabel = "label in a .section";
inline constexpr std::string_view kSectionSum = "label and number in a .section";
inline constexpr std::string_view kSectionDifference = "difference of labels in a .section";
inline constexpr std::string_view kSharedOfCta = ".shared::cta of an instruction";
inline constexpr std::string_view kIgnoredSource = "cp.async with a predicate to ignore its source";
inline constexpr std::string_view kInlinedAt = ".loc with inlined_at";
inline constexpr std::string_view kKeepsSubnormals = ".f32 arithmetic that keeps subnormal numbers";
inline constexpr std::string_view kFlushesSubnormals =
    ".f32 arithmetic that flushes subnormal numbers without .ftz";
}  // namespace uses
inline constexpr std::uint64_t kSmallParameters = 4352;  // bytes that every version takes

}  // namespace ptxopt::isa
