// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that differ between the warps of a block: docs/soundness/ C8.3.6.
//
// A warp consists of threads with consecutive linear ids.  If no warp spans two rows of the block,
// its number consists of tid.x / 32, tid.y and tid.z.
//
// Cost: O(terms and operations) of the given form.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/launch/launch_shape.h"
#include "analysis/values/linear_form.h"
#include "support/interval.h"

namespace ptxopt::analysis {

bool rowsAreWholeWarps(const LaunchShape& shape);

// `unit` times the number of the warp in its row, plus a number in `rest`.
struct RowNumber {
  std::uint64_t unit = 0;
  Interval rest;
};
// For tid.x, and for the result of shifts and bit operations by constants on it.
std::optional<RowNumber> rowNumber(const LinearForms& forms, LeafId leaf);

// All threads of a warp compute the same number, whenever they do, if no warp spans two rows.
bool isOfWarp(const LinearForms& forms, FormId form);
// The same for the number divided by 32, as an unsigned number.
bool isOfWarpBeyondLane(const LinearForms& forms, FormId form);

}  // namespace ptxopt::analysis
