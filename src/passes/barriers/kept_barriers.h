// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that somebody asked to keep: a comment or a pragma in the PTX, or the option keep= of a
// pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/engine/pass_options.h"

namespace ptxopt::passes {

// The option of barrier passes that names barriers to keep.
inline constexpr PassOption kKeepOption = {"keep", PassOption::Kind::Text, "KERNEL[:LINE];..."};

class KeptBarriers {
 public:
  // "KERNEL" or "KERNEL:LINE" of the PTX, several with ';' between them.  A message in `error` and
  // none where a line is no number.
  static std::optional<KeptBarriers> parse(std::string_view text, std::string& error);

  // Who asks for the barrier, or null.  O(text back to the statement above +
  // entries).
  const char* whyKept(const ir::Function& function, const ir::Instruction& barrier) const;

 private:
  struct Entry {
    std::string function;
    std::optional<std::uint32_t> line;  // none: all of the function
  };
  std::vector<Entry> entries_;
};

}  // namespace ptxopt::passes
