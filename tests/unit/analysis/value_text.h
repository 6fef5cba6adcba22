// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values, ranges and addresses of functions that are given as PTX text.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/manager.h"
#include "parse/parser.h"

namespace ptxopt::test {

// A module with one entry `k`.
class ValueFunction {
 public:
  // `before`: what stands at module scope, before the entry; `attributes`: between the
  // parameters and the body.
  explicit ValueFunction(const std::string& body, const std::string& attributes = "",
                         const std::string& before = "", const std::string& parameters = "") {
    const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
                             "\n.visible .entry k(" + parameters + ")\n" + attributes + "\n{\n" +
                             body + "\n}\n";
    Diagnostics diagnostics;
    module_ = parse::parse(std::make_shared<SourceText>("test.ptx", text), diagnostics);
    if (module_ == nullptr || diagnostics.hasErrors()) {
      std::string message = "does not parse";
      for (const Diagnostic& diagnostic : diagnostics.all()) message += "\n" + format(diagnostic);
      throw std::runtime_error(message);
    }
    function_ = module_->findFunction("k");
    analyses_ = std::make_unique<analysis::FunctionAnalyses>(*function_);
  }

  ir::Module& module() { return *module_; }
  ir::Function& function() { return *function_; }
  analysis::FunctionAnalyses& analyses() { return *analyses_; }
  // In the order of the text.
  std::vector<const ir::Instruction*> instructions() const {
    std::vector<const ir::Instruction*> all;
    for (const ir::Statement& statement : function_->body()) {
      if (const auto* instruction = statement.as<ir::Instruction>()) all.push_back(instruction);
    }
    return all;
  }

 private:
  std::unique_ptr<ir::Module> module_;
  ir::Function* function_ = nullptr;
  std::unique_ptr<analysis::FunctionAnalyses> analyses_;
};

}  // namespace ptxopt::test
