// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with asynchronous operations: bulk copies, cp.async, mbarriers, wgmma, tcgen05, matrix
// accesses and proxy fences, in loops of one to four stages and in warps with roles.
//
// A plan is drawn first (async_pieces.h).  A model of happens-before that shares nothing with the
// interpreter says what nothing orders (async_model.h); there, barriers and fences are put in until
// the plan is right, and others that nothing needs (async_repair.h).
#pragma once

#include <cstdint>

#include "generator.h"

namespace ptxopt::fuzz {

RandomKernel generateAsync(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace ptxopt::fuzz
