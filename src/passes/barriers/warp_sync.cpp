// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/warp_sync.h"

#include "passes/barriers/barrier_groups.h"

namespace ptxopt::passes {

namespace {

class WarpSync : public Pass {
 public:
  explicit WarpSync(BarrierQuestion question) : groups_(std::move(question)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    groups_.prepare(module, analyses, wantRemarks());
  }

  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    bool changed = false;
    for (BarrierDecision& decision :
         groups_.decide(function, context.analyses, context.wantRemarks)) {
      if (decision.outcome == BarrierOutcome::Weakened) {
        if (!context.budget.spend()) continue;
        weaken(function, *decision.instruction);
        ++context.statistics["barriers-weakened"];
        changed = true;
      } else {
        ++context.found["barriers-kept"];
      }
      context.remark(std::move(decision.remark));
    }
    return changed;
  }

 private:
  // The mask replaces the id; a count of all threads is dropped.
  static void weaken(ir::Function& function, ir::Instruction& barrier) {
    constexpr std::int64_t kAllLanes = -1;
    isa::Shape shape;
    shape.push(isa::OperandShape::Scalar);
    barrier.desc = &function.module().instructionTable().get("bar.warp.sync", shape);
    barrier.operandCount = 1;
    barrier.operands()[0] = ir::Operand::ofInteger(kAllLanes);
    function.markChanged(&barrier);
  }

  BarrierGroups groups_;
};

std::unique_ptr<Pass> makeWarpSync(const OptionValues& options, std::string& error) {
  std::optional<KeptBarriers> kept = KeptBarriers::parse(options.text(kKeepOption.name), error);
  if (!kept) return nullptr;
  BarrierQuestion question;
  question.pass = kWarpSync.name;
  question.aim = BarrierAim::Weaken;
  question.kept = std::move(*kept);
  return std::make_unique<WarpSync>(std::move(question));
}

}  // namespace

const PassInfo kWarpSync = {
    "warp-sync",
    "Weakens CTA barriers that only order threads of one warp to bar.warp.sync.",
    {&kKeepOption, 1},
    makeWarpSync,
};

}  // namespace ptxopt::passes
