// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the parser need: a text, its module and what was said about it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"

namespace ptxopt::parse {

inline constexpr std::string_view kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

struct Parsed {
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<ir::Module> module;
  Diagnostics diagnostics;

  // "line:column: severity: message" of every diagnostic, a line each.
  std::string messages() const;
  ir::Function& function(std::string_view name) const;
  // The k-th instruction of a function; fails the test if there are fewer.
  const ir::Instruction& instruction(std::string_view function, std::size_t k) const;
  // All instructions of the last function, as text that names every fact the IR has: see
  // statements_test.cpp.
  std::string text(SourceRange range) const { return std::string(source->slice(range)); }
};

Parsed parseText(std::string text);
// A module with this text after the header.
Parsed parseModule(std::string_view items);
// A module with one function `f` with this body and registers %r<10> (b32), %rd<10> (b64),
// %p<4> (pred), %f<4> (f32), %d<4> (f64) and a global array `g` of .b32.
Parsed parseBody(std::string_view body);

// The operands of an instruction in a notation for tests: registers by name with `<` (read), `>`
// (written) or `=` (both) after, groups in their brackets.
std::string operandsOf(const ir::Function& function, const ir::Instruction& instruction);

// All .ptx files of the corpus, sorted.
std::vector<std::filesystem::path> corpusFiles();
std::string readFile(const std::filesystem::path& path);

}  // namespace ptxopt::parse
