// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that go, and what goes with them: --for-lenient.
#pragma once

#include <span>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

struct LeftOut {
  std::vector<ir::Function*> functions;     // those of `first`, and all that name one of them
  std::vector<ir::Statement*> aliases;      // of the module, for one of them or its name
  std::vector<std::string_view> variables;  // of the module, with the address of one: they stay
};
// O(operands of the module).
LeftOut withUsers(ir::Module& module, std::span<const ir::Function* const> first);

}  // namespace ptxopt::passes
