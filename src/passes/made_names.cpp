#include "passes/made_names.h"

#include <fmt/format.h>

namespace ptxopt::passes {

bool MadeNames::isFree(const std::string& name, const ir::Function* scope) const {
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
