// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks up special registers by their spelling.
#pragma once

#include <optional>
#include <string_view>

#include "interp/program.h"

namespace ptxopt::interp {

// "%tid.x", "%laneid"; none for registers that change while a thread runs, and for unknown ones.
std::optional<Special> findSpecial(std::string_view name);
// For "%clock", "%globaltimer" and similar registers: the width of the value in bits; 0 for other
// names.
int timerWidth(std::string_view name);

}  // namespace ptxopt::interp
