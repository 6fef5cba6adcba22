// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call malloc and free on the device: docs/soundness/ E.10.9.
//
// Each thread allocates memory of its own, or one thread does for a pointer in a variable.  It is
// written, copied, converted, freed on one path or on several, and sometimes also read, compared,
// stored elsewhere, passed, or not freed.  What is read was written before, and nothing depends on
// the number that is the address: the outcome is the same without what may be removed.
#pragma once

#include <cstdint>

#include "generator.h"

namespace ptxopt::fuzz {

RandomKernel generateHeap(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace ptxopt::fuzz
