// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/barrier_groups.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "support/limits.h"

namespace ptxopt::passes {

using analysis::Assumption;
using analysis::Assumptions;
using analysis::BarrierBody;
using analysis::BarrierFacts;
using analysis::LaunchShape;
using analysis::Precision;

namespace {

// The analyses of a function, used outside of its turn in the pipeline.
struct GroupMember {
  GroupMember(ir::Function& of, const Assumptions& assumptions) : analyses(of) {
    analyses.provide(assumptions);
  }
  analysis::FunctionAnalyses analyses;
};

// The addresses of one function for launches of several shapes.
class AddressesByShape {
 public:
  explicit AddressesByShape(analysis::FunctionAnalyses& analyses) : analyses_(&analyses) {}

  const analysis::Addresses& under(const Assumptions& assumptions) {
    const ir::Function& function = analyses_->get<ir::Function>();
    const LaunchShape shape = LaunchShape::of(function, assumptions);
    if (shape == LaunchShape::of(function, analyses_->get<Assumptions>())) {
      return analyses_->get<analysis::Addresses>();
    }
    for (const auto& made : made_) {
      if (made->ranges.shape() == shape) return made->addresses;
    }
    return made_.emplace_back(std::make_unique<Made>(*analyses_, shape))->addresses;
  }

 private:
  struct Made {
    Made(analysis::FunctionAnalyses& analyses, const LaunchShape& shape)
        : ranges(analyses.get<analysis::Ssa>(), analyses.get<analysis::BranchConditions>(), shape),
          addresses(analyses.get<analysis::Ssa>(), ranges, analyses.get<analysis::Loops>()) {}
    analysis::ValueRanges ranges;
    analysis::Addresses addresses;
  };
  analysis::FunctionAnalyses* analyses_;
  std::vector<std::unique_ptr<Made>> made_;
};

// Decides about one group of functions.
//
// The barriers are first decided without assumptions, then the remaining ones with them.  So an
// assumption never keeps a barrier, and the remarks show which decisions depend on assumptions
// (docs/soundness/ E.6.11).
class Group {
 public:
  Group(std::span<analysis::FunctionAnalyses* const> members, const BarrierFacts& facts,
        const BarrierQuestion& question, bool wantRemarks)
      : facts_(facts), question_(question), wantRemarks_(wantRemarks) {
    for (analysis::FunctionAnalyses* analyses : members) {
      members_.push_back({analyses, AddressesByShape(*analyses)});
      for (std::size_t k = 0; k < analysis::kAssumptionCount; ++k) {
        const Assumption one{static_cast<std::uint8_t>(k)};
        if (analyses->get<Assumptions>().has(one)) given_.add(one);
      }
    }
  }

  std::vector<BarrierDecision> decide() {
    std::vector<BarrierDecision> without = judge({}, {}, !given_.any());
    if (!given_.any()) {
      carryOut(without);
      return without;
    }
    std::vector<bool> settled(without.size());
    for (std::size_t k = 0; k < settled.size(); ++k) {
      settled[k] = without[k].outcome != BarrierOutcome::Kept;
    }
    std::vector<BarrierDecision> decisions = judge(given_, settled, true);
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      if (settled[k]) decisions[k] = std::move(without[k]);
    }
    carryOut(decisions);
    if (wantRemarks_) nameAssumptions(decisions, settled);
    return decisions;
  }

 private:
  struct Member {
    analysis::FunctionAnalyses* analyses;
    AddressesByShape addresses;
  };

  std::vector<BarrierBody> bodies(const Assumptions& assumptions, bool withAddresses,
                                  bool areLargest = false) {
    std::vector<BarrierBody> result;
    result.reserve(members_.size());
    for (Member& member : members_) {
      analysis::FunctionAnalyses& analyses = *member.analyses;
      Assumptions own = analyses.get<Assumptions>().limitedTo(assumptions);
      if (areLargest) own = withLargestBlock(analyses.get<ir::Function>(), own);
      result.push_back({&analyses.get<analysis::Cfg>(), &analyses.get<analysis::Liveness>(),
                        &analyses.get<analysis::PostDominators>(), &analyses.get<analysis::Loops>(),
                        withAddresses ? &member.addresses.under(own) : nullptr, own});
    }
    return result;
  }

  // If comparing addresses reaches its limit, falls back to spaces and objects.
  std::vector<BarrierDecision> judge(const Assumptions& assumptions,
                                     const std::vector<bool>& settled, bool isLast) {
    const std::vector<BarrierBody> coarseBodies = bodies(assumptions, false);
    const analysis::BarrierContext context(coarseBodies, facts_,
                                           [&] { return bodies(assumptions, true); });
    const bool isWeakening = question_.aim == BarrierAim::Weaken;
    const bool isFine = isWeakening || (question_.precision == Precision::Affine &&
                                        context.participation.hasCandidates());
    if (isFine) {
      const std::vector<BarrierBody> fineBodies = bodies(assumptions, true);
      BarrierJudge fine(fineBodies, context, question_, Precision::Affine, wantRemarks_);
      std::vector<BarrierDecision> decisions = fine.run(settled);
      if (fine.isWithinLimit() || isWeakening) {
        if (isLast && question_.leastGuardDepth) guard(fine, decisions, settled);
        return decisions;
      }
    }
    BarrierJudge coarse(coarseBodies, context, question_,
                        std::min(question_.precision, Precision::Objects), wantRemarks_);
    std::vector<BarrierDecision> decisions = coarse.run(settled);
    const bool isNoteDue = isFine && wantRemarks_ && coarse.isAnyKeptForAccesses();
    for (BarrierDecision& decision : decisions) {
      if (isNoteDue && decision.outcome == BarrierOutcome::Kept) {
        decision.remark.barrier->workLimit = question_.limits.work;
      }
    }
    return decisions;
  }

  // Guards come last, after everything that can be removed (docs/soundness/ E.6.10).  `judge` has
  // made the decisions.
  void guard(BarrierJudge& judge, std::vector<BarrierDecision>& decisions,
             const std::vector<bool>& settled) {
    const auto mayBeGuarded = [](const BarrierDecision& one) { return one.mayBeGuarded; };
    if (std::ranges::none_of(decisions, mayBeGuarded)) return;
    guards_ = judge.planGuards();
    if (wantRemarks_) noteFunctions(guards_, decisions);
    if (!question_.triesLargestBlock || !isLargestBlockOfInterest()) return;
    const auto guarded = [](const GuardPlan& plan) {
      return std::ranges::count_if(plan.guards,
                                   [](BarrierGuard one) { return one != BarrierGuard::None; });
    };
    std::vector<bool> removed = removedBy(decisions);
    for (std::size_t k = 0; k < settled.size(); ++k) removed[k] = removed[k] || settled[k];
    GuardPlan other = planForLargestBlock(given_, removed);
    if (guarded(other) > guarded(guards_)) guards_ = std::move(other);
  }

  // It says more than is known of all launches.
  bool isLargestBlockOfInterest() {
    return std::ranges::any_of(members_, [&](const Member& member) {
      const auto& function = member.analyses->get<ir::Function>();
      const Assumptions& own = member.analyses->get<Assumptions>();
      return LaunchShape::of(function, withLargestBlock(function, own)) !=
             LaunchShape::of(function, own);
    });
  }

  static std::vector<bool> removedBy(const std::vector<BarrierDecision>& decisions) {
    std::vector<bool> removed(decisions.size());
    for (std::size_t k = 0; k < removed.size(); ++k) {
      removed[k] = decisions[k].outcome == BarrierOutcome::Removed;
    }
    return removed;
  }

  GuardPlan planForLargestBlock(const Assumptions& assumptions, const std::vector<bool>& removed,
                                const GuardPlan* planned = nullptr) {
    const std::vector<BarrierBody> largest = bodies(assumptions, true, true);
    const analysis::BarrierContext context(largest, facts_);
    return BarrierJudge(largest, context, question_, Precision::Affine, false)
        .planGuardsOfLargestBlock(removed, planned);
  }

  static void noteFunctions(const GuardPlan& plan, std::vector<BarrierDecision>& decisions) {
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      if (plan.areOnlyInFunctions[k]) decisions[k].remark.barrier->isOfRowsInFunction = true;
    }
  }

  void carryOut(std::vector<BarrierDecision>& decisions) const {
    if (!guards_.hasAny()) return;
    const auto test = std::make_shared<const LaunchTest>(guards_.test);
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      if (guards_.guards[k] == BarrierGuard::None) continue;
      BarrierDecision& decision = decisions[k];
      decision.outcome = BarrierOutcome::Guarded;
      decision.guard = guards_.guards[k];
      decision.test = test;
      if (!wantRemarks_) continue;
      decision.remark.kind = RemarkKind::Passed;
      BarrierVerdict verdict = verdictOn(*decision.instruction);
      verdict.outcome = decision.outcome;
      verdict.rule = ruleOf(test->shape, decision.guard);
      verdict.precision = Precision::Affine;
      verdict.counts = guards_.counts[k];
      verdict.loopDepth = decision.remark.barrier->loopDepth;
      decision.remark.barrier = std::move(verdict);
    }
  }

  static BarrierRule ruleOf(LaunchCase shape, BarrierGuard guard) {
    BarrierRule rule;
    rule.takesFarPointers = guard != BarrierGuard::Shape;
    rule.kind = guard == BarrierGuard::FarPointers ? BarrierRule::Kind::AnyShape
                : shape == LaunchCase::OneRow      ? BarrierRule::Kind::OneRow
                                                   : BarrierRule::Kind::LargestBlock;
    return rule;
  }

  // For each decision that depends on assumptions, finds a minimal set that suffices, as long as
  // only few sets are tried.  For a guard none may be enough.
  void nameAssumptions(std::vector<BarrierDecision>& decisions, const std::vector<bool>& settled) {
    std::vector<Assumptions> needed(decisions.size(), given_);
    const auto isOpen = [&](std::size_t k) {
      return !settled[k] && decisions[k].outcome != BarrierOutcome::Kept;
    };
    std::size_t tries = 0;
    for (std::size_t bit = 0; bit < analysis::kAssumptionCount; ++bit) {
      const Assumption one{static_cast<std::uint8_t>(bit)};
      std::vector<Assumptions> sets;
      for (std::size_t k = 0; k < decisions.size(); ++k) {
        if (!isOpen(k) || !needed[k].has(one)) continue;
        if (std::ranges::find(sets, needed[k]) == sets.end()) sets.push_back(needed[k]);
      }
      for (const Assumptions& set : sets) {
        Assumptions fewer = set;
        fewer.remove(one);
        if (exceeds(++tries, Limit::AssumptionSets)) continue;
        const std::vector<bool> can = repeat(fewer, decisions, settled);
        for (std::size_t k = 0; k < decisions.size(); ++k) {
          if (isOpen(k) && can[k] && needed[k] == set) needed[k] = fewer;
        }
      }
    }
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      if (isOpen(k)) name(needed[k], decisions[k].remark);
    }
  }

  // Which of the decisions could be made with these assumptions, after those before them.
  std::vector<bool> repeat(const Assumptions& assumptions,
                           const std::vector<BarrierDecision>& decisions,
                           const std::vector<bool>& settled) {
    const std::vector<BarrierBody> with =
        bodies(assumptions, question_.precision == Precision::Affine);
    const analysis::BarrierContext context(with, facts_);
    BarrierJudge judge(with, context, question_, question_.precision, false);
    std::vector<bool> can = judge.repeat(decisions, settled);
    if (!guards_.hasAny()) return can;
    const bool isOfLargest = guards_.test.shape == LaunchCase::LargestBlock;
    const GuardPlan plan = isOfLargest
                               ? planForLargestBlock(assumptions, removedBy(decisions), &guards_)
                               : judge.planGuards(&guards_);
    for (std::size_t k = 0; k < can.size(); ++k) {
      if (decisions[k].guard != BarrierGuard::None) can[k] = plan.guards[k] != BarrierGuard::None;
    }
    return can;
  }

  void name(const Assumptions& needed, Remark& remark) {
    for (const Member& member : members_) {
      for (std::string& name : member.analyses->get<Assumptions>().limitedTo(needed).names()) {
        if (std::ranges::find(remark.assumptions, name) != remark.assumptions.end()) continue;
        remark.assumptions.push_back(std::move(name));
      }
    }
  }

  const BarrierFacts& facts_;
  const BarrierQuestion& question_;
  const bool wantRemarks_;
  std::vector<Member> members_;
  Assumptions given_;  // the union over all members; their block shapes may differ
  GuardPlan guards_;   // empty where there are none
};

}  // namespace

void BarrierGroups::prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses,
                            bool wantRemarks) {
  const auto& graph = analyses.get<analysis::CallGraph>();
  const auto& assumptions = analyses.get<analysis::ModuleAssumptions>();
  facts_.emplace(module, graph);
  const auto groups = functionsThatShareBarriers(graph, facts_->withKnownCallers);
  for (const ir::Function& function : module.functions()) {
    if (facts_->uses.own(function).ids != 0) facts_->addEffects(assumptions.of(function));
  }
  if (groups.empty()) return;
  std::unordered_map<const ir::Function*, ir::Function*> editable;
  for (ir::Function& f : analyses.get<ir::Module>().functions()) editable[&f] = &f;
  for (const auto& group : groups) {
    std::vector<ir::Function*> members;
    for (const ir::Function* function : group) {
      members.push_back(editable.at(function));
      facts_->addEffects(assumptions.of(*function));
    }
    judgeGroup(members, assumptions, wantRemarks);
  }
}

std::vector<BarrierDecision> BarrierGroups::decide(ir::Function& function,
                                                   analysis::FunctionAnalyses& analyses,
                                                   bool wantRemarks) const {
  if (const auto found = decided_.find(&function); found != decided_.end()) return found->second;
  if (facts_->uses.own(function).ids == 0) return {};
  if (!function.isEntry()) return leaveAlone(function, wantRemarks);
  analysis::FunctionAnalyses* const member = &analyses;
  return Group({&member, 1}, *facts_, question_, wantRemarks).decide();
}

// For a function whose callers are not all known.
std::vector<BarrierDecision> BarrierGroups::leaveAlone(ir::Function& function,
                                                       bool wantRemarks) const {
  std::vector<BarrierDecision> decisions;
  for (ir::Statement& statement : function.body()) {
    auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !ir::ctaBarrier(*instruction)) continue;
    BarrierDecision& decision = decisions.emplace_back();
    decision.function = &function;
    decision.instruction = instruction;
    if (!wantRemarks) continue;
    decision.remark = BarrierRemarks::at(question_.pass, function, *instruction);
    decision.remark.barrier->reason =
        KeptReason{KeptReason::Why::UnknownCallers, unknownCallers(function, *facts_)};
  }
  return decisions;
}

void BarrierGroups::judgeGroup(const std::vector<ir::Function*>& group,
                               const analysis::ModuleAssumptions& assumptions, bool wantRemarks) {
  std::deque<GroupMember> members;
  std::vector<analysis::FunctionAnalyses*> analyses;
  for (ir::Function* function : group) {
    analyses.push_back(&members.emplace_back(*function, assumptions.of(*function)).analyses);
    decided_[function];
  }
  for (BarrierDecision& decision : Group(analyses, *facts_, question_, wantRemarks).decide()) {
    decided_.at(decision.function).push_back(std::move(decision));
  }
}

}  // namespace ptxopt::passes
