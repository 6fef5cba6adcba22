// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions the barrier passes judge together, and what they decide about each.
//
// A kernel stands alone, unless it shares functions with barriers with other kernels: then all of
// them are judged at once, before passes work on any (docs/soundness/ C1.6, E.6.2).
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
  // Once for the module, as Pass::prepare().
  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses, bool wantRemarks);
  // One decision for each barrier of the function, in the order of the text.  Safe from several
  // threads.
  std::vector<BarrierDecision> decide(ir::Function& function, analysis::FunctionAnalyses& analyses,
                                      bool wantRemarks) const;

 private:
  void judgeGroup(const std::vector<ir::Function*>& group,
                  const analysis::ModuleAssumptions& assumptions, bool wantRemarks);
  std::vector<BarrierDecision> leaveAlone(ir::Function& function, bool wantRemarks) const;

  BarrierQuestion question_;
  std::optional<analysis::BarrierFacts> facts_;
  // Of functions that share barriers with others.
  std::unordered_map<const ir::Function*, std::vector<BarrierDecision>> decided_;
};

}  // namespace ptxopt::passes
