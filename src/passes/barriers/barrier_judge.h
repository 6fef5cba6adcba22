// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of the barrier passes: decides about each CTA barrier of a kernel, or of kernels and
// the functions that they share, and gives the reason.
//
// Each barrier is tested once: those in the innermost loops first, and from top to bottom within
// one loop depth, against sets that reflect the decisions so far (docs/soundness/ C9).
//
// Cost: near-linear in the statements (analysis/barriers/barrier_regions.h).
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/barriers/barrier_graph.h"
#include "analysis/barriers/polling.h"
#include "analysis/threads/non_exited_threads.h"
#include "passes/barriers/barrier_remarks.h"
#include "passes/barriers/kept_barriers.h"
#include "passes/barriers/kept_reasons.h"
#include "passes/barriers/launch_case.h"

namespace ptxopt::passes {

// What a pass wants to do to a barrier that is not needed.
enum class BarrierAim : std::uint8_t {
  Remove,
  Weaken,  // to bar.warp.sync (C8.3)
};

// Beyond these limits barriers are kept, and remarks say so (docs/soundness/ C9.5).
struct BarrierLimits {
  // The most barriers that are tested in one group of functions.
  std::size_t candidates = 100'000;
  // The most distinct addresses; beyond them, accesses are compared by their object.
  std::size_t classes = 512;
  // The most set entries for one group of functions, and the most comparisons of addresses.  With
  // addresses a quarter of the entries is allowed: addresses make more classes, and if they make
  // too many, objects alone have to do.
  std::uint64_t work = 20'000'000;
};

// What a pass wants to know about its barriers.
struct BarrierQuestion {
  std::string_view pass;  // the name in the remarks
  analysis::Precision precision = analysis::Precision::Affine;
  BarrierAim aim = BarrierAim::Remove;
  // The fewest loops around a barrier that gets a guard; none: no barrier gets one.
  std::optional<std::uint32_t> leastGuardDepth;
  bool triesLargestBlock = false;  // for guards; the addresses are looked at a second time
  KeptBarriers kept;
  BarrierLimits limits;
};

struct BarrierDecision {
  const ir::Function* function = nullptr;
  ir::Instruction* instruction = nullptr;
  BarrierOutcome outcome = BarrierOutcome::Kept;
  // All threads take part in the barrier: while it is kept, it orders the accesses around it.
  bool isSeparator = false;
  bool mayBeGuarded = false;  // it is kept, and some launches might do without it
  BarrierGuard guard = BarrierGuard::None;
  std::shared_ptr<const LaunchTest> test;  // of a guard
  Remark remark;
};

// Which barriers some launches can skip, and how the kernel recognizes these launches.
struct GuardPlan {
  explicit GuardPlan(std::size_t barriers = 0)
      : guards(barriers), counts(barriers), areOnlyInFunctions(barriers) {}
  bool hasAny() const {
    return std::ranges::any_of(guards, [](BarrierGuard one) { return one != BarrierGuard::None; });
  }

  // By barrier.
  std::vector<BarrierGuard> guards;
  std::vector<std::pair<AccessCounts, AccessCounts>> counts;  // around those with a guard
  std::vector<bool> areOnlyInFunctions;                       // where there are no guards
  LaunchTest test;
};

// Decides at one precision, which may be coarser than the requested one.
class BarrierJudge {
 public:
  // The arguments must outlive the object.
  BarrierJudge(std::span<const analysis::BarrierBody> bodies,
               const analysis::BarrierContext& context, const BarrierQuestion& question,
               analysis::Precision precision, bool wantRemarks);

  // One decision for each barrier, in the order of the text.  Barriers with `settled` are removed
  // first, without a test.
  std::vector<BarrierDecision> run(const std::vector<bool>& settled = {});
  // After run() or repeat(): what launches of any shape, or of one row, can skip.  With `planned`
  // only what that plan has.
  GuardPlan planGuards(const GuardPlan* planned = nullptr);
  // Instead of run(), if the bodies have their largest block: what such launches can skip, besides
  // barriers that are `removed`.
  GuardPlan planGuardsOfLargestBlock(const std::vector<bool>& removed,
                                     const GuardPlan* planned = nullptr);
  // Instead of run(): which of the decisions could be made again after all decisions before them
  // were carried out.
  std::vector<bool> repeat(const std::vector<BarrierDecision>& decisions,
                           const std::vector<bool>& settled);
  bool isWithinLimit() { return graph_.regions().isWithinLimit(); }
  // After run(): some barrier is kept because of two accesses, so addresses might make a
  // difference.
  bool isAnyKeptForAccesses() const { return isAnyKeptForAccesses_; }

 private:
  using Barrier = analysis::BarrierGraph::Barrier;

  BarrierDecision judge(std::uint32_t number);
  bool mayBeGuarded(const Barrier& barrier) const;
  // Returns whether there is something new.
  bool addGuards(GuardPlan& plan, BarrierGuard guard, analysis::Relation relation,
                 const GuardPlan* planned);
  bool isShapeOpen(const Barrier& barrier, LaunchCase which) const;
  void label(std::vector<BarrierDecision>& decisions) const;
  void setRule(const Barrier& barrier, BarrierVerdict& verdict);
  std::optional<KeptReason> reasonToKeep(const Barrier& barrier, Remark& remark);
  std::optional<KeptReason::Why> reasonNotToWeaken(const Barrier& barrier);
  // In the remark: the two accesses or the timed code, where that is the reason.
  std::optional<KeptReason> reasonInRegion(const Barrier& barrier, Remark& remark);
  void takeOut(std::uint32_t number);
  void begin(const std::vector<bool>& settled);
  bool mayLeaveLoops(const Barrier& barrier);
  void findSafeBodies();
  const ir::Function& functionOf(const Barrier& barrier) const {
    return bodies_[barrier.body].cfg->function();
  }

  std::span<const analysis::BarrierBody> bodies_;
  const BarrierQuestion& question_;
  analysis::Precision precision_;
  bool wantRemarks_;
  bool isAnyKeptForAccesses_ = false;
  std::vector<std::uint32_t> order_;  // in which barriers are tested, without the settled ones
  std::vector<bool> isOut_;           // by barrier: the others are tested without it
  std::size_t candidates_ = 0;        // that were tested
  analysis::Relation relation_ = analysis::Relation::TwoThreads;
  const analysis::BarrierFacts& facts_;
  std::vector<std::optional<analysis::NonExitedThreads>>
      nonExitedThreads_;  // by body, computed on demand
  analysis::BarrierGraph graph_;
  BarrierRemarks remarks_;
  KeptReasons reasons_;
  std::deque<analysis::PollingLoops> loops_;  // by body
  std::vector<bool> isSafe_;                  // by body
  bool loopsHaveChanged_ = true;
};

}  // namespace ptxopt::passes
