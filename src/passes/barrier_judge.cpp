#include "passes/barrier_judge.h"

#include <algorithm>

namespace ptxopt::passes {

using analysis::BarrierBody;
using analysis::BarrierFacts;
using analysis::Precision;
using analysis::Standing;
using ir::Instruction;

namespace {

// Entries in the sets of one group of functions: files that people have stay far below.  Addresses
// make more classes; where they make too many, objects are enough.
constexpr std::uint64_t kMostEntries = 20'000'000;
constexpr std::uint64_t kMostAffineEntries = 5'000'000;

// Nobody reads what a reduction over the CTA computes.
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

// A pragma is about what follows it; of these it is known that no barrier is meant (A5.5).
bool isPragmaOfOthers(const ir::Statement& statement) {
  const auto* pragma = statement.as<ir::Pragma>();
  return pragma != nullptr &&
         (pragma->text.starts_with("\"nounroll\"") || pragma->text.starts_with("\"frequency") ||
          pragma->text.starts_with("\"used_bytes_mask"));
}

}  // namespace

std::string_view spelling(Precision precision) {
  switch (precision) {
    case Precision::Flags:
      return "flags";
    case Precision::Objects:
      return "objects";
    case Precision::Affine:
      return "affine";
  }
  return {};
}

BarrierJudge::BarrierJudge(std::span<const BarrierBody> bodies, const BarrierFacts& facts,
                           const BarrierQuestion& question, Precision precision, bool wantRemarks)
    : bodies_(bodies),
      question_(question),
      precision_(precision),
      wantRemarks_(wantRemarks),
      graph_(bodies, facts, precision) {
  for (const BarrierBody& body : bodies) {
    remarks_.addFunction(body.cfg->function());
    loops_.emplace_back(*body.cfg, *body.loops, facts.effects, graph_.sharedIsExternal());
  }
}

std::vector<BarrierDecision> BarrierJudge::run() {
  analysis::BarrierRegions& regions = graph_.regions();
  regions.solve(precision_ == Precision::Affine ? kMostAffineEntries : kMostEntries);
  std::vector<std::uint32_t> order(graph_.barriers().size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph_.barriers()[a].depth > graph_.barriers()[b].depth;
  });
  std::vector<BarrierDecision> decisions(order.size());
  for (const std::uint32_t k : order) decisions[k] = judge(graph_.barriers()[k]);
  return decisions;
}

BarrierDecision BarrierJudge::judge(const Barrier& barrier) {
  BarrierDecision decision;
  decision.instruction = barrier.instruction;
  decision.function = &functionOf(barrier);
  if (wantRemarks_) {
    decision.remark = remarks_.at(question_.pass, functionOf(barrier), *barrier.instruction);
  }
  if (std::optional<std::string> reason = reasonToKeep(barrier, decision.remark)) {
    if (!wantRemarks_) return decision;
    decision.remark.kind = RemarkKind::Missed;
    decision.remark.message = remarks_.kept(functionOf(barrier), *barrier.instruction, *reason);
    return decision;
  }
  decision.removes = true;
  if (wantRemarks_) {
    decision.remark.kind = RemarkKind::Passed;
    decision.remark.details = whyRemoved(barrier);
    decision.remark.message = remarks_.removed(functionOf(barrier), *barrier.instruction) +
                              remarks_.counts(graph_.regions(), barrier.node, decision.remark);
  }
  graph_.regions().remove(barrier.node);
  loopsHaveChanged_ |= loops_[barrier.body].loseAnchor(barrier.instruction->block);
  return decision;
}

// The precision that it takes.  A rule of alias.h is that of one pair; there may be more.
decltype(Remark::details) BarrierJudge::whyRemoved(const Barrier& barrier) {
  std::string_view rule = "no conflict";
  Precision needed = precision_;
  if (precision_ == Precision::Affine) {
    if (const auto pair = graph_.regions().conflict(barrier.node, Precision::Objects)) {
      const analysis::AccessClasses& classes = graph_.classes();
      rule = analysis::spelling(
          classes.separation(classes.of(*pair->above), classes.of(*pair->below)));
    } else {
      needed = Precision::Objects;
    }
  }
  return {{"rule", std::string(rule)},
          {"precision", std::string(spelling(needed))},
          {"assumptions", ""}};
}

std::optional<std::string> BarrierJudge::reasonToKeep(const Barrier& barrier, Remark& remark) {
  const Instruction& instruction = *barrier.instruction;
  const ir::Function& function = functionOf(barrier);
  if (barrier.node == analysis::kNone) return notJudged(barrier);
  if (barrier.barrier.kind != ir::CtaBarrier::Kind::Sync &&
      !isResultUnused(function, instruction)) {
    return "its result is data";
  }
  if (const char* reason = question_.kept.whyKept(function, instruction)) return reason;
  const ir::Statement* before = instruction.previous;
  if (before != nullptr && before->kind == ir::StatementKind::Pragma &&
      !isPragmaOfOthers(*before)) {
    return "a pragma stands before it";
  }
  analysis::BarrierRegions& regions = graph_.regions();
  if (!regions.isWithinLimit()) return "the limit on the work for one kernel is met";
  if ((regions.marksAround(barrier.node) & analysis::kPin) != 0) {
    return !wantRemarks_ ? "" : remarks_.pin(regions, barrier.node, remark);
  }
  if (const auto conflict = regions.conflict(barrier.node)) {
    isAnyKeptForAccesses_ |= conflict->above && conflict->below;
    return !wantRemarks_
               ? ""
               : remarks_.conflict(regions, graph_.classes(), barrier.node, *conflict, remark);
  }
  if (!mayLeaveLoops(barrier)) {
    return "a loop around it loads from the same address in each round, and would be left with "
           "nothing that holds the load in it";
  }
  return std::nullopt;
}

// docs/soundness.md C2.6, also for the loops around calls.
bool BarrierJudge::mayLeaveLoops(const Barrier& barrier) {
  if (!loops_[barrier.body].canLoseAnchor(barrier.instruction->block)) return false;
  if (loopsHaveChanged_) findSafeBodies();
  return isSafe_[barrier.body];
}

// Bodies such that no loop around a call of one needs an anchor in it.  Calls stand callers
// first.
void BarrierJudge::findSafeBodies() {
  loopsHaveChanged_ = false;
  isSafe_.assign(bodies_.size(), true);
  for (const analysis::BarrierGraph::Call& call : graph_.calls()) {
    const bool isSafe = isSafe_[call.caller] && loops_[call.caller].isSafeWithout(call.block);
    if (!isSafe) isSafe_[call.callee] = false;
  }
}

std::string BarrierJudge::notJudged(const Barrier& barrier) const {
  switch (barrier.standing) {
    case Standing::Partial:
      return "not all threads of the CTA take part in it";
    case Standing::NotUniform:
      return "it is not proved that all threads of the CTA reach it equally often";
    case Standing::Tainted:
      return "its id is, or may be, used by a barrier that not all threads provably take part "
             "in" +
             spoilerOf(barrier);
    case Standing::Judged:
    case Standing::Guarded:
      break;
  }
  return "no path leads to it";
}

// Where that barrier is, if it is one of these.
std::string BarrierJudge::spoilerOf(const Barrier& barrier) const {
  for (const Barrier& other : graph_.barriers()) {
    const bool spoils =
        other.standing == Standing::Partial || other.standing == Standing::NotUniform;
    const bool mayMeet =
        (analysis::barrierIds(other.barrier) & analysis::barrierIds(barrier.barrier)) != 0;
    if (spoils && mayMeet) return "\nthe other: " + remarks_.textOf(*other.instruction);
  }
  return "";
}

}  // namespace ptxopt::passes
