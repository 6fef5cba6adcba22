// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/barrier_judge.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptxopt::passes {

using analysis::BarrierBody;
using analysis::BarrierContext;
using analysis::Precision;
using analysis::Relation;
using analysis::Standing;
using ir::Instruction;

namespace {

// Nothing reads the result of a reduction over the CTA.
bool isResultUnused(const ir::Function& function, const Instruction& reduction) {
  ir::RegisterId result = ir::RegisterId::None;
  for (const ir::Operand& operand : reduction.operands()) {
    if (operand.writes) result = operand.reg();
  }
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    bool isRead = instruction->guard.predicate() == result;
    ir::forEachRegister(*instruction, [&](const ir::Operand& operand) {
      isRead |= operand.reads && operand.reg() == result;
    });
    if (isRead) return false;
  }
  const auto& results = function.results;
  return std::none_of(results.begin(), results.end(), [](const ir::Variable* v) {
    return v->space == isa::Space::Reg;  // live where the function returns
  });
}

}  // namespace

BarrierJudge::BarrierJudge(std::span<const BarrierBody> bodies, const BarrierContext& context,
                           const BarrierQuestion& question, Precision precision, bool wantRemarks)
    : bodies_(bodies),
      question_(question),
      precision_(precision),
      wantRemarks_(wantRemarks),
      facts_(*context.facts),
      nonExitedThreads_(bodies.size()),
      graph_(bodies, context, precision, {question.limits.classes, question.limits.work}),
      reasons_(bodies, facts_, graph_, remarks_) {
  if (wantRemarks) remarks_.setGraph(bodies, graph_);
  for (const BarrierBody& body : bodies) {
    remarks_.addFunction(body.cfg->function());
    loops_.emplace_back(*body.cfg, *body.loops, facts_.effects(body.assumptions),
                        graph_.sharedIsExternal());
  }
}

// Removes the settled barriers, and puts the others in the order in which they are tested.
void BarrierJudge::begin(const std::vector<bool>& settled) {
  const std::uint64_t work = question_.limits.work;
  graph_.regions().solve(precision_ == Precision::Affine ? work / 4 : work);
  isOut_.assign(graph_.barriers().size(), false);
  order_.resize(graph_.barriers().size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return graph_.barriers()[a].depth > graph_.barriers()[b].depth;
  });
  if (question_.aim == BarrierAim::Weaken) relation_ = Relation::TwoWarps;
  std::erase_if(order_, [&](std::uint32_t k) {
    if (settled.empty() || !settled[k]) return false;
    if (graph_.barriers()[k].node != kNone) takeOut(k);
    return true;
  });
}

std::vector<BarrierDecision> BarrierJudge::run(const std::vector<bool>& settled) {
  begin(settled);
  std::vector<BarrierDecision> decisions(graph_.barriers().size());
  for (const std::uint32_t k : order_) decisions[k] = judge(k);
  if (wantRemarks_) label(decisions);
  return decisions;
}

// Adds the fields that tables show.
void BarrierJudge::label(std::vector<BarrierDecision>& decisions) const {
  for (std::size_t k = 0; k < decisions.size(); ++k) {
    std::optional<BarrierVerdict>& verdict = decisions[k].remark.barrier;
    if (verdict) verdict->loopDepth = graph_.barriers()[k].depth;
  }
}

std::vector<bool> BarrierJudge::repeat(const std::vector<BarrierDecision>& decisions,
                                       const std::vector<bool>& settled) {
  begin(settled);
  std::vector<bool> can(decisions.size(), false);
  Remark unused;
  for (const std::uint32_t k : order_) {
    const Barrier& barrier = graph_.barriers()[k];
    const BarrierOutcome outcome = decisions[k].outcome;
    if (outcome != BarrierOutcome::Removed && outcome != BarrierOutcome::Weakened) continue;
    can[k] = !reasonToKeep(barrier, unused);
    if (barrier.node != kNone) takeOut(k);
  }
  return can;
}

BarrierDecision BarrierJudge::judge(std::uint32_t number) {
  const Barrier& barrier = graph_.barriers()[number];
  BarrierDecision decision;
  decision.instruction = barrier.instruction;
  decision.function = &functionOf(barrier);
  decision.isSeparator = barrier.standing == Standing::Candidate;
  if (wantRemarks_) {
    decision.remark = BarrierRemarks::at(question_.pass, functionOf(barrier), *barrier.instruction);
  }
  if (std::optional<KeptReason> reason = reasonToKeep(barrier, decision.remark)) {
    // The two accesses say more than a reason.
    const bool isDue = wantRemarks_ && !decision.remark.barrier->conflict;
    if (isDue) decision.remark.barrier->reason = std::move(reason);
    decision.mayBeGuarded = mayBeGuarded(barrier);
    return decision;
  }
  decision.outcome =
      question_.aim == BarrierAim::Weaken ? BarrierOutcome::Weakened : BarrierOutcome::Removed;
  if (wantRemarks_) {
    decision.remark.kind = RemarkKind::Passed;
    BarrierVerdict& verdict = *decision.remark.barrier;
    verdict.outcome = decision.outcome;
    verdict.counts = remarks_.counts(graph_.regions(), barrier.node);
    setRule(barrier, verdict);
  }
  takeOut(number);
  return decision;
}

// docs/soundness/ C8(ii).5, E.6.10
bool BarrierJudge::mayBeGuarded(const Barrier& barrier) const {
  return question_.leastGuardDepth && barrier.depth >= *question_.leastGuardDepth &&
         barrier.node != kNone && barrier.standing == Standing::Candidate;
}

// There are launches of the kernel that have the shape, and others.
bool BarrierJudge::isShapeOpen(const Barrier& barrier, LaunchCase which) const {
  const BarrierBody& body = bodies_[barrier.body];
  if (which == LaunchCase::LargestBlock) {
    return body.assumptions.block() &&
           body.assumptions.block() == functionOf(barrier).largestBlock();
  }
  const analysis::LaunchShape& shape = body.addresses->shape();
  return !shape.block && !shape.isOneRow();
}

// The second condition implies the first one: a launch that skips barriers of the second kind skips
// those of the first kind too.
GuardPlan BarrierJudge::planGuards(const GuardPlan* planned) {
  GuardPlan plan(graph_.barriers().size());
  if (planned != nullptr) plan.test = planned->test;
  if (!addGuards(plan, BarrierGuard::Shape, Relation::OneRow, planned)) {
    addGuards(plan, BarrierGuard::FarPointers, Relation::FarPointers, planned);
  }
  addGuards(plan, BarrierGuard::Both, Relation::OneRowFarPointers, planned);
  return plan;
}

GuardPlan BarrierJudge::planGuardsOfLargestBlock(const std::vector<bool>& removed,
                                                 const GuardPlan* planned) {
  begin(removed);
  GuardPlan plan(graph_.barriers().size());
  if (planned != nullptr) plan.test = planned->test;
  plan.test.shape = LaunchCase::LargestBlock;
  addGuards(plan, BarrierGuard::Shape, Relation::TwoThreads, planned);
  addGuards(plan, BarrierGuard::Both, Relation::FarPointers, planned);
  return plan;
}

bool BarrierJudge::addGuards(GuardPlan& plan, BarrierGuard guard, Relation relation,
                             const GuardPlan* planned) {
  const bool isOfShape = guard != BarrierGuard::FarPointers;
  const bool wantedRemarks = std::exchange(wantRemarks_, false);
  relation_ = relation;
  bool isAny = false;
  Remark unused;
  for (const std::uint32_t k : order_) {
    const Barrier& barrier = graph_.barriers()[k];
    const bool isDue = plan.guards[k] == BarrierGuard::None && !isOut_[k] &&
                       mayBeGuarded(barrier) &&
                       (!isOfShape || isShapeOpen(barrier, plan.test.shape)) &&
                       (planned == nullptr || planned->guards[k] == guard);
    if (!isDue) continue;
    graph_.classes().takeDistances();
    bool canGo = !reasonToKeep(barrier, unused);
    std::vector<analysis::PointerDistance> distances = plan.test.distances;
    for (const analysis::PointerDistance& distance : graph_.classes().takeDistances()) {
      addDistance(distances, distance);
    }
    if (planned != nullptr) {
      canGo = canGo && distances == planned->test.distances;
    } else if (guard != BarrierGuard::Shape) {
      const auto own =
          std::ranges::count(distances, &functionOf(barrier), &analysis::PointerDistance::kernel);
      canGo = canGo && own > 0 && own <= std::ptrdiff_t{kMostDistances};
    }
    if (canGo && !functionOf(barrier).isEntry()) {
      if (relation == Relation::OneRow) plan.areOnlyInFunctions[k] = true;
      continue;
    }
    if (canGo) {
      isAny = true;
      plan.guards[k] = guard;
      plan.counts[k] = remarks_.counts(graph_.regions(), barrier.node);
      plan.test.distances = std::move(distances);
    }
    if (canGo || planned != nullptr) takeOut(k);
  }
  wantRemarks_ = wantedRemarks;
  return isAny;
}

// From now on the other barriers are tested without it.
void BarrierJudge::takeOut(std::uint32_t number) {
  const Barrier& barrier = graph_.barriers()[number];
  isOut_[number] = true;
  graph_.regions().remove(barrier.node);
  if (question_.aim == BarrierAim::Weaken || barrier.instruction->guard) return;
  loopsHaveChanged_ |= loops_[barrier.body].loseAnchor(barrier.instruction->block);
}

// Sets the precision that the removal needs.  The rule of alias.h is that of one pair; there may be
// more pairs.
void BarrierJudge::setRule(const Barrier& barrier, BarrierVerdict& verdict) {
  BarrierRule rule;
  Precision needed = precision_;
  if (precision_ == Precision::Affine) {
    if (const auto pair = graph_.regions().conflict(barrier.node, Precision::Objects)) {
      const analysis::AccessClasses& classes = graph_.classes();
      rule.kind = BarrierRule::Kind::Separated;
      rule.separation =
          classes.separation(classes.of(*pair->above), classes.of(*pair->below), relation_);
    } else {
      needed = Precision::Objects;
    }
  }
  verdict.rule = rule;
  verdict.precision = needed;
}

std::optional<KeptReason> BarrierJudge::reasonToKeep(const Barrier& barrier, Remark& remark) {
  const Instruction& instruction = *barrier.instruction;
  const ir::Function& function = functionOf(barrier);
  if (barrier.node == kNone) return wantRemarks_ ? reasons_.notACandidate(barrier) : KeptReason{};
  if (barrier.barrier.kind != ir::CtaBarrier::Kind::Sync &&
      !isResultUnused(function, instruction)) {
    return wantRemarks_ ? reasons_.result(barrier) : KeptReason{};
  }
  if (const auto why = question_.kept.whyKept(function, instruction)) return KeptReason{*why};
  if (++candidates_ > question_.limits.candidates) {
    return KeptReason{KeptReason::Why::CandidateLimit,
                      KeptReason::Bound{question_.limits.candidates}};
  }
  if (question_.aim == BarrierAim::Weaken) {
    if (const auto why = reasonNotToWeaken(barrier)) return KeptReason{*why};
  }
  return reasonInRegion(barrier, remark);
}

// docs/soundness/ C8.3, except the accesses.
std::optional<KeptReason::Why> BarrierJudge::reasonNotToWeaken(const Barrier& barrier) {
  using enum KeptReason::Why;
  const ir::Function& function = functionOf(barrier);
  const ir::Module& module = function.module();
  if (barrier.barrier.kind != ir::CtaBarrier::Kind::Sync) return HasResult;
  if (barrier.standing == Standing::Guarded) return IsGuarded;
  if (module.version < isa::Version{6, 0} || !isa::satisfies(module.target, "70")) {
    return OldTarget;
  }
  if (!function.isEntry()) return InFunction;
  const analysis::Addresses* addresses = bodies_[barrier.body].addresses;
  const auto block = addresses == nullptr ? std::nullopt : addresses->shape().block;
  if (!block) return UnknownShape;
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads % isa::kWarpSize != 0) return PartialWarp;
  std::optional<analysis::NonExitedThreads>& whole = nonExitedThreads_[barrier.body];
  const BarrierBody& body = bodies_[barrier.body];
  if (!whole) {
    whole.emplace(*body.cfg, *body.liveness, facts_.effects(body.assumptions));
  }
  // bar.warp.sync waits for all threads of a warp.
  if (!whole->allExecute(barrier.instruction->block)) return EarlyExit;
  return std::nullopt;
}

// Why the code around the barrier needs it.
std::optional<KeptReason> BarrierJudge::reasonInRegion(const Barrier& barrier, Remark& remark) {
  analysis::BarrierRegions& regions = graph_.regions();
  if (!regions.isWithinLimit()) {
    return KeptReason{KeptReason::Why::WorkLimit, KeptReason::Bound{question_.limits.work}};
  }
  if ((regions.marksAround(barrier.node) & analysis::kPin) != 0) {
    if (wantRemarks_) remark.barrier->pin = remarks_.pin(regions, barrier.node);
    return KeptReason{KeptReason::Why::Pin};
  }
  if (const auto conflict = regions.conflict(barrier.node, Precision::Affine, relation_)) {
    // The thread that executes a T may be known, too.
    const auto isOfThreads = [](const auto& key, analysis::EffectMarks marks) {
      return key || (marks & ~analysis::kAnySync) == 0;
    };
    isAnyKeptForAccesses_ |= isOfThreads(conflict->above, conflict->aboveMarks) &&
                             isOfThreads(conflict->below, conflict->belowMarks);
    if (wantRemarks_) {
      remark.barrier->conflict =
          remarks_.conflict(regions, graph_.classes(), barrier.node, *conflict, relation_);
    }
    return KeptReason{};
  }
  // bar.warp.sync prevents hoisting of loads like a CTA barrier does (E.6.6).
  if (question_.aim != BarrierAim::Weaken && !mayLeaveLoops(barrier)) {
    if (!wantRemarks_) return KeptReason{};
    return reasons_.polling(
        barrier, [&](std::uint32_t body) -> const auto& { return loops_[body]; });
  }
  return std::nullopt;
}

// docs/soundness/ C2.6, including the loops around calls.
bool BarrierJudge::mayLeaveLoops(const Barrier& barrier) {
  const analysis::PollingLoops& loops = loops_[barrier.body];
  const ir::Instruction& instruction = *barrier.instruction;
  // A barrier under a guard is no anchor.
  if (!(instruction.guard ? loops.isSafeWithout(instruction.block)
                          : loops.canLoseAnchor(instruction.block))) {
    return false;
  }
  if (loopsHaveChanged_) findSafeBodies();
  return isSafe_[barrier.body];
}

// Finds the bodies for which no loop around a call needs an anchor in the body.  The calls are
// listed callers first.
void BarrierJudge::findSafeBodies() {
  loopsHaveChanged_ = false;
  isSafe_.assign(bodies_.size(), true);
  for (const analysis::BarrierGraph::Call& call : graph_.calls()) {
    const bool isSafe = isSafe_[call.caller] && loops_[call.caller].isSafeWithout(call.block);
    if (!isSafe) isSafe_[call.callee] = false;
  }
}

}  // namespace ptxopt::passes
