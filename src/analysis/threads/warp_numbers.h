// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that tell the warps of a block apart: docs/soundness/ C8.3.6.
//
// A warp holds threads of consecutive linear ids.  Where no warp holds threads of two rows, it is
// tid.x / 32, tid.y and tid.z.
//
// Cost: O(terms and operations) of what is asked about.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/launch/launch_shape.h"
#include "analysis/values/linear_form.h"
#include "support/interval.h"

namespace ptxopt::analysis {

bool rowsAreWholeWarps(const LaunchShape& shape, bool isOneRow = false);

// `unit` times the warp in its row, plus a number of `rest`.
struct RowNumber {
  std::uint64_t unit = 0;
  Interval rest;
};
// Of tid.x, and of what shifts and bit operations by constants make of it.
std::optional<RowNumber> rowNumber(const LinearForms& forms, LeafId leaf);

// The same number in all threads of a warp, whenever they compute it, if no warp holds threads of
// two rows.
bool isOfWarp(const LinearForms& forms, FormId form);
// The same when it is divided by 32, as an unsigned number.
bool isOfWarpBeyondLane(const LinearForms& forms, FormId form);

}  // namespace ptxopt::analysis
