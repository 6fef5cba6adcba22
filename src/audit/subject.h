// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function, and the list of its claims.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/flow/manager.h"
#include "audit/collect.h"
#include "facts/claim.h"
#include "ir/function.h"

namespace ptxopt::audit {

class Subject {
 public:
  Subject(ir::Function& function, analysis::FunctionAnalyses& analyses,
          std::vector<facts::Claim>& claims)
      : function_(function), analyses_(analyses), claims_(claims) {}

  ir::Function& function() const { return function_; }
  template <class Analysis>
  const Analysis& get() const {
    return analyses_.get<Analysis>();
  }
  // `by`: the analysis that makes the claim.
  template <class What>
  void claim(std::string_view by, What what) const {
    claims_.push_back({std::string(function_.nameText()), std::string(by), std::move(what)});
  }

 private:
  ir::Function& function_;
  analysis::FunctionAnalyses& analyses_;
  std::vector<facts::Claim>& claims_;
};

}  // namespace ptxopt::audit
