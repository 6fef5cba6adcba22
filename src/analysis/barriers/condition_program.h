// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions of branches and guards, evaluated for the threads of a block.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/addresses/form_program.h"
#include "analysis/values/branch_conditions.h"

namespace ptxopt::analysis {

// A comparison whose sides are expressions of a FormProgram.
struct ConditionProgram {
  Comparison comparison = Comparison::Equal;
  unsigned bits = 32;
  FormProgram::Expression left = 0;
  FormProgram::Expression right = 0;

  // None if a side cannot be computed.
  static std::optional<ConditionProgram> of(const Condition& condition, const Addresses& addresses,
                                            FormProgram& program);
  // In the last run, where both sides were computed.
  LaneMask lanesWhereItHolds(const FormProgram& program, std::size_t warp) const {
    return lanesWhereHolds(comparison, bits, program.residuesOf(left, warp),
                           program.residuesOf(right, warp));
  }
};

}  // namespace ptxopt::analysis
