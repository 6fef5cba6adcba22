// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dimensions of the thread id in which the threads of two accesses can differ.
#pragma once

#include "analysis/addresses/alias.h"
#include "support/interval.h"

namespace ptxopt::analysis {

// Sets of dimensions: a bit for each of x, y, z, and one for tid.x / 32, the warp in its row, which
// is less than x.
constexpr unsigned kWarpOfRow = 8;
constexpr unsigned kAllDimensions = 15;

// The numbers of warps in a row, of numbers of threads that are not negative.
Interval warpsOf(Interval threads);

// The dimensions in which two threads that get to the accesses can differ; of two warps, those in
// which they must.
unsigned freeDimensions(const Access& a, const Access& b, Threads threads);

}  // namespace ptxopt::analysis
