// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "passes/retarget/function_uses.h"
#include "print/statement_text.h"

namespace ptxopt::passes {

namespace {

constexpr int kHalfBits = 64;

bool isLowered(isa::Type type) {
  return type == isa::Type::B128 || type == isa::Type::F16x2;
}

// "%q_lowered_lo", for %q or %q<4>: no name of the module has the prefix in it.
std::string halfName(const ir::Function& function, const ir::RegisterRange& range,
                     std::string_view prefix, std::string_view half) {
  return fmt::format("{}_{}{}", function.module().text(range.name), prefix, half);
}

std::string declared(const std::string& name, const ir::RegisterRange& range) {
  return range.parametrised ? fmt::format("{}<{}>", name, range.count) : name;
}

// As an array of bytes; false if it cannot be one.
bool toBytes(ir::Module& module, ir::Variable& variable) {
  const ir::Initializer* value = variable.initializer;
  const bool hasPlainValue =
      value == nullptr || (value->opaque.empty() && value->relocations.empty());
  const bool isUnsized = variable.size == 0;
  if (!hasPlainValue || variable.isParametrised || variable.space == isa::Space::Param) {
    return false;
  }
  if (isUnsized && (variable.dimensions.empty() || variable.dimensions[0] >= 0)) return false;
  const auto natural =
      static_cast<std::uint32_t>(isa::bitWidth(variable.type)) / 8 * variable.vectorWidth;
  const std::int64_t size = isUnsized ? -1 : static_cast<std::int64_t>(variable.size);
  variable.alignment = std::max(variable.alignment, natural);
  variable.dimensions = module.arena().copy(std::span<const std::int64_t>(&size, 1));
  variable.vectorWidth = 1;
  variable.type = isa::Type::B8;
  return true;
}

// The function that takes the place of an alias.
class Forwarder {
 public:
  Forwarder(ir::Module& module, const ir::Function& declared, std::string_view target,
            std::string_view prefix)
      : module_(module), declared_(declared), target_(target), prefix_(prefix) {}

  std::optional<std::string> text() {
    ir::Function made(module_, declared_.name(), false);
    const bool isExtern = declared_.linkage == ir::Linkage::Extern;
    made.linkage = isExtern ? ir::Linkage::Visible : declared_.linkage;
    std::vector<std::string> arguments;
    std::vector<std::string> results;
    for (const ir::Variable* parameter : declared_.parameters) {
      ir::Variable* inner = renamed(*parameter, 'a', made.parameters.size());
      made.parameters.push_back(inner);
      arguments.push_back(pass(*inner, true));
    }
    for (const ir::Variable* result : declared_.results) {
      ir::Variable* inner = renamed(*result, 'b', made.results.size());
      made.results.push_back(inner);
      results.push_back(pass(*inner, false));
    }
    if (isRefused_) return std::nullopt;
    const std::string resultList =
        results.empty() ? "" : fmt::format("({}), ", fmt::join(results, ", "));
    const std::string argumentList =
        arguments.empty() ? "" : fmt::format(", ({})", fmt::join(arguments, ", "));
    return headOf(made) +
           fmt::format("\n{{ // .alias {}, {};\n{}{}{}call {}{}{};\n{}ret;\n}}",
                       declared_.nameText(), target_,
                       usesRegisters_
                           ? fmt::format(".reg .b16 {0};\n.reg .b32 {1};\n.reg .b64 {2};\n",
                                         registerFor(1), registerFor(4), registerFor(8))
                           : "",
                       declarations_, before_, resultList, target_, argumentList, after_);
  }

 private:
  std::string name(char letter, std::size_t k) const {
    return fmt::format("{}{}{}", prefix_, letter, k);
  }

  ir::Variable* renamed(const ir::Variable& variable, char letter, std::size_t k) {
    auto* copy = module_.arena().create<ir::Variable>(0, variable);
    copy->name = module_.name(name(letter, k));
    return copy;
  }

  // What the call has for a parameter: a register, or a copy, which the call may not share with the
  // function.
  std::string pass(const ir::Variable& inner, bool isArgument) {
    std::string name(module_.text(inner.name));
    if (inner.space == isa::Space::Reg) return name;
    std::string copy = name + 'c';
    if (inner.size == 0 || inner.initializer != nullptr) isRefused_ = true;
    ir::Variable variable = inner;
    variable.name = module_.name(copy);
    variable.attributes = {};
    ir::Variable* one = &variable;
    ir::VariableDeclaration declaration;
    declaration.kind = ir::StatementKind::VariableDeclaration;
    declaration.variables = {&one, 1};
    print::TextWriter writer(module_);
    writer.statement(nullptr, declaration);
    declarations_ += writer.take() + '\n';
    if (isArgument) {
      copyBytes(before_, name, copy, inner);
    } else {
      copyBytes(after_, copy, name, inner);
    }
    return copy;
  }

  void copyBytes(std::string& out, std::string_view from, std::string_view to,
                 const ir::Variable& variable) {
    usesRegisters_ = true;
    std::uint64_t alignment = variable.alignment;
    if (alignment == 0) {
      alignment = static_cast<std::uint64_t>(isa::bitWidth(variable.type)) / 8;
    }
    for (std::uint64_t at = 0; at < variable.size;) {
      std::uint64_t bytes = std::min<std::uint64_t>(std::max<std::uint64_t>(alignment, 1), 8);
      while (bytes > variable.size - at) bytes /= 2;
      const std::string word = registerFor(bytes);
      const std::string place = at == 0 ? "" : fmt::format("+{}", at);
      out += fmt::format("ld.param.b{0} {1}, [{2}{3}];\nst.param.b{0} [{4}{3}], {1};\n", bytes * 8,
                         word, from, place, to);
      at += bytes;
    }
  }

  // One that bytes, or 2, 4 or 8 of them, fit.
  std::string registerFor(std::uint64_t bytes) const {
    return fmt::format("%{}{}", prefix_, bytes == 8 ? 'd' : bytes == 4 ? 'r' : 'h');
  }

  std::string headOf(ir::Function& function) const {
    ir::FunctionItem item;
    item.kind = ir::StatementKind::FunctionItem;
    item.function = &function;
    print::TextWriter writer(module_);
    writer.statement(nullptr, item);
    return writer.take();
  }

  ir::Module& module_;
  const ir::Function& declared_;
  std::string_view target_;
  std::string_view prefix_;
  std::string declarations_;
  std::string before_;
  std::string after_;
  bool usesRegisters_ = false;
  bool isRefused_ = false;
};

}  // namespace

std::optional<RegisterPair> pairFor(const ir::Function& function, ir::RegisterId id,
                                    std::string_view prefix) {
  const ir::RegisterRange& range = function.rangeOf(id);
  if (range.type != isa::Type::B128) return std::nullopt;
  const auto half = [&](std::string_view which) {
    const std::string name = halfName(function, range, prefix, which);
    return range.parametrised
               ? fmt::format("{}{}", name, static_cast<std::uint32_t>(id) - range.first)
               : name;
  };
  return RegisterPair{half("lo"), half("hi")};
}

std::optional<std::string> lowerRegisters(const ir::Function& function,
                                          const ir::RegisterDeclaration& declaration,
                                          std::string_view prefix) {
  const auto ranges = function.registers().subspan(declaration.firstRange, declaration.rangeCount);
  std::vector<std::string> names;
  for (const ir::RegisterRange& range : ranges) {
    if (!isLowered(range.type)) return std::nullopt;
    if (range.type == isa::Type::B128) {
      names.push_back(declared(halfName(function, range, prefix, "lo"), range));
      names.push_back(declared(halfName(function, range, prefix, "hi"), range));
    } else {
      names.push_back(declared(std::string(function.module().text(range.name)), range));
    }
  }
  const ir::RegisterRange& first = ranges.front();
  const int bits = first.type == isa::Type::B128 ? kHalfBits : isa::bitWidth(first.type);
  const std::string vector = first.vectorWidth > 1 ? fmt::format(".v{} ", first.vectorWidth) : "";
  return fmt::format(".reg {}.b{} {};", vector, bits, fmt::join(names, ", "));
}

std::optional<std::string> lowerVariables(ir::Module& module, const ir::Function* function,
                                          const ir::VariableDeclaration& declaration) {
  std::vector<ir::Variable> bytes;
  std::vector<ir::Variable*> pointers;
  bytes.reserve(declaration.variables.size());
  for (const ir::Variable* variable : declaration.variables) {
    bytes.push_back(*variable);
    if (!isLowered(variable->type) || !toBytes(module, bytes.back())) return std::nullopt;
    pointers.push_back(&bytes.back());
  }
  ir::VariableDeclaration copy;
  copy.kind = ir::StatementKind::VariableDeclaration;
  copy.variables = pointers;
  print::TextWriter writer(module);
  writer.statement(function, copy);
  return writer.take();
}

std::optional<std::string> lowerAlias(ir::Module& module, const ir::Alias& alias,
                                      std::string_view prefix, std::string_view& why) {
  const NameId name = module.symbolAt(alias.alias).name;
  const std::string_view target = module.text(module.symbolAt(alias.aliasee).name);
  const ir::Function* declared = module.findFunction(module.text(name));
  why = "";
  if (declared == nullptr || declared->isEntry() || declared->hasBody()) return std::nullopt;
  bool isAddressUsed = false;
  forEachFunctionUse(
      module, [&](const FunctionUse& use) { isAddressUsed |= use.name == name && !use.isCall; });
  if (isAddressUsed) {
    why = ", and the address of the alias is used";
    return std::nullopt;
  }
  auto text = Forwarder(module, *declared, target, prefix).text();
  if (!text) why = ", and a parameter has no size";
  return text;
}

}  // namespace ptxopt::passes
