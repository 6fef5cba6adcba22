// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/conflict_text.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "analysis/memory/memory_effects.h"
#include "ir/module.h"
#include "support/demangle.h"

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

// What the programmer called it: as C++ has it, `_ZZ6kernelPfE4tile` is the variable `tile` of a
// function.
std::string_view plainName(std::string_view name) {
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

// The types of the parameters in the signature of a C++ function; none if it has no signature.
std::vector<std::string> typesOfSignature(std::string_view mangled) {
  const std::string text = demangled(mangled);
  std::vector<std::string> types;
  if (text == mangled || !text.ends_with(')')) return types;
  // Backwards to the parenthesis that opens the list.
  int depth = 0;
  std::size_t end = text.size() - 1;
  for (std::size_t at = end; at-- > 0;) {
    const char c = text[at];
    if (c == ')' || c == '>' || c == ']' || c == '}') ++depth;
    const bool isList = depth == 0 && c == '(';
    if (isList || (depth == 0 && c == ',')) {
      const std::size_t begin = text.find_first_not_of(' ', at + 1);
      types.insert(types.begin(), text.substr(begin, end - begin));
      end = at;
    }
    if (isList) return types;
    if (c == '(' || c == '<' || c == '[' || c == '{') --depth;
  }
  return {};
}

// A parameter as the source has it: by its own name, or, where the compiler calls it
// `KERNEL_param_0`, by its index from 1 and its type.
std::string parameterName(const ir::Function& function, const ir::Variable& variable) {
  const std::string_view name = function.module().text(variable.name);
  const std::string start = std::string(function.nameText()) + "_param_";
  std::size_t index = 0;
  if (!name.starts_with(start)) return std::string(plainName(name));
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + start.size(), end, index);
  if (error != std::errc() || rest != end) return std::string(name);
  const std::vector<std::string> types = typesOfSignature(function.nameText());
  const std::string type = index < types.size() && types.size() == function.parameters.size()
                               ? types[index]
                               : std::string(isa::spelling(variable.type));
  return fmt::format("parameter {} ({})", index + 1, type);
}

std::string symbolName(const Access& access, std::uint32_t symbol) {
  const ir::Function& function = access.origin->ssa().cfg().function();
  const ir::Symbol& of = function.symbolAt(ir::SymbolId{symbol});
  return std::string(plainName(function.module().text(of.name)));
}

std::string parameterName(const Access& access, std::uint32_t symbol) {
  const ir::Function& function = access.origin->ssa().cfg().function();
  return parameterName(function, *function.symbolAt(ir::SymbolId{symbol}).variable);
}

std::string numbersText(const std::optional<std::int64_t>& first,
                        const std::optional<std::int64_t>& second) {
  if (first && second && first != second) return fmt::format("{} and {}", *first, *second);
  return std::to_string(first ? *first : *second);
}

}  // namespace

std::string_view verbOf(analysis::AccessKinds kinds) {
  const bool reads = (kinds & analysis::kRead) != 0;
  if ((kinds & analysis::kWrite) == 0) return "reads";
  return reads ? "reads and writes" : "writes";
}

// As somebody says it who reads the PTX: a register with the line that computes it.
std::string ConflictText::nameOf(LeafId id) const {
  const LeafKey& key = addresses().forms().leaf(id).key;
  if (key.kind == LeafKind::Special) return "%" + addresses().leafText(id);
  if (key.kind == LeafKind::Parameter) {
    std::string name = parameterName(first_, key.id);
    return key.offset == 0 ? name : fmt::format("{}+{}", name, key.offset);
  }
  if (key.kind == LeafKind::Symbol) return symbolName(first_, key.id);
  std::string name = addresses().leafText(id);
  if (key.kind != LeafKind::Value) return name;
  const analysis::Ssa& ssa = addresses().ssa();
  const analysis::ValueId value{key.id};
  if (ssa.isDefinition(value)) {
    return fmt::format("{} ({})", name, lineOf_(ssa.instruction(value)));
  }
  // Where paths meet: the first instruction there.
  for (const ir::Instruction& instruction : ssa.cfg().instructions(ssa.block(value))) {
    return fmt::format("{} (at {})", name, lineOf_(instruction));
  }
  return name;
}

ConflictExample::Side ConflictText::side(const Access& access, const ConflictWitness::Side& of,
                                         std::string_view verb) const {
  ConflictExample::Side result;
  result.thread = threadText(of.thread);
  result.isOfWarp = of.isOfWarp;
  result.verb = verb;
  result.hasBase = of.base != LeafId::None;
  if (result.hasBase) {
    const LeafKey& key = addresses().forms().leaf(of.base).key;
    result.base = key.kind == LeafKind::Value ? addresses().leafText(of.base) : nameOf(of.base);
  } else {
    const isa::Space space = access.instruction->desc->space;
    result.base = space == isa::Space::None ? "memory" : isa::spelling(space);
  }
  result.begin = of.bytes.lowest;
  result.end = of.bytes.highest + 1;
  result.place = lineOf_(*access.instruction);
  return result;
}

// "in rounds 0 and 1 of the loop at line 31, where %r5 = 1 and 2"
std::string ConflictText::round(const ConflictWitness::Choice& choice) const {
  const bool areTwo = choice.first && choice.second && choice.first != choice.second;
  std::string text = fmt::format("in {} {}", areTwo ? "rounds" : "round",
                                 numbersText(choice.first, choice.second));
  for (const ir::Instruction& head :
       addresses().ssa().cfg().instructions(loops_.header(choice.loop))) {
    text += " of the loop at " + lineOf_(head);
    break;
  }
  std::string variables;
  for (const ConflictWitness::LoopVariable& variable : choice.variables) {
    variables += fmt::format("{}{} = {}", variables.empty() ? ", where " : " and ",
                             addresses().leafText(variable.leaf),
                             numbersText(variable.first, variable.second));
  }
  return text + variables;
}

std::string ConflictText::condition(const ConflictWitness::Choice& choice) const {
  if (choice.loop != analysis::LoopId::None) return round(choice);
  const bool isOfBoth = choice.first.has_value() && choice.second.has_value();
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
    const bool isRound = choice.loop != analysis::LoopId::None;
    append(isRound ? others : ifs, isRound ? ", " : " and ", condition(choice));
  }
  if (witness_.block) {
    const auto& block = *witness_.block;
    const bool isRow = block[1] == 1 && block[2] == 1;
    append(others, ", ",
           isRow ? fmt::format("in a block of {} threads", block[0])
                 : fmt::format("in a block of {} x {} x {} threads", block[0], block[1], block[2]));
  }
  std::string text = ifs.empty() ? "" : "if " + ifs;
  if (!others.empty()) append(text, ", ", others);
  return text;
}

ConflictExample ConflictText::example() const {
  ConflictExample result;
  result.above = side(first_, witness_.first, verbs_[0]);
  result.below = side(second_, witness_.second, verbs_[1]);
  result.given = conditions();
  result.isCertain = witness_.isCertain;
  result.isInRow = !witness_.block || ((*witness_.block)[1] == 1 && (*witness_.block)[2] == 1);
  return result;
}

std::string parametersThatMayAlias(const Access& first, const Access& second) {
  for (const analysis::MemoryBase& a : first.bases) {
    for (const analysis::MemoryBase& b : second.bases) {
      const bool areParameters = a.kind == analysis::MemoryBase::Kind::Parameter &&
                                 b.kind == analysis::MemoryBase::Kind::Parameter;
      if (!areParameters || a.variable == b.variable) continue;
      const ir::Function& function = first.origin->ssa().cfg().function();
      return fmt::format("{} and {} may point to the same memory",
                         parameterName(function, *a.variable),
                         parameterName(function, *b.variable));
    }
  }
  return {};
}

}  // namespace ptxopt::passes
