// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/dead_sync.h"

#include <array>
#include <charconv>

#include "passes/barriers/barrier_groups.h"
#include "passes/barriers/launch_guard.h"
#include "passes/engine/claim_sink.h"

namespace ptxopt::passes {

namespace {

using analysis::Precision;

class DeadSync : public Pass {
 public:
  explicit DeadSync(BarrierQuestion question) : groups_(std::move(question)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    groups_.prepare(module, analyses, wantRemarks());
  }

  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    bool changed = false;
    LaunchGuards guards(function);
    context.erasedOnlyBarriers = true;
    ClaimSink claims(kDeadSync.name, function, context.claims);
    for (BarrierDecision& decision :
         groups_.decide(function, context.analyses, context.wantRemarks)) {
      const bool isKept = decision.outcome == BarrierOutcome::Kept;
      const bool isUndone = !isKept && !context.budget.spend();
      claims.barrier(*decision.instruction, decision.isSeparator,
                     decision.outcome == BarrierOutcome::Removed && !isUndone);
      if (isUndone) continue;
      changed |= !isKept;
      if (isKept) {
        ++context.found["barriers-kept"];
      } else if (decision.outcome == BarrierOutcome::Removed) {
        erase(function, *decision.instruction, context);
        ++context.statistics["barriers-removed"];
      } else {
        guards.putOn(*decision.instruction, decision.guard, *decision.test);
        context.erasedOnlyBarriers = false;
        ++context.statistics["barriers-guarded"];
      }
      context.remark(std::move(decision.remark));
    }
    return changed;
  }

 private:
  static void erase(ir::Function& function, ir::Instruction& barrier, PassContext& context) {
    bool namesRegister = static_cast<bool>(barrier.guard);
    ir::forEachRegister(barrier, [&](const ir::Operand&) { namesRegister = true; });
    context.erasedOnlyBarriers = context.erasedOnlyBarriers && !namesRegister;
    context.analyses.get<analysis::Cfg>().willErase(barrier);
    function.erase(&barrier);
  }

  BarrierGroups groups_;
};

constexpr std::array kPrecisions = {Precision::Flags, Precision::Objects, Precision::Affine};
constexpr BarrierLimits kUsual;  // also those of warp-sync
constexpr PassOption kOptions[] = {
    {.name = "precision",
     .kind = PassOption::Kind::Choice,
     .values = "flags|objects|affine",
     .preset = kPrecisions.size() - 1},
    {"guard"},
    {"guard-in-loops"},
    kKeepOption,
    {.name = "max-candidates", .kind = PassOption::Kind::Number, .preset = kUsual.candidates},
    {.name = "max-classes", .kind = PassOption::Kind::Number, .preset = kUsual.classes},
    {.name = "max-work", .kind = PassOption::Kind::Number, .preset = kUsual.work},
};

std::unique_ptr<Pass> makeDeadSync(const OptionValues& options, std::string& error) {
  std::optional<KeptBarriers> kept = KeptBarriers::parse(options.text(kKeepOption.name), error);
  if (!kept) return nullptr;
  BarrierQuestion question;
  question.pass = kDeadSync.name;
  question.kept = std::move(*kept);
  if (options.has("guard") || options.has("guard-in-loops")) {
    question.leastGuardDepth = options.has("guard") ? 0 : 1;
    question.triesLargestBlock = options.has("guard");
  }
  question.precision = kPrecisions[options.choice("precision")];
  BarrierLimits& limits = question.limits;
  limits.candidates = options.number("max-candidates");
  limits.classes = options.number("max-classes");
  limits.work = options.number("max-work");
  return std::make_unique<DeadSync>(std::move(question));
}

}  // namespace

const PassInfo kDeadSync = {
    "dead-sync",
    "Removes CTA barriers that order nothing, across blocks, loops and functions.",
    kOptions,
    makeDeadSync,
};

}  // namespace ptxopt::passes
