// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parsed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "parse/parser.h"

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

std::string Parsed::messages() const {
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    Diagnostic shown = diagnostic;
    shown.file.clear();
    all += format(shown).substr(1) + "\n";
  }
  return all;
}

ir::Function& Parsed::function(std::string_view name) const {
  ir::Function* found = module->findFunction(name);
  if (found == nullptr) throw std::runtime_error("no function " + std::string(name));
  return *found;
}

const ir::Instruction& Parsed::instruction(std::string_view name, std::size_t k) const {
  for (const ir::Statement& statement : function(name).body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction != nullptr && k-- == 0) return *instruction;
  }
  throw std::runtime_error("too few instructions in " + std::string(name));
}

Parsed parseText(std::string text) {
  Parsed parsed;
  parsed.source = std::make_shared<const SourceText>("t.ptx", text);
  parsed.module = parse(parsed.source, parsed.diagnostics);
  return parsed;
}

Parsed parseModule(std::string_view items) {
  return parseText(std::string(kHeader) + std::string(items));
}

Parsed parseBody(std::string_view body) {
  return parseModule(
      ".global .b32 g[16];\n.visible .func f()\n{\n"
      ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .pred %p<4>; .reg .f32 %f<4>; .reg .f64 %d<4>;\n" +
      std::string(body) + "\n}\n");
}

namespace {

std::string punctuationText(std::uint32_t packed) {
  std::string text(1, static_cast<char>(packed & 0xff));
  if (packed > 0xff) text += static_cast<char>(packed >> 8);
  return text;
}

std::string one(const ir::Function& function, const Operand& operand) {
  const ir::Module& module = function.module();
  std::string text = operand.negated ? "!" : "";
  const auto direction = [&] {
    return operand.reads && operand.writes ? "=" : operand.writes ? ">" : operand.reads ? "<" : "";
  };
  const auto offset = [&] {
    if (operand.immediate == 0) return std::string();
    return (operand.immediate > 0 ? "+" : "") + std::to_string(operand.immediate);
  };
  switch (operand.kind) {
    case OperandKind::Register:
      text += function.registerName(operand.reg());
      if (operand.component == ir::kOtherComponent) {
        text += module.text(static_cast<NameId>(operand.immediate));
      } else if (operand.component != 0) {
        text += std::string(".") + "?xyzwrgba"[operand.component];
      }
      return text + direction();
    case OperandKind::SpecialRegister:
      return text + std::string(module.text(NameId{operand.id})) +
             (operand.immediate == ir::kUnknownSpecialRegister ? "?" : "");
    case OperandKind::Integer:
      return std::to_string(operand.immediate) + (operand.isUnsigned ? "U" : "");
    case OperandKind::Float32:
      return std::to_string(std::bit_cast<float>(static_cast<std::uint32_t>(operand.immediate))) +
             "f";
    case OperandKind::Float64:
      return std::to_string(std::bit_cast<double>(operand.immediate)) + "d";
    case OperandKind::Symbol:
      return text + std::string(module.text(function.symbolAt(operand.symbol()).name)) + offset();
    case OperandKind::Address:
      switch (operand.base) {
        case ir::AddressBase::None:
          return "[" + std::to_string(operand.immediate) + "]";
        case ir::AddressBase::Register:
          return "[" + function.registerName(operand.reg()) + direction() + offset() + "]";
        case ir::AddressBase::Symbol:
          return "[" + std::string(module.text(function.symbolAt(operand.symbol()).name)) +
                 offset() + "]";
      }
      return "?";
    case OperandKind::Sink:
      return "_";
    case OperandKind::Punctuation:
      return "'" + punctuationText(operand.id) + "'";
    default:
      break;
  }
  const char* brackets = operand.kind == OperandKind::Vector        ? "{}"
                         : operand.kind == OperandKind::List        ? "()"
                         : operand.kind == OperandKind::AddressList ? "[]"
                         : operand.kind == OperandKind::Pair        ? "||"
                                                                    : "<>";
  text += brackets[0];
  const std::span<const Operand> inner = ir::members(operand);
  for (std::size_t at = 0; at < inner.size(); at += inner[at].extent()) {
    if (at != 0) text += ' ';
    text += one(function, inner[at]);
  }
  return text + brackets[1];
}

}  // namespace

std::string operandsOf(const ir::Function& function, const ir::Instruction& instruction) {
  std::string text;
  const std::span<const Operand> all = instruction.operands();
  for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
    if (at != 0) text += ", ";
    text += one(function, all[at]);
  }
  return text;
}

std::vector<std::filesystem::path> corpusFiles() {
  const char* const root = std::getenv("PTXOPT_SOURCE_DIR");
  if (root == nullptr) throw std::runtime_error("PTXOPT_SOURCE_DIR is not set");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(root) / "corpus/ptx")) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ptxopt::parse
