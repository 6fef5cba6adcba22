// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/collect.h"

#include <deque>
#include <unordered_map>

#include "analysis/addresses/address.h"
#include "analysis/barriers/barrier_graph.h"
#include "analysis/memory/pure_functions.h"
#include "audit/families.h"

namespace ptxopt::audit {

namespace {

using analysis::BarrierBody;
using analysis::BarrierContext;
using analysis::BarrierFacts;

struct Member {
  Member(ir::Function& of, const analysis::Assumptions& assumptions) : function(of), analyses(of) {
    analyses.provide(assumptions);
  }
  ir::Function& function;
  analysis::FunctionAnalyses analyses;
};

class Collector {
 public:
  Collector(ir::Module& module, const analysis::AssumptionTable& assumptions,
            const CollectOptions& options)
      : options_(options),
        assumptions_(module, assumptions),
        graph_(module),
        facts_(module, graph_),
        pure_(graph_) {
    for (ir::Function& function : module.functions()) {
      if (!function.hasBody() || function.isOpaque) continue;
      memberOf_[&function] = &members_.emplace_back(function, assumptions_.of(function));
      facts_.addEffects(assumptions_.of(function));
    }
  }

  std::vector<facts::Claim> run() {
    judgeTogether();
    for (Member& member : members_) {
      collectFrom(member);
      // Free the memory for the next function.
      member.analyses.invalidateAll();
    }
    return std::move(claims_);
  }

 private:
  // Decides about functions with barriers that kernels share, all at once (docs/soundness/ C1.6).
  void judgeTogether() {
    for (const auto& group : functionsThatShareBarriers(graph_, facts_.withKnownCallers)) {
      std::vector<Member*> members;
      for (const ir::Function* function : group) {
        if (const auto found = memberOf_.find(function); found != memberOf_.end()) {
          members.push_back(found->second);
        }
      }
      claimTogether(members);
      for (const Member* member : members) inGroup_.push_back(&member->function);
    }
  }

  void claimTogether(const std::vector<Member*>& members) {
    std::vector<BarrierBody> bodies;
    for (Member* member : members) {
      analysis::FunctionAnalyses& analyses = member->analyses;
      bodies.push_back({&analyses.get<analysis::Cfg>(), &analyses.get<analysis::Liveness>(),
                        &analyses.get<analysis::PostDominators>(), &analyses.get<analysis::Loops>(),
                        &analyses.get<analysis::Addresses>(),
                        analyses.get<analysis::Assumptions>()});
    }
    const BarrierContext context(bodies, facts_);
    for (std::uint32_t k = 0; k < members.size(); ++k) {
      if (!context.participation.isEnteredByAll(k)) continue;
      const Subject subject(members[k]->function, members[k]->analyses, claims_);
      const analysis::TextPlaces places(subject.get<analysis::Ssa>());
      collectUniform(subject, places, context.participation.uniformity(k));
    }
  }

  void collectFrom(Member& member) {
    const ir::Function& function = member.function;
    const Subject subject(member.function, member.analyses, claims_);
    const analysis::TextPlaces places(subject.get<analysis::Ssa>());
    const Forms forms(subject.get<analysis::Addresses>(), subject.get<analysis::Loops>(), places);
    collectValues(subject, places, forms);
    collectAccesses(subject, places, forms, options_);
    collectEdges(subject, places);
    const bool isAlone = std::ranges::find(inGroup_, &function) == inGroup_.end();
    if (isAlone && function.isEntry()) claimTogether({&member});
    collectNonExitedThreads(subject, places, facts_.effects(assumptions_.of(function)));
    if (pure_.isPure(graph_.vertexOf(function))) {
      subject.claim("pure-functions", facts::PureFunction{});
    }
  }

  const CollectOptions& options_;
  const analysis::ModuleAssumptions assumptions_;
  const analysis::CallGraph graph_;
  BarrierFacts facts_;
  const analysis::PureFunctions pure_;
  std::deque<Member> members_;
  std::unordered_map<const ir::Function*, Member*> memberOf_;
  std::vector<const ir::Function*> inGroup_;
  std::vector<facts::Claim> claims_;
};

}  // namespace

std::vector<facts::Claim> collect(ir::Module& module, const analysis::AssumptionTable& assumptions,
                                  const CollectOptions& options) {
  if (module.isFrozen()) return {};
  return Collector(module, assumptions, options).run();
}

}  // namespace ptxopt::audit
