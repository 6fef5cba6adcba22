// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the IR as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ptxopt::print {

// The module as the user wrote it, except for the changes of passes: every unchanged function, and
// everything between functions, is a slice of the source.  The pieces point into the source or into
// `storage` of the result; their concatenation is the file.
class Output {
 public:
  Output() = default;
  // A text that shares nothing with a source: the result of reprint().
  explicit Output(std::string text) {
    storage_.push_back(std::make_unique<std::string>(std::move(text)));
    pieces_.push_back(*storage_.back());
  }

  const std::vector<std::string_view>& pieces() const { return pieces_; }
  std::size_t size() const;  // bytes
  std::string text() const;

 private:
  friend class SourcePrinter;
  std::vector<std::string_view> pieces_;
  std::vector<std::unique_ptr<std::string>> storage_;
};
Output print(const ir::Module& module);

// Prints everything from the IR alone, in nvcc's style, without the comments of the source.
std::string reprint(const ir::Module& module);

// One statement in nvcc's style, without indentation and newline: "@%p1 bra \t$L__BB0_2;".
std::string statementText(const ir::Function& function, const ir::Statement& statement);

// An operand, which must be one of an instruction of `function`: "%r1", "[%rd1+4]", "{%f1, %f2}".
std::string operandText(const ir::Function& function, const ir::Operand& operand);

}  // namespace ptxopt::print
