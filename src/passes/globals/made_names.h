// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for the variables and registers that a pass creates.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/module.h"

namespace ptxopt::passes {

class MadeNames {
 public:
  explicit MadeNames(ir::Module& module) : module_(module), namesOfText_(module.names().size()) {}

  // Returns `wanted` (not empty), or `wanted` with `_1`, `_2`, ... appended if the text of the
  // module has that name already or it was made before for the same scope.  Two functions may get
  // the same name.  `scope` is null for module scope.
  NameId make(const std::string& wanted, const ir::Function* scope);

 private:
  bool isFree(const std::string& name, const ir::Function* scope) const;

  ir::Module& module_;
  std::uint32_t namesOfText_;  // ids below this one
  std::set<std::pair<NameId, const ir::Function*>> made_;
  std::unordered_set<NameId> inFunctions_;  // made for functions only
  std::unordered_map<std::string, unsigned> suffixes_;
};

}  // namespace ptxopt::passes
