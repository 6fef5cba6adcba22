// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the user asked to leave unchanged, by a comment in the PTX or by --keep-kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

class KeptFunctions {
 public:
  // A comment `ptxopt: keep kernel` applies to the function in whose body it is (inline assembly
  // puts a comment of CUDA code there), or on whose first line it is, or that follows it with only
  // comments in between.  O(text).
  KeptFunctions(const ir::Module& module, std::span<const std::string> names);

  // How the user asked to keep the function, or null.  O(comments + names).
  const char* whyKept(const ir::Function& function) const;

 private:
  std::span<const std::string> names_;
  std::vector<Offset> comments_;
};

}  // namespace ptxopt::passes
