// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/function.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "ir/module.h"

namespace ptxopt::ir {

Function::Function(Module& module, NameId name, bool isEntry)
    : module_(&module), name_(name), isEntry_(isEntry), arena_(module.arenaBlocks()) {}

std::string_view Function::nameText() const {
  return module_->text(name_);
}

const Attribute* Function::attribute(std::string_view name) const {
  const auto found = std::find_if(attributes.rbegin(), attributes.rend(), [&](const Attribute& a) {
    return module_->text(a.name) == name;
  });
  return found == attributes.rend() ? nullptr : &*found;
}

std::optional<std::array<std::uint32_t, 3>> Function::extentsIn(std::string_view name) const {
  const Attribute* const directive = attribute(name);
  if (directive == nullptr) return std::nullopt;
  std::array<std::uint32_t, 3> extents = {1, 1, 1};
  for (std::size_t k = 0; k < directive->values.size() && k < extents.size(); ++k) {
    extents[k] = static_cast<std::uint32_t>(directive->values[k]);
  }
  return extents;
}

std::optional<std::array<std::uint32_t, 3>> Function::requiredBlock() const {
  return extentsIn(".reqntid");
}

std::optional<std::array<std::uint32_t, 3>> Function::largestBlock() const {
  return extentsIn(".maxntid");
}

const RegisterRange& Function::rangeOf(RegisterId id) const {
  const std::uint32_t number = static_cast<std::uint32_t>(id);
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), number,
                       [](std::uint32_t value, const RegisterRange& r) { return value < r.first; });
  assert(after != ranges_.begin());
  // Empty ranges (`%r<0>`) share the number of the next range and come before it.
  return *std::prev(after);
}

std::string Function::registerName(RegisterId id) const {
  const RegisterRange& range = rangeOf(id);
  std::string name(module_->text(range.name));
  if (range.parametrised) name += std::to_string(static_cast<std::uint32_t>(id) - range.first);
  return name;
}

RegisterId Function::addRegisters(RegisterRange range) {
  range.first = registerCount_;
  registerCount_ += range.count;
  ranges_.push_back(range);
  return RegisterId{range.first};
}

const Symbol& Function::symbolAt(SymbolId id) const {
  const std::uint32_t number = static_cast<std::uint32_t>(id);
  return (number & kLocalBit) != 0 ? symbols_[number & ~kLocalBit] : module_->symbolAt(id);
}

SymbolId Function::addSymbol(const Symbol& added) {
  symbols_.push_back(added);
  return SymbolId{static_cast<std::uint32_t>(symbols_.size() - 1) | kLocalBit};
}

void Function::removeBody() {
  hasBody_ = false;
  body_ = {};
  erased_.clear();
  changed_ = false;
}

void Function::erase(Statement* statement) {
  body_.remove(statement);
  if (statement->source.valid()) erased_.push_back(statement->source);
  changed_ = true;
}

void Function::markChanged(Statement* statement) {
  statement->changed = true;
  changed_ = true;
  body_.noteRole(*statement);
}

void Function::insertAfter(Statement* position, Statement* statement) {
  body_.insertAfter(position, statement);
  changed_ = true;
}

void Function::insertBefore(Statement* position, Statement* statement) {
  insertAfter(position->previous, statement);
}

}  // namespace ptxopt::ir
