// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a module names its functions and their aliases.
#pragma once

#include <functional>

#include "ir/module.h"

namespace ptxopt::passes {

struct FunctionUse {
  NameId name = NameId::None;  // of the function or alias
  const ir::Function* user = nullptr;
  const ir::Variable* variable = nullptr;  // its initializer has it; without a `user` of the module
  bool isCall = false;  // a direct call, or a list of what may be called: nothing has the address
};

// Not those in an .alias itself.  O(operands of the module).
void forEachFunctionUse(const ir::Module& module,
                        const std::function<void(const FunctionUse&)>& visit);

}  // namespace ptxopt::passes
