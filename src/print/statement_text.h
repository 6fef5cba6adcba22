// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of declarations and statements, from the IR alone.
#pragma once

#include <string>

#include "ir/module.h"

namespace ptxopt::print {

// Writes in nvcc's style.  Names are printed as they were declared, so a statement must be in a
// scope where they have the same meaning.
class TextWriter {
 public:
  explicit TextWriter(const ir::Module& module) : module_(module) {}

  // Writes neither indentation nor a newline at the end.  `function` is null for a statement of the
  // module.  For a function it writes everything before the body or the ';'.
  void statement(const ir::Function* function, const ir::Statement& statement);

  // The operand at `at`, a group with its members.
  void operand(const ir::Function& function, std::span<const ir::Operand> all, std::size_t at);

  void raw(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  void instruction(const ir::Function& function, const ir::Instruction& instruction);
  void sequence(const ir::Function& function, std::span<const ir::Operand> all,
                std::string_view separator);
  void address(const ir::Function& function, const ir::Operand& operand);
  void offset(std::int64_t value);
  void registers(const ir::Function& function, const ir::RegisterDeclaration& declaration);
  void optionalLabel(const ir::Function* function, ir::SymbolId symbol);
  void targets(const ir::Function* function, const ir::TargetList& list);
  void header(const ir::Function& function);
  void variables(const ir::Function* function, const ir::VariableDeclaration& declaration);
  void variable(const ir::Variable& variable);
  void initializer(const ir::Function* function, const ir::Variable& variable);
  // Writes `blank` before each parameter.
  void parameters(std::span<ir::Variable* const> list, std::string_view blank);
  std::string_view symbolName(const ir::Function* function, ir::SymbolId id) const;
  std::string_view typeText(isa::Type type, NameId spelled) const;

  const ir::Module& module_;
  std::string out_;
};

}  // namespace ptxopt::print
