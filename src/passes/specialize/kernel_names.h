// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a module by their names in PTX and in C++.
#pragma once

#include <string>
#include <unordered_map>

#include "ir/module.h"

namespace ptxopt::passes {

// In C++ names, blanks, the place of `const`, the result `void` and casts of template arguments do
// not count, since demanglers differ in them: "void f<(int)4>(const int *)" is
// "f<4>(int const*)".
class KernelNames {
 public:
  // O(functions).
  explicit KernelNames(ir::Module& module);
  // Null if there is none, or more than one.
  ir::Function* find(const std::string& name) const;

 private:
  std::unordered_map<std::string, ir::Function*> byName_;
  std::unordered_map<std::string, ir::Function*> byText_;  // null: several
};

}  // namespace ptxopt::passes
