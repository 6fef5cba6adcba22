// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels about addresses: whose bytes they are, and whether ranges overlap.
#pragma once

#include <cstdint>

#include "generator.h"

namespace ptxopt::fuzz {

// For Bias::Addresses.  Made as a plan (plan.h), in which barriers are put where something would
// race, and some where nothing would.
RandomKernel generateAddresses(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace ptxopt::fuzz
