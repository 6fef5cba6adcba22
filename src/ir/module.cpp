// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/module.h"

#include <algorithm>
#include <unordered_set>

namespace ptxopt::ir {

bool Module::isDebug() const {
  return std::find(targetWords.begin(), targetWords.end(), "debug") != targetWords.end();
}

Function* Module::findFunction(std::string_view name) {
  const NameId id = names_.find(name);
  const auto found = std::find_if(functions_.rbegin(), functions_.rend(), [&](const Function& f) {
    return f.name() == id && id != NameId::None;
  });
  return found == functions_.rend() ? nullptr : &*found;
}

void Module::erase(Statement* item) {
  items_.remove(item);
  if (item->source.valid()) erased_.push_back(item->source);
  changed_ = true;
}

void Module::eraseText(SourceRange text) {
  erased_.push_back(text);
  changed_ = true;
}

void Module::markChanged(Statement* item) {
  item->changed = true;
  changed_ = true;
}

void Module::insertAfter(Statement* position, Statement* item) {
  items_.insertAfter(position, item);
  changed_ = true;
}

void Module::remove(std::span<Function* const> functions) {
  std::unordered_set<NameId> names;
  for (const Function* function : functions) names.insert(function->name());
  for (Statement& item : items_) {
    const auto* declared = item.as<FunctionItem>();
    if (declared == nullptr || !names.contains(declared->function->name())) continue;
    erase(&item);
    declared->function->removeBody();
  }
}

SymbolId Module::addSymbol(const Symbol& symbol) {
  symbols_.push_back(symbol);
  return SymbolId{static_cast<std::uint32_t>(symbols_.size() - 1)};
}

NameId Module::name(std::string_view text) {
  const std::lock_guard lock(namesMutex_);
  const NameId known = names_.find(text);
  return known != NameId::None ? known : names_.intern(arena_.copy(text));
}

}  // namespace ptxopt::ir
