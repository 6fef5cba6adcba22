// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, waits and fences that the user asked to keep: by a comment or a pragma in the PTX, or
// by the option keep= of a pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/engine/barrier_verdict.h"
#include "passes/engine/pass_options.h"

namespace ptxopt::passes {

// The option of the passes about barriers, waits and fences that names those to keep.
inline constexpr PassOption kKeepOption = {.name = "keep",
                                           .kind = PassOption::Kind::Text,
                                           .values = "KERNEL[:LINE];...",
                                           .shared = PassOption::Shared::KeptBarriers};

class KeptBarriers {
 public:
  // Parses "KERNEL" or "KERNEL:LINE" (a line of the PTX), several separated by ';'.  If a line is
  // not a number, returns none and sets `error`.
  static std::optional<KeptBarriers> parse(std::string_view text, std::string& error);

  // How the user asked to keep the barrier, if at all.  O(text back to the previous statement +
  // entries).
  std::optional<KeptReason::Why> whyKept(const ir::Function& function,
                                         const ir::Instruction& barrier) const;

 private:
  struct Entry {
    std::string function;
    std::optional<std::uint32_t> line;  // none: the whole function
  };
  std::vector<Entry> entries_;
};

}  // namespace ptxopt::passes
