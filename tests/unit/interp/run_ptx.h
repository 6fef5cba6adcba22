// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running PTX text in a test.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "interp/compare.h"
#include "parse/parser.h"

namespace ptxopt::interp {

inline std::unique_ptr<ir::Module> parseText(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  auto module = parse::parse(std::make_shared<SourceText>(name, text), diagnostics);
  if (module == nullptr || diagnostics.hasErrors()) {
    std::string message = name + " does not parse";
    for (const Diagnostic& diagnostic : diagnostics.all()) message += "\n" + format(diagnostic);
    throw std::runtime_error(message);
  }
  return module;
}

}  // namespace ptxopt::interp
