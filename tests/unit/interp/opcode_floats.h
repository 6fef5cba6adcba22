// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tables of floating-point instructions share: operands, modifiers, and the instructions
// as exact functions.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "opcode_reference.h"
#include "opcode_table.h"

namespace ptxopt::interp::reference {

inline constexpr std::pair<const char*, Mode> kRoundings[] = {
    {".rn", Mode::NearestEven}, {".rz", Mode::Zero}, {".rm", Mode::Down}, {".rp", Mode::Up}};

struct FloatType {
  std::string name;       // "f32"
  std::string registers;  // "%r"
  Format format;
};

Values valuesOf(const Format& format, int random);
// Those that matter most, for three operands at a time.
Values fewOf(const Format& format);

// How an instruction treats its operands and its result.
struct Modifiers {
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  std::string text() const;  // ".ftz.sat"
};
inline constexpr Modifiers kPlain{};
inline constexpr Modifiers kFtz{true, false, false};
inline constexpr Modifiers kSat{false, true, false};
inline constexpr Modifiers kFtzSat{true, true, false};

using Exact = std::function<Number(const std::vector<Number>&, Mode)>;
extern const Exact kAdd;
extern const Exact kSubtract;
extern const Exact kMultiply;
extern const Exact kDivide;
extern const Exact kFma;
extern const Exact kRoot;
extern const Exact kReciprocal;

std::uint64_t evaluate(const Format& format, const Exact& exact, Mode mode,
                       const Modifiers& modifiers, std::vector<std::uint64_t> operands);

// The manual's pseudocode of min and max.  NaNs come out canonical.
struct Extremum {
  bool isMaximum = false;
  bool propagatesNaN = false;
  bool ftz = false;
  bool takesMagnitudes = false;  // .abs
  bool takesSign = false;        // .xorsign
  std::string text() const;      // "min.ftz.NaN.xorsign.abs"
};
std::uint64_t evaluate(const Format& format, const Extremum& extremum,
                       std::vector<std::uint64_t> operands);

}  // namespace ptxopt::interp::reference
