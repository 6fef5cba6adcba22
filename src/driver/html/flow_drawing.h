// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A drawing of a control-flow graph, with the regions between barriers.
//
// The blocks stand below each other in the order of the text, so that the drawing reads as the PTX
// does, and a kernel of hundreds of blocks needs no layout that crosses itself.  Branches forward
// run on the right, branches back on the left.
#pragma once

#include <span>
#include <string>

#include "ir/function.h"

namespace ptxopt::driver {

// An <svg>, or a sentence if there are too many blocks.  A block leads to its first line (`#l12`).
// `removed`: positions in the source of barriers, waits and fences that went, in order.  O(edges *
// lanes), a lane being a column for edges that overlap.
std::string flowDrawing(ir::Function& function, std::span<const Offset> removed);

}  // namespace ptxopt::driver
