// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/equal_constants.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "ir/declared_names.h"

namespace ptxopt::passes {

namespace {

// What an image leaves out is zero.
std::span<const std::uint8_t> contentOf(const ir::Variable& variable) {
  std::span<const std::uint8_t> bytes = variable.initializer->bytes;
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  return bytes;
}

std::size_t contentHash(const ir::Variable& variable) {
  const auto bytes = contentOf(variable);
  const std::size_t ofBytes =
      std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return ofBytes ^ (variable.size * 8 + static_cast<std::size_t>(variable.space)) *
                       std::size_t{0x9E3779B97F4A7C15};
}

bool haveEqualContent(const ir::Variable& a, const ir::Variable& b) {
  return a.space == b.space && a.size == b.size && alignmentOf(a) >= alignmentOf(b) &&
         std::ranges::equal(contentOf(a), contentOf(b));
}

bool isCandidate(const ModuleObject& object) {
  return object.scope == nullptr && object.pinned == nullptr && object.escape == nullptr &&
         object.isOfHostSpace() && object.isOnlyRead() && object.variable->initializer != nullptr &&
         object.variable->initializer->opaque.empty() &&
         object.variable->initializer->relocations.empty();
}

// The names that functions have for something of their own.
class NamesOfFunctions {
 public:
  // No function that uses `object` has something else of this name.
  bool allowName(const ModuleObject& object, std::string_view name) {
    return std::ranges::none_of(object.uses, [&](const ModuleObject::Use& use) {
      auto names = names_.find(use.function);
      if (names == names_.end()) {
        names = names_.try_emplace(use.function, *use.function, ir::DeclaredNames::Where::Anywhere)
                    .first;
      }
      return names->second.mayHave(name);
    });
  }

 private:
  std::unordered_map<const ir::Function*, ir::DeclaredNames> names_;
};

}  // namespace

std::vector<EqualConstants> findEqualConstants(const ir::Module& module,
                                               std::vector<ModuleObject>& objects) {
  std::vector<EqualConstants> result;
  NamesOfFunctions names;
  std::unordered_map<std::size_t, std::vector<const ModuleObject*>> keptByContent;
  for (ModuleObject& object : objects) {
    if (!isCandidate(object)) continue;
    std::vector<const ModuleObject*>& kept = keptByContent[contentHash(*object.variable)];
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const ModuleObject* other) {
      return haveEqualContent(*other->variable, *object.variable) &&
             names.allowName(object, module.text(other->variable->name));
    });
    if (same == kept.end()) {
      kept.push_back(&object);
    } else {
      result.push_back({&object, *same});
    }
  }
  return result;
}

void redirectUses(const ModuleObject& object, const ModuleObject& into) {
  for (const ModuleObject::Use& use : object.uses) {
    const auto redirect = [&](ir::Instruction* instruction) {
      for (ir::Operand& operand : instruction->operands()) {
        if (operand.symbol() == ir::SymbolId::None) continue;
        const ir::Symbol& symbol = use.function->symbolAt(operand.symbol());
        if (symbol.kind != ir::SymbolKind::Variable || symbol.variable != object.variable) continue;
        operand.id = static_cast<std::uint32_t>(into.variable->symbol);
        use.function->markChanged(instruction);
      }
    };
    for (const analysis::VariableAccess& access : use.uses->accesses) redirect(access.instruction);
    for (ir::Instruction* computation : use.uses->computations) redirect(computation);
  }
}

}  // namespace ptxopt::passes
