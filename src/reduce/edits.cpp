// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/edits.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "print/printer.h"

namespace ptxopt::reduce {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::Statement;
using ir::StatementKind;

// ---- what can be removed ------------------------------------------------------------------------

bool isHeader(const Statement& statement) {
  const auto* directive = statement.as<ir::Directive>();
  if (directive == nullptr) return false;
  return directive->which == ir::DirectiveKind::Version ||
         directive->which == ir::DirectiveKind::Target ||
         directive->which == ir::DirectiveKind::AddressSize;
}

bool isFile(const Statement& statement) {
  const auto* directive = statement.as<ir::Directive>();
  return directive != nullptr && directive->which == ir::DirectiveKind::File;
}

// The statement is a `.loc` that holds for an instruction, which the next `.loc` ends.
bool isLineOfInstruction(const Statement& statement) {
  if (statement.kind != StatementKind::Location) return false;
  for (const Statement* at = statement.next; at != nullptr; at = at->next) {
    if (at->kind == StatementKind::Instruction) return true;
    if (at->kind == StatementKind::Location) return false;
  }
  return false;
}

std::vector<Edit> removeItems(ir::Module& module, const Keep& keep) {
  std::vector<Edit> edits;
  for (const Statement& item : module.items()) {
    if (isHeader(item) || (keep.lines && isFile(item))) continue;
    edits.push_back({item.source, ""});
  }
  return edits;
}

// Removes the code from one label to the next.
std::vector<Edit> removeBlocks(ir::Module& module, const Keep& keep) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    SourceRange block;
    const auto finish = [&] {
      if (block.valid()) edits.push_back({block, ""});
      block = {};
    };
    for (const Statement& statement : function.body()) {
      const bool isCode = statement.kind == StatementKind::Instruction ||
                          statement.kind == StatementKind::Pragma ||
                          (statement.kind == StatementKind::Location && !keep.lines);
      if (!isCode) {
        finish();
        continue;
      }
      if (!block.valid()) block.begin = statement.source.begin;
      block.end = statement.source.end;
    }
    finish();
  }
  return edits;
}

std::vector<Edit> removeStatements(ir::Module& module, const Keep& keep) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    for (const Statement& statement : function.body()) {
      if (keep.lines && isLineOfInstruction(statement)) continue;
      edits.push_back({statement.source, ""});
    }
  }
  return edits;
}

// Removes a brace and its partner; of nested pairs, the outermost.
std::vector<Edit> removeScopes(ir::Module& module, const Keep&) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    std::vector<const Statement*> open;
    for (const Statement& statement : function.body()) {
      if (statement.kind == StatementKind::ScopeBegin) open.push_back(&statement);
      if (statement.kind != StatementKind::ScopeEnd || open.empty()) continue;
      const SourceRange whole{open.back()->source.begin, statement.source.end};
      std::string_view inside = module.source().text().substr(
          open.back()->source.end, statement.source.begin - open.back()->source.end);
      constexpr std::string_view kBlanks = " \t\r\n";
      inside.remove_prefix(std::min(inside.find_first_not_of(kBlanks), inside.size()));
      inside = inside.substr(0, inside.find_last_not_of(kBlanks) + 1);
      open.pop_back();
      const auto from = static_cast<Offset>(inside.data() - module.source().text().data());
      if (open.empty()) edits.push_back({whole, std::string(inside), from});
    }
  }
  return edits;
}

std::vector<Edit> removeAttributes(ir::Module& module, const Keep&) {
  const std::string_view text = module.source().text();
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    for (const ir::Attribute& attribute : function.attributes) {
      const bool isSlice =
          attribute.text.data() >= text.data() &&
          attribute.text.data() + attribute.text.size() <= text.data() + text.size();
      if (!isSlice || attribute.text.empty()) continue;
      const auto begin = static_cast<Offset>(attribute.text.data() - text.data());
      edits.push_back({{begin, begin + static_cast<Offset>(attribute.text.size())}, ""});
    }
  }
  return edits;
}

// The text between the parentheses after the name of a kernel; not valid if there is none.
SourceRange parameterList(const ir::Module& module, const ir::Function& function) {
  if (!function.isEntry() || function.parameters.empty() || !function.hasBody()) return {};
  const std::string_view text = module.source().text();
  const std::size_t open = text.find('(', function.item->source.begin);
  const std::size_t close = text.find(')', open);
  if (close >= function.bodySource.begin) return {};
  return {static_cast<Offset>(open + 1), static_cast<Offset>(close)};
}

std::vector<Edit> removeAllParameters(ir::Module& module, const Keep&) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    const SourceRange list = parameterList(module, function);
    if (list.valid()) edits.push_back({list, ""});
  }
  return edits;
}

// Removes all parameters but the last, each with its comma.
std::vector<Edit> removeParameters(ir::Module& module, const Keep&) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    const SourceRange list = parameterList(module, function);
    if (!list.valid()) continue;
    const std::string_view text = module.source().text();
    std::size_t begin = list.begin;
    for (std::size_t comma = text.find(',', begin); comma < list.end;
         comma = text.find(',', begin)) {
      edits.push_back({{static_cast<Offset>(begin), static_cast<Offset>(comma + 1)}, ""});
      begin = comma + 1;
    }
  }
  return edits;
}

std::vector<Edit> removeComments(ir::Module& module, const Keep&) {
  const std::string_view text = module.source().text();
  std::vector<Edit> edits;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    std::size_t end = std::string_view::npos;
    if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size());
      continue;
    }
    if (text.substr(at, 2) == "//") end = std::min(text.find('\n', at), text.size());
    if (text.substr(at, 2) == "/*") end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    if (end == std::string_view::npos) continue;
    const bool isLine = text[at + 1] == '/';
    edits.push_back({{static_cast<Offset>(at), static_cast<Offset>(end)}, isLine ? "" : " "});
    at = end - 1;
  }
  return edits;
}

std::vector<Edit> removeBlankLines(ir::Module& module, const Keep&) {
  const std::string_view text = module.source().text();
  std::vector<Edit> edits;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos) {
      edits.push_back({{static_cast<Offset>(begin), static_cast<Offset>(end)}, ""});
    }
    begin = end + 1;
  }
  return edits;
}

// ---- what can be made simpler -------------------------------------------------------------------

// Calls change(instruction) on every instruction of the module.  If it returns true, the new text
// becomes an edit, and the instruction gets its old operands and guard back.
template <class Change>
std::vector<Edit> rewrite(ir::Module& module, Change&& change) {
  std::vector<Edit> edits;
  for (ir::Function& function : module.functions()) {
    for (Statement& statement : function.body()) {
      auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      const ir::Guard guard = instruction->guard;
      const std::vector<Operand> operands(instruction->operands().begin(),
                                          instruction->operands().end());
      if (!change(function, *instruction)) continue;
      edits.push_back({statement.source, print::statementText(function, statement)});
      instruction->guard = guard;
      std::copy(operands.begin(), operands.end(), instruction->operands().begin());
    }
  }
  return edits;
}

std::vector<Edit> removeGuards(ir::Module& module, const Keep&) {
  return rewrite(module, [](const ir::Function&, Instruction& instruction) {
    if (!instruction.guard) return false;
    instruction.guard = {};
    return true;
  });
}

bool isRead(const Operand& operand) {
  return operand.kind == OperandKind::Register && operand.reads && !operand.writes;
}

std::size_t constexpr kOperands = 8;  // operands of one instruction that are tried

template <std::size_t Index>
std::vector<Edit> zeroInsteadOfRegister(ir::Module& module, const Keep&) {
  return rewrite(module, [](const ir::Function&, Instruction& instruction) {
    if (Index >= instruction.operandCount || !isRead(instruction.operands()[Index])) return false;
    instruction.operands()[Index] = Operand::ofInteger(0);
    return true;
  });
}

// Replaces a register by the first register of the function with the same type.
template <std::size_t Index>
std::vector<Edit> firstRegister(ir::Module& module, const Keep&) {
  return rewrite(module, [](const ir::Function& function, Instruction& instruction) {
    if (Index >= instruction.operandCount) return false;
    Operand& operand = instruction.operands()[Index];
    if (operand.reg() == ir::RegisterId::None || operand.component != 0) return false;
    const ir::RegisterRange& range = function.rangeOf(operand.reg());
    const auto same = std::find_if(function.registers().begin(), function.registers().end(),
                                   [&](const ir::RegisterRange& other) {
                                     return other.type == range.type && !other.isParameter &&
                                            other.vectorWidth == range.vectorWidth;
                                   });
    if (same == function.registers().end() || same->first >= operand.id) return false;
    operand.id = same->first;
    return true;
  });
}

bool simplifyConstant(Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Integer:
      if (operand.immediate == 0) return false;
      operand = Operand::ofInteger(0);
      return true;
    case OperandKind::Float32:
    case OperandKind::Float64:
      if (operand.immediate == 0) return false;
      operand.immediate = 0;
      return true;
    case OperandKind::Address:
    case OperandKind::Symbol:
      if (operand.immediate == 0) return false;
      operand.immediate = 0;
      operand.hasOffset = false;
      return true;
    default:
      return false;
  }
}

template <std::size_t Index>
std::vector<Edit> zeroConstant(ir::Module& module, const Keep&) {
  return rewrite(module, [](const ir::Function&, Instruction& instruction) {
    return Index < instruction.operandCount && simplifyConstant(instruction.operands()[Index]);
  });
}

template <std::size_t Index>
std::vector<Edit> halveConstant(ir::Module& module, const Keep&) {
  return rewrite(module, [](const ir::Function&, Instruction& instruction) {
    if (Index >= instruction.operandCount) return false;
    Operand& operand = instruction.operands()[Index];
    const bool counts =
        operand.kind == OperandKind::Integer || operand.kind == OperandKind::Address;
    if (!counts || operand.immediate / 2 == 0) return false;
    operand.immediate /= 2;
    return true;
  });
}

// Reduces `.reg .b32 %r<100>;` to the registers that are used.
std::vector<Edit> shrinkDeclarations(ir::Module& module, const Keep&) {
  std::vector<Edit> edits;
  for (const ir::Function& function : module.functions()) {
    std::vector<std::uint32_t> last(function.registers().size());  // number in its range, plus 1
    const auto use = [&](ir::RegisterId id) {
      const ir::RegisterRange& range = function.rangeOf(id);
      std::uint32_t& most = last[static_cast<std::size_t>(&range - function.registers().data())];
      most = std::max(most, static_cast<std::uint32_t>(id) - range.first + 1);
    };
    for (const Statement& statement : function.body()) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      if (instruction->guard) use(instruction->guard.predicate());
      ir::forEachRegister(*instruction, [&](const Operand& operand) { use(operand.reg()); });
    }
    for (const Statement& statement : function.body()) {
      const auto* declaration = statement.as<ir::RegisterDeclaration>();
      if (declaration == nullptr || declaration->rangeCount != 1) continue;
      const ir::RegisterRange& range = function.registers()[declaration->firstRange];
      const std::uint32_t used = std::max(last[declaration->firstRange], 1u);
      if (!range.parametrised || used >= range.count) continue;
      const std::string_view text = module.source().slice(statement.source);
      const std::size_t open = text.find('<');
      const std::size_t close = text.find('>');
      if (open == std::string_view::npos || close == std::string_view::npos) continue;
      edits.push_back({{statement.source.begin + static_cast<Offset>(open) + 1,
                        statement.source.begin + static_cast<Offset>(close)},
                       std::to_string(used)});
    }
  }
  return edits;
}

template <std::size_t... Index>
std::vector<Simplification> all(std::index_sequence<Index...>) {
  std::vector<Simplification> list = {
      {"remove functions and variables", removeItems},
      {"remove blocks", removeBlocks},
      {"remove statements", removeStatements},
      {"remove scopes", removeScopes},
      {"remove guards", removeGuards},
      {"remove attributes", removeAttributes},
      {"remove all parameters", removeAllParameters},
      {"remove parameters", removeParameters},
  };
  (list.push_back({"put zero for a register", zeroInsteadOfRegister<Index>}), ...);
  (list.push_back({"put the first register for another", firstRegister<Index>}), ...);
  (list.push_back({"put zero for a constant", zeroConstant<Index>}), ...);
  (list.push_back({"halve a constant", halveConstant<Index>}), ...);
  list.push_back({"declare fewer registers", shrinkDeclarations});
  list.push_back({"remove comments", removeComments});
  list.push_back({"remove blank lines", removeBlankLines});
  return list;
}

// The lines of the range if nothing but blanks is beside it there; otherwise the range.  What comes
// before `from` is gone already.
SourceRange wholeLine(std::string_view text, SourceRange range, Offset from) {
  const std::size_t begin = range.begin == 0 ? 0 : text.rfind('\n', range.begin - 1) + 1;
  const std::size_t end = text.find('\n', range.end);
  if (end == std::string_view::npos || begin < from) return range;
  const auto isBlank = [&](std::size_t first, std::size_t last) {
    return text.substr(first, last - first).find_first_not_of(" \t\r") == std::string_view::npos;
  };
  if (!isBlank(begin, range.begin) || !isBlank(range.end, end)) return range;
  return {static_cast<Offset>(begin), static_cast<Offset>(end + 1)};
}

}  // namespace

const std::vector<Simplification>& simplifications() {
  static const std::vector<Simplification> list = all(std::make_index_sequence<kOperands>{});
  return list;
}

MarkedText applyEdits(const MarkedText& from, const std::vector<const Edit*>& edits) {
  MarkedText result;
  result.marks.assign(from.marks.size(), kNoOffset);
  // The characters of `range` are now at the end of the result.
  const auto move = [&](SourceRange range) {
    for (std::size_t k = 0; k < from.marks.size(); ++k) {
      const Offset mark = from.marks[k];
      if (mark < range.begin || mark >= range.end) continue;
      result.marks[k] = static_cast<Offset>(result.text.size()) + mark - range.begin;
    }
  };
  const auto copy = [&](Offset begin, Offset end) {
    move({begin, end});
    result.text.append(from.text, begin, end - begin);
  };
  Offset at = 0;
  for (const Edit* edit : edits) {
    const SourceRange gone =
        edit->replacement.empty() ? wholeLine(from.text, edit->range, at) : edit->range;
    copy(at, gone.begin);
    if (edit->keptFrom != kNoOffset) {
      move({edit->keptFrom, edit->keptFrom + static_cast<Offset>(edit->replacement.size())});
    } else if (!edit->replacement.empty()) {
      move({gone.begin, gone.begin + 1});
    }
    result.text += edit->replacement;
    at = gone.end;
  }
  copy(at, static_cast<Offset>(from.text.size()));
  return result;
}

}  // namespace ptxopt::reduce
