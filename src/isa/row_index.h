// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of one opcode, found without a search.  For InstructionTable and tests.
#pragma once

#include <cstdint>
#include <span>

#include "isa/isa.h"

namespace ptxopt::isa {

// Indices into rows(), in the order in which they are tried.
std::span<const std::uint16_t> rowsOf(Opcode opcode);

const Row& rowAt(std::uint16_t index);

}  // namespace ptxopt::isa
