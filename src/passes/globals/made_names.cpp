// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/made_names.h"

#include <fmt/format.h>

namespace ptxopt::passes {

bool MadeNames::isFree(const std::string& name, const ir::Function* scope) const {
  // `%r<8>` declares %r0 to %r7, whose names need not occur in the text.
  const std::size_t stem = name.find_last_not_of("0123456789") + 1;
  for (std::size_t end = stem; end < name.size(); ++end) {
    const NameId id = module_.names().find(std::string_view(name).substr(0, end));
    if (id != NameId::None && static_cast<std::uint32_t>(id) < namesOfText_) return false;
  }
  const NameId id = module_.names().find(name);
  if (id == NameId::None) return true;
  return scope != nullptr && inFunctions_.contains(id) && !made_.contains({id, scope});
}

NameId MadeNames::make(const std::string& wanted, const ir::Function* scope) {
  std::string name = wanted;
  while (!isFree(name, scope)) name = fmt::format("{}_{}", wanted, ++suffixes_[wanted]);
  const NameId id = module_.name(name);
  made_.emplace(id, scope);
  if (scope != nullptr) inFunctions_.insert(id);
  return id;
}

}  // namespace ptxopt::passes
