// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "print/statement_text.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iterator>

namespace ptxopt::print {

namespace {

using ir::Operand;
using ir::OperandKind;

constexpr std::array<std::string_view, 9> kComponents = {"",   ".x", ".y", ".z", ".w",
                                                         ".r", ".g", ".b", ".a"};

std::string_view spelling(ir::Linkage linkage) {
  switch (linkage) {
    case ir::Linkage::None:
      return "";
    case ir::Linkage::Visible:
      return ".visible ";
    case ir::Linkage::Extern:
      return ".extern ";
    case ir::Linkage::Weak:
      return ".weak ";
    case ir::Linkage::Common:
      return ".common ";
  }
  return "";
}

// One element of an initialised variable, read from the image of its memory.
std::string elementText(isa::Type type, std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof value));
  if (type == isa::Type::F32) return fmt::format("0f{:08X}", value);
  if (type == isa::Type::F64) return fmt::format("0d{:016X}", value);
  return fmt::format("{}", value);
}

}  // namespace

void TextWriter::statement(const ir::Function* function, const ir::Statement& statement) {
  using Kind = ir::StatementKind;
  switch (statement.kind) {
    case Kind::Instruction:
      return instruction(*function, *statement.as<ir::Instruction>());
    case Kind::Label:
      out_ += symbolName(function, statement.as<ir::Label>()->symbol);
      out_ += ':';
      return;
    case Kind::ScopeBegin:
      out_ += '{';
      return;
    case Kind::ScopeEnd:
      out_ += '}';
      return;
    case Kind::RegisterDeclaration:
      return registers(*function, *statement.as<ir::RegisterDeclaration>());
    case Kind::VariableDeclaration:
      return variables(function, *statement.as<ir::VariableDeclaration>());
    case Kind::Location: {
      const auto& location = *statement.as<ir::Location>();
      fmt::format_to(std::back_inserter(out_), ".loc\t{} {} {}{}", location.file, location.line,
                     location.column, location.rest);
      return;
    }
    case Kind::Pragma:
      out_ += ".pragma ";
      out_ += statement.as<ir::Pragma>()->text;
      out_ += ';';
      return;
    case Kind::TargetList:
      return targets(function, *statement.as<ir::TargetList>());
    case Kind::Prototype:
      optionalLabel(function, statement.as<ir::Prototype>()->symbol);
      out_ += statement.as<ir::Prototype>()->text;
      return;
    case Kind::Alias:
      out_ += ".alias ";
      out_ += symbolName(function, statement.as<ir::Alias>()->alias);
      out_ += ", ";
      out_ += symbolName(function, statement.as<ir::Alias>()->aliasee);
      out_ += ';';
      return;
    case Kind::Directive:
      out_ += statement.as<ir::Directive>()->text;
      return;
    case Kind::FunctionItem:
      return header(*statement.as<ir::FunctionItem>()->function);
  }
}

void TextWriter::instruction(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.guard) {
    out_ += instruction.guard.negated() ? "@!" : "@";
    out_ += function.registerName(instruction.guard.predicate());
    out_ += ' ';
  }
  out_ += instruction.desc->mnemonic;
  if (instruction.operandCount != 0) {
    out_ += " \t";
    sequence(function, instruction.operands(), ", ");
  }
  out_ += ';';
}

void TextWriter::sequence(const ir::Function& function, std::span<const Operand> all,
                          std::string_view separator) {
  for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
    if (at != 0) out_ += separator;
    operand(function, all, at);
  }
}

void TextWriter::operand(const ir::Function& function, std::span<const Operand> all,
                         std::size_t at) {
  const Operand& o = all[at];
  const auto inside = [&] { return all.subspan(at + 1, o.id); };
  switch (o.kind) {
    case OperandKind::Register: {
      const ir::RegisterId id{o.id};
      if (o.negated) out_ += function.rangeOf(id).type == isa::Type::Pred ? '!' : '-';
      out_ += function.registerName(id);
      out_ += o.component == ir::kOtherComponent
                  ? module_.text(NameId{static_cast<std::uint32_t>(o.immediate)})
                  : kComponents.at(o.component);
      return;
    }
    case OperandKind::SpecialRegister:
      if (o.negated) out_ += '-';
      out_ += module_.text(NameId{o.id});
      return;
    case OperandKind::Integer:
      if (o.isUnsigned) {
        fmt::format_to(std::back_inserter(out_), "{}U", static_cast<std::uint64_t>(o.immediate));
      } else {
        fmt::format_to(std::back_inserter(out_), "{}", o.immediate);
      }
      return;
    case OperandKind::Float32:
      fmt::format_to(std::back_inserter(out_), "0f{:08X}", static_cast<std::uint32_t>(o.immediate));
      return;
    case OperandKind::Float64:
      fmt::format_to(std::back_inserter(out_), "0d{:016X}",
                     static_cast<std::uint64_t>(o.immediate));
      return;
    case OperandKind::Symbol:
      if (o.negated) out_ += '-';
      out_ += symbolName(&function, o.symbol());
      offset(o.immediate);
      return;
    case OperandKind::Address:
      return address(function, o);
    case OperandKind::Sink:
      out_ += '_';
      return;
    case OperandKind::Vector:
      out_ += '{';
      sequence(function, inside(), ", ");
      out_ += '}';
      return;
    case OperandKind::List:
      out_ += '(';
      sequence(function, inside(), ", ");
      out_ += ')';
      return;
    case OperandKind::AddressList:
      out_ += '[';
      sequence(function, inside(), ", ");
      out_ += ']';
      return;
    case OperandKind::Pair:
      return sequence(function, inside(), "|");
    case OperandKind::Expression:  // blanks, because `4%r` would be read as 4 and the register %r
      return sequence(function, inside(), " ");
    case OperandKind::Punctuation:
      if (o.id == ir::kGeneric) {
        out_ += "generic(";
        return;
      }
      if (o.id == ir::kCast) {
        fmt::format_to(std::back_inserter(out_), "({})",
                       module_.text(NameId{static_cast<std::uint32_t>(o.immediate)}));
        return;
      }
      for (std::uint32_t packed = o.id; packed != 0; packed >>= 8) {
        out_ += static_cast<char>(packed & 0xFF);
      }
      return;
  }
}

void TextWriter::address(const ir::Function& function, const Operand& o) {
  out_ += '[';
  switch (o.base) {
    case ir::AddressBase::None:
      fmt::format_to(std::back_inserter(out_), "{}", o.immediate);
      break;
    case ir::AddressBase::Register:
      out_ += function.registerName(o.reg());
      if (o.component != 0) out_ += kComponents.at(o.component);
      if (o.hasOffset && o.immediate == 0) out_ += "+0";
      offset(o.immediate);
      break;
    case ir::AddressBase::Symbol:
      out_ += symbolName(&function, o.symbol());
      offset(o.immediate);
      break;
  }
  out_ += ']';
}

void TextWriter::offset(std::int64_t value) {
  if (value != 0) fmt::format_to(std::back_inserter(out_), "+{}", value);
}

void TextWriter::registers(const ir::Function& function,
                           const ir::RegisterDeclaration& declaration) {
  const auto ranges = function.registers().subspan(declaration.firstRange, declaration.rangeCount);
  out_ += ".reg ";
  bool first = true;
  for (const ir::RegisterRange& range : ranges) {
    if (first) {
      if (range.vectorWidth > 1)
        fmt::format_to(std::back_inserter(out_), ".v{} ", range.vectorWidth);
      out_ += typeText(range.type, range.typeName);
      out_ += " \t";
    } else {
      out_ += ", ";
    }
    first = false;
    out_ += module_.text(range.name);
    if (range.parametrised) fmt::format_to(std::back_inserter(out_), "<{}>", range.count);
  }
  out_ += ';';
}

void TextWriter::optionalLabel(const ir::Function* function, ir::SymbolId symbol) {
  if (symbol == ir::SymbolId::None) return;
  out_ += symbolName(function, symbol);
  out_ += ": ";
}

void TextWriter::targets(const ir::Function* function, const ir::TargetList& list) {
  optionalLabel(function, list.symbol);
  out_ += list.areCalls ? ".calltargets " : ".branchtargets ";
  for (std::size_t k = 0; k < list.targets.size(); ++k) {
    if (k != 0) out_ += ", ";
    out_ += symbolName(function, list.targets[k]);
  }
  out_ += ';';
}

void TextWriter::variables(const ir::Function* function,
                           const ir::VariableDeclaration& declaration) {
  // One statement each: `.global .u32 a, b;` is equivalent to two declarations.
  bool first = true;
  for (const ir::Variable* v : declaration.variables) {
    if (!first) out_ += '\n';
    first = false;
    variable(*v);
    if (v->initializer != nullptr) initializer(function, *v);
    out_ += ';';
  }
}

void TextWriter::variable(const ir::Variable& v) {
  // .hidden comes before the space, what is about a pointee after the type, .attribute before the
  // alignment.
  constexpr std::string_view kHidden = ".hidden";
  std::string_view attributes = v.attributes;
  if (attributes.starts_with(kHidden)) {
    attributes.remove_prefix(std::min(attributes.find('.', 1), attributes.size()));
    out_ += kHidden;
    out_ += ' ';
  }
  out_ += spelling(v.linkage);
  out_ += isa::spelling(v.space);
  if (v.constantBank != 0) fmt::format_to(std::back_inserter(out_), "[{}]", v.constantBank);
  out_ += ' ';
  const bool isPointer = attributes.starts_with(".ptr");
  const bool isOfPointee = isPointer || attributes.starts_with(".align");
  if (!isOfPointee && !attributes.empty()) {
    out_ += attributes;
    out_ += ' ';
  }
  if (v.alignment != 0 && !isPointer) {
    fmt::format_to(std::back_inserter(out_), ".align {} ", v.alignment);
  }
  if (v.vectorWidth > 1) fmt::format_to(std::back_inserter(out_), ".v{} ", v.vectorWidth);
  out_ += typeText(v.type, v.typeName);
  out_ += ' ';
  if (isOfPointee) {
    out_ += attributes;
    out_ += ' ';
  }
  out_ += module_.text(v.name);
  if (v.isParametrised) fmt::format_to(std::back_inserter(out_), "<{}>", v.count);
  for (const std::int64_t extent : v.dimensions) {
    if (extent < 0) {
      out_ += "[]";
    } else {
      fmt::format_to(std::back_inserter(out_), "[{}]", extent);
    }
  }
}

void TextWriter::initializer(const ir::Function* function, const ir::Variable& v) {
  const ir::Initializer& value = *v.initializer;
  out_ += " = ";
  if (!value.opaque.empty()) {
    out_ += value.opaque;
    return;
  }
  // Multi-dimensional arrays and arrays of vectors are written with nested braces.
  std::vector<std::uint64_t> extents;
  for (const std::int64_t extent : v.dimensions) {
    extents.push_back(extent < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(extent));
  }
  const std::size_t width =
      std::max<std::size_t>(1, static_cast<std::size_t>(isa::bitWidth(v.type)) / 8);
  const std::uint64_t elements = (value.bytes.size() + width - 1) / width;
  // One element of an unknown type may consist of several.
  if (v.vectorWidth > 1 || (extents.empty() && elements > 1)) {
    extents.push_back(v.vectorWidth > 1 ? v.vectorWidth : elements);
  }
  // The outermost braces contain all elements, even if there are more than declared.
  if (!extents.empty()) extents.front() = ~std::uint64_t{0};

  auto relocation = value.relocations.begin();
  std::string open;
  for (std::uint64_t index = 0; index < elements; ++index) {
    // A brace opens for each dimension that starts a new row at this element.
    if (index != 0) out_ += ", ";
    std::uint64_t row = 1;
    std::size_t opening = 0;
    for (std::size_t k = extents.size(); k-- > 0;) {
      row = extents[k] == ~std::uint64_t{0} ? elements : row * extents[k];
      if (row != 0 && index % row == 0) ++opening;
    }
    if (index == 0) opening = extents.size();
    out_.append(opening, '{');

    const std::uint64_t at = index * width;
    if (relocation != value.relocations.end() && relocation->offset == at) {
      const std::string_view name = symbolName(function, relocation->symbol);
      if (relocation->mask != 0) {
        fmt::format_to(std::back_inserter(out_), "0x{:X}(", relocation->mask);
      }
      out_ += relocation->generic ? fmt::format("generic({})", name) : std::string(name);
      offset(relocation->addend);
      if (relocation->mask != 0) out_ += ')';
      ++relocation;
    } else {
      out_ += elementText(
          v.type, value.bytes.subspan(at, std::min<std::uint64_t>(width, value.bytes.size() - at)));
    }

    row = 1;
    std::size_t closing = 0;
    for (std::size_t k = extents.size(); k-- > 0;) {
      row = extents[k] == ~std::uint64_t{0} ? elements : row * extents[k];
      if (row != 0 && (index + 1) % row == 0) ++closing;
    }
    if (index + 1 == elements) closing = extents.size();
    out_.append(closing, '}');
  }
  if (elements == 0) out_ += "{}";
}

void TextWriter::parameters(std::span<ir::Variable* const> list, std::string_view blank) {
  out_ += '(';
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (k != 0) out_ += ',';
    out_ += blank;
    variable(*list[k]);
  }
  out_ += ')';
}

void TextWriter::header(const ir::Function& function) {
  out_ += spelling(function.linkage);
  out_ += function.isEntry() ? ".entry " : ".func ";
  // .attribute of a function belongs before the results, everything else after the parameters.
  const auto isEarly = [&](const ir::Attribute& a) {
    return !function.isEntry() && module_.text(a.name) == ".attribute";
  };
  for (const ir::Attribute& a : function.attributes) {
    if (isEarly(a)) (out_ += a.text) += ' ';
  }
  if (!function.results.empty()) {
    parameters(function.results, " ");
    out_ += ' ';
  }
  out_ += function.nameText();
  if (!function.parameters.empty() || !function.isEntry()) {
    parameters(function.parameters, "\n\t");
  }
  for (const ir::Attribute& a : function.attributes) {
    if (!isEarly(a)) (out_ += a.known || a.startsLine ? '\n' : ' ') += a.text;
  }
}

std::string_view TextWriter::symbolName(const ir::Function* function, ir::SymbolId id) const {
  const ir::Symbol& symbol = function != nullptr ? function->symbolAt(id) : module_.symbolAt(id);
  return module_.text(symbol.name);
}

std::string_view TextWriter::typeText(isa::Type type, NameId spelled) const {
  return type == isa::Type::Other ? module_.text(spelled) : isa::spelling(type);
}

}  // namespace ptxopt::print
