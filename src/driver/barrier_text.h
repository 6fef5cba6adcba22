// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words for what a barrier pass found.  None of them ends with a newline.
#pragma once

#include <string>
#include <string_view>

#include "passes/engine/barrier_verdict.h"

namespace ptxopt::driver {

// "write", "fence wider than the CTA"
std::string kindText(const passes::BarrierEvent& event);
// "write .shared [A+4*tid.x] at line 31 (k.cu:5): st.shared.u32 [%r1], %r2;"
std::string eventText(const ir::Module& module, const passes::BarrierEvent& event);
// Why the barrier is kept, and below that, a line each, where that is.
std::string reasonText(const ir::Module& module, const passes::KeptReason& reason);
// What else is said about it, each line after a line break.
std::string notesText(const passes::BarrierVerdict& verdict);

}  // namespace ptxopt::driver
