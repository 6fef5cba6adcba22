// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The class of an instruction: that of its row, refined by its qualifiers.
#pragma once

#include "isa/isa.h"

namespace ptxopt::isa {

// Sets effect, control, traits, space, scope, semantics, vectorWidth and the carry flags of `desc`
// from its opcode, qualifiers, shape and row (docs/soundness/ A2; A7 if the row is null).
void classify(InstructionDesc& desc);

}  // namespace ptxopt::isa
