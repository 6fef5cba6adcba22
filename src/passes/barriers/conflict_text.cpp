// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/conflict_text.h"

#include <fmt/format.h>

#include <charconv>

#include "ir/module.h"

namespace ptxopt::passes {

using analysis::Access;
using analysis::ConflictWitness;
using analysis::LeafId;
using analysis::LeafKey;
using analysis::LeafKind;

namespace {

std::string threadText(const std::array<std::uint32_t, 3>& thread) {
  return fmt::format("({},{},{})", thread[0], thread[1], thread[2]);
}

// What the programmer called it: compilers write `KERNEL_param_0` for a parameter without a name
// and, as C++ has it, `_ZZ6kernelPfE4tile` for the variable `tile` of a function.
std::string_view plainName(const ir::Function& function, std::string_view name) {
  const std::string_view kernel = function.nameText();
  if (name.size() > kernel.size() + 1 && name.starts_with(kernel) && name[kernel.size()] == '_') {
    return name.substr(kernel.size() + 1);
  }
  if (!name.starts_with("_ZZ")) return name;
  for (std::size_t at = name.rfind('E'); at != std::string_view::npos && at != 0;
       at = name.rfind('E', at - 1)) {
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(name.data() + at + 1, name.data() + name.size(), length);
    const auto rest = name.substr(static_cast<std::size_t>(end - name.data()));
    // A number after the name tells two of the same name apart.
    const bool fits = error == std::errc() && length != 0 && length <= rest.size() &&
                      (length == rest.size() || rest[length] == '_');
    if (fits) return rest.substr(0, length);
  }
  return name;
}

std::string symbolName(const Access& access, std::uint32_t symbol) {
  const ir::Function& function = access.origin->ssa().cfg().function();
  return std::string(
      plainName(function, function.module().text(function.symbolAt(ir::SymbolId{symbol}).name)));
}

}  // namespace

// As somebody says it who reads the PTX: a register with the line that computes it.
std::string ConflictText::nameOf(LeafId id) const {
  const LeafKey& key = addresses().forms().leaf(id).key;
  if (key.kind == LeafKind::Special) return "%" + addresses().leafText(id);
  if (key.kind == LeafKind::Parameter) {
    const std::string name = symbolName(first_, key.id);
    return key.offset == 0 ? name : fmt::format("{}+{}", name, key.offset);
  }
  if (key.kind == LeafKind::Symbol) return symbolName(first_, key.id);
  const std::string name = addresses().leafText(id);
  if (key.kind != LeafKind::Value) return name;
  const analysis::Ssa& ssa = addresses().ssa();
  if (ssa.isDefinition(key.id)) {
    return fmt::format("{} ({})", name, lineOf_(ssa.instruction(key.id)));
  }
  // Where paths meet: the first instruction there.
  for (const ir::Instruction& instruction : ssa.cfg().instructions(ssa.block(key.id))) {
    return fmt::format("{} (at {})", name, lineOf_(instruction));
  }
  return name;
}

std::string ConflictText::bytes(const Access& access, const ConflictWitness::Side& side) const {
  const std::string range = fmt::format("[{}..{})", side.bytes.lowest, side.bytes.highest + 1);
  if (side.base != kNone) {
    const LeafKey& key = addresses().forms().leaf(side.base).key;
    const std::string name =
        key.kind == LeafKind::Value ? addresses().leafText(side.base) : nameOf(side.base);
    return name + range;
  }
  const isa::Space space = access.instruction->desc->space;
  return (space == isa::Space::None ? "memory" : std::string(isa::spelling(space))) + range;
}

std::string ConflictText::condition(const ConflictWitness::Choice& choice) const {
  const LeafKey& key = addresses().forms().leaf(choice.leaf).key;
  const bool isOfBoth = choice.first.has_value() && choice.second.has_value();
  if (key.kind == LeafKind::Iteration) {
    std::string loop;
    for (const ir::Instruction& head :
         addresses().ssa().cfg().instructions(loops_.header(key.id))) {
      loop = " of the loop at " + lineOf_(head);
      break;
    }
    if (isOfBoth && choice.first != choice.second) {
      return fmt::format("in rounds {} and {}{}", *choice.first, *choice.second, loop);
    }
    return fmt::format("in round {}{}", choice.first ? *choice.first : *choice.second, loop);
  }
  const std::string name = nameOf(choice.leaf);
  if (isOfBoth && choice.first == choice.second) return fmt::format("{} = {}", name, *choice.first);
  if (isOfBoth) {
    return fmt::format("{} is {} for the first and {} for the second", name, *choice.first,
                       *choice.second);
  }
  return choice.first ? fmt::format("{} is {} for the first", name, *choice.first)
                      : fmt::format("{} is {} for the second", name, *choice.second);
}

std::string ConflictText::sameBase() const {
  const LeafId a = witness_.first.base;
  const LeafId b = witness_.second.base;
  if (a == b) return nameOf(a) + " is the same address for both";
  const auto kind = [&](LeafId leaf) { return addresses().forms().leaf(leaf).key.kind; };
  if (kind(a) == LeafKind::Parameter && kind(b) == LeafKind::Parameter) {
    return fmt::format("{} and {} point to the same memory", nameOf(a), nameOf(b));
  }
  if (kind(b) == LeafKind::Symbol) return fmt::format("{} points to {}", nameOf(a), nameOf(b));
  if (kind(a) == LeafKind::Symbol) return fmt::format("{} points to {}", nameOf(b), nameOf(a));
  return fmt::format("{} and {} are the same address", nameOf(a), nameOf(b));
}

std::string ConflictText::conditions() const {
  std::string ifs;
  std::string others;
  const auto append = [](std::string& list, std::string_view separator, const std::string& text) {
    list += (list.empty() ? "" : separator);
    list += text;
  };
  if (!witness_.isSameBase) append(ifs, " and ", sameBase());
  for (const ConflictWitness::Choice& choice : witness_.choices) {
    const bool isRound = addresses().forms().leaf(choice.leaf).key.kind == LeafKind::Iteration;
    append(isRound ? others : ifs, isRound ? ", " : " and ", condition(choice));
  }
  if (witness_.block) {
    const auto& block = *witness_.block;
    append(others, ", ",
           fmt::format("in a block of {} x {} x {} threads", block[0], block[1], block[2]));
  }
  std::string text = ifs.empty() ? "" : "if " + ifs;
  if (!others.empty()) append(text, ", ", others);
  return text;
}

std::string ConflictText::text() const {
  const std::string upper = bytes(first_, witness_.first);
  const std::string lower = bytes(second_, witness_.second);
  std::string text = witness_.isCertain ? "" : "they may meet: ";
  if (const std::string given = conditions(); !given.empty()) text += given + ", ";
  return text + fmt::format("thread {} {} {} at {}, thread {} {} {} at {}",
                            threadText(witness_.first.thread), verbs_[0], upper,
                            lineOf_(*first_.instruction), threadText(witness_.second.thread),
                            verbs_[1], lower == upper ? "it" : lower,
                            lineOf_(*second_.instruction));
}

ConflictExample ConflictText::example() const {
  return {.above = {threadText(witness_.first.thread), bytes(first_, witness_.first)},
          .below = {threadText(witness_.second.thread), bytes(second_, witness_.second)},
          .given = conditions(),
          .isCertain = witness_.isCertain,
          .text = text()};
}

std::string parametersThatMayAlias(const Access& first, const Access& second) {
  for (const analysis::MemoryBase& a : first.bases) {
    for (const analysis::MemoryBase& b : second.bases) {
      const bool areParameters = a.kind == analysis::MemoryBase::Kind::Parameter &&
                                 b.kind == analysis::MemoryBase::Kind::Parameter;
      if (!areParameters || a.variable == b.variable) continue;
      const ir::Function& function = first.origin->ssa().cfg().function();
      const auto name = [&](const ir::Variable& variable) {
        return plainName(function, function.module().text(variable.name));
      };
      return fmt::format("{} and {} may point to the same memory", name(*a.variable),
                         name(*b.variable));
    }
  }
  return {};
}

}  // namespace ptxopt::passes
