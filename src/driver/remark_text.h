// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of remarks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/source_lines.h"
#include "passes/engine/remark.h"

namespace ptxopt::driver {

// Has no newline at the end.  The function of the remark must still exist.
std::string messageOf(const passes::Remark& remark);

// For a kept barrier: why it is kept, on one or more lines, including the two accesses if there are
// any.
std::string whyKept(const passes::Remark& remark);
// For a change, in one line: "__syncthreads() orders nothing".  `lines` are those of the module.
std::string changeText(const passes::Remark& remark, const ir::SourceLines& lines);
// Two threads that would conflict without the barrier, or why they may; empty if unknown.
std::string exampleText(const passes::BarrierVerdict& verdict);
std::string exampleText(const passes::ConflictExample& example);
// "A[4..8)"
std::string bytesText(const passes::ConflictExample::Side& side);
// "thread (1,0,0) writes A[4..8) at line 31 (k.cu:7)", with `bytes` for those of the side.
std::string sideText(const passes::ConflictExample::Side& side, std::string_view bytes);

// What is said of a barrier that went, or of what is left of it: "orders nothing".
std::string whatItOrders(const passes::Remark& remark);

// The text in one line, without the semicolon at its end; line breaks become semicolons.
std::string oneLine(std::string_view text);

// "12"; "many" if the counting was given up.
std::string countText(const std::optional<std::size_t>& count);

}  // namespace ptxopt::driver
