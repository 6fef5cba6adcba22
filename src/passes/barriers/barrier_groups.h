// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of functions whose barriers are decided together, and the decisions.
//
// A kernel is a group by itself, unless it shares functions that contain barriers with other
// kernels.  Then all these functions are decided together, before passes work on any of them
// (docs/soundness/ C1.6, E.6.2).
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/flow/manager.h"
#include "passes/barriers/barrier_judge.h"

namespace ptxopt::passes {

class BarrierGroups {
 public:
  explicit BarrierGroups(BarrierQuestion question) : question_(std::move(question)) {}

  const BarrierQuestion& question() const { return question_; }
  // Called once for the module, from Pass::prepare().
  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses, bool wantRemarks);
  // One decision for each barrier of the function, in the order of the text.  Thread-safe.
  std::vector<BarrierDecision> decide(ir::Function& function, analysis::FunctionAnalyses& analyses,
                                      bool wantRemarks) const;

 private:
  void judgeGroup(const std::vector<ir::Function*>& group,
                  const analysis::ModuleAssumptions& assumptions, bool wantRemarks);
  std::vector<BarrierDecision> leaveAlone(ir::Function& function, bool wantRemarks) const;

  BarrierQuestion question_;
  std::optional<analysis::BarrierFacts> facts_;
  // For functions that share barriers with others.
  std::unordered_map<const ir::Function*, std::vector<BarrierDecision>> decided_;
};

}  // namespace ptxopt::passes
