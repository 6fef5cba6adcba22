// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value that an atomic operation stores (PTX ISA 9.7.15.5).
#pragma once

#include <cstdint>
#include <optional>

#include "interp/program.h"

namespace ptxopt::interp {

// `flushes`: atom.add.f32 on global memory flushes subnormal operands and results to zero.  None
// for a combination that PTX does not have.
std::optional<std::uint64_t> combine(AtomicOperation operation, isa::Type type, std::uint64_t old,
                                     std::uint64_t b, std::uint64_t c, bool flushes);

}  // namespace ptxopt::interp
