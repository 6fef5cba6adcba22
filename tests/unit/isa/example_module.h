// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of the examples of the instruction table.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::isa {

// ".version 8.0", ".target sm_90", and ".address_size 64" where there is one.
std::string headerOf(Version version, Target target);

// Writes a module in which every statement has its own entry, after the declarations of kPrelude
// that it names, and tells on which lines each one stands.
class ModuleWriter {
 public:
  ModuleWriter(Version version, Target target);

  // `index` is what owners() calls the statement.
  void add(std::size_t index, std::string_view statement);

  const std::string& text() const { return text_; }
  // By line, from 1.
  const std::map<int, std::size_t>& owners() const { return owners_; }

 private:
  void addModuleName(std::string_view name, std::size_t index);
  void addLine(const std::string& text, std::size_t index);

  bool hasParameterList_;
  std::string text_;
  int line_ = 1;
  std::map<int, std::size_t> owners_;
  std::map<std::string, bool> declared_;
};

}  // namespace ptxopt::isa
