// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that somebody asked to keep as they are: by a comment in the PTX, or --keep-kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

class KeptFunctions {
 public:
  // A comment `ptxopt: keep kernel` says it of the function in whose body it stands (inline
  // assembly takes it there from CUDA), on whose first line, or above that with nothing but
  // comments between. O(text).
  KeptFunctions(const ir::Module& module, std::span<const std::string> names);

  // Who asks for it, or null.  O(comments + names).
  const char* whyKept(const ir::Function& function) const;

 private:
  std::span<const std::string> names_;
  std::vector<Offset> comments_;
};

}  // namespace ptxopt::passes
