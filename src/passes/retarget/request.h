// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For which versions of PTX and which target a module is wanted: the value of --for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::passes {

struct RetargetRequest {
  std::optional<isa::Version> version;  // the highest one that may be stated
  std::optional<isa::Target> target;
  bool isLenient = false;  // leave out functions that need more
  std::string text;        // as the user wrote it, for messages; empty: nothing is requested

  bool isEmpty() const { return text.empty(); }
};

// "ptx8.2", "cuda:12.2", "driver:535.104", "driver:12020" (of cuDriverGetVersion), "sm_90a";
// several with commas between them.  Of several versions the lowest counts.  Throws
// std::invalid_argument with a message for the user.
RetargetRequest parseRetargetRequest(std::string_view text);

}  // namespace ptxopt::passes
